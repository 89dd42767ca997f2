"""Beginnings of texts, cut so that a reader sees that they go on.

Always true here: what comes back has at most so many characters.
"""

from __future__ import annotations

from muniment.text import fence

# Of a text, so many times the wanted characters are looked at: white space and what no reader sees count for nothing.
LOOKED_AT = 4


def cut(text: str, most: int) -> str:
    """The text, or its beginning with "…" for the rest."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def line(text: str, most: int) -> str:
    """The beginning of a text in one line, without what no reader sees and what turns a line around."""
    return cut(" ".join(fence.visible(text[: most * LOOKED_AT]).split()), most)
