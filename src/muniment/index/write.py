"""Entering records into the index, in the transaction that stores them: found by their words from then on.

Nothing here loads a model or numpy. Vectors come later, from the outbox job that is written along.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from muniment.index import postings, rosters
from muniment.model.spans import Span
from muniment.store import workspaces
from muniment.store.connections import Connection
from muniment.text import dates, passages, questions, spans, terms
from muniment.text.statements import wording

# A turn up to this long is one passage: people answer in one breath, and neighbours supply the rest.
TURN_WHOLE_MAX = 1200
TEXT_WHOLE_MAX = 600
ENTITY_SORTS = frozenset({"name", "path", "symbol", "env", "title", "url"})
ENTITY_NORM_MAX = 200


@dataclass(frozen=True, slots=True)
class Passage:
    """A span of a text, analysed. Offsets are code points of the record's text."""

    starts: int
    ends: int
    hash: str
    counts: Mapping[str, int]
    words: int
    mentions_time: bool
    number: bool
    questions: float
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Analysed:
    """A text ready to be entered. `length` is in words, for the whole text, as are the `signs`."""

    passages: tuple[Passage, ...]
    length: int
    signs: wording.Wording

    @property
    def names(self) -> frozenset[str]:
        """The named things of the text, in their norms."""
        found = (span for passage in self.passages for span in passage.spans)
        return frozenset(spans.norm(span.surface) for span in found if span.sort in ENTITY_SORTS)


@dataclass(frozen=True, slots=True)
class Entering:
    """A record version on its way into the index. `session` and `seq` are 0 for what was not said in a session."""

    record: int
    version: int
    kind: str
    tier: str
    session: int
    seq: int
    speaker: int
    event: int | None
    recorded: int
    analysed: Analysed


def analyse(text: str, kind: str, subject: str | None = None) -> Analysed:
    """Split and read a text. A subject's words count with its first passage."""
    whole = TURN_WHOLE_MAX if kind == "turn" else TEXT_WHOLE_MAX
    cuts = passages.split(text, whole_max=whole)
    read = tuple(_passage(text, starts, ends, subject if place == 0 else None) for place, (starts, ends) in enumerate(cuts))
    return Analysed(read, round(terms.length(text)), wording.signs(text))


def _passage(text: str, starts: int, ends: int, subject: str | None) -> Passage:
    part = text if starts == 0 and ends == len(text) else text[starts:ends]
    counts = terms.counts(f"{subject}\n{part}" if subject else part)
    return Passage(
        starts=starts,
        ends=ends,
        hash=hashlib.blake2b(part.encode(), digest_size=16).hexdigest(),
        counts=counts,
        words=terms.content(counts),
        mentions_time=dates.mentions_time(part),
        number=questions.holds_number(part),
        questions=questions.question_share(part),
        spans=tuple(spans.find(part)),
    )


def enter(connection: Connection, workspace: int, entering: Sequence[Entering]) -> tuple[int, int]:
    """Index record versions. Answers the first and last of the ordinals they were given."""
    count = sum(len(one.analysed.passages) for one in entering)
    if not count:
        return 0, -1
    last = workspaces.take(connection, workspace, passages=count).passages
    first = last - count + 1
    numbered = list(zip(range(first, last + 1), _flat(entering), strict=True))
    connection.many("passage_add", (_row(workspace, ordinal, one, passage) for ordinal, (one, passage) in numbered))
    rosters.add(connection, workspace, first, [_entry(one, passage) for _, (one, passage) in numbered])
    blocks = postings.Blocks()
    for ordinal, (_, passage) in numbered:
        blocks.add(ordinal, passage.counts)
    blocks.write(connection, workspace)
    _mention(connection, workspace, [(ordinal, passage) for ordinal, (_, passage) in numbered])
    return first, last


def revive(connection: Connection, workspace: int, record: int, version: int, now: int) -> bool:
    """Bring a version's passages back; what was buried before its vector was made is embedded now.

    Answers whether there were any: an index that was rebuilt meanwhile holds only the version that was in force then.
    """
    connection.run("passages_revive", {"workspace": workspace, "record": record, "version": version})
    ordinals = [row[0] for row in connection.all("passages_of", {"workspace": workspace, "record": record})]
    if ordinals:
        follow_up(connection, workspace, min(ordinals), max(ordinals), now)
    return bool(ordinals)


def follow_up(connection: Connection, workspace: int, first: int, last: int, now: int) -> None:
    """Ask the worker for what need not be done at once: vectors for new ordinals, and merging when blocks are many."""
    if last >= first:
        connection.run("job_add", {"workspace": workspace, "job": "embed", "first": first, "last": last, "not_before": now})
    row = connection.one("roster_count", {"workspace": workspace})
    if row is not None and row[0] >= rosters.MERGE_AT:
        connection.run("job_add", {"workspace": workspace, "job": "merge", "first": 1, "last": 1, "not_before": now})


def look_for_conflicts(connection: Connection, workspace: int, record: int, now: int) -> None:
    """Ask the worker whether a record that was just written or moved contradicts another one; the writer does not wait."""
    values = {"workspace": workspace, "job": "notice", "first": record, "last": record}
    connection.run("job_add", values | {"not_before": now})


def _flat(entering: Iterable[Entering]) -> Iterable[tuple[Entering, Passage]]:
    return ((one, passage) for one in entering for passage in one.analysed.passages)


def _row(workspace: int, ordinal: int, one: Entering, passage: Passage) -> dict[str, object]:
    return {
        "workspace": workspace,
        "ordinal": ordinal,
        "record": one.record,
        "version": one.version,
        "starts": passage.starts,
        "ends": passage.ends,
        "hash": passage.hash,
    }


def _entry(one: Entering, passage: Passage) -> rosters.Entry:
    return rosters.Entry(
        record=one.record,
        session=one.session,
        seq=one.seq,
        words=passage.words,
        length=one.analysed.length,
        speaker=one.speaker,
        kind=one.kind,
        tier=one.tier,
        mentions_time=passage.mentions_time,
        number=passage.number,
        people=len({spans.norm(span.surface) for span in passage.spans if span.sort == "name"}),
        questions=passage.questions,
        names=len(passage.spans),
        event=one.event,
        recorded=one.recorded,
        signs=one.analysed.signs,
    )


def _mention(connection: Connection, workspace: int, numbered: Sequence[tuple[int, Passage]]) -> None:
    """Write what the passages name, making the entities that are new."""
    found = [
        (ordinal, passage.starts, span, spans.norm(span.surface)[:ENTITY_NORM_MAX])
        for ordinal, passage in numbered
        for span in passage.spans
        if span.sort in ENTITY_SORTS
    ]
    found = [one for one in found if one[3]]
    if not found:
        return
    norms = {norm: span for _, _, span, norm in reversed(found)}
    known: dict[str, int] = dict(connection.all("entities_by_norm", {"workspace": workspace, "norms": json.dumps(list(norms))}))
    new = [norm for norm in sorted(norms) if norm not in known]
    if new:
        last = workspaces.take(connection, workspace, entities=len(new)).entities
        numbers = dict(zip(new, range(last - len(new) + 1, last + 1), strict=True))
        connection.many(
            "entity_add",
            (
                {
                    "workspace": workspace,
                    "id": numbers[norm],
                    "sort": norms[norm].sort,
                    "canonical": norms[norm].surface,
                    "norm": norm,
                }
                for norm in new
            ),
        )
        known |= numbers
    connection.many(
        "mention_add",
        (
            {
                "workspace": workspace,
                "entity": known[norm],
                "ordinal": ordinal,
                "starts": base + span.start,
                "ends": base + span.end,
            }
            for ordinal, base, span, norm in found
        ),
    )
