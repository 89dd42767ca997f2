"""Records that say nearly the same as a new one, by the words they share. Nothing is refused for being similar."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

from muniment.index.postings import ENTRY_BYTES
from muniment.index.write import Analysed
from muniment.model.records import Record
from muniment.store import records
from muniment.store.connections import Connection
from muniment.text import terms

LEAST = 0.6
MOST = 5
# The rarest words decide whom to compare with; a word held by more passages than this says little.
WORDS_ASKED = 12
HELD_MOST = 2000
COMPARED_MOST = 20


@dataclass(frozen=True, slots=True)
class Alike:
    """`similarity` is the Jaccard share of content words in common."""

    uid: str
    kind: str
    text: str
    similarity: float


def find(connection: Connection, workspace: int, analysed: Analysed) -> list[Alike]:
    """The most alike active memories and documents, best first; turns are what was said, not what is kept twice."""
    own = {term for passage in analysed.passages for term in passage.counts if not terms.is_stop(term)}
    if not own:
        return []
    asked = sorted(own, key=lambda term: (-len(term), term))[:WORDS_ASKED]
    held_by: dict[str, list[int]] = {}
    for term, data in connection.all("postings", {"workspace": workspace, "terms": json.dumps(asked)}):
        held_by.setdefault(term, []).extend(memoryview(data)[: 4 * (len(data) // ENTRY_BYTES)].cast("I"))
    tally = Counter(ordinal for ordinals in held_by.values() if len(ordinals) <= HELD_MOST for ordinal in ordinals)
    ordinals = [ordinal for ordinal, _ in tally.most_common(COMPARED_MOST)]
    rows = connection.all("passages_at", {"workspace": workspace, "ordinals": json.dumps(ordinals)})
    held = records.by_id(connection, workspace, {row[1] for row in rows})
    found = [_compare(one, own) for one in held.values() if one.kind != "turn" and one.state == "active"]
    return sorted((one for one in found if one.similarity >= LEAST), key=lambda one: (-one.similarity, one.uid))[:MOST]


def _compare(one: Record, own: set[str]) -> Alike:
    """By text and subject together, since that is what both are found by."""
    other = {term for term in terms.terms(f"{one.subject}\n{one.text}" if one.subject else one.text) if not terms.is_stop(term)}
    union = len(own | other)
    return Alike(one.uid, one.kind, one.text, round(len(own & other) / union, 3) if union else 0.0)
