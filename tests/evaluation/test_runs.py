"""What counts where: scored rankings, abstentions, and what stands above what it replaced."""

from __future__ import annotations

import pytest

from muniment.errors import InvalidInput
from muniment.evaluation import runs
from tests.evaluation.sets import Fixed, result, yard


def test_adversarial_and_unanswerable_questions_stand_apart() -> None:
    found = runs.measure(Fixed("x", {"plain": ["b"], "now": ["c"], "trap": ["a"]}), [yard()])
    assert [row.question for row in found.of()] == ["plain", "now"]
    assert [row.question for row in found.scored()] == ["plain", "now", "trap"]
    assert [row.question for row in found.of("adversarial")] == ["trap"]


def test_sessions_are_ranked_by_their_best_turn() -> None:
    found = runs.measure(Fixed("x", {"plain": ["d", "c", "b"]}), [yard()])
    (row,) = [row for row in found.rows if row.question == "plain"]
    assert (row.turn["MRR"], row.session["MRR"]) == (pytest.approx(1 / 3), 0.5)


def test_what_holds_must_stand_above_what_it_replaced() -> None:
    for ranked, fresh in ((["c", "a"], True), (["a", "c"], False), (["c"], True), (["b"], False)):
        found = runs.measure(Fixed("x", {"now": ranked}), [yard()])
        assert [row.fresh for row in found.rows if row.question == "now"] == [fresh]


def test_an_abstention_is_counted_and_its_ranking_still_scored() -> None:
    found = runs.measure(Fixed("x", {"plain": ["b"]}, abstains=("plain", "none", "trap")), [yard()])
    assert next(row for row in found.rows if row.question == "plain").turn["R@5"] == 1.0
    said = runs.abstention(found)
    assert (said.said_of_answerable, said.answerable, said.said_of_unanswerable, said.unanswerable) == (1, 2, 1, 1)
    assert (said.precision, said.recall) == (0.5, 1.0)


def test_no_more_than_k_results_count() -> None:
    found = runs.measure(Fixed("x", {"plain": ["a", "c", "b"]}), [yard()], k=2)
    assert found.of("fact")[0].turn["R@20"] == 0.0


def test_categories_and_a_limit_leave_questions_out() -> None:
    system = Fixed("x", {})
    assert len(runs.measure(system, [yard()], limit=1).rows) == 1
    assert {row.category for row in runs.measure(system, [yard()], categories=frozenset({"current"})).rows} == {"current"}
    with pytest.raises(InvalidInput, match="No question"):
        runs.measure(system, [yard()], categories=frozenset({"nothing"}))


def test_a_gap_is_taken_over_the_questions_that_both_answered() -> None:
    ours = result("a", [(["g"], ["g"]), (["g"], ["g"])])
    theirs = result("b", [(["x"], ["g"])])
    assert runs.gap(ours, theirs, "R@5").mean == 1.0
