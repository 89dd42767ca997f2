"""How good a ranking is against its gold set. Relevance is yes or no, and the ideal is always that of the whole gold set.

Recall counts the share of the evidence that was found, a hit whether any of it was: `any`, or all of it: `all`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

CUTS = (5, 10, 20)
DEPTH = 10
# Draws of the paired bootstrap (Efron and Tibshirani, 1993); at 4,000 the ends of the interval move by less than .1 point.
DRAWS = 4000
INTERVAL = (2.5, 97.5)
METRICS = (
    *(f"R@{k}" for k in CUTS),
    *(f"any@{k}" for k in CUTS),
    *(f"all@{k}" for k in CUTS),
    "MRR",
    "nDCG@10",
)

Scores = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Gap:
    """A mean difference of two systems on the same questions, with its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def worse(self) -> bool:
        """Whether the first system is below the second by more than chance."""
        return self.high < 0


def score(ranked: Iterable[str], gold: Collection[str]) -> dict[str, float]:
    """Every metric of one ranking, 0 to 1. What is named twice counts where it stands first."""
    wanted = set(gold)
    if not wanted:
        raise ValueError("a question without gold cannot be scored")
    at = [place for place, one in enumerate(dict.fromkeys(ranked)) if one in wanted]
    out: dict[str, float] = {}
    for k in CUTS:
        found = sum(place < k for place in at)
        out[f"R@{k}"] = found / len(wanted)
        out[f"any@{k}"] = float(found > 0)
        out[f"all@{k}"] = float(found == len(wanted))
    out["MRR"] = 1 / (at[0] + 1) if at else 0.0
    ideal = sum(1 / math.log2(place + 2) for place in range(min(DEPTH, len(wanted))))
    out["nDCG@10"] = sum(1 / math.log2(place + 2) for place in at if place < DEPTH) / ideal
    return out


def mean(rows: Sequence[Scores]) -> dict[str, float]:
    """The mean of each metric over questions."""
    return {name: sum(row[name] for row in rows) / len(rows) for name in METRICS} if rows else {}


def gap(ours: Sequence[float], theirs: Sequence[float]) -> Gap:
    """The paired bootstrap of `ours - theirs`: the same draws for everyone, so that runs can be compared."""
    difference = np.asarray(ours, float) - np.asarray(theirs, float)
    if not len(difference):
        return Gap(0.0, 0.0, 0.0)
    draw = np.random.default_rng(0)
    means = np.empty(DRAWS)
    for place in range(DRAWS):
        means[place] = difference[draw.integers(0, len(difference), len(difference))].mean()
    low, high = np.percentile(means, INTERVAL)
    return Gap(float(difference.mean()), float(low), float(high))


def overlap(ours: Sequence[str], theirs: Sequence[str], k: int = DEPTH) -> float:
    """The share of the first k that two rankings have in common."""
    a, b = set(ours[:k]), set(theirs[:k])
    return len(a & b) / max(len(a), len(b)) if a or b else 1.0


def agreement(ours: Sequence[str], theirs: Sequence[str], p: float = 0.9, k: int = 20) -> float:
    """Rank-biased overlap (Webber, Moffat and Zobel, 2010), cut at k and scaled so that equal rankings give 1."""
    deepest = min(k, max(len(ours), len(theirs)))
    if not deepest:
        return 1.0
    total = norm = 0.0
    for depth in range(1, deepest + 1):
        weight = p ** (depth - 1)
        total += weight * len(set(ours[:depth]) & set(theirs[:depth])) / depth
        norm += weight
    return total / norm
