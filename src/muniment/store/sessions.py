"""Sessions as rows. A session is found by the id its client gave it, inside one workspace."""

from __future__ import annotations

import json
from collections.abc import Iterable

from muniment.model.records import Session
from muniment.model.times import Moment
from muniment.store.connections import Connection, Row


def by_external(connection: Connection, workspace: int, external_id: str) -> Session | None:
    row = connection.one("session_by_external", {"workspace": workspace, "external_id": external_id})
    return noun(row) if row else None


def by_uid(connection: Connection, uid: str) -> Session | None:
    row = connection.one("session_by_uid", {"uid": uid})
    return noun(row) if row else None


def by_id(connection: Connection, workspace: int, ids: Iterable[int]) -> dict[int, Session]:
    rows = connection.all("sessions_by_id", {"workspace": workspace, "ids": json.dumps(list(ids))})
    return {row[1]: noun(row) for row in rows}


def turns(connection: Connection, workspace: int, ids: Iterable[int]) -> list[tuple[int, int]]:
    """Of sessions each turn, as the session's number and the record's."""
    rows = connection.all("turns_of_sessions", {"workspace": workspace, "ids": json.dumps(list(ids))})
    return [(session, record) for session, record in rows]


def recent(connection: Connection, workspace: int, limit: int) -> list[Session]:
    return [noun(row) for row in connection.all("sessions_recent", {"workspace": workspace, "limit": limit})]


def noun(row: Row) -> Session:
    return Session(
        workspace=row[0],
        id=row[1],
        uid=row[2],
        external_id=row[3],
        title=row[4],
        client=row[5],
        cwd=row[6],
        first=None if row[7] is None else Moment(row[7], 0),
        last=None if row[8] is None else Moment(row[8], 0),
        turns=row[9],
    )
