"""Sentences of a text cut into clauses, for whoever reads what they state.

Always true here: a clause is one run of its sentence; of a question only what it tells before it asks is cut out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from muniment.text.passages import sentences
from muniment.text.statements.words import (
    CONDITIONS,
    ENGLISH,
    ENGLISH_SHOWN,
    GERMAN,
    GERMAN_OPENS,
    GERMAN_PLAIN,
    GERMAN_SHOWN,
    OPINIONS,
    Lexicon,
)

GERMAN_SHOWN_MIN = 2  # so many of its common words show German where none shows it alone
QUESTION_MARKS = ("?", "？", "؟")
CLOSERS = "\"')”* "  # may stand behind them
_CODED = frozenset("\\{}|<(=≈")  # one of these is in all that `_code` finds


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with the bounds of its clauses, all in the whole text."""

    text: str
    low: int
    high: int
    parts: tuple[tuple[int, int], ...]

    @property
    def lexicon(self) -> Lexicon:
        return GERMAN if _is_german(self.text[self.low : self.high]) else ENGLISH

    def doubted(self, place: int) -> bool:
        """Whether what stands beside a clause makes it unsure: a condition on either side, or an opinion before it."""
        text = self.text
        if place + 1 < len(self.parts) and opens(words_of(text, *self.parts[place + 1])):
            return True
        if not place:
            return False
        before, joint = words_of(text, *self.parts[place - 1]), text[self.parts[place - 1][1] : self.parts[place][0]]
        return opens(before) or (opines(before) and not any(letter.isalpha() for letter in joint))


def split(text: str, wanted: Callable[[str], bool] = bool) -> Iterator[Sentence]:
    """The wanted sentences of a text, cut into clauses. Code is left out, and of a question all but what it tells before."""
    for low, high in sentences(text):
        if text.startswith(("```", "~~~"), low) or not wanted(text[low:high]):
            continue
        said, parts = text[low:high], list(_cut(text, low, high))
        if not _CODED.isdisjoint(said):
            parts = [bounds for bounds in parts if not _code().search(text, *bounds)]
        if said.rstrip(CLOSERS).endswith(QUESTION_MARKS):
            parts = _told(text, parts)
        yield Sentence(text, low, high, tuple(parts))


def words_of(text: str, low: int, high: int) -> list[str]:
    """The words of a clause as lexicons have them."""
    return [shape.group().lower().replace("’", "'") for shape in word_shape().finditer(text, low, high)]


def opened(text: str, low: int, high: int) -> int:
    """Where a clause begins to say something: behind the words that only open it, and those of "now"."""
    called = False
    for shape in word_shape().finditer(text, low, high):
        word = shape.group().lower()
        if word in _openers():
            continue
        if called or word in ENGLISH.tentative or word in GERMAN.tentative or _calls().match(text, shape.end(), high) is None:
            return shape.start()
        called = True
    return high


@cache
def _openers() -> frozenset[str]:
    said = (words for known in (ENGLISH, GERMAN) for words in (known.leads, known.corrects, known.now))
    return frozenset(("today", "heute")).union(*said)


@cache
def _calls() -> re.Pattern[str]:
    """What follows a name that is called, or an adverb, before somebody speaks of themselves: "Ann, I …", "Recently, I …"."""
    spoken = "|".join(re.escape(word) for word in sorted(ENGLISH.first | ENGLISH.we | GERMAN.first | GERMAN.we))
    return re.compile(rf"[,:] (?=(?:{spoken})\b)", re.IGNORECASE)


def opens(lows: Sequence[str]) -> bool:
    """Whether a clause is a condition for those beside it."""
    return bool(lows) and lows[0] in CONDITIONS


def opines(lows: Sequence[str]) -> bool:
    """Whether a clause says that the one after it is only thought or told."""
    return not OPINIONS.isdisjoint(lows) or (bool(lows) and lows[-1] in ("that", "dass"))


@cache
def _code() -> re.Pattern[str]:
    """What only formulas and programs have."""
    return re.compile(r"[\\{}|<]|\w\(|\(\)|[=+*/] ?\w+ ?[=+*/]|==|:=|\) ?[=≈]|≈|\w = \w+\.\w|=\(")


def _told(text: str, parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """What a question tells before it asks: "I raised the budget to $65, can you find more?"."""
    asking = next((place for place, bounds in enumerate(parts) if _asks().match(text, *bounds)), 0)
    return parts[:asking]


@cache
def _asks() -> re.Pattern[str]:
    return re.compile(
        r"\W*(?:(?:so|and|but|then|also|please|or|hey|und|aber|also) )*(?:can|could|would|will|should|do|does|did|is"
        r"|are|isn['’]t|aren['’]t|don['’]t|doesn['’]t|am|was|were|"
        r"has|have|had|what|what['’]s|how|why|when|where|who|which|whose|may|might|any|right|ok|kannst|können|könntest"
        r"|soll|sollen|wie|was|wer|wann|wo|warum|welche\w*|ist|sind|hast|habt|oder)\b",
        re.IGNORECASE,
    )


def _is_german(text: str) -> bool:
    words = bare_words(text.lower())
    if words and words[0] in GERMAN_OPENS and ENGLISH_SHOWN.isdisjoint(words):
        return True
    return not GERMAN_PLAIN.isdisjoint(words) or sum(word in GERMAN_SHOWN for word in words) >= GERMAN_SHOWN_MIN


def bare_words(low: str) -> list[str]:
    """The runs of letters of a text in small letters."""
    return low.translate(apart()).split() if low.isascii() else _letters().findall(low)


@cache
def apart(kept: str = "") -> dict[int, str]:
    """The table that takes plain text apart at all that is no letter and not `kept`."""
    return {code: " " for code in range(128) if not chr(code).isalpha() and chr(code) not in kept}


@cache
def _letters() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]+")


def _cut(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    """A sentence at its joints. "Not X but Y" stays whole, and what merely opens stays with what it opens."""
    start = low
    for joint in _joints().finditer(text, low, high):
        before = text[start : joint.start()]
        if len(before.split()) < 2 or (joint["but"] and _not().search(before)):
            continue
        if _changed().search(before) and _it().match(text, joint.end(), high):
            continue
        yield start, joint.start()
        start = joint.end()
    yield start, high


@cache
def _joints() -> re.Pattern[str]:
    subject = (
        r"(?:the|our|my|we|we're|we've|i|i'm|i've|it|it's|he|she|they|that|this|you|please|wir|ich|der|die|das|mein"
        r"|meine|unser|unsere"
        r"|es|er|sie|bitte|what|which|and i|and we)"
    )
    return re.compile(
        # How every joint begins: nearly all of a sentence is passed over with one look.
        r"(?=[;:,(\n]|\s+[–—(\nbhaswu-])(?:;\s*|\s+[–—]\s*|\s-{1,2}\s|\n+|\s*\((?=[^()]{12,}\))"
        r"|:\s+(?=\S+ \S+ \S+)"
        r"|,?\s+(?P<but>but|however|aber|sondern)\s+"
        r"|,\s+(?:and|so|und|because|while|whereas|weil|since|although)\s+|\s+(?:because|weil|although|whereas)\s+"
        r"|\s+since\s+(?=\S+ \S+)"
        rf"|\s+(?:and|und)\s+(?={subject}\s)|,\s+(?={subject}\s)"
        # What follows a comma at some length is another thought, unless it goes on with the same one.
        r"|,\s+(?!(?:not|but|and|or|from|to|instead|rather|sondern|und|oder|statt|auf|nach|nicht|with|for|then|than"
        r"|(?:19|20)\d\d)\b)(?=\S+ \S+ \S+))",
        re.IGNORECASE,
    )


@cache
def _changed() -> re.Pattern[str]:
    return re.compile(r"\b(?:changed|has moved|was wrong|is wrong|is different|geändert|stimmt nicht)$", re.IGNORECASE)


@cache
def _it() -> re.Pattern[str]:
    return re.compile(r"(?:it['’]s|it is|now it['’]s|es ist|sie ist|er ist|die ist|der ist|das ist) ", re.IGNORECASE)


@cache
def _not() -> re.Pattern[str]:
    return re.compile(r"\b(?:not|n't|isn't|nicht|kein|keine|keinen)\b", re.IGNORECASE)


@cache
def word_shape() -> re.Pattern[str]:
    """A word as lexicons have it."""
    return re.compile(r"[^\W_]+(?:['’.+-][^\W_]+)*[+#]*|['’]s\b")
