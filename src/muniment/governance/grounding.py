"""Whether words stand in a text: compared word by word, never by letters that happen to stand side by side.

Always true here: 1.5 is not 15, "dev" is not in "device", and v1 is not in v12.
"""

from __future__ import annotations

import re
from functools import cache

from muniment.text.scripts import fold

VALUE_LENGTH_MAX = 64
VALUE_WORDS_MAX = 12
DENIALS = frozenset("not no never neither nor cannot without nicht kein keine keinen keinem nie niemals".split())
_SHORT_NOT = re.compile(r"n['’]t\b", re.IGNORECASE)
DENIAL_REACH = 2  # words before a value in which a denial is about it
# What stands where a value should be, and is none.
NO_VALUES = frozenset("unknown unclear undefined undecided none null nil na n/a tbd todo ? - unbekannt unklar offen".split())


def words(text: str) -> tuple[str, ...]:
    """The words of a text, folded. A number keeps its decimal point and loses the marks between its thousands."""
    return tuple(_ungrouped(found) for found in _words().findall(fold(text)))


def normal(value: str) -> str:
    """A value as it is compared when nothing better is known of it."""
    return " ".join(words(value))


def holds(text: str, value: str) -> bool:
    """Whether a text says a value: all of its words, one after another."""
    wanted, said = words(value), words(text)
    return bool(wanted) and any(said[at : at + len(wanted)] == wanted for at in range(len(said) - len(wanted) + 1))


def says(text: str, value: str) -> bool:
    """Whether a text says a value and does not only deny it: "not 8081" holds the word and says another thing."""
    wanted, said = words(value), words(_SHORT_NOT.sub(" not", text))
    places = [at for at in range(len(said) - len(wanted) + 1) if wanted and said[at : at + len(wanted)] == wanted]
    return any(DENIALS.isdisjoint(said[max(0, at - DENIAL_REACH) : at]) for at in places)


def usable(value: str) -> bool:
    """Whether this can be the value of something: short, and not a word for knowing none."""
    found = words(value)
    if not found or len(value) > VALUE_LENGTH_MAX or len(found) > VALUE_WORDS_MAX:
        return False
    return fold(value).strip() not in NO_VALUES and " ".join(found) not in NO_VALUES


def _ungrouped(word: str) -> str:
    return re.sub(r"[,'’]", "", word) if _grouped().fullmatch(word) else word


@cache
def _words() -> re.Pattern[str]:
    # Dots and colons hold a number, a version, an address or a time together; commas only between groups of three.
    return re.compile(r"\d{1,3}(?:[,'’]\d{3})+(?:\.\d+)?(?!\w)|[^\W_]*\d+[^\W_]*(?:[.:]\w*\d\w*)*|[^\W\d_]+|[^\W_]+")


@cache
def _grouped() -> re.Pattern[str]:
    return re.compile(r"\d{1,3}(?:[,'’]\d{3})+(?:\.\d+)?")
