"""Whether a newer text outdates what an older one says: the same slot with another value, and nothing less certain.

Always true here: unsure is None. Plans, questions, the past, another person, place or time never outdate anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from muniment.model.records import Replaced
from muniment.model.stated import READ_MAX, Stated, Told, Update
from muniment.text.scripts import fold
from muniment.text.statements import chinese
from muniment.text.statements.clauses import CACHED_MAX, Clause, clauses, keys_in, read
from muniment.text.statements.nouns import KINDS, SLOT_OF_KIND
from muniment.text.statements.reading import find, speaker_norm
from muniment.text.statements.sentences import QUESTION_MARKS
from muniment.text.statements.words import TURNS
from muniment.text.stems import stem
from muniment.text.terms import is_stop, terms
from muniment.text.values import comparable, same

# Words that only join a value to its slot: "use", "be", "end".
RELATIONS = frozenset("use be end for name".split())
JOINS = frozenset(("use", "be"))
NAMED_ENOUGH = 2  # words of a slot
SCHEDULED = frozenset(("deadlin", "date", "day", "time", "schedul"))  # what moves when one says that a thing was moved
USES = frozenset(
    stem(word)
    for word in "use uses using run runs running store host deploy rely have has keep nutzen nutzt nutze verwenden "
    "verwendet verwende benutzen benutze setzen betreiben is are am ist bin sind heißt work works".split()
)
GENERAL = frozenset(
    stem(word)
    for word in "app application backend project service system main primary databas product stack website site code "
    "everything datenbank hauptdatenbank projekt anwendung".split()
)
UNNAMED = frozenset(("they", "it"))
NEAR_MS = 7 * 86_400_000  # what is said this soon after is about the same thing, where only one word names it
FIRM_WORDS_MAX = 14
TURNED_MIN = 2  # words of content that two clauses share of which one denies the other
KIN_WORDS_MAX = 8


def told(
    text: str, *, speaker: str | None = None, subject: str | None = None, at: int | None = None, before: str | None = None
) -> Told:
    """A text with its statements read. `at` is ms UTC; `before` the text of the turn before it in its session."""
    text = text[:READ_MAX]
    return Told(text, find(text, speaker), speaker, subject, at, before and before[:READ_MAX])


def replaces(newer: Told, older: Told) -> Update | None:
    """What `newer` says instead of `older`, or None when it does not, or not certainly."""
    if (newer.at is not None and older.at is not None and newer.at < older.at) or not _one_subject(newer, older):
        return None
    for new in newer.stated:
        if new.cue == "tentative" or new.past or new.many:
            continue
        for old in older.stated:
            if old.cue == "tentative" or old.past or old.many:
                continue
            if (
                _fills(new, old, newer, older)
                or _names_old(new, old)
                or _meant(new, old, newer, older)
                or _called_off(new, old)
            ):
                return _update(new, (old.start, old.end), _slot_words(old), old.value)
        if new.sort == "clause":
            if (span := chinese.says(older.text, new.value_norm)) is not None:
                return _update(new, span, new.value_norm, older.text[slice(*span)])
        elif new.old_value_norm and (span := chinese.names(older.text, new.old_value_norm, new.attribute_norm)) is not None:
            return _update(new, span, new.attribute, new.old_value_norm)
        elif (found := _mentioned(new, newer, older)) is not None:
            return _update(new, (found.start, found.end), new.attribute, new.old_value_norm or new.value)
    return _turned(newer, older)


def _update(new: Stated, older: tuple[int, int], slot: str, old: str) -> Update:
    value = "" if new.polarity < 0 else new.value
    return Update((new.start, new.end), older, slot, old, value, "correction" if new.cue == "correction" else "change")


def _slot_words(one: Stated) -> str:
    return " ".join(filter(None, (one.subject, one.attribute)))


def _one_subject(newer: Told, older: Told) -> bool:
    """Whether two memories were kept under labels that share a word."""
    if not newer.subject or not older.subject:
        return True
    ours, theirs = set(terms(newer.subject)), set(terms(older.subject))
    ours -= {term for term in ours if is_stop(term)}
    return not ours or not ours.isdisjoint(theirs)


def _slot(one: Stated) -> frozenset[str]:
    return frozenset(one.attribute_norm.split())


def slot(one: Stated) -> frozenset[str]:
    """The slot in the stems that tell it from others: where enough is named, how the value is joined to it says nothing."""
    words = _slot(one)
    if "use" in words and (kind := SLOT_OF_KIND.get(KINDS.get(one.value_norm, ""))) and words - RELATIONS:
        words |= {kind}
    return words - JOINS if len(words - JOINS) >= NAMED_ENOUGH else words


def _topic(one: Stated) -> frozenset[str]:
    return _slot(one) - RELATIONS


def _fills(new: Stated, old: Stated, newer: Told, older: Told) -> bool:
    """The same slot with another value."""
    if new.cue is None and (
        "prefer" in _slot(new) or "lead" in _slot(new) or ("work" in _slot(new) and not new.value.isascii())
    ):
        return False  # one prefers many things, two may be in charge, and in Chinese one works in a city as one works at a firm
    if new.vague and new.cue not in ("change", "correction"):
        return False
    if new.polarity != 1 or old.polarity != 1 or new.qualifier_norm != old.qualifier_norm:
        return False
    ours, theirs = _owned(new, old, newer, older)
    if ours is not None and ours != theirs and new.sort == old.sort == "when" and "change" in (new.cue, old.cue):
        return _rescheduled(ours, theirs, new, old) or (new.cue == "change" and _other_days(ours, theirs, new, old))
    if ours is None or ours != theirs:
        return False
    if not ours - RELATIONS and not (_of_one(new.sort) and new.subject_norm == old.subject_norm not in ("", "we")):
        return False
    if new.cue is None and _another_time(new, old):
        return False
    if (
        "for" in ours
        and new.cue not in ("change", "correction")
        and KINDS.get(new.value_norm, "") != KINDS.get(old.value_norm, "-")
    ):
        return False  # two things may well serve one purpose
    return _differs(new, old) and (new.keyed or _near(new, newer, older))


def _owned(new: Stated, old: Stated, newer: Told, older: Told) -> tuple[frozenset[str] | None, frozenset[str]]:
    """Both slots without what only says whose they are; the first is None when they are two people's."""
    ours, theirs = slot(new), slot(old)
    if not UNNAMED.isdisjoint((new.subject_norm, old.subject_norm)):
        return None, theirs
    if new.subject_norm == old.subject_norm:
        return ours, theirs
    if {new.subject_norm, old.subject_norm} == {"we", ""}:
        return ours, theirs
    for one, other, side in ((new, theirs, 1), (old, ours, 0)):
        rest = (new, old)[side]
        names = {stem(fold(word)) for word in one.subject_norm.split()}
        if one.subject_norm not in ("", "we") and rest.subject_norm == "" and names & other:
            return (ours, theirs - names) if side else (ours - names, theirs)
    if (
        newer.speaker == older.speaker
        and "" in (new.subject_norm, old.subject_norm)
        and len(ours - RELATIONS) + bool(new.qualifier_norm) > 1
    ):
        return ours, theirs  # my budget, and later the budget
    mine, other_owner = new.subject_norm.split(), old.subject_norm.split()
    if mine and other_owner and mine[0] == other_owner[0] != "we":
        return ours, theirs  # Anna, and Anna Weber
    return None, theirs


def _differs(new: Stated, old: Stated) -> bool:
    if not comparable(new.sort, new.value_norm, old.sort, old.value_norm) or same(new.sort, new.value_norm, old.value_norm):
        return False
    if new.sort != "words":
        return True
    ours, theirs = set(new.value_norm.split()), set(old.value_norm.split())
    return bool(ours and theirs) and not (ours <= theirs or theirs <= ours)


def _other_days(ours: frozenset[str], theirs: frozenset[str], new: Stated, old: Stated) -> bool:
    """ "The course moved to Wednesdays at 6", where it was on Mondays at 6."""
    moved = ours ^ theirs
    if len(moved) != 2 or not all(key.startswith("when") and "=days=" in key for key in moved):
        return False
    return bool(ours & theirs - RELATIONS) and comparable(new.sort, new.value_norm, old.sort, old.value_norm)


def _rescheduled(ours: frozenset[str], theirs: frozenset[str], new: Stated, old: Stated) -> bool:
    """ "They pushed the release to 12 May", where its deadline was 3 May."""
    return ours ^ theirs <= SCHEDULED and bool(ours & theirs - RELATIONS) and _differs(new, old)


def _of_one(sort: str) -> bool:
    """ "I am vegan", "I am 34"."""
    return sort.startswith("state:") or sort == "number"


def _another_time(new: Stated, old: Stated) -> bool:
    """Another day and another hour are another meeting, unless the text says that it was moved."""
    if new.sort != "when":
        return False
    ours, theirs = (dict(part.split("=", 1) for part in one.value_norm.split(";") if "=" in part) for one in (new, old))
    shared = ours.keys() & theirs.keys()
    return len(shared) > 1 and all(ours[name] != theirs[name] for name in shared)


def _near(new: Stated, newer: Told, older: Told) -> bool:
    """A slot of one word needs more: that it is worded as a change, or said soon after, or kept under the same subject."""
    if new.cue in ("change", "correction") or (newer.subject and newer.subject == older.subject):
        return True
    if newer.speaker is None and older.speaker is None:
        return True  # memories are made to last
    return newer.at is not None and older.at is not None and newer.at - older.at <= NEAR_MS


def _names_old(new: Stated, old: Stated) -> bool:
    """From X to Y, where the older text says X of the same."""
    if new.old_value_norm is None or old.polarity != 1 or (old.old_value_norm is not None and old.value_norm == new.value_norm):
        return False
    if not _says(old, new) or not _may_be_one(new, old):
        return False
    ours, theirs = _topic(new), _topic(old)
    if not ours:
        return new.sort == "words" and _used_by_us(new, old.subject_norm, theirs)
    if ours - theirs and theirs - ours:
        return len(ours) == len(theirs) == 1 and _alike(*ours, *theirs)
    return bool(theirs)


def _alike(one: str, other: str) -> bool:
    """Two Chinese slots that share a run of characters."""
    return not one.isascii() and not other.isascii() and chinese.alike(one, other)


def _says(old: Stated, new: Stated) -> bool:
    """Whether a statement's value is the old value that a newer one names."""
    assert new.old_value_norm is not None
    if new.sort == old.sort != "words":
        return same(old.sort, old.value_norm, new.old_value_norm)
    if old.sort == "words" or new.sort == "words":
        named, said = set(new.old_value_norm.split()), set(old.value_norm.split())
        return bool(named) and (named <= said or (said < named and not all(word.isdigit() for word in said) and bool(said)))
    return False


def _may_be_one(new: Stated, old: Stated) -> bool:
    """Whether nothing keeps two statements apart: another place, another person, another number beside it."""
    if new.qualifier_norm != old.qualifier_norm:
        return False
    owners = {new.subject_norm, old.subject_norm}
    if not UNNAMED.isdisjoint(owners):
        return False
    if len(owners) == 2 and not owners & {"we", ""}:
        return new.subject_norm.split()[0] == old.subject_norm.split()[0]
    typed = {key for key in _slot(new) ^ _slot(old) if "=" in key}
    return (
        not typed or not {key for key in _slot(new) if "=" in key} <= typed or not (_slot(new) & typed and _slot(old) & typed)
    )


def _used_by_us(new: Stated, owner: str, topic: frozenset[str]) -> bool:
    """ "We moved from X to Y" names no slot: the older text has to say X of the same people, or of the project as a whole."""
    if owner:
        return owner == new.subject_norm or {owner, new.subject_norm} == {"we", ""}
    return topic <= GENERAL or not topic


def _meant(new: Stated, old: Stated, newer: Told, older: Told) -> bool:
    """ "No, it is 8081": the turn before says what this is about."""
    if newer.before is None or new.polarity != 1 or old.polarity != 1 or new.cue not in ("correction", "change"):
        return False
    ours, theirs = _slot(new) - RELATIONS, _slot(old) - RELATIONS
    if not ours <= theirs or not _differs(new, old) or (new.qualifier_norm and new.qualifier_norm != old.qualifier_norm):
        return False
    if new.old_value_norm is not None and not _says(old, new):
        return False
    if newer.before == older.text:
        return True
    return _speaks_of(newer.before, old, ours, theirs)


def _called_off(new: Stated, old: Stated) -> bool:
    """ "The party on 11 July is cancelled", where the older text says when it is."""
    if new.sort != "state:certainty" or new.value_norm != "cancelled" or old.sort != "when" or new.polarity != 1:
        return False
    ours, theirs = ({key for key in _slot(one) if "=" not in key} for one in (new, old))
    days = [key.partition("=")[2] for key in _slot(new) if key.startswith("when")]
    return (
        bool(ours)
        and ours == theirs
        and new.subject_norm == old.subject_norm
        and all(same("when", day, old.value_norm) for day in days)
    )


def _speaks_of(before: str, old: Stated, named: frozenset[str], slot: frozenset[str]) -> bool:
    """Whether a turn repeats an older statement's value and some of its slot, or asks for it."""
    for one in find(before):
        if one.sort == old.sort and same(one.sort, one.value_norm, old.value_norm) and (named or _topic(one) & slot):
            return True
    asked = frozenset(terms(before))
    return before.rstrip().endswith(QUESTION_MARKS) and bool(slot) and slot <= asked


def _mentioned(new: Stated, newer: Told, older: Told) -> Clause | None:
    """The clause of an older text that says, in words that no rule reads, what a newer one ends or replaces."""
    kind = KINDS.get(new.value_norm)
    if kind and new.old_value_norm is None and new.polarity == 1 and new.cue == "change" and "use" in _slot(new):
        return _kin(kind, new, older)
    value = new.old_value_norm if new.old_value_norm is not None else new.value_norm if new.polarity < 0 else None
    if not value or new.sort not in ("words",) or chinese.written(older.text):
        return None
    if any(
        one.old_value_norm is not None and not set(value.split()).isdisjoint(one.old_value_norm.split()) for one in older.stated
    ):
        return None  # it was over by then
    wanted = {key for word in value.split() if (key := _key(word)) and not is_stop(key)}
    if not wanted:
        return None
    for clause in clauses(older.text):
        if clause.tentative or clause.past or clause.denies or clause.many or clause.ends:
            continue
        keys = {word.key for word in clause.words} | {
            _key(word) for v in clause.values for word in older.text[v.start : v.end].split()
        }
        if clause.others:
            continue
        if wanted <= keys and _about(new, clause, keys, wanted, newer, older):
            return clause
    return None


def _kin(kind: str, new: Stated, older: Told) -> Clause | None:
    """ "We switched to Discord": the clause that says that the same people use another one of its kind."""
    for clause in clauses(older.text):
        if (
            clause.tentative
            or clause.past
            or clause.denies
            or clause.many
            or clause.ends
            or clause.qualifies() != new.qualifier_norm
        ):
            continue
        named = [word.low for word in clause.words if KINDS.get(word.low) == kind and word.low != new.value_norm]
        owner = "we" if clause.we else speaker_norm(older.speaker) if clause.first else ""
        if (
            named
            and owner == new.subject_norm
            and not USES.isdisjoint(word.key for word in clause.words)
            and len(clause.words) <= KIN_WORDS_MAX
        ):
            return clause
    return None


def _key(word: str) -> str:
    return stem(fold(word.strip(".,'\"")))


def _about(new: Stated, clause: Clause, keys: set[str], wanted: set[str], newer: Told, older: Told) -> bool:
    """Whether a clause says it of the same people and the same topic, as something used, lived in or been."""
    owner = "we" if clause.we else speaker_norm(older.speaker) if clause.first else ""
    held, where = set(clause.qualifies().split()), set(new.qualifier_norm.split())
    if held != where and not (new.old_value_norm is None and where <= held):
        return False
    content = clause.keys() - wanted
    topic = _topic(new)
    if new.old_value_norm is None:
        return _ended(new, clause, keys, content, owner)
    if topic:
        one = topic <= content or (content <= topic and bool(content))
        return one and _people(owner, new.subject_norm)
    return not keys.isdisjoint(USES) and _used_by_us(new, owner, frozenset(content)) and (owner != "" or bool(content))


def _people(owner: str, other: str) -> bool:
    return owner == other or {owner, other} <= {"we", ""} or not owner or not other


def _ended(new: Stated, clause: Clause, keys: set[str], content: frozenset[str], owner: str) -> bool:
    """What a newer text ends: the same verb of the same people, and nothing in the newer slot that the older lacks."""
    slot = {_key(word) for word in new.attribute_norm.split()} - {"end"}
    slot_words = {word for word in slot if "=" not in word}
    if owner != new.subject_norm and not {owner, new.subject_norm} <= {"we", ""}:
        return False
    if not slot_words:
        return bool(owner) and owner not in UNNAMED and not keys.isdisjoint(USES | {"am", "i'm", "be", "bin", "sind"})
    return slot_words <= keys | USES and (bool(slot_words & keys) or not keys.isdisjoint(USES))


def _turned(newer: Told, older: Told) -> Update | None:
    """The same clause, once said and once denied."""
    if not (_denied_in(newer.text, older.text) or _denied_in(older.text, newer.text)):
        return None
    for new, old in _clause_pairs(newer, older):
        if new.turns == old.turns or new.allows != old.allows or new.ends or old.ends or len(new.keys()) < TURNED_MIN:
            continue
        if _whole(new, newer) == _whole(old, older):
            words = " ".join(word.low for word in old.words if not word.plain)
            why: Replaced = "correction" if new.corrects else "change"
            return Update(
                (new.start, new.end),
                (old.start, old.end),
                words,
                older.text[old.start : old.end],
                newer.text[new.start : new.end],
                why,
            )
    return None


def _denied_in(text: str, other: str) -> bool:
    """Whether a text firmly denies something of which another one has every word; most pairs need no further reading."""
    denied = _denied(text)
    return bool(denied) and not all(words - _word_keys(other) for words in denied)


@lru_cache(maxsize=CACHED_MAX)
def _denied(text: str) -> tuple[frozenset[str], ...]:
    """What a text firmly denies, each clause as its words of content; of most texts no clause is read to see that."""
    search = _denying().search
    if search(text) is None:
        return ()
    firm = (one.keys() for one in read(text, lambda part: bool(search(part))) if one.turns and _firm(one))
    return tuple(words for words in firm if len(words) >= TURNED_MIN)


@lru_cache(maxsize=CACHED_MAX)
def _word_keys(text: str) -> frozenset[str]:
    return keys_in(text)


@cache
def _denying() -> re.Pattern[str]:
    shape = "|".join(re.escape(word).replace("'", "['’]") for word in sorted(TURNS))
    return re.compile(rf"(?<![^\W_])(?:{shape})(?![^\W_])", re.IGNORECASE)


def _clause_pairs(newer: Told, older: Told) -> Iterator[tuple[Clause, Clause]]:
    if chinese.written(newer.text) or chinese.written(older.text):
        return
    for new in clauses(newer.text):
        if not _firm(new):
            continue
        for old in clauses(older.text):
            if _firm(old):
                yield new, old


def _firm(clause: Clause) -> bool:
    if (
        clause.listed
        or clause.others
        or (clause.denies and not clause.turns)
        or (clause.tentative and not clause.allows)
        or clause.past
        or clause.many
        or clause.moving
        or clause.vague
    ):
        return False
    return 2 < len(clause.words) <= FIRM_WORDS_MAX


def _whole(clause: Clause, said: Told) -> frozenset[str]:
    """Everything that a clause says, but whether it is so."""
    owner = "we" if clause.we else speaker_norm(said.speaker) if clause.first else ""
    return clause.keys() | {f"{v.sort}={v.norm}" for v in clause.values} | ({f"owner={owner}"} if owner else set())
