"""Whether a newer statement may stand in the place of an older one, by who vouches for each.

Always true here: being newer is never enough against what is trusted more.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from muniment.access.zones import QUARANTINED_FROM

PERSON = "user_confirmed"


class Vouched(Protocol):
    """A record, or a claim with what its record is worth."""

    @property
    def taint(self) -> int: ...
    @property
    def protection(self) -> str: ...
    @property
    def source_type(self) -> str: ...


class Voice(NamedTuple):
    """How contaminated a statement is, and whether a person stands behind it."""

    taint: int
    person: bool


def voice(one: Vouched) -> Voice:
    return Voice(one.taint, one.source_type == PERSON)


def yields(older: Vouched, newer: Voice) -> bool:
    """Whether an older statement gives way to a newer one. What is untrusted says nothing about what is less so.

    Against what is guarded a person's word counts, and what is no more tainted: what was said in a conversation among people,
    or kept by a trusted agent, shows that the world moved on. The record itself stays as it is, locked.
    """
    if newer.taint <= older.taint or newer.person:
        return True
    return newer.taint < QUARANTINED_FROM and not guarded(older)


def guarded(one: Vouched) -> bool:
    """Whether somebody stands behind it."""
    return one.protection != "normal" or one.source_type == PERSON


def rank(one: Vouched) -> tuple[bool, bool]:
    """Of statements that contradict each other the surest first: what is trusted, and of that what is guarded."""
    return one.taint >= QUARANTINED_FROM, not guarded(one)
