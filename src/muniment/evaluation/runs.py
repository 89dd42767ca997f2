"""One measurement: every system keeps the same collections and answers the same questions, one after the other.

A question that nothing answers is never scored as a ranking, and an abstention never saves a ranking from being scored.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from muniment.errors import InvalidInput
from muniment.evaluation import metrics
from muniment.evaluation.collections import APART, UNANSWERABLE, Collection, Question
from muniment.evaluation.systems import System
from muniment.text import estimate

K_DEFAULT = 20
# How much of a ranking is shown to a reader, and so counts as the tokens of an answer.
SHOWN = 10

Step = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Row:
    """What one system made of one question. `turn` and `session` are metrics by name; `session` is empty without sessions."""

    collection: str
    question: str
    category: str
    ids: tuple[str, ...]
    turn: Mapping[str, float]
    session: Mapping[str, float]
    abstained: bool
    fresh: bool | None
    tokens: int
    cpu_ms: float

    @property
    def key(self) -> tuple[str, str]:
        return self.collection, self.question


@dataclass(frozen=True, slots=True)
class Result:
    """One system on all collections of a run. `keep_wall_s` is how long it took to keep them."""

    system: str
    title: str
    rows: tuple[Row, ...]
    keep_wall_s: float

    def of(self, category: str | None = None) -> list[Row]:
        """The scored rows of a category; of all but those set apart when none is named."""
        return [
            row for row in self.rows if row.turn and (row.category == category or (not category and row.category not in APART))
        ]

    def scored(self) -> list[Row]:
        """Every scored row, adversarial questions too."""
        return [row for row in self.rows if row.turn]


@dataclass(frozen=True, slots=True)
class Abstention:
    """How well a system knows that it does not know. `precision` and `recall` are None where nothing could be counted."""

    answerable: int
    unanswerable: int
    said_of_answerable: int
    said_of_unanswerable: int

    @property
    def precision(self) -> float | None:
        said = self.said_of_answerable + self.said_of_unanswerable
        return self.said_of_unanswerable / said if said and self.unanswerable else None

    @property
    def recall(self) -> float | None:
        return self.said_of_unanswerable / self.unanswerable if self.unanswerable else None


def measure(
    system: System,
    collections: Sequence[Collection],
    *,
    k: int = K_DEFAULT,
    categories: frozenset[str] = frozenset(),
    limit: int | None = None,
    step: Step = lambda what, done, total: None,
) -> Result:
    """Let a system keep and answer every collection. `step` hears what is being done and how far it is."""
    rows: list[Row] = []
    wall = 0.0
    for number, collection in enumerate(collections):
        step(f"{system.name}: {collection.name}", number, len(collections))
        started = time.perf_counter()
        system.keep(collection)
        wall += time.perf_counter() - started
        texts = {item.id: item.full for item in collection.items}
        sessions = {item.id: item.session for item in collection.items if item.session}
        for question in chosen(collection, categories, limit):
            rows.append(_row(system, collection, question, k, texts, sessions))
    step(system.name, len(collections), len(collections))
    if not rows:
        raise InvalidInput("No question was asked.", "Name a data set that has questions of those categories.")
    return Result(system.name, system.title, tuple(rows), wall)


def chosen(collection: Collection, categories: frozenset[str], limit: int | None) -> list[Question]:
    """The questions that a filter leaves, at most `limit` a collection."""
    return [one for one in collection.questions if not categories or one.category in categories][:limit]


def abstention(result: Result) -> Abstention:
    """Adversarial questions count on neither side: their evidence is stored, but under the other person's name."""
    plain = result.of()
    none = [row for row in result.rows if row.category == UNANSWERABLE]
    return Abstention(len(plain), len(none), sum(row.abstained for row in plain), sum(row.abstained for row in none))


def gap(ours: Result, theirs: Result, metric: str, category: str | None = None) -> metrics.Gap:
    """The difference on the questions that both answered."""
    other = {row.key: row for row in theirs.of(category)}
    pairs = [(row, other[row.key]) for row in ours.of(category) if row.key in other]
    return metrics.gap([row.turn[metric] for row, _ in pairs], [row.turn[metric] for _, row in pairs])


def _row(
    system: System,
    collection: Collection,
    question: Question,
    k: int,
    texts: Mapping[str, str],
    sessions: Mapping[str, str | None],
) -> Row:
    answer = system.ask(question, k)
    ids = tuple(dict.fromkeys(answer.ids))[:k]
    named = [session for one in ids if (session := sessions.get(one))]
    return Row(
        collection.name,
        question.id,
        question.category,
        ids,
        metrics.score(ids, question.gold) if question.gold else {},
        metrics.score(named, question.sessions) if question.sessions else {},
        answer.abstained,
        _fresh(ids, question),
        sum(estimate.tokens(texts.get(one, "")) for one in ids[:SHOWN]),
        answer.cpu_ms,
    )


def _fresh(ids: Sequence[str], question: Question) -> bool | None:
    """Whether what holds stands above everything that no longer does; None where nothing was replaced."""
    if not question.stale:
        return None
    place = {one: at for at, one in enumerate(ids)}
    best = min((place[one] for one in question.gold if one in place), default=None)
    return best is not None and all(place.get(one, len(ids)) > best for one in question.stale)
