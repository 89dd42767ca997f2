"""What a record was derived from and what from it, over the links that stand. Cycles end, and a walk has a limit."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from muniment.store.connections import Connection

# So many relatives are followed; what was derived more often than this is told by `more`.
LINEAGE_MAX = 10_000
Way = Literal["sources", "derived"]


@dataclass(frozen=True, slots=True)
class Walk:
    """Relatives by number, nearest first, each with its distance in links. `more`: the walk ended at its limit."""

    steps: dict[int, int]
    more: bool = False


def walk(connection: Connection, workspace: int, record: int, way: Way, *, most: int = LINEAGE_MAX) -> Walk:
    """The relatives of a record in one direction, at most `most`; the record itself is none of them."""
    found: dict[int, int] = {}
    edge, distance = [record], 0
    while edge:
        distance += 1
        values = {"workspace": workspace, "ids": json.dumps(edge)}
        rows = connection.all("lineage_sources" if way == "sources" else "lineage_derived", values)
        edge = [row[0] for row in rows if row[0] not in found and row[0] != record]
        for one in edge:
            if len(found) == most:
                return Walk(found, True)
            found[one] = distance
    return Walk(found)
