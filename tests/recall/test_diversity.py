"""Diversity: what only repeats steps back, nothing is lost, and 1 changes nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from muniment.recall.diversity import spread
from tests.recall.test_assemble import found

TEXTS = st.lists(
    st.sampled_from(["the crane is yellow", "the crane is yellow now", "fog at the gate", "a net", "😀"]), max_size=9
)


@given(TEXTS, st.integers(1, 12), st.floats(0, 1))
def test_nothing_is_lost_or_doubled(texts: list[str], limit: int, diversity: float) -> None:
    before = found(*texts)
    after = spread(before, limit, diversity)
    assert sorted(one.record.id for one in after) == [one.record.id for one in before]


@given(TEXTS, st.integers(1, 12))
def test_one_ranks_by_relevance_alone(texts: list[str], limit: int) -> None:
    assert spread(found(*texts), limit, 1.0) == found(*texts)


def test_a_near_repeat_steps_back_behind_what_is_new() -> None:
    texts = ("the yellow crane at the quay broke", "the yellow crane at the quay broke today", "fog closed the gate")
    scores = (0.9, 0.85, 0.6)
    assert [one.record.id for one in spread(found(*texts, scores=scores), 3, 0.7)] == [0, 2, 1]
    assert [one.record.id for one in spread(found(*texts, scores=(0.9, 0.85, 0.3)), 3, 0.7)] == [0, 1, 2]


def test_what_shares_some_words_keeps_its_place() -> None:
    texts = ("the yellow crane broke at noon", "the yellow crane was mended at night by Tom", "fog closed the gate")
    assert [one.record.id for one in spread(found(*texts), 3, 0.7)] == [0, 1, 2]


def test_the_best_always_comes_first() -> None:
    texts = ("same text here", "same text here", "same text here")
    assert spread(found(*texts), 3, 0.0)[0].record.id == 0
