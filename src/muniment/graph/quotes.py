"""Finding told words in a text. What is found is always an exact span: `text[start:end]`, in code points of the stored text.

White space and composed letters may be written differently in a quote; nothing else may.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from muniment.text.scripts import fold, paired

# In longer texts letters have to be composed as in the quote: taking them apart one by one takes a second a million.
COMPOSED_MAX = 1_000_000


def find(text: str, quote: str) -> tuple[int, int] | None:
    """The first span of a text that holds a quote word for word; None where the text does not say it."""
    words = quote.split()
    if not words:
        return None
    at = text.find(quote.strip())
    if at >= 0:
        return at, at + len(quote.strip())
    wanted = re.compile(r"\s+".join(re.escape(unicodedata.normalize("NFC", word)) for word in words))
    if len(text) > COMPOSED_MAX or unicodedata.is_normalized("NFC", text):
        found = wanted.search(text)
        return found.span() if found else None
    letters = [(unicodedata.normalize("NFC", text[start:end]), start, end) for start, end in _letters(text)]
    found = wanted.search("".join(letter for letter, _, _ in letters))
    if found is None:
        return None
    places = [(start, end) for letter, start, end in letters for _ in letter]
    return places[found.start()][0], places[found.end() - 1][1]


def _letters(text: str) -> Iterator[tuple[int, int]]:
    """Spans of a text that compose by themselves: a letter with its marks, a syllable with its parts."""
    start = 0
    for at in range(1, len(text)):
        if not _joins(text[start:at], text[at]):
            yield start, at
            start = at
    yield start, len(text)


def _joins(before: str, letter: str) -> bool:
    if letter.isascii():
        return False
    if unicodedata.combining(letter):
        return True
    apart = unicodedata.normalize("NFC", before) + unicodedata.normalize("NFC", letter)
    return unicodedata.normalize("NFC", before + letter) != apart


def holds(text: str, words: str) -> bool:
    """Whether a text names something: in any case and width, but as whole words and whole numbers."""
    wanted, within = _folded(words), _folded(text)
    at = within.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        if _apart(within[at - 1 : at], wanted[0]) and _apart(wanted[-1], within[end : end + 1]) and not _goes_on(within, end):
            return True
        at = within.find(wanted, at + 1)
    return False


def _folded(text: str) -> str:
    return " ".join(fold(word.replace("’", "'")) for word in text.split())


def _apart(one: str, other: str) -> bool:
    """Whether a word ends between two characters. In scripts without spaces one may end anywhere."""
    return not (one and other and _worded(one) and _worded(other))


def _worded(letter: str) -> bool:
    return letter.isalnum() and not paired().match(letter)


def _goes_on(text: str, end: int) -> bool:
    """Whether a figure goes on behind a point or comma: 1.2 is not in 1.2.3."""
    return text[end - 1].isdigit() and text[end : end + 1] in (".", ",", ":") and text[end + 1 : end + 2].isdigit()
