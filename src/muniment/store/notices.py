"""Notices as rows: what is to be told, once, to somebody who may see it. A notice holds a ref and no words."""

from __future__ import annotations

from dataclasses import dataclass

from muniment.store import numbers
from muniment.store.connections import Connection

# States that something may be told from, and those of what nobody has dealt with.
PENDING = ("pending", "pending")
UNSETTLED = ("pending", "delivered")


@dataclass(frozen=True, slots=True)
class Notice:
    workspace: int
    id: int
    uid: str
    sort: str
    severity: int
    about: str
    state: str
    at: int

    @property
    def ref(self) -> str:
        return f"n_{self.uid}"


def add(connection: Connection, workspace: int, uid: str, sort: str, severity: int, about: str, dedupe: str, at: int) -> None:
    """Put a notice down, unless the same was put down before. The caller holds the workspace."""
    values = {"workspace": workspace, "id": numbers.take(connection, workspace), "uid": uid, "sort": sort}
    connection.run("notice_add", values | {"severity": severity, "ref": about, "dedupe": dedupe, "at": at})


def waits(connection: Connection) -> bool:
    """Whether anything waits to be told in any workspace: the one question that every answer costs."""
    return connection.one("notice_waits") is not None


def next_of(connection: Connection, workspace: int) -> Notice | None:
    """What is told next: the gravest, then the oldest."""
    row = connection.one("notice_next", {"workspace": workspace})
    return Notice(*row) if row else None


def by_uid(connection: Connection, uid: str) -> Notice | None:
    row = connection.one("notice_by_uid", {"uid": uid})
    return Notice(*row) if row else None


def listed(connection: Connection, workspace: int, states: tuple[str, str], limit: int) -> list[Notice]:
    """Newest first."""
    values = {"workspace": workspace, "one": states[0], "other": states[1], "limit": limit}
    return [Notice(*row) for row in connection.all("notices_listed", values)]


def move(connection: Connection, notice: Notice, state: str, among: tuple[str, str], delivered_at: int | None = None) -> bool:
    """Whether the notice was still in one of these states, and is in the new one now."""
    values = {"workspace": notice.workspace, "id": notice.id, "state": state, "one": among[0], "other": among[1]}
    return connection.one("notice_set", values | {"delivered_at": delivered_at}) is not None


def settle(connection: Connection, workspace: int, about: str, state: str, among: tuple[str, str] = UNSETTLED) -> None:
    """Move every notice about one thing that is in one of these states to another: it was decided, or is no longer so."""
    values = {"workspace": workspace, "ref": about, "state": state, "one": among[0], "other": among[1]}
    connection.run("notices_settle", values)


def pending(connection: Connection, workspace: int) -> int:
    row = connection.one("notice_counts", {"workspace": workspace})
    return int(row[0]) if row else 0
