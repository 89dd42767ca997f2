"""Maximal marginal relevance: a hit that only repeats what is already in the answer steps back.

Carbonell & Goldstein, "The Use of MMR" (1998), over word sets; only near repeats are penalised, so that several
turns about one thing may all be evidence.
"""

from __future__ import annotations

from collections.abc import Sequence

from muniment.recall import tuning
from muniment.recall.assemble import Found
from muniment.text import terms


def spread(found: Sequence[Found], limit: int, diversity: float) -> list[Found]:
    """The same hits in an order that puts repeats last. `diversity` 1 changes nothing."""
    if diversity >= 1 or len(found) < 2:
        return list(found)
    texts = (one.text[: tuning.REPEAT_CHARS] for one in found)
    sets = [frozenset(terms.counts(text)) if one.terms is None else one.terms for one, text in zip(found, texts, strict=True)]
    left = list(range(len(found)))
    chosen: list[int] = []
    worth = [diversity * one.candidate.score for one in found]
    while left and len(chosen) < limit:
        best = max(left, key=lambda at: (worth[at], -at))
        left.remove(best)
        chosen.append(best)
        for at in left:
            repeat = _repeat(sets[best], sets[at])
            if repeat:
                worth[at] = min(worth[at], diversity * found[at].candidate.score - (1 - diversity) * repeat)
    return [found[at] for at in (*chosen, *left)]


def _repeat(one: frozenset[str], other: frozenset[str]) -> float:
    """How far two texts repeat each other: 0 up to REPEAT_FROM shared words, then rising to 1."""
    common = len(one & other)
    if 2 * common <= tuning.REPEAT_FROM * (len(one) + len(other)):  # the share is at most this
        return 0.0
    share = common / (len(one) + len(other) - common)
    return max(0.0, (share - tuning.REPEAT_FROM) / (1 - tuning.REPEAT_FROM))
