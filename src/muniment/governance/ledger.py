"""The ledger: every change is one row, written in the transaction of the change and chained to the row before it.

A row never holds a text, only hashes of it. Each workspace has its own chain.

What is forgotten leaves the chain whole. A row of kind `forget` names, in its targets, the actions that were blanked for it:
they lost their reason, run and salt, and the effects that concerned what was forgotten. The chain covers none of that, so they
are verified like all others, only their effects are not. Where a blanked row also held something in the chain that could
tell of the forgotten (a hash without a salt, as the first Muniment wrote them, or a client that a forgotten principal had
named), its hashes are gone as well, and of it the chain proves its place alone. No row can be blanked unseen: that takes a
`forget` in the chain that names it.
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
# Where a row of kind `forget` names actions, as [first, last] pairs: those that were blanked for what is forgotten, and those
# of a forgotten principal, which lost their reason and client but not their effects.
BLANKED = "blanked"
UNSIGNED = "unsigned"
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
    allowed: set[int] | None = None
    while rows := connection.all("actions", {"workspace": workspace, "after": after, "limit": PAGE}):
        for row in rows:
            values = dict(zip(CHAINED, row, strict=False))
            digest = row[len(CHAINED)]
            if values["seq"] != after + 1 or values["previous"] != previous:
                return int(after + 1 if values["seq"] > after + 1 else values["seq"])
            if digest != _link(values):
                allowed = blanked(connection, workspace, UNSIGNED) if allowed is None else allowed
                bare = values["before_hash"] is None and values["after_hash"] is None
                if not bare or values["kind"] == "forget" or values["seq"] not in allowed:
                    return int(values["seq"])
            previous, after = digest, values["seq"]
    counted = connection.one("actions_count", {"workspace": workspace})
    return after + 1 if counted and counted[0] > after else None


def blanked(connection: Connection, workspace: int, *more: str) -> set[int]:
    """The numbers of the actions that were blanked because something they concerned was forgotten.

    `more` names what else is counted: UNSIGNED adds the actions of forgotten principals.
    """
    found: set[int] = set()
    for (targets,) in connection.all("actions_forgetting", {"workspace": workspace}):
        for first, last in (pair for name in (BLANKED, *more) for pair in json.loads(targets).get(name, ())):
            found.update(range(first, last + 1))
    return found


def ranges(numbers: Iterable[int]) -> list[list[int]]:
    """Numbers as [first, last] pairs, rising."""
    found: list[list[int]] = []
    for number in sorted(set(numbers)):
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


def content_hash(parts: Iterable[str], salt: str = "") -> str:
    """One hash of several texts, in order."""
    digest = hashlib.sha256(salt.encode())
    for part in parts:
        digest.update(part.encode())
        digest.update(b"\x00")
    return digest.hexdigest()


def _link(values: dict[str, object]) -> str:
    return hashlib.sha256(json.dumps([values[name] for name in CHAINED], ensure_ascii=False).encode()).hexdigest()
