"""Workspaces as rows: finding one, making one, and reserving its numbers. Numbers are never given twice."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from muniment.model.access import Workspace
from muniment.store.connections import Connection, Row


@dataclass(frozen=True, slots=True)
class Numbers:
    """The last number of each counter after a reservation; `first(n)` of a run is `last - n + 1`."""

    records: int
    sessions: int
    speakers: int
    entities: int
    passages: int
    blocks: int
    actions: int
    stamp: int


def all_of(connection: Connection) -> list[Workspace]:
    return [_noun(row) for row in connection.all("workspaces")]


def by_slug(connection: Connection, slug: str) -> Workspace | None:
    row = connection.one("workspace_by_slug", {"slug": slug})
    return _noun(row) if row else None


def by_ids(connection: Connection, numbers: Iterable[int]) -> list[Workspace]:
    """Those of some numbers that are there, by slug."""
    return [_noun(row) for row in connection.all("workspaces_by_id", {"ids": json.dumps(sorted(numbers))})]


def by_slugs(connection: Connection, slugs: Iterable[str]) -> list[Workspace]:
    """Those of some names that are there, by slug."""
    return [_noun(row) for row in connection.all("workspaces_by_slug", {"slugs": json.dumps(sorted(slugs))})]


def by_root(connection: Connection, root: str) -> Workspace | None:
    row = connection.one("workspace_by_root", {"root": root})
    return _noun(row) if row else None


def add(connection: Connection, *, uid: str, slug: str, name: str, kind: str, root: str | None, now: int) -> None:
    """Make a workspace, unless its slug or root is taken."""
    connection.run("workspace_add", {"uid": uid, "slug": slug, "name": name, "kind": kind, "root": root, "now": now})


def take(connection: Connection, workspace: int, **wanted: int) -> Numbers:
    """Reserve numbers and hold the workspace until the transaction ends. Every call moves the workspace's stamp."""
    counters = ("records", "sessions", "speakers", "entities", "passages", "blocks", "actions")
    row = connection.one("workspace_take", {"workspace": workspace} | {name: wanted.get(name, 0) for name in counters})
    assert row is not None, "a workspace is never removed"
    return Numbers(*row)


def hold(connection: Connection, workspace: int) -> None:
    """Be the only writer of a workspace from here to the end of the transaction.

    Whoever reads before writing holds first: on PostgreSQL two writes run at once until they meet in a workspace.
    """
    connection.one("workspace_hold", {"workspace": workspace})


def hold_all(connection: Connection) -> None:
    """Be the only writer of the store: for what concerns every workspace, such as another embedder."""
    connection.all("workspaces_hold")


def stamp(connection: Connection, workspace: int) -> tuple[int, int]:
    """The change stamp and how many passages the workspace has had."""
    row = connection.one("workspace_stamp", {"workspace": workspace})
    assert row is not None, "a workspace is never removed"
    return row[0], row[1]


def _noun(row: Row) -> Workspace:
    return Workspace(*(*row[:9], bool(row[9])))
