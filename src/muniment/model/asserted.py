"""Assertions: what a clause of a text says of one thing, with the words that say it. Offsets are code points, half-open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Asserted:
    """`text[start:end]` says that `attribute` of `subject` is `value`.

    `subject` is a name or noun of the text; "" stands for whoever speaks, "we" for those the speaker speaks for. `attribute`
    is the slot in which wordings of one property meet, `said` how it is shown. `names`: what the value names, if anything.
    `polarity` is -1 for what is said not to be so. `many`: the slot may hold several values at once. `past`: it was so once.
    """

    start: int
    end: int
    subject: str
    attribute: str
    said: str
    value: str
    names: str = ""
    qualifier: str = ""
    polarity: Literal[1, -1] = 1
    many: bool = False
    causal: bool = False
    past: bool = False
