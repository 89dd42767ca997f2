"""The ledger: every change is one row, written in the transaction of the change and chained to the row before it.

A row never holds a text, only hashes of it. Each workspace has its own chain.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from muniment.context import Context
from muniment.store import workspaces
from muniment.store.connections import Connection

ROOT = "0" * 64
PAGE = 1000
SALT_BYTES = 16
# What a row's hash covers. Reasons are people's words and stay outside, so that they can be forgotten.
CHAINED = (
    "seq", "uid", "kind", "targets", "before_hash", "after_hash", "inverse", "principal", "token", "client", "at", "previous",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entered:
    """An action that was just written: its number in the workspace, and what the world calls it."""

    seq: int
    uid: str


def enter(
    context: Context,
    connection: Connection,
    workspace: int,
    kind: str,
    *,
    targets: dict[str, object],
    before: Sequence[str] | None = None,
    after: Sequence[str] | None = None,
    effects: str | None = None,
    reason: str | None = None,
    run: str | None = None,
) -> Entered:
    """Write one action. `before` and `after` are texts: only their salted hash is kept, and the salt dies with `forget`."""
    seq = workspaces.take(connection, workspace, actions=1).actions
    row = connection.one("action_hash", {"workspace": workspace, "seq": seq - 1})
    previous = row[0] if row else ROOT
    salt = context.entropy(SALT_BYTES).hex() if before or after else None
    values = {
        "workspace": workspace,
        "seq": seq,
        "uid": context.uid(),
        "kind": kind,
        "targets": json.dumps(targets, sort_keys=True, ensure_ascii=False),
        "before_hash": None if before is None else content_hash(before, salt or ""),
        "after_hash": None if after is None else content_hash(after, salt or ""),
        "inverse": effects,
        "reason": reason,
        "principal": context.grant.principal,
        "token": context.grant.token,
        "client": context.grant.client,
        "at": context.now(),
        "previous": previous,
        "salt": salt,
        "run": run,
    }
    connection.run("action_add", values | {"hash": _link(values)})
    return Entered(seq, str(values["uid"]))


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


def content_hash(parts: Iterable[str], salt: str = "") -> str:
    """One hash of several texts, in order."""
    digest = hashlib.sha256(salt.encode())
    for part in parts:
        digest.update(part.encode())
        digest.update(b"\x00")
    return digest.hexdigest()


def _link(values: dict[str, object]) -> str:
    return hashlib.sha256(json.dumps([values[name] for name in CHAINED], ensure_ascii=False).encode()).hexdigest()
