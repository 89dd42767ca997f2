"""Claims as rows: dated statements, and the words of a record's version that say each one.

A claim is never changed: what a text says is there as long as the text is, and what stands of it is worked out by readers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from muniment.model.records import Link
from muniment.store.connections import Connection, Row


@dataclass(frozen=True, slots=True)
class New:
    """A claim on its way in. `text[starts:ends] == quote` of that version of the record."""

    id: int
    uid: str
    subject: int
    attribute: str
    said: str
    object: int | None
    value: str
    value_norm: str
    qualifier: str
    polarity: int
    many: int
    causal: int
    valid_from: int | None
    valid_to: int | None
    recorded_at: int
    confidence: float
    method: str
    detector: int
    record: int
    version: int
    starts: int
    ends: int
    quote: str


Key = tuple[int, int, int, int, str, str, str, int]


@dataclass(frozen=True, slots=True)
class Held:
    """A claim that is there. `key`: record, version, start of the quote, subject, attribute, value, qualifier, polarity."""

    id: int
    key: Key
    method: str
    detector: int


@dataclass(frozen=True, slots=True)
class Seen:
    """A claim with one version that it quotes, and what became of that version. Times are ms UTC.

    `now_version` is the version of the record in force; `replaced_at` is when a later one came, `told_apart` when the record
    was said to be replaced by another one.
    """

    id: int
    uid: str
    subject: int
    attribute: str
    said: str
    object: int | None
    value: str
    value_norm: str
    qualifier: str
    polarity: int
    many: bool
    causal: bool
    valid_from: int | None
    valid_to: int | None
    recorded_at: int
    confidence: float
    method: str
    record: int
    version: int
    starts: int
    ends: int
    quote: str
    record_uid: str
    record_kind: str
    now_version: int
    record_from: int | None
    record_to: int | None
    retired_at: int | None
    event_at: int | None
    event_zone: int | None
    taint: int
    replaced_at: int | None
    told_apart: int | None
    protection: str
    source_type: str


@dataclass(frozen=True, slots=True)
class Source:
    """A version of a text that may state something. `at`: when it was said (ms UTC), if that was told."""

    record: int
    version: int
    text: str
    subject: str | None
    speaker: str | None
    at: int | None
    recorded_at: int


def add(connection: Connection, workspace: int, new: Sequence[New]) -> None:
    """Store claims with their quotes. Their numbers were reserved with `numbers.take`."""
    rows = [{"workspace": workspace} | {name: getattr(one, name) for name in New.__dataclass_fields__} for one in new]
    quoted = ("record", "version", "starts", "ends", "quote")
    connection.many("claim_add", ({name: value for name, value in row.items() if name not in quoted} for row in rows))
    connection.many(
        "claim_quote_add",
        ({"workspace": workspace, "claim": row["id"]} | {name: row[name] for name in quoted} for row in rows),
    )


def held(connection: Connection, workspace: int, records: Iterable[int]) -> list[Held]:
    """The claims that quote any version of these records."""
    rows = connection.all("claims_held", {"workspace": workspace, "ids": json.dumps(list(records))})
    return [
        Held(number, (record, version, starts, subject, attribute, value, qualifier, polarity), method, detector)
        for number, subject, attribute, value, qualifier, polarity, method, detector, record, version, starts in rows
    ]


def read_again(connection: Connection, workspace: int, ids: Iterable[int], detector: int) -> None:
    """Note that a newer detector finds these claims too."""
    connection.many("claim_read_again", ({"workspace": workspace, "id": number, "detector": detector} for number in ids))


def drop(connection: Connection, workspace: int, ids: Iterable[int]) -> None:
    """Remove claims that a detector finds no more, but for those that somebody decided about."""
    gone = [{"workspace": workspace, "id": number} for number in ids]
    connection.many("claim_quotes_drop", gone)
    connection.many("claim_drop", gone)


def sources(connection: Connection, workspace: int, first: int, last: int) -> list[Source]:
    """Every version of every record of a run of numbers, in order."""
    rows = connection.all("claim_sources", {"workspace": workspace, "first": first, "last": last})
    return [Source(*row) for row in rows]


def there(connection: Connection, workspace: int, first: int, last: int) -> set[int]:
    """Which records of a run of numbers there are."""
    return {row[0] for row in connection.all("claim_records", {"workspace": workspace, "first": first, "last": last})}


def about(connection: Connection, workspace: int, entities: Iterable[int], limit: int) -> list[int]:
    """The newest claims that have one of these entities as their subject."""
    return _numbers(connection, "claims_about", workspace, entities, limit)


def naming(connection: Connection, workspace: int, entities: Iterable[int], limit: int) -> list[int]:
    """The newest claims that have one of these entities as their value."""
    return _numbers(connection, "claims_naming", workspace, entities, limit)


def of_property(connection: Connection, workspace: int, entities: Iterable[int], attribute: str, limit: int) -> list[int]:
    """The newest claims of one property (a slot) of these entities."""
    values = {"workspace": workspace, "ids": json.dumps(list(entities)), "attribute": attribute, "limit": limit}
    return [row[0] for row in connection.all("claims_of_property", values)]


def in_slots(connection: Connection, workspace: int, ids: Iterable[int], limit: int) -> list[int]:
    """These claims and what may have taken their place, the newest."""
    return _numbers(connection, "claims_in_slots", workspace, ids, limit)


def causal(connection: Connection, workspace: int, entities: Iterable[int], limit: int) -> list[int]:
    """The newest causal claims between one of these entities and another one, on whichever side it stands."""
    named = list(entities)
    found = _numbers(connection, "claims_causal", workspace, named, limit)
    return sorted({*found, *_numbers(connection, "claims_causal_naming", workspace, named, limit)})


def of_records(connection: Connection, workspace: int, records: Iterable[int]) -> list[int]:
    rows = connection.all("claims_of_records", {"workspace": workspace, "ids": json.dumps(list(records))})
    return sorted({row[0] for row in rows})


def seen(connection: Connection, workspace: int, ids: Iterable[int]) -> list[Seen]:
    """Claims that are in force, once for every version that they quote of a record that is active or was replaced."""
    rows = connection.all("claims_seen", {"workspace": workspace, "ids": json.dumps(list(ids))})
    return [_seen(row) for row in rows]


def _numbers(connection: Connection, name: str, workspace: int, entities: Iterable[int], limit: int) -> list[int]:
    values = {"workspace": workspace, "ids": json.dumps(list(entities)), "limit": limit}
    return [row[0] for row in connection.all(name, values)]


def _seen(row: Row) -> Seen:
    many, causal = bool(row[10]), bool(row[11])
    return Seen(*(*row[:10], many, causal, *row[12:]))


def causal_links(connection: Connection, workspace: int, records: Iterable[int], known: int, limit: int) -> list[Link]:
    """The newest links by which one of these records came of another one, or another one of it, as was known then."""
    values = {"workspace": workspace, "ids": json.dumps(list(records)), "known": known, "limit": limit}
    return [Link(*row) for row in connection.all("links_causal", values)]


def linked_about(connection: Connection, workspace: int, entities: Iterable[int], limit: int) -> list[int]:
    """Records that are linked and are about one of these entities."""
    return _numbers(connection, "records_about", workspace, entities, limit)
