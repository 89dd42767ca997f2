"""What a text would outdate though nobody named it: records that say another value of the same thing, read by rule.

It only looks, and is sure of what it finds; what it cannot read with certainty it does not count.
"""

from __future__ import annotations

from muniment.context import Context
from muniment.index import similar, write
from muniment.model.access import Workspace
from muniment.model.records import Record
from muniment.model.stated import READ_MAX, Told
from muniment.store.connections import Connection
from muniment.text.statements import updates

WORDS_LEAST = 0.2
LOOKED_AT_MOST = 20
TRUSTED_FROM = 0.7


def trusted(record: Record) -> bool:
    """Whether a record is believed enough that nobody may turn against it in passing."""
    return record.taint == 0 and record.trust >= TRUSTED_FROM


def outdated(
    context: Context, connection: Connection, place: Workspace, text: str, kind: str, *, but: frozenset[int] = frozenset()
) -> list[Record]:
    """The trusted memories, besides those named in `but`, that a text says otherwise about."""
    newer = updates.told(text, at=context.now())
    alike = similar.find(connection, place.id, write.analyse(text[:READ_MAX], kind), least=WORDS_LEAST, most=LOOKED_AT_MOST)
    held = (one.record for one in alike)
    return [one for one in held if one.id not in but and trusted(one) and _outdates(newer, one)]


def _outdates(newer: Told, one: Record) -> bool:
    older = updates.told(one.text, speaker=one.speaker, subject=one.subject, at=one.said_at)
    return updates.replaces(newer, older) is not None
