"""Reading what a text asserts: of whom or what, which property, which value. Clear clauses only, and each by its own words.

Always true here: subject and value stand in the text between `start` and `end`, but for a first person, who is whoever
speaks. A question, a wish, a guess and a condition assert nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from muniment.model.asserted import Asserted
from muniment.text.scripts import fold, paired
from muniment.text.statements import chinese_claims as han
from muniment.text.statements import claim_nouns as nouns
from muniment.text.statements import claim_rules as rules
from muniment.text.statements.claim_rules import Rule, Table
from muniment.text.statements.claim_values import NAMED, Asserting, empty, end_of, qualifier, sure, value_at, without_article
from muniment.text.statements.clauses import CLAUSE_MAX
from muniment.text.statements.sentences import bare_words, opened, split
from muniment.text.statements.slots import slot
from muniment.text.terms import is_stop

CLAIMS_MAX = 200  # of one text
SUBJECT_WORDS_MAX = 3


def find(text: str) -> list[Asserted]:
    """What a text asserts, in order, at most CLAIMS_MAX."""
    found = list(han.find(text)) if not text.isascii() and paired().search(text) else []
    for sentence in split(text, worth_reading):
        for place, (low, high) in enumerate(sentence.parts):
            if high - low > CLAUSE_MAX:
                continue  # no clear statement
            start = opened(text, low, high)
            if place and _begins().match(text, start) is None:
                continue
            read = list(_read(Asserting(sentence, start)))
            if read and not sentence.doubted(place):
                found += read
        if len(found) >= CLAIMS_MAX:
            break
    return found[:CLAIMS_MAX]


def worth_reading(sentence: str) -> bool:
    """Whether a sentence has a word that a claim needs: most have none, and are not even cut into clauses."""
    low = sentence.lower()
    return not _needed().isdisjoint(bare_words(low)) or "liebling" in low


@cache
def _needed() -> frozenset[str]:
    return rules.needed() | nouns.needed()


@cache
def _begins() -> re.Pattern[str]:
    """What a clause behind another one asserts something of: whoever speaks, a name, or a noun with its article."""
    return re.compile(r"[^a-zäöüß]|(?:the|our|my|we|ich|wir|meine?|unsere?|der|die|das|user)\b")


def _read(clause: Asserting) -> Iterator[Asserted]:
    text, low, high = clause.text, clause.low, clause.high
    if first := _first().match(text, low, high):
        yield from _by_rules(clause, "", low, first.end(), rules.first_person())
        yield from nouns.has(clause, first.end())
    elif we := _we().match(text, low, high):
        yield from nouns.we_use(clause, we.end())
    elif mine := nouns.mine().match(text, low, high):
        yield from nouns.owned(clause, mine)
    else:
        for end, bare in _subjects(clause):
            subject = text[low:end]
            yield from _by_rules(clause, without_article(subject), low, end, rules.others(), bare=bare)
        yield from nouns.of(clause)


@cache
def _first() -> re.Pattern[str]:
    return re.compile(r"(?:I|Ich|ich)(?=[ '’])")


@cache
def _we() -> re.Pattern[str]:
    return re.compile(r"(?:We|we|Wir|wir)(?=[ '’])")


def _by_rules(clause: Asserting, subject: str, low: int, at: int, table: Table, *, bare: bool = False) -> Iterator[Asserted]:
    if table.any.match(clause.text, at, clause.high) is None:
        return
    for rule in table.rules:
        if bare and not rule.bare:
            continue
        shape = rule.shape.match(clause.text, at, clause.high)
        if shape is None:
            continue
        value = value_at(clause, shape.end(), rule.kind)
        if value and sure(clause, low, shape.end()) and not _told_of_old(clause, rule, value[1]):
            verb = shape.groupdict().get("verb") or ""
            others = _more(clause, value) if rule.kind == "named" and rule.many else []
            yield from (_made(clause, subject, rule, one, verb) for one in (value, *others))
            return


def _made(clause: Asserting, subject: str, rule: Rule, value: tuple[int, int], verb: str) -> Asserted:
    said = clause.text[slice(*value)]
    return Asserted(
        clause.low,
        end_of(clause, value[1]),
        subject,
        rule.attribute or slot(verb),
        rule.said or verb,
        said,
        names=without_article(said) if rule.names else "",
        qualifier=qualifier(clause, value[1]),
        polarity=rule.polarity,
        many=rule.many,
        causal=rule.causal,
        past=rule.past,
    )


def _more(clause: Asserting, value: tuple[int, int]) -> list[tuple[int, int]]:
    """The other names of a list: "speaks German, French and Dutch". Other lists are not clear enough to be taken apart."""
    at = value[1]
    listed: list[tuple[int, int]] = []
    while joint := _comma().match(clause.text, at, clause.high):
        follow = value_at(clause, joint.end(), "named")
        if follow is None:
            break
        listed.append(follow)
        at = follow[1]
        if joint["last"]:
            return listed
    return []


@cache
def _comma() -> re.Pattern[str]:
    return re.compile(r",? (?P<last>and|und) |, ")


def _told_of_old(clause: Asserting, rule: Rule, at: int) -> bool:
    """Whether a change of place is told as long past: "moved to Rome in 2010", "when I was six"."""
    return rule.said in ("moved to", "ist gezogen nach") and bool(_long_ago().search(clause.text, at, clause.high))


@cache
def _long_ago() -> re.Pattern[str]:
    return re.compile(r"\b(?:ago|when|back in|in (?:19|20)\d\d|as a|years?|before|at first|vor|damals|als)\b")


def _subjects(clause: Asserting) -> Iterator[tuple[int, bool]]:
    """Where the subject of a clause may end: a name, an identifier, a noun with its article, or a bare noun."""
    text, low = clause.text, clause.low
    opening = _word().match(text, low, clause.high)
    # No name begins with a small or a stop word, and looking for names costs more than all else.
    if opening is None or not (opening.group().islower() or is_stop(fold(opening.group()))):
        named = [one.end for one in clause.spans if one.start == low and one.sort in NAMED]
        if named:
            yield max(named), False
    if user := _user().match(text, low, clause.high):
        yield user.end(), False
    if noun := _noun().match(text, low, clause.high):
        words = noun.group().split()
        start = low
        for word in words:
            start = text.index(word, start) + len(word)
            if word == words[0] and fold(word) in _articles():
                continue
            if empty(word):
                return
            yield start, True


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]+(?=['’ ,])")


@cache
def _articles() -> frozenset[str]:
    return frozenset("the our der die das".split())


@cache
def _user() -> re.Pattern[str]:
    return re.compile(r"(?:[Tt]he )?[Uu]ser(?= )")


@cache
def _noun() -> re.Pattern[str]:
    """A noun of up to three words, as a clause may begin with it."""
    return re.compile(
        rf"(?:(?:The|the|Our|our|Der|Die|Das|der|die|das) )?[\w`-]+(?:[./][\w`-]+)*(?: [\w`-]+){{0,{SUBJECT_WORDS_MAX - 1}}}"
    )
