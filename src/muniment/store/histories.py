"""The versions of a record and the rows of the ledger, as they are read. Nothing here is ever overwritten."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from muniment.model.records import Record
from muniment.store import records
from muniment.store.connections import Connection, Row
from muniment.store.numbers import NEWEST


@dataclass(frozen=True, slots=True)
class Kept:
    """One version of a record. `at` is in ms UTC, labels are written "sort:value"."""

    version: int
    text: str
    subject: str | None
    labels: tuple[str, ...]
    reason: str | None
    at: int
    source_type: str
    tier: str
    by: str
    client: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the ledger."""

    seq: int
    uid: str
    kind: str
    targets: dict[str, Any]
    effects: str | None
    reason: str | None
    client: str | None
    at: int
    run: str | None
    undone_by: int | None
    by: str


def versions(connection: Connection, record: Record) -> list[Kept]:
    """Every version of a record, newest first."""
    if record.versions == 1:
        labels = tuple(f"{one.sort}:{one.value}" for one in records.labels(connection, record.workspace, record.id))
        told = record.recorded_at, record.source_type, record.tier, author(connection, record), record.client
        return [Kept(1, record.text, record.subject, labels, None, *told)]
    rows = connection.all("versions", {"workspace": record.workspace, "record": record.id})
    return [_kept(row) for row in rows]


def author(connection: Connection, record: Record) -> str:
    """The name of the principal who wrote the version in force."""
    row = connection.one("principal_name", {"id": record.principal})
    return str(row[0]) if row else ""


def page(connection: Connection, workspace: int, *, before: int = NEWEST, limit: int, run: str | None = None) -> list[Entry]:
    """The ledger of a workspace before an action, newest first."""
    values = {"workspace": workspace, "before": before, "run": run or "", "limit": limit}
    return [_entry(row) for row in connection.all("ledger_page", values)]


def of_record(
    connection: Connection, record: Record, *, before: int = NEWEST, limit: int, run: str | None = None
) -> list[Entry]:
    """What concerned a record, newest first: its changes, those of its links, and what took either back."""
    values = {"workspace": record.workspace, "record": record.id, "uid": record.uid}
    rows = connection.all("ledger_of_record", values | {"before": before, "run": run or "", "limit": limit})
    return [_entry(row) for row in rows]


def _kept(row: Row) -> Kept:
    version, text, subject, labels, reason, at, source_type, tier, client, by = row
    marked = tuple(f"{sort}:{value}" for sort, value in sorted(json.loads(labels)))
    return Kept(version, text, subject, marked, reason, at, source_type or "unknown", tier or "", by or "", client)


def _entry(row: Row) -> Entry:
    seq, uid, kind, targets, effects, reason, client, at, run, undone_by, by = row
    return Entry(seq, uid, kind, json.loads(targets), effects, reason, client, at, run, undone_by, by or "")
