"""What a record states, as values in slots: from its claims, and read out of its text by rule.

Always true here: the quote of an assertion stands in the text of the version it is of, word for word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from muniment.governance import grounding
from muniment.model.records import Record
from muniment.model.stated import Stated, Told
from muniment.store import scans
from muniment.store.conflicts import Member, Slot
from muniment.store.connections import Connection
from muniment.text.scripts import fold
from muniment.text.statements import updates
from muniment.text.stems import stem

# Of longer texts only the claims count: they are read by the page, not by the sentence.
TEXT_READ_MAX = 20_000
NEGATION = "not "
MARKED = ("change", "correction")


@dataclass(frozen=True, slots=True)
class Assertion:
    """A record says that a slot has a value, over `[since, until)` (ms UTC, None: not told).

    `side` is what it is compared by. `complete`: subject, attribute and value are all there, and the value stands in the
    quote. `claimed`: somebody named all three, so that no reading of the words is needed. `marked`: the words themselves tell
    of a change.
    """

    record: int
    version: int
    slot: Slot
    value: str
    side: str
    starts: int
    ends: int
    quote: str
    since: int | None
    until: int | None
    many: bool = False
    complete: bool = True
    claimed: bool = False
    marked: bool = False
    past: bool = False

    def member(self) -> Member:
        return Member(self.record, self.version, self.side, self.value, self.quote, self.starts, self.ends)

    @property
    def key(self) -> tuple[int, int, str]:
        return self.record, self.version, self.side


def told(record: Record) -> Told:
    """A record as a text with who said it and when."""
    text = record.text if len(record.text) <= TEXT_READ_MAX else ""
    return updates.told(text, speaker=record.speaker, subject=record.subject, at=record.said_at)


def of(connection: Connection, record: Record, read: Told | None = None) -> list[Assertion]:
    """Everything a record states, each value of a slot once. Of turns only the claims count."""
    found: dict[tuple[str, str], Assertion] = {}
    for one in _claimed(connection, record):
        found.setdefault((one.slot.key, one.side), one)
    spans = {(one.starts, one.ends, one.side) for one in found.values()}
    if record.kind != "turn":
        for stated in (read or told(record)).stated:
            if stated.cue == "tentative":
                continue
            one = _stated(record, stated)
            # A claim that was read out of the same words has them under the name of its entity.
            if not any(start < one.ends and one.starts < end and side == one.side for start, end, side in spans):
                found.setdefault((one.slot.key, one.side), one)
    return list(found.values())


def overlap(one: Assertion, other: Assertion) -> bool:
    """Whether there is a moment at which both are known to hold.

    A beginning that was not told is not taken to lie before the end of the other one: what ended when something else began
    is no contradiction of it.
    """
    ends = [end for end in (one.until, other.until) if end is not None]
    if not ends:
        return True
    last = min(ends)
    return all(each.until == last or (each.since is not None and each.since < last) for each in (one, other))


def _claimed(connection: Connection, record: Record) -> Iterator[Assertion]:
    for claim in scans.told(connection, record.workspace, record.id):
        if record.text[claim.starts : claim.ends] != claim.quote:
            continue  # a quote that is not in the text proves nothing
        slot = _slot(claim.subject_norm, claim.subject, claim.attribute, claim.attribute, claim.qualifier)
        negated = claim.polarity < 0
        yield Assertion(
            record=record.id,
            version=record.version,
            slot=slot,
            value=_shown(claim.value, negated),
            side=_side(claim.value_norm, negated),
            starts=claim.starts,
            ends=claim.ends,
            quote=claim.quote,
            since=_later(record.valid_from, claim.valid_from),
            until=_earlier(record.valid_to, claim.valid_to),
            many=claim.many,
            claimed=claim.method != "rule",
            complete=_named(claim.subject) and _named(claim.attribute) and _grounded(claim.value, claim.quote),
        )


def _stated(record: Record, stated: Stated) -> Assertion:
    quote = record.text[stated.start : stated.end]
    slot = _slot(stated.subject_norm, stated.subject, stated.attribute_norm, stated.attribute, stated.qualifier_norm)
    negated = stated.polarity < 0
    return Assertion(
        record=record.id,
        version=record.version,
        slot=slot,
        value=_shown(stated.value, negated),
        side=_side(stated.value_norm, negated),
        starts=stated.start,
        ends=stated.end,
        quote=quote,
        since=record.valid_from,
        until=record.valid_to,
        many=stated.many,
        complete=stated.keyed and _grounded(stated.value, quote),
        marked=stated.cue in MARKED,
        past=stated.past,
    )


def _slot(subject_norm: str, subject: str, attribute_norm: str, attribute: str, qualifier: str) -> Slot:
    """One key for subject and attribute together: who wrote "the port of the server" and who claims port of server mean one."""
    stems = {stem(fold(word)) for word in f"{subject_norm} {attribute_norm}".split()}
    topic = sorted(stems - updates.RELATIONS or stems)
    return Slot(f"{' '.join(topic)}\x1f{' '.join(sorted(qualifier.split()))}", subject, attribute, qualifier)


def _side(value_norm: str, negated: bool) -> str:
    return f"{NEGATION}{value_norm}" if negated else value_norm


def _shown(value: str, negated: bool) -> str:
    return f"{NEGATION}{value}" if negated else value


def _named(part: str) -> bool:
    """Whether a part of a slot is there: an unknown subject is the same as no other."""
    return fold(part).strip() not in grounding.NO_VALUES | {""}


def _grounded(value: str, quote: str) -> bool:
    return grounding.usable(value) and grounding.holds(quote, value)


def _later(one: int | None, other: int | None) -> int | None:
    return max((time for time in (one, other) if time is not None), default=None)


def _earlier(one: int | None, other: int | None) -> int | None:
    return min((time for time in (one, other) if time is not None), default=None)
