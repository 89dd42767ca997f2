"""Signs that a text says something moved on, denies something or states anything: from its words, before a clause is read.

Always true here: what shows a sign may mean nothing by it; what shows none says no such thing, and what a rule could read is
never turned away. So a text is looked at when it comes in, and most are never read for what they might outdate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from muniment.model.stated import READ_MAX
from muniment.text.scripts import HAN, paired
from muniment.text.statements import chinese, shapes
from muniment.text.statements.nouns import OCCUPATIONS, SINGLE
from muniment.text.statements.sentences import apart
from muniment.text.statements.words import ENGLISH, GERMAN
from muniment.text.values import value_words


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
    return Wording(_moves(text, words), not words.isdisjoint(_denials()), worth_reading(text))


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
        return frozenset(low.translate(apart()).split())
    return frozenset(_word_shape().findall(low))


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


def worth_reading(text: str) -> bool:
    """Whether a text has any word or figure that a statement needs: most sentences have none, and are left alone."""
    if _figure().search(text):
        return True
    low = text.lower()
    words = frozenset(low.translate(apart("'-")).split())
    if not _triggers().isdisjoint(words) or "lieblings" in low:
        return True
    for word in _phrases().keys() & words:
        if _phrases()[word].search(low):
            return True
    if " is " in low or " are " in low:
        return _placed().search(text) is not None
    return not text.isascii() and _unspaced().search(text) is not None


def may_end(text: str) -> bool:
    """Whether a text may say what a thing was before, or that it is so no more: only that outdates what states nothing."""
    text = text[:READ_MAX]
    if not text.isascii():
        return True
    words = frozenset(text.lower().translate(apart("'-")).split())
    if not _ending().isdisjoint(words) or "->" in text or ("'" in text and _shortened().search(text)):
        return True
    return "from" in words and not words.isdisjoint(("to", "into", "onto"))


@cache
def _ending() -> frozenset[str]:
    known = (*shapes.changes(), *shapes.endings(), *shapes.settings(), *shapes.owning(), *shapes.renewing(), shapes.making())
    needs = frozenset().union(*(rule.needs for rule in known))
    # What any of these needs beside it is told by other words, here or above.
    shared = {"from", "to", "more", "any"}
    said = (one for known in (ENGLISH, GERMAN) for one in (known.denies, known.changes, known.now, known.corrects, known.ends))
    return (needs - shared).union(*said)


@cache
def _shortened() -> re.Pattern[str]:
    return re.compile(r"n't", re.IGNORECASE)


@cache
def _figure() -> re.Pattern[str]:
    return re.compile(r"\d|\w_\w|`|->|→")


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{HAN}]")


@cache
def _triggers() -> frozenset[str]:
    """Words of which every statement in words has one: what a shape needs, what one has one of, what is a value."""
    held = {"owns", "zuständig", "verantwortlich", "leitet", "responsible"}
    known = (*shapes.changes(), *shapes.endings(), *shapes.settings(), *shapes.relations())
    shaped = frozenset().union(*(rule.needs for rule in known))
    german = frozenset("ist sind liegt nutzen verwenden nutzt verwendet".split())
    common = _phrases().keys() | {"to", "an", "aus", "zu", "is", "are"}
    return (
        shaped | held | SINGLE | value_words() | german | {"favorite", "favourite", "use", "uses", "using", "anymore"}
    ) - common


@cache
def _phrases() -> dict[str, re.Pattern[str]]:
    """Words that nearly every turn has, each with what has to stand beside it."""
    state = r"(?:\bis|\bare|['’]s) (?:now |again )?{}\b"
    out = {word: state.format(word) for word in ("on", "off", "up", "down", "open", "light", "true")}
    out |= {word: rf"{word} (?:\w+ )?(?:at|for|as)\b" for word in ("work", "works", "working")}
    out |= {word: rf"{word} (?:\w+ )?in\b" for word in ("live", "lives", "living", "based")}
    out |= {
        word: rf"{word}\b.{{1,40}}(?:\bbut\b|[,;] (?:it|that|they)['’])|, (?:and )?{word}\b"
        for word in ("not", "isn't", "aren't")
    }
    out |= {
        "from": r"from\b.{1,60}\bto\b|to\b.{1,40}\bfrom\b",
        "more": r"any more\b",
        "any": r"any more\b",
        "moved": r"moved (?:\w+ )?to\b",
        "go": r"go (?:\w+ )?(?:through|to|via) ",
        "head": r"head of\b",
        "charge": r"in charge of\b",
        "over": r"\b(?:takes|took|taken) over\b|\bhanded\b",
        "belongs": r"belongs to\b",
        "leads": r"leads (?:the|our|my) ",
        "new": r"new [^\W\d_]+(?::| –|,)",
        "in": r"\b(?:wrote|rewrote|built|implemented) (?:the|our) ",
        "now": rf"\b(?:is|am|'m|are)\b.*\b(?:{'|'.join(sorted(OCCUPATIONS))})\b",
        "our": rf"\bis our\b.*\b(?:{'|'.join(sorted(OCCUPATIONS))})\b",
        "von": r"von\b.{1,60}\b(?:auf|zu|zum|zur|nach)\b",
    }
    return {word: re.compile(shape) for word, shape in out.items()}


@cache
def _placed() -> re.Pattern[str]:
    return re.compile(r" (?:is|are) (?:now |currently )?(?:located )?(?:in|at) (?:the )?[A-ZÀ-Þ]")
