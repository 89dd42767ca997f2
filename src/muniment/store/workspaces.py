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


@dataclass(frozen=True, slots=True)
class Alias:
    """A name that leads to a workspace (`redirect`), or is not to be taken for it (`keep_separate`)."""

    name: str
    workspace: int
    decision: str


@dataclass(frozen=True, slots=True)
class Rooted:
    """A workspace with the folder of its project, and how the repository there is known."""

    workspace: int
    root: str
    repository: str | None


# Merges of merges that a name is followed through.
MERGES_MAX = 64


def all_of(connection: Connection) -> list[Workspace]:
    return [_noun(row) for row in connection.all("workspaces")]


def by_slug(connection: Connection, slug: str) -> Workspace | None:
    row = connection.one("workspace_by_slug", {"slug": slug})
    return _noun(row) if row else None


def by_uid(connection: Connection, uid: str) -> Workspace | None:
    row = connection.one("workspace_by_uid", {"uid": uid})
    return _noun(row) if row else None


def by_ids(connection: Connection, numbers: Iterable[int]) -> list[Workspace]:
    """Those of some numbers that are there, by slug."""
    return [_noun(row) for row in connection.all("workspaces_by_id", {"ids": json.dumps(sorted(numbers))})]


def by_slugs(connection: Connection, slugs: Iterable[str]) -> list[Workspace]:
    """Those of some names that are there, by slug."""
    return [_noun(row) for row in connection.all("workspaces_by_slug", {"slugs": json.dumps(sorted(slugs))})]


def led_to(connection: Connection, name: str, spelling: str) -> int | None:
    """The number of the workspace that a former name leads to, as it was written or as a slug; also that of a merged one."""
    row = connection.one("workspace_led_to", {"alias": name, "spelling": spelling})
    return final(connection, int(row[0])) if row else None


def final(connection: Connection, workspace: int) -> int:
    """Where the records of a workspace are that was merged into others; its own number where it was not."""
    for _ in range(MERGES_MAX):
        row = connection.one("workspace_merged_into", {"workspace": workspace})
        if row is None or row[0] is None:
            break
        workspace = int(row[0])
    return workspace


def kept_apart(connection: Connection, name: str) -> frozenset[int]:
    """The numbers of the workspaces that a name is not to be taken for."""
    return frozenset(row[0] for row in connection.all("workspaces_apart", {"alias": name}))


def aliases(connection: Connection) -> list[Alias]:
    """Every redirect and every decision to keep names apart, by name."""
    return [Alias(*row) for row in connection.all("workspace_aliases")]


def redirects(connection: Connection) -> list[tuple[str, int]]:
    """Every former name with the number of the workspace that it leads to today."""
    return [(one.name, final(connection, one.workspace)) for one in aliases(connection) if one.decision == "redirect"]


def add(connection: Connection, *, uid: str, slug: str, name: str, kind: str, root: str | None, now: int) -> None:
    """Make a workspace, unless its slug or root is taken."""
    connection.run("workspace_add", {"uid": uid, "slug": slug, "name": name, "kind": kind, "root": root, "now": now})


def rooted(connection: Connection) -> list[Rooted]:
    """Every workspace that a folder's project has, by number."""
    return [Rooted(*row) for row in connection.all("workspaces_rooted")]


def settle(connection: Connection, workspace: int, root: str, repository: str | None) -> None:
    """Say where the project of a workspace lies, and how its repository is known when it moves."""
    connection.run("workspace_settle", {"workspace": workspace, "root": root, "repository": repository})


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
