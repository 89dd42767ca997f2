"""What can be measured side by side: a memory that keeps the items of a collection and ranks them for a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from muniment.evaluation.collections import Collection, Question


@dataclass(frozen=True, slots=True)
class Answer:
    """Item ids, best first. `abstained`: the system said that nothing it holds answers the question."""

    ids: tuple[str, ...]
    abstained: bool = False
    cpu_ms: float = 0.0


class System(Protocol):
    """`keep` replaces what was kept before. `title` names the system with its version."""

    name: str
    title: str

    def keep(self, collection: Collection) -> None: ...

    def ask(self, question: Question, k: int) -> Answer: ...

    def close(self) -> None: ...
