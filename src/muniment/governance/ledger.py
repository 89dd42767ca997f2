"""The ledger: every change is one row, written in the transaction of the change and chained to the row before it.

A row never holds a text, only hashes of it. Each workspace has its own chain.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from muniment.context import Context
from muniment.store import workspaces
from muniment.store.connections import Connection

ROOT = "0" * 64
PAGE = 1000
# What a row's hash covers. Reasons are people's words and stay outside, so that they can be forgotten.
CHAINED = (
    "seq", "uid", "kind", "targets", "before_hash", "after_hash", "inverse", "principal", "token", "client", "at", "previous",
)  # fmt: skip


def enter(
    context: Context,
    connection: Connection,
    workspace: int,
    kind: str,
    *,
    targets: dict[str, object],
    before: str | None = None,
    after: str | None = None,
    inverse: dict[str, object] | None = None,
    reason: str | None = None,
) -> int:
    """Write one action and answer its number. `before` and `after` are content hashes."""
    seq = workspaces.take(connection, workspace, actions=1).actions
    row = connection.one("action_hash", {"workspace": workspace, "seq": seq - 1})
    previous = row[0] if row else ROOT
    values = {
        "workspace": workspace,
        "seq": seq,
        "uid": context.uid(),
        "kind": kind,
        "targets": json.dumps(targets, sort_keys=True, ensure_ascii=False),
        "before_hash": before,
        "after_hash": after,
        "inverse": json.dumps(inverse, sort_keys=True) if inverse else None,
        "reason": reason,
        "principal": context.grant.principal,
        "token": context.grant.token,
        "client": context.grant.client,
        "at": context.now(),
        "previous": previous,
    }
    connection.run("action_add", values | {"hash": _link(values)})
    return seq


def broken(connection: Connection, workspace: int) -> int | None:
    """The number of the first action that is missing, or whose hash does not follow from the one before it; or None."""
    previous, after = ROOT, 0
    while rows := connection.all("actions", {"workspace": workspace, "after": after, "limit": PAGE}):
        for row in rows:
            values = dict(zip(CHAINED, row, strict=False))
            digest = row[len(CHAINED)]
            if values["seq"] != after + 1 or values["previous"] != previous or digest != _link(values):
                return int(after + 1 if values["seq"] > after + 1 else values["seq"])
            previous, after = digest, values["seq"]
    counted = connection.one("actions_count", {"workspace": workspace})
    return after + 1 if counted and counted[0] > after else None


def content_hash(parts: Iterable[str]) -> str:
    """One hash of several texts, in order."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode())
        digest.update(b"\x00")
    return digest.hexdigest()


def _link(values: dict[str, object]) -> str:
    return hashlib.sha256(json.dumps([values[name] for name in CHAINED], ensure_ascii=False).encode()).hexdigest()
