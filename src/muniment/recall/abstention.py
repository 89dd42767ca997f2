"""Saying that memory does not hold the answer, instead of offering what merely sounds alike.

A question is anchored when its rare words, its names or its meaning reach the best hit. Nothing anchored: abstain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from muniment.index import lexical
from muniment.recall import tuning
from muniment.recall.candidates import Candidate
from muniment.recall.fusion import Pool
from muniment.recall.look import Look
from muniment.text import terms

CHECKED = 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """`missing` names what the question asks about and memory never mentions."""

    abstained: bool
    missing: tuple[str, ...]


def judge(look: Look, pool: Pool, candidates: Sequence[Candidate]) -> Verdict:
    """Whether the best candidates can answer the question at all."""
    if not candidates:
        return Verdict(True, look.question.names)
    missing = _unknown_names(look)
    if missing and not _alike(look, pool, candidates, tuning.ALIKE_WITHOUT_NAMES):
        return Verdict(True, missing)
    top = np.array([one.rank for one in candidates[:CHECKED]], np.int32)
    cover = float(lexical.cover(look.corpus, look.lexical, top).max())
    if cover >= tuning.ANCHOR_COVER or _alike(look, pool, candidates, tuning.ALIKE):
        return Verdict(False, ())
    return Verdict(True, tuple(word.term for word in look.lexical.words if not len(word.ranks)))


def _unknown_names(look: Look) -> tuple[str, ...]:
    """Names in the question that no passage holds, when the question's script is one the store has words of."""
    held = {word.term for word in look.lexical.words if len(word.ranks)}
    people = {term for name in look.corpus.names for term in terms.terms(name)}
    unknown = []
    for name in look.question.names:
        parts = [term for term in terms.terms(name) if not terms.is_stop(term)]
        if parts and not any(part in held or part in people for part in parts):
            unknown.append(name)
    return tuple(unknown)


def _alike(look: Look, pool: Pool, candidates: Sequence[Candidate], least: float) -> bool:
    """Whether one of the best candidates is near the question in meaning."""
    if pool.cosine is None:
        return False
    return max(float(pool.cosine[one.pool]) for one in candidates[:CHECKED]) >= least
