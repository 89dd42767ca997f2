"""The cache of questions: by spec and text, bounded, and nobody can change what another will get."""

from __future__ import annotations

import dataclasses
import threading

import numpy as np
import pytest

from muniment.engines.cached import QUESTIONS_MAX, QuestionCache
from muniment.engines.embed import EmbedderSpec

SPEC = EmbedderSpec("use", "m", 3)


def vector(value: float) -> np.ndarray:
    return np.full(3, value, np.float32)


def test_a_question_comes_back_only_under_its_own_spec():
    cache = QuestionCache()
    cache.put(SPEC, "where", vector(1))
    assert cache.get(SPEC, "where").tolist() == [1, 1, 1]
    assert cache.get(SPEC, "when") is None
    assert cache.get(dataclasses.replace(SPEC, query_prefix="q: "), "where") is None


def test_the_question_not_asked_for_longest_goes_first_at_the_limit():
    cache = QuestionCache()
    for number in range(QUESTIONS_MAX):
        cache.put(SPEC, str(number), vector(number))
    cache.get(SPEC, "0")
    assert cache.get(SPEC, "1") is not None
    cache.put(SPEC, "one more", vector(0))
    assert cache.get(SPEC, "2") is None
    assert cache.get(SPEC, "0") is not None
    assert cache.get(SPEC, "1") is not None


def test_a_kept_vector_cannot_be_changed_through_any_reference():
    cache = QuestionCache()
    mine = vector(1)
    cache.put(SPEC, "where", mine)
    mine[0] = 9
    kept = cache.get(SPEC, "where")
    assert kept[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 9


def test_many_threads_never_pass_the_limit():
    cache = QuestionCache(questions_max=8)

    def ask(start: int) -> None:
        for number in range(300):
            cache.put(SPEC, str(start + number), vector(number))
            cache.get(SPEC, str(start + number - 3))

    threads = [threading.Thread(target=ask, args=(start,)) for start in (0, 100, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(cache.get(SPEC, str(number)) is not None for number in range(600)) == 8
