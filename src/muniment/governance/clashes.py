"""Whether two records contradict each other: the judgement on a pair, by rule.

What is sure has a whole slot, a value that stands in its quote, a shared moment, and no reason why both may be right. What
is unsure is only shown to somebody; it opens nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from muniment.governance import assertions, coexistence, grounding
from muniment.governance.assertions import NEGATION, Assertion
from muniment.model.records import Record
from muniment.model.stated import Told, Update
from muniment.store.conflicts import Slot
from muniment.store.connections import Connection
from muniment.text.statements import updates

# How sure a candidate is: the slot is the same, one direction says so, or both do.
SAME_SLOT, ONE_WAY, BOTH_WAYS = 0.4, 0.5, 0.6


@dataclass(frozen=True, slots=True)
class Clash:
    """Two assertions of one slot that cannot both hold. `sure` false: somebody has to look first."""

    one: Assertion
    other: Assertion
    sure: bool
    score: float = 1.0

    @property
    def slot(self) -> Slot:
        return self.one.slot


@dataclass(frozen=True, slots=True)
class Read:
    """A record as it was read: its text in statements, and all that it asserts."""

    record: Record
    told: Told
    assertions: tuple[Assertion, ...]


def read(connection: Connection, record: Record) -> Read:
    told = assertions.told(record)
    return Read(record, told, tuple(assertions.of(connection, record, told)))


def between(one: Read, other: Read, *, strict: bool = False) -> list[Clash]:
    """Every clash of two records. Read from the words, it is sure when one of the two would outdate the other, and with
    `strict` only when each would, read after the other, and both readings mirror each other."""
    if one.record.id == other.record.id or one.record.workspace != other.record.workspace:
        return []
    found = [(a, b) for a in one.assertions for b in other.assertions if _against(one, a, other, b)]
    told = [Clash(a, b, True) for a, b in found if a.claimed and b.claimed and a.complete and b.complete]
    if told:
        return told
    forth, back = _ways(one, other)
    if forth is None and back is None:
        # The words say no; only what somebody claimed in so many words is worth a look all the same.
        return [Clash(a, b, False, SAME_SLOT) for a, b in found if a.claimed or b.claimed]
    sure = agreed(forth, back) if strict else True
    score = BOTH_WAYS if forth and back else ONE_WAY
    if found:
        return [Clash(a, b, True) if sure and a.complete and b.complete else Clash(a, b, False, score) for a, b in found]
    return _unsure(one, other, forth, back)


def opposed(one: Assertion, other: Assertion) -> bool:
    """Whether two assertions of one slot say different things: other values, or that a value is one and is not."""
    negated = [side.side.startswith(NEGATION) for side in (one, other)]
    if all(negated):
        return False
    if any(negated):
        return one.side.removeprefix(NEGATION) == other.side.removeprefix(NEGATION)
    return one.side != other.side and grounding.normal(one.value) != grounding.normal(other.value)


def agreed(forth: Update | None, back: Update | None) -> bool:
    """Whether both directions were read, and mirror each other."""
    if forth is None or back is None:
        return False
    normal = grounding.normal
    return (normal(forth.old), normal(forth.new)) == (normal(back.new), normal(back.old))


def _against(one: Read, a: Assertion, other: Read, b: Assertion) -> bool:
    """Whether two assertions speak of one slot, cannot both hold, and nothing says that both may be right."""
    if a.slot.key != b.slot.key or a.many or b.many or not opposed(a, b) or not assertions.overlap(a, b):
        return False
    if a.past != b.past or (a if _after(one, other) else b).marked:
        return False
    return not _coexist(one, a.quote, other, b.quote, (a.value, b.value))


def _coexist(one: Read, quote: str, other: Read, against: str, values: tuple[str, str]) -> bool:
    """Whether both may be right, or the later one says of itself that it tells of a change."""
    later = quote if _after(one, other) else against
    return coexistence.veto(quote, against, values) is not None or coexistence.marks_change(later)


def _after(one: Read, other: Read) -> bool:
    return (one.told.at or 0, one.record.id) > (other.told.at or 0, other.record.id)


def _ways(one: Read, other: Read) -> tuple[Update | None, Update | None]:
    """What each of the two would outdate of the other, if it were the later one of them."""
    times = [time for time in (one.told.at, other.told.at) if time is not None]
    first, last = min(times, default=None), max(times, default=None)
    return (
        updates.replaces(replace(one.told, at=last), replace(other.told, at=first)),
        updates.replaces(replace(other.told, at=last), replace(one.told, at=first)),
    )


def _unsure(one: Read, other: Read, forth: Update | None, back: Update | None) -> list[Clash]:
    """A pair that only the judgement on texts brought up: no slot is certain, so it is shown and opens nothing."""
    if "turn" in (one.record.kind, other.record.kind):
        return []
    if forth is not None:
        newer, older, update = one, other, forth
    elif back is not None:
        newer, older, update = other, one, back
    else:
        return []
    a, b = _worded(newer, update.newer, update.new, update.slot), _worded(older, update.older, update.old, update.slot)
    if not assertions.overlap(a, b) or _coexist(newer, a.quote, older, b.quote, (a.value, b.value)):
        return []
    return [Clash(a, b, False, BOTH_WAYS if forth and back else ONE_WAY)]


def _worded(read: Read, span: tuple[int, int], value: str, slot: str) -> Assertion:
    start, end = span
    record = read.record
    return Assertion(
        record=record.id,
        version=record.version,
        slot=Slot(slot, slot, "", ""),
        value=value,
        side=grounding.normal(value),
        starts=start,
        ends=end,
        quote=record.text[start:end],
        since=record.valid_from,
        until=record.valid_to,
        complete=False,
    )
