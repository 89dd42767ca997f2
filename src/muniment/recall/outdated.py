"""Newer statements of the same thing come before older ones, without anybody's decision: marks and order, never a change.

Only hits that are about to be shown are compared, and of the turns beside them those that follow at once: a correction
("no, it is 8081") often shares no word with the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from muniment.context import Shelf
from muniment.model import ids
from muniment.model.records import Record
from muniment.model.stated import Stated, Told
from muniment.recall import lifecycle
from muniment.recall.assemble import Found, order
from muniment.recall.clocks import CORRECTED, HELD, REPLACED
from muniment.recall.look import Look
from muniment.store import records
from muniment.text import updates

# So many hits are compared with each other.
COMPARED_MOST = 32
# So many turns that follow a hit are looked at, and of so many hits.
FOLLOWING = 3
FOLLOWED_MOST = 8
RANKS_FOLLOWING = 4 * FOLLOWING
READ_CHARS = 4000
TOLD_KEPT = 20_000


Key = tuple[int, int]  # the place of a workspace, and a record in it


@dataclass(frozen=True, slots=True)
class _Said:
    """A hit, or a turn that follows one (then `found` is None), with what it states and its place in time."""

    place: int
    record: Record
    told: Told
    order: tuple[int, int, int, int]
    rank: int
    found: Found | None = None

    @property
    def key(self) -> Key:
        return self.place, self.record.id

    @property
    def ref(self) -> str:
        return self.found.ref if self.found else ids.ref(self.record.kind, self.record.uid)


Newer = dict[Key, list[_Said]]


def mark(look: Look, found: list[Found]) -> list[Found]:
    """The hits with what outdates them and what they outdate; a newer statement that stands beside a hit joins them.

    Where the past is asked for, what was outdated rises as what was superseded does.
    """
    said = _said(look, found)
    if not said:
        return found
    beside = _beside(look, found, said)
    newer = _newer([*said, *beside])
    if not newer:
        return found
    older: dict[Key, list[str]] = {}
    for one in sorted((*said, *beside), key=lambda one: one.order, reverse=True):
        for later in newer.get(one.key, ()):
            older.setdefault(later.key, []).append(one.ref)
    marked = [_marked(one, newer, older) for one in found]
    if look.era.mode == "past":
        return sorted((_raised(look, one) for one in marked), key=lambda one: -round(one.candidate.raw, 6))
    if look.era.mode == "period":
        return marked
    return marked + [_joining(one, said, newer, older) for one in beside if one.key in older]


def _marked(one: Found, newer: Newer, older: Mapping[Key, Sequence[str]]) -> Found:
    key = (one.candidate.place, one.said_last.id)
    if key not in newer and key not in older:
        return one
    first = newer[key][0] if key in newer else None
    return replace(one, outdated_by=(first.ref, first.order[0]) if first else None, outdates=tuple(older.get(key, ())))


def _joining(one: _Said, said: Sequence[_Said], newer: Newer, older: Mapping[Key, Sequence[str]]) -> Found:
    """A turn from beside a hit, with the score of the best of those that it outdates."""
    best = max((hit.found for hit in said if hit.found and hit.ref in older[one.key]), key=lambda hit: hit.candidate.raw)
    candidate = replace(best.candidate, record=one.record.id, rank=one.rank, anchor=best.candidate.found_at)
    return _marked(Found(candidate, one.record), newer, older)


def _raised(look: Look, one: Found) -> Found:
    if one.outdated_by is None:
        return one
    raw = one.candidate.raw + lifecycle.raised(look, one.outdated_by[1])
    return replace(one, candidate=replace(one.candidate, raw=raw, score=lifecycle.score(raw)))


def arrange(look: Look, found: Sequence[Found]) -> list[Found]:
    """The final order: of two statements of one thing the one that is asked for comes first."""
    if look.era.mode == "now":
        return _lifted(found)
    out = list(found)
    for members in _kin(look, found):
        asked = sorted(members, key=lambda at: (*_asked(look, found[at]), at))
        for at, wanted in zip(members, asked, strict=True):
            out[at] = found[wanted]
    return out


def _lifted(found: Sequence[Found]) -> list[Found]:
    """What outdates a hit stands directly above it, the newest first, with at least its score."""
    out = list(found)
    if not any(one.outdates for one in out):
        return out
    at = 0
    while at < len(out):
        low = out[at]
        above = [one for one in out[at + 1 :] if low.ref in one.outdates]
        if above:
            out = [one for one in out if one not in above]
            least = low.candidate.score
            above = sorted(above, key=lambda one: order(one.said_last), reverse=True)
            out[at:at] = [
                one if one.candidate.score >= least else replace(one, candidate=replace(one.candidate, score=least))
                for one in above
            ]
        else:
            at += 1
    return out


def _kin(look: Look, found: Sequence[Found]) -> list[list[int]]:
    """The places of hits that state one thing at different times, each list in order."""
    root = list(range(len(found)))

    def top(at: int) -> int:
        while root[at] != at:
            at = root[at]
        return at

    by_chain: dict[tuple[int, int], int] = {}
    by_ref = {one.ref: at for at, one in enumerate(found)}
    for at, one in enumerate(found):
        end = lifecycle.chain(look.clock, one.candidate.place, one.record.id)[0]
        first = by_chain.setdefault((one.candidate.place, end), at)
        others = [first, *(by_ref[ref] for ref in one.outdates if ref in by_ref)]
        for other in others:
            root[max(top(at), top(other))] = min(top(at), top(other))
    groups: dict[int, list[int]] = {}
    for at in range(len(found)):
        groups.setdefault(top(at), []).append(at)
    return [members for members in groups.values() if len(members) > 1]


def _asked(look: Look, one: Found) -> tuple[int, int]:
    """Past: what was replaced last first, then what holds. Period: what was in force, the latest first, then the rest."""
    place, record, rank = lifecycle.where(one.candidate)
    code, row = look.clock.code(place, record, rank), look.clock.row(place, record)
    ends = one.outdated_by[1] if one.outdated_by else row.valid_to if row else None
    begins = look.clock.tables[place].begins(record, order(one.record)[0])
    if look.era.mode == "period":
        return (0, -begins) if code != CORRECTED and look.era.covers(begins, ends) else (1, 0)
    if code == CORRECTED:
        return 2, 0
    return (0, -(ends or begins)) if one.outdated_by or code == REPLACED else (1, 0)


def _said(look: Look, found: Sequence[Found]) -> list[_Said]:
    """What the hits state, of those that state anything and hold at the asked moment."""
    out = []
    for one in found[:COMPARED_MOST]:
        told = _told(look, one.said_last, None)
        if told is None or look.clock.code(*lifecycle.where(one.candidate)) != HELD:
            continue
        if one.latest is None and any(not stated.keyed for stated in told.stated):
            told = _told(look, one.record, _before(look, one)) or told
        out.append(_Said(one.candidate.place, one.said_last, told, order(one.said_last), one.candidate.rank, one))
    return out


def _earlier(one: _Said, other: _Said) -> bool:
    """Whether one was said before the other; in a session the spoken order counts."""
    if one.place != other.place:
        return False
    if one.record.session is not None and one.record.session == other.record.session:
        return (one.record.seq or 0) < (other.record.seq or 0)
    return one.order < other.order


def _told(look: Look, record: Record, before: str | None) -> Told | None:
    """What a record states, kept from one question to the next; None when it states nothing."""
    kept: Shelf | None = look.context.shelf.get("told")
    if kept is None:
        kept = Shelf(TOLD_KEPT)
        look.context.shelf.put("told", kept)
    key = (record.workspace, record.id, record.version, before is not None)
    held: tuple[Told | None] | None = kept.get(key)
    if held is None:
        text, at = record.text[:READ_CHARS], order(record)[0]
        told = updates.told(text, speaker=record.speaker, subject=record.subject, at=at, before=before)
        held = (told if told.stated else None,)
        kept.put(key, held)
    return held[0]


def _before(look: Look, one: Found) -> str | None:
    """The text of the turn before a hit."""
    rank, corpus = one.candidate.rank, look.corpus
    low = int(np.searchsorted(corpus.session, corpus.session[rank]))
    here = corpus.record[low:rank]
    earlier = here[here != one.record.id]
    if one.record.session is None or not len(earlier):
        return None
    number = int(earlier[-1])
    held = records.by_id(look.connection, one.record.workspace, [number]).get(number)
    return held.text[:READ_CHARS] if held else None


def _beside(look: Look, found: Sequence[Found], said: Sequence[_Said]) -> list[_Said]:
    """The turns right after the first hits that state something, where the filter lets them in and they state something."""
    shown = {(one.candidate.place, one.record.id) for one in found}
    wanted: dict[int, dict[int, int]] = {}
    for one in said[:FOLLOWED_MOST]:
        if one.record.session is not None and one.found is not None and one.found.latest is None:
            wanted.setdefault(one.place, {}).update(_following(look, one.rank, one.record.id))
    out = []
    for place, ranks in wanted.items():
        held = records.by_id(look.connection, look.corpus.workspaces[place], ranks)
        texts = {(one.session, one.seq): one.text for one in (*held.values(), *(hit.record for hit in found))}
        for number, record in held.items():
            if (place, number) in shown or not look.may[ranks[number]]:
                continue
            told = _told(look, record, texts.get((record.session, (record.seq or 0) - 1)))
            if told is not None and look.clock.code(place, number, ranks[number]) == HELD:
                out.append(_Said(place, record, told, order(record), ranks[number]))
    return out


def _following(look: Look, rank: int, record: int) -> dict[int, int]:
    """The turns that follow a rank in its session, each with its first rank."""
    corpus = look.corpus
    ranks: dict[int, int] = {}
    for at in range(rank + 1, min(len(corpus), rank + RANKS_FOLLOWING)):
        if corpus.session[at] != corpus.session[rank] or len(ranks) == FOLLOWING:
            break
        if int(corpus.record[at]) != record:
            ranks.setdefault(int(corpus.record[at]), at)
    return ranks


def _newer(said: Sequence[_Said]) -> Newer:
    """By older record: what replaces it, earliest first."""
    out: Newer = {}
    for older in said:
        later = sorted((one for one in said if _earlier(older, one)), key=lambda one: one.order)
        newer = [one for one in later if updates.replaces(one.told, older.told) is not None]
        again = [one.order for one in later if _agrees(one, older)]
        # What was said once more after it had been replaced holds again.
        if newer and not (again and max(again) > newer[-1].order):
            out[older.key] = newer
    return out


def _agrees(one: _Said, other: _Said) -> bool:
    """Whether two records give one slot the same value."""
    held = {_slot(stated) for stated in other.told.stated}
    return any(_slot(stated) in held for stated in one.told.stated if stated.cue != "tentative" and not stated.past)


def _slot(stated: Stated) -> tuple[str, str, str, str, int]:
    return stated.subject_norm, stated.attribute_norm, stated.qualifier_norm, stated.value_norm, stated.polarity
