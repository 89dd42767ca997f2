"""What a name means: its entity, through aliases and merges, never a blocked one.

Every entity belongs to exactly one thing, so a fact is found by whichever of the thing's names is asked for, and undoing an
alias or a merge takes it apart again with nothing to repair.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from muniment.store import entities
from muniment.store.connections import Connection
from muniment.text import spans

NORM_MAX = 200
# So many entities may be one thing; what is beyond is left out.
MEMBERS_MOST = 1000


@dataclass(frozen=True, slots=True)
class Thing:
    """`root` is the entity that the others of `members` stand for; blocked names are no members."""

    root: int
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A name with the thing it means. Without one, `candidates` are the things that it may mean, if there are several."""

    thing: Thing | None = None
    candidates: tuple[int, ...] = ()
    blocked: bool = False


UNKNOWN = Resolved()


def norm(name: str) -> str:
    """The form under which names are kept."""
    return spans.norm(name)[:NORM_MAX]


def one(connection: Connection, workspace: int, name: str) -> Resolved:
    """What one name means in a workspace."""
    key = norm(name)
    return many(connection, workspace, [key]).get(key, UNKNOWN) if key else UNKNOWN


def many(connection: Connection, workspace: int, norms: Iterable[str]) -> dict[str, Resolved]:
    """What each of these names (in their norms) means; names nobody ever wrote are left out."""
    held = entities.meant(connection, workspace, norms)
    if held and not entities.governed(connection, workspace):
        return {name: Resolved(Thing(own, (own,))) for name, meaning in held.items() if (own := meaning.own) is not None}
    found: dict[str, Resolved] = {name: Resolved(blocked=True) for name, meaning in held.items() if meaning.blocked}
    starts = {name: meaning.aliased or (meaning.own,) for name, meaning in held.items() if not meaning.blocked}
    flat = {start for several in starts.values() for start in several if start is not None}
    tops = roots(connection, workspace, flat)
    things = of_roots(connection, workspace, set(tops.values()))
    for name, several in starts.items():
        meant = sorted({tops[start] for start in several if start is not None})
        open_ones = [root for root in meant if things[root].members]
        if len(meant) > 1:
            found[name] = Resolved(candidates=tuple(meant))
        else:
            found[name] = Resolved(things[meant[0]]) if open_ones else Resolved(blocked=True)
    return found


def roots(connection: Connection, workspace: int, ids: Iterable[int]) -> dict[int, int]:
    """By entity: the one that stands at the top of its aliases and merges. A circle has its smallest number at the top."""
    wanted = set(ids)
    up: dict[int, int] = {}
    ask = wanted
    while ask:
        steps = entities.above(connection, workspace, ask)
        up |= steps
        ask = {other for other in steps.values() if other not in up}
    return {start: _top(up, start) for start in wanted}


def _top(up: Mapping[int, int], start: int) -> int:
    way: list[int] = [start]
    while (follow := up.get(way[-1])) is not None:
        if follow in way:
            return min(way[way.index(follow) :])
        way.append(follow)
    return way[-1]


def of_roots(connection: Connection, workspace: int, tops: Iterable[int]) -> dict[int, Thing]:
    """By root: the thing with everything that stands for it. One whose own name is blocked has no members."""
    wanted = sorted(set(tops))
    top_of = {top: top for top in wanted}
    ask = wanted
    while ask and len(top_of) < MEMBERS_MOST + len(wanted):
        new = [number for number in entities.below(connection, workspace, ask) if number not in top_of]
        if not new:
            break
        up = roots(connection, workspace, new)
        top_of |= {number: up[number] for number in new}
        ask = new
    held = entities.by_id(connection, workspace, top_of)
    members: dict[int, list[int]] = {top: [] for top in wanted}
    for number, top in sorted(top_of.items()):
        if top in members and held[top].blocked is False and not held[number].blocked:
            members[top].append(number)
    return {top: Thing(top, tuple(listed)) for top, listed in members.items()}
