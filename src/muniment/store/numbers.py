"""Numbers for what a workspace holds beside its records: links, claims, conflicts, proposals. None is given twice."""

from __future__ import annotations

from muniment.store.connections import Connection

# Beyond every number and time there is: a list that begins at the newest goes on before this.
NEWEST = 2**53


def take(connection: Connection, workspace: int, count: int = 1) -> int:
    """Reserve `count` numbers and answer the first. Holds the workspace until the transaction ends."""
    row = connection.one("numbers_take", {"workspace": workspace, "count": count})
    assert row is not None, "a workspace is never removed"
    return int(row[0]) - count + 1
