"""What stands around a record: its versions, what it came from and what came from it, and its links to others."""

from __future__ import annotations

from muniment.model.reading import Kin, Version
from muniment.model.recalling import Signal
from muniment.model.records import Record
from muniment.model.times import Moment
from muniment.store import histories, lineage, records
from muniment.store.connections import Connection

KIN_SHOWN_MAX = 200


def history(connection: Connection, record: Record) -> tuple[Version, ...]:
    """Every version, newest first."""
    return tuple(
        Version(one.version, one.text, one.reason, Moment(one.at, 0).iso(), one.labels, one.by or None, one.client)
        for one in histories.versions(connection, record)
    )


def kin(connection: Connection, record: Record, way: lineage.Way) -> tuple[Kin, ...]:
    """The lineage in one direction, nearest first, at most KIN_SHOWN_MAX; `review lineage` shows more."""
    steps = lineage.walk(connection, record.workspace, record.id, way, most=KIN_SHOWN_MAX).steps
    known = records.by_id(connection, record.workspace, steps)
    return tuple(
        Kin(known[one].ref, count, known[one].state)
        for one, count in sorted(steps.items(), key=lambda step: (step[1], step[0]))
    )


def signals(connection: Connection, record: Record) -> tuple[Signal, ...]:
    """The links that stand, in both directions, in the order in which they were made."""
    found = records.links(connection, record.workspace, [record.id])
    known = records.by_id(connection, record.workspace, {end for link in found for end in (link.src, link.dst)})
    shown = []
    for link in found:
        out = link.src == record.id
        other = known[link.dst if out else link.src]
        ref = other.ref
        shown.append(Signal(link.relation, "out" if out else "in", ref, link.confidence, link.rationale))
    return tuple(shown)


def heir(connection: Connection, record: Record) -> str | None:
    """The ref of what took the record's place."""
    if record.superseded_by is None:
        return None
    found = records.by_id(connection, record.workspace, [record.superseded_by]).get(record.superseded_by)
    return found.ref if found else None
