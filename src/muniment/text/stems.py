"""Stems: one form for the inflections of a word, by the rules of its script.

Always true here: the same word has the same stem in a question and in a text, whichever thread asks.
"""

from __future__ import annotations

import threading
from functools import cache, lru_cache

import Stemmer

from muniment.text.inflections import IRREGULAR, SPELLINGS

TERM_LENGTH_MAX = 64
WORDS_CACHED_MAX = 16_384  # about 4 MB; by Zipf's law nine words of ten in a conversation are found there
STEMMED = (
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u052f", "russian"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
)


@lru_cache(maxsize=WORDS_CACHED_MAX)
def stem(word: str) -> str:
    """The stem of a folded word, by the rules of its script."""
    word = word[:TERM_LENGTH_MAX]
    if word.isascii():
        if not word.isalpha():
            return word
        stemmed: str = _stemmer("english").stemWord(IRREGULAR.get(word, word))
        return _spellings().get(stemmed, stemmed)
    first = word[0]
    for low, high, language in STEMMED:
        if low <= first <= high:
            return str(_stemmer(language).stemWord(word))
    return word


def _stemmer(language: str) -> Stemmer.Stemmer:
    """This thread's stemmer: a Snowball object must not be used by two threads at once."""
    mine = _threads()
    found = getattr(mine, language, None)
    if found is None:
        found = Stemmer.Stemmer(language, 0)
        setattr(mine, language, found)
    return found


@cache
def _threads() -> threading.local:
    return threading.local()


@cache
def _spellings() -> dict[str, str]:
    english = _stemmer("english")
    pairs = ((english.stemWord(british), english.stemWord(american)) for british, american in SPELLINGS)
    return {british: american for british, american in pairs if british != american}
