"""The default embedder: meaning across languages, the same row in any company, bounded memory, checked weights."""

from __future__ import annotations

import dataclasses
import random
import subprocess
import sys
import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from muniment.engines import use
from muniment.errors import EngineUnavailable, InvalidInput

WORDS = "harbour letter agreed Thursday 42 kitchen über signature Größe 会议 deadline moved to the archive, because".split()


@pytest.fixture(scope="module")
def embedder() -> use.Use:
    return use.build(use.spec_for())


def sentences(count: int, words: int = 14) -> list[str]:
    chance = random.Random(7)
    return [" ".join(chance.choices(WORDS, k=words)) for _ in range(count)]


def test_rows_are_unit_float32_of_the_spec_s_dimension(embedder):
    rows = embedder.encode(sentences(5))
    assert rows.shape == (5, embedder.spec.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_a_chinese_question_is_near_its_english_translation(embedder):
    chinese = embedder.encode(["我们什么时候搬到新办公室?"], query=True)
    english = embedder.encode(["When do we move to the new office?", "The soup needs more salt.", "He sold his bicycle."])
    near, *far = (chinese @ english.T)[0]
    assert near > 0.7
    assert max(far) < 0.4


def test_no_texts_give_no_rows(embedder):
    assert embedder.encode([]).shape == (0, 512)


def test_a_blank_text_gets_the_first_axis_and_is_near_nothing(embedder):
    rows = embedder.encode(["", " \n\t", "A real sentence about boats."])
    assert rows[0].tolist() == rows[1].tolist() == [1.0] + [0.0] * 511
    assert abs(float(rows[0] @ rows[2])) < 0.3


def test_a_row_does_not_depend_on_the_texts_beside_it(embedder):
    texts = [*sentences(40), "short", *sentences(3, words=300)]
    together = embedder.encode(texts)
    alone = np.concatenate([embedder.encode([text]) for text in texts])
    backwards = embedder.encode(texts[::-1])[::-1]
    assert np.abs(together - alone).max() < 1e-4
    assert np.abs(together - backwards).max() < 1e-4


def test_what_lies_beyond_chars_max_does_not_count(embedder):
    text = "a boat " * 400
    rows = embedder.encode([text[: use.CHARS_MAX], text[: use.CHARS_MAX] + " and a plane"])
    assert np.array_equal(rows[0], rows[1])
    assert not np.allclose(*embedder.encode([text[: use.CHARS_MAX - 8], text[: use.CHARS_MAX]]), atol=1e-4)


def test_characters_that_grow_into_many_tokens_are_cut_at_tokens_max(embedder):
    # U+FDFA is written out as eighteen characters before it is tokenised.
    ids = embedder._model.sp.encode("\ufdfa" * use.CHARS_MAX, add_bos=True, add_eos=True)
    assert len(ids) == use.TOKENS_MAX
    assert (ids[0], ids[-1]) == (1, 2)


def test_lone_surrogates_are_taken_as_question_marks(embedder):
    rows = embedder.encode(["where \ud800 is it", "where ? is it"])
    assert np.array_equal(rows[0], rows[1])


def test_threads_at_once_get_the_rows_each_would_get_alone(embedder):
    texts = sentences(60)
    alone = embedder.encode(texts)
    seen: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: seen.append(embedder.encode(texts))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 4
    assert all(np.abs(rows - alone).max() < 1e-4 for rows in seen)


def blas_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_blas_is_held_to_one_thread_until_the_last_caller_has_left(embedder):
    with threadpool_limits(2, user_api="blas"):
        with embedder._one_thread.held():
            with embedder._one_thread.held():
                embedder.encode(["A boat."])
            assert blas_threads() == {1}
        assert blas_threads() == {2}


def test_weights_other_than_the_spec_s_are_refused_with_what_to_do():
    other = dataclasses.replace(use.spec_for(), file_hash="0" * 64)
    with pytest.raises(EngineUnavailable, match=r"not the ones these vectors need.*pip install"):
        use.build(other)


def test_it_has_no_options():
    with pytest.raises(InvalidInput, match="no options"):
        use.spec_for("large")


MEMORY = """
import resource, sys
from muniment.engines import use
embedder = use.build(use.spec_for())
embedder.encode(["warm"])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
embedder.encode([("boat %d " % n * 400)[:2000] for n in range(150)] + ["\\ufdfa" * 100_000, "x" * 1_000_000])
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux only")
def test_long_texts_cost_less_than_sixty_megabytes_over_the_loaded_model():
    grown_mb = float(subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True).stdout)
    assert grown_mb < 60
