"""Spans of a clause and what stands in them: the value that a span is, the name it may be, what comes beside it.

Always true here: spans count in the whole text, half-open.
"""

from __future__ import annotations

import re

from muniment.text.statements import nouns, shapes
from muniment.text.statements.clauses import Clause
from muniment.text.values import Value, norm, values

NARROWED_MAX = 14  # characters beside a value that a span may have and still be that value
Span = tuple[int, int]


class Sight:
    """One clause of a text."""

    def __init__(self, text: str, clause: Clause) -> None:
        self.text = text
        self.clause = clause

    def named(self, span: Span) -> bool:
        surface = self.text[slice(*span)]
        return any(word[:1].isupper() for word in surface.split()) or surface.lower() in nouns.KINDS or bool(self.inside(span))

    def narrowed(self, old: Span, new: Span) -> tuple[Span, Span]:
        """Of two spans that hold values of one sort, those values: the ones nearest to each other."""
        first, second = (old, new) if old <= new else (new, old)
        near, far = self.inside(first)[-1:], self.inside(second)[:1]
        if near and far and near[0].sort.partition(":")[0] == far[0].sort.partition(":")[0]:
            one, other = (near[0].start, near[0].end), (far[0].start, far[0].end)
            return (one, other) if old <= new else (other, one)
        return old, new

    def inside(self, span: Span) -> list[Value]:
        return [value for value in self.clause.values if value.start >= span[0] and value.end <= span[1]]

    def pair(self, old: Span, new: Span) -> tuple[tuple[str, str], tuple[str, str]]:
        """Both as (sort, norm): typed where both are of one sort, else words."""
        first, second = self.typed(old), self.typed(new)
        if first and second and first.sort == second.sort:
            return (first.sort, first.norm), (second.sort, second.norm)
        if first and second and first.sort == "number" and second.sort.partition(":")[0] in ("number", "money"):
            read = values(self.text[slice(*old)] + self.unit(second), german=self.clause.german)
            if read and read[0].sort == second.sort:  # from 30 to 60 seconds
                return (second.sort, read[0].norm), (second.sort, second.norm)
        return self.words(old), self.words(new)

    def unit(self, value: Value) -> str:
        surface = self.text[value.start : value.end]
        return surface[len(surface.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%°€$ ")) :]

    def typed(self, span: Span) -> Value | None:
        """The one value that a span is, give or take a word."""
        found = self.inside(span)
        if len(found) == 1 and (span[1] - span[0]) - (found[0].end - found[0].start) <= NARROWED_MAX:
            return found[0]
        return None

    def words(self, span: Span) -> tuple[str, str]:
        return "words", norm(self.text[slice(*span)])

    def span(self, shape: re.Match[str], group: str) -> Span:
        low, high = shape.span(group)
        while high > low and self.clause.body[high - 1] in " .,;:!'\"":
            high -= 1
        return self.clause.start + low, self.clause.start + high

    def names(self, span: Span, subject: str) -> bool:
        """Whether words are the name of what a subject has one of, and not a description."""
        if not nouns.is_single(subject, german=self.clause.german):
            return False
        surface = self.text[slice(*span)]
        first = surface.partition(" ")[0]
        if any(mark in subject.lower() for mark in nouns.FAVOURITE):
            return True
        if surface.lower() in nouns.KINDS:
            return True
        whole = any((value.start, value.end) == span for value in self.inside(span))
        return (first[:1].isupper() or any(c.isdigit() or c in "/_`" for c in surface)) and not whole

    def describes(self, value: Value) -> bool:
        """Whether a state only describes the noun that follows it."""
        follows = next((word for word in self.clause.words if word.start >= value.end), None)
        return follows is not None and not follows.plain and follows.start - value.end <= 1

    def places(self, span: Span) -> bool:
        return self.text[span[0]].isupper() and not self.inside(span)

    def beside(self, span: Span) -> tuple[Value, ...]:
        """The values outside of a span, which belong to the slot."""
        return tuple(v for v in self.clause.values if not (span[0] <= v.start < span[1]) and not self.adjunct(v))

    def adjunct(self, value: Value) -> bool:
        """Whether a value only says since when."""
        return (
            value.sort in ("when", "number")
            and shapes.since().search(self.text, max(0, value.start - 24), value.start) is not None
        )

    def after(self, span: Span) -> tuple[Span, ...]:
        """What comes after the joint that follows a value is another thought."""
        joint = shapes.goes_on().search(self.text, span[1], self.clause.end)
        return ((joint.start(), self.clause.end),) if joint else ()
