"""What newer texts say instead of a claim, in words that no rule for claims reads: "the mail service moved from X to Y".

The same judgement as in recall, `text.statements.updates`, so that the two never contradict each other. Nothing is stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

from muniment.access.zones import QUARANTINED_FROM
from muniment.context import Context
from muniment.graph import belief, standing
from muniment.graph.standing import Fact, Moments
from muniment.index import holding
from muniment.model.records import Record
from muniment.model.stated import Told, Update
from muniment.store import records
from muniment.store.claims import Seen
from muniment.store.connections import Connection
from muniment.text.scripts import fold
from muniment.text.statements import updates

# So many facts are judged, the first ones, by so many of the claims of each.
FACTS_MOST = 20
CLAIMS_MOST = 3
# Records that speak of the thing are found by so many of its names, so many by each; of all of them so many newer ones are
# read beside the facts, what is trusted first, so that nobody crowds it out.
NAMES_MOST = 3
FOUND_MOST = 40
NEWER_MOST = 16
# So many different things are shown in the place of one fact.
INSTEAD_MOST = 3
# From X to Y, from Y to Z: so many steps are followed.
STEPS_MOST = 8


@dataclass(frozen=True, slots=True)
class Said:
    """What a record says in the place of a fact: `record.text[starts:ends]` says that it is `value`."""

    record: Record
    starts: int
    ends: int
    value: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A fact. `until` is when a newer text took its place (ms UTC), None where it stands; `instead` what is said now."""

    fact: Fact
    until: int | None = None
    instead: tuple[Said, ...] = ()


@dataclass(frozen=True, slots=True)
class _Later:
    record: Record
    update: Update


class _Reading:
    """The statements of some records, each read once."""

    def __init__(self, context: Context) -> None:
        self._shelf = context.readings()

    def told(self, record: Record) -> Told:
        key = ("told alone", record.workspace, record.id, record.version)
        held: Told | None = self._shelf.get(key)
        if held is None:
            held = updates.told(record.text, speaker=record.speaker, subject=record.subject, at=record.said_at)
            self._shelf.put(key, held)
        return held

    def replaces(self, newer: Record, older: Record) -> Update | None:
        if (newer.said_at, newer.id) <= (older.said_at, older.id):
            return None
        return updates.replaces(self.told(newer), self.told(older))


def judge(
    context: Context,
    connection: Connection,
    workspace: int,
    names: Sequence[str],
    slots: standing.Slots,
    facts: Sequence[Fact],
    at: Moments,
) -> list[Judged]:
    """Facts with what newer texts that speak of the same thing, by one of its `names`, say instead."""
    looked_at = [fact.newest.polarity > 0 for fact in facts[:FACTS_MOST]] + [False] * len(facts[FACTS_MOST:])
    old = {claim.record for fact in compress(facts, looked_at) for claim in fact.claims[:CLAIMS_MOST]}
    if not old:
        return [Judged(fact) for fact in facts]
    texts = records.by_id(connection, workspace, {*old, *_speaking(connection, workspace, names, slots.claims)})
    reading = _Reading(context)
    since = min((texts[number].said_at for number in old if number in texts), default=0)
    newer = _newer(reading, (one for one in texts.values() if one.said_at >= since), at)
    return [
        _judged(reading, fact, texts, newer, slots) if looked else Judged(fact)
        for fact, looked in zip(facts, looked_at, strict=True)
    ]


def _speaking(connection: Connection, workspace: int, names: Sequence[str], claims: Iterable[Seen]) -> set[int]:
    """The newest records that speak of a thing: that hold one of its names, or that claim something of it."""
    found = {number for name in names[:NAMES_MOST] for number in holding.find(connection, workspace, name, FOUND_MOST)}
    claiming = sorted({(standing.since(one), one.record) for one in claims}, reverse=True)
    return found | {number for _, number in claiming[:FOUND_MOST]}


def _newer(reading: _Reading, found: Iterable[Record], at: Moments) -> list[Record]:
    """Those that may outdate anything at the asked moment, the newest first."""
    held = sorted((one for one in found if _holds(one, at)), key=lambda one: (one.said_at, one.id), reverse=True)
    chosen = sorted(held, key=lambda one: one.taint >= QUARANTINED_FROM)[:NEWER_MOST]
    return sorted((one for one in chosen if reading.told(one).stated), key=lambda one: (one.said_at, one.id), reverse=True)


def _holds(one: Record, at: Moments) -> bool:
    if one.state != "active" or one.recorded_at > at.known or (at.told and one.said_at > at.valid):
        return False
    return one.holds_at(at.valid)


def _judged(
    reading: _Reading, fact: Fact, texts: Mapping[int, Record], newer: Sequence[Record], slots: standing.Slots
) -> Judged:
    read = [claim for claim in fact.claims[:CLAIMS_MOST] if claim.version == claim.now_version and claim.record in texts]
    over: set[int] = set()
    until: int | None = None
    instead: list[_Later] = []
    for record in newer:
        if _restated(fact, record):
            continue
        said = [(claim, found) for claim in read if (found := _update(reading, record, claim, texts[claim.record]))]
        ended = [claim for claim, _ in said if belief.yields(claim, belief.voice(record))]
        over.update(claim.id for claim in ended)
        until = record.said_at if ended else until  # the first one that ended it, since they come newest first
        if said and not (instead and ended and _ends(instead, read)):
            instead.append(_Later(record, said[0][1]))
    if not instead:
        return Judged(fact)
    last = [_last(reading, newer, one) for one in instead]
    shown = {one.record.id: one for one in map(_shown, last) if one.value and not _claimed(one, fact, slots)}
    stands = tuple(claim for claim in fact.claims if claim.id not in over) if len(over) < len(read) else ()
    if stands:
        return Judged(replace(fact, claims=stands), None, tuple(shown.values())[:INSTEAD_MOST])
    return Judged(fact, until, tuple(shown.values())[:INSTEAD_MOST])


def _ends(found: Sequence[_Later], claims: Collection[Seen]) -> bool:
    """Whether one of these, which are newer, ended a claim already: then what is older says nothing of today."""
    return any(belief.yields(claim, belief.voice(one.record)) for one in found for claim in claims)


def _restated(fact: Fact, record: Record) -> bool:
    """Whether it was said once more afterwards, by somebody whose word counts against the record."""
    return any(standing.since(claim) > record.said_at and belief.yields(record, belief.voice(claim)) for claim in fact.claims)


def _update(reading: _Reading, record: Record, claim: Seen, older: Record) -> Update | None:
    """What a newer record says instead of this very claim."""
    if record.id == claim.record:
        return None
    found = reading.replaces(record, older)
    if found is None or found.older[0] >= claim.ends or found.older[1] <= claim.starts:
        return None
    return found if _alike(found.old, claim.value) else None


def _alike(one: str, other: str) -> bool:
    ours, theirs = fold(one.strip()), fold(other.strip())
    return bool(ours and theirs) and (ours in theirs or theirs in ours)


def _last(reading: _Reading, newer: Sequence[Record], first: _Later) -> _Later:
    """What is said now, when what took the place of a fact was itself replaced later."""
    here = first
    for _ in range(STEPS_MOST):
        follow = next(_following(reading, newer, here), None)
        if follow is None:
            break
        here = follow
    return here


def _following(reading: _Reading, newer: Sequence[Record], here: _Later) -> Iterator[_Later]:
    for record in newer:
        if belief.yields(here.record, belief.voice(record)):
            found = reading.replaces(record, here.record)
            if found is not None and _alike(found.old, here.update.new):
                yield _Later(record, found)


def _shown(one: _Later) -> Said:
    return Said(one.record, *one.update.newer, one.update.new)


def _claimed(said: Said, fact: Fact, slots: standing.Slots) -> bool:
    """Whether a claim of the same thing says it already."""
    return any(
        one.record == said.record.id
        and one.version == said.record.version
        and one.polarity > 0
        and slots.roots[one.subject] == fact.subject
        and _alike(one.value, said.value)
        for one in slots.claims
    )
