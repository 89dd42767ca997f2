"""Records that say nearly the same as a new one, by the words they share. Nothing is refused for being similar."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from muniment.index import postings
from muniment.index.write import Analysed
from muniment.model.records import Record
from muniment.model.writing import SIMILAR_SHOWN_MAX, Similar
from muniment.store import records
from muniment.store.connections import Connection
from muniment.text import terms

LEAST = 0.6
MOST = 5
# The rarest words decide whom to compare with; a word held by more passages than this says little.
WORDS_ASKED = 12
HELD_MOST = 2000
COMPARED_MOST = 20
# What holds fewer of the asked words than this share of the best one's is seldom as alike as LEAST, in a short text never.
SHARE_LEAST = 0.5
# Of the passages that hold most of the words, few are looked at first and then ever more: where most of what is stored
# are memories, the first few are enough.
LOOKED_AT_FIRST = 40
LOOKED_AT_MORE = 4
LOOKED_AT_MOST = 640


@dataclass(frozen=True, slots=True)
class Alike:
    """`similarity` is the Jaccard share of content words in common."""

    record: Record
    similarity: float


def find(connection: Connection, workspace: int, analysed: Analysed, *, least: float = LEAST, most: int = MOST) -> list[Alike]:
    """The most alike active memories and documents, best first; turns are what was said, not what is kept twice."""
    own = {term for passage in analysed.passages for term in passage.counts if not terms.is_stop(term)}
    if not own:
        return []
    asked = sorted(own, key=lambda term: (-len(term), term))[:WORDS_ASKED]
    tally: Counter[int] = Counter()
    for ordinals in postings.ordinals(connection, workspace, asked).values():
        if len(ordinals) <= HELD_MOST:
            tally.update(ordinals)
    held = records.by_id(connection, workspace, _kept(connection, workspace, tally))
    found = [_compare(one, own) for one in held.values()]
    return sorted((one for one in found if one.similarity >= least), key=lambda one: (-one.similarity, one.record.uid))[:most]


def shown(found: Sequence[Alike]) -> tuple[Similar, ...]:
    """As an answer tells of them: each with the beginning of its text."""
    return tuple(Similar(one.record.ref, one.record.text[:SIMILAR_SHOWN_MAX], one.similarity) for one in found)


def _kept(connection: Connection, workspace: int, tally: Counter[int]) -> set[int]:
    """The memories and documents that hold most of the words: turns, which are many, must not take their places."""
    least = max(tally.values(), default=0) * SHARE_LEAST
    ranked = sorted(((count, ordinal) for ordinal, count in tally.items() if count >= least), reverse=True)
    kept: dict[int, None] = {}
    start, count = 0, LOOKED_AT_FIRST
    while start < len(ranked) and len(kept) < COMPARED_MOST:
        ordinals = [ordinal for _, ordinal in ranked[start : start + count]]
        rows: dict[int, int] = dict(connection.all("passages_kept", {"workspace": workspace, "ordinals": json.dumps(ordinals)}))
        kept |= dict.fromkeys(rows[ordinal] for ordinal in ordinals if ordinal in rows)
        start, count = start + count, min(LOOKED_AT_MOST, count * LOOKED_AT_MORE)
    return set(list(kept)[:COMPARED_MOST])


def _compare(one: Record, own: set[str]) -> Alike:
    """By text and subject together, since that is what both are found by."""
    other = {term for term in terms.terms(f"{one.subject}\n{one.text}" if one.subject else one.text) if not terms.is_stop(term)}
    union = len(own | other)
    return Alike(one, round(len(own & other) / union, 3) if union else 0.0)
