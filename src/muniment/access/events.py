"""The access log: who gave, changed and ended what authority, and by which door. A row is written with what it tells of.

It is one chain for the whole store and is only added to. A row holds refs, numbers and limits, never a secret; what somebody
called a thing stands beside the chain, which holds a salted hash of it, so that the name can be forgotten and the chain stays.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from muniment.access import limits, walls
from muniment.access.limits import Limits
from muniment.access.walls import Names
from muniment.context import Context
from muniment.model.access import LEVEL_SCOPES, Door
from muniment.model.times import DAY_MS
from muniment.store.connections import Connection, Row

Kind = Literal[
    "token_made",
    "token_rotated",
    "token_ended",
    "profile_made",
    "profile_changed",
    "profile_ended",
    "passphrase_set",
    "client_registered",
    "grant_given",
    "grant_ended",
    "login_blocked",
    "principal_forgotten",
]
# Behind `client` speaks a program at the endpoints of OAuth, behind `login` whoever fills in the form; `settings` is the start
# of a server that reads its profiles, and `system` what nobody asked for.
By = Door | Literal["client", "login", "settings", "system"]

ROOT = "0" * 64
PAGE = 1000
SALT_BYTES = 16
# Of what strangers can do at the door, so many rows a day: the log never ends, and they must not fill it.
STRANGERS_A_DAY_MAX = 200
BLANKED = "blanked"
# How a row holds limits.
HELD = ("scopes", "read", "write", "classes", "zone", "mode")
# What a row's hash covers.
CHAINED = (
    "seq", "at", "kind", "door", "principal", "via", "subject", "target", "detail", "name_hash", "previous",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: the number of a principal, None for nobody in particular, the door, and the number of its token.

    `program`: what another issuer, or where that is silent the client itself, calls the client that acts: its token has no
    number here.
    """

    principal: int | None = None
    door: By = "system"
    token: int | None = None
    program: str | None = None


CLIENT = Actor(door="client")
LOGIN = Actor(door="login")
SETTINGS = Actor(door="settings")
SYSTEM = Actor()


@dataclass(frozen=True, slots=True)
class Subject:
    """What an event is about. `principal` is whose authority it is, `ref` names the thing, `limits` what it may do or might."""

    principal: int | None = None
    ref: str | None = None
    name: str | None = None
    limits: Limits | None = None
    expires_at: int | None = None
    client: str | None = None  # the id of the client that it was given to


@dataclass(frozen=True, slots=True)
class Event:
    """A row as it is read. Names are those that principals have now; `before` is what a profile was allowed before."""

    seq: int
    at: int
    kind: str
    door: str
    by: str | None
    via: str | None
    principal: str | None
    target: str | None
    name: str | None
    limits: Limits | None
    before: Limits | None
    told: dict[str, Any]


def actor(context: Context) -> Actor:
    """Whoever asks, as the log names them."""
    grant = context.grant
    return Actor(grant.principal, context.door, grant.token, grant.client if grant.foreign_until is not None else None)


def enter(
    connection: Connection,
    by: Actor,
    kind: Kind,
    subject: Subject,
    now: int,
    told: Mapping[str, object] | None = None,
    *,
    before: Limits | None = None,
    entropy: Callable[[int], bytes] = os.urandom,
) -> None:
    """Write one event, as the last thing of its transaction: others who write one wait for the end of it.

    `told` holds what else is to be known: a level, a reason of ours, an address; never what somebody keeps to themselves.
    """
    detail = {name: value for name, value in (told or {}).items() if value is not None}
    if subject.limits is not None:
        detail["limits"] = _held(connection, subject.limits)
    if before is not None:
        detail["before"] = _held(connection, before)
    detail |= {name: value for name in ("expires_at", "client") if (value := getattr(subject, name)) is not None}
    if by.program is not None:
        detail["program"] = by.program
    row = connection.one("access_event_count")
    assert row is not None, "the statement makes a row that is not there"
    seq = int(row[0])
    last = connection.one("access_event_hash", {"seq": seq - 1})
    salt = entropy(SALT_BYTES).hex() if subject.name is not None else None
    values: dict[str, Any] = {
        "seq": seq,
        "at": now,
        "kind": kind,
        "door": by.door,
        "principal": by.principal,
        "via": _via(connection, by.token),
        "subject": subject.principal,
        "target": subject.ref,
        "detail": json.dumps(detail, sort_keys=True, ensure_ascii=False),
        "name": subject.name,
        "salt": salt,
        "name_hash": None if subject.name is None else _name_hash(salt or "", subject.name),
        "previous": last[0] if last else ROOT,
    }
    connection.run("access_event_add", values | {"hash": _link(values)})


def enter_stranger(
    connection: Connection, by: Actor, kind: Kind, subject: Subject, now: int, told: Mapping[str, object]
) -> None:
    """Write an event that anybody can bring about, unless enough of its kind were written on this day."""
    row = connection.one("access_events_lately", {"kind": kind, "since": now - DAY_MS})
    if row is not None and row[0] < STRANGERS_A_DAY_MAX:
        enter(connection, by, kind, subject, now, told)


def token(connection: Connection, uid: str) -> Subject:
    """A token as events tell of it."""
    row = connection.one("access_token", {"uid": uid})
    assert row is not None, "a token stays when it ends"
    return Subject(row[1], f"k_{uid}", row[2], _own(row[3:9], Names(connection, row[4:6])), row[9])


def grant(connection: Connection, number: int) -> Subject:
    """A grant as events tell of it, as far as its profile lets it reach, ended or not."""
    row = connection.one("access_grant", {"id": number})
    assert row is not None, "a grant stays when it ends"
    names = Names(connection, (*row[4:6], *row[11:13]))
    zone, mode, client, level, *rest = row[7:]
    most = _own((" ".join(LEVEL_SCOPES[level]), *rest, zone, mode), names)
    return Subject(row[1], f"o_{row[0]}", row[2], limits.meet(_own(row[3:9], names), most), client=client)


def tokens_ended(connection: Connection, by: Actor, uids: Iterable[str], now: int, why: str | None = None) -> None:
    for uid in uids:
        enter(connection, by, "token_ended", token(connection, uid), now, {"why": why})


def grants_ended(connection: Connection, by: Actor, numbers: Iterable[int], now: int, why: str) -> None:
    for number in numbers:
        enter(connection, by, "grant_ended", grant(connection, number), now, {"why": why})


def back(connection: Connection, *, before: int, since: int, who: int | None, limit: int) -> list[Event]:
    """The events before a number and not before a time (Unix ms), newest first; those by or about one principal."""
    values = {"before": before, "since": since, "who": who, "limit": limit}
    rows = connection.all("access_events_back", values)
    told = [json.loads(row[10]) for row in rows]
    held = [part[wall] for one in told for part in (one.get("limits"), one.get("before")) if part for wall in ("read", "write")]
    names = Names(connection, held)
    return [_event(row, one, names) for row, one in zip(rows, told, strict=True)]


def forget(connection: Connection, by: Actor, principal: int, now: int) -> None:
    """Take the names out of all that a principal did, and that was done about it; the last event tells which."""
    seqs = [int(seq) for (seq,) in connection.all("access_events_of", {"principal": principal})]
    connection.run("access_events_unname", {"principal": principal})
    enter(connection, by, "principal_forgotten", Subject(principal), now, {BLANKED: seqs})


def broken(connection: Connection) -> int | None:
    """The number of the first event that is missing, or is not as it was written; or None."""
    previous, after = ROOT, 0
    allowed = _blanked(connection)
    for row in _all(connection):
        values = dict(zip(CHAINED, row, strict=False))
        link, name, salt = row[len(CHAINED) :]
        if values["seq"] != after + 1:
            return after + 1
        named = _named(values, name, salt) or (name is None and values["seq"] in allowed)
        if values["previous"] != previous or link != _link(values) or not named:
            return int(values["seq"])
        previous, after = link, values["seq"]
    counted = connection.one("access_events_counted")
    return after + 1 if (counted[0] if counted else 0) != after else None


def _all(connection: Connection) -> Iterator[Row]:
    after = 0
    while rows := connection.all("access_events", {"after": after, "limit": PAGE}):
        yield from rows
        after = rows[-1][0]


def _blanked(connection: Connection) -> set[int]:
    told = (json.loads(detail) for (detail,) in connection.all("access_events_forgetting"))
    return {seq for one in told for seq in one.get(BLANKED, ())}


def _named(values: dict[str, Any], name: str | None, salt: str | None) -> bool:
    """Whether a name is the one that its row was written with."""
    if name is None:
        return values["name_hash"] is None
    return bool(values["name_hash"] == _name_hash(salt or "", name))


def _via(connection: Connection, token: int | None) -> str | None:
    row = connection.one("access_via", {"token": token}) if token is not None else None
    return (f"o_{row[1]}" if row[1] else f"k_{row[0]}") if row else None


def _own(row: Sequence[Any], names: Names) -> Limits:
    scopes, read, write, classes, zone, mode = row
    return Limits(frozenset(scopes.split()), names.wall(read), names.wall(write), frozenset(classes.split()), zone, mode)


def _held(connection: Connection, given: Limits) -> dict[str, object]:
    numbers = walls.numbers(connection, walls.named(given.read, given.write))
    return {
        "scopes": " ".join(sorted(given.scopes)),
        "read": walls.held(given.read, numbers),
        "write": walls.held(given.write, numbers),
        "classes": " ".join(sorted(given.classes)),
        "zone": given.zone,
        "mode": given.write_mode,
    }


def _event(row: Row, told: dict[str, Any], names: Names) -> Event:
    seq, at, kind, door, _, by, via, _, principal, target, _, name = row
    given, before = (_limits(told.pop(part, None), names) for part in ("limits", "before"))
    return Event(seq, at, kind, door, by, via, principal, target, name, given, before, told)


def _limits(held: dict[str, Any] | None, names: Names) -> Limits | None:
    return None if held is None else _own([held[name] for name in HELD], names)


def _name_hash(salt: str, name: str) -> str:
    return hashlib.sha256(f"{salt}{name}".encode()).hexdigest()


def _link(values: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps([values[name] for name in CHAINED], ensure_ascii=False).encode()).hexdigest()
