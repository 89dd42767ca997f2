"""Names found by their capitals, in Latin, Cyrillic and Greek, without a list of names.

Always true here: a capital that only opens a sentence, a German noun or a shout makes no name by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from muniment.text.calendar_words import MONTHS, WEEKDAYS
from muniment.text.starters import STARTERS
from muniment.text.stems import WORDS_CACHED_MAX, stem
from muniment.text.terms import is_stop, language

SHOUTED_MIN = 3  # so many words in capitals in a row are a shout or a heading
ENDINGS_COMMON = ("ing", "ly", "ed", "tion", "tions", "ness", "ment", "ments", "ity", "ies")  # of words that merely come first
BACK_MAX = 12  # characters looked back at to see whether a sentence begins

_GERMAN = (" der ", " die ", " das ", " und ", " ist ", " ich ", " nicht ", " war ")  # one is in every German text
_I = frozenset(("i", "i'm", "i've", "i'd", "i'll", "i’m", "i’ve", "i’d", "i’ll"))


def names(text: str) -> Iterator[tuple[int, int]]:
    """Offsets of names in order: runs of capitalised words, with "van", "de" and the like inside of them."""
    german: bool | None = None
    for run in _capitals().finditer(text):
        said, low = run.group(), run.start()
        if " " not in said:
            if _plain(said):
                continue  # most runs are one "I" or "The"
            words = [run.span()]
        else:
            words = [(low + word.start(), low + word.end()) for word in _spaced().finditer(said)]
        kept = _trimmed(text, words)
        if len(kept) == 1 and not _inner(text[slice(*kept[0])]):
            if german is None:
                german = any(word in text for word in _GERMAN) and language(text) == "german"
            if german:
                continue
        if kept:
            yield kept[0][0], _without_possessive(text, kept[-1][1])


def _trimmed(text: str, words: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A run's words without the ones at its ends that name nothing; none when nothing clear is left."""
    opens = _opens(text, words[0][0])
    whole = len(words)
    while words and (_plain(text[slice(*words[0])]) or (opens and text[slice(*words[0])].lower() in STARTERS)):
        words, opens = words[1:], False
    while words and (_plain(text[slice(*words[-1])]) or text[slice(*words[-1])] in _JOINTS):
        words = words[:-1]
    if not words:
        return words
    surfaces = [text[start:end] for start, end in words]
    if whole >= SHOUTED_MIN and all(surface.isupper() for surface in surfaces):
        return []
    if len(words) == 1 and (len(surfaces[0]) < 2 or (opens and not _clearly(text, words[0], surfaces[0]))):
        return []
    return words


def _opens(text: str, at: int) -> bool:
    """Whether a sentence, a quotation or a list item begins at this offset."""
    before = text[max(0, at - BACK_MAX) : at]
    bare = before.rstrip(" \t\"'“‘«„「¿¡([*-–—#>")
    return not bare or bare[-1] in ".!?。！？…\n:" or (len(bare) < len(before) - 1)


@lru_cache(maxsize=WORDS_CACHED_MAX)
def _plain(word: str) -> bool:
    low = word.lower()
    return low in _I or low in MONTHS or low in WEEKDAYS or is_stop(stem(low.removesuffix("'s")))


def _inner(word: str) -> bool:
    """A capital or a figure inside: GitHub, COVID, B2B."""
    return any(c.isupper() or c.isdigit() for c in word[1:])


def _clearly(text: str, bounds: tuple[int, int], word: str) -> bool:
    """Whether a word that opens a sentence is a name: by its form, by what follows, or because it stands elsewhere too."""
    if (_inner(word) and not word.isupper()) or word.endswith(("'s", "’s")):
        return True
    low = word.lower()
    if low in STARTERS or low.endswith(ENDINGS_COMMON):
        return False
    if _after_name().match(text, bounds[1]) or not text[bounds[1] : bounds[1] + BACK_MAX].strip(" ?!."):
        return True
    again = text.find(" " + word, bounds[1], bounds[1] + 2000)
    return again >= 0 and not _opens(text, again + 1)


def _without_possessive(text: str, end: int) -> int:
    return end - 2 if text[end - 2 : end] in ("'s", "’s") else end


@cache
def _after_name() -> re.Pattern[str]:
    return re.compile(
        r",? (?:and|or|und|et|y|и) [A-ZÀ-ÞА-Я]|,? (?:is|was|has|had|did|does|will|would|can|could|and I|said"
        r"|says|told|wants|likes|loves"
        r"|went|goes|works|lives|got|made|makes|gave|took|came|wrote|bought|sold|thinks|knows|needs|told"
        r"|owns|leads|led|manages|maintains|handles|plays|speaks|studies|teaches|leaves|left|joins|takes|uses|became|runs"
        r"|asked|also|just|[a-z]{3,}ed)\b"
    )


_JOINTS = frozenset("van von de da di del della der den du le la bin ibn al el of the and".split())


@cache
def _spaced() -> re.Pattern[str]:
    return re.compile(r"[^ ]+")


@cache
def _capitals() -> re.Pattern[str]:
    upper = "A-ZÀ-ÖØ-ÞĀ-ŽȘȚΆ-ΫЀ-ЯҐ"
    word = rf"(?:[{upper}][\w’'&-]*+(?:\.(?=[{upper}]\.?\b)[\w]+)*+)"
    joint = r"(?:(?:van|von|de|da|di|del|della|der|den|du|le|la|bin|ibn|al|el|of) (?:(?:der|den|la|las|los|le|the) )?)"
    title = r"(?:(?:(?<=\b\w)|(?<=Dr)|(?<=Mr)|(?<=Ms)|(?<=Mrs)|(?<=St)|(?<=Prof))\.)"  # a full stop that ends no sentence
    return re.compile(rf"(?<![\w@#$/.'’-]){word}(?:(?<!['’]s){title}? {joint}?{word}){{0,12}}+")
