"""Lost evidence is told apart by what it shares with its question."""

from __future__ import annotations

from muniment.evaluation import causes, runs
from muniment.evaluation.collections import Collection, Item, Question
from tests.evaluation.sets import Fixed


def test_each_kind_of_lost_evidence_is_counted_where_it_belongs() -> None:
    items = (
        Item("own", "The red kayak leaks.", "Ann", "1"),
        Item("near", "Yes, it does.", "Bo", "1"),
        Item("far", "Nothing in common, Ann.", "Bo", "2"),
    )
    questions = (
        Question("a", "Which kayak leaks, Ann?", ("own", "near"), "fact"),
        Question("b", "Which kayak leaks, Ann?", ("far",), "fact"),
    )
    held = [Collection("c", "f", "", items, questions)]
    found = causes.table(runs.measure(Fixed("x", {"a": ["own"]}), held), held)
    assert found.rows == (
        ("the only one", "no word at all", "1", "1", "100 %"),
        ("one of several", "half of its words or more", "0", "1", "0 %"),
        ("one of several", "words of its neighbours only", "1", "1", "100 %"),
    )
