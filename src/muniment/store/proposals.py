"""Proposals as rows. Once filed, nothing of a proposal changes but what was decided about it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from muniment.model.access import Zone
from muniment.store.connections import Connection, Row
from muniment.store.numbers import NEWEST

WAITING = ("queued", "quarantined", "accepted")
CONSUMER = "consolidate"


@dataclass(frozen=True, slots=True)
class Source:
    """What a proposal rests on: a record as it was (`ref`, its workspace, number and version), or words from elsewhere."""

    trust: str
    ref: str | None = None
    workspace: int | None = None
    record: int | None = None
    version: int | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change that waits for a decision, or what became of it. `target` and `supersedes` are records as they were then.

    `ordinal` is its place among the accepted ones; `action` and `record` what it led to.
    """

    workspace: int
    id: int
    uid: str
    principal: int
    by: str
    client: str | None
    op: str
    kind: str
    target: int | None
    target_version: int | None
    supersedes: int | None
    supersedes_version: int | None
    text: str | None
    idea: str
    sources: tuple[Source, ...]
    taint: int
    trust: float
    zone: Zone
    state: str
    reason: str | None
    decider: str | None
    action: int | None
    record: int | None
    at: int
    decided_at: int | None
    ordinal: int | None

    @property
    def ref(self) -> str:
        return f"p_{self.uid}"


@dataclass(frozen=True, slots=True)
class Asked:
    """The first answer to a request id, and a hash of what was asked."""

    uid: str
    payload: str
    answer: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Published:
    """Times in Unix milliseconds: the last publication, the making of the workspace, the oldest acceptance not applied yet."""

    compiled_at: int | None
    created_at: int
    behind_since: int | None


def add(connection: Connection, values: dict[str, Any], sources: Sequence[Source]) -> bool:
    """Store a proposal; False where its request id is taken."""
    told = [{name: getattr(one, name) for name in Source.__slots__ if getattr(one, name) is not None} for one in sources]
    return connection.one("proposal_add", values | {"evidence": json.dumps(told, ensure_ascii=False)}) is not None


def by_uid(connection: Connection, uid: str) -> Proposal | None:
    row = connection.one("proposal_by_uid", {"uid": uid})
    return noun(row) if row else None


def asked(connection: Connection, principal: int, request_id: str) -> Asked | None:
    row = connection.one("proposal_asked", {"principal": principal, "request_id": request_id})
    return Asked(row[0], row[1], json.loads(row[2])) if row else None


def listed(
    connection: Connection,
    workspace: int,
    *,
    state: str | None = None,
    principal: int | None = None,
    before: int = NEWEST,
    limit: int,
) -> list[Proposal]:
    """Those of a state (None: those that wait) and of a principal (None: of all), newest first."""
    values = {"workspace": workspace, "state": state or "", "principal": principal or 0, "before": before, "limit": limit}
    return [noun(row) for row in connection.all("proposals_listed", values)]


def queued(connection: Connection, workspace: int, after: int, limit: int) -> list[Proposal]:
    """Untainted ones that nobody has looked at, oldest first."""
    return [noun(row) for row in connection.all("proposals_queued", {"workspace": workspace, "after": after, "limit": limit})]


def accepted(connection: Connection, workspace: int, limit: int) -> list[Proposal]:
    """What is accepted beyond the watermark, in the order of acceptance."""
    values = {"workspace": workspace, "after": watermark(connection, workspace), "limit": limit}
    return [noun(row) for row in connection.all("proposals_accepted", values)]


def watermark(connection: Connection, workspace: int) -> int:
    row = connection.one("watermark_get", {"workspace": workspace, "consumer": CONSUMER})
    return int(row[0]) if row else 0


def advance(connection: Connection, workspace: int, ordinal: int, now: int) -> None:
    """Move the watermark, in the transaction of the effects."""
    connection.run("watermark_set", {"workspace": workspace, "consumer": CONSUMER, "seq": ordinal, "at": now})


def decide(connection: Connection, one: Proposal, **decision: Any) -> bool:
    """Set state, reason, decider, at and ordinal of one that waits; False when somebody decided meanwhile."""
    return connection.one("proposal_decide", {"workspace": one.workspace, "id": one.id} | decision) is not None


def settle(
    connection: Connection,
    one: Proposal,
    state: str,
    reason: str | None,
    *,
    action: int | None = None,
    record: int | None = None,
) -> bool:
    """Say what became of an accepted one; False when that was said already."""
    values = {"workspace": one.workspace, "id": one.id, "state": state, "reason": reason, "action": action, "record": record}
    return connection.one("proposal_settle", values) is not None


def refused(connection: Connection, workspace: int, idea: str) -> tuple[str, str | None] | None:
    """The uid and the reason of a proposal of the same idea that was refused."""
    row = connection.one("proposal_refused", {"workspace": workspace, "idea": idea})
    return (row[0], row[1]) if row else None


def waiting(connection: Connection, workspace: int, principal: int | None = None) -> int:
    """How many wait, of a principal or of all."""
    row = connection.one("proposals_waiting", {"workspace": workspace, "principal": principal or 0})
    return int(row[0]) if row else 0


def published(connection: Connection, workspace: int) -> Published:
    row = connection.one("freshness", {"workspace": workspace})
    assert row is not None, "a workspace is never removed"
    return Published(*row)


def noun(row: Row) -> Proposal:
    values = list(row)
    values[14] = tuple(Source(**one) for one in json.loads(row[14]))
    return Proposal(*values)
