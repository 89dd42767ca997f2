"""Tokens: what proves who acts. A token is shown once, when it is made; the store keeps only its hash.

Every token acts as a principal, which is made with its first token. No token acts as the owner unless that was asked for.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from muniment.access.zones import LIFETIME_MS_MAX, ZONES
from muniment.errors import InvalidInput, NotFound, UnknownWorkspace
from muniment.model import ids
from muniment.model.access import DATA_CLASSES, LEVEL_SCOPES, LOCAL, DataClass, Grant, PrincipalKind, WriteMode, Zone
from muniment.store import workspaces
from muniment.store.connections import Connection
from muniment.text import plain

PREFIX = "mun_"
SECRET_BYTES = 32
LABEL_LENGTH_MAX = 200
PERSONS = frozenset({"owner", "admin"})
# Names that stand where a principal's may: of what decides without one, and of who was forgotten.
RESERVED = ("rule:", "model:", "forgotten-")
DAY_MS = 86_400_000
_SHAPE = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}")


@dataclass(frozen=True, slots=True)
class Token:
    """A token as its owner sees it, without the secret. Times are Unix milliseconds; `read` and `write` None: all."""

    ref: str
    principal: str
    label: str
    scopes: frozenset[str]
    read: frozenset[str] | None
    write: frozenset[str] | None
    default_workspace: str | None
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    zone: Zone = "trusted"
    classes: frozenset[DataClass] = DATA_CLASSES
    write_mode: WriteMode = "direct"

    def valid(self, now: int) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)


def mint(entropy: Callable[[int], bytes] = os.urandom) -> tuple[str, str]:
    """A new secret and the hash it is found by. 256 random bits need no slow hash."""
    token = PREFIX + base64.urlsafe_b64encode(entropy(SECRET_BYTES)).decode().rstrip("=")
    return token, hashed(token)


def hashed(token: str) -> str:
    """What the store holds. The lookup compares hashes, so its time says nothing about a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def find(connection: Connection, token: str, now: int) -> Grant | None:
    """What the bearer of a token may do; None when it is unknown, expired or revoked."""
    if not _SHAPE.fullmatch(token):
        return None
    row = connection.one("token_by_hash", {"hash": hashed(token), "now": now})
    if row is None:
        return None
    names = _Names(connection, (row[4], row[5], row[6]))
    return Grant(
        principal=row[1],
        principal_name=row[2],
        scopes=frozenset(row[3].split()),
        read=names.walls(row[4]),
        write=names.walls(row[5]),
        default_workspace=names.one(row[6]),
        client=row[7] or None,
        token=row[0],
        zone=row[8],
        classes=frozenset(row[9].split()),
        write_mode=row[10],
    )


def add(
    connection: Connection,
    *,
    uid: str,
    label: str,
    level: str,
    now: int,
    principal: str | None = None,
    read: Iterable[str] | None = None,
    write: Iterable[str] | None = None,
    default_workspace: str | None = None,
    expires_at: int | None = None,
    zone: Zone = "trusted",
    classes: Iterable[DataClass] = DATA_CLASSES,
    write_mode: WriteMode = "direct",
    entropy: Callable[[int], bytes] = os.urandom,
) -> str:
    """Make a token and answer its secret, which nobody can show again.

    It acts as `principal`, by default one that is called like the label; who is not there yet is made.
    `read` and `write` name workspaces; without `write` it may write where it may read. A token for one workspace
    has that one as its current one. What is not trusted ends: by itself after the most that its zone allows.
    Raises UnknownWorkspace for a name that is none's.
    """
    _sound(label, level, zone)
    ends = _end(zone, now, expires_at)
    readable = None if read is None else frozenset(read)
    writable = readable if write is None else frozenset(write)
    if writable is not None and readable is not None:
        readable |= writable
    own = readable if readable and len(readable) == 1 else writable
    name = principal_named(label, principal)
    named = (readable or frozenset()) | (writable or frozenset()) | ({default_workspace} if default_workspace else frozenset())
    numbers = _numbers(connection, named)
    current = default_workspace or (next(iter(own)) if own and len(own) == 1 else None)
    secret, key = mint(entropy)
    connection.run(
        "token_add",
        {
            "uid": uid,
            "principal": _principal(connection, name, level, now, entropy),
            "hash": key,
            "label": label,
            "scopes": " ".join(sorted(LEVEL_SCOPES[level])),
            "read": _text(readable, numbers),
            "write": _text(writable, numbers),
            "default_workspace": numbers[current] if current else None,
            "now": now,
            "expires_at": ends,
            "zone": zone,
            "classes": " ".join(sorted(classes)),
            "mode": write_mode,
        },
    )
    return secret


def _sound(label: str, level: str, zone: str) -> None:
    if level not in LEVEL_SCOPES:
        raise InvalidInput(f"There is no level {level!r}.", f"Choose from {', '.join(LEVEL_SCOPES)}.")
    if len(label) > LABEL_LENGTH_MAX:
        raise InvalidInput(f"The label is longer than {LABEL_LENGTH_MAX} characters.")
    if zone not in ZONES:
        raise InvalidInput(f"There is no trust zone {zone!r}.", f"Choose from {', '.join(ZONES)}.")


def _end(zone: Zone, now: int, asked: int | None) -> int | None:
    """When a token of a zone ends; None: never."""
    most = LIFETIME_MS_MAX.get(zone)
    if most is None:
        return asked
    if asked is not None and asked - now > most:
        raise InvalidInput(f"A token of the zone {zone} may last {most // DAY_MS} days at most.", "Let it end earlier.")
    return now + most if asked is None else asked


def principal_named(label: str, principal: str | None) -> str:
    """Whom a token of this label acts as. Raises InvalidInput for a name that nobody may take."""
    name = " ".join(plain.clean(label if principal is None else principal).split())
    if not name or len(name) > LABEL_LENGTH_MAX:
        raise InvalidInput(f"The name of a principal has 1 to {LABEL_LENGTH_MAX} characters.", "Name one with --principal.")
    if principal is None and name.casefold() == LOCAL:
        advice = f"Choose another label, or pass --principal {LOCAL} if the token is to act as this machine's owner."
        raise InvalidInput(f"{name!r} is the principal of this machine.", advice)
    if name != LOCAL and (name.casefold() == LOCAL or name.casefold().startswith(RESERVED)):
        raise InvalidInput(f"No principal may be called {name!r}.", "Choose another name, with --principal.")
    return name


def kind_of(level: str) -> PrincipalKind:
    """What a principal is taken for whose first token has this level."""
    return "person" if level in PERSONS else "agent"


def _principal(connection: Connection, name: str, level: str, now: int, entropy: Callable[[int], bytes]) -> int:
    """The number of a principal, which is made when there is none of that name."""
    made = {"uid": ids.uid(now, entropy(10)), "name": name, "kind": kind_of(level), "level": level, "now": now}
    connection.run("principal_add", made)
    row = connection.one("principal_by_name", {"name": name})
    assert row is not None, "it was made a moment ago"
    return int(row[0])


def revoke(connection: Connection, ref: str, now: int) -> None:
    """End a token at once. Raises NotFound for one that is not there or has ended already."""
    parsed = ids.parse(ref)
    if parsed is None or connection.one("token_revoke", {"uid": parsed[1], "now": now}) is None:
        raise NotFound(f"There is no token {ref!r} to revoke.", "List them with `muniment token list`.")


def listing(connection: Connection) -> list[Token]:
    """Every token, oldest first, ended ones too."""
    rows = connection.all("tokens")
    names = _Names(connection, [held for row in rows for held in row[4:7]])
    return [
        Token(
            ref=f"k_{row[0]}",
            principal=row[1],
            label=row[2],
            scopes=frozenset(row[3].split()),
            read=names.walls(row[4]),
            write=names.walls(row[5]),
            default_workspace=names.one(row[6]),
            created_at=row[7],
            expires_at=row[8],
            revoked_at=row[9],
            zone=row[10],
            classes=frozenset(row[11].split()),
            write_mode=row[12],
        )
        for row in rows
    ]


class _Names:
    """The slugs of workspaces that rows name by number. One that is archived is named by nobody."""

    def __init__(self, connection: Connection, held: Iterable[str | int | None]) -> None:
        numbers = {int(number) for one in held if one is not None for number in str(one).split()}
        found = workspaces.by_ids(connection, numbers) if numbers else []
        self._slugs = {place.id: place.slug for place in found if place.state != "archived"}

    def walls(self, held: str | None) -> frozenset[str] | None:
        """None: no wall at all."""
        return None if held is None else frozenset(self._slugs[int(one)] for one in held.split() if int(one) in self._slugs)

    def one(self, held: int | None) -> str | None:
        return None if held is None else self._slugs.get(held)


def _numbers(connection: Connection, slugs: frozenset[str]) -> dict[str, int]:
    found = {place.slug: place.id for place in workspaces.by_slugs(connection, slugs)} if slugs else {}
    if missing := sorted(slugs - found.keys()):
        raise UnknownWorkspace(f"There is no workspace {missing[0]!r}.", "`muniment workspace list` shows them.")
    return found


def _text(walls: frozenset[str] | None, numbers: Mapping[str, int]) -> str | None:
    return None if walls is None else " ".join(str(number) for number in sorted(numbers[slug] for slug in walls))
