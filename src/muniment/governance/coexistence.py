"""Why two statements may both be right although their values differ: they are about different places, versions or times.

Always true here: words are compared whole, so "dev" never stands in "device"; a veto needs a word on both sides, or a word
that tells the past.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from muniment.governance import grounding

# Spellings of one thing share a name; two texts that name different things of one sort speak of different things.
ENVIRONMENTS = {
    "production": "production prod live produktion produktiv",
    "staging": "staging stage stg preprod uat",
    "development": "dev development entwicklung",
    "test": "test testing qa ci tests",
    "local": "local localhost lokal laptop",
    "preview": "preview canary sandbox demo",
}
REGIONS = {
    "eu": "eu europe european europa emea",
    "us": "us usa america american amerika",
    "asia": "asia apac asien japan tokyo singapore",
    "uk": "uk britain british",
    "frankfurt": "frankfurt",
    "ireland": "ireland dublin",
    "oregon": "oregon",
    "virginia": "virginia",
}
PLATFORMS = {
    "linux": "linux ubuntu debian",
    "windows": "windows",
    "mac": "mac macos osx",
    "ios": "ios iphone ipad",
    "android": "android",
    "web": "web browser website",
    "mobile": "mobile phone handy",
    "desktop": "desktop",
}
METRICS = {
    "least": "min minimum least lower mindestens",
    "most": "max maximum most upper höchstens maximal",
    "middle": "average mean median avg durchschnitt mittel",
    "tail": "p95 p99 tail",
    "default": "default standard",
}
SIDES = {
    "inside": "internal intern inbound ingress private incoming",
    "outside": "external extern outbound egress public outgoing",
    "first": "primary main first leader master",
    "second": "secondary backup second replica standby fallback",
}
DAYS = {day: day for day in "monday tuesday wednesday thursday friday saturday sunday weekend weekday".split()}
SORTS: Mapping[str, Mapping[str, str]] = {
    "environment": ENVIRONMENTS,
    "region": REGIONS,
    "platform": PLATFORMS,
    "metric": METRICS,
    "side": SIDES,
    "day": DAYS,
}
# Words that tell what held once.
PAST = frozenset("formerly previously originally once ago until früher ehemals damals vorher bisher ursprünglich einst".split())
_ONCE = re.compile(r"\bused to\b|\bback (?:in|then)\b|\bin the past\b|\bno longer\b|\bnicht mehr\b", re.IGNORECASE)
# Words that tell of a change by themselves: who says so marks what is said as the newer state.
CHANGED = frozenset(
    "moved switched migrated changed replaced upgraded renamed instead now anymore updated correction"
    " umgezogen gewechselt umgestellt geändert ersetzt jetzt nun stattdessen korrektur".split()
)
_VERSION = re.compile(r"v\d+(?:\.\d+)*|\d+\.\d+\.\d+")
_YEAR = re.compile(r"(?:19|20)\d\d")


def veto(one: str, other: str, values: tuple[str, str]) -> str | None:
    """Why two quotes may stand side by side, or None. What their values themselves say is no reason."""
    left = frozenset(grounding.words(one)) - frozenset(grounding.words(values[0]))
    right = frozenset(grounding.words(other)) - frozenset(grounding.words(values[1]))
    for sort in SORTS:
        here, there = _named(left, sort), _named(right, sort)
        if here and there and not here & there:
            return sort
    for sort, shape in (("version", _VERSION), ("year", _YEAR)):
        here, there = (frozenset(filter(shape.fullmatch, side)) for side in (left, right))
        if here and there and not here & there:
            return sort
    if past(one) != past(other):
        return "history"
    return None


def past(text: str) -> bool:
    """Whether a text says that something held once and leaves open whether it does still."""
    return not PAST.isdisjoint(grounding.words(text)) or bool(_ONCE.search(text))


def marks_change(text: str) -> bool:
    """Whether a text says of itself that it tells of a change."""
    return not CHANGED.isdisjoint(grounding.words(text))


def _named(words: frozenset[str], sort: str) -> frozenset[str]:
    table = _table(sort)
    return frozenset(table[word] for word in words if word in table)


@cache
def _table(sort: str) -> dict[str, str]:
    return {spelling: name for name, spellings in SORTS[sort].items() for spelling in spellings.split()}
