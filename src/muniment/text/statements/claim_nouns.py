"""Claims by nouns: "my dog is called Max", "the port of billing is 8081", "we moved from Postgres to MySQL".

Always true here: the noun that names the property is one of which there is one at a time, or the value is a name for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal

from muniment.model.asserted import Asserted
from muniment.text.scripts import fold
from muniment.text.statements.claim_values import Asserting, empty, end_of, qualifier, sure, value_at, without_article
from muniment.text.statements.nouns import COUNTED, FIGURED, KIN, LOWER, SINGLE
from muniment.text.statements.shapes import ADVERBS, CHANGED, SWITCHED
from muniment.text.statements.slots import IS, slot
from muniment.text.value_words import NUMBER_WORDS

ONE = SINGLE | FIGURED
COUNTING = frozenset(("number", "total number"))  # these count, where a phone number names


@cache
def needed() -> frozenset[str]:
    """Words of which every clause has one that is read here."""
    said = "called named name heißt old alt favorite favourite use using nutzen verwenden benutzen replaced von"
    return frozenset((*said.split(), *SWITCHED.split("|"), *ONE, *COUNTED))


@cache
def mine() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<whose>[Mm]y|[Oo]ur|[Mm]eine?|[Uu]nsere?) (?P<noun>(?:[\w-]+ ){{0,2}}?[\w-]+)(?P<name>['’]s name)?"
        rf"(?P<is>['’]s| is| are| ist| heißt)(?: (?:{ADVERBS}))*(?P<called> called| named)? "
    )


def owned(clause: Asserting, found: re.Match[str]) -> Iterator[Asserted]:
    """ "My NOUN is X", "my dog is called Max"."""
    whose = "we" if found["whose"][:1] in "OoUu" else ""
    nouns = found["noun"].split()
    noun = fold(nouns[-1])
    named = bool(found["called"] or found["name"] or found["is"].strip() == "heißt")
    if any(empty(word) for word in nouns) or not sure(clause, clause.low, found.end()):
        return
    favourite = fold(nouns[0]).startswith(("favorite", "favourite", "liebling"))
    if favourite and len(nouns) < 2:
        return
    if not (named or favourite or (noun in ONE and len(nouns) <= 2)):
        return
    value = value_at(clause, found.end(), "words" if favourite else "named")
    if value is None or (named and noun not in ONE | KIN and len(nouns) > 2):
        return
    said = " ".join(nouns)
    yield Asserted(
        clause.low, end_of(clause, value[1]), whose, slot(said), said, clause.text[slice(*value)],
        names=clause.text[slice(*value)] if named or noun in KIN else "", many=named and noun in KIN,
    )  # fmt: skip


def has(clause: Asserting, at: int) -> Iterator[Asserted]:
    """ "I have two kids", "I have a dog named Max", "I'm 32 years old"."""
    text, high = clause.text, clause.high
    if not sure(clause, clause.low, at):
        return
    if shape := _count().match(text, at, high):
        yield Asserted(clause.low, end_of(clause, at), "", slot(shape["noun"]), shape["noun"], shape["number"])
    elif shape := _called().match(text, at, high):
        value = value_at(clause, shape.end(), "named")
        if value and not empty(shape["noun"]):
            said = text[slice(*value)]
            yield Asserted(clause.low, end_of(clause, at), "", slot(shape["noun"]), shape["noun"], said, names=said, many=True)
    elif shape := _aged().match(text, at, high):
        yield Asserted(clause.low, end_of(clause, at), "", slot("age"), "age", shape["age"])


@cache
def _count() -> re.Pattern[str]:
    number = rf"\d+|{'|'.join(sorted(NUMBER_WORDS))}"
    return re.compile(rf"(?: have|['’]ve got| habe) (?P<number>{number}) (?:\w+ )?(?P<noun>{'|'.join(sorted(COUNTED))})\b")


@cache
def _called() -> re.Pattern[str]:
    return re.compile(r"(?: have|['’]ve got| own| adopted| got) (?:a|an) (?:[\w-]+ ){0,2}?(?P<noun>[\w-]+),? (?:named|called) ")


@cache
def _aged() -> re.Pattern[str]:
    return re.compile(r"(?:['’]m| am| bin) (?P<age>\d{1,3}) (?:years old|Jahre alt)\b")


def of(clause: Asserting) -> Iterator[Asserted]:
    """ "X's port is 8081", "the port of X is 8081", "the billing port is 8081", and the same with "is now", "changed to"."""
    text, low = clause.text, clause.low
    for shape in (_genitive(), _of_it(), _compound()):
        found = shape.match(text, low, clause.high)
        if found is None or fold(found["noun"].split()[-1]) not in ONE or fold(found["noun"]) in COUNTING:
            continue
        value = value_at(clause, found.end(), "words")
        owner = found.groupdict().get("owner") or ""
        if value is None or not sure(clause, low, found.end()) or (owner and any(empty(word) for word in owner.split())):
            continue
        said = text[slice(*value)]
        nouns = found["noun"].split()
        shaped = any(one.start <= value[0] < one.end for one in clause.spans) or any(letter.isdigit() for letter in said)
        if not shaped and not (owner and fold(nouns[-1]) in LOWER and len(said.split()) <= 2):
            continue
        subject = without_article(owner) if owner else found["noun"]
        yield Asserted(
            low, end_of(clause, value[1]), subject, slot(found["noun"]) if owner else IS, found["noun"] if owner else IS, said,
            qualifier=qualifier(clause, value[1]), polarity=-1 if found["not"] else 1, past=bool(found["was"]),
        )  # fmt: skip
        return


_COPULA = (
    r"(?:['’]s| is| are| ist|(?P<was> was| war)"
    rf"| (?:was |were |has been |have been )?{CHANGED} to)"
    rf"(?: (?:{ADVERBS}))*(?P<not> not| no longer| nicht| nicht mehr)?(?: now| set to| at)? "
)


@cache
def _genitive() -> re.Pattern[str]:
    return re.compile(rf"(?P<owner>[\w.-]+(?: [A-Z][\w.-]+){{0,2}})['’]s (?P<noun>(?:[\w-]+ )?[\w-]+){_COPULA}")


@cache
def _of_it() -> re.Pattern[str]:
    return re.compile(
        r"(?:The|the|Der|Die|Das|der|die|das) (?P<noun>(?:[\w-]+ )?[\w-]+) (?:of|for|von|für) "
        rf"(?P<owner>(?:the |our |my |der |dem |den )?[\w./-]+(?: [\w-]+)?){_COPULA}"
    )


@cache
def _compound() -> re.Pattern[str]:
    return re.compile(
        rf"(?:The|the|Our|our|Der|Die|Das|der|die|das) (?:(?P<owner>[\w./-]+(?: [\w-]+)?) )??(?P<noun>[\w-]+){_COPULA}"
    )


def we_use(clause: Asserting, at: int) -> Iterator[Asserted]:
    """What "we" use and stopped using: "we moved from Postgres to MySQL", "we use Redis"."""
    text, low = clause.text, clause.low
    if not sure(clause, low, at):
        return
    if shape := _moved().match(text, at, clause.high):
        old = value_at(clause, shape.end(), "named")
        joint = _to().match(text, old[1], clause.high) if old else None
        new = value_at(clause, joint.end(), "named") if joint else None
        if old and new:
            end = end_of(clause, new[1])
            yield _used(clause, end, old, -1)
            yield _used(clause, end, new, 1)
    elif shape := _uses().match(text, at, clause.high):
        used = value_at(clause, shape.end(), "named")
        if used:
            yield _used(clause, end_of(clause, used[1]), used, -1 if shape["ends"] else 1)


def _used(clause: Asserting, end: int, value: tuple[int, int], polarity: Literal[1, -1]) -> Asserted:
    said = clause.text[slice(*value)]
    return Asserted(clause.low, end, "we", "use", "uses", said, names=said, polarity=polarity, many=True)


@cache
def _moved() -> re.Pattern[str]:
    return re.compile(
        rf"(?:['’]ve| have| sind| haben)?(?: (?:{ADVERBS}))* (?:{SWITCHED}|replaced|von)"
        r"(?: everything| over| the \w+| our \w+)?(?: from)? "
    )


@cache
def _to() -> re.Pattern[str]:
    return re.compile(r" (?:over )?(?:to|with|by|auf|zu) ")


@cache
def _uses() -> re.Pattern[str]:
    return re.compile(
        rf"(?:['’]re| are)?(?: (?:{ADVERBS}))* "
        rf"(?:(?P<ends>no longer use|stopped using|don['’]t use)|use|using|nutzen|verwenden|benutzen)(?: (?:{ADVERBS}))* "
    )
