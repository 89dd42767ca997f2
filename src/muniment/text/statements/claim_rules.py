"""Shapes of clauses that assert something of one thing, in English, German and Chinese.

A rule names the verb between a subject and its value; what no rule reads with certainty is not asserted. Rules that were
right in less than nine of ten clauses of real conversations are not here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from muniment.text.statements import nouns
from muniment.text.statements.shapes import ADVERBS
from muniment.text.statements.words import ENGLISH, GERMAN

# What may stand as a value: a name, identifier, date or number (named); a few words (words); a verb form or noun of liking
# (liked); what somebody does (doing); a thing with its article (thing); a number (number).
Kind = Literal["named", "words", "liked", "doing", "thing", "number"]


@dataclass(frozen=True, slots=True)
class Rule:
    """`shape` runs from the subject's end to the value's start.

    `bare`: the subject may also be a lower-case word without article. `attribute` is the slot, `said` how it is shown.
    """

    shape: re.Pattern[str]
    attribute: str
    said: str
    kind: Kind
    bare: bool = False
    many: bool = False
    names: bool = False
    causal: bool = False
    polarity: Literal[1, -1] = 1
    past: bool = False


# A rule a line: slot ; how it is shown ; kind of value ; flags ; shape, with _ for a space. "not": it denies its value.
# A line that begins with + goes on with the shape of the one before.
FIRST_PERSON = r"""
live ; lives in ; named ; names ; (?:_OFTEN_live|<AM>OFTEN_(?:living|based))_OFTEN_in_
origin ; comes from ; named ; names ; (?:<AM>OFTEN_|_OFTEN_come_)from_
born ; was born in ; named ; names ; _was_born_in_
grew up ; grew up in ; named ; names ; _grew_up_in_
work ; works for ; named ; names ; (?:_OFTEN_work|<AM>OFTEN_(?:working|employed))_OFTEN_(?:at|for|with)_
job ; works as ; thing ;  ; (?:_OFTEN_work|<AM>OFTEN_working)_OFTEN_as_
live ; moved to ; named ; names ; (?:_have|['’]ve)?_(?:just_|recently_)?(?:moved|relocated)_to_
partner ; is with ; named ; names ; <AM>OFTEN_(?:married|engaged)_to_
like ; likes ; liked ; many ; _OFTEN_(?:love|like|enjoy|adore)_
like ; likes ; liked ; many not ; _(?:OFTEN_hate|OFTEN_dislike|(?:really_)?don['’]t_(?:really_)?like|can['’]t_stand)_
prefer ; prefers ; liked ; many ; _OFTEN_prefer_
play ; plays ; liked ; many ; _OFTEN_play_(?:the_)?
speak ; speaks ; named ; many ; _OFTEN_speak_(?:fluent_|some_|a_little_)?
work on ; works on ; thing ; many ; <AM>OFTEN_working_on_
study ; studies ; liked ; many ; (?:_OFTEN_study|<AM>OFTEN_studying)_
allergy ; is allergic to ; words ; many ; <AM>OFTEN_allergic_to_
diet ; is ; words ; many ; <AM>OFTEN_(?:an?_)?(?=(?:vegan|vegetarian|lactose|diabetic)\b)
job ; is ; words ;  ; <AM>OFTEN_(?:an?_)(?=(?:[\w-]+_){0,2}<JOBS>\b)
has been ; has been ; doing ; many ; (?:['’]ve|_have)_(?:recently_|just_|already_|finally_)?been_(?=[a-z]+ing\b)
- ; - ; thing ; many ; (?:['’]ve|_have)?_(?:recently_|just_|already_|finally_|also_|even_)?(?P<verb><DEEDS>)_
have ; has ; thing ; many ; _(?:have|own|['’]ve_got)_(?=an?_(?:[\w-]+_)?<OWN>\b)
use ; uses ; named ; many names ; _OFTEN_use_
use ; uses ; named ; many names not ; _no_longer_use_
live ; lives in ; named ; names not ; _no_longer_live_in_
work ; works for ; named ; names not ; _no_longer_work_(?:at|for)_
live ; lives in ; named ; names past ; _used_to_live_in_
work ; works for ; named ; names past ; _used_to_work_(?:at|for)_
live ; wohnt in ; named ; names ; _(?:wohne|lebe)_(?:OFTEN_|seit_\w+_)*in_
work ; arbeitet bei ; named ; names ; _arbeite_OFTEN_(?:bei|für)_(?:der_|dem_)?
job ; arbeitet als ; words ;  ; _arbeite_OFTEN_als_
origin ; kommt aus ; named ; names ; _(?:komme|stamme)_aus_(?:der_|dem_)?
speak ; spricht ; named ; many ; _spreche_
live ; ist gezogen nach ; named ; names ; _bin_(?:nach|in_die)_
"""
OTHERS = r"""
live ; lives in ; named ; names ; (?:_OFTEN_lives|<IS>OFTEN_(?:living|based))_OFTEN_in_
origin ; comes from ; named ; names ; (?:<IS>OFTEN_|_OFTEN_comes_)from_
- ; - ; thing ; many ; (?:_has)?_(?:recently_|just_|already_|finally_|also_|even_)?(?P<verb><DEEDS>)_
born ; was born in ; named ; names ; _was_born_in_
grew up ; grew up in ; named ; names ; _grew_up_in_
work ; works for ; named ; names ; (?:_OFTEN_works|<IS>OFTEN_(?:working|employed))_OFTEN_(?:at|for|with)_
job ; works as ; thing ;  ; (?:_OFTEN_works|<IS>OFTEN_working)_OFTEN_as_
live ; moved to ; named ; names ; (?:_has)?_(?:just_|recently_)?(?:moved|relocated)_to_
partner ; is with ; named ; names ; <IS>OFTEN_(?:married|engaged)_to_
like ; likes ; liked ; many ; _OFTEN_(?:loves|likes|enjoys|adores)_
like ; likes ; liked ; many not ; _(?:OFTEN_hates|OFTEN_dislikes|doesn['’]t_(?:really_)?like)_
prefer ; prefers ; liked ; many ; _OFTEN_prefers_
play ; plays ; liked ; many ; _OFTEN_plays_(?:the_)?
speak ; speaks ; named ; many ; _OFTEN_speaks_
report ; reports to ; named ; names ; _(?:OFTEN_reports|now_reports)_to_
port ; port ; number ; bare ; (?:_OFTEN_listens_on|_OFTEN_runs_on|_is_OFTEN_running_on)_port_
run on ; runs on ; words ; bare names ; (?:_OFTEN_runs|_is_OFTEN_running|_are_OFTEN_running|_OFTEN_run)_on_
host ; is hosted on ; words ; bare names ; _(?:is|are)_OFTEN_hosted_(?:on|at|by|in)_
deploy ; is deployed to ; words ; bare names ; _(?:is|are)_OFTEN_deployed_(?:on|to|in)_
store ; is stored in ; words ; bare names ; _(?:is|are)_OFTEN_stored_(?:on|in|at)_
written in ; is written in ; named ; bare many names ; _(?:is|are)_OFTEN_written_in_
built on ; is built on ; words ; bare many names ; _(?:is|are)_OFTEN_(?:built|based|powered)_(?:with|on|by)_
use ; uses ; words ; bare many names ; _(?:OFTEN_uses|now_uses)_
use ; uses ; words ; bare many names not ; _no_longer_uses_
connect ; connects to ; words ; bare many names ; _(?:OFTEN_talks|OFTEN_connects)_to_
owner ; is owned by ; words ; bare names ; _(?:is|are)_OFTEN_owned_by_
maintainer ; is maintained by ; words ; bare names ; _(?:is|are)_OFTEN_(?:maintained|managed)_by_
lead ; is led by ; named ; bare names ; _(?:is|are)_OFTEN_led_by_
part of ; is part of ; words ; bare names ; _(?:OFTEN_belongs_to|is_OFTEN_(?:a_)?part_of)_
depend ; depends on ; words ; bare many names causal ; _(?:OFTEN_(?:depend|depends|rely|relies))_on_
depend ; requires ; words ; bare many names causal ; _OFTEN_(?:require|requires)_
cause ; caused by ; words ; bare many names causal ; <WAS>(?:partly_|mainly_)?(?:caused|triggered|blocked)_by_
cause ; due to ; words ; bare many names causal ; <WAS>(?:due_to|because_of)_
cause ; because of ; words ; bare many names causal ;
+ _(?:[a-z]+ed|broke|went_down|crashes|fails|breaks|fell_over)_(?:because_of|due_to)_
cause ; results from ; words ; bare many names causal ; _(?:results|resulted|stems|stemmed)_from_
effect ; caused ; words ; bare many names causal ; _(?:caused|causes|triggered|triggers)_
effect ; led to ; words ; bare many names causal ; _(?:(?:lead|leads|led)_to|(?:results|resulted)_in)_
live ; wohnt in ; named ; bare names ; _(?:wohnt|lebt)_(?:OFTEN_|seit_\w+_)*in_
work ; arbeitet bei ; named ; bare names ; _arbeitet_OFTEN_(?:bei|für)_(?:der_|dem_)?
job ; arbeitet als ; words ; bare ; _arbeitet_OFTEN_als_
origin ; kommt aus ; named ; bare names ; _(?:kommt|stammt)_aus_(?:der_|dem_)?
port ; port ; number ; bare ; _(?:läuft|laufen)_OFTEN_auf_Port_
run on ; läuft auf ; words ; bare names ; _(?:läuft|laufen)_OFTEN_(?:auf|unter)_(?:dem_|der_)?
use ; nutzt ; words ; bare many names ; _(?:nutzt|verwendet|benutzt)_OFTEN_
depend ; hängt ab von ; words ; bare many names causal ; _hängt_(?:direkt_)?von_(?:der_|dem_|den_)?(?=[^,.]+_ab\b)
cause ; verursacht durch ; words ; bare many names causal ;
+ _(?:wurde|wird|ist)_durch_(?:den_|die_|das_|einen_|eine_|ein_)?(?=[^,.]+_(?:verursacht|ausgelöst|blockiert)\b)
effect ; verursachte ; words ; bare many names causal ; _(?:verursachte|verursacht)_(?:den_|die_|das_|einen_|eine_|ein_)?
effect ; führte zu ; words ; bare many names causal ; _(?:führte|führt)_zu(?:m|r)?_(?:der_|dem_|einem_|einer_)?
"""
# What was done is done: these never end and never exclude each other. The verb is the slot.
DEEDS = (
    "bought adopted joined won visited finished published launched attended watched painted wrote designed founded opened sold "
    "released received completed signed_up_for volunteered_at volunteered_for graduated_from enrolled_in applied_for got_into "
    "started_working_at quit approved merged deployed rejected"
)
PARENTS = frozenset("mom dad mother father".split())  # no trade, but what one says that one is
OWN = "dog cat puppy kitten car bike house garden sister brother son daughter motorcycle boat horse studio store"


@dataclass(frozen=True, slots=True)
class Table:
    """Rules in their order. `any` matches wherever one of them does: most clauses match none, and are left with one look."""

    rules: tuple[Rule, ...]
    any: re.Pattern[str]


@cache
def first_person() -> Table:
    """What "I" and "ich" say of themselves; the shape follows the pronoun."""
    return _table(FIRST_PERSON)


@cache
def others() -> Table:
    """What is said of a name or a noun; the shape follows it."""
    return _table(OTHERS)


@cache
def needed() -> frozenset[str]:
    """Words of which every clause has one that a rule of a table reads: those of the shapes, but for the smallest."""
    shapes = " ".join(rule.shape.pattern for table in (first_person(), others()) for rule in table.rules)
    return frozenset(_words().findall(_escapes().sub(" ", shapes).lower())) - SMALL - ENGLISH.adverbs - GERMAN.adverbs


@cache
def _words() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]{2,}")


@cache
def _escapes() -> re.Pattern[str]:
    return re.compile(r"\\[a-zA-Z]|\[[^]]*\]\+?(?:ing|ed)?")


def _table(written: str) -> Table:
    rules = tuple(_rules(written))
    return Table(rules, re.compile("|".join(rule.shape.pattern.replace("(?P<verb>", "(?:") for rule in rules)))


def _rules(table: str) -> Iterator[Rule]:
    for line in table.strip().replace("\n+ ", " ").splitlines():
        attribute, said, kind, flags, shape = (part.strip() for part in line.split(" ;"))
        wanted = set(flags.split())
        yield Rule(
            shape=_shape(shape),
            attribute=attribute.removeprefix("-"),
            said=said.removeprefix("-"),
            kind=kind,  # type: ignore[arg-type]
            bare="bare" in wanted,
            many="many" in wanted,
            names="names" in wanted,
            causal="causal" in wanted,
            polarity=-1 if "not" in wanted else 1,
            past="past" in wanted,
        )


def _shape(written: str) -> re.Pattern[str]:
    parts = {
        "OFTEN_": f"(?:(?:{ADVERBS}) )*",
        "<AM>": "(?:['’]m| am) ",
        "<IS>": "(?:['’]s| is| are) ",
        "<WAS>": " (?:was|were|is|are|has been|have been) ",
        "<DEEDS>": f"(?:{DEEDS.replace(' ', '|')})",
        "<OWN>": f"(?:{OWN.replace(' ', '|')})",
        "<JOBS>": f"(?:{'|'.join(sorted(nouns.OCCUPATIONS | PARENTS))})",
    }
    for name, part in parts.items():
        written = written.replace(name, part)
    return re.compile(written.replace("_", " "))


# What people do is told to the end of the clause: a value of this sort ends only before these.
CLAUSE_ENDS = frozenset(
    """
    and or but because since so when while which that who if though although too also again lately recently already
    instead anymore these now until it's i i'm i've we he she they you as - – — 'cause cause cuz
    """.split()
)
# These tell a mood or an attempt and no doing.
STATES = frozenset(
    """
    wanting thinking feeling looking keeping trying having meaning considering dreaming hoping getting being wondering
    doing going struggling missing planning dealing making
    """.split()
)
# Words of shapes that nearly every sentence has, and that no shape does with.
SMALL = frozenset(
    "am is are was were has have in at for with to on by of as the an ve can don doesn no some into up over even little down "
    "der die das dem den ein eine einen einem einer ist wird wurde durch zu auf bei für aus ab seit verb".split()
)
# Other wordings of the slots that rules fill.
WORDINGS = {
    "live": ("lives at", "live in", "living in", "resides in", "residence", "home", "wohnort", "住"),
    "work": ("works at", "work at", "work for", "employer", "employed by", "company", "arbeitgeber"),
    "job": ("job", "profession", "occupation", "role", "beruf", "is a"),
    "origin": ("from", "is from", "origin", "comes from"),
    "cause": ("cause", "root cause", "reason", "ursache", "grund", "原因", "因为", "because"),
    "effect": ("causes", "leads to", "results in", "resulted in", "verursacht", "führt zu", "引起", "造成"),
    "depend": ("depend on", "dependency", "依赖于", "取决于"),
    "owner": ("owner", "owned by", "belongs to", "besitzer"),
    "port": ("listens on", "runs on port"),
    "use": ("use", "using", "uses"),
    "like": ("like", "loves", "love", "enjoys", "hates", "dislikes", "mag"),
    "host": ("hosted on", "host", "hosted by"),
}
