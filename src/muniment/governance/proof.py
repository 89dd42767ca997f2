"""Whether the tables hold what the ledger says: every field is what the effects of the actions that stand add up to.

A chain that holds, effects that are those it covers (`changes.altered`) and no fault here together mean that nobody changed
the standing of anything past Muniment.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from muniment.governance.changes import Sort, Value, governed
from muniment.store.connections import Connection, Row

PAGE = 2000


@dataclass(frozen=True, slots=True)
class Drift:
    """A field that holds something else than the ledger says."""

    sort: str
    target: int
    field: str
    held: Value
    told: Value


def drift(connection: Connection, workspace: int) -> Iterator[Drift]:
    """Every field that is not what the actions that stand add up to. What was forgotten has no fields."""
    told: dict[tuple[Sort, int], dict[str, Value]] = {}
    for _, _, sort, target, field, before, after, undone_by in _effects(connection, workspace):
        fields = told.setdefault((sort, target), {})
        # Before the first of all, the value is what that one found; then that of each that stands.
        if field not in fields:
            fields[field] = json.loads(before)
        if undone_by is None:
            fields[field] = json.loads(after)
    for (sort, target), fields in told.items():
        held = governed(connection, workspace, sort, target)
        for field, value in fields.items():
            if held is not None and held[field] != value:
                yield Drift(sort, target, field, held[field], value)


def _effects(connection: Connection, workspace: int) -> Iterator[Row]:
    action, number = 0, 0
    while True:
        values = {"workspace": workspace, "action": action, "number": number, "limit": PAGE}
        rows = connection.all("effects_all", values)
        yield from rows
        if len(rows) < PAGE:
            return
        action, number = rows[-1][0], rows[-1][1]
