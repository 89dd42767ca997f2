"""Rosters: what recall must know of every passage of a workspace at once, packed 40 bytes each.

Writing needs no numpy, so that a hook stays quick. A roster row is written once; blocks are merged later and
merging never changes an answer.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from muniment.model.records import KINDS, TIERS
from muniment.store.connections import Connection
from muniment.text.statements.wording import Wording

ROW = struct.Struct("<IIIHHHBBBBHqq")
ROW_FIELDS = (
    ("record", "<u4"),
    ("session", "<u4"),
    ("seq", "<u4"),
    ("words", "<u2"),
    ("length", "<u2"),
    ("speaker", "<u2"),
    ("kind", "u1"),
    ("tier", "u1"),
    ("flags", "u1"),
    ("questions", "u1"),
    ("names", "<u2"),
    ("event", "<i8"),
    ("recorded", "<i8"),
)
NO_TIME = -(1 << 63)
# Flags of a row: what a passage holds that a question may ask for. Names are counted up to three, in two bits.
MENTIONS_TIME = 1
HOLDS_NUMBER = 4
NAMES_BIT = 3
NAMES_MOST = 3
# And what its record's text certainly does not do (`text.statements.wording`). A row written before these were known has none
# of them set; where one is set, what the others say is certain too.
MOVES_NOTHING = 32
DENIES_NOTHING = 64
STATES_NOTHING = 128
# The passage was forgotten: the row stands for nothing any more and only keeps the place of those after it.
GONE = 2
U16 = 0xFFFF
MERGE_AT = 32


@dataclass(frozen=True, slots=True)
class Entry:
    """One passage as the roster knows it. `length` is the whole record's, `words` and the rest the passage's own.

    `number`: it holds one; `people`: how many different proper names it holds; `names`: spans of any sort. `signs` are those
    of the whole record's text; None where they are not known.
    """

    record: int
    session: int
    seq: int
    words: int
    length: int
    speaker: int
    kind: str
    tier: str
    mentions_time: bool
    questions: float
    names: int
    event: int | None
    recorded: int
    number: bool = False
    people: int = 0
    signs: Wording | None = None


def pack(entry: Entry) -> bytes:
    return ROW.pack(
        entry.record,
        entry.session,
        entry.seq,
        min(entry.words, U16),
        min(entry.length, U16),
        min(entry.speaker, U16),
        KINDS.index(entry.kind),
        TIERS.index(entry.tier),
        _flags(entry),
        round(255 * entry.questions),
        min(entry.names, U16),
        NO_TIME if entry.event is None else entry.event,
        entry.recorded,
    )


def _flags(entry: Entry) -> int:
    time = MENTIONS_TIME if entry.mentions_time else 0
    number = HOLDS_NUMBER if entry.number else 0
    return time | number | min(entry.people, NAMES_MOST) << NAMES_BIT | _nothing(entry.signs)


def _nothing(signs: Wording | None) -> int:
    if signs is None:
        return 0
    moves = 0 if signs.moves else MOVES_NOTHING
    denies = 0 if signs.denies else DENIES_NOTHING
    return moves | denies | (0 if signs.states else STATES_NOTHING)


def add(connection: Connection, workspace: int, first: int, entries: list[Entry]) -> None:
    """Append the entries of ordinals `first`, `first + 1`, …"""
    data = b"".join(pack(entry) for entry in entries)
    connection.run("roster_add", {"workspace": workspace, "first": first, "last": first + len(entries) - 1, "data": data})


def gone(connection: Connection, workspace: int) -> int:
    """How many rows of a workspace stand for nothing any more."""
    flags = ROW.size - struct.calcsize("<BBHqq")
    rows = connection.all("rosters_from", {"workspace": workspace, "have": 0})
    return sum(flag & GONE > 0 for _, _, data in rows for flag in data[flags :: ROW.size])


def merge(connection: Connection, workspace: int) -> None:
    """Join the blocks of a workspace into one, once there are many."""
    row = connection.one("roster_count", {"workspace": workspace})
    if row is None or row[0] < MERGE_AT:
        return
    rows = connection.all("rosters_from", {"workspace": workspace, "have": 0})
    connection.run("rosters_drop", {"workspace": workspace})
    data = b"".join(row[2] for row in rows)
    connection.run("roster_add", {"workspace": workspace, "first": rows[0][0], "last": rows[-1][1], "data": data})
