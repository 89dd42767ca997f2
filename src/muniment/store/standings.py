"""How records stand: what replaced them, over which time they held, and how that stood at an earlier moment.

Only the few records that are not plainly active have a row here; the rest need none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from muniment.store.connections import Connection, Row


@dataclass(frozen=True, slots=True)
class Standing:
    """One record. `since` is when it was first recorded; all times are ms UTC, `[valid_from, valid_to)` is half-open."""

    record: int
    kind: str
    uid: str
    state: str
    version: int
    versions: int
    since: int
    event: int | None
    valid_from: int | None
    valid_to: int | None
    retired_at: int | None
    superseded_by: int | None
    supersede_why: str | None

    @property
    def begins(self) -> int:
        """When it began to hold: as it was told, else when it was said, else when it was stored."""
        told = self.valid_from if self.valid_from is not None else self.event
        return self.since if told is None else told


# What an action may set of it.
GOVERNED = frozenset(("version", "state", "valid_from", "valid_to", "retired_at", "superseded_by", "supersede_why"))


@dataclass(frozen=True, slots=True)
class Effect:
    """A field of a record as an action set it, from `at` until it was taken back (`undone`), in ms UTC."""

    record: int
    field: str
    before: int | str | None
    after: int | str | None
    at: int
    undone: int | None

    def stood(self, at: int) -> bool:
        return self.at <= at and (self.undone is None or at < self.undone)


@dataclass(frozen=True, slots=True)
class Dated:
    """A version of a record: when it was written, and the time that it tells of."""

    version: int
    at: int
    event: int | None


def unusual(connection: Connection, workspace: int) -> list[Standing]:
    """Every record of a workspace that is not plainly active, or was ever edited."""
    return [Standing(*row) for row in connection.all("records_unusual", {"workspace": workspace})]


def named(connection: Connection, workspace: int, records: Iterable[int]) -> list[Standing]:
    values = {"workspace": workspace, "ids": json.dumps(sorted(records))}
    return [Standing(*row) for row in connection.all("records_named", values)]


def effects_later(connection: Connection, workspace: int, at: int) -> list[Effect]:
    """The effects, in order, on every record whose standing changed after a moment."""
    return [_effect(row) for row in connection.all("effects_later", {"workspace": workspace, "at": at})]


def effects_of_versions(connection: Connection, workspace: int) -> list[Effect]:
    """The effects, in order, that put another version of a record in force."""
    found = connection.all("effects_of_versions", {"workspace": workspace})
    return [_effect((row[0], "version", *row[1:])) for row in found]


def dated(connection: Connection, workspace: int) -> dict[int, dict[int, Dated]]:
    """By record and number: the versions of what was ever edited."""
    out: dict[int, dict[int, Dated]] = {}
    for record, version, at, event in connection.all("versions_dated", {"workspace": workspace}):
        out.setdefault(record, {})[version] = Dated(version, at, event)
    return out


def refs(connection: Connection, workspace: int, records: Iterable[int]) -> dict[int, tuple[str, str]]:
    """By number: kind and uid of the records that are there."""
    values = {"workspace": workspace, "ids": json.dumps(sorted(records))}
    return {row[0]: (row[1], row[2]) for row in connection.all("refs_by_id", values)}


def _effect(row: Row) -> Effect:
    record, field, before, after, at, undone = row
    return Effect(record, field, json.loads(before), json.loads(after), at, undone)
