"""Saying that memory does not hold the answer, instead of offering what merely sounds alike.

A question is anchored when its rare words, its names, its time or its meaning reach the best hit. Nothing anchored: abstain.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

from muniment.index import lexical
from muniment.model.recalling import Strength
from muniment.recall import tuning
from muniment.recall.candidates import Candidate
from muniment.recall.foreign import unsaid
from muniment.recall.fusion import Pool
from muniment.recall.look import Look
from muniment.recall.views import about, time
from muniment.store import records
from muniment.text import relative, spans, terms
from muniment.text.scripts import paired

CHECKED = 3
SCRIPT_CHARS = 500  # of a text, to see what script it is written in
SCRIPTS_KEPT = 4096  # letters whose script is remembered
# So many passages without the word are imagined beside the stored ones: a small store tells little about what is rare.
IMAGINED = 100
# A question that asks for hardly more than a time is answered by what was said then.
TIMED_WORDS_MAX = 2


@dataclass(frozen=True, slots=True)
class Verdict:
    """`missing` names what the question asks about and memory never mentions; `strength` how much of it the best hits hold."""

    strength: Strength
    missing: tuple[str, ...] = ()

    @property
    def abstained(self) -> bool:
        return self.strength == "none"


def judge(look: Look, pool: Pool, candidates: Sequence[Candidate]) -> Verdict:
    """Whether the best candidates can answer the question at all, and how far they go."""
    if not candidates:
        return Verdict("none", _unknown_names(look) or _unheard(look, look.lexical.words))
    foreign = _alike(pool, candidates, tuning.ALIKE_FOREIGN) and _foreign(look, candidates[:CHECKED])
    missing = _unknown_names(look)
    if missing and not foreign and not _alike(pool, candidates, tuning.ALIKE_WITHOUT_NAMES):
        return Verdict("none", missing)
    words = tuple(word for word in _timeless(look) if word.term not in _asking())
    cover = _cover(look, words, candidates) if words else tuning.PARTIAL_COVER
    least = tuning.ANCHOR_COVER_SPEAKER if look.question.speakers else tuning.ANCHOR_COVER
    then = len(words) <= TIMED_WORDS_MAX and _said_then(look, candidates)
    held = cover >= least or then or foreign or candidates[0].score >= tuning.ANCHOR_SCORE
    if not foreign and unsaid(look, _weighed(look, words)):
        return Verdict("none", _unheard(look, words) or tuple(about.named(look)))
    if not held and not _alike(pool, candidates, tuning.ALIKE):
        return Verdict("none", _unheard(look, words))
    return Verdict(_strength(pool, candidates, cover))


def _strength(pool: Pool, candidates: Sequence[Candidate], cover: float) -> Strength:
    """How much of the question one of the best hits holds, in words or in meaning."""
    if cover >= tuning.STRONG_COVER or _alike(pool, candidates, tuning.STRONG_ALIKE):
        return "strong"
    if cover >= tuning.PARTIAL_COVER or _alike(pool, candidates, tuning.PARTIAL_ALIKE):
        return "partial"
    return "weak"


@cache
def _asking() -> frozenset[str]:
    """Words that ask for something and are no part of it: "how many", "what did we talk about"."""
    return frozenset(terms.terms("many much often long far talk discuss mention say tell speak remember recall happen"))


@cache
def _earlier() -> frozenset[str]:
    """Words by which the past is asked for: the texts of that time do not hold them."""
    return frozenset(
        terms.terms(
            "before previous previously original originally former formerly initial initially earlier prior "
            "first past longer old older change switch move early früher vorher zuvor ursprünglich damals "
            "ehemals ehemalige vormals bisher galt galten wechsel avant auparavant autrefois origine "
            "initialement précédent précédente ancien ancienne ancienneté antes anteriormente originalmente "
            "inicialmente solía anterior cambio раньше прежде ранее изначально сначала прежний прежняя "
            "предыдущий предыдущая 以前 之前 原来 原來 原先 曾经 曾經 过去 過去 最初 当初 當初 从前 從前 "
            "もともと かつて 예전 이전 원래 처음에 과거"
        )
    )


def _timeless(look: Look) -> tuple[lexical.Word, ...]:
    """The asked words without those that only name a time, unless nothing else is asked."""
    text = look.question.text
    surfaces = [span.surface for span in spans.find(text) if span.sort == "date"]
    surfaces += [found.surface for found in relative.resolve(text, look.now)]
    times = {term for surface in surfaces for term in terms.terms(surface)}
    if look.question.asks_past:
        times |= _earlier()
    if not times:
        return look.lexical.words
    return tuple(word for word in look.lexical.words if word.term not in times)


def _cover(look: Look, words: Sequence[lexical.Word], candidates: Sequence[Candidate]) -> float:
    """The share of what was asked, by rarity, that one of the best candidates holds or stands beside."""
    weighed = _weighed(look, words)
    top = np.array([one.found_at for one in candidates[:CHECKED]], np.int32)
    return float(lexical.cover(look.corpus, lexical.Lexical(look.lexical.scores, weighed), top).max())


def _weighed(look: Look, words: Sequence[lexical.Word]) -> tuple[lexical.Word, ...]:
    """The words with a rarity as if more passages were stored, that hold none of them."""
    size = len(look.corpus)
    more = math.log((size + 1 + IMAGINED) / (size + 1))
    return tuple(replace(word, idf=word.idf + more if len(word.ranks) else _unseen(word)) for word in words)


def _unseen(word: lexical.Word) -> float:
    """What a word that nobody said counts. Most pairs of characters in a question span two words, so a new one says little."""
    return tuning.UNSEEN_PAIR if paired().match(word.term) else word.idf


def _said_then(look: Look, candidates: Sequence[Candidate]) -> bool:
    """Whether the best candidate was said in the asked time."""
    at = int(look.corpus.event[candidates[0].found_at])
    return any(after <= at < before for after, before in time.intervals(look.question))


def _unheard(look: Look, words: Iterable[lexical.Word]) -> tuple[str, ...]:
    """What the question asks about and no passage holds, as the question writes it."""
    unheard = {word.term for word in words if not len(word.ranks)}
    said = {chunk.strip(".,;:!?¿¡\"'()[]«»„“”。，？！、") for chunk in look.question.text.split()}
    shown = {chunk: unheard.intersection(terms.terms(chunk)) for chunk in sorted(said, key=look.question.text.find) if chunk}
    return tuple(chunk for chunk, found in shown.items() if found)


def _unknown_names(look: Look) -> tuple[str, ...]:
    """Names in the question that no passage holds."""
    held = {word.term for word in look.lexical.words if len(word.ranks)}
    asked = [(name, [term for term in terms.terms(name) if not terms.is_stop(term)]) for name in look.question.names]
    unheard = [(name, parts) for name, parts in asked if parts and held.isdisjoint(parts)]
    people = {term for name in look.corpus.names for term in terms.terms(name)} if unheard else set()
    return tuple(name for name, parts in unheard if people.isdisjoint(parts))


def _foreign(look: Look, candidates: Sequence[Candidate]) -> bool:
    """Whether a candidate is written in another script than the question: there a word not found says nothing."""
    asked = {_script(char) for char in look.question.text if char.isalpha()}
    for one in candidates:
        record = records.by_id(look.connection, look.corpus.workspaces[one.place], [one.record]).get(one.record)
        letters = [char for char in record.text[:SCRIPT_CHARS] if char.isalpha()] if record else []
        if letters and 2 * sum(_script(char) in asked for char in letters) < len(letters):
            return True
    return False


@lru_cache(maxsize=SCRIPTS_KEPT)
def _script(char: str) -> str:
    return unicodedata.name(char, "?").split()[0]


def _alike(pool: Pool, candidates: Sequence[Candidate], least: float) -> bool:
    """Whether one of the best candidates is near the question in meaning."""
    if pool.cosine is None:
        return False
    return max(float(pool.cosine[one.pool]) for one in candidates[:CHECKED]) >= least
