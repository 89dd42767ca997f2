"""Statements that a text makes, read by rule from its clear clauses: what of what is what, since what, instead of what.

Always true here: a statement's words are really in the text, and what no rule reads with certainty is not stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from muniment.model.stated import Cue, Stated
from muniment.text import rules
from muniment.text.clauses import Clause, clauses
from muniment.text.lexicons import QUALIFIERS
from muniment.text.scripts import fold
from muniment.text.values import Value, norm, values

STATED_MAX = 60  # statements of one text
KEYS_MAX = 7  # more words of content than that name no slot
ROLES = frozenset(("user", "human", "me"))
Span = tuple[int, int]


def find(text: str, speaker: str | None = None) -> tuple[Stated, ...]:
    """The statements of a text in order, at most STATED_MAX. `speaker` is whom a first person means; none: the user."""
    out: list[Stated] = []
    who = speaker_norm(speaker)
    for clause in clauses(text):
        out += _of(text, clause, who)
        if len(out) >= STATED_MAX:
            break
    return tuple(out[:STATED_MAX])


def speaker_norm(speaker: str | None) -> str:
    """The norm of a first person: a name in its comparable form; roles of a chat and nobody are the user."""
    folded = fold(speaker.strip()) if speaker else ""
    return folded if folded and folded not in ROLES else "user"


def _of(text: str, clause: Clause, who: str) -> list[Stated]:
    lows = {word.low for word in clause.words}
    return list(_changes(text, clause, who, lows)) or list(_relations(text, clause, who, lows)) or list(_frames(text, clause, who))


def _changes(text: str, clause: Clause, who: str, lows: set[str]) -> Iterator[Stated]:
    """From X to Y, Y instead of X, no longer X."""
    for rule in rules.changes():
        if not rule.needs.isdisjoint(lows) and (shape := rule.shape.search(clause.body)):
            yield from _change(text, clause, who, shape, rule.relation)
            return
    if ("->" in clause.body or "→" in clause.body) and (shape := rules.arrows().search(clause.body)):
        yield from _change(text, clause, who, shape, "use")
        return
    for rule in rules.endings():
        if not rule.needs.isdisjoint(lows) and (shape := rule.shape.search(clause.body)):
            span = _span(clause, shape, "old")
            verb = shape.groupdict().get("verb") or ""
            yield _stated(text, clause, who, span, _words_value(text, span), cue="negation", polarity=-1, relation=verb)
            return


def _change(text: str, clause: Clause, who: str, shape: re.Match[str], relation: str) -> Iterator[Stated]:
    old_span, new_span = _span(clause, shape, "old"), _span(clause, shape, "new")
    old, new = _pair(text, clause, old_span, new_span)
    if old[1] == new[1]:
        return
    cue: Cue = "correction" if clause.corrects or relation == "be" else "change"
    yield _stated(text, clause, who, new_span, new, cue=cue, old=old[1], old_span=old_span, relation=relation)


def _pair(text: str, clause: Clause, old: Span, new: Span) -> tuple[tuple[str, str], tuple[str, str]]:
    """Both as (sort, norm): typed where both are of one sort, else words."""
    first, second = _typed(clause, old), _typed(clause, new)
    if first and second and first.sort == second.sort:
        return (first.sort, first.norm), (second.sort, second.norm)
    if second and not first and second.sort == "version":
        return _words_value(text, old), _words_value(text, new)
    if first and second and first.sort.startswith("number") and second.sort.startswith("number"):
        read = values(text[slice(*old)] + text[second.end - _unit(text, second) : second.end], german=clause.german)
        if read and read[0].sort == second.sort:  # from 30 to 60 seconds
            return (second.sort, read[0].norm), (second.sort, second.norm)
    return _words_value(text, old), _words_value(text, new)


def _unit(text: str, value: Value) -> int:
    surface = text[value.start : value.end]
    return len(surface) - len(surface.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%°€$ "))


def _typed(clause: Clause, span: Span) -> Value | None:
    """The one value that a span is, give or take a word."""
    inside = [value for value in clause.values if value.start >= span[0] and value.end <= span[1]]
    if len(inside) == 1 and (span[1] - span[0]) - (inside[0].end - inside[0].start) <= 12:
        return inside[0]
    return None


def _words_value(text: str, span: Span) -> tuple[str, str]:
    return "words", norm(text[slice(*span)])


def _span(clause: Clause, shape: re.Match[str], group: str) -> Span:
    low, high = shape.span(group)
    while high > low and clause.body[high - 1] in " .,;:!'\"":
        high -= 1
    return clause.start + low, clause.start + high


def _relations(text: str, clause: Clause, who: str, lows: set[str]) -> Iterator[Stated]:
    for rule in rules.relations():
        if not rule.needs.isdisjoint(lows) and (shape := rule.shape.match(clause.body)):
            span = _span(clause, shape, "new")
            said = (clause.start + shape.start("said"), clause.start + shape.end("said"))
            relation = rule.relation or shape["how"].lower()
            yield _stated(text, clause, who, span, _words_value(text, span), relation=relation, said=said)
            return
    if (shape := rules.purposes().match(clause.body)) is not None:
        span = _span(clause, shape, "new")
        yield _stated(text, clause, who, span, _words_value(text, span), relation="use for")


def _frames(text: str, clause: Clause, who: str) -> Iterator[Stated]:
    """A typed value after the verb: what is said around it is its slot."""
    for value in clause.values:
        if value.start < clause.verb or (clause.verb < 0 and value.start == clause.start):
            continue
        others = tuple(one for one in clause.values if one is not value)
        yield _stated(text, clause, who, (value.start, value.end), (value.sort, value.norm), others=others)


def _stated(
    text: str,
    clause: Clause,
    who: str,
    span: Span,
    value: tuple[str, str],
    *,
    cue: Cue | None = None,
    old: str | None = None,
    old_span: Span | None = None,
    relation: str = "",
    polarity: int = 1,
    said: Span | None = None,
    others: tuple[Value, ...] = (),
) -> Stated:
    left_out = [bounds for bounds in (span, old_span, said) if bounds]
    words = [word for word in clause.words if not word.plain and not any(a <= word.start < b for a, b in left_out)]
    qualifiers = sorted({QUALIFIERS[word.low] for word in words if word.low in QUALIFIERS})
    keys = sorted({word.key for word in words if word.low not in QUALIFIERS} | {f"{one.sort}={one.norm}" for one in others})
    owner = who if clause.first and not clause.we else "we" if clause.we else ""
    if cue is None:
        cue = "tentative" if clause.tentative else "correction" if clause.corrects else "change" if clause.changes or clause.now else None
    elif clause.tentative:
        cue = "tentative"
    return Stated(
        clause.start, clause.end,
        subject=owner, subject_norm=owner,
        attribute=relation or " ".join(text[word.start : word.end] for word in words), attribute_norm=" ".join(sorted({*keys, *relation.split()})),
        value=text[slice(*span)], value_norm=value[1], sort=value[0],
        qualifier_norm=" ".join(qualifiers),
        polarity=1 if polarity > 0 else -1,
        old_value_norm=old, cue=cue, many=clause.many, keyed=bool(keys) and (bool(owner) or len(keys) > 1), past=clause.past,
    )  # fmt: skip
