"""Values of claims, and what a clause says of how sure it is.

Always true here: a value is a run of the clause that ends where its words end, or it is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from muniment.model.spans import Span
from muniment.text import spans
from muniment.text.scripts import fold
from muniment.text.statements import claim_rules as rules
from muniment.text.statements.nouns import MACHINES
from muniment.text.statements.sentences import Sentence, words_of
from muniment.text.statements.words import BOUNDS, ENGLISH, GERMAN, PRONOUNS, QUALIFIERS
from muniment.text.terms import is_stop

SENTENCES_CACHED_MAX = 16  # the clauses of one sentence share its spans
TOKENS_MAX = 6  # words of a value
DOING_MAX = 9  # words of what somebody does
NAMED: frozenset[str] = frozenset({"name", "path", "symbol", "env", "title", "url"})
TYPED = NAMED | {"date", "quantity"}

_EMPTY = ENGLISH.empty | GERMAN.empty


@dataclass(frozen=True, slots=True)
class Asserting:
    """A clause from where it asserts something, and on to where its sentence ends; `spans` count in the whole text."""

    sentence: Sentence
    low: int

    @property
    def text(self) -> str:
        return self.sentence.text

    @property
    def high(self) -> int:
        return self.sentence.high

    @property
    def spans(self) -> tuple[Span, ...]:
        return _spans(self.text[self.sentence.low : self.high], self.sentence.low)


@lru_cache(maxsize=SENTENCES_CACHED_MAX)
def _spans(sentence: str, low: int) -> tuple[Span, ...]:
    return tuple(Span(low + one.start, low + one.end, one.sort, one.surface) for one in spans.find(sentence))


def end_of(clause: Asserting, at: int) -> int:
    """Where the words end that say it: with the sentence, but for its outer white space."""
    return len(clause.text[: clause.high].rstrip()) if at <= clause.high else at


def sure(clause: Asserting, low: int, at: int) -> bool:
    """Whether nothing before a value says that it may be, should be, never is or was only thought."""
    words = set(words_of(clause.text, low, at))
    lexicon = clause.sentence.lexicon
    unsure = lexicon.tentative | lexicon.hardly
    return words.isdisjoint(unsure) and not any(word.endswith(("'ll", "'d")) for word in words)


def qualifier(clause: Asserting, at: int) -> str:
    found = _where().search(clause.text, at, min(clause.high, at + 40))
    return QUALIFIERS.get(fold(found[1]), "") if found else ""


@cache
def _where() -> re.Pattern[str]:
    return re.compile(r"^ (?:in|on|for|auf|für) (?:the )?(\w+)")


def empty(word: str) -> bool:
    low = fold(word)
    return is_stop(low) or low in _EMPTY or low in BOUNDS


def without_article(words: str) -> str:
    first, _, rest = words.partition(" ")
    return (
        rest
        if rest and fold(first) in ("the", "a", "an", "our", "my", "der", "die", "das", "den", "dem", "ein", "eine", "einen")
        else words
    )


def value_at(clause: Asserting, at: int, kind: rules.Kind) -> tuple[int, int] | None:
    """The span of a value that begins at an offset; None where nothing clear does."""
    text = clause.text
    lead = re.compile(r"(?:the |a |an |our |der |die |das |dem |den )?").match(text, at)
    bare = lead.end() if lead else at
    typed = max((one.end for one in clause.spans if one.start == bare and one.sort in TYPED), default=0)
    if kind == "number":
        number = re.compile(r"\d+(?:[.:]\d+)*\b").match(text, bare, clause.high)
        return number.span() if number else None
    doing = kind == "doing" or (kind == "liked" and bare == at and _gerund().match(text, at) is not None)
    end = _phrase(clause, bare, rules.CLAUSE_ENDS if doing else BOUNDS, DOING_MAX if doing else TOKENS_MAX)
    if typed and typed >= (end or 0):
        return bare, typed
    if end is None:
        return None
    words = text[bare:end].split()
    if not PRONOUNS.isdisjoint(fold(word) for word in words):
        return None
    if doing:
        return (bare, end) if _done(clause, words, end) else None
    if kind == "named":
        # Names only: what begins with one and goes on with other words says more than its name.
        return (bare, end) if typed and (typed == end or all(word[:1].isupper() for word in words)) else None
    if kind == "thing":
        return (at, end) if bare > at else None
    if kind == "liked" and (bare > at or len(words) > 4 or (len(words) == 1 and _joined().match(text, end))):
        return None
    return (_behind_kind(text, bare, words) if kind == "words" else bare), end


def _behind_kind(text: str, at: int, words: list[str]) -> int:
    """Where the name of a machine begins: "host kestrel-2" is "kestrel-2"."""
    if len(words) == 2 and fold(words[0]) in MACHINES and any(letter.isdigit() for letter in words[1]):
        return text.index(words[1], at + len(words[0]))
    return at


def _done(clause: Asserting, words: list[str], end: int) -> bool:
    """Whether what somebody does is told whole: not only begun, not cut short by a quotation."""
    whole = end >= clause.high or clause.text[end] not in "\"“'"
    after = clause.text[end : end + 2]
    return (
        len(words) > 1
        and whole
        and after[1:] not in ('"', "“")
        and not is_stop(fold(words[-1]))
        and fold(words[0]) not in rules.STATES
    )


@cache
def _joined() -> re.Pattern[str]:
    """More belongs to it: "action and sci-fi movies" does not say that anybody likes action, nor "stories that bite" all."""
    return re.compile(r",? (?:and|or|und|oder|that|who|which) |, \w+,? (?:and|und) ")


@cache
def _gerund() -> re.Pattern[str]:
    return re.compile(r"[a-z]{2,}ing ")


def _phrase(clause: Asserting, at: int, ends: frozenset[str], most: int) -> int | None:
    """Where a phrase ends that begins here; None for one that is empty or has no clear end."""
    end, count, before = at, 0, ""
    for token in _token().finditer(clause.text, at, clause.high):
        if token.start() != end + (1 if count else 0):
            break
        word = token.group()
        low = fold(word)
        if count == 0 and (low in _EMPTY or low in BOUNDS):
            return None
        if low in ends or (count and ends is BOUNDS and low in ("the", "a", "an") and before != "of"):
            break
        count, end, before = count + 1, token.end(), low
        if count > most:
            return None
    return end if count else None


@cache
def _token() -> re.Pattern[str]:
    return re.compile(r"[^\s,;:!?()\"“”«»—–…*]+?(?=[.]*(?:[\s,;:!?()\"“”«»—–…*]|$))")
