"""From scored passages to ranked records: passages fold into their record, equal texts into one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from muniment.index.corpus import Corpus
from muniment.recall import tuning
from muniment.recall.fusion import Pool, calibrated


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that may back the answer. `rank` is its best passage's, `pool` that passage's place in the pool.

    `anchor` is the rank that the question found instead, where this record took the place of another: `pool` is that one's.
    """

    place: int
    record: int
    rank: int
    pool: int
    raw: float
    score: float
    anchor: int | None = None

    @property
    def found_at(self) -> int:
        return self.rank if self.anchor is None else self.anchor


def fold(corpus: Corpus, pool: Pool) -> list[Candidate]:
    """One candidate a record, best first; a further passage adds a little to its best one.

    Order: score rounded to six places, then workspace, session, place in the session.
    """
    if not len(pool.ranks):
        return []
    order = np.lexsort((pool.ranks, -np.round(pool.raw, 6)))
    _, firsts, members = np.unique(corpus.group[pool.ranks[order]], return_index=True, return_inverse=True)
    best = order[firsts]
    gains = np.maximum(pool.raw[order], 0).astype(np.float64)
    further = np.bincount(members, gains) - gains[firsts]
    raw = pool.raw[best] + tuning.FOLD_BONUS * further
    scores = calibrated(raw)
    ordered = np.lexsort((pool.ranks[best], -np.round(raw, 6)))
    best, ranks = best[ordered], pool.ranks[best][ordered]
    columns = (corpus.place[ranks], corpus.record[ranks], ranks, best, raw[ordered], scores[ordered])
    return [
        Candidate(place, record, rank, at, one, round(score, 4))
        for place, record, rank, at, one, score in zip(*(column.tolist() for column in columns), strict=True)
    ]
