"""The passages that one question may be answered from, as columns in reading order.

A place in that order is a `rank`: the passages of a session stand side by side in spoken order, so a neighbour is
a rank away. Dead passages have no rank. A corpus never holds a workspace its caller did not name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from muniment.context import Context
from muniment.index.rosters import (
    DENIES_NOTHING,
    GONE,
    HOLDS_NUMBER,
    MENTIONS_TIME,
    MOVES_NOTHING,
    NAMES_BIT,
    NAMES_MOST,
    NO_TIME,
    ROW_FIELDS,
    STATES_NOTHING,
)
from muniment.model.records import KINDS
from muniment.store import workspaces
from muniment.store.connections import Connection
from muniment.text.questions import ROLES

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

DTYPE = np.dtype(list(ROW_FIELDS))
TURN = KINDS.index("turn")
REACH = 4
# What a neighbour's words are worth 1, 2, 3, 4 turns away: what was said before explains more than what came after.
BEFORE = (1.0, 0.50, 0.35, 0.25, 0.17)
AFTER = (1.0, 0.30, 0.20, 0.15, 0.10)
# A message counts as its neighbours' company by its shortness: fully up to 30 words, not at all from 80 on.
SHORT_WORDS = 30
LONG_WORDS = 80


@dataclass(frozen=True, slots=True, eq=False)
class Roster:
    """One workspace's passages in the order of their ordinals; row 0 is ordinal `first`. `dead` holds the ordinals of what
    is buried or was forgotten.

    `edition` is the stamp at which any of this last changed: most changes of a workspace concern no passage. Rows that were
    read are never read again, until something was forgotten: `forgettings` counts that."""

    workspace: int
    stamp: int
    edition: int
    first: int
    rows: NDArray[np.void]
    dead: Ints
    speakers: tuple[tuple[int, str], ...]
    forgettings: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Columns by rank. `place` is the index of the workspace in `workspaces`, `group` numbers the records,
    `near[d]` says how far rank r and rank r + d keep each other company (0 across sessions), and `heard` counts
    the words of a passage with those its neighbours lend it. `moves`, `denies` and `states` say what the text of a passage's
    record may do, as `text.statements.wording` has it: it does nothing else. `at` is when a passage was said, or stored if
    nobody knows; `last_turn` when the newest turn of which that is known was said (ms UTC), and `newest` the latest `at` of
    a turn, or of anything where there is no turn."""

    workspaces: tuple[int, ...]
    firsts: tuple[int, ...]
    rank_of: tuple[Ints, ...]
    place: NDArray[np.uint16]
    ordinal: Ints
    record: Ints
    session: Longs
    seq: Ints
    group: Ints
    words: Floats
    heard: Floats
    length: Floats
    short: Floats
    near: tuple[Floats, ...]
    speaker: Ints
    names: tuple[str, ...]
    kind: NDArray[np.uint8]
    tier: NDArray[np.uint8]
    timed: Flags
    numbered: Flags
    moves: Flags
    denies: Flags
    states: Flags
    people: NDArray[np.uint8]
    questions: Floats
    named: Floats
    peer: Flags
    event: Longs
    recorded: Longs
    at: Longs
    last_turn: int | None
    newest: int

    def __len__(self) -> int:
        return len(self.ordinal)

    def ranks(self, workspace: int, ordinals: Ints) -> Ints:
        """The ranks of ordinals of a workspace; -1 for what is dead or not loaded."""
        at = self.workspaces.index(workspace)
        table = self.rank_of[at]
        # What lies outside of the table falls on its last place, which is nobody's.
        return table[np.clip(ordinals - self.firsts[at], -1, len(table) - 1)]

    def first(self, place: int, record: int) -> int:
        """The rank of a record's first passage; -1 when it has none here."""
        # What was not said in a session is its own session, and sessions are in order.
        at = int(np.searchsorted(self.session, alone(place, record)))
        if at < len(self) and self.session[at] == alone(place, record):
            return at
        found = np.flatnonzero((self.record == record) & (self.place == place))
        return int(found[0]) if len(found) else -1


def load(context: Context, connection: Connection, wanted: Sequence[int]) -> Corpus:
    """The corpus of some workspaces, as this transaction sees them. What did not change is not read again."""
    rosters = tuple(_roster(context, connection, workspace) for workspace in wanted)
    editions = tuple(roster.edition for roster in rosters)
    key = ("corpus", tuple(wanted))
    held = context.shelf.get(key)
    if held is not None and held[0] == editions:
        corpus: Corpus = held[1]
        return corpus
    corpus = arrange(rosters)
    context.shelf.put(key, (editions, corpus))
    return corpus


def load_with(
    context: Context, connection: Connection, wanted: Sequence[int], overlay: Mapping[int, tuple[Ints, Ints]]
) -> Corpus:
    """The corpus with some passages buried and others live instead: by workspace, their ordinals. It is not kept here."""
    rosters = []
    for workspace in wanted:
        roster = _roster(context, connection, workspace)
        buried, revived = overlay.get(workspace, (roster.dead[:0], roster.dead[:0]))
        dead = np.setdiff1d(np.union1d(roster.dead, buried), revived).astype(np.int32)
        rosters.append(replace(roster, dead=dead))
    return arrange(rosters)


def _roster(context: Context, connection: Connection, workspace: int) -> Roster:
    stamp, _ = workspaces.stamp(connection, workspace)
    key = ("roster", workspace)
    held: Roster | None = context.shelf.get(key)
    if held is not None and held.stamp == stamp:
        return held
    row = connection.one("roster_first", {"workspace": workspace})
    first, forgettings = (row[0] or 1, row[1]) if row else (1, 0)
    newer = held is not None and held.stamp > stamp  # another thread saw a later moment than this transaction
    if held is not None and (newer or (held.first, held.forgettings) != (first, forgettings)):
        held = None  # a rebuilt index counts on from where the old one ended
    nothing = Roster(workspace, 0, 0, first, np.empty(0, DTYPE), np.empty(0, np.int32), (), forgettings)
    roster = _grown(connection, held or nothing, stamp)
    if not newer:
        context.shelf.put(key, roster)
    return roster


def _grown(connection: Connection, old: Roster, stamp: int) -> Roster:
    """A roster with what was stored since; the same edition when nothing in it changed."""
    have = old.first - 1 + len(old.rows)
    found = connection.all("rosters_from", {"workspace": old.workspace, "have": have})
    parts = [np.frombuffer(data, DTYPE)[max(0, have + 1 - first) :] for first, _, data in found]
    rows = np.concatenate([old.rows, *parts]) if parts else old.rows
    buried = np.array([row[0] for row in connection.all("passages_dead", {"workspace": old.workspace})], np.int32)
    dead = np.concatenate([buried, (np.flatnonzero(rows["flags"] & GONE) + old.first).astype(np.int32)])
    speakers = tuple((row[0], row[1]) for row in connection.all("speakers", {"workspace": old.workspace}))
    same = old.stamp and not parts and np.array_equal(dead, old.dead)
    edition = old.edition if same else stamp
    return Roster(old.workspace, stamp, edition, old.first, rows, dead, speakers, old.forgettings)


def arrange(rosters: Sequence[Roster]) -> Corpus:
    """Put the passages of several workspaces into reading order and work out who stands beside whom."""
    rows, place, ordinal = _stacked(rosters)
    # What was not said in a session is its own session, so that it has no neighbours.
    by_itself = alone(0, rows["record"].astype(np.int64))
    session = place.astype(np.int64) << 40 | np.where(rows["session"] == 0, by_itself, rows["session"])
    inner = rows["seq"].astype(np.int64) << 32 | ordinal
    if len(rows) > 1 and not _sorted(session, inner):
        order = np.lexsort((inner, session))
        rows, place, ordinal, session = rows[order], place[order], ordinal[order], session[order]
    record = rows["record"].astype(np.int32)
    names, speaker = _speakers(rosters, rows["speaker"], place)
    length = rows["length"].astype(np.float32)
    words = rows["words"].astype(np.float32)
    short = np.clip((LONG_WORDS - length) / (LONG_WORDS - SHORT_WORDS), 0, 1).astype(np.float32)
    event, recorded = rows["event"].copy(), rows["recorded"].copy()
    at, turns = np.where(event == NO_TIME, recorded, event), rows["kind"] == TURN
    said = event[(event != NO_TIME) & turns]
    dated = at[turns] if turns.any() else at
    near = (short, *(_near(session, short, step) for step in range(1, REACH + 1)))
    return Corpus(
        workspaces=tuple(roster.workspace for roster in rosters),
        firsts=tuple(roster.first for roster in rosters),
        rank_of=_rank_of(rosters, place, ordinal),
        place=place,
        ordinal=ordinal,
        record=record,
        session=session,
        seq=rows["seq"].astype(np.int32),
        group=_groups(record, session),
        words=words,
        heard=_heard(words, near),
        length=length,
        short=short,
        near=near,
        speaker=speaker,
        names=names,
        kind=rows["kind"].copy(),
        tier=rows["tier"].copy(),
        timed=(rows["flags"] & MENTIONS_TIME) > 0,
        numbered=(rows["flags"] & HOLDS_NUMBER) > 0,
        moves=(rows["flags"] & MOVES_NOTHING) == 0,
        denies=(rows["flags"] & DENIES_NOTHING) == 0,
        states=(rows["flags"] & STATES_NOTHING) == 0,
        people=(rows["flags"] >> NAMES_BIT & NAMES_MOST).astype(np.uint8),
        questions=(rows["questions"] / np.float32(255)).astype(np.float32),
        named=rows["names"].astype(np.float32),
        peer=_peers(session, speaker, names),
        event=event,
        recorded=recorded,
        at=at,
        last_turn=int(said.max()) if len(said) else None,
        newest=int(dated.max()) if len(dated) else 0,
    )


def alone(place: int, record: Any) -> Any:
    """What stands for the session of a record that was not said in one. `record` may be an array."""
    return place << 40 | 1 << 36 | record


def _stacked(rosters: Sequence[Roster]) -> tuple[NDArray[np.void], NDArray[np.uint16], Ints]:
    rows, places, ordinals = [np.empty(0, DTYPE)], [np.empty(0, np.uint16)], [np.empty(0, np.int32)]
    for number, roster in enumerate(rosters):
        live = np.ones(len(roster.rows), bool)
        live[roster.dead - roster.first] = False
        kept = roster.rows if live.all() else roster.rows[live]
        rows.append(kept)
        places.append(np.full(len(kept), number, np.uint16))
        ordinals.append(np.flatnonzero(live).astype(np.int32) + roster.first)
    if len(rosters) == 1:
        return rows[1], places[1], ordinals[1]
    return np.concatenate(rows), np.concatenate(places), np.concatenate(ordinals)


def _sorted(major: Longs, minor: Longs) -> bool:
    step = np.diff(major)
    return bool(((step > 0) | ((step == 0) & (np.diff(minor) > 0))).all())


def _rank_of(rosters: Sequence[Roster], place: NDArray[np.uint16], ordinal: Ints) -> tuple[Ints, ...]:
    tables = []
    for number, roster in enumerate(rosters):
        table = np.full(len(roster.rows) + 1, -1, np.int32)
        here = np.flatnonzero(place == number)
        table[ordinal[here] - roster.first] = here
        tables.append(table)
    return tuple(tables)


def _groups(record: Ints, session: Longs) -> Ints:
    """Consecutive passages of one record share a number."""
    if not len(record):
        return np.empty(0, np.int32)
    new = np.ones(len(record), np.int32)
    new[1:] = (np.diff(record) != 0) | (np.diff(session) != 0)
    return (np.cumsum(new) - 1).astype(np.int32)


def _near(session: Longs, short: Floats, step: int) -> Floats:
    out = np.zeros(len(short), np.float32)
    if len(short) > step:
        out[:-step] = short[:-step] * short[step:] * (session[:-step] == session[step:])
    return out


def _heard(words: Floats, near: tuple[Floats, ...]) -> Floats:
    out = words.copy()
    for step in range(1, REACH + 1):
        if len(out) > step:
            out[:-step] += np.float32(AFTER[step]) * near[step][:-step] * words[step:]
            out[step:] += np.float32(BEFORE[step]) * near[step][:-step] * words[:-step]
    return out


def _speakers(
    rosters: Sequence[Roster], speaker: NDArray[np.uint16], place: NDArray[np.uint16]
) -> tuple[tuple[str, ...], Ints]:
    """One numbering of speakers over all workspaces; number 0 is nobody."""
    names = [""]
    numbers: dict[str, int] = {"": 0}
    out = np.zeros(len(speaker), np.int32)
    for index, roster in enumerate(rosters):
        table = np.zeros(max((number for number, _ in roster.speakers), default=0) + 1, np.int32)
        for number, name in roster.speakers:
            if name not in numbers:
                numbers[name] = len(names)
                names.append(name)
            table[number] = numbers[name]
        here = place == index if len(rosters) > 1 else slice(None)
        out[here] = table[np.minimum(speaker[here], len(table) - 1)]
    return tuple(names), out


def _peers(session: Longs, speaker: Ints, names: tuple[str, ...]) -> Flags:
    """Whether a passage was said among named people: no speaker of its session is a mere role, and there is one."""
    if not len(session):
        return np.empty(0, bool)
    role = np.array([not name or name.lower() in ROLES for name in names])
    starts = np.flatnonzero(np.concatenate([[True], np.diff(session) != 0]))
    roles = np.logical_or.reduceat(role[speaker], starts)
    sizes = np.diff(np.append(starts, len(session)))
    return np.repeat(~roles, sizes)
