"""Statements read out of a text by rule, texts as they were told, and what one of them says of an earlier one.

Offsets are code points, half-open; every norm is folded text in which spellings of one thing meet. Nothing here is a guess:
what was not read with certainty is not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

READ_MAX = 4000  # characters of a text that are read for what it may outdate
Cue = Literal["change", "correction", "negation", "tentative"]


@dataclass(frozen=True, slots=True)
class Stated:
    """One thing that a clause of a text says: `text[start:end]` says it.

    `subject` and `attribute` are the text's own words ("staging API", "port"), a first person the speaker's name.
    `attribute_norm` is the whole slot but for whose it is: the sorted stems of all that is said around the value.
    `subject_norm` is whose it is: the speaker's norm for a first person, "we", "they" and "it" for what is not named, else
    empty. `old_value_norm` is what the clause itself says held before
    ("from X to Y"). `qualifier_norm` names where or when it holds (staging, eu, winter). `polarity` is -1 for what is
    said not to be so. `cue` tells how it was worded;
    a tentative statement (plan, question, condition) never replaces one. `many`: the slot may hold several values at once.
    `keyed`: subject and attribute were both named. `past`: it held once.
    `vague`: an indefinite thing ("a budget"), which may be another one than the last.
    `sort` is the sort of the value: "number", "number:length", "money:eur", "when", "version", "identifier", "state:switch",
    "words", or "clause" where a whole clause is denied.
    """

    start: int
    end: int
    subject: str
    subject_norm: str
    attribute: str
    attribute_norm: str
    value: str
    value_norm: str
    sort: str
    qualifier_norm: str = ""
    polarity: Literal[1, -1] = 1
    old_value_norm: str | None = None
    cue: Cue | None = None
    many: bool = False
    keyed: bool = True
    past: bool = False
    vague: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """The first READ_MAX characters of a text with who said it and when.

    `subject` is the label a memory was kept under, `at` ms UTC. `before` is the text of the turn before it in its
    session, which says what "no, it is 8081" is about.
    """

    text: str
    stated: tuple[Stated, ...]
    speaker: str | None = None
    subject: str | None = None
    at: int | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """`newer` (code points of the newer text) outdates `older` (of the older one): `slot` was `old` and is `new`.

    `new` is empty where something only ended. `why`: the world moved (change), or it had never been so (correction).
    """

    newer: tuple[int, int]
    older: tuple[int, int]
    slot: str
    old: str
    new: str
    why: Literal["change", "correction"]
