"""Saying that memory does not hold the answer, instead of offering what merely sounds alike.

A question is anchored when its rare words, its names or its meaning reach the best hit. Nothing anchored: abstain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from muniment.index import lexical
from muniment.recall import tuning
from muniment.recall.candidates import Candidate
from muniment.recall.fusion import Pool
from muniment.recall.look import Look
from muniment.text import terms
from muniment.text.calendar_words import MONTHS

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
    if missing and not _alike(pool, candidates, tuning.ALIKE_WITHOUT_NAMES):
        return Verdict(True, missing)
    if _anchored(look, pool, candidates):
        return Verdict(False, ())
    return Verdict(True, tuple(word.term for word in look.lexical.words if not len(word.ranks) and not _dated(look, word)))


def _anchored(look: Look, pool: Pool, candidates: Sequence[Candidate]) -> bool:
    """By a good score, by the asked words other than dates, or by meaning."""
    if candidates[0].score >= tuning.ANCHOR_SCORE or _alike(pool, candidates, tuning.ALIKE):
        return True
    words = tuple(word for word in look.lexical.words if not _dated(look, word))
    if not words:
        return True
    top = np.array([one.rank for one in candidates[:CHECKED]], np.int32)
    cover = float(lexical.cover(look.corpus, lexical.Lexical(look.lexical.scores, words), top).max())
    return cover >= (tuning.ANCHOR_COVER_SPEAKER if look.question.speakers else tuning.ANCHOR_COVER)


def _dated(look: Look, word: lexical.Word) -> bool:
    """Whether a word only says when: a date is answered by a record's time, seldom by its words."""
    return bool(look.question.dates or look.question.interval) and (word.term.isdigit() or word.term in _calendar())


@cache
def _calendar() -> frozenset[str]:
    return frozenset(terms.terms(" ".join(MONTHS)))


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


def _alike(pool: Pool, candidates: Sequence[Candidate], least: float) -> bool:
    """Whether one of the best candidates is near the question in meaning."""
    if pool.cosine is None:
        return False
    return max(float(pool.cosine[one.pool]) for one in candidates[:CHECKED]) >= least
