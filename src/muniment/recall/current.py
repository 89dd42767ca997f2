"""Which of some records hold now, for a briefing: it has no room for marks, so what is over or outdated is not in it.

Needs no numpy, since briefings are given by hooks.
"""

from __future__ import annotations

from collections.abc import Sequence

from muniment.model.records import Record


def of(found: Sequence[Record], now: int) -> list[Record]:
    """The records that hold at `now` (ms UTC) by their own dates, and that no other of them outdates; in their order."""
    begun = [one for one in found if one.holds_at(now)]
    if len(begun) < 2:
        return begun
    from muniment.text.statements import updates  # reading statements costs more to load than all else that a briefing needs

    told = {one.id: updates.told(one.text, speaker=one.speaker, subject=one.subject, at=one.said_at) for one in begun}
    return [
        one
        for one in begun
        if not any(
            (later.said_at, later.id) > (one.said_at, one.id) and updates.replaces(told[later.id], told[one.id])
            for later in begun
        )
    ]
