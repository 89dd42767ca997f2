"""Candidates as rows: what a detector thinks somebody should look at, with the very versions that it saw.

A candidate is put down once for each detector and versions, so what was decided stays decided until one of them changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from muniment.store import numbers
from muniment.store.connections import Connection, Row

PAGE = 500


@dataclass(frozen=True, slots=True)
class Candidate:
    """`members` are (record, version), in the order of their numbers; `score` is how sure the detector is, 0 to 1."""

    workspace: int
    id: int
    uid: str
    sort: str
    key: str
    detector: int
    members: tuple[tuple[int, int], ...]
    score: float
    state: str
    at: int

    @property
    def ref(self) -> str:
        return f"l_{self.uid}"


def key(members: Iterable[tuple[int, int]]) -> str:
    """What a candidate is recognised by: its members at their versions."""
    return ",".join(f"{record}@{version}" for record, version in sorted(members))


def put(
    connection: Connection,
    workspace: int,
    uid: str,
    sort: str,
    members: Sequence[tuple[int, int]],
    score: float,
    detector: int,
    at: int,
) -> bool:
    """Whether it is new. The caller holds the workspace."""
    where = {"workspace": workspace, "sort": sort, "key": key(members), "detector": detector}
    if connection.one("candidate_known", where) is not None:
        return False
    held = json.dumps([list(member) for member in sorted(members)])
    more = {"id": numbers.take(connection, workspace), "uid": uid, "members": held, "score": score, "at": at}
    return connection.one("candidate_put", where | more) is not None


def by_uid(connection: Connection, uid: str) -> Candidate | None:
    row = connection.one("candidate_by_uid", {"uid": uid})
    return _noun(row) if row else None


def waiting(connection: Connection, workspace: int, limit: int) -> list[Candidate]:
    """The most certain first."""
    return [_noun(row) for row in connection.all("candidates_waiting", {"workspace": workspace, "limit": limit})]


def undecided(connection: Connection, workspace: int, sort: str) -> Iterable[Candidate]:
    """Every candidate of a sort that nobody decided, deferred ones too."""
    after = 0
    where = {"workspace": workspace, "sort": sort, "limit": PAGE}
    while rows := connection.all("candidates_open", where | {"after": after}):
        after = rows[-1][1]
        yield from (_noun(row) for row in rows)


def decide(
    connection: Connection,
    candidate: Candidate,
    state: str,
    *,
    verdict: str | None = None,
    decider: str | None = None,
    reason: str | None = None,
) -> bool:
    """Whether it could still be decided."""
    where = {"workspace": candidate.workspace, "id": candidate.id, "state": state}
    return connection.one("candidate_set", where | {"verdict": verdict, "decider": decider, "reason": reason}) is not None


def counts(connection: Connection, workspace: int) -> dict[tuple[str, str], int]:
    """By (sort, state), of those that wait."""
    return {(sort, state): count for sort, state, count in connection.all("candidate_counts", {"workspace": workspace})}


def _noun(row: Row) -> Candidate:
    members = tuple((record, version) for record, version in json.loads(row[6]))
    return replace(Candidate(*row), members=members)
