"""What whoever manages is shown of tokens, grants, profiles and the access log: never a secret.

Whoever has walls gets it through `veiled`, which leaves out the names of workspaces that they do not see.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from muniment.access.events import Event
from muniment.access.limits import Limits
from muniment.access.oauth.grants import Given
from muniment.access.profiles import Profile
from muniment.access.tokens import Token
from muniment.access.walls import Wall
from muniment.model.managing import EVERY, Allowed, EventSeen, GrantSeen, ProfileSeen, TokensAnswer, TokenSeen, Walls
from muniment.model.times import Moment

Walled = TypeVar("Walled", TokenSeen, GrantSeen, ProfileSeen, Allowed)
Placed = TypeVar("Placed", TokenSeen, GrantSeen)
# What an event tells in a field of its own.
FIELDS = ("level", "why", "client", "expires_at")


def veiled(answer: TokensAnswer, seen: frozenset[str]) -> TokensAnswer:
    """An answer that names no workspace but those in `seen`, not even where the reader's own walls do."""
    return replace(
        answer,
        tokens=tuple(_placed(_walled(one, seen), seen) for one in answer.tokens),
        grants=tuple(_placed(_walled(one, seen), seen) for one in answer.grants),
        profiles=tuple(_walled(one, seen) for one in answer.profiles),
        events=tuple(_happened(one, seen) for one in answer.events),
    )


def _walled(one: Walled, seen: frozenset[str]) -> Walled:
    read, write = (wall if wall == EVERY else tuple(slug for slug in wall if slug in seen) for wall in (one.read, one.write))
    return replace(one, read=read, write=write)


def _happened(one: EventSeen, seen: frozenset[str]) -> EventSeen:
    given, before = (held and _walled(held, seen) for held in (one.given, one.before))
    return replace(one, given=given, before=before)


def _placed(one: Placed, seen: frozenset[str]) -> Placed:
    return one if one.default_workspace in seen else replace(one, default_workspace=None)


def token(one: Token, now: int) -> TokenSeen:
    """A token at a time in Unix milliseconds."""
    return TokenSeen(
        ref=one.ref,
        name=one.label,
        principal=one.principal,
        scopes=tuple(sorted(one.scopes)),
        read=_wall(one.read),
        write=_wall(one.write),
        data_classes=tuple(sorted(one.classes)),
        zone=one.zone,
        write_mode=one.write_mode,
        valid=one.valid(now),
        created_at=Moment(one.created_at, 0).iso(),
        default_workspace=one.default_workspace,
        expires_at=_at(one.expires_at),
        used_at=_at(one.used_at),
    )


def grant(one: Given) -> GrantSeen:
    """What a person gave a client."""
    return GrantSeen(
        ref=one.ref,
        client=one.client,
        client_id=one.client_id,
        principal=one.principal_name,
        scopes=tuple(sorted(one.scopes)),
        read=_wall(one.read),
        write=_wall(one.write),
        data_classes=tuple(sorted(one.classes)),
        valid=one.revoked_at is None,
        created_at=Moment(one.created_at, 0).iso(),
        default_workspace=one.current,
        used_at=_at(one.used_at),
    )


def profile(one: Profile) -> ProfileSeen:
    """A profile, ended or not."""
    return ProfileSeen(
        name=one.name,
        level=one.level,
        read=_wall(one.read),
        write=_wall(one.write),
        data_classes=tuple(sorted(one.classes)),
        zone=one.zone,
        write_mode=one.write_mode,
        configured=one.configured,
        subject=one.subject,
        passphrase=one.passphrase,
        valid=one.ended_at is None,
        created_at=Moment(one.created_at, 0).iso(),
    )


def event(one: Event, via: Callable[[str], bool]) -> EventSeen:
    """A row of the access log. `via` says whether the token or grant that somebody acted with may be named."""
    told = one.told
    return EventSeen(
        number=one.seq,
        at=Moment(one.at, 0).iso(),
        kind=one.kind,
        door=one.door,
        by=one.by,
        via=one.via if one.via is not None and via(one.via) else None,
        principal=one.principal,
        target=one.target,
        name=one.name,
        level=told.get("level"),
        given=_allowed(one.limits),
        before=_allowed(one.before),
        expires_at=_at(told.get("expires_at")),
        why=told.get("why"),
        client_id=told.get("client"),
        told=tuple(f"{name}: {_plain(value)}" for name, value in sorted(told.items()) if name not in FIELDS),
    )


def _allowed(held: Limits | None) -> Allowed | None:
    if held is None:
        return None
    return Allowed(
        scopes=tuple(sorted(held.scopes)),
        read=_wall(held.read),
        write=_wall(held.write),
        data_classes=tuple(sorted(held.classes)),
        zone=held.zone,
        write_mode=held.write_mode,
    )


def _plain(value: Any) -> str:
    match value:
        case list():
            return " ".join(str(one) for one in value)
        case bool():
            return "yes" if value else "no"
    return str(value)


def _wall(wall: Wall) -> str | Walls:
    return EVERY if wall is None else tuple(sorted(wall))


def _at(ms: int | None) -> str | None:
    return None if ms is None else Moment(ms, 0).iso()
