"""Entities as rows: named things, their other spellings, and names that name nothing.

Rows keep what was written; that two of them are one thing is said by aliases and merges, which can be taken back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from muniment.store import numbers, workspaces
from muniment.store.connections import Connection


@dataclass(frozen=True, slots=True)
class Entity:
    """A name as it is written, with what is known of it. `blocked`: it names nothing."""

    id: int
    canonical: str
    norm: str
    sort: str
    type: str
    merged_into: int | None = None
    blocked: bool = False


@dataclass(frozen=True, slots=True)
class Meant:
    """What a name means by itself: the entity written so, the ones it is an alias of, and whether it is blocked."""

    own: int | None
    aliased: tuple[int, ...] = ()
    blocked: bool = False


def meant(connection: Connection, workspace: int, norms: Iterable[str]) -> dict[str, Meant]:
    """By name: what it means. A name that nobody ever wrote is not there."""
    rows = connection.all("entities_meant", {"workspace": workspace, "norms": json.dumps(list(dict.fromkeys(norms)))})
    found: dict[str, dict[str, list[int]]] = {}
    for norm, how, number in rows:
        found.setdefault(norm, {}).setdefault(how, []).append(number)
    return {
        norm: Meant(next(iter(how.get("own", ())), None), tuple(sorted(how.get("alias", ()))), "block" in how)
        for norm, how in found.items()
    }


def governed(connection: Connection, workspace: int) -> bool:
    """Whether a name may mean anything but the entity that is written so."""
    row = connection.one("entities_governed", {"workspace": workspace})
    return row is not None and bool(row[0])


def above(connection: Connection, workspace: int, ids: Iterable[int]) -> dict[int, int]:
    """Of these entities the ones that stand for another one, and for which."""
    rows = connection.all("entities_above", {"workspace": workspace, "ids": json.dumps(list(ids))})
    return {number: other for number, other in rows if other is not None}


def below(connection: Connection, workspace: int, ids: Iterable[int]) -> list[int]:
    """What stands for one of these entities."""
    return [row[0] for row in connection.all("entities_below", {"workspace": workspace, "ids": json.dumps(list(ids))})]


def by_id(connection: Connection, workspace: int, ids: Iterable[int]) -> dict[int, Entity]:
    rows = connection.all("entities_by_id", {"workspace": workspace, "ids": json.dumps(list(ids))})
    return {row[0]: Entity(row[0], row[1], row[2], row[3], row[4], row[5], bool(row[6])) for row in rows}


def aliases(connection: Connection, workspace: int, ids: Iterable[int]) -> list[tuple[int, str, str]]:
    """The aliases of these entities as (entity, norm, as it was written)."""
    rows = connection.all("aliases_of", {"workspace": workspace, "ids": json.dumps(list(ids))})
    return [(row[0], row[1], row[2]) for row in rows]


def numbered(connection: Connection, workspace: int, wanted: Mapping[str, tuple[str, str]]) -> dict[str, int]:
    """The numbers of names, by norm; new ones are made. `wanted`: by norm, how it was written and by which shape."""
    if not wanted:
        return {}
    norms = json.dumps(list(wanted))
    known: dict[str, int] = dict(connection.all("entities_by_norm", {"workspace": workspace, "norms": norms}))
    new = [norm for norm in sorted(wanted) if norm not in known]
    if new:
        last = workspaces.take(connection, workspace, entities=len(new)).entities
        for number, norm in enumerate(new, last - len(new) + 1):
            known[norm] = number
        fresh = ({"norm": norm, "id": known[norm], "canonical": wanted[norm][0], "sort": wanted[norm][1]} for norm in new)
        connection.many("entity_add", ({"workspace": workspace} | one for one in fresh))
    return known


def guess(connection: Connection, workspace: int, types: Mapping[int, str]) -> None:
    """Note what entities look like, where nobody has said what they are."""
    connection.many("entity_type_guess", ({"workspace": workspace, "id": one, "type": type} for one, type in types.items()))


def alias(connection: Connection, workspace: int, entity: int, norm: str, surface: str) -> tuple[int, bool]:
    """The number of an alias and whether it holds; a new one does not hold yet."""
    key = {"workspace": workspace, "entity": entity, "norm": norm}
    row = connection.one("alias_known", key)
    if row is None:
        row = (numbers.take(connection, workspace), 0)
        connection.run("alias_add", key | {"id": row[0], "surface": surface, "method": "agent"})
    return int(row[0]), bool(row[1])


def block(connection: Connection, workspace: int, norm: str) -> tuple[int, bool]:
    """The number of a block and whether it holds; a new one does not hold yet."""
    row = connection.one("block_known", {"workspace": workspace, "norm": norm})
    if row is None:
        row = (numbers.take(connection, workspace), 0)
        connection.run("block_add", {"workspace": workspace, "id": row[0], "norm": norm})
    return int(row[0]), bool(row[1])


def listed(connection: Connection, workspace: int, part: str, after: int, limit: int) -> list[int]:
    """The numbers of entities that have `part` in their name, a page at a time."""
    values = {"workspace": workspace, "part": part, "after": after, "limit": limit}
    return [row[0] for row in connection.all("entities_listed", values)]


def counted(connection: Connection, workspace: int, ids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """By entity: how many mentions it has, and how many claims."""
    rows = connection.all("entities_counted", {"workspace": workspace, "ids": json.dumps(list(ids))})
    return {row[0]: (row[1], row[2]) for row in rows}
