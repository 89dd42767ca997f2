"""From candidates to evidence: texts, exact spans, provenance and context turns. Attaching never changes the order."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from muniment.index.lexical import Word
from muniment.model.access import Workspace
from muniment.model.recalling import Evidence, EvidenceSpan, Neighbour, ToldTime
from muniment.model.records import Record, Session
from muniment.model.times import Moment
from muniment.recall import marks, tuning
from muniment.recall.candidates import Candidate
from muniment.recall.look import Look
from muniment.recall.provenance import provenance
from muniment.store import records, sessions, standings
from muniment.store.connections import Connection
from muniment.text import dates, estimate, passages, terms

NEIGHBOURS_MAX = 40
# A text up to this length is shown whole; of a longer one the passage that was found, with this much on either side.
WHOLE_TEXT_MAX = 4000
BESIDE_PASSAGE = 1200
TIMES_MAX = 10


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate with its record as it was at the asked moment, and the refs of records that say the same.

    `latest` is the last of those, where it came later. `outdated_by` names the statement that outdates it, and when that
    was made (ms UTC); `outdates` the refs of what it outdates itself, the latest first.
    """

    candidate: Candidate
    record: Record
    passage: tuple[int, int] | None = None  # where the best passage of a long text stands in it
    also: tuple[str, ...] = ()
    latest: Record | None = None
    outdated_by: tuple[str, int] | None = None
    outdates: tuple[str, ...] = ()
    terms: frozenset[str] | None = None  # of the shown text, to see what repeats what

    @property
    def ref(self) -> str:
        return self.record.ref

    @property
    def said_last(self) -> Record:
        return self.latest or self.record

    @property
    def span(self) -> tuple[int, int]:
        """The code points of the record's text that an answer shows."""
        if self.passage is None:
            return 0, len(self.record.text)
        low, high = self.passage
        return max(0, low - BESIDE_PASSAGE), min(len(self.record.text), max(high, low + 1) + BESIDE_PASSAGE)

    @property
    def text(self) -> str:
        low, high = self.span
        return self.record.text[low:high]


def gather(look: Look, candidates: Sequence[Candidate], *, collapse: bool = True) -> list[Found]:
    """The records of candidates, in order; with `collapse` equal texts fold into the first, which names the others."""
    wanted: dict[int, list[int]] = {}
    for one in candidates:
        wanted.setdefault(one.place, []).append(one.record)
    held = {place: _held(look, place, numbers) for place, numbers in wanted.items()}
    first: dict[tuple[str | None, str], int] = {}
    out: list[Found] = []
    for one in candidates:
        record = held[one.place].get(one.record)
        if record is None:
            continue
        same = (record.speaker, " ".join(record.text.split()).casefold())
        if collapse and same in first:
            kept = out[first[same]]
            latest = record if order(record) > order(kept.said_last) else kept.latest
            out[first[same]] = replace(kept, also=(*kept.also, record.ref), latest=latest)
        else:
            first[same] = len(out)
            out.append(Found(one, record))
    if bounds := _bounds(look, out):
        out = [replace(one, passage=bounds.get(one.candidate.rank)) for one in out]
    return [replace(one, terms=_terms(look, one)) for one in out] if collapse else out


def _terms(look: Look, one: Found) -> frozenset[str]:
    """The terms of what is shown of a record, kept from one question to the next."""
    kept, key = look.kept(), ("terms", one.record.workspace, one.record.id, one.record.version, one.span)
    held: frozenset[str] | None = kept.get(key)
    if held is None:
        held = frozenset(terms.terms(one.text[: tuning.REPEAT_CHARS]))
        kept.put(key, held)
    return held


def order(record: Record) -> tuple[int, int, int, int]:
    """A record's place in time: when it was said, else stored, and in a session the spoken order."""
    return record.said_at, record.session or 0, record.seq or 0, record.id


def _held(look: Look, place: int, numbers: Sequence[int]) -> dict[int, Record]:
    """Records by number, as they were at the asked moment."""
    held = records.by_id(look.connection, look.corpus.workspaces[place], numbers)
    shown = {number: look.clock.versions[place, number] for number in held if (place, number) in look.clock.versions}
    held |= standings.as_versions(look.connection, look.corpus.workspaces[place], shown, held) if shown else {}
    if look.clock.known_at is None:
        return held
    rows = {number: look.clock.row(place, number) for number in held}
    return {number: standings.as_it_stood(record, row) if (row := rows[number]) else record for number, record in held.items()}


def budget(found: Sequence[Found], limit: int, tokens_max: int | None) -> tuple[list[Found], int, int]:
    """What fits both the limit and the token budget, what was skipped for the budget, and the tokens used."""
    kept: list[Found] = []
    skipped = used = 0
    for one in found:
        if len(kept) >= limit:
            break
        cost = estimate.tokens(one.text)
        if tokens_max is not None and used + cost > tokens_max:
            skipped += 1
            continue
        kept.append(one)
        used += cost
    return kept, skipped, used


def evidence(
    look: Look,
    found: Sequence[Found],
    places: Mapping[int, Workspace],
    views: Mapping[int, tuple[str, ...]],
    around: int,
) -> tuple[Evidence, ...]:
    """The answer's rows. `views` says by rank which views found it."""
    best = found[0].candidate.score if found else 0.0
    talks = _sessions(look.connection, [one.record for one in found])
    corroborated = _corroborated(look.connection, [one.record for one in found])
    shown = {one.record.uid for one in found}
    left = NEIGHBOURS_MAX
    out = []
    for one, seen in zip(found, marks.of(look, found), strict=True):
        record = one.record
        before, after = _around(look.connection, record, around, shown, left)
        left -= len(before) + len(after)
        out.append(
            Evidence(
                ref=one.ref,
                kind=record.kind,
                text=one.text,
                score=one.candidate.score,
                role=_role(one.candidate.score, best),
                matched_by=views.get(one.candidate.rank) or views.get(one.candidate.found_at, ()),
                evidence=spans(record.text, look.lexical.words, one.passage),
                times=_told(record, one.passage) if look.corpus.timed[one.candidate.rank] else (),
                provenance=provenance(record, places, talks),
                trust=record.trust,
                taint=record.taint,
                span=one.span if one.passage else None,
                length=len(record.text) if one.passage else None,
                subject=record.subject,
                tier=record.tier,
                version=record.version,
                state=record.state,
                standing=seen.standing,
                replaced_by=seen.replaced_by,
                replaced_why=seen.replaced_why,
                replaces=seen.replaces,
                valid=seen.valid,
                protection=record.protection if record.protection != "normal" else None,
                signals=seen.signals,
                conflicts=seen.conflicts,
                also=one.also,
                corroborated=corroborated.get((record.workspace, record.id), 0),
                before=before,
                after=after,
            )
        )
    return tuple(out)


def _told(record: Record, passage: tuple[int, int] | None) -> tuple[ToldTime, ...]:
    """What "yesterday" or "last week" meant when it was said."""
    if record.event is None:
        return ()
    low, high = passage or (0, len(record.text))
    zone = record.event.zone
    found = dates.resolve(record.text[low:high], record.event)[:TIMES_MAX]
    spoken = [(one, Moment(one.from_ms, zone), Moment(one.to_ms, zone)) for one in found]
    return tuple(
        ToldTime(low + one.start, low + one.end, one.surface, begins.iso(), ends.iso()) for one, begins, ends in spoken
    )


def spans(text: str, words: Sequence[Word], passage: tuple[int, int] | None = None) -> tuple[EvidenceSpan, ...]:
    """The sentence that holds most of what was asked; the whole of a short text, or of the `passage` of a long one."""
    low, high = passage or (0, len(text))
    cuts = [(low + start, low + end) for start, end in passages.sentences(text[low:high])]
    if len(cuts) <= 1:
        start, end = cuts[0] if cuts else (low, high)
        return (EvidenceSpan(start, end, text[start:end]),)
    worth = {word.term: word.idf for word in words}
    said = [frozenset(terms.terms(text[start:end])) for start, end in cuts]
    scores = [sum(idf for term, idf in worth.items() if term in one) for one in said]
    most = max(scores)
    if most <= 0:
        return (EvidenceSpan(low, high, text[low:high]),) if passage else ()
    start, end = cuts[scores.index(most)]
    return (EvidenceSpan(start, end, text[start:end]),)


def _bounds(look: Look, found: Sequence[Found]) -> dict[int, tuple[int, int]]:
    """By rank: where the best passage of a long text stands in it."""
    wanted: dict[int, list[int]] = {}
    for one in found:
        if len(one.record.text) > WHOLE_TEXT_MAX:
            wanted.setdefault(one.record.workspace, []).append(int(look.corpus.ordinal[one.candidate.rank]))
    out: dict[int, tuple[int, int]] = {}
    for workspace, ordinals in wanted.items():
        rows = look.connection.all("passages_at", {"workspace": workspace, "ordinals": json.dumps(ordinals)})
        ranks = look.corpus.ranks(workspace, np.array([row[0] for row in rows], np.int32))
        out |= {rank: (row[2], row[3]) for rank, row in zip(ranks.tolist(), rows, strict=True)}
    return out


def _role(score: float, best: float) -> Literal["primary", "supporting", "distant"]:
    share = score / best if best else 0.0
    return "primary" if share >= tuning.PRIMARY else "supporting" if share >= tuning.SUPPORTING else "distant"


def _sessions(connection: Connection, found: Sequence[Record]) -> dict[tuple[int, int], Session]:
    wanted: dict[int, set[int]] = {}
    for record in found:
        if record.session is not None:
            wanted.setdefault(record.workspace, set()).add(record.session)
    return {
        (workspace, number): talk
        for workspace, numbers in wanted.items()
        for number, talk in sessions.by_id(connection, workspace, numbers).items()
    }


def _corroborated(connection: Connection, found: Sequence[Record]) -> dict[tuple[int, int], int]:
    wanted: dict[int, list[int]] = {}
    for record in found:
        wanted.setdefault(record.workspace, []).append(record.id)
    return {
        (workspace, record): count
        for workspace, numbers in wanted.items()
        for record, count in connection.all("corroborated", {"workspace": workspace, "ids": json.dumps(numbers)})
    }


def _around(
    connection: Connection, record: Record, around: int, shown: set[str], most: int
) -> tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]:
    """Turns beside a hit, at most `most` and then the nearest; none is shown twice in one answer."""
    if not around or record.session is None or record.seq is None:
        return (), ()
    seq = record.seq
    turns = records.of_session(connection, record.workspace, record.session, seq - around, seq + around, 2 * around + 1)
    fresh = [turn for turn in turns if turn.uid not in shown and turn.state == "active"]
    near = sorted(fresh, key=lambda turn: abs((turn.seq or 0) - seq))[:most]
    shown.update(turn.uid for turn in near)
    before = [_neighbour(turn) for turn in fresh if turn in near and (turn.seq or 0) < seq]
    after = [_neighbour(turn) for turn in fresh if turn in near and (turn.seq or 0) > seq]
    return tuple(before), tuple(after)


def _neighbour(turn: Record) -> Neighbour:
    return Neighbour(turn.ref, turn.speaker, turn.text, turn.event.iso() if turn.event else None)
