"""Newer statements of the same thing outdate older ones, without anybody's decision: marks, never a change.

Only hits that are about to be shown are compared, and of the turns beside them those that follow at once: a correction
("no, it is 8081") often shares no word with the question. A text is read closely only where its words give a reason to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from muniment.graph import belief
from muniment.model import ids
from muniment.model.records import Record
from muniment.model.stated import READ_MAX, Stated, Told
from muniment.recall import lifecycle, tuning
from muniment.recall.assemble import Found, order
from muniment.recall.clocks import HELD
from muniment.recall.look import Look
from muniment.store import records
from muniment.text import terms
from muniment.text.statements import chinese, updates, wording
from muniment.text.statements.sentences import QUESTION_MARKS

# So many hits are compared with each other.
COMPARED_MOST = 32
# So many turns that follow a hit are looked at, and of so many hits.
FOLLOWING = 3
FOLLOWED_MOST = 5
RANKS_FOLLOWING = 4 * FOLLOWING
# A turn of fewer words of content says nothing that the next one could put right.
CONTENT_LEAST = 2
# Two texts are compared when they share this much of the shorter one's words; less where the newer is worded as a change,
# or where only one of them denies.
ALIKE, ALIKE_DENIED, ALIKE_CUED = 0.5, 0.4, 0.25
TERSE = 3  # words of content
Key = tuple[int, int]  # the place of a workspace, and a record in it


@dataclass(frozen=True, slots=True)
class _Said:
    """A hit, or a turn that follows one (then `found` is None), with its place in time and its words of content.

    `cue` says that it is worded as a change or a correction, `denies` that it denies something, `states` that it may state
    something."""

    place: int
    record: Record
    order: tuple[int, int, int, int]
    rank: int
    words: frozenset[str]
    cue: bool
    denies: bool
    states: bool
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
    beside = _beside(look, said)
    newer = _newer(look, [*said, *beside])
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
    return marked + _joining(marked, beside, newer, older)


def _marked(one: Found, newer: Newer, older: Mapping[Key, Sequence[str]]) -> Found:
    key = (one.candidate.place, one.said_last.id)
    if key not in newer and key not in older:
        return one
    first = newer[key][0] if key in newer else None
    return replace(one, outdated_by=(first.ref, first.order[0]) if first else None, outdates=tuple(older.get(key, ())))


def _joining(marked: Sequence[Found], beside: Sequence[_Said], newer: Newer, older: Mapping[Key, Sequence[str]]) -> list[Found]:
    """Turns from beside the hits that outdate one of them, each with the score of the best of those that it outdates."""
    there = {one.ref: one for one in marked}
    joined = []
    for one in sorted(beside, key=lambda one: one.order):
        outdates = [there[ref].candidate for ref in older.get(one.key, ()) if ref in there]
        if outdates:
            best = max(outdates, key=lambda candidate: candidate.raw)
            candidate = replace(best, record=one.record.id, rank=one.rank, anchor=best.found_at)
            there[one.ref] = _marked(Found(candidate, one.record), newer, older)
            joined.append(there[one.ref])
    return joined


def _raised(look: Look, one: Found) -> Found:
    if one.outdated_by is None:
        return one
    raw = one.candidate.raw + lifecycle.raised(look, one.outdated_by[1])
    return replace(one, candidate=replace(one.candidate, raw=raw, score=lifecycle.score(raw)))


def _said(look: Look, found: Sequence[Found]) -> list[_Said]:
    """The hits that hold at the asked moment, in their order."""
    held = [one for one in found[:COMPARED_MOST] if look.clock.code(*lifecycle.where(one.candidate)) == HELD]
    return [_read(look, one) for one in held]


def _beside(look: Look, said: Sequence[_Said]) -> list[_Said]:
    """The turns right after the first hits that are worded as a change, where the filter lets them in."""
    there = {one.key for one in said}
    wanted: dict[int, dict[int, int]] = {}
    for one in [one for one in said if one.record.session is not None][:FOLLOWED_MOST]:
        wanted.setdefault(one.place, {}).update(_following(look, one.rank, one.record.id))
    out = []
    for place, ranks in wanted.items():
        ranks = {number: rank for number, rank in ranks.items() if (place, number) not in there and look.may[rank]}
        ranks = {number: rank for number, rank in ranks.items() if look.corpus.moves[rank]}
        held = records.by_id(look.connection, look.corpus.workspaces[place], ranks) if ranks else {}
        for number, record in held.items():
            if wording.moves(record.text) and look.clock.code(place, number, ranks[number]) == HELD:
                out.append(_following_one(look, place, record, ranks[number]))
    return out


def _following(look: Look, rank: int, record: int) -> dict[int, int]:
    """The turns that follow a rank in its session, each with its first rank."""
    corpus = look.corpus
    until = min(len(corpus), rank + RANKS_FOLLOWING)
    same = corpus.session[rank + 1 : until] == corpus.session[rank]
    ranks: dict[int, int] = {}
    for at, number in enumerate(corpus.record[rank + 1 : until][same].tolist(), rank + 1):
        if number != record and len(ranks) < FOLLOWING:
            ranks.setdefault(number, at)
    return ranks


def _newer(look: Look, said: Sequence[_Said]) -> Newer:
    """By older record: what replaces it, earliest first."""
    out: Newer = {}
    for older, later in _comparable(said):
        newer = sorted((one for one in later if _replaces(look, one, older)), key=lambda one: one.order)
        # What was said once more after it had been replaced holds again.
        if newer and not any(one.order > newer[-1].order and _agrees(look, one, older) for one in later):
            out[older.key] = newer
    return out


def _replaces(look: Look, newer: _Said, older: _Said) -> bool:
    ends = newer.cue or newer.denies or older.states or wording.may_end(newer.record.text)
    told = _told(look, newer) if ends else _untold(newer)
    if told.stated:
        return updates.replaces(told, _told(look, older)) is not None
    # What states nothing outdates only what it denies, or what denies it: for that no statement of the older text is needed.
    return newer.denies != older.denies and updates.replaces(told, _untold(older)) is not None


def _comparable(said: Sequence[_Said]) -> list[tuple[_Said, list[_Said]]]:
    """Each with what was said later and is worth reading closely beside it: alike in words, or worded as a change of it."""
    out: dict[Key, tuple[_Said, list[_Said]]] = {}
    ranked = sorted(said, key=lambda one: one.order)
    for at, first in enumerate(ranked):
        for second in ranked[at + 1 :]:
            if not (first.states or second.states) and first.denies == second.denies:
                continue
            if first.words.isdisjoint(second.words) and not (first.cue or second.cue):
                continue  # most pairs are nothing to each other, whichever is the older one
            older, newer = (second, first) if _reversed(first, second) else (first, second)
            if not newer.states and newer.denies == older.denies:
                continue
            worth = _alike(newer, older) or (newer.cue and _follows(newer, older))
            if worth and newer.place == older.place and _believed(newer.record, older.record):
                out.setdefault(older.key, (older, []))[1].append(newer)
    return list(out.values())


def _believed(newer: Record, older: Record) -> bool:
    """Whether one may speak against the other."""
    return belief.yields(older, belief.voice(newer))


def _alike(newer: _Said, older: _Said) -> bool:
    """Whether two texts share enough words to be about one thing; one word is enough only where hardly any are said."""
    if newer.words.isdisjoint(older.words):
        return False
    common = len(newer.words & older.words)
    short, long = sorted((len(newer.words), len(older.words)))
    if newer.cue:
        if common >= ALIKE_CUED * short:
            return True
        # Pairs of characters: a long name makes many of them.
        return chinese.written(newer.record.text) and chinese.written(older.record.text)
    if newer.denies != older.denies:
        return common >= 2 and common >= ALIKE_DENIED * short
    return common >= (1 if long <= TERSE else 2) and common >= ALIKE * short


def _reversed(one: _Said, other: _Said) -> bool:
    """Whether two turns of a session were spoken in another order than their times say."""
    return (
        one.record.session is not None
        and one.place == other.place
        and (one.record.session == other.record.session and (one.record.seq or 0) > (other.record.seq or 0))
    )


def _follows(newer: _Said, older: _Said) -> bool:
    same = older.record.session is not None and older.record.session == newer.record.session and older.place == newer.place
    return same and (newer.record.seq or 0) - (older.record.seq or 0) <= FOLLOWING


def _agrees(look: Look, one: _Said, other: _Said) -> bool:
    """Whether two texts give one slot the same value."""
    held = {_slot(stated) for stated in _told(look, other).stated}
    return any(_slot(stated) in held for stated in _told(look, one).stated if stated.cue != "tentative" and not stated.past)


def _slot(stated: Stated) -> tuple[str, frozenset[str], str, str, int]:
    return stated.subject_norm, updates.slot(stated), stated.qualifier_norm, stated.value_norm, stated.polarity


def _read(look: Look, one: Found) -> _Said:
    """A hit with what its words show."""
    place, rank, record = one.candidate.place, one.candidate.rank, one.said_last
    text, corpus = record.text, look.corpus
    if record is not one.record:  # said again later: what is known of its rank is of the first time
        return _Said(place, record, order(record), rank, _content(look, record), *_signs(text), one)
    whole = one.terms is not None and len(text) <= tuning.REPEAT_CHARS
    words = terms.informative(one.terms) if one.terms is not None and whole else _content(look, record)
    signs = bool(corpus.moves[rank]), bool(corpus.denies[rank]), bool(corpus.states[rank])
    # A text that may do all of it is one of few, or was stored before such signs were kept.
    return _Said(place, record, order(record), rank, words, *(_signs(text) if all(signs) else signs), one)


def _following_one(look: Look, place: int, record: Record, rank: int) -> _Said:
    """A turn that follows a hit."""
    return _Said(place, record, order(record), rank, _content(look, record), *_signs(record.text))


def _signs(text: str) -> tuple[bool, bool, bool]:
    signs = wording.signs(text)
    return signs.moves, signs.denies, signs.states


def _content(look: Look, record: Record) -> frozenset[str]:
    """The words of a record, kept from one question to the next."""
    kept, key = look.kept(), ("words", record.workspace, record.id, record.version)
    words: frozenset[str] | None = kept.get(key)
    if words is None:
        words = terms.informative(terms.terms(record.text[:READ_MAX]))
        kept.put(key, words)
    return words


def _told(look: Look, one: _Said) -> Told:
    """What a record states, kept from one question to the next. A change is read with the turn before it."""
    if not one.states:
        return _untold(one)
    kept, record = look.kept(), one.record
    key = ("told", record.workspace, record.id, record.version)
    held: Told | None = kept.get(key)
    if held is None:
        before = _before(look, one) if one.cue and record.session is not None else None
        held = updates.told(record.text, speaker=record.speaker, subject=record.subject, at=one.order[0], before=before)
        kept.put(key, held)
    return held


def _untold(one: _Said) -> Told:
    """What a record says where it states nothing, or nothing that matters."""
    return Told(one.record.text[:READ_MAX], (), one.record.speaker, one.record.subject, one.order[0])


def _before(look: Look, one: _Said) -> str | None:
    """The text of the turn before one in its session; what states and asks nothing ("not much time") is passed over."""
    seq = one.record.seq or 0
    assert one.record.session is not None, "only turns are read with the one before"
    held = records.of_session(look.connection, one.record.workspace, one.record.session, seq - FOLLOWING, seq - 1, FOLLOWING)
    texts = [record.text for record in reversed(held)]
    told = (text for text in texts if len(terms.informative(terms.terms(text))) >= CONTENT_LEAST)
    return next((text for text in told if _says(text)), texts[0] if texts else None)


def _says(text: str) -> bool:
    return wording.worth_reading(text) or text.rstrip().endswith(QUESTION_MARKS)
