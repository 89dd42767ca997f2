"""The access log as whoever manages is shown it: never a secret, nor the name of a workspace that they do not see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from muniment.access import policy
from muniment.access.events import Event
from muniment.access.limits import Limits
from muniment.access.walls import Wall
from muniment.context import Context
from muniment.model.managing import EVERY, Allowed, EventSeen, Walls
from muniment.model.times import Moment
from muniment.store import workspaces
from muniment.store.connections import Connection

# What an event tells in a field of its own.
FIELDS = ("level", "why", "client", "expires_at")


@dataclass(frozen=True, slots=True)
class Sight:
    """What somebody does not see: workspaces of classes that it lacks, whoever's walls name them."""

    hidden: frozenset[str] = frozenset()

    def wall(self, wall: Wall) -> str | Walls:
        return EVERY if wall is None else tuple(sorted(wall - self.hidden))


def of(context: Context, connection: Connection) -> Sight:
    """What a caller sees."""
    if not policy.walled(context.grant):
        return Sight()
    places = workspaces.all_of(connection)
    return Sight(frozenset(place.slug for place in places if not policy.visible(context.grant, place)))


def event(one: Event, sight: Sight, via: Callable[[str], bool]) -> EventSeen:
    """`via` says whether the token or grant that somebody acted with may be named."""
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
        given=_allowed(one.limits, sight),
        before=_allowed(one.before, sight),
        expires_at=_at(told.get("expires_at")),
        why=told.get("why"),
        client_id=told.get("client"),
        told=tuple(f"{name}: {_plain(value)}" for name, value in sorted(told.items()) if name not in FIELDS),
    )


def _allowed(held: Limits | None, sight: Sight) -> Allowed | None:
    if held is None:
        return None
    return Allowed(
        scopes=tuple(sorted(held.scopes)),
        read=sight.wall(held.read),
        write=sight.wall(held.write),
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


def _at(ms: int | None) -> str | None:
    return None if ms is None else Moment(ms, 0).iso()
