"""What was found as an answer tells it: exact spans, provenance, marks and the turns beside it. Attaching changes no order."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Literal

from muniment.index.lexical import Word
from muniment.model.access import Workspace
from muniment.model.recalling import Evidence, EvidenceSpan, Neighbour, ToldTime
from muniment.model.records import Record, Session
from muniment.model.times import Moment
from muniment.recall import marks, tuning
from muniment.recall.assemble import Found
from muniment.recall.look import Look
from muniment.recall.provenance import provenance
from muniment.store import records, sessions
from muniment.store.connections import Connection
from muniment.text import dates, passages, terms

NEIGHBOURS_MAX = 40
TIMES_MAX = 10
Sentence = tuple[int, int, frozenset[str]]  # where it stands in the text, and its terms


def show(
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
                evidence=_best(record.text, look.lexical.words, one.passage, _sentences(look, record, one.passage)),
                times=_told(look, record, one.passage) if look.corpus.timed[one.candidate.rank] else (),
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
                data_class=places[record.workspace].data_class,
            )
        )
    return tuple(out)


def _told(look: Look, record: Record, passage: tuple[int, int] | None) -> tuple[ToldTime, ...]:
    """What "yesterday" or "last week" meant when it was said, kept from one question to the next."""
    if record.event is None:
        return ()
    kept, key = look.kept(), ("times", record.workspace, record.id, record.version, record.event, passage)
    held: tuple[ToldTime, ...] | None = kept.get(key)
    if held is None:
        held = _times(record.text, record.event, passage)
        kept.put(key, held)
    return held


def _times(text: str, event: Moment, passage: tuple[int, int] | None) -> tuple[ToldTime, ...]:
    low, high = passage or (0, len(text))
    found = dates.resolve(text[low:high], event)[:TIMES_MAX]
    spoken = [(one, Moment(one.from_ms, event.zone), Moment(one.to_ms, event.zone)) for one in found]
    return tuple(
        ToldTime(low + one.start, low + one.end, one.surface, begins.iso(), ends.iso()) for one, begins, ends in spoken
    )


def spans(text: str, words: Sequence[Word], passage: tuple[int, int] | None = None) -> tuple[EvidenceSpan, ...]:
    """The sentence that holds most of what was asked; the whole of a short text, or of the `passage` of a long one."""
    return _best(text, words, passage, _cut(text, passage))


def _best(
    text: str, words: Sequence[Word], passage: tuple[int, int] | None, cuts: Sequence[Sentence]
) -> tuple[EvidenceSpan, ...]:
    low, high = passage or (0, len(text))
    if len(cuts) <= 1:
        start, end = cuts[0][:2] if cuts else (low, high)
        return (EvidenceSpan(start, end, text[start:end]),)
    worth = {word.term: word.idf for word in words}
    scores = [sum(idf for term, idf in worth.items() if term in said) for _, _, said in cuts]
    most = max(scores)
    if most <= 0:
        return (EvidenceSpan(low, high, text[low:high]),) if passage else ()
    start, end, _ = cuts[scores.index(most)]
    return (EvidenceSpan(start, end, text[start:end]),)


def _sentences(look: Look, record: Record, passage: tuple[int, int] | None) -> tuple[Sentence, ...]:
    """The sentences of what is shown of a record, kept from one question to the next."""
    kept, key = look.kept(), ("sentences", record.workspace, record.id, record.version, passage)
    held: tuple[Sentence, ...] | None = kept.get(key)
    if held is None:
        held = _cut(record.text, passage)
        kept.put(key, held)
    return held


def _cut(text: str, passage: tuple[int, int] | None) -> tuple[Sentence, ...]:
    """Each sentence with its terms, which nobody asks for where there is no other one."""
    low, high = passage or (0, len(text))
    cuts = [(low + start, low + end) for start, end in passages.sentences(text[low:high])]
    if len(cuts) <= 1:
        return tuple((start, end, frozenset()) for start, end in cuts)
    return tuple((start, end, frozenset(terms.terms(text[start:end]))) for start, end in cuts)


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
