"""How many of something, in words: one is never told in the plural."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """`1 turn`, `2,000 turns`; for nouns whose plural takes an s."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
