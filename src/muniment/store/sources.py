"""Files of clients as rows: how far each was read, so that the next reading takes only what is new."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from muniment.store.connections import Connection


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a file was read. `position` is in bytes of its text; a larger `size` says that more is waiting there.

    `file_id` tells a replaced file from a grown one, `tail_hash` knows the line before `position` again.
    """

    workspace: int
    path: str
    client: str
    file_id: str
    size: int
    position: int
    tail_hash: str
    at: int


def get(connection: Connection, path: str) -> Mark | None:
    row = connection.one("source_get", {"path": path})
    return Mark(*row) if row else None


def put(connection: Connection, mark: Mark) -> None:
    connection.run("source_put", asdict(mark))


def behind(connection: Connection, since: int, limit: int) -> list[Mark]:
    """What is to be read on: files with more waiting, and those read at or after `since`; oldest first."""
    return [Mark(*row) for row in connection.all("sources_behind", {"since": since, "limit": limit})]
