"""Whether a sentence can state anything at all, from its words alone and before any shape is tried.

Always true here: what a rule could read is never turned away.
"""

from __future__ import annotations

import re
from functools import cache

from muniment.text import rules
from muniment.text.scripts import HAN
from muniment.text.slot_nouns import SINGLE
from muniment.text.values import value_words


def worth_reading(text: str) -> bool:
    """Whether a text has any word or figure that a statement needs: most sentences have none, and are left alone."""
    if _figure().search(text):
        return True
    words = text.lower().translate(_apart()).split()
    if not _triggers().isdisjoint(words):
        return True
    if not _LIGHT.isdisjoint(words) and _phrases().search(text):
        return True
    return "lieblings" in text.lower() or (not text.isascii() and _unspaced().search(text) is not None)


@cache
def _figure() -> re.Pattern[str]:
    return re.compile(r"\d|\w_\w|`|->|→")


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{HAN}]")


@cache
def _apart() -> dict[int, str]:
    return {code: " " for code in range(128) if not chr(code).isalpha() and chr(code) not in "'-"}


@cache
def _triggers() -> frozenset[str]:
    """Words of which every statement in words has one: what a shape needs, what one has one of, what is a value."""
    shapes = (*rules.changes(), *rules.endings(), *rules.settings(), *rules.relations())
    shaped = frozenset().union(*(rule.needs for rule in shapes))
    german = frozenset("ist sind liegt nutzen verwenden nutzt verwendet".split())
    return (shaped | SINGLE | value_words() | german | {"favorite", "favourite", "use", "uses", "using"}) - _LIGHT - {"to"}


# Words that nearly every turn has: with them it takes a phrase.
_LIGHT = frozenset(
    "from any anymore more on off up down open light an aus zu work works working live lives living moved based not "
    "isn't aren't von "
    "go is are head true up".split()
)


@cache
def _phrases() -> re.Pattern[str]:
    return re.compile(
        r"\bfrom\b.{1,60}\bto\b|\bto\b.{1,40}\bfrom\b|\bany ?more\b|(?:\bis|\bare|['’]s) (?:now |again )?(?:on|off|up"
        r"|down|open|light|true)\b"
        r"|\bwork(?:s|ing)? (?:\w+ )?(?:at|for|as)\b|\b(?:live|lives|living|based) (?:\w+ )?in\b|\bmoved (?:\w+ )?to\b"
        r"|\bnot\b.{1,40}\bbut\b|, (?:and )?not\b|\b(?:isn['’]t|aren['’]t|not)\b.{1,40}[,;] (?:it|that|they)['’]"
        r"|\b(?:is|are) (?:now |currently )?(?:located )?(?:in|at) (?-i:[A-ZÀ-Þ])|\bvon\b.{1,60}\b(?:auf|zu|nach)\b"
        r"|\bhead of\b",
        re.IGNORECASE,
    )
