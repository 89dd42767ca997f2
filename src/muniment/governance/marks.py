"""Marks of what was forgotten and must not come back by importing its file once more.

A mark is a hash of an id, never of a text: nobody finds out by it what was said. Nothing here loads numpy: hooks come this way.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable

from muniment.store.connections import Connection

# Ids of this shape are random, so nobody finds out by one what another workspace has forgotten.
UNGUESSABLE = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE)


# Set while the store's files may still hold bytes of something that was forgotten.
UNCLEAN = "unclean_since"


def of_session(external_id: str) -> str:
    """The mark of a conversation, by the id that its client gave it."""
    return hashlib.blake2b(f"session\x1f{external_id}".encode(), digest_size=16).hexdigest()


def keep_session(connection: Connection, workspace: int, external_id: str) -> None:
    """Mark a conversation; one with an id that nobody can guess comes back in no other workspace either."""
    everywhere = int(bool(UNGUESSABLE.search(external_id)))
    values = {"workspace": workspace, "mark": of_session(external_id), "everywhere": everywhere}
    connection.run("forgotten_add", values)


def keep_turns(connection: Connection, workspace: int, fingerprints: Iterable[str]) -> None:
    """Mark turns, by the fingerprints of their ids."""
    connection.many("forgotten_add", ({"workspace": workspace, "mark": mark, "everywhere": 0} for mark in fingerprints))


def any_kept(connection: Connection) -> bool:
    """Whether anything was ever forgotten; asked with every batch, so that the rest costs nothing where nothing was."""
    return connection.one("forgotten_any") is not None


def unclean_since(connection: Connection) -> int | None:
    """Since when (ms UTC) the files may hold bytes of something that was forgotten; None when they do not."""
    row = connection.one("meta_get", {"key": UNCLEAN})
    return int(row[0]) if row and row[0] else None


def unclean(connection: Connection, since: int | None) -> None:
    """Note that the files may, or do not any more."""
    connection.run("meta_set", {"key": UNCLEAN, "value": "" if since is None else str(since)})


def among(connection: Connection, workspace: int, asked: Iterable[str]) -> set[str]:
    """Which of these marks bar something from this workspace."""
    values = {"workspace": workspace, "marks": json.dumps(list(asked))}
    return {row[0] for row in connection.all("forgotten_among", values)}
