"""What stands of claims at a moment: of what was known then, what held then, and which value of a slot was the newest.

Always true here: nothing is hidden by a claim of another workspace, of a rejected record or of a later moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from muniment.graph import belief, resolve
from muniment.graph.belief import Voice
from muniment.store import claims as stored
from muniment.store.claims import Seen
from muniment.store.connections import Connection

# Of everything that may have taken the place of some claims, so many are looked at, the newest first.
IN_SLOTS_MOST = 5000
# Of what is claimed under the other names of a thing, so many are looked at, the newest first.
UNDER_OTHER_NAMES_MOST = 1000


@dataclass(frozen=True, slots=True)
class Moments:
    """What held at `valid`, of what was known at `known` (ms UTC). `told`: whether `valid` was asked for by itself.

    Without that it is now, and a text of tomorrow's date has been said nevertheless.
    """

    valid: int
    known: int
    told: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """What one or several claims say alike; `claims` are in order, the newest first. `subject` and `object` are roots."""

    subject: int
    object: int | None
    claims: tuple[Seen, ...]

    @property
    def newest(self) -> Seen:
        return self.claims[0]


Slot = tuple[int, str, str]
Value = str | int


def since(one: Seen) -> int:
    """When a claim began to hold, as far as anybody can tell: as it was told, or when it was stored."""
    told = told_since(one)
    return one.recorded_at if told is None else told


def told_since(one: Seen) -> int | None:
    """When a claim began to hold as it says itself, as its record does, or when it was said; None where nobody told."""
    return next((at for at in (one.valid_from, one.record_from, one.event_at) if at is not None), None)


def until(one: Seen, known: int) -> int | None:
    """When a claim ceased to hold, as was known then; None while that is open."""
    ends = [one.valid_to]
    # What a replacement closed was still open before anybody said so.
    if one.told_apart is None or one.told_apart <= known:
        ends.append(one.record_to)
    return min((end for end in ends if end is not None), default=None)


def believed(one: Seen, known: int) -> bool:
    """Whether the words that say it were in memory then, and not taken back."""
    if one.recorded_at > known or one.version > one.now_version:
        return False
    ends = [end for end in (one.retired_at, one.replaced_at) if end is not None]
    return not ends or min(ends) > known


def holds(one: Seen, at: Moments) -> bool:
    """Whether it was believed then and held then."""
    if not believed(one, at.known):
        return False
    begins = since(one) if at.told else (one.valid_from if one.valid_from is not None else one.record_from)
    end = until(one, at.known)
    return (begins is None or begins <= at.valid) and (end is None or end > at.valid)


@dataclass(frozen=True, slots=True)
class Slots:
    """Claims with everything that stands in their slots. `roots` says which thing each of their entities is."""

    claims: tuple[Seen, ...]
    roots: Mapping[int, int]

    def facts(self, at: Moments) -> list[Fact]:
        return facts(self.claims, self.roots, at)


def slots(connection: Connection, workspace: int, ids: Iterable[int]) -> Slots:
    """Some claims and whatever may have taken their place, under every name of what they are about."""
    wanted = stored.in_slots(connection, workspace, ids, IN_SLOTS_MOST)
    found = stored.seen(connection, workspace, wanted)
    tops = _roots(connection, workspace, found)
    subjects = {one.subject for one in found}
    things = resolve.of_roots(connection, workspace, {tops[number] for number in subjects})
    more = {member for thing in things.values() for member in thing.members} - subjects
    if more:
        named = {(tops[one.subject], one.attribute, one.qualifier) for one in found}
        under = {member: thing.root for thing in things.values() for member in thing.members}
        listed = stored.seen(connection, workspace, stored.about(connection, workspace, more, UNDER_OTHER_NAMES_MOST))
        found += [one for one in listed if (under[one.subject], one.attribute, one.qualifier) in named]
        tops |= _roots(connection, workspace, found)
    return Slots(tuple(found), tops)


def _roots(connection: Connection, workspace: int, found: Iterable[Seen]) -> dict[int, int]:
    numbers = {number for one in found for number in (one.subject, one.object) if number is not None}
    return resolve.roots(connection, workspace, numbers)


def facts(claims: Iterable[Seen], roots: Mapping[int, int], at: Moments) -> list[Fact]:
    """What stands at a moment, newest first. `roots` says which thing each entity is."""
    by_slot: dict[Slot, list[Seen]] = {}
    for one in claims:
        if holds(one, at):
            by_slot.setdefault((roots[one.subject], one.attribute, one.qualifier), []).append(one)
    found: list[Fact] = []
    for slot, members in by_slot.items():
        members.sort(key=_newest_first)
        many = any(one.many for one in members)
        found += _standing(slot, members, roots, many)
    return sorted(found, key=lambda fact: _newest_first(fact.newest))


def _newest_first(one: Seen) -> tuple[int, int, int]:
    return -since(one), -one.recorded_at, -one.id


def _standing(slot: Slot, members: list[Seen], roots: Mapping[int, int], many: bool) -> list[Fact]:
    """The values that a slot has: the newest only, unless it may have several; what was denied later has gone.

    What may not take the place of an older value stands beside it, and neither hides the other.
    """
    named = {one.value_norm: roots[one.object] for one in members if one.object is not None}
    told: dict[tuple[Value, int], set[Voice]] = {}
    held: dict[Value, set[Voice]] = {}
    kept: dict[tuple[Value, int], list[Seen]] = {}
    for one in members:
        value = named.get(one.value_norm, one.value_norm)
        voice = belief.voice(one)
        against = list(told.get((value, -one.polarity), ()))
        if one.polarity > 0 and not many:
            against += [newer for other, voices in held.items() if other != value for newer in voices]
        told.setdefault((value, one.polarity), set()).add(voice)
        if any(belief.yields(one, newer) for newer in against):
            continue
        if one.polarity > 0:
            held.setdefault(value, set()).add(voice)
        kept.setdefault((value, one.polarity), []).append(one)
    return [
        Fact(slot[0], next((roots[one.object] for one in alike if one.object is not None), None), tuple(alike))
        for alike in kept.values()
    ]
