"""What backs one record: the claims it makes, and the words of other records that say the same or that it rests on.

Only words that stand in a record of the same workspace are shown, as exact spans.
"""

from __future__ import annotations

from muniment.graph import seen, standing
from muniment.graph.standing import Fact, Moments
from muniment.model.knowing import ClaimSeen, Quote
from muniment.model.records import Record
from muniment.model.times import Moment
from muniment.store import claims, entities, records
from muniment.store.connections import Connection

# A link from a record to what it rests on, and one from what speaks for it.
RESTS_ON = "derived_from"
SPEAKS_FOR = "supports"
QUOTE_MOST = 300
QUOTES_MOST = 50


def of_record(connection: Connection, workspace: int, record: Record, now: int) -> tuple[ClaimSeen, ...]:
    """What the version of a record that is in force claims, in the order of its text; `past` is what holds no more."""
    slots = standing.slots(connection, workspace, claims.of_records(connection, workspace, [record.id]))
    at = Moments(now, now)
    current = {one.id for fact in slots.facts(at) for one in fact.claims}
    own = [one for one in slots.claims if one.record == record.id and one.version == record.version]
    own.sort(key=lambda one: (one.starts, one.id))
    names = entities.by_id(connection, workspace, {slots.roots[one.subject] for one in own})
    return tuple(
        seen.claim(Fact(slots.roots[one.subject], None, (one,)), names, now, "current" if one.id in current else "past")
        for one in own
    )


def evidence(connection: Connection, workspace: int, record: Record, now: int) -> tuple[Quote, ...]:
    """Quotes of other records that say what this one says, then the openings of those that it rests on."""
    slots = standing.slots(connection, workspace, claims.of_records(connection, workspace, [record.id]))
    same = [
        seen.quote(one)
        for fact in slots.facts(Moments(now, now))
        if any(one.record == record.id for one in fact.claims)
        for one in fact.claims
        if one.record != record.id
    ]
    links = records.links(connection, workspace, [record.id])
    sources = [link.dst for link in links if link.src == record.id and link.relation == RESTS_ON]
    sources += [link.src for link in links if link.dst == record.id and link.relation == SPEAKS_FOR]
    held = records.by_id(connection, workspace, sources)
    openings = [opening(held[number]) for number in dict.fromkeys(sources) if number in held and held[number].state == "active"]
    return tuple(dict.fromkeys([*same, *openings]))[:QUOTES_MOST]


def opening(record: Record) -> Quote:
    """The beginning of a record, as an exact span of it."""
    end = min(len(record.text), QUOTE_MOST)
    at = record.event or Moment(record.recorded_at, 0)
    return Quote(record.ref, record.version, 0, end, record.text[:end], at.iso())
