"""What an answer says beside a hit's words: how it stands, what it replaced, its links and its open conflicts.

Marks are attached to hits that were chosen and ordered before; none of them ranks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from muniment.model import ids
from muniment.model.recalling import Signal, Standing
from muniment.model.records import Link, Replaced
from muniment.model.times import Moment
from muniment.recall import lifecycle
from muniment.recall.assemble import Found
from muniment.recall.clocks import CORRECTED, EXPIRED, FUTURE, HELD, REPLACED
from muniment.recall.filters import moments
from muniment.recall.look import Look
from muniment.store import records, standings

SIGNALS_MOST = 20
REPLACES_MOST = 10
CONFLICTS_MOST = 10
STANDINGS: dict[int, Standing] = {REPLACED: "superseded", CORRECTED: "superseded", EXPIRED: "expired", FUTURE: "future"}


@dataclass(frozen=True, slots=True)
class Marks:
    standing: Standing | None = None
    replaced_by: str | None = None
    replaced_why: Replaced | None = None
    replaces: tuple[str, ...] = ()
    valid: tuple[str | None, str | None] | None = None
    signals: tuple[Signal, ...] = ()
    conflicts: tuple[str, ...] = ()


@dataclass(slots=True)
class _Place:
    """What is known of the hits of one workspace: their links, conflicts, and the refs of whatever they point at."""

    links: dict[int, list[Link]] = field(default_factory=dict)
    conflicts: dict[int, list[str]] = field(default_factory=dict)
    refs: Mapping[int, str] = field(default_factory=dict)


def of(look: Look, found: Sequence[Found]) -> list[Marks]:
    """The marks of each hit, in order."""
    wanted: dict[int, list[int]] = {}
    for one in found:
        wanted.setdefault(one.candidate.place, []).append(one.record.id)
    places = {place: _place(look, place, numbers) for place, numbers in wanted.items()}
    return [_marks(look, one, places[one.candidate.place]) for one in found]


def _place(look: Look, place: int, numbers: Sequence[int]) -> _Place:
    workspace, table = look.corpus.workspaces[place], look.clock.tables[place]
    out = _Place()
    named: set[int] = set()
    known_at = look.clock.known_at
    for link in records.links(look.connection, workspace, numbers):
        if known_at is None or link.recorded_at <= known_at:
            named |= {link.src, link.dst}
            for end in {link.src, link.dst}.intersection(numbers):
                out.links.setdefault(end, []).append(link)
    values = {"workspace": workspace, "ids": json.dumps(list(numbers))}
    for record, uid in look.connection.all("conflicts_of_records", values):
        out.conflicts.setdefault(record, []).append(f"c_{uid}")
    for number in numbers:
        row = table.rows.get(number)
        named |= set(table.replaced(number)[:REPLACES_MOST]) | ({row.superseded_by} if row and row.superseded_by else set())
    if named:
        out.refs = {number: ids.ref(*found) for number, found in standings.refs(look.connection, workspace, named).items()}
    return out


def _marks(look: Look, one: Found, known: _Place) -> Marks:
    place, number, rank = lifecycle.where(one.candidate)
    row, code = look.clock.row(place, number), look.clock.code(place, number, rank)
    replaced = code in (REPLACED, CORRECTED)
    by = known.refs.get(row.superseded_by) if replaced and row and row.superseded_by else None
    earlier = [known.refs[old] for old in look.clock.tables[place].replaced(number)[:REPLACES_MOST] if old in known.refs]
    standing, why = STANDINGS.get(code), row.supersede_why if replaced and row else None
    if standing is None and one.outdated_by:
        standing, by = "outdated", one.outdated_by[0]
    return Marks(
        standing=standing,
        replaced_by=by,
        replaced_why=why,  # type: ignore[arg-type]
        replaces=tuple(dict.fromkeys((*earlier, *one.outdates)))[:REPLACES_MOST],
        valid=_valid(look, one, code, bool(earlier)),
        signals=tuple(_signals(known, number)),
        conflicts=tuple(known.conflicts.get(number, ())[:CONFLICTS_MOST]),
    )


def _valid(look: Look, one: Found, code: int, heir: bool) -> tuple[str | None, str | None] | None:
    """Over which time it held, where anything is known of that; what was never so held at none."""
    place, number, rank = lifecycle.where(one.candidate)
    row = look.clock.row(place, number)
    dated = row is not None and (row.valid_from is not None or row.valid_to is not None)
    if code == CORRECTED or not (dated or heir or one.outdated_by):
        return None
    begins = look.clock.tables[place].begins(number, int(moments(look.corpus)[rank]))
    ends = row.valid_to if row is not None and row.valid_to is not None else None
    if code == HELD and one.outdated_by:
        ends = one.outdated_by[1]
    known = begins != standings.EVER and (ends is None or begins < ends)
    return _iso(begins) if known else None, None if ends is None else _iso(ends)


def _iso(ms: int) -> str:
    return Moment(ms, 0).iso()


def _signals(known: _Place, number: int) -> Iterable[Signal]:
    for link in known.links.get(number, ())[:SIGNALS_MOST]:
        direction: Literal["out", "in"] = "out" if link.src == number else "in"
        ref = known.refs.get(link.dst if link.src == number else link.src)
        if ref is not None:
            yield Signal(link.relation, direction, ref, link.confidence, link.rationale)
