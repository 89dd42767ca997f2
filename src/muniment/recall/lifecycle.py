"""What was replaced hands over to what replaced it, unless the past is asked for; then the replaced comes first.

Only candidates are moved about here. Nothing is retired, and a memory in which nothing was replaced is answered as ever.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from muniment.model.times import DAY_MS
from muniment.recall import filters, tuning
from muniment.recall.candidates import Candidate
from muniment.recall.clocks import CHAIN_MOST, CORRECTED, EXPIRED, FUTURE, HELD, REPLACED, Clock
from muniment.recall.fusion import calibrated
from muniment.recall.look import Look
from muniment.recall.question import Era, Question
from muniment.recall.views import time

# So many earlier values of one thing an answer about the past brings in, the latest first.
EARLIER_MOST = 5


def era(question: Question, now: int) -> Era:
    """A window that reaches into the present asks for what holds now."""
    if question.asks_past:
        return Era("past")
    spans = time.intervals(question) or time.latest_months(question, now)
    window = (min(since for since, _ in spans), max(until for _, until in spans)) if spans else None
    return Era("period", window) if window and window[1] <= now else Era("now")


def settle(look: Look, candidates: list[Candidate]) -> list[Candidate]:
    """Candidates as they stand at the asked moment: replaced ones give their score to their heirs, or come first."""
    if look.clock.plain:
        return candidates
    moved = _Moved(look)
    for one in candidates:
        moved.take(one)
    kept = [one for one in moved.kept.values() if moved.told is None or look.clock.code(*where(one)) in moved.told]
    return sorted(kept, key=lambda one: (-round(one.raw, 6), one.rank))


class _Moved:
    """The candidates that stay, each once, with the highest score that anything gave them."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.shown = filters.shown(look.clock, look.wanted)
        # What a filter says of states holds whatever the question asks for.
        self.told = self.shown if look.wanted is not None and look.wanted.state is not None else None
        self.kept: dict[tuple[int, int], Candidate] = {}

    def take(self, one: Candidate) -> None:
        look, table = self.look, self.look.clock.tables[one.place]
        if one.record not in table.rows and one.record not in table.before:
            self._keep(one)
            return
        code = look.clock.code(*where(one))
        if code == FUTURE or (code == EXPIRED and look.era.mode == "now"):
            self._keep(one, -tuning.LAPSED)
        elif look.era.mode == "past":
            self._past(one, code)
        elif look.era.mode == "period" and look.clock.as_of is None:
            self._period(one, code)
        elif code in (REPLACED, CORRECTED):
            self._hand(one, heir(look, one.place, one.record, self.shown))
            if self.told and code in self.told:
                self._keep(one)
        else:
            self._keep(one)

    def _past(self, one: Candidate, code: int) -> None:
        """What was replaced comes first; what replaced it brings it in."""
        self._keep(one, self._raised(one.place, one.record) if code == REPLACED else 0.0)
        for earlier in self.look.clock.tables[one.place].replaced(one.record)[:EARLIER_MOST]:
            self._bring(one, earlier, REPLACED, self._raised(one.place, earlier))

    def _period(self, one: Candidate, code: int) -> None:
        """What was in force in the window comes before what took its place later."""
        look = self.look
        then = [other for other in chain(look.clock, one.place, one.record) if self._in_force(one.place, other)]
        if one.record in then:
            self._keep(one, tuning.PERIOD_RAISE if code == REPLACED else 0.0)
        elif code not in (REPLACED, CORRECTED) or self.told:
            self._keep(one)
        for other in then:
            if other != one.record:
                self._bring(one, other, None, tuning.PERIOD_RAISE)
        if not then and code in (REPLACED, CORRECTED):
            self._hand(one, heir(look, one.place, one.record, self.shown))

    def _in_force(self, place: int, record: int) -> bool:
        """Whether a member of a chain held in the asked window; what was never so did not."""
        rank = self.look.corpus.first(place, record)
        if rank < 0 or self.look.clock.code(place, record, rank) not in (HELD, REPLACED, EXPIRED):
            return False
        row = self.look.clock.row(place, record)
        begins = self.look.clock.tables[place].begins(record, int(filters.moments(self.look.corpus)[rank]))
        return self.look.era.covers(begins, row.valid_to if row else None)

    def _raised(self, place: int, record: int) -> float:
        row = self.look.clock.row(place, record)
        return raised(self.look, row.valid_to if row else None)

    def _hand(self, one: Candidate, to: int | None) -> None:
        if to is not None:
            self._bring(one, to, None, 0.0)

    def _bring(self, one: Candidate, record: int, code: int | None, more: float) -> None:
        """Give a candidate's score to another record of its workspace, if the filter lets that one in."""
        rank = self.look.corpus.first(one.place, record)
        if rank < 0 or not self.look.may[rank]:
            return
        if code is not None and self.look.clock.code(one.place, record, rank) != code:
            return
        self._keep(replace(one, record=record, rank=rank, anchor=one.found_at), more)

    def _keep(self, one: Candidate, more: float = 0.0) -> None:
        raw = one.raw + more
        if more:
            one = replace(one, raw=raw, score=score(raw))
        held = self.kept.get((one.place, one.record))
        if held is None or held.raw < raw:
            self.kept[one.place, one.record] = one


def raised(look: Look, replaced_at: int | None) -> float:
    """How far a replaced record rises where the past is asked for: the later it was replaced (ms UTC), the further."""
    if replaced_at is None:
        return tuning.PAST_RAISE
    age = max(0, look.now.ms - replaced_at) / DAY_MS
    return float(tuning.PAST_RAISE + tuning.PAST_LATEST * np.exp2(-age / tuning.RECENT_HALF_DAYS))


def where(one: Candidate) -> tuple[int, int, int]:
    return one.place, one.record, one.rank


def score(raw: float) -> float:
    return round(float(calibrated(np.array([raw]))[0]), 4)


def heir(look: Look, place: int, record: int, shown: Iterable[int]) -> int | None:
    """The end of the chain of heirs, or the first one in it that is in force at the asked moment."""
    clock, allowed = look.clock, set(shown) - {REPLACED, CORRECTED}
    seen: set[int] = set()
    row = clock.row(place, record)
    while row is not None and row.state == "superseded" and row.superseded_by is not None and row.record not in seen:
        seen.add(row.record)
        rank = look.corpus.first(place, row.superseded_by)
        if rank >= 0 and clock.code(place, row.superseded_by, rank) in allowed:
            return row.superseded_by
        row = clock.row(place, row.superseded_by)
    return None


def chain(clock: Clock, place: int, record: int) -> list[int]:
    """A record with all that replaced it and all that it replaced; the record alone where there is nothing of that."""
    table = clock.tables[place]
    end, seen = record, {record}
    while (row := table.rows.get(end)) is not None and row.state == "superseded" and row.superseded_by is not None:
        if row.superseded_by in seen or len(seen) > CHAIN_MOST:
            break
        end = row.superseded_by
        seen.add(end)
    return [end, *table.replaced(end)]
