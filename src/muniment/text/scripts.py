"""Scripts as character classes, and folding: one written form for what readers take as the same letter.

Always true here: folding keeps every mark that tells two words apart in its script (Hindi, Thai, Arabic letters, Korean)
and drops the ones that writers leave out (Latin and Greek accents, Arabic tashkeel, Hebrew points, Cyrillic stress).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

# Written without spaces, or (Hangul) with particles glued on: indexed as overlapping pairs of characters.
HAN_KANA = "\u3005-\u3007\u3031-\u3035\u303b\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u312f\u31a0-\u31bf\u31f0-\u31ff"
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
SOUTHEAST = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u104c-\u109f\u1780-\u17d3\u17dc\u17dd"
PAIRED = HAN_KANA + HAN + HANGUL + SOUTHEAST
# Marks that belong to the character before them in the paired scripts.
PAIRED_MARKS = (
    "\u3099\u309a\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u17b4-\u17d3\u17dd"
)
# Python's \w leaves combining marks out, which would cut Hindi, Tamil or vocalised Arabic words to pieces.
MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0900-\u0963\u0966-\u0df3\u0f18-\u0f84\u200c\u200d"
)
WORD = rf"[^\W_{PAIRED}]++(?:[{MARKS}]++[^\W_{PAIRED}]*+)*+"

_LETTERS = str.maketrans(
    {
        "ø": "o", "æ": "ae", "œ": "oe", "đ": "d", "ł": "l", "þ": "th", "ð": "d", "ħ": "h", "ı": "i", "ŋ": "n", "ſ": "s",
        "ё": "е", "ґ": "г",
        "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ک": "ك", "ـ": None,
        "ँ": "ं", "़": None, "\u200c": None, "\u200d": None, "\u00ad": None,
    }
)  # fmt: skip


@cache
def paired() -> re.Pattern[str]:
    """Finds one character of a script that is indexed as pairs."""
    return re.compile(f"[{PAIRED}]")


@cache
def _points() -> re.Pattern[str]:
    return re.compile("[\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]")


@cache
def _accents() -> re.Pattern[str]:
    return re.compile("[\u0300-\u036f]")


@cache
def _cyrillic() -> re.Pattern[str]:
    return re.compile("[\u0400-\u052f]")


def wide(text: str) -> str:
    """Width and compatibility forms folded (NFKC); case is kept for those who look for CamelCase."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def fold(word: str) -> str:
    """One word in its comparable form: width, case, optional marks and spelling variants of a letter."""
    if word.isascii():
        return word.lower()
    word = unicodedata.normalize("NFKC", word).casefold()
    if _cyrillic().search(word):
        # Only the stress mark goes: the breve of \u0439 and the dots of \u0457 make other letters.
        word = word.replace("\u0301", "")
    elif (first := unicodedata.normalize("NFD", word)) != word:
        word = unicodedata.normalize("NFC", _accents().sub("", first))
    return _digits(_points().sub("", word.translate(_LETTERS)))


def _digits(word: str) -> str:
    if word.isascii() or not any(c.isdecimal() for c in word):
        return word
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in word)
