"""Records as rows. Every reading statement selects the same columns, so one function makes the noun."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from muniment.model.records import Label, Link, Record
from muniment.model.times import Moment
from muniment.store.connections import Connection, Row
from muniment.text.labels import norm


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    """A record on its way in, with its numbers and its provenance."""

    workspace: int
    id: int
    uid: str
    kind: str
    tier: str
    text: str
    recorded_at: int
    fingerprint: str
    source_type: str
    trust: float
    principal: int
    client: str | None = None
    subject: str | None = None
    session: int | None = None
    seq: int | None = None
    speaker: int | None = None
    event: Moment | None = None
    external_id: str | None = None
    source_ref: str | None = None
    url: str | None = None
    origin: str = "own"
    taint: int = 0
    protection: str = "normal"
    valid_from: int | None = None
    valid_to: int | None = None

    def row(self) -> dict[str, object]:
        values: dict[str, object] = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "event"}
        event = self.event
        return values | {"event_at": event.ms if event else None, "event_zone": event.zone if event else None}

    def noun(self) -> Record:
        """A memory or document as it is once it is stored; a turn's speaker has a number here and a name there."""
        assert self.speaker is None, "what is said in a session is read back"
        same = set(Record.__dataclass_fields__) & set(self.__dataclass_fields__)
        values: dict[str, Any] = {name: getattr(self, name) for name in same}
        return Record(**values, state="active", version=1)


@dataclass(frozen=True, slots=True)
class Known:
    """A record that has the fingerprint of something on its way in."""

    id: int
    uid: str
    text: str
    state: str
    version: int
    speaker: str | None


def add(connection: Connection, new: Iterable[New]) -> None:
    """Store records. Their numbers were reserved with `workspaces.take`."""
    connection.many("record_add", (one.row() for one in new))


def by_uid(connection: Connection, uid: str) -> Record | None:
    row = connection.one("record_by_uid", {"uid": uid})
    return noun(row) if row else None


def by_id(connection: Connection, workspace: int, ids: Iterable[int]) -> dict[int, Record]:
    rows = connection.all("records_by_id", {"workspace": workspace, "ids": json.dumps(list(ids))})
    return {row[1]: noun(row) for row in rows}


def of_session(connection: Connection, workspace: int, session: int, first: int, last: int, limit: int) -> list[Record]:
    """Turns in spoken order, from place `first` to place `last`."""
    values = {"workspace": workspace, "session": session, "from": first, "to": last, "limit": limit}
    return [noun(row) for row in connection.all("records_of_session", values)]


def kept(connection: Connection, workspace: int, kind: str, limit: int) -> list[Record]:
    """Active memories or documents of one kind, newest first."""
    return [noun(row) for row in connection.all("records_kept", {"workspace": workspace, "kind": kind, "limit": limit})]


def known(connection: Connection, workspace: int, fingerprints: Iterable[str]) -> dict[str, Known]:
    """By fingerprint: the record that says exactly this; an active one before one that is not."""
    rows = connection.all("records_by_fingerprint", {"workspace": workspace, "fingerprints": json.dumps(list(fingerprints))})
    return {row[0]: Known(*row[1:]) for row in sorted(rows, key=lambda row: (row[4] == "active", row[1]))}


def known_as(connection: Connection, workspace: int, fingerprint: str) -> Known | None:
    """The record that says exactly this; an active one before one that is not."""
    return known(connection, workspace, [fingerprint]).get(fingerprint)


def labels(connection: Connection, workspace: int, record: int) -> tuple[Label, ...]:
    rows = connection.all("labels_of", {"workspace": workspace, "record": record})
    return tuple(Label(sort, value) for sort, value in rows)


def relabel(connection: Connection, workspace: int, record: int, labels: Iterable[Label]) -> None:
    """Give a record these labels and no others."""
    connection.run("labels_drop", {"workspace": workspace, "record": record})
    label(connection, workspace, record, labels)


def label(connection: Connection, workspace: int, record: int, labels: Iterable[Label]) -> None:
    named = {"workspace": workspace, "record": record}
    connection.many("label_add", (named | {"sort": one.sort, "norm": norm(one.value), "value": one.value} for one in labels))


def links(connection: Connection, workspace: int, records: Iterable[int]) -> list[Link]:
    """The links that stand, of any of these records, in both directions."""
    return [Link(*row) for row in connection.all("links_of", {"workspace": workspace, "ids": json.dumps(list(records))})]


def noun(row: Row) -> Record:
    return Record(
        workspace=row[0],
        id=row[1],
        uid=row[2],
        kind=row[3],
        tier=row[4],
        state=row[5],
        version=row[6],
        text=row[7],
        subject=row[8],
        session=row[9],
        seq=row[10],
        speaker=row[11],
        event=None if row[12] is None else Moment(row[12], row[13]),
        recorded_at=row[14],
        source_type=row[15],
        source_ref=row[16],
        url=row[17],
        origin=row[18],
        trust=row[19],
        taint=row[20],
        principal=row[21],
        client=row[22],
        protection=row[23],
        versions=row[24],
        valid_from=row[25],
        valid_to=row[26],
        retired_at=row[27],
        superseded_by=row[28],
        supersede_why=row[29],
        fingerprint=row[30],
    )


def kinds_of(connection: Connection, workspace: int, uids: Iterable[str]) -> dict[str, str]:
    """By uid: the kinds of the records of a workspace among these."""
    rows = connection.all("records_kinds", {"workspace": workspace, "uids": json.dumps(sorted(uids))})
    return {row[0]: row[1] for row in rows}
