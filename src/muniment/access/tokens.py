"""Tokens: what proves who acts. A token is shown once, when it is made; the store keeps only its hash.

Every token acts as a principal, which is made with its first token. No token acts as the owner unless that was asked for,
and none does more than the profile of its principal allows now.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from muniment.access import events, limits, minting, principals, walls
from muniment.access.events import SYSTEM, Actor
from muniment.access.limits import Limits
from muniment.access.walls import Names, Wall
from muniment.access.zones import LIFETIME_MS_MAX
from muniment.errors import InvalidInput, NotFound
from muniment.model import ids
from muniment.model.access import DATA_CLASSES, LEVEL_SCOPES, LOCAL, DataClass, Grant, WriteMode, Zone
from muniment.model.times import DAY_MS, HOUR_MS, MINUTE_MS
from muniment.store.connections import Connection, Row
from muniment.text import plain

PREFIX = "mun_"
LABEL_LENGTH_MAX = 200
UNITS_MS = {"m": MINUTE_MS, "h": HOUR_MS, "d": DAY_MS, "w": 7 * DAY_MS}
LIFETIME_DAYS_MAX = 3650
# How exactly the last use of a token is known.
USE_MS = MINUTE_MS


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token to make. It acts as `principal`, by default one that is called like the label; who is not there yet is made.

    `read` and `write` name workspaces (None: all); without `write` it may write where it may read. A token for one workspace
    has that one as its current one. Without `classes` it sees those of its level. `expires_at`: Unix milliseconds, None: never;
    what is not trusted ends by itself after the most that its zone allows.
    """

    label: str
    level: str
    principal: str | None = None
    read: Iterable[str] | None = None
    write: Iterable[str] | None = None
    default_workspace: str | None = None
    expires_at: int | None = None
    zone: Zone = "trusted"
    classes: Iterable[DataClass] | None = None
    write_mode: WriteMode = "direct"

    @property
    def limits(self) -> Limits:
        """What it asks for. Raises InvalidInput for a level or anything else that is none."""
        return limits.of_level(self.level, self.read, self.write, self.classes, self.zone, self.write_mode)


@dataclass(frozen=True, slots=True)
class Maker:
    """Who makes a token over a server: the numbers of a principal, and of the OAuth grant it works by. It ends with either."""

    principal: int | None = None
    grant: int | None = None


# At the command line nobody's authority is lent, and what is made there ends by itself.
NOBODY = Maker()


@dataclass(frozen=True, slots=True)
class Token:
    """A token as its owner sees it, without the secret. Times are Unix milliseconds; `read` and `write` None: all."""

    ref: str
    principal: str
    label: str
    scopes: frozenset[str]
    read: Wall
    write: Wall
    default_workspace: str | None
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    zone: Zone = "trusted"
    classes: frozenset[DataClass] = DATA_CLASSES
    write_mode: WriteMode = "direct"
    used_at: int | None = None

    def valid(self, now: int) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)

    @property
    def limits(self) -> Limits:
        return Limits(self.scopes, self.read, self.write, self.classes, self.zone, self.write_mode)


def mint(entropy: Callable[[int], bytes] = os.urandom) -> tuple[str, str]:
    """A new secret and the hash it is found by."""
    return minting.mint(PREFIX, entropy)


def find(connection: Connection, token: str, now: int) -> Grant | None:
    """What the bearer of a token may do; None when it is unknown, expired or revoked, or its profile or grant has ended.

    For one that was made over a server, also those of who made it.
    """
    if not minting.shaped(PREFIX, token):
        return None
    # The lookup compares hashes, so its time says nothing about a token.
    row = connection.one("token_by_hash", {"hash": minting.hashed(token), "now": now})
    if row is None:
        return None
    names = Names(connection, (*row[4:7], *row[13:15]))
    grant = Grant(
        principal=row[1],
        principal_name=row[2],
        scopes=frozenset(row[3].split()),
        read=names.wall(row[4]),
        write=names.wall(row[5]),
        default_workspace=names.one(row[6]),
        client=row[7] or None,
        token=row[0],
        zone=row[8],
        classes=frozenset(row[9].split()),
        write_mode=row[10],
    )
    return limits.narrowed(grant, _most(row[11:], names)) if row[11] is not None else grant


def _most(row: Row, names: Names) -> Limits:
    """What the profile of a token's principal allows."""
    level, zone, read, write, classes, mode = row
    return Limits(LEVEL_SCOPES[level], names.wall(read), names.wall(write), frozenset(classes.split()), zone, mode)


def used(connection: Connection, token: int, now: int) -> None:
    """Note that a token was used, and the grant it came from; at most once in USE_MS."""
    values = {"token": token, "now": now, "before": now - USE_MS}
    connection.run("token_used", values)
    connection.run("token_grant_used", values)


def maker(connection: Connection, token: int | None) -> Maker:
    """Whose is what the bearer of this token makes."""
    row = connection.one("token_maker", {"token": token}) if token is not None else None
    return Maker(row[0], row[1]) if row else NOBODY


def add(
    connection: Connection,
    new: NewToken,
    *,
    uid: str,
    now: int,
    by: Maker = NOBODY,
    actor: Actor = SYSTEM,
    entropy: Callable[[int], bytes] = os.urandom,
) -> str:
    """Make a token and answer its secret, which nobody can show again. Raises InvalidInput for what is none of its limits, and
    UnknownWorkspace for a name that is none's."""
    if len(new.label) > LABEL_LENGTH_MAX:
        raise InvalidInput(f"The label is longer than {LABEL_LENGTH_MAX} characters.")
    asked = new.limits
    current = new.default_workspace or walls.only(asked.read, asked.write)
    if current is not None and not walls.within(current, asked.read):
        raise walls.absent(current)
    numbers = walls.numbers(connection, walls.named(asked.read, asked.write, frozenset({current} if current else ())))
    name = principal_named(new.label, new.principal)
    secret, key = mint(entropy)
    connection.run(
        "token_add",
        {
            "uid": uid,
            "principal": principals.made(connection, name, new.level, now, entropy=entropy),
            "hash": key,
            "label": new.label,
            "scopes": " ".join(sorted(asked.scopes)),
            "read": walls.held(asked.read, numbers),
            "write": walls.held(asked.write, numbers),
            "default_workspace": numbers[current] if current else None,
            "now": now,
            "expires_at": end_of(new.zone, now, new.expires_at),
            "zone": asked.zone,
            "classes": " ".join(sorted(asked.classes)),
            "mode": asked.write_mode,
            "made_by": by.principal,
            "made_by_grant": by.grant,
        },
    )
    events.enter(connection, actor, "token_made", events.token(connection, uid), now, {"level": new.level}, entropy=entropy)
    return secret


def lifetime(text: str) -> int:
    """`30d` in milliseconds. Raises InvalidInput."""
    match = re.fullmatch(r"(\d{1,6})([mhdw])", text.strip().lower())
    span = int(match[1]) * UNITS_MS[match[2]] if match else 0
    if not 0 < span <= LIFETIME_DAYS_MAX * DAY_MS:
        raise InvalidInput(f"{text!r} is no lifetime.", "Write a number and m, h, d or w, such as 30d; ten years are the most.")
    return span


def end_of(zone: Zone, now: int, asked: int | None) -> int | None:
    """When a token of a zone ends; None: never. Raises InvalidInput for one that would last too long."""
    most = LIFETIME_MS_MAX.get(zone)
    if most is None:
        return asked
    if asked is not None and asked - now > most:
        raise InvalidInput(f"A token of the zone {zone} may last {most // DAY_MS} days at most.", "Let it end earlier.")
    return now + most if asked is None else asked


def principal_named(label: str, principal: str | None) -> str:
    """Whom a token of this label acts as. Raises InvalidInput for a name that nobody may take."""
    if principal is None and " ".join(plain.clean(label).split()).casefold() == LOCAL:
        advice = f"Choose another label, or name the principal {LOCAL} if the token is to act as this machine's owner."
        raise InvalidInput(f"{LOCAL!r} is the principal of this machine.", advice)
    return principals.named(label if principal is None else principal)


def revoke(connection: Connection, ref: str, now: int, *, actor: Actor = SYSTEM) -> None:
    """End a token at once. Raises NotFound for one that is not there or has ended already."""
    parsed = ids.parse(ref)
    if parsed is None or connection.one("token_revoke", {"uid": parsed[1], "now": now}) is None:
        raise NotFound(f"There is no token {ref!r} to revoke.", "List them with `muniment token list`.")
    events.tokens_ended(connection, actor, (parsed[1],), now)


def rotate(
    connection: Connection,
    ref: str,
    now: int,
    *,
    by: Maker = NOBODY,
    actor: Actor = SYSTEM,
    entropy: Callable[[int], bytes] = os.urandom,
) -> str:
    """Give a token another secret and answer it; the one before ends at once. Raises NotFound for a token that has ended.

    It ends with whom it ended with before, and, as a new one would, with who is shown the new secret.
    """
    parsed = ids.parse(ref)
    secret, key = mint(entropy)
    values = {"hash": key, "now": now, "made_by": by.principal, "made_by_grant": by.grant}
    if parsed is None or connection.one("token_rotate", values | {"uid": parsed[1]}) is None:
        raise NotFound(f"There is no token {ref!r} to rotate.", "List them with `muniment token list`.")
    events.enter(connection, actor, "token_rotated", events.token(connection, parsed[1]), now, entropy=entropy)
    return secret


def listing(connection: Connection) -> list[Token]:
    """Every token that was made by hand, oldest first, ended ones too. Those of OAuth belong to their grants."""
    rows = connection.all("tokens")
    names = Names(connection, [held for row in rows for held in row[4:7]])
    return [
        Token(
            ref=f"k_{row[0]}",
            principal=row[1],
            label=row[2],
            scopes=frozenset(row[3].split()),
            read=names.wall(row[4]),
            write=names.wall(row[5]),
            default_workspace=names.one(row[6]),
            created_at=row[7],
            expires_at=row[8],
            revoked_at=row[9],
            zone=row[10],
            classes=frozenset(row[11].split()),
            write_mode=row[12],
            used_at=row[13],
        )
        for row in rows
    ]
