"""How records stand: what replaced them, over which time they held, and how that stood at an earlier moment.

Only the few records that are not plainly active have a row here; the rest need none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from muniment.model.records import Record
from muniment.model.times import Moment
from muniment.store.connections import Connection, Row

# Stands for a beginning that nobody knows (ms UTC): earlier than every date.
EVER = -(1 << 53)


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
        """When it began to hold: as it was told, else when it was said, else when it was stored; EVER where nobody knows.

        What was stored only after it had ceased to hold did not begin then.
        """
        told = self.valid_from if self.valid_from is not None else self.event
        if told is not None:
            return told
        return EVER if self.valid_to is not None and self.valid_to <= self.since else self.since


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


def as_versions(
    connection: Connection, workspace: int, numbers: Mapping[int, int], held: Mapping[int, Record]
) -> dict[int, Record]:
    """Records with what another version of each says, and with where that came from."""
    values = {"workspace": workspace, "ids": json.dumps(sorted(numbers))}
    rows = {(row[0], row[1]): row for row in connection.all("versions_by_id", values)}
    out = {}
    for number, version in numbers.items():
        row = rows.get((number, version))
        if row is not None:
            out[number] = replace(
                held[number],
                version=version,
                subject=row[2],
                text=row[3],
                tier=row[4],
                event=None if row[5] is None else Moment(row[5], row[6]),
                source_type=row[7],
                source_ref=row[8],
                trust=row[9],
                taint=row[10],
                principal=row[11],
                client=row[12],
                recorded_at=row[13],
                fingerprint=row[14],
            )
    return out


def texts(connection: Connection, workspace: int, records: Iterable[int]) -> dict[tuple[int, int], str]:
    """By record and version: what every version of some records says."""
    wanted = sorted(records)
    values = {"workspace": workspace, "ids": json.dumps(wanted)}
    return {(row[0], row[1]): row[3] for row in connection.all("versions_by_id", values)} if wanted else {}


def as_it_stood(record: Record, row: Standing) -> Record:
    """A record with the standing that it had."""
    return replace(
        record,
        state=row.state,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        retired_at=row.retired_at,
        superseded_by=row.superseded_by,
        supersede_why=row.supersede_why,
    )


def _effect(row: Row) -> Effect:
    record, field, before, after, at, undone = row
    return Effect(record, field, json.loads(before), json.loads(after), at, undone)
