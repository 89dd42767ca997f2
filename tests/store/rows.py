"""Rows that a test can store as they are."""

from __future__ import annotations

import zlib
from typing import Any

from muniment.model.ids import uid
from muniment.store import workspaces
from muniment.store.connections import Connection
from tests.stores import NOW


def fresh(number: int) -> str:
    return uid(NOW, number.to_bytes(10, "big"))


def add_workspace(connection: Connection, slug: str) -> int:
    workspaces.add(connection, uid=fresh(zlib.crc32(slug.encode())), slug=slug, name=slug, kind="project", root=None, now=NOW)
    found = workspaces.by_slug(connection, slug)
    assert found is not None
    return found.id


def add_principal(connection: Connection) -> int:
    connection.run("principal_add", {"uid": fresh(1), "name": "local", "kind": "person", "level": "admin", "now": NOW})
    row = connection.one("principal_by_name", {"name": "local"})
    assert row is not None
    return int(row[0])


def memory(workspace: int, number: int, principal: int = 1, /, **changed: Any) -> dict[str, Any]:
    """The values of a memory that can be stored as it is."""
    values: dict[str, Any] = dict.fromkeys(
        (
            "subject",
            "session",
            "seq",
            "speaker",
            "event_at",
            "event_zone",
            "external_id",
            "source_ref",
            "url",
            "client",
            "valid_from",
            "valid_to",
        )
    )
    values |= {
        "workspace": workspace,
        "id": number,
        "uid": fresh(workspace * 1_000_000 + number),
        "kind": "fact",
        "tier": "project-context",
    }
    values |= {
        "text": f"text {number}",
        "recorded_at": NOW,
        "fingerprint": f"f{number}",
        "source_type": "unknown",
        "origin": "own",
    }
    return values | {"trust": 0.7, "taint": 0, "principal": principal, "protection": "normal"} | changed


def session(place: int, number: int, name: str) -> dict[str, Any]:
    values: dict[str, Any] = {"workspace": place, "id": number, "uid": fresh(number), "external_id": name, "now": NOW}
    return values | {"title": None, "client": None, "cwd": None, "parent": None}
