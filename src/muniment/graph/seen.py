"""Facts as a caller sees them: with names instead of numbers, and with the words that say each.

Always true here: a fact is shown with at least one quote, and every quote is an exact span of the version it names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from muniment.graph import standing
from muniment.graph.outdated import Said
from muniment.graph.standing import Fact
from muniment.model import ids
from muniment.model.knowing import ClaimSeen, Quote
from muniment.model.times import Moment
from muniment.store.claims import Seen
from muniment.store.connections import Connection
from muniment.store.entities import Entity

QUOTES_MOST = 10
CONFLICTS_MOST = 10
# How sure the reader of changes is of a value.
READ = 0.8
Standing = Literal["current", "past"]
# By record: from where to where its words are in question, and in which conflict.
Conflicts = Mapping[int, Sequence[tuple[int, int, str]]]


def claim(
    fact: Fact,
    names: Mapping[int, Entity],
    known: int,
    how: Standing = "current",
    *,
    over: int | None = None,
    conflicts: Conflicts | None = None,
) -> ClaimSeen:
    """A fact for a caller. `valid` runs from the first to the last moment that any of its claims names, and ends at `over`."""
    newest = fact.newest
    begins = [standing.told_since(one) for one in fact.claims]
    ends = [standing.until(one, known) for one in fact.claims]
    begin = None if None in begins else min(at for at in begins if at is not None)
    end = None if None in ends else max(at for at in ends if at is not None)
    if over is not None:
        end = over if end is None else min(end, over)
    return ClaimSeen(
        ref=f"q_{newest.uid}",
        subject=names[fact.subject].canonical,
        attribute=newest.said or newest.attribute,
        value=newest.value,
        evidence=tuple(quote(one) for one in fact.claims[:QUOTES_MOST]),
        qualifier=newest.qualifier or None,
        negated=newest.polarity < 0,
        valid=(_iso(begin), _iso(end)),
        recorded_at=_iso(min(one.recorded_at for one in fact.claims)),
        confidence=round(_together(fact), 4),
        method=newest.method,
        standing=how,
        taint=max(one.taint for one in fact.claims),
        conflicts=_open(conflicts or {}, ((one.record, one.starts, one.ends) for one in fact.claims)),
    )


def instead(said: Said, fact: Fact, names: Mapping[int, Entity], conflicts: Conflicts) -> ClaimSeen:
    """What a newer text says in the place of a fact, though it makes no claim of its own: `ref` is that of its record."""
    record, newest = said.record, fact.newest
    at = record.event or Moment(record.recorded_at, 0)
    ref = record.ref
    return ClaimSeen(
        ref=ref,
        subject=names[fact.subject].canonical,
        attribute=newest.said or newest.attribute,
        value=said.value,
        evidence=(Quote(ref, record.version, said.starts, said.ends, record.text[said.starts : said.ends], at.iso()),),
        qualifier=newest.qualifier or None,
        valid=(at.iso(), _iso(record.valid_to)),
        recorded_at=_iso(record.recorded_at),
        confidence=READ,
        taint=record.taint,
        conflicts=_open(conflicts, [(record.id, said.starts, said.ends)]),
    )


def conflicts(connection: Connection, workspace: int, records: Iterable[int]) -> Conflicts:
    """By record: the conflicts that wait and the words of it that each is about."""
    found: dict[int, list[tuple[int, int, str]]] = {}
    rows = connection.all("conflict_spans_of_records", {"workspace": workspace, "ids": json.dumps(sorted(set(records)))})
    for record, starts, ends, uid in rows:
        found.setdefault(record, []).append((starts, ends, f"c_{uid}"))
    return found


def _open(held: Conflicts, spans: Iterable[tuple[int, int, int]]) -> tuple[str, ...]:
    """The conflicts about any of these words."""
    found = [ref for record, starts, ends in spans for low, high, ref in held.get(record, ()) if low < ends and starts < high]
    return tuple(dict.fromkeys(found))[:CONFLICTS_MOST]


def quote(one: Seen) -> Quote:
    at = Moment(one.event_at, one.event_zone).iso() if one.event_at is not None else _iso(one.recorded_at)
    return Quote(ids.ref(one.record_kind, one.record_uid), one.version, one.starts, one.ends, one.quote, at)


def _together(fact: Fact) -> float:
    """Several records that say the same are surer than the surest of them; the same record counts once."""
    doubt = 1.0
    for confidence in {one.record: one.confidence for one in reversed(fact.claims)}.values():
        doubt *= 1 - confidence
    return 1 - doubt


def _iso(ms: int | None) -> str | None:
    return None if ms is None else Moment(ms, 0).iso()
