"""Figures against values worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.evaluation import metrics


def test_recall_is_the_share_of_the_evidence_and_a_hit_any_or_all_of_it() -> None:
    found = metrics.score(["x", "a", "y", "z", "w", "b"], ["a", "b", "c"])
    assert found["R@5"] == pytest.approx(1 / 3)
    assert found["R@10"] == pytest.approx(2 / 3)
    assert (found["any@5"], found["all@20"]) == (1.0, 0.0)
    assert found["MRR"] == 0.5


def test_ndcg_takes_its_ideal_from_the_gold_set_and_not_from_what_was_found() -> None:
    found = metrics.score(["a"], ["a", "b"])
    assert found["nDCG@10"] == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_what_is_named_twice_counts_where_it_stands_first() -> None:
    assert metrics.score(["x", "x", "x", "x", "x", "a"], ["a"])["R@5"] == 1.0


def test_a_question_without_gold_is_never_scored() -> None:
    with pytest.raises(ValueError, match="gold"):
        metrics.score(["a"], [])


@given(st.lists(st.sampled_from("abcdefgh")), st.sets(st.sampled_from("abcdefgh"), min_size=1))
def test_every_figure_lies_between_nothing_and_all(ranked: list[str], gold: set[str]) -> None:
    assert all(0 <= value <= 1 for value in metrics.score(ranked, gold).values())


def test_a_perfect_ranking_has_every_figure_at_one() -> None:
    assert set(metrics.score(["a", "b"], ["b", "a"]).values()) == {1.0}


def test_a_gap_that_chance_explains_is_no_loss_and_a_plain_one_is() -> None:
    assert not metrics.gap([1, 0, 1, 0] * 10, [0, 1, 0, 1] * 10).worse
    plain = metrics.gap([0.0] * 40, [0.0] * 10 + [1.0] * 30)
    assert plain.worse
    assert plain.low < plain.mean < plain.high < 0


def test_the_interval_is_the_same_in_every_run() -> None:
    assert metrics.gap([1, 0, 1], [0, 0, 1]) == metrics.gap([1, 0, 1], [0, 0, 1])


def test_rankings_agree_by_what_they_share_and_more_so_at_the_top() -> None:
    assert metrics.overlap(["a", "b"], ["b", "a"]) == 1.0
    assert metrics.agreement(["a", "b"], ["a", "b"]) == pytest.approx(1.0)
    top = metrics.agreement(["a", "b", "c"], ["a", "x", "y"])
    bottom = metrics.agreement(["b", "c", "a"], ["x", "y", "a"])
    assert bottom < top < 1
