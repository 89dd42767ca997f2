"""Records as rows. Every reading statement selects the same columns, so one function makes the noun."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from muniment.model.records import Label, Record
from muniment.model.times import Moment
from muniment.store.connections import Connection, Row


@dataclass(frozen=True, slots=True)
class Known:
    """A record that has the fingerprint of something on its way in."""

    id: int
    uid: str
    text: str
    state: str
    version: int
    speaker: str | None


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
    rows = connection.all("records_by_fingerprint", {"workspace": workspace, "fingerprints": json.dumps(list(fingerprints))})
    return {row[0]: Known(*row[1:]) for row in rows}


def labels(connection: Connection, workspace: int, record: int) -> tuple[Label, ...]:
    rows = connection.all("labels_of", {"workspace": workspace, "record": record})
    return tuple(Label(sort, value) for sort, value in rows)


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
    )
