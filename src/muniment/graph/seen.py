"""Facts as a caller sees them: with names instead of numbers, and with the words that say each.

Always true here: a fact is shown with at least one quote, and every quote is an exact span of the version it names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from muniment.graph import standing
from muniment.graph.standing import Fact
from muniment.model import ids
from muniment.model.knowing import ClaimSeen, Quote
from muniment.model.times import Moment
from muniment.store.claims import Seen
from muniment.store.entities import Entity

QUOTES_MOST = 10
Standing = Literal["current", "past"]


def claim(fact: Fact, names: Mapping[int, Entity], known: int, how: Standing = "current") -> ClaimSeen:
    """A fact for a caller. `valid` runs from the first to the last moment that any of its claims names."""
    newest = fact.newest
    begins = [_since(one) for one in fact.claims]
    ends = [standing.until(one, known) for one in fact.claims]
    begin = None if None in begins else min(at for at in begins if at is not None)
    end = None if None in ends else max(at for at in ends if at is not None)
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
    )


def quote(one: Seen) -> Quote:
    at = Moment(one.event_at, one.event_zone).iso() if one.event_at is not None else _iso(one.recorded_at)
    return Quote(ids.ref(one.record_kind, one.record_uid), one.version, one.starts, one.ends, one.quote, at)


def _together(fact: Fact) -> float:
    """Several records that say the same are surer than the surest of them; the same record counts once."""
    doubt = 1.0
    for confidence in {one.record: one.confidence for one in reversed(fact.claims)}.values():
        doubt *= 1 - confidence
    return 1 - doubt


def _since(one: Seen) -> int | None:
    told = (one.valid_from, one.record_from, one.event_at)
    return next((at for at in told if at is not None), None)


def _iso(ms: int | None) -> str | None:
    return None if ms is None else Moment(ms, 0).iso()
