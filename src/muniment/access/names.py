"""Which names of workspaces are one name, and which are so alike that somebody may have meant the other.

Only spellings of one name (case, spaces, hyphens, width) are ever taken for each other; what is merely alike is proposed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher

# From this distance on two names have nothing to do with each other: 1 is no letter in common, 0 is the same name.
DISTANCE_MAX = 0.25
# A shorter name is like too many others.
LENGTH_MIN = 3
CANDIDATES_MAX = 5
# Parts of every store, which no name is ever taken for.
POOLS = frozenset({"default", "inbox", "global"})
MARKS = ("Mn", "Mc")
# The joiner and the selectors of variants.
SHAPING = re.compile("[\u034f\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]")
# Cyrillic and Greek small letters, and the signs in Latin names, that a reader takes for each other. Only who is warned
# depends on it: what looks alike is never one name.
LOOKS = str.maketrans(
    "\u0430\u0432\u0435\u0451\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0455\u0456\u0457\u0458\u04bb\u0501\u051b\u051d"
    "\u03b1\u03b2\u03b5\u03b7\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03c9\u0131",
    "abeekmhopctyxsiijhdqwabenikvoptuxwi",
)
PLURALS = ("s", "es")


def key(name: str) -> str:
    """The form in which all mechanical variants of a name meet."""
    return spelled(composed(composed(name).casefold())).replace(" ", "")


def spelled(text: str) -> str:
    """A text with a space for each sign that is no part of a word.

    Marks belong to the letter before them: without its vowel signs and points a name is another word. What only chooses a
    letter's shape is no mark.
    """
    if text.isascii():
        return re.sub(r"[\W_]", " ", text)
    found: list[str] = []
    after = False  # a letter, or a mark of one
    for one in text:
        if SHAPING.fullmatch(one):
            continue
        after = one.isalpha() or (after and unicodedata.category(one) in MARKS)
        found.append(one if after or one.isalnum() else " ")
    return "".join(found)


def lowered(name: str) -> str:
    """A name without differences of case and width, as slugs are written."""
    return composed(composed(name).lower())


def composed(text: str) -> str:
    """A text with one code for what can be written in several, as slugs are stored."""
    return unicodedata.normalize("NFKC", text)


def alike(name: str, known: Iterable[str]) -> list[str]:
    """The known names that this one may be a slip of, the likeliest first; never a variant or the name itself."""
    found = sorted((distance, one) for one in known if (distance := apart(name, one)) <= DISTANCE_MAX)
    return [one for _, one in found[:CANDIDATES_MAX]]


def apart(one: str, other: str) -> float:
    """How far two names are from each other, 0 to 1. By the guards, 1 for names that only look alike.

    Those are the pools of every store, short names, names that differ in a number, and a name that holds all of the other
    one: a longer name is another thing, but for a plural.
    """
    short, long = sorted((key(one), key(other)), key=len)
    if short != long and short.translate(LOOKS) == long.translate(LOOKS) and not POOLS & {short, long}:
        return 0.0
    if POOLS & {one.casefold(), other.casefold(), short, long} or len(short) < LENGTH_MIN or short == long:
        return 1.0
    if short in long and long not in {short + ending for ending in PLURALS}:
        return 1.0
    if re.findall(r"\d+", one) != re.findall(r"\d+", other):
        return 1.0
    # Which one is asked about makes no difference.
    first, second = sorted((short, long))
    return 1.0 - SequenceMatcher(None, first, second, autojunk=False).ratio()
