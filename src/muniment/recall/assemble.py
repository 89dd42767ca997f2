"""From candidates to evidence: texts, exact spans, provenance and context turns. Attaching never changes the order."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from muniment.index.lexical import Word
from muniment.model import ids
from muniment.model.access import Workspace
from muniment.model.recalling import Evidence, EvidenceSpan, Neighbour, ToldTime
from muniment.model.records import Record, Session
from muniment.model.times import Moment
from muniment.recall import tuning
from muniment.recall.candidates import Candidate
from muniment.recall.look import Look
from muniment.recall.provenance import provenance
from muniment.store import records, sessions
from muniment.store.connections import Connection
from muniment.text import dates, estimate, passages, terms

NEIGHBOURS_MAX = 40
# A text is searched for its telling sentence up to this length around the best passage.
SPAN_TEXT_MAX = 4000
TIMES_MAX = 10


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate with its record, and the refs of records that say the same."""

    candidate: Candidate
    record: Record
    also: tuple[str, ...] = ()


def gather(look: Look, candidates: Sequence[Candidate], *, collapse: bool = True) -> list[Found]:
    """The records of candidates, in order; with `collapse` equal texts fold into the first, which names the others."""
    wanted: dict[int, list[int]] = {}
    for one in candidates:
        wanted.setdefault(one.place, []).append(one.record)
    held = {place: records.by_id(look.connection, look.corpus.workspaces[place], numbers) for place, numbers in wanted.items()}
    first: dict[tuple[str | None, str], int] = {}
    out: list[Found] = []
    for one in candidates:
        record = held[one.place].get(one.record)
        if record is None:
            continue
        same = (record.speaker, " ".join(record.text.split()).casefold())
        if collapse and same in first:
            kept = out[first[same]]
            out[first[same]] = Found(kept.candidate, kept.record, (*kept.also, ids.ref(record.kind, record.uid)))
        else:
            first[same] = len(out)
            out.append(Found(one, record))
    return out


def budget(found: Sequence[Found], limit: int, tokens_max: int | None) -> tuple[list[Found], int, int]:
    """What fits both the limit and the token budget, what was skipped for the budget, and the tokens used."""
    kept: list[Found] = []
    skipped = used = 0
    for one in found:
        if len(kept) >= limit:
            break
        cost = estimate.tokens(one.record.text)
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
    out = []
    for one in found:
        record = one.record
        before, after = _around(look.connection, record, around, shown)
        out.append(
            Evidence(
                ref=ids.ref(record.kind, record.uid),
                kind=record.kind,
                text=record.text,
                score=round(one.candidate.score, 4),
                role=_role(one.candidate.score, best),
                matched_by=views.get(one.candidate.rank, ()),
                evidence=spans(record.text, look.lexical.words),
                times=_told(record) if look.corpus.timed[one.candidate.rank] else (),
                provenance=provenance(record, places, talks),
                trust=record.trust,
                taint=record.taint,
                subject=record.subject,
                tier=record.tier,
                version=record.version,
                state=record.state,
                also=one.also,
                corroborated=corroborated.get((record.workspace, record.id), 0),
                before=before,
                after=after,
            )
        )
    return tuple(out)


def _told(record: Record) -> tuple[ToldTime, ...]:
    """What "yesterday" or "last week" meant when it was said."""
    if record.event is None:
        return ()
    zone = record.event.zone
    found = dates.resolve(record.text[:SPAN_TEXT_MAX], record.event)[:TIMES_MAX]
    return tuple(
        ToldTime(one.start, one.end, one.surface, Moment(one.from_ms, zone).iso(), Moment(one.to_ms, zone).iso())
        for one in found
    )


def spans(text: str, words: Sequence[Word]) -> tuple[EvidenceSpan, ...]:
    """The sentence that holds most of what was asked; the whole of a short text."""
    cuts = passages.sentences(text[:SPAN_TEXT_MAX])
    if len(cuts) <= 1:
        start, end = cuts[0] if cuts else (0, len(text))
        return (EvidenceSpan(start, end, text[start:end]),)
    worth = {word.term: word.idf for word in words}
    scores = [sum(worth.get(term, 0.0) for term in set(terms.terms(text[start:end]))) for start, end in cuts]
    most = max(scores)
    if most <= 0:
        return ()
    start, end = cuts[scores.index(most)]
    return (EvidenceSpan(start, end, text[start:end]),)


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
    connection: Connection, record: Record, around: int, shown: set[str]
) -> tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]:
    """Turns beside a hit; none is shown twice in one answer."""
    if not around or record.session is None or record.seq is None:
        return (), ()
    low, high = record.seq - around, record.seq + around
    turns = records.of_session(connection, record.workspace, record.session, low, high, 2 * around + 1)
    before: list[Neighbour] = []
    after: list[Neighbour] = []
    for turn in turns:
        if turn.uid in shown or turn.state != "active" or len(shown) > NEIGHBOURS_MAX + 100:
            continue
        shown.add(turn.uid)
        neighbour = Neighbour(ids.ref(turn.kind, turn.uid), turn.speaker, turn.text, turn.event.iso() if turn.event else None)
        (before if (turn.seq or 0) < record.seq else after).append(neighbour)
    return tuple(before), tuple(after)
