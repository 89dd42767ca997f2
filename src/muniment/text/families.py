"""Words of one family: who owns something is its owner, and what is due has a deadline.

A stem stands for all forms of a word, not for its relatives. A family joins stems that ask for the same fact, so that a
question in one word finds the answer in another. Only relatives that hardly mean anything else are listed.
"""

from __future__ import annotations

from functools import cache

# Stems as `terms.counts` gives them. Chosen by what facts people ask for, not by any question of a data set.
_FAMILIES = (
    "own owner ownership respons maintain mainten",
    "due deadlin",
    "live resid",
    "job profess occup employ employe",
    "work worker",
    "decid decis",
    "choos choic",
    "deliv deliveri",
    "marri marriag wife husband wed spous",
    "teach teacher",
    "write writer author",
    "pay payment",
    "train trainer",
    "arriv arrival",
    "depart departur",
    "win winner",
    "drive driver",
    "agre agreement",
    "appli applic",
    "move reloc",
    "cost price",
    "birth birthday born",
    "kid child",
    "buy purchas",
    "begin start",
    "movi film",
    "photo pictur",
    "creat creation creator",
    "build builder",
    "found founder",
    "use usag",
    "produc product producer",
    "perform performanc",
    "leader lead",
)


@cache
def _table() -> dict[str, tuple[str, ...]]:
    return {stem: tuple(family.split()) for family in _FAMILIES for stem in family.split()}


def of(stem: str) -> tuple[str, ...]:
    """The stem itself first, then its relatives."""
    family = _table().get(stem, ())
    return (stem, *(other for other in family if other != stem))


def every() -> tuple[str, ...]:
    """All stems that have relatives, family by family."""
    return tuple(stem for family in _FAMILIES for stem in family.split())
