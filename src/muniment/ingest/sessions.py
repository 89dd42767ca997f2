"""Sessions and speakers of turns on their way in: found, made, and learnt about. A title that came later wins."""

from __future__ import annotations

import json

from muniment.context import Context
from muniment.governance import ledger
from muniment.model.access import Workspace
from muniment.model.records import Session
from muniment.model.turns import SessionInfo
from muniment.store import sessions, workspaces
from muniment.store.connections import Connection


def speakers(connection: Connection, workspace: int, names: set[str]) -> dict[str, int]:
    """The numbers of speakers, giving new ones to new names."""
    asked = json.dumps(sorted(names))
    known: dict[str, int] = dict(connection.all("speakers_named", {"workspace": workspace, "names": asked}))
    new = sorted(names - known.keys())
    if new:
        last = workspaces.take(connection, workspace, speakers=len(new)).speakers
        for number, name in enumerate(new, last - len(new) + 1):
            connection.run("speaker_add", {"workspace": workspace, "id": number, "name": name})
            known[name] = number
    return known


def held(
    context: Context, connection: Connection, place: Workspace, name: str, info: SessionInfo | None, *, news: bool
) -> Session:
    """The session of that id, made when it is new; `news` says that `info` was not used yet."""
    found = sessions.by_external(connection, place.id, name)
    if found is not None:
        if news and info is not None:
            connection.one("session_learn", _told(found, place, info))
        return found
    number = workspaces.take(connection, place.id, sessions=1).sessions
    values = {"workspace": place.id, "id": number, "uid": context.uid(), "external_id": name, "now": context.now()}
    learnt = _learnt(info)
    connection.run("session_add", values | learnt | {"client": learnt["client"] or context.grant.client})
    made = sessions.by_external(connection, place.id, name)
    assert made is not None, "it was inserted one statement ago"
    return made


def learn(context: Context, place: Workspace, info: SessionInfo) -> None:
    """Note what is new about a session that is kept already; one row in the ledger says so."""
    with context.store.read() as connection:
        found = sessions.by_external(connection, place.id, info.external_id)
    if found is None or not _tells(found, info):
        return
    with context.store.write() as connection:
        workspaces.hold(connection, place.id)
        if connection.one("session_learn", _told(found, place, info)):
            after = [value or "" for value in _learnt(info).values()]
            ledger.enter(context, connection, place.id, "learn", targets={"session": found.uid}, after=after)


def _tells(found: Session, info: SessionInfo) -> bool:
    """Whether something may be new; only the store knows what it holds of the parent."""
    return bool(
        (info.title and info.title != found.title and not (info.title_guessed and found.title))
        or (info.client and not found.client)
        or (info.cwd and not found.cwd)
        or info.parent
    )


def _learnt(info: SessionInfo | None) -> dict[str, str | None]:
    if info is None:
        return {"title": None, "client": None, "cwd": None, "parent": None}
    return {"title": info.title, "client": info.client, "cwd": info.cwd, "parent": info.parent}


def _told(found: Session, place: Workspace, info: SessionInfo) -> dict[str, str | int | None]:
    return {"workspace": place.id, "id": found.id, "guessed": int(info.title_guessed), **_learnt(info)}
