"""Conflicts as rows: the slot that is in question, the records that state its values, and the steps that settle it.

A conflict changes only by comparing and setting its revision; of one slot at most one conflict waits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from muniment.errors import StaleConflict
from muniment.store import numbers
from muniment.store.connections import Connection, Row

WAITING = ("open", "applying")


@dataclass(frozen=True, slots=True)
class Conflict:
    """`slot` is the key under which values are compared; `decider` and what follows are there once it was judged."""

    workspace: int
    id: int
    uid: str
    slot: str
    subject: str
    attribute: str
    qualifier: str
    status: str
    revision: int
    detector: int
    fingerprint: str
    chosen: str | None = None
    resolution: int | None = None
    resolution_version: int | None = None
    decider: str | None = None
    reason: str | None = None
    plan: int = 0
    opened_at: int = 0

    @property
    def ref(self) -> str:
        return f"c_{self.uid}"


@dataclass(frozen=True, slots=True)
class Member:
    """A version of a record with the words by which it states a value: `quote == text[starts:ends]`."""

    record: int
    version: int
    value_norm: str
    value: str
    quote: str
    starts: int
    ends: int


@dataclass(frozen=True, slots=True)
class Step:
    """What a plan does with one member."""

    plan: int
    number: int
    record: int
    op: str
    expected_version: int
    state: str
    result_version: int | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """What a value is a value of: the key, and its parts as people read them."""

    key: str
    subject: str
    attribute: str
    qualifier: str


def add(connection: Connection, workspace: int, uid: str, slot: Slot, fingerprint: str, detector: int, at: int) -> Conflict:
    """A new open conflict. The caller holds the workspace and has looked that none waits for this slot."""
    values = {"workspace": workspace, "id": numbers.take(connection, workspace), "uid": uid, "slot": slot.key}
    told = {"subject": slot.subject, "attribute": slot.attribute, "qualifier": slot.qualifier}
    connection.run("conflict_add", values | told | {"fingerprint": fingerprint, "detector": detector, "at": at})
    made = by_uid(connection, uid)
    assert made is not None, "it was stored a moment ago"
    return made


def by_uid(connection: Connection, uid: str) -> Conflict | None:
    row = connection.one("conflict_by_uid", {"uid": uid})
    return Conflict(*row) if row else None


def of_slot(connection: Connection, workspace: int, slot: str) -> Conflict | None:
    """The conflict of a slot that waits."""
    row = connection.one("conflict_of_slot", {"workspace": workspace, "slot": slot})
    return Conflict(*row) if row else None


def listed(
    connection: Connection, workspace: int, states: tuple[str, str], limit: int, before: int = numbers.NEWEST
) -> list[Conflict]:
    """Newest first."""
    values = {"workspace": workspace, "one": states[0], "other": states[1], "before": before, "limit": limit}
    return [Conflict(*row) for row in connection.all("conflicts_listed", values)]


def around(connection: Connection, workspace: int, record: int) -> list[Conflict]:
    """The conflicts that wait and have this record as a member."""
    return [Conflict(*row) for row in connection.all("conflicts_around", {"workspace": workspace, "record": record})]


def counts(connection: Connection, workspace: int) -> dict[str, int]:
    return dict(connection.all("conflict_counts", {"workspace": workspace}))


def put(connection: Connection, conflict: Conflict, at: int) -> Conflict:
    """Set what may change about a conflict, and raise its revision. Raises StaleConflict when somebody else was first."""
    values = asdict(conflict)
    names = ("workspace", "id", "revision", "status", "fingerprint", "chosen", "resolution", "resolution_version", "decider")
    kept = {name: values[name] for name in (*names, "reason", "plan")}
    if connection.one("conflict_set", kept | {"at": at}) is None:
        raise StaleConflict(f"{conflict.ref} was changed a moment ago.")
    changed = by_uid(connection, conflict.uid)
    assert changed is not None, "a conflict is never removed while it is held"
    return changed


def members(connection: Connection, conflict: Conflict) -> list[Member]:
    rows = connection.all("members_of", {"workspace": conflict.workspace, "conflict": conflict.id})
    return [Member(*row) for row in rows]


def put_members(connection: Connection, conflict: Conflict, joined: Iterable[Member]) -> None:
    """Add members, or bring those that are there up to date."""
    where = {"workspace": conflict.workspace, "conflict": conflict.id}
    for member in joined:
        connection.run("member_put", where | asdict(member))


def drop_members(connection: Connection, conflict: Conflict, gone: Iterable[Member]) -> None:
    where = {"workspace": conflict.workspace, "conflict": conflict.id}
    for member in gone:
        connection.run("member_drop", where | {"record": member.record, "value_norm": member.value_norm})


def settled(connection: Connection, workspace: int, slot: str, detector: int) -> list[frozenset[tuple[int, int, str]]]:
    """Of each conflict of this slot that was found to be none: who stood in it, as (record, version, value)."""
    groups: dict[int, set[tuple[int, int, str]]] = {}
    values = {"workspace": workspace, "slot": slot, "detector": detector}
    for conflict, record, version, value in connection.all("members_settled", values):
        groups.setdefault(conflict, set()).add((record, version, value))
    return [frozenset(group) for group in groups.values()]


def fingerprint_taken(connection: Connection, workspace: int, slot: str, fingerprint: str) -> bool:
    values = {"workspace": workspace, "slot": slot, "fingerprint": fingerprint}
    return connection.one("fingerprint_taken", values) is not None


def steps(connection: Connection, conflict: Conflict) -> list[Step]:
    """The steps of every plan, oldest plan first."""
    rows: list[Row] = connection.all("steps_of", {"workspace": conflict.workspace, "conflict": conflict.id})
    return [Step(*row) for row in rows]


def add_steps(connection: Connection, conflict: Conflict, planned: Iterable[Step]) -> None:
    names = ("plan", "number", "record", "op", "expected_version", "state", "result_version")
    where = {"workspace": conflict.workspace, "conflict": conflict.id}
    connection.many("step_add", [where | {name: getattr(step, name) for name in names} for step in planned])


def set_step(connection: Connection, conflict: Conflict, step: Step) -> None:
    values = {"workspace": conflict.workspace, "conflict": conflict.id, "plan": step.plan, "number": step.number}
    connection.run("step_set", values | {"state": step.state, "result_version": step.result_version, "error": step.error})
