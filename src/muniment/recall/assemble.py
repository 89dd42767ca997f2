"""From candidates to what was found: records as they were at the asked moment, equal texts as one, and what fits a budget."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from muniment.model.records import Record
from muniment.recall import tuning
from muniment.recall.candidates import Candidate
from muniment.recall.look import Look
from muniment.store import records, standings
from muniment.text import estimate, terms

# A text up to this length is shown whole; of a longer one the passage that was found, with this much on either side.
WHOLE_TEXT_MAX = 4000
BESIDE_PASSAGE = 1200


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
