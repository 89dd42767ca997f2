"""Whether a newer text outdates what an older one says: the same slot with another value, and nothing less certain.

Always true here: unsure is None. Plans, questions, the past, another person, place or time never outdate anything.
"""

from __future__ import annotations

from muniment.model.stated import Stated, Told, Update
from muniment.text.statements import find


def told(
    text: str, *, speaker: str | None = None, subject: str | None = None, at: int | None = None, before: str | None = None
) -> Told:
    """A text with its statements read. `at` is ms UTC; `before` the text of the turn before it in its session."""
    return Told(text, find(text, speaker), speaker, subject, at, before)


def replaces(newer: Told, older: Told) -> Update | None:
    """What `newer` says instead of `older`, or None when it does not, or not certainly."""
    if newer.at is not None and older.at is not None and newer.at < older.at:
        return None
    for new in newer.stated:
        for old in older.stated:
            if _outdates(new, old):
                why = "correction" if new.cue == "correction" else "change"
                slot = " ".join(filter(None, (old.subject, old.attribute)))
                return Update((new.start, new.end), (old.start, old.end), slot, old.value, new.value, why)
    return None


def _outdates(new: Stated, old: Stated) -> bool:
    if "tentative" in (new.cue, old.cue) or new.past or old.past or new.many or old.many:
        return False
    slot = new.subject_norm == old.subject_norm and new.attribute_norm == old.attribute_norm
    return (
        slot
        and new.keyed
        and new.qualifier_norm == old.qualifier_norm
        and new.sort == old.sort
        and new.polarity == old.polarity == 1
        and new.value_norm != old.value_norm
    )
