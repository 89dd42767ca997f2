"""Small data sets and results for the tests of this folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from muniment.evaluation import metrics, report, runs
from muniment.evaluation.collections import UNANSWERABLE, Collection, Item, Question
from muniment.evaluation.runs import Result, Row
from muniment.evaluation.systems import Answer


class Fixed:
    """A system whose rankings are given: what a question asks for, by its id."""

    def __init__(self, name: str, answers: dict[str, Sequence[str]], abstains: Sequence[str] = ()) -> None:
        self.name, self.title = name, f"fixed {name}"
        self._answers, self._abstains = answers, set(abstains)

    def keep(self, collection: Collection) -> None:
        """Nothing has to be kept."""

    def ask(self, question: Question, k: int) -> Answer:
        """All that was given, even where that is more than k."""
        return Answer(tuple(self._answers.get(question.id, ())), question.id in self._abstains, 1.0)

    def close(self) -> None:
        """Nothing is open."""


def yard() -> Collection:
    """Four turns in two sessions; a plain question, one about what changed, an adversarial one, one without an answer."""
    items = (
        Item("a", "The port is 8080.", "Lin", "1", "2026-03-01T10:00:00"),
        Item("b", "We have 24 berths.", "Maren", "1", "2026-03-01T10:01:00"),
        Item("c", "The port is 8471 now.", "Lin", "2", "2026-06-01T10:00:00"),
        Item("d", "The display is on the quay.", "Maren", "2", "2026-06-01T10:01:00"),
    )
    questions = (
        Question("plain", "How many berths?", ("b",), "fact", sessions=("1",)),
        Question("now", "Which port?", ("c",), "current", stale=("a",), sessions=("2",)),
        Question("trap", "What did Maren say about ports?", ("c",), "adversarial", sessions=("2",)),
        Question("none", "Who owns the dog?", (), UNANSWERABLE),
    )
    return Collection("yard", "yard.json", "ab" * 32, items, questions)


def measured(*systems: Fixed, k: int = 20) -> report.Run:
    """A whole run over the yard."""
    held = [yard()]
    results = tuple(runs.measure(system, held, k=k) for system in systems)
    protocol = report.protocol(
        "yard",
        held,
        k=k,
        embedder="none",
        categories=frozenset(),
        limit=None,
        questions=len(results[0].rows),
        commit=report.commit(),
    )
    return report.Run(protocol, results)


def result(system: str, scores: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Result:
    """A result from rankings with their gold sets."""
    rows = tuple(
        Row("c", str(place), "fact", tuple(ids), metrics.score(ids, gold), {}, False, None, 1, 1.0)
        for place, (ids, gold) in enumerate(scores)
    )
    return Result(system, system, rows, 0.0)


def as_file(path: Path, collection: Collection) -> Path:
    """A collection in the project's form."""
    queries = [
        {"id": q.id, "query": q.text, "gold": list(q.gold), "category": q.category, "stale": list(q.stale)}
        for q in collection.questions
        if q.gold
    ]
    items = [{"id": i.id, "text": i.text, "speaker": i.speaker, "session": i.session, "time": i.time} for i in collection.items]
    none = [{"id": q.id, "query": q.text} for q in collection.questions if not q.gold]
    held = {"format": "memory-recall-1", "name": collection.name, "items": items, "queries": queries, "unanswerable": none}
    path.write_text(json.dumps(held), encoding="utf-8")
    return path
