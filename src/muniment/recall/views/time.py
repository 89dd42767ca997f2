"""Time: the windows of conversation that a time expression points at, their turns ordered by words."""

from __future__ import annotations

import calendar
from datetime import UTC, datetime

import numpy as np

from muniment.model.times import DAY_MS
from muniment.recall import tuning
from muniment.recall.look import Hits, Look
from muniment.recall.question import Question

WINDOWS_MOST = 200
YEARS_MOST = 5


def find(look: Look) -> Hits:
    """The turns of the asked time that hold an asked word come first, then the latest."""
    ranks = [np.empty(0, np.int64)]
    for after, before in intervals(look.question):
        for index, workspace in enumerate(look.corpus.workspaces):
            values = {"workspace": workspace, "after": after, "before": before, "limit": WINDOWS_MOST}
            for session, _, _, first, last in look.connection.all("episodes_between", values):
                ranks.append(_ranks(look, index << 40 | session, first, last))
    found = np.unique(np.concatenate(ranks)).astype(np.int32)
    found = found[look.may[found]]
    order = np.lexsort((-found, -np.round(look.lexical.scores[found], 6)))[: tuning.VIEW_MOST]
    return Hits("time", found[order], look.lexical.scores[found[order]])


def intervals(question: Question) -> list[tuple[int, int]]:
    """What the question's time expression covers, half-open, in ms UTC; empty when it names no certain time."""
    if question.interval:
        return [question.interval]
    asked = question.dates
    found = []
    for year in sorted(asked.years)[:YEARS_MOST]:
        if asked.days:
            found += [
                _span(year, month, day) for month, day in sorted(asked.days) if day <= calendar.monthrange(year, month)[1]
            ]
        elif asked.months:
            found += [_span(year, month) for month in sorted(asked.months)]
        else:
            found.append((_ms(datetime(year, 1, 1, tzinfo=UTC)), _ms(datetime(year + 1, 1, 1, tzinfo=UTC))))
    return found


def latest_months(question: Question, now: int) -> list[tuple[int, int]]:
    """For months without a year: the last time that each of them began before `now` (ms UTC)."""
    asked = question.dates
    if asked.years or asked.days:
        return []
    at = datetime.fromtimestamp(now / 1000, UTC)
    return [_span(at.year if month <= at.month else at.year - 1, month) for month in sorted(asked.months)]


def _span(year: int, month: int, day: int | None = None) -> tuple[int, int]:
    start = datetime(year, month, day or 1, tzinfo=UTC)
    length = 1 if day else calendar.monthrange(year, month)[1]
    return _ms(start), _ms(start) + length * DAY_MS


def _ms(at: datetime) -> int:
    return round(at.timestamp() * 1000)


def _ranks(look: Look, session: int, first: int, last: int) -> np.ndarray:
    """The ranks of a run of turns of one session; they stand side by side."""
    low, high = np.searchsorted(look.corpus.session, (session, session + 1))
    seq = look.corpus.seq[low:high]
    return np.arange(low + np.searchsorted(seq, first), low + np.searchsorted(seq, last, side="right"))
