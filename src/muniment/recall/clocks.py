"""Which moment an answer speaks of: now, a day in the world (`as_of`), or what memory held then (`known_at`).

Every record has one code at that moment. Only records whose standing is unusual are looked at one by one, so a memory in
which nothing was ever replaced pays nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from muniment.context import Context
from muniment.index import corpus as corpora
from muniment.index.corpus import Corpus, Flags, Ints
from muniment.model.recalling import RecallRequest
from muniment.model.records import FOUND_STATES
from muniment.store import standings, workspaces
from muniment.store.connections import Connection
from muniment.store.standings import Effect, Standing
from muniment.text import dates

# How a record stands at the moment: not there (yet), in force, replaced because the world changed, replaced because it had
# never been so, over by its own dates, and not begun by its own dates.
ABSENT, HELD, REPLACED, CORRECTED, EXPIRED, FUTURE = range(6)
CHAIN_MOST = 1000
# Corpora of earlier moments are kept for so many of them.
MOMENTS_KEPT = 4
Codes = NDArray[np.uint8]
Place = tuple[int, int]  # the index of a workspace, and a record in it


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The records of one workspace whose standing is unusual. `before[heir]` names what it took the place of, latest first;
    `since[heir]` is when that began to hold which it corrects."""

    rows: Mapping[int, Standing]
    before: Mapping[int, tuple[int, ...]]
    since: Mapping[int, int]

    def begins(self, record: int, own: int) -> int:
        """When a record began to hold. A correction holds from when that held which it corrects, unless it was told."""
        row = self.rows.get(record)
        if row is not None and row.valid_from is not None:
            return row.valid_from
        return min(own if row is None else row.begins, self.since.get(record, own))

    def replaced(self, record: int) -> list[int]:
        """Everything that a record took the place of, the latest first."""
        found: dict[int, None] = {}
        waiting = list(self.before.get(record, ()))
        while waiting and len(found) < CHAIN_MOST:
            one = waiting.pop(0)
            if one not in found and one != record:
                found[one] = None
                waiting += self.before.get(one, ())
        return list(found)


@dataclass(frozen=True, slots=True, eq=False)
class Clock:
    """The asked moment (ms UTC) with the corpus and the standings as they were. `now` is what counts as the present.

    `codes` says by rank how each record stands; it is None where all that matters is in `tables`, one a workspace.
    `versions` names the version that is shown of a record, where it is not the one in force.
    """

    now: int
    as_of: int | None
    known_at: int | None
    corpus: Corpus
    tables: tuple[Table, ...]
    codes: Codes | None = None
    versions: Mapping[Place, int] = field(default_factory=dict)

    @property
    def plain(self) -> bool:
        """Whether every record is simply current."""
        return self.codes is None and not any(table.rows for table in self.tables)

    def row(self, place: int, record: int) -> Standing | None:
        return self.tables[place].rows.get(record)

    def code(self, place: int, record: int, rank: int) -> int:
        """How the record of a rank stands."""
        if self.codes is not None:
            return int(self.codes[rank])
        row = self.row(place, record)
        return HELD if row is None else _code(row, self.tables[place], self.now, None)

    def stands(self, codes: Iterable[int]) -> Flags:
        """The ranks whose records stand in one of these ways."""
        wanted = list(codes)
        if self.plain:
            return np.full(len(self.corpus), HELD in wanted)
        held = self.codes if self.codes is not None else _coded(self)
        flags: Flags = np.isin(held, wanted)
        return flags


def load(context: Context, connection: Connection, wanted: Sequence[int], request: RecallRequest) -> Clock:
    """The clock of a question over some workspaces. Raises InvalidInput for what is no time."""
    as_of = dates.until(request.as_of).ms if request.as_of else None
    known_at = dates.until(request.known_at).ms if request.known_at else None
    if known_at is None:
        tables = tuple(_table(context, connection, workspace) for workspace in wanted)
        if as_of is None or not any(table.rows for table in tables):
            clock = Clock(
                context.now() if as_of is None else as_of, as_of, None, corpora.load(context, connection, wanted), tables
            )
            return clock if as_of is None else replace(clock, codes=_coded(clock))
    return _then(context, connection, tuple(wanted), as_of, known_at)


def _table(context: Context, connection: Connection, workspace: int) -> Table:
    """The standings of a workspace now. What did not change is not read again."""
    stamp, _ = workspaces.stamp(connection, workspace)
    key = ("standings", workspace)
    held: tuple[int, Table] | None = context.shelf.get(key)
    if held is not None and held[0] == stamp:
        return held[1]
    table = _tabled(standings.unusual(connection, workspace))
    if held is None or held[0] < stamp:
        context.shelf.put(key, (stamp, table))
    return table


def _tabled(rows: Iterable[Standing]) -> Table:
    by_record = {row.record: row for row in rows}
    heirs: dict[int, list[Standing]] = {}
    for row in by_record.values():
        if row.state == "superseded" and row.superseded_by is not None:
            heirs.setdefault(row.superseded_by, []).append(row)
    before = {heir: tuple(one.record for one in sorted(olds, key=_latest)) for heir, olds in heirs.items()}
    since: dict[int, int] = {}
    for row in by_record.values():
        _reach(by_record, since, row)
    return Table(by_record, before, since)


def _latest(row: Standing) -> tuple[int, int, int]:
    ended = row.valid_to if row.valid_to is not None else row.retired_at or row.begins
    return -ended, -row.begins, -row.record


def _reach(rows: Mapping[int, Standing], since: dict[int, int], row: Standing) -> None:
    """What corrects a record holds from when that began, and so on along the chain of corrections."""
    seen: set[int] = set()
    begins = row.begins
    one: Standing | None = row
    while one is not None and one.record not in seen and (heir := one.superseded_by) is not None:
        if one.state != "superseded" or one.supersede_why != "correction":
            return
        seen.add(one.record)
        since[heir] = min(begins, since.get(heir, begins))
        one = rows.get(heir)
        if one is not None:
            begins = one.valid_from if one.valid_from is not None else min(begins, one.begins)


def _code(row: Standing, table: Table, now: int, as_of: int | None, known_at: int | None = None) -> int:
    """How a record with a row stands at the moment."""
    if row.state not in FOUND_STATES or (known_at is not None and row.since > known_at):
        return ABSENT
    if as_of is not None and table.begins(row.record, row.begins) > as_of:
        return ABSENT
    if row.state == "superseded":
        if row.supersede_why == "correction":
            return CORRECTED
        if as_of is None or row.valid_to is None or row.valid_to <= as_of:
            return REPLACED
        return HELD
    if row.valid_to is not None and row.valid_to <= now:
        return EXPIRED
    return FUTURE if row.valid_from is not None and row.valid_from > now else HELD


def _coded(clock: Clock) -> Codes:
    """By rank: how each record stands."""
    corpus = clock.corpus
    there = np.ones(len(corpus), bool)
    if clock.as_of is not None:
        there &= corpus.at <= clock.as_of
    if clock.known_at is not None:
        there &= corpus.recorded <= clock.known_at
    codes = np.where(there, HELD, ABSENT).astype(np.uint8)
    for place, table in enumerate(clock.tables):
        told = {record: _code(row, table, clock.now, clock.as_of, clock.known_at) for record, row in table.rows.items()}
        if clock.as_of is not None:
            told |= {heir: HELD for heir, since in table.since.items() if heir not in told and since <= clock.as_of}
        _tell(codes, corpus, place, told)
    return codes


def _tell(codes: Codes, corpus: Corpus, place: int, told: Mapping[int, int]) -> None:
    """Set the codes of the ranks of some records of a workspace."""
    if not told:
        return
    known = np.array(sorted(told), np.int32)
    code = np.array([told[record] for record in known.tolist()], np.uint8)
    at = np.minimum(np.searchsorted(known, corpus.record), len(known) - 1)
    here = (known[at] == corpus.record) & (corpus.place == place)
    codes[here] = code[at[here]]


def _then(context: Context, connection: Connection, wanted: tuple[int, ...], as_of: int | None, known_at: int | None) -> Clock:
    """The clock of an earlier moment, with the corpus as it was. A few of them are kept."""
    stamps = tuple(workspaces.stamp(connection, workspace)[0] for workspace in wanted)
    kept = context.shelf.within("moments", MOMENTS_KEPT)
    held: tuple[tuple[int, ...], Clock] | None = kept.get((wanted, as_of, known_at))
    if held is not None and held[0] == stamps:
        return held[1]
    moments = [_moment(context, connection, workspace, as_of, known_at) for workspace in wanted]
    overlay = {
        workspace: _overlay(connection, workspace, moment.live)
        for workspace, moment in zip(wanted, moments, strict=True)
        if moment.live
    }
    corpus = corpora.load_with(context, connection, wanted, overlay) if overlay else corpora.load(context, connection, wanted)
    now = as_of if as_of is not None else known_at
    assert now is not None, "an earlier moment was asked for"
    versions = {(place, record): number for place, one in enumerate(moments) for record, number in one.live.items()}
    clock = Clock(now, as_of, known_at, corpus, tuple(one.table for one in moments), versions=versions)
    clock = replace(clock, codes=_coded(clock))
    kept.put((wanted, as_of, known_at), (stamps, clock))
    return clock


@dataclass(frozen=True, slots=True)
class _Moment:
    """A workspace at a moment: how its records stood, and the versions that are live instead of those that are now."""

    table: Table
    live: dict[int, int]


def _moment(context: Context, connection: Connection, workspace: int, as_of: int | None, known_at: int | None) -> _Moment:
    now = {row.record: row for row in standings.unusual(connection, workspace)}
    rows = dict(now) if known_at is None else now | _known(connection, workspace, now, known_at)
    live: dict[int, int] = {}
    written = standings.dated(connection, workspace)
    numbers = _versions(connection, workspace, as_of, known_at) if written else {}
    for record, row in list(rows.items()):
        number = numbers.get(record, row.version)
        dated = written.get(record, {}).get(number)
        if dated is not None:
            rows[record] = replace(row, version=number, event=dated.event)
        in_force = now[record].version if record in now else row.version
        found = record not in now or now[record].state in FOUND_STATES
        if number != in_force or (row.state in FOUND_STATES and not found):
            live[record] = number
    return _Moment(_tabled(rows.values()), live)


def _known(connection: Connection, workspace: int, now: Mapping[int, Standing], known_at: int) -> dict[int, Standing]:
    """The rows of all records whose standing changed after a moment, as it was then: a fold over what had been done."""
    by_record: dict[int, list[Effect]] = {}
    for effect in standings.effects_later(connection, workspace, known_at):
        by_record.setdefault(effect.record, []).append(effect)
    plain = standings.named(connection, workspace, by_record.keys() - now.keys()) if by_record.keys() - now.keys() else []
    rows = {row.record: row for row in plain} | {record: now[record] for record in by_record if record in now}
    return {record: replace(row, **_folded(by_record[record], known_at)) for record, row in rows.items()}


def _folded(effects: Sequence[Effect], known_at: int) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for effect in effects:
        if effect.field in standings.GOVERNED:
            fields.setdefault(effect.field, effect.before)
            if effect.stood(known_at):
                fields[effect.field] = effect.after
    return fields


def _versions(connection: Connection, workspace: int, as_of: int | None, known_at: int | None) -> dict[int, int]:
    """By record: the number of the version that was in force; before its first one, the first."""
    at = min(moment for moment in (as_of, known_at) if moment is not None)
    numbers: dict[int, int] = {}
    for effect in standings.effects_of_versions(connection, workspace):
        if not isinstance(effect.before, int) or not isinstance(effect.after, int):
            continue
        numbers.setdefault(effect.record, effect.before)
        stood = effect.undone is None if known_at is None else effect.stood(known_at)
        if stood and effect.at <= at:
            numbers[effect.record] = effect.after
    return numbers


def _overlay(connection: Connection, workspace: int, live: Mapping[int, int]) -> tuple[Ints, Ints]:
    """The ordinals to bury and to revive, so that of each record the named version is live and no other."""
    rows = connection.all("passages_by_record", {"workspace": workspace, "ids": json.dumps(sorted(live))})
    buried = [ordinal for ordinal, record, version, _ in rows if version != live[record]]
    revived = [ordinal for ordinal, record, version, _ in rows if version == live[record]]
    return np.array(sorted(buried), np.int32), np.array(sorted(revived), np.int32)
