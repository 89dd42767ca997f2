"""Statements that a text makes, read by rule from its clear clauses: what of what is what, since what, instead of what.

Always true here: a statement's words are really in the text, and what no rule reads with certainty is not stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from types import MappingProxyType

from muniment.model.stated import READ_MAX, Cue, Stated
from muniment.text.scripts import fold
from muniment.text.statements import chinese, nouns, shapes, wording
from muniment.text.statements.clauses import Clause, Word, read
from muniment.text.statements.sight import Sight, Span
from muniment.text.statements.words import ENGLISH, GERMAN, PRONOUNS, QUALIFIERS
from muniment.text.values import Value, norm

STATED_MAX = 60  # statements of one text
VALUES_MAX = 4  # a clause with more of them is a list or a table
ROLES = frozenset(("user", "human", "me"))
POSSESSIVE = frozenset("my our mein meine meinen meinem meiner unser unsere unseren unserem unserer".split())
SECOND = frozenset("you your yours you're you've dein deine deinen du ihr ihre".split())
HELPERS = frozenset(("assistant", "ai", "bot", "model", "system", "tool"))
ANSWER_MAX = 500  # characters of what a helper says in reply; longer is an explanation
CONTRAST_REACH = 3  # characters between the end of a statement and what it is not
SHORT_MAX = 600  # characters of a text that is about one thing


def find(text: str, speaker: str | None = None) -> tuple[Stated, ...]:
    """The statements of a text in order, at most STATED_MAX. `speaker` is whom a first person means; none: the user."""
    out: list[Stated] = []
    who = speaker_norm(speaker)
    if who in HELPERS and len(text) > ANSWER_MAX:
        return ()  # an explanation, with examples and suggestions: nothing that anybody holds to be so
    text = text[:READ_MAX]
    if not wording.worth_reading(text):
        return ()
    if chinese.written(text):
        out += chinese.find(text, who)
    else:
        told, denied = _without_contrast(text)
        for clause in read(told, wording.worth_reading):
            found = [_contrasted(one, denied) for one in _Reader(told, clause, who).read()]
            out += found if len(text) <= SHORT_MAX else [one for one in found if _clear(text, one)]
            if len(out) >= STATED_MAX:
                break
    return tuple(out[:STATED_MAX])


def _without_contrast(text: str) -> tuple[str, list[tuple[int, str]]]:
    """The text with "…, not 8080." blanked where it only says what a value is not; and where, and what, that was."""
    if ", not " not in text:
        return text, []
    denied = [(shape.start(), shape["old"]) for shape in _contrast().finditer(text)]
    told = _contrast().sub(lambda shape: " " * len(shape[0]), text) if denied else text
    return told, denied


def _contrasted(one: Stated, denied: Sequence[tuple[int, str]]) -> Stated:
    """A statement with the value that its own sentence says it is not."""
    old = next((word for at, word in denied if one.start < at <= one.end + CONTRAST_REACH), None)
    if old is None or one.old_value_norm is not None or one.polarity < 0:
        return one
    return replace(one, old_value_norm=norm(old), cue=one.cue or "correction")


@cache
def _contrast() -> re.Pattern[str]:
    """A number, a date, or up to three words with a capital, at the end of a sentence."""
    number, day = r"[$€£]?\d[\w.,:/%-]*(?: \w+)?", r"\d{1,2}\.? [A-Z]\w+|[A-Z]\w+ \d{1,2}"
    name = r"[A-Z][\w.+#-]*(?: [A-Z][\w.+#-]*){0,2}"
    return re.compile(rf", not (?:on |at |to |in |for )?(?P<old>{day}|{number}|{name})(?=[.;!]?\s*$|[.;!]\s)", re.MULTILINE)


def _clear(text: str, one: Stated) -> bool:
    """Whether a statement of a long text says whose it is or names what it is of; "the limit" is of what was just spoken of."""
    if one.subject_norm not in ("", "they", "it") or one.old_value_norm is not None:
        return True
    said = text[one.start : one.end]
    return (
        any(
            not word.islower() and not word[:1].isdigit() and word not in one.value
            for word in said.split()[1:]
            if word[0].isalpha()
        )
        or "identifier" in one.attribute_norm
    )


def speaker_norm(speaker: str | None) -> str:
    """The norm of a first person: a name in its comparable form; roles of a chat and nobody are the user."""
    folded = fold(speaker.strip()) if speaker else ""
    return folded if folded and folded not in ROLES else "user"


# How a thing is held, in the words of a slot that names it: "owned by Anna" says who its owner is.
_HOW = MappingProxyType({"owned": "owner"})
_OTHERS = ENGLISH.others | GERMAN.others


class _Reader(Sight):
    """One clause, being read."""

    def __init__(self, text: str, clause: Clause, who: str) -> None:
        super().__init__(text, clause)
        self.who = who
        self.lows = {word.low for word in clause.words}

    def read(self) -> list[Stated]:
        shaped = self.holders() or self.changes()
        if shaped is not None:
            return shaped
        found = list(self.relations())
        return [*found, *self.frames(found)]

    def changes(self) -> list[Stated] | None:
        """From X to Y, Y instead of X, no longer X. None where the clause has no such shape."""
        body = self.clause.body
        for rule in shapes.changes():
            if not rule.needs.isdisjoint(self.lows) and (shape := rule.shape.search(body)):
                found = self.change(shape, rule.relation)
                if found is not None:
                    return found
        if ("->" in body or "→" in body) and (shape := shapes.arrows().search(body)):
            return self.change(shape, "use")
        return self.ended() or self.moved()

    def holders(self) -> list[Stated] | None:
        """Who or what holds the one place that there is: "Anna owns the thing now", "the thing has a new owner: Anna"."""
        body, head = self.clause.body, self.clause.head
        for rule in (*shapes.owning(), *shapes.renewing(), shapes.making()):
            if rule.needs.isdisjoint(self.lows) or not (shape := rule.shape.match(body, head)):
                continue
            span, groups = self.span(shape, "new"), shape.groupdict()
            if self.inside(span) or self.clause.many or not self.holds(rule, groups, span):
                continue
            old_span = self.span(shape, "old") if groups.get("old") else None
            said = self.clause.start + shape.start("said"), self.clause.start + shape.end("said")
            old = self.words(old_span)[1] if old_span else None
            cue: Cue | None = "change" if old or groups.get("noun") or "over" in self.lows else None
            return [
                self.stated(
                    span, self.words(span), cue=cue, old=old, old_span=old_span, relation=rule.relation,
                    left_out=(said, *self.after(span)), others=self.beside(span), lasts=rule is shapes.making(),
                )
            ]  # fmt: skip
        return None

    def holds(self, rule: shapes.Rule, groups: dict[str, str | None], span: Span) -> bool:
        """Whether what a shape found is a holder: there is one of the noun, the language is one, the thing is a certain one."""
        if noun := groups.get("noun"):
            return nouns.is_single(noun, german=self.clause.german)
        if rule.relation == "written":
            return nouns.KINDS.get(self.words(span)[1]) == "language"
        what = groups.get("what") or ""
        if rule.relation == "lead":
            return not what.lower().startswith(("a ", "an ", "some ", "his ", "her ", "their ", "my ", "one "))
        return what.lower().startswith(("the ", "our ")) or what[:1].isupper()

    def ended(self) -> list[Stated] | None:
        body = self.clause.body
        for rule in shapes.endings():
            if not rule.needs.isdisjoint(self.lows) and (shape := rule.shape.search(body)):
                span = self.span(shape, "old")
                verb = (shape.groupdict().get("verb") or "").lower()
                said = (self.clause.start + shape.start(), self.clause.start + shape.end())
                left_out = (said, *self.after(span))
                return [self.stated(span, self.words(span), cue="negation", polarity=-1, relation=verb, left_out=left_out)]
        return None

    def moved(self) -> list[Stated] | None:
        body = self.clause.body
        for rule in shapes.settings():
            if not rule.needs.isdisjoint(self.lows) and (shape := rule.shape.search(body)):
                span = self.span(shape, "new")
                if not self.inside(span):
                    return [self.stated(span, self.words(span), cue="change", relation="use")]
        return None

    def change(self, shape: re.Match[str], relation: str) -> list[Stated] | None:
        """None where the words only look like a change."""
        old_span, new_span = self.narrowed(self.span(shape, "old"), self.span(shape, "new"))
        old, new = self.pair(old_span, new_span)
        if old[1] == new[1] or not old[1] or not new[1] or old[1] in PRONOUNS or new[1] in PRONOUNS:
            return []
        if relation == "be" and new[0] == "words" and not (self.named(old_span) and self.named(new_span)):
            return None
        cue: Cue = "correction" if self.clause.corrects or relation == "be" else "change"
        rest = shapes.goes_on().search(self.text, max(old_span[1], new_span[1]), self.clause.end)
        left_out = ((rest.start(), self.clause.end),) if rest else ()
        spans = (old_span, new_span)
        others = tuple(v for v in self.clause.values if v.sort != "when" and not any(a <= v.start < b for a, b in spans))
        return [
            self.stated(
                new_span, new, cue=cue, old=old[1], old_span=old_span, relation=relation, left_out=left_out, others=others
            )
        ]

    def relations(self) -> Iterator[Stated]:
        body, at, head = self.clause.body, self.clause.start, self.clause.head
        for rule in shapes.relations():
            if not rule.needs.isdisjoint(self.lows) and (shape := rule.shape.match(body, head)):
                span = self.span(shape, "new")
                said = (at + shape.start("said"), at + shape.end("said"))
                relation = self.kind(span, rule.relation) or _HOW.get(shape["how"].lower(), shape["how"].lower())
                rest = (span[1], self.clause.end)
                joined = shape["subject"].rstrip().endswith((" and", " und")) and at <= self.clause.verb < said[0]
                aside = ((self.clause.verb, said[0]),) if joined else ()  # "Anna moved from Lyon and lives in Graz"
                left_out = (said, rest, *aside)
                yield self.stated(span, self.words(span), relation=relation, left_out=left_out, others=self.beside(span))
                return
        if (shape := shapes.purposes().match(body, head)) is not None:
            span = self.span(shape, "new")
            single = shape["said"].startswith("as ") and nouns.is_single(shape["what"], german=self.clause.german)
            yield self.stated(
                span,
                self.words(span),
                relation="" if single else "use for",
                left_out=self.after(span),
                others=self.beside(span),
            )
        elif (shape := shapes.being().match(body, head)) and self.names(span := self.span(shape, "new"), shape["subject"]):
            yield self.stated(span, self.words(span), others=self.beside(span), left_out=self.after(span))
        elif (shape := shapes.working().match(body, head)) is not None:
            span = self.span(shape, "new")
            said = (at + shape.start("said"), span[0])
            yield self.stated(span, self.words(span), relation="job", left_out=(said, (span[1], self.clause.end)), vague=True)
        elif (shape := shapes.placed().match(body, head)) and self.places(span := self.span(shape, "new")):
            relation = self.kind(span, "live")
            yield self.stated(span, self.words(span), relation=relation, others=self.beside(span), left_out=self.after(span))
        elif (shape := shapes.holding().match(body, head)) and nouns.is_single(shape["what"], german=self.clause.german):
            span = self.span(shape, "new")
            yield self.stated(span, self.words(span), others=self.beside(span))

    def kind(self, span: Span, relation: str) -> str:
        """The slot that a value's kind shows where verbs differ: it runs on Postgres, its database is Postgres."""
        if relation not in ("run on", "store", "live", ""):
            return relation
        return nouns.SLOT_OF_KIND.get(nouns.KINDS.get(self.words(span)[1], ""), relation)

    def named_slot(self, words: list[Word], owner: str, relation: str) -> tuple[str, str, str]:
        """Subject, its owner's norm and attribute, as the text writes them: "port" of "staging API", "birthday" of "Lena"."""
        surfaces = [self.text[word.start : word.end] for word in words]
        if owner or not words:
            return owner, owner, relation if relation and not surfaces else " ".join(surfaces)
        for place, word in enumerate(words[:-1]):
            if word.low.endswith("'s") or surfaces[place].endswith("’s"):
                said = self.text[words[0].start : word.end]
                return said[:-2], owner, " ".join(surfaces[place + 1 :])
            if shapes.joins().fullmatch(self.text, word.end, words[place + 1].start):
                last = next((n for n in range(place + 1, len(words)) if words[n].start > self.clause.verb >= 0), len(words))
                said = self.text[words[place + 1].start : words[max(last, place + 2) - 1].end]
                return said, owner, " ".join((*surfaces[: place + 1], *surfaces[max(last, place + 2) :]))
        if relation or len(words) == 1:
            return ("", owner, surfaces[0]) if not relation else (" ".join(surfaces), owner, relation)
        return " ".join(surfaces[:-1]), owner, surfaces[-1]

    def owner(self, *, agent: bool = False) -> str:
        """Whose a slot is: the speaker's, ours, the user's in a helper's words, "they" for someone unnamed, nobody's.

        An `agent` only changed it: "I set the timeout to 60 s".
        """
        clause = self.clause
        if clause.pointing:
            return "it"
        if agent:
            return ""
        if clause.we:
            return "we"
        if clause.first:
            return self.who
        if clause.others:
            return "user" if self.who in HELPERS and not self.lows.isdisjoint(SECOND) else "they"
        return ""

    def agent(self) -> list[Span]:
        """Who changed it says nothing of it: "finance raised the budget"."""
        words = self.clause.words
        for word, following in pairwise(words):
            if word.low in ENGLISH.changes and following.low in ("the", "our") and not self.clause.german:
                return [(words[0].start, word.start)] if word.start > words[0].start else []
        return []

    def opener(self) -> str:
        """The first word that says anything: who acts."""
        return next((word.low for word in self.clause.words if word.start - self.clause.start >= self.clause.head), "")

    def frames(self, read: list[Stated]) -> Iterator[Stated]:
        """A typed value after the verb: what is said around it is its slot."""
        clause = self.clause
        if len(clause.values) > VALUES_MAX or (clause.vague and clause.moving) or (clause.verb < 0 and clause.listed):
            return
        taken = [one.value for one in read]
        given = [v for v in clause.values if not (v.start < clause.verb or (clause.verb < 0 and v.start == clause.start))]
        given = [v for v in given if not self.adjunct(v) and self.text[v.start : v.end] not in taken]
        fixed = [v for v in clause.values if v not in given and not self.adjunct(v)]
        whens = [v for v in given if v.sort == "when"]
        if len(whens) > 1:
            every = [v for v in whens if v.norm.startswith("days=")]
            fixed += every
            given = [v for v in given if v not in every]
            whens = [v for v in whens if v not in every]
        joined = ";".join(v.norm.replace("days=", "day=") for v in whens)
        done = False
        for value in given:
            others = fixed + [v for v in given if v is not value and not (v.sort == "when" and value.sort == "when")]
            if value.sort == "when":
                if done or len({part.partition("=")[0] for part in joined.split(";")}) < len(whens):
                    continue
                done = True
                span = (whens[0].start, whens[-1].end)
                if len(self.text[slice(*span)].split()) > 6:
                    continue
                yield self.stated(span, ("when", joined), others=tuple(others), left_out=self.after(span))
            elif any(low <= value.start < high for one in given[:1] for low, high in self.after((one.start, one.end))) or (
                value.sort.startswith("state") and self.describes(value)
            ):
                continue
            elif value.sort != "identifier" or value.start > clause.verb >= 0:
                span = (value.start, value.end)
                yield self.stated(span, (value.sort, value.norm), others=tuple(others), left_out=self.after(span))

    def stated(
        self,
        span: Span,
        value: tuple[str, str],
        *,
        cue: Cue | None = None,
        old: str | None = None,
        old_span: Span | None = None,
        relation: str = "",
        polarity: int = 1,
        others: tuple[Value, ...] = (),
        left_out: tuple[Span, ...] = (),
        lasts: bool = False,
        vague: bool = False,
    ) -> Stated:
        clause, text = self.clause, self.text
        out = [span, *left_out, *([old_span] if old_span else []), *([] if relation else self.agent())]
        words = [w for w in clause.words if not w.plain and not any(low <= w.start < high for low, high in out)]
        named = [w for w in clause.words if w.low in QUALIFIERS and not any(low <= w.start < high for low, high in out[:1])]
        keys = {w.key for w in words if w.low not in QUALIFIERS}
        keys |= {
            f"{one.sort}{'<' if one.start < span[0] else '>'}={one.norm}"  # where it stands counts: room 3 has 4 beds
            for one in others
            if not any(low <= one.start < high for low, high in left_out)
        }
        changed = clause.changes and relation in ("", "owner") and self.lows.isdisjoint(POSSESSIVE)
        owner = self.owner(agent=changed and (clause.first or clause.we or self.lows & _OTHERS == {self.opener()}))
        if cue is None or clause.tentative:
            moved = clause.changes or clause.now
            cue = "tentative" if clause.tentative else "correction" if clause.corrects else "change" if moved else None
        return Stated(
            clause.start,
            clause.end,
            *self.named_slot(words, owner, relation),
            attribute_norm=" ".join(sorted({*keys, *relation.split()})),
            value=text[slice(*span)],
            value_norm=value[1],
            sort=value[0],
            qualifier_norm=" ".join(sorted({QUALIFIERS[w.low] for w in named})),
            polarity=1 if (polarity > 0 and not clause.denies) or old else -1,
            old_value_norm=old,
            cue=cue,
            many=clause.many,
            keyed=bool(keys) and (bool(owner) or len(keys) + bool(relation) > 1),
            past=clause.past and cue != "negation" and not lasts,
            vague=vague or (clause.vague and not relation),
        )
