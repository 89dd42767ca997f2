"""What a scan reads: whom to look at next, who may contradict whom, and how far it has come."""

from __future__ import annotations

from dataclasses import dataclass, replace

from muniment.store.connections import Connection


@dataclass(frozen=True, slots=True)
class Counters:
    """How far a workspace had counted at some moment; what came later has higher numbers."""

    actions: int
    numbers: int
    records: int


@dataclass(frozen=True, slots=True)
class Told:
    """What is claimed of a record at the version in force; `quote == text[starts:ends]` was so when it was written."""

    subject_norm: str
    subject: str
    attribute: str
    qualifier: str
    value: str
    value_norm: str
    polarity: int
    many: bool
    valid_from: int | None
    valid_to: int | None
    starts: int
    ends: int
    quote: str
    method: str


def counters(connection: Connection, workspace: int) -> Counters:
    row = connection.one("counters", {"workspace": workspace})
    assert row is not None, "a workspace is never removed"
    return Counters(*row)


def mark(connection: Connection, workspace: int, consumer: str) -> tuple[int, int] | None:
    """Where a consumer stands, and since when; None for one that never began."""
    row = connection.one("mark_get", {"workspace": workspace, "consumer": consumer})
    return (row[0], row[1]) if row else None


def set_mark(connection: Connection, workspace: int, consumer: str, seq: int, at: int) -> None:
    connection.run("mark_set", {"workspace": workspace, "consumer": consumer, "seq": seq, "at": at})


def changed_since(connection: Connection, workspace: int, then: Counters) -> bool:
    """Whether anything that a scan looks at has changed since."""
    values = {"actions": then.actions, "numbers": then.numbers, "records": then.records}
    row = connection.one("changed_since", {"workspace": workspace} | values)
    return bool(row and row[0])


def has_memories(connection: Connection, workspace: int) -> bool:
    return connection.one("memories_any", {"workspace": workspace}) is not None


def following(connection: Connection, workspace: int, after: int, limit: int) -> list[int]:
    """The next records to look at, by their numbers."""
    values = {"workspace": workspace, "after": after, "limit": limit}
    return [row[0] for row in connection.all("scan_next", values)]


def labelled_alike(connection: Connection, workspace: int, record: int, limit: int) -> list[int]:
    """Records that share a person or two topics."""
    rows = connection.all("labelled_alike", {"workspace": workspace, "record": record, "limit": limit})
    return [row[0] for row in rows]


def claimed_alike(connection: Connection, workspace: int, record: int, limit: int) -> set[int]:
    """Records that claim something of the same subject and attribute; at most `limit` for each slot."""
    found: set[int] = set()
    for subject, attribute, qualifier in connection.all("slots_claimed", {"workspace": workspace, "record": record}):
        slot = {"workspace": workspace, "subject": subject, "attribute": attribute, "qualifier": qualifier, "limit": limit}
        found.update(row[0] for row in connection.all("claimants", slot))
    return found - {record}


def told(connection: Connection, workspace: int, record: int) -> list[Told]:
    rows = connection.all("claims_told", {"workspace": workspace, "record": record})
    return [replace(Told(*row), many=bool(row[7])) for row in rows]


def job_waits(connection: Connection, workspace: int, job: str, first: int) -> bool:
    return connection.one("job_waits", {"workspace": workspace, "job": job, "first": first}) is not None
