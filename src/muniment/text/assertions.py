"""Reading what a text asserts: of whom or what, which property, which value. Clear clauses only, and each by its own words.

Always true here: subject and value stand in the text between `start` and `end`, but for a first person, who is whoever
speaks. A question, a wish, a guess and a condition assert nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from muniment.model.asserted import Asserted
from muniment.model.spans import Span
from muniment.text import assertion_rules as rules
from muniment.text import assertions_han as han
from muniment.text import spans
from muniment.text.assertion_rules import Rule
from muniment.text.passages import sentences
from muniment.text.scripts import fold, paired
from muniment.text.stems import stem
from muniment.text.terms import is_stop

ASSERTED_MAX = 200  # of one text
SENTENCE_MAX = 400  # characters; longer ones are no clear statements
TOKENS_MAX = 6  # words of a value
IS = "is"  # the slot of what is said of a thing itself: "the port is 8081"
DOING_MAX = 9  # words of what somebody does
SUBJECT_WORDS_MAX = 3
NAMED: frozenset[str] = frozenset({"name", "path", "symbol", "env", "title", "url"})
TYPED = NAMED | {"date", "quantity"}


@dataclass(frozen=True, slots=True)
class _Clause:
    """A sentence from where it asserts something; `spans` are those of the sentence, with offsets of the whole text."""

    text: str
    low: int
    high: int
    spans: tuple[Span, ...]


def find(text: str) -> list[Asserted]:
    """What a text asserts, in order, at most ASSERTED_MAX."""
    found: list[Asserted] = []
    for low, high in sentences(text):
        if high - low > SENTENCE_MAX or text.startswith("```", low) or text[low:high].rstrip("\"')”* ").endswith(("?", "？")):
            continue
        if paired().search(text, low, high):
            found += han.find(text, low, high)
        named: tuple[Span, ...] | None = None
        for start in _starts(text, low, high):
            if named is None:
                named = _spans(text, low, high)
            found += _read(_Clause(text, start, high, named))
        if len(found) >= ASSERTED_MAX:
            break
    return found[:ASSERTED_MAX]


def slot(said: str) -> str:
    """The form in which wordings of one property meet: "lives in", "wohnt in" and "moved to" are one slot, and "the port" is "port"."""
    words = [fold(word) for word in said.replace("_", " ").split()]
    known = _slots().get(" ".join(words))
    if known is not None:
        return known
    stems = {stem(word) for word in words if not is_stop(stem(word))}
    return " ".join(sorted(stems)) or " ".join(words)


@cache
def _slots() -> dict[str, str]:
    known = {said: attribute for attribute, several in rules.WORDINGS.items() for said in several}
    known |= {fold(rule.said): rule.attribute for rule in (*rules.first_person(), *rules.others()) if rule.attribute}
    return known | han.slots()


def _spans(text: str, low: int, high: int) -> tuple[Span, ...]:
    return tuple(Span(low + one.start, low + one.end, one.sort, one.surface) for one in spans.find(text[low:high]))


def _starts(text: str, low: int, high: int) -> Iterator[int]:
    """Where a clause may begin to assert: at the sentence's first word that says something, and behind a joint of clauses."""
    lead = rules.LEADS.match(text, low, high)
    first = lead.end() if lead else low
    yield first
    yield from (joint.end() for joint in _joints().finditer(text, first, high))


@cache
def _joints() -> re.Pattern[str]:
    return re.compile(
        r"(?:; |: | [-–—] |, (?:and |but |so |und |aber )?|\b(?:and|but|so|und|aber) )(?=(?:I|we|We|my|My|ich|mein|meine|wir)\b)"
    )


def _read(clause: _Clause) -> Iterator[Asserted]:
    text, low, high = clause.text, clause.low, clause.high
    if first := _first().match(text, low, high):
        yield from _by_rules(clause, "", low, first.end(), rules.first_person())
        yield from _has(clause, first.end())
    elif we := _we().match(text, low, high):
        yield from _we_use(clause, we.end())
    elif mine := _mine().match(text, low, high):
        yield from _owned(clause, mine)
    else:
        for end, bare in _subjects(clause):
            subject = text[low:end]
            yield from _by_rules(clause, _without_article(subject), low, end, rules.others(), bare=bare)
        yield from _of(clause)


@cache
def _first() -> re.Pattern[str]:
    return re.compile(r"(?:I|Ich|ich)(?=[ '’])")


@cache
def _we() -> re.Pattern[str]:
    return re.compile(r"(?:We|we|Wir|wir)(?=[ '’])")


@cache
def _mine() -> re.Pattern[str]:
    return re.compile(
        r"(?P<whose>[Mm]y|[Oo]ur|[Mm]eine?|[Uu]nsere?) (?P<noun>(?:[\w-]+ ){0,2}?[\w-]+)(?P<name>['’]s name)?(?P<is>['’]s| is| are| ist| heißt)(?: now| currently| still| jetzt| nun| derzeit)*(?P<called> called| named)? "
    )


def _by_rules(
    clause: _Clause, subject: str, low: int, at: int, listed: tuple[Rule, ...], *, bare: bool = False
) -> Iterator[Asserted]:
    for rule in listed:
        if bare and not rule.bare:
            continue
        shape = rule.shape.match(clause.text, at, clause.high)
        if shape is None:
            continue
        value = _value(clause, shape.end(), rule.kind)
        if value and _sure(clause, low, shape.end()) and not _told_of_old(clause, rule, value[1]):
            verb = shape.groupdict().get("verb") or ""
            others = _more(clause, value) if rule.kind == "named" and rule.many else []
            yield from (_made(clause, subject, rule, one, verb) for one in (value, *others))
            return


def _made(clause: _Clause, subject: str, rule: Rule, value: tuple[int, int], verb: str) -> Asserted:
    said = clause.text[slice(*value)]
    return Asserted(
        clause.low,
        _end(clause, value[1]),
        subject,
        rule.attribute or slot(verb),
        rule.said or verb,
        said,
        names=_without_article(said) if rule.names else "",
        qualifier=_qualifier(clause, value[1]),
        polarity=rule.polarity,
        many=rule.many,
        causal=rule.causal,
        past=rule.past,
    )


def _more(clause: _Clause, value: tuple[int, int]) -> list[tuple[int, int]]:
    """The other names of a list: "speaks German, French and Dutch". Other lists are not clear enough to be taken apart."""
    at = value[1]
    listed: list[tuple[int, int]] = []
    while joint := _comma().match(clause.text, at, clause.high):
        follow = _value(clause, joint.end(), "named")
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


def _end(clause: _Clause, at: int) -> int:
    """Where the words end that say it: with the sentence, but for its outer white space."""
    return len(clause.text[: clause.high].rstrip()) if at <= clause.high else at


def _told_of_old(clause: _Clause, rule: Rule, at: int) -> bool:
    """Whether a change of place is told as long past: "moved to Rome in 2010", "when I was six"."""
    return rule.said in ("moved to", "ist gezogen nach") and bool(_long_ago().search(clause.text, at, clause.high))


@cache
def _long_ago() -> re.Pattern[str]:
    return re.compile(r"\b(?:ago|when|back in|in (?:19|20)\d\d|as a|years?|before|at first|vor|damals|als)\b")


def _sure(clause: _Clause, low: int, at: int) -> bool:
    words = {fold(word).strip(",.!") for word in clause.text[low:at].split()}
    return words.isdisjoint(rules.UNSURE) and not any(word.endswith(("'ll", "’ll", "'d", "’d")) for word in words)


def _qualifier(clause: _Clause, at: int) -> str:
    found = _where().search(clause.text, at, min(clause.high, at + 40))
    return fold(found[1]) if found and fold(found[1]) in rules.QUALIFIERS else ""


@cache
def _where() -> re.Pattern[str]:
    return re.compile(r"^ (?:in|on|for|auf|für) (?:the )?(\w+)")


# ---- subjects -------------------------------------------------------------------------------------------------------------


def _subjects(clause: _Clause) -> Iterator[tuple[int, bool]]:
    """Where the subject of a clause may end: a name, an identifier, a noun with its article, or a bare noun."""
    text, low = clause.text, clause.low
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
            if _empty(word):
                return
            yield start, True


@cache
def _articles() -> frozenset[str]:
    return frozenset("the our this der die das".split())


@cache
def _user() -> re.Pattern[str]:
    return re.compile(r"(?:[Tt]he )?[Uu]ser(?= )")


@cache
def _noun() -> re.Pattern[str]:
    """A noun of up to three words, as a clause may begin with it."""
    return re.compile(
        rf"(?:(?:The|the|Our|our|Der|Die|Das|der|die|das) )?[\w`-]+(?:[./][\w`-]+)*(?: [\w`-]+){{0,{SUBJECT_WORDS_MAX - 1}}}"
    )


def _empty(word: str) -> bool:
    low = fold(word)
    return is_stop(low) or low in rules.NO_VALUE or low in rules.BOUNDARY


def _without_article(words: str) -> str:
    first, _, rest = words.partition(" ")
    return (
        rest
        if rest and fold(first) in ("the", "a", "an", "our", "my", "der", "die", "das", "den", "dem", "ein", "eine", "einen")
        else words
    )


# ---- values ---------------------------------------------------------------------------------------------------------------


def _value(clause: _Clause, at: int, kind: rules.Kind) -> tuple[int, int] | None:
    """The span of a value that begins at an offset; None where nothing clear does."""
    text = clause.text
    lead = re.compile(r"(?:the |a |an |our |der |die |das |dem |den )?").match(text, at)
    bare = lead.end() if lead else at
    typed = max((one.end for one in clause.spans if one.start == bare and one.sort in TYPED), default=0)
    if kind == "number":
        number = re.compile(r"\d+(?:[.:]\d+)*\b").match(text, bare, clause.high)
        return number.span() if number else None
    doing = kind == "doing" or (kind == "liked" and bare == at and _gerund().match(text, at) is not None)
    end = _phrase(clause, bare, rules.CLAUSE_ENDS if doing else rules.BOUNDARY, DOING_MAX if doing else TOKENS_MAX)
    if typed and typed >= (end or 0):
        return bare, typed
    if end is None:
        return None
    words = text[bare:end].split()
    if not rules.POINTING.isdisjoint(fold(word) for word in words):
        return None
    if doing:
        return (bare, end) if _done(clause, words, end) else None
    if kind == "named":
        # Names only: what begins with one and goes on with other words says more than its name.
        return (bare, end) if typed and (typed == end or all(word[:1].isupper() for word in words)) else None
    if kind == "thing":
        return (at, end) if bare > at else None
    if kind == "liked" and (bare > at or len(words) > 4 or (len(words) == 1 and _joined().match(text, end))):
        return None
    return bare, end


def _done(clause: _Clause, words: list[str], end: int) -> bool:
    """Whether what somebody does is told whole: not only begun, not cut short by a quotation."""
    whole = end >= clause.high or clause.text[end] not in "\"“'"
    after = clause.text[end : end + 2]
    return (
        len(words) > 1
        and whole
        and after[1:] not in ('"', "“")
        and not is_stop(fold(words[-1]))
        and fold(words[0]) not in rules.STATES
    )


@cache
def _joined() -> re.Pattern[str]:
    """More belongs to it: "action and sci-fi movies" does not say that anybody likes action, nor "stories that bite" all."""
    return re.compile(r",? (?:and|or|und|oder|that|who|which) |, \w+,? (?:and|und) ")


@cache
def _gerund() -> re.Pattern[str]:
    return re.compile(r"[a-z]{2,}ing ")


def _phrase(clause: _Clause, at: int, ends: frozenset[str], most: int) -> int | None:
    """Where a phrase ends that begins here; None for one that is empty or has no clear end."""
    end, count, before = at, 0, ""
    for token in _token().finditer(clause.text, at, clause.high):
        if token.start() != end + (1 if count else 0):
            break
        word = token.group()
        low = fold(word)
        if count == 0 and (low in rules.NO_VALUE or low in rules.BOUNDARY):
            return None
        if low in ends or (count and ends is rules.BOUNDARY and low in ("the", "a", "an") and before != "of"):
            break
        count, end, before = count + 1, token.end(), low
        if count > most:
            return None
    return end if count else None


@cache
def _token() -> re.Pattern[str]:
    return re.compile(r"[^\s,;:!?()\"“”—–…*]+?(?=[.]*(?:[\s,;:!?()\"“”—–…*]|$))")


# ---- what somebody has ----------------------------------------------------------------------------------------------------


def _owned(clause: _Clause, mine: re.Match[str]) -> Iterator[Asserted]:
    """ "My NOUN is X", "my dog is called Max"."""
    whose = "we" if mine["whose"][:1] in "OoUu" else ""
    nouns = mine["noun"].split()
    noun = fold(nouns[-1])
    named = bool(mine["called"] or mine["name"] or mine["is"].strip() == "heißt")
    if any(_empty(word) for word in nouns) or not _sure(clause, clause.low, mine.end()):
        return
    favourite = fold(nouns[0]).startswith(("favorite", "favourite", "liebling"))
    if favourite and len(nouns) < 2:
        return
    if not (named or favourite or (noun in rules.SINGLE and len(nouns) <= 2)):
        return
    value = _value(clause, mine.end(), "words" if favourite else "named")
    if value is None or (named and noun not in rules.SINGLE | rules.KIN and len(nouns) > 2):
        return
    said = " ".join(nouns)
    yield Asserted(
        clause.low, _end(clause, value[1]), whose, slot(said), said, clause.text[slice(*value)],
        names=clause.text[slice(*value)] if named or noun in rules.KIN else "", many=named and noun in rules.KIN,
    )  # fmt: skip


def _has(clause: _Clause, at: int) -> Iterator[Asserted]:
    """ "I have two kids", "I have a dog named Max", "I'm 32 years old"."""
    text, high = clause.text, clause.high
    if not _sure(clause, clause.low, at):
        return
    if shape := _count().match(text, at, high):
        yield Asserted(clause.low, _end(clause, at), "", slot(shape["noun"]), shape["noun"], shape["number"])
    elif shape := _called().match(text, at, high):
        value = _value(clause, shape.end(), "named")
        if value and not _empty(shape["noun"]):
            said = text[slice(*value)]
            yield Asserted(clause.low, _end(clause, at), "", slot(shape["noun"]), shape["noun"], said, names=said, many=True)
    elif shape := _aged().match(text, at, high):
        yield Asserted(clause.low, _end(clause, at), "", slot("age"), "age", shape["age"])


@cache
def _count() -> re.Pattern[str]:
    number = r"\d+|two|three|four|five|six|zwei|drei|vier|fünf|sechs"
    return re.compile(
        rf"(?: have|['’]ve got| habe) (?P<number>{number}) (?:\w+ )?(?P<noun>{'|'.join(sorted(rules.COUNTED))})\b"
    )


@cache
def _called() -> re.Pattern[str]:
    return re.compile(r"(?: have|['’]ve got| own| adopted| got) (?:a|an) (?:[\w-]+ ){0,2}?(?P<noun>[\w-]+),? (?:named|called) ")


@cache
def _aged() -> re.Pattern[str]:
    return re.compile(r"(?:['’]m| am| bin) (?P<age>\d{1,3}) (?:years old|Jahre alt)\b")


def _of(clause: _Clause) -> Iterator[Asserted]:
    """ "X's port is 8081", "the port of X is 8081", "the billing port is 8081", and the same with "is now", "changed to"."""
    text, low = clause.text, clause.low
    for shape in (_genitive(), _of_it(), _compound()):
        found = shape.match(text, low, clause.high)
        if found is None or fold(found["noun"].split()[-1]) not in rules.SINGLE:
            continue
        value = _value(clause, found.end(), "words")
        owner = found.groupdict().get("owner") or ""
        if value is None or not _sure(clause, low, found.end()) or (owner and any(_empty(word) for word in owner.split())):
            continue
        said = text[slice(*value)]
        nouns = found["noun"].split()
        shaped = any(one.start <= value[0] < one.end for one in clause.spans) or any(letter.isdigit() for letter in said)
        if not shaped and not (owner and fold(nouns[-1]) in rules.LOWER and len(said.split()) <= 2):
            continue
        subject = _without_article(owner) if owner else found["noun"]
        negated: Literal[1, -1] = -1 if found["not"] else 1
        yield Asserted(
            low, _end(clause, value[1]), subject, slot(found["noun"]) if owner else IS, found["noun"] if owner else IS, said,
            qualifier=_qualifier(clause, value[1]), polarity=negated, past=bool(found["was"]),
        )  # fmt: skip
        return


_COPULA = (
    r"(?:['’]s| is| are| ist|(?P<was> was| war)| (?:was |has been )?(?:changed|moved|switched|set|raised|lowered|increased|reduced) to)"
    r"(?: now| currently| still| jetzt| nun| derzeit)*(?P<not> not| no longer| nicht| nicht mehr)?(?: now| set to| at)? "
)


@cache
def _genitive() -> re.Pattern[str]:
    return re.compile(rf"(?P<owner>[\w.-]+(?: [A-Z][\w.-]+){{0,2}})['’]s (?P<noun>(?:[\w-]+ )?[\w-]+){_COPULA}")


@cache
def _of_it() -> re.Pattern[str]:
    return re.compile(
        rf"(?:The|the|Der|Die|Das|der|die|das) (?P<noun>(?:[\w-]+ )?[\w-]+) (?:of|for|von|für) (?P<owner>(?:the |our |my |der |dem |den )?[\w./-]+(?: [\w-]+)?){_COPULA}"
    )


@cache
def _compound() -> re.Pattern[str]:
    return re.compile(
        rf"(?:The|the|Our|our|Der|Die|Das|der|die|das) (?:(?P<owner>[\w./-]+(?: [\w-]+)?) )??(?P<noun>[\w-]+){_COPULA}"
    )


def _we_use(clause: _Clause, at: int) -> Iterator[Asserted]:
    """What "we" use and stopped using: "we moved from Postgres to MySQL", "we use Redis"."""
    text, low = clause.text, clause.low
    if not _sure(clause, low, at):
        return
    if shape := _moved().match(text, at, clause.high):
        old = _value(clause, shape.end(), "named")
        joint = _to().match(text, old[1], clause.high) if old else None
        new = _value(clause, joint.end(), "named") if joint else None
        if old and new:
            for value, polarity in ((old, -1), (new, 1)):
                said = text[slice(*value)]
                sign: Literal[1, -1] = -1 if polarity < 0 else 1
                yield Asserted(low, _end(clause, new[1]), "we", "use", "uses", said, names=said, polarity=sign, many=True)
    elif shape := _uses().match(text, at, clause.high):
        used = _value(clause, shape.end(), "named")
        if used:
            said = text[slice(*used)]
            polarity_of: Literal[1, -1] = -1 if shape["ends"] else 1
            yield Asserted(low, _end(clause, used[1]), "we", "use", "uses", said, names=said, polarity=polarity_of, many=True)


@cache
def _moved() -> re.Pattern[str]:
    return re.compile(
        r"(?:['’]ve| have| sind| haben)?(?: just| recently| now| jetzt)* (?:moved|switched|migrated|changed|replaced|von)(?: everything| over| the \w+| our \w+)?(?: from)? "
    )


@cache
def _to() -> re.Pattern[str]:
    return re.compile(r" (?:over )?(?:to|with|by|auf|zu) ")


@cache
def _uses() -> re.Pattern[str]:
    return re.compile(
        r"(?:['’]re| are)?(?: now| currently| still| jetzt| derzeit)* (?:(?P<ends>no longer use|stopped using|don['’]t use)|use|using|nutzen|verwenden|benutzen)(?: now| jetzt| nun)* "
    )
