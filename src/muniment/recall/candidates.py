"""From scored passages to ranked records: passages fold into their record, equal texts into one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from muniment.index.corpus import Corpus
from muniment.recall import tuning
from muniment.recall.fusion import Pool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that may back the answer. `rank` is its best passage's, `pool` that passage's place in the pool."""

    place: int
    record: int
    rank: int
    pool: int
    raw: float
    score: float


def fold(corpus: Corpus, pool: Pool) -> list[Candidate]:
    """One candidate a record, best first; a further passage adds a little to its best one.

    Order: score rounded to six places, then workspace, session, place in the session.
    """
    if not len(pool.ranks):
        return []
    groups = corpus.group[pool.ranks]
    order = np.lexsort((pool.ranks, -np.round(pool.raw, 6)))
    best: dict[int, Candidate] = {}
    for place in order.tolist():
        group = int(groups[place])
        held = best.get(group)
        raw, rank = float(pool.raw[place]), int(pool.ranks[place])
        if held is None:
            best[group] = Candidate(int(corpus.place[rank]), int(corpus.record[rank]), rank, place, raw, 0.0)
        elif raw > 0:
            best[group] = Candidate(held.place, held.record, held.rank, held.pool, held.raw + tuning.FOLD_BONUS * raw, 0.0)
    folded = sorted(best.values(), key=lambda one: (-round(one.raw, 6), one.rank))
    return [Candidate(one.place, one.record, one.rank, one.pool, one.raw, _score(one.raw)) for one in folded]


def _score(raw: float) -> float:
    return round(float(1 / (1 + np.exp(-(raw - tuning.CENTRE) / tuning.SPREAD))), 6)
