"""Clauses of a text, each with what its small words say of it: how sure, since when, whether denied, whose.

Always true here: a clause is one run of its text; its bag holds the stems of its words of content, values left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise

from muniment.text.scripts import fold
from muniment.text.statements.sentences import opens, opines, split, word_shape, words_of
from muniment.text.statements.words import (
    DETERMINERS,
    ENGLISH,
    GERMAN,
    OPINIONS,
    POINTING,
    QUALIFIERS,
    SYNONYMS,
    TURNS,
    Lexicon,
)
from muniment.text.stems import stem
from muniment.text.stopwords import ENGLISH as ENGLISH_STOPS
from muniment.text.value_words import UNITS
from muniment.text.values import Value, values

CLAUSES_MAX = 60  # clauses of one text that are looked at
SUBJECT_MOST = 4  # words of content of what a pronoun stands for
CLAUSE_MIN, CLAUSE_MAX = 4, 240  # characters; longer ones are no clear statements
REALLY_WITHIN = 4  # words in which "it is actually" puts something right
PLAIN_MAX = 160  # a text of no more characters may leave its verb out: "max upload: 20 MB"
CACHED_MAX = 2048  # clauses of texts that are compared again and again


@dataclass(frozen=True, slots=True)
class Word:
    """`low` is folded for lexicons, `key` the stem that slots are compared by; `plain`: it says nothing of itself."""

    start: int
    end: int
    low: str
    key: str
    plain: bool


@dataclass(frozen=True, slots=True)
class Clause:
    """Offsets count in the whole text, but `head` in the body: where what merely opens it ends. `verb` is where the first
    verb that is known begins, or -1.
    """

    start: int
    end: int
    body: str
    words: tuple[Word, ...]
    values: tuple[Value, ...]
    german: bool
    head: int
    verb: int
    corrects: bool
    now: bool
    tentative: bool
    past: bool
    changes: bool
    ends: bool
    denies: bool
    turns: bool
    many: bool
    moving: bool
    vague: bool
    listed: bool
    opens: bool
    opines: bool
    first: bool
    we: bool
    others: bool
    pointing: bool
    allows: bool

    def keys(self, *left_out: tuple[int, int]) -> frozenset[str]:
        """The stems of the words of content outside of some spans."""
        return frozenset(
            word.key for word in self.words if not word.plain and not any(low <= word.start < high for low, high in left_out)
        )

    def qualifies(self, *left_out: tuple[int, int]) -> str:
        """Where and when it holds: environments, regions, ranks."""
        found = {
            QUALIFIERS[word.low]
            for word in self.words
            if word.low in QUALIFIERS and not any(low <= word.start < high for low, high in left_out)
        }
        return " ".join(sorted(found))


@lru_cache(maxsize=CACHED_MAX)
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a text that may state something, in order. Questions and code are left out."""
    return read(text, lambda sentence: True)


def read(text: str, wanted: Callable[[str], bool]) -> tuple[Clause, ...]:
    """The clauses of those sentences that are wanted."""
    out: list[Clause] = []
    for one in split(text, wanted):
        lexicon = one.lexicon
        out += _judged([_clause(text, *bounds, lexicon) for bounds in one.parts])
        if len(out) >= CLAUSES_MAX:
            break
    return tuple(out[:CLAUSES_MAX])


def keys_in(text: str) -> frozenset[str]:
    """The key of every word of a text."""
    return frozenset(_known(surface, False)[1] for surface in set(word_shape().findall(text)))


def _judged(said: list[Clause]) -> list[Clause]:
    """Clauses of one sentence: a condition beside one and an opinion before one make it unsure."""
    out = []
    corrects = bool(said) and said[0].corrects
    for place, one in enumerate(said):
        before, after = said[place - 1] if place else None, said[place + 1] if place + 1 < len(said) else None
        unsure = (
            one.tentative or (before is not None and (before.opens or before.opines)) or (after is not None and after.opens)
        )
        if CLAUSE_MIN <= one.end - one.start <= CLAUSE_MAX:
            if (unsure, corrects) != (one.tentative, one.corrects):
                one = replace(one, tentative=unsure, corrects=corrects)
            out.append(_resolved(one, before) if before else one)
    return out


def _resolved(one: Clause, before: Clause) -> Clause:
    """A clause whose pronoun stands for the subject of the one before it, as if that subject stood there."""
    pronoun = next((word for word in one.words if word.start - one.start >= one.head), None)
    if pronoun is None or pronoun.low.partition("'")[0] not in _STANDS_IN:
        return one
    until = before.verb if before.verb >= 0 else next((w.start for w in before.words if w.low.endswith("ed")), -1)
    subject = [word for word in before.words if before.head <= word.start - before.start < until - before.start]
    lows = {word.low for word in subject}
    numbered = any(value.start < until for value in before.values)
    if before.others or before.pointing or numbered or not 0 < sum(not word.plain for word in subject) <= SUBJECT_MOST:
        return one
    lexicon = GERMAN if one.german else ENGLISH
    rest = {word.low for word in one.words if word is not pronoun}
    return replace(
        one,
        words=(*subject, *one.words),
        first=one.first or not lows.isdisjoint(lexicon.first),
        we=one.we or not lows.isdisjoint(lexicon.we),
        others=not rest.isdisjoint(lexicon.others),
        pointing=False,
        moving=one.moving or not lows.isdisjoint(lexicon.moving),
        vague=one.vague or not lows.isdisjoint(lexicon.vague),
    )


def _clause(text: str, low: int, high: int, lexicon: Lexicon) -> Clause:
    while low < high and text[low] in " \t,-*•>#":
        low += 1
    body = text[low:high]
    german = lexicon is GERMAN
    found = tuple(Value(v.start + low, v.end + low, v.sort, v.norm) for v in values(body, german=german))
    words = tuple(_words(body, low, found, lexicon))
    lows = [word.low for word in words]
    opened, opening = _opening(lows, lexicon)
    apart = next((n for n in range(opened, 0, -1) if text[words[n - 1].end : words[n - 1].end + 1] in (",", ":")), 0)
    words = (*(replace(word, plain=True) for word in words[:apart]), *words[apart:])
    said = frozenset(lows[apart if lows[:1] in _ALSO else 0 :])  # "also, the limit is 5" adds to the talk, not to the limit
    changes = not said.isdisjoint(lexicon.changes)
    dated = _dated_from(body, low, found)
    granted = not dated and lows[:1] in _GRANTED
    points = opened < len(lows) and lows[opened] in POINTING
    return Clause(
        low, high, body, words, found, german,
        head=dated or (words[opened].start - low if opened < len(words) else 0),
        verb=next((word.start for word in words if lexicon.is_verb(word.low)), -1),
        corrects=opening or (points and not _REALLY.isdisjoint(lows[: opened + REALLY_WITHIN])),
        now=not said.isdisjoint(lexicon.now),
        tentative=not said.isdisjoint(lexicon.tentative) or granted or _planned(body, lexicon, changes),
        past=_is_past(body, lexicon, changes) or (changes and _dated_back().search(body) is not None),
        changes=changes,
        ends=not said.isdisjoint(lexicon.ends),
        denies=not frozenset(lows[opened:]).isdisjoint(lexicon.denies),
        turns=not frozenset(lows[opened:]).isdisjoint(TURNS),
        many=not said.isdisjoint(lexicon.many),
        moving=not said.isdisjoint(lexicon.moving),
        vague=any(low in lexicon.vague and following not in UNITS for low, following in pairwise([*lows, ""])),
        listed="\n" in text or len(text) > PLAIN_MAX,
        opens=opens(lows),
        opines=opines(lows[apart if lows[:1] in _ALSO else 0 :]) and not (opening and OPINIONS.isdisjoint(said)),
        first=not said.isdisjoint(lexicon.first),
        we=not said.isdisjoint(lexicon.we),
        pointing=points and ("'" in lows[opened] or lexicon.present.issuperset(lows[opened + 1 : opened + 2])),
        others=not said.isdisjoint(lexicon.others),
        allows=said & lexicon.tentative == _MAY
        and said.isdisjoint((*lexicon.first, *lexicon.we))
        and not _planned(body, lexicon, changes),
    )  # fmt: skip


def _dated_from(body: str, low: int, found: tuple[Value, ...]) -> int:
    """Where "since Monday", "from May 3" ends that opens a clause; 0 without."""
    shape = _since().match(body)
    if shape is None or not found or found[0].start - low != shape.end():
        return 0
    after = found[0].end - low
    return after + len(body[after:]) - len(body[after:].lstrip(" ,"))


@cache
def _since() -> re.Pattern[str]:
    return re.compile(r"(?:since|as of|starting|effective|from|seit|ab) ", re.IGNORECASE)


def _opening(lows: list[str], lexicon: Lexicon) -> tuple[int, bool]:
    """How many words merely open a clause, and whether one of them puts something right."""
    corrects = False
    for place, low in enumerate(lows):
        if low in lexicon.corrects:
            corrects = True
        elif low not in lexicon.leads:
            return place, corrects
    return len(lows), corrects


def _words(body: str, low: int, found: tuple[Value, ...], lexicon: Lexicon) -> Iterator[Word]:
    """The words between the values."""
    at, before = 0, ""
    for shape in word_shape().finditer(body):
        start = shape.start() + low
        led, before = before in DETERMINERS, shape.group().lower()
        while at < len(found) and found[at].end <= start:
            at += 1
        if at < len(found) and found[at].start < shape.end() + low:
            continue
        word = _word(shape.group(), start, lexicon is GERMAN)
        yield replace(word, low=f"={word.low}", plain=False) if led and word.low in lexicon.changes else word


def _word(surface: str, start: int, german: bool) -> Word:
    return Word(start, start + len(surface), *_known(surface, german))


@lru_cache(maxsize=CACHED_MAX * 8)
def _known(surface: str, german: bool) -> tuple[str, str, bool]:
    low = surface.lower().replace("’", "'")
    bare = low.removesuffix("'s") if len(low) > 4 and low not in ENGLISH.leads and not _pronoun_s(low) else low
    lexicon = GERMAN if german else ENGLISH
    key = SYNONYMS.get(bare) or stem(fold(bare))
    key = SYNONYMS.get(key, key)
    letter = len(key) < 2 and (surface == "I" or not surface.isupper())  # but "hall B" is a hall of its own
    small = not german and (low in ENGLISH_STOPS or low.partition("'")[0] in ENGLISH_STOPS) and len(surface) > 1
    return low, key, small or letter or low in lexicon.dropped or low in lexicon.changes


_GRANTED = (["since"], ["given"], ["with"], ["assuming"], ["da"])  # open what is only taken for granted
_ALSO = (["also"],)
_STANDS_IN = frozenset(("it", "he", "she"))
_MAY = frozenset(("may",))  # "guests may park here" is unsure of nothing, if "guests may not" is said later
_REALLY = frozenset(("actually", "eigentlich", "rather"))


def _pronoun_s(low: str) -> bool:
    return low in ("it's", "that's", "here's", "there's", "what's", "let's", "he's", "she's", "who's", "how's", "where's")


def _is_past(body: str, lexicon: Lexicon, changes: bool) -> bool:
    """Whether the clause tells what once was: a verb in the past that is no participle, unless it tells of a change."""
    lows = words_of(body, 0, len(body))
    if lexicon is GERMAN:
        return not changes and any(low in lexicon.past for low in lows)
    before = ""
    for place, low in enumerate(lows):
        if low in lexicon.past or (len(low) > 4 and low.endswith("ed") and low not in lexicon.changes):
            following = lows[place + 1] if place + 1 < len(lows) else ""
            if low == "used" and following == "to" and before not in lexicon.participled:
                return True
            if (
                not changes
                and before not in lexicon.participled
                and low not in ("last", "back", "used", "named", "called", "based")
            ):
                return True
        elif low in ("last", "back"):
            continue
        if not (low.endswith("ly") or low in lexicon.now or low in ("still", "just", "not", "already", "longer", "no", "also")):
            before = low
    return False


@cache
def _dated_back() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:back in|im Jahr|in) (?:19|20)\d\d\b|\byears? ago\b|\bvor \w+ Jahren\b|\bpreviously\b|\bonce\b", re.IGNORECASE
    )


def _planned(body: str, lexicon: Lexicon, changes: bool) -> bool:
    return (_plans_german() if lexicon is GERMAN else _plans()).search(body) is not None or (
        changes and lexicon is ENGLISH and _future().search(body) is not None
    )


@cache
def _plans() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:plan(?:s|ning)? (?:to|on|for)|(?<!is )(?<!are )(?<!was )(?<!been )planned (?:to|on|for)|(?:is|are|am"
        r"|['’](?:m|s|re)|was|were|not) going to|gonna|(?:need|needs|have|has|want|wants|like|love|hope|try|ask\w*|able"
        r"|ready|decide) to (?!be\b)|about to|supposed to|"
        r"looking (?:at|into|to)|talk\w* about|you(?:['’]ll| can| could| might| may| should| need| want| will)\b"
        r"|(?:wish|imagine|pretend|in case|as if|even if|what if)\b|feel like|for example|for instance|e\.g\.)",
        re.IGNORECASE,
    )


@cache
def _plans_german() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:wird|werden|werde) (?!.*\b(?:geändert|verschoben)\b.*\bist\b)[^,.]*\b(?:umsteigen|wechseln|umziehen"
        r"|ändern|migrieren|verschieben)\b|\bzum Beispiel\b|\bz\. ?B\.",
        re.IGNORECASE,
    )


@cache
def _future() -> re.Pattern[str]:
    return re.compile(r"\b(?:will|'ll|won't)\b(?! be (?:on|at|in|held|moved|\d))", re.IGNORECASE)
