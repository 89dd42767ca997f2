"""Signs that a text says something moved on, denies something or states anything: from its words, before a clause is read.

Always true here: what shows a sign may mean nothing by it; what shows none says no such thing. So a text is looked at when it
comes in, and most are never read for what they might outdate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from muniment.text.scripts import paired
from muniment.text.statements import causes, chinese, triggers
from muniment.text.statements.words import ENGLISH, GERMAN

READ_MAX = 4000  # characters of a text that are looked at


@dataclass(frozen=True, slots=True)
class Wording:
    """What a text may do: say that something changed, ended or was wrong; deny something; state anything."""

    moves: bool
    denies: bool
    states: bool


def signs(text: str) -> Wording:
    """The signs that a text shows."""
    text = text[:READ_MAX]
    words = _words(text)
    return Wording(_moves(text, words), not words.isdisjoint(_denials()), triggers.worth_reading(text) or causes.hinted(text))


def moves(text: str) -> bool:
    """Whether a text is worded as a change, an end or a correction."""
    text = text[:READ_MAX]
    return _moves(text, _words(text))


def denies(text: str) -> bool:
    """Whether a text has a word that denies."""
    return not _words(text[:READ_MAX]).isdisjoint(_denials())


def _words(text: str) -> frozenset[str]:
    low = text.lower()
    if low.isascii() and "'" not in low:
        # Plain letters are taken apart by a table, which is three times as fast as asking what a letter is.
        return frozenset(low.translate(_apart()).split())
    return frozenset(_word_shape().findall(low))


@cache
def _apart() -> dict[int, str]:
    return {code: " " for code in range(128) if not chr(code).isalpha()}


@cache
def _word_shape() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]+(?:['’][a-z]+)?")


def _moves(text: str, words: frozenset[str]) -> bool:
    if not text.isascii():
        if chinese.written(text):
            return chinese.moves(text)
        if "→" in text or paired().search(text):
            return True
    if not words.isdisjoint(_cues()) or "->" in text:
        return True
    # A word with an apostrophe may be one of those that open, with something hung on it.
    opening = not words.isdisjoint(_openers()) or "'" in text or "’" in text
    return opening and _opened().search(text) is not None


@cache
def _denials() -> frozenset[str]:
    return ENGLISH.denies | GERMAN.denies


@cache
def _cues() -> frozenset[str]:
    """Words that correct, end or move something on, in the languages we read."""
    return frozenset(
        word
        for known in (ENGLISH, GERMAN)
        for word in (*known.corrects, *known.now, *known.ends, *known.changes)
        if word not in USUAL
    )


# Words that change nothing as often as not: alone they give no reason to read a text closely.
USUAL = frozenset("set cut went got turn turned raise lower dropped fell rose brought wait sorry moment push".split())


@cache
def _openers() -> frozenset[str]:
    """Words of which whatever `_opened` finds has one."""
    return frozenset("sorry wait moment meant mean since as from starting effective seit ab any new over handed".split())


# What comes first may say that something was wrong, or since when something holds.
@cache
def _opened() -> re.Pattern[str]:
    return re.compile(
        r"\A\W*(?:sorry|wait|moment|i meant|since|as of|from|starting|effective|seit|ab)\b|[.!;:] (?:since|as of|from|ab|seit) "
        r"|\bany more\b|\bi meant?\b|\bnew [^\W\d_]+(?::| –|,)|\b(?:takes|took|taken) over\b|\bhanded\b|\bfrom (?:today|now)\b",
        re.IGNORECASE,
    )
