"""Which of some records hold now, for a briefing: it has no room for marks, so what is over or outdated is not in it.

Needs no numpy, since briefings are given by hooks.
"""

from __future__ import annotations

from collections.abc import Sequence

from muniment.model.records import Record

READ_CHARS = 2000


def of(found: Sequence[Record], now: int) -> list[Record]:
    """The records that hold at `now` (ms UTC) by their own dates, and that no other of them outdates; in their order."""
    begun = [one for one in found if _holds(one, now)]
    if len(begun) < 2:
        return begun
    from muniment.text import updates  # reading statements costs more to load than all else that a briefing needs

    told = {one.id: updates.told(one.text[:READ_CHARS], speaker=one.speaker, subject=one.subject, at=_at(one)) for one in begun}
    return [
        one
        for one in begun
        if not any(
            (_at(later), later.id) > (_at(one), one.id) and updates.replaces(told[later.id], told[one.id]) for later in begun
        )
    ]


def _holds(one: Record, now: int) -> bool:
    begun = one.valid_from is None or one.valid_from <= now
    return begun and (one.valid_to is None or now < one.valid_to)


def _at(one: Record) -> int:
    return one.event.ms if one.event else one.recorded_at
