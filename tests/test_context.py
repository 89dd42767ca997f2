"""The context: models are built once, and what is kept beside it is bounded."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from muniment.context import Engines, Shelf
from muniment.engines.embed import Embedder
from muniment.errors import EngineUnavailable, InvalidInput
from muniment.model.embedders import EmbedderSpec
from tests.makers import HashedWords, Memory


def test_the_shelf_lets_the_longest_unused_fall() -> None:
    shelf = Shelf(2)
    shelf.put("a", 1)
    shelf.put("b", 2)
    assert shelf.get("a") == 1
    shelf.put("c", 3)
    assert (shelf.get("a"), shelf.get("b"), shelf.get("c")) == (1, None, 3)
    shelf.clear()
    assert shelf.get("a") is None


def test_many_threads_never_pass_the_limit_of_a_shelf() -> None:
    shelf = Shelf(8)

    def use(start: int) -> None:
        for number in range(start, start + 300):
            shelf.put(number, number)
            shelf.get(number - 3)

    threads = [threading.Thread(target=use, args=(start,)) for start in (0, 100, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(shelf.get(number) is not None for number in range(600)) == 8


def test_an_embedder_is_built_once_even_by_several_threads() -> None:
    built: list[EmbedderSpec] = []

    def build(spec: EmbedderSpec, key: str) -> Embedder:
        built.append(spec)
        return HashedWords()

    engines = Engines(build)
    spec = HashedWords().spec
    assert not engines.warm(spec, "")
    threads = [threading.Thread(target=engines.embedder, args=(spec, "")) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert built == [spec]
    assert engines.warm(spec, "")
    assert not engines.warm(spec, "another key")


def test_a_question_is_embedded_once() -> None:
    embedder = HashedWords()
    engines = Engines(lambda spec, key: embedder)
    first = engines.question(embedder.spec, "", "Where is the crane?")
    assert np.array_equal(engines.question(embedder.spec, "", "Where is the crane?"), first)
    assert embedder.encoded == 1
    engines.question(replace(embedder.spec, query_prefix="q: "), "", "Where is the crane?")
    assert embedder.encoded == 2
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 9


def test_an_embedder_of_a_package_that_is_missing_is_unavailable() -> None:
    def build(spec: EmbedderSpec, key: str) -> Embedder:
        raise InvalidInput("There is no embedder 'acme'.", "Choose one of: use.")

    with pytest.raises(EngineUnavailable, match="acme"):
        Engines(build).embedder(HashedWords().spec, "")


def test_uids_of_one_call_sort_in_their_order(small: Memory) -> None:
    uids = small.context.uids(500)
    assert uids == sorted(set(uids))
