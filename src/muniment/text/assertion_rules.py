"""Shapes of clauses that assert something of one thing, in English, German and Chinese.

A rule names the verb between a subject and its value; what no rule reads with certainty is not asserted. Rules that were
right in less than nine of ten clauses of real conversations are not here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

# What may stand as a value: a name, identifier, date or number (named); a few words (words); a verb form or noun of liking
# (liked); what somebody does (doing); a thing with its article (thing); a number (number).
Kind = Literal["named", "words", "liked", "doing", "thing", "number"]


@dataclass(frozen=True, slots=True)
class Rule:
    """`shape` runs from the subject's end to the value's start. `me`: of a first person; else of a name or noun.

    `bare`: the subject may also be a lower-case word without article. `attribute` is the slot, `said` how it is shown.
    """

    shape: re.Pattern[str]
    attribute: str
    said: str
    kind: Kind
    me: bool = False
    bare: bool = False
    many: bool = False
    names: bool = False
    causal: bool = False
    polarity: Literal[1, -1] = 1
    past: bool = False


_OFTEN = r"(?:(?:currently|now|still|also|just|recently|actually|really|mostly|mainly|usually|both|always|absolutely|totally|already) )*"
_AM = r"(?:['’]m| am) "
_IS = r"(?:['’]s| is| are) "
_WAS = r" (?:was|were|is|are|has been|have been) "

# What was done is done: these never end and never exclude each other. The verb is the slot.
_DEEDS = (
    r"(?:bought|adopted|joined|won|visited|finished|published|launched|attended|watched|painted|wrote|designed|founded|opened|sold|"
    r"released|received|completed|signed up for|volunteered at|volunteered for|graduated from|enrolled in|applied for|got into|"
    r"started working at|quit|approved|merged|deployed|rejected)"
)
_JOBS = (
    r"(?:teacher|nurse|doctor|engineer|developer|programmer|designer|artist|writer|student|lawyer|counselor|therapist|dancer|musician|"
    r"manager|consultant|scientist|researcher|photographer|chef|accountant|architect|journalist|vet|mom|dad|mother|father|freelancer)"
)


def _me(shape: str, attribute: str, said: str, kind: Kind, **more: bool | int) -> Rule:
    return Rule(re.compile(shape.replace("OFTEN ", _OFTEN)), attribute, said, kind, me=True, **more)  # type: ignore[arg-type]


def _it(shape: str, attribute: str, said: str, kind: Kind, **more: bool | int) -> Rule:
    return Rule(re.compile(shape.replace("OFTEN ", _OFTEN)), attribute, said, kind, **more)  # type: ignore[arg-type]


@cache
def first_person() -> tuple[Rule, ...]:
    """What "I" and "ich" say of themselves; the shape follows the pronoun."""
    return (
        _me(rf"(?: OFTEN live|{_AM}OFTEN (?:living|based)) OFTEN in ", "live", "lives in", "named", names=True),
        _me(rf"(?:{_AM}OFTEN | OFTEN come )from ", "origin", "comes from", "named", names=True),
        _me(r" was born in ", "born", "was born in", "named", names=True),
        _me(r" grew up in ", "grew up", "grew up in", "named", names=True),
        _me(rf"(?: OFTEN work|{_AM}OFTEN (?:working|employed)) OFTEN (?:at|for|with) ", "work", "works for", "named", names=True),
        _me(rf"(?: OFTEN work|{_AM}OFTEN working) OFTEN as ", "job", "works as", "thing"),
        _me(r"(?: have|['’]ve)? (?:just |recently )?(?:moved|relocated) to ", "live", "moved to", "named", names=True),
        _me(rf"{_AM}OFTEN (?:married|engaged) to ", "partner", "is with", "named", names=True),
        _me(r" OFTEN (?:love|like|enjoy|adore) ", "like", "likes", "liked", many=True),
        _me(r" (?:OFTEN hate|OFTEN dislike|(?:really )?don['’]t (?:really )?like|can['’]t stand) ", "like", "likes", "liked", many=True, polarity=-1),
        _me(r" OFTEN prefer ", "prefer", "prefers", "liked", many=True),
        _me(r" OFTEN play (?:the )?", "play", "plays", "liked", many=True),
        _me(r" OFTEN speak (?:fluent |some |a little )?", "speak", "speaks", "named", many=True),
        _me(rf"{_AM}OFTEN working on ", "work on", "works on", "thing", many=True),
        _me(rf"(?: OFTEN study|{_AM}OFTEN studying) ", "study", "studies", "liked", many=True),
        _me(rf"{_AM}OFTEN allergic to ", "allergy", "is allergic to", "words", many=True),
        _me(rf"{_AM}OFTEN (?:an? )?(?=(?:vegan|vegetarian|lactose|diabetic)\b)", "diet", "is", "words", many=True),
        _me(rf"{_AM}OFTEN (?:an? )(?=(?:[\w-]+ ){{0,2}}{_JOBS}\b)", "job", "is", "words"),
        _me(rf"(?:['’]ve| have) (?:recently |just |already |finally )?been (?=[a-z]+ing\b)", "has been", "has been", "doing", many=True),
        _me(rf"(?:['’]ve| have)? (?:recently |just |already |finally |also |even )?(?P<verb>{_DEEDS}) ", "", "", "thing", many=True),
        _me(r" (?:have|own|['’]ve got) (?=an? (?:[\w-]+ )?(?:dog|cat|puppy|kitten|car|bike|house|garden|sister|brother|son|daughter|motorcycle|boat|horse|studio|store)\b)", "have", "has", "thing", many=True),
        _me(r" OFTEN use ", "use", "uses", "named", many=True, names=True),
        _me(r" no longer use ", "use", "uses", "named", many=True, names=True, polarity=-1),
        _me(r" no longer live in ", "live", "lives in", "named", names=True, polarity=-1),
        _me(r" no longer work (?:at|for) ", "work", "works for", "named", names=True, polarity=-1),
        _me(r" used to live in ", "live", "lives in", "named", names=True, past=True),
        _me(r" used to work (?:at|for) ", "work", "works for", "named", names=True, past=True),
        _me(r" (?:wohne|lebe) (?:jetzt |nun |derzeit |seit \w+ )*in ", "live", "wohnt in", "named", names=True),
        _me(r" arbeite (?:jetzt |nun |derzeit )*(?:bei|für) (?:der |dem )?", "work", "arbeitet bei", "named", names=True),
        _me(r" arbeite (?:jetzt |nun |derzeit )*als ", "job", "arbeitet als", "words"),
        _me(r" (?:komme|stamme) aus (?:der |dem )?", "origin", "kommt aus", "named", names=True),
        _me(r" spreche ", "speak", "spricht", "named", many=True),
        _me(r" bin (?:nach|in die) ", "live", "ist gezogen nach", "named", names=True),
    )  # fmt: skip


@cache
def others() -> tuple[Rule, ...]:
    """What is said of a name or a noun; the shape follows it."""
    return (
        _it(rf"(?: OFTEN lives|{_IS}OFTEN (?:living|based)) OFTEN in ", "live", "lives in", "named", names=True),
        _it(rf"(?:{_IS}OFTEN | OFTEN comes )from ", "origin", "comes from", "named", names=True),
        _it(rf"(?: has)? (?:recently |just |already |finally |also |even )?(?P<verb>{_DEEDS}) ", "", "", "thing", many=True),
        _it(r" was born in ", "born", "was born in", "named", names=True),
        _it(r" grew up in ", "grew up", "grew up in", "named", names=True),
        _it(rf"(?: OFTEN works|{_IS}OFTEN (?:working|employed)) OFTEN (?:at|for|with) ", "work", "works for", "named", names=True),
        _it(rf"(?: OFTEN works|{_IS}OFTEN working) OFTEN as ", "job", "works as", "thing"),
        _it(r"(?: has)? (?:just |recently )?(?:moved|relocated) to ", "live", "moved to", "named", names=True),
        _it(rf"{_IS}OFTEN (?:married|engaged) to ", "partner", "is with", "named", names=True),
        _it(r" OFTEN (?:loves|likes|enjoys|adores) ", "like", "likes", "liked", many=True),
        _it(r" (?:OFTEN hates|OFTEN dislikes|doesn['’]t (?:really )?like) ", "like", "likes", "liked", many=True, polarity=-1),
        _it(r" OFTEN prefers ", "prefer", "prefers", "liked", many=True),
        _it(r" OFTEN plays (?:the )?", "play", "plays", "liked", many=True),
        _it(r" OFTEN speaks ", "speak", "speaks", "named", many=True),
        _it(r" (?:OFTEN reports|now reports) to ", "report", "reports to", "named", names=True),
        _it(r"(?: OFTEN listens on| OFTEN runs on| is OFTEN running on) port ", "port", "port", "number", bare=True),
        _it(r"(?: OFTEN runs| is OFTEN running| are OFTEN running| OFTEN run) on ", "run on", "runs on", "words", bare=True, names=True),
        _it(r" (?:is|are) OFTEN hosted (?:on|at|by|in) ", "host", "is hosted on", "words", bare=True, names=True),
        _it(r" (?:is|are) OFTEN deployed (?:on|to|in) ", "deploy", "is deployed to", "words", bare=True, names=True),
        _it(r" (?:is|are) OFTEN stored (?:on|in|at) ", "store", "is stored in", "words", bare=True, names=True),
        _it(r" (?:is|are) OFTEN written in ", "written in", "is written in", "named", bare=True, many=True, names=True),
        _it(r" (?:is|are) OFTEN (?:built|based|powered) (?:with|on|by) ", "built on", "is built on", "words", bare=True, many=True, names=True),
        _it(r" (?:OFTEN uses|now uses) ", "use", "uses", "words", bare=True, many=True, names=True),
        _it(r" no longer uses ", "use", "uses", "words", bare=True, many=True, names=True, polarity=-1),
        _it(r" (?:OFTEN talks|OFTEN connects) to ", "connect", "connects to", "words", bare=True, many=True, names=True),
        _it(r" (?:is|are) OFTEN owned by ", "owner", "is owned by", "words", bare=True, names=True),
        _it(r" (?:is|are) OFTEN (?:maintained|managed) by ", "maintainer", "is maintained by", "words", bare=True, names=True),
        _it(r" (?:is|are) OFTEN led by ", "lead", "is led by", "named", bare=True, names=True),
        _it(r" (?:OFTEN belongs to|is OFTEN (?:a )?part of) ", "part of", "is part of", "words", bare=True, names=True),
        _it(r" (?:OFTEN depends?|OFTEN rel(?:y|ies)) on ", "depend", "depends on", "words", bare=True, many=True, names=True, causal=True),
        _it(r" (?:OFTEN requires?) ", "depend", "requires", "words", bare=True, many=True, names=True, causal=True),
        _it(rf"{_WAS}(?:partly |mainly )?(?:caused|triggered|blocked) by ", "cause", "caused by", "words", bare=True, many=True, names=True, causal=True),
        _it(rf"{_WAS}(?:due to|because of) ", "cause", "due to", "words", bare=True, many=True, names=True, causal=True),
        _it(r" (?:[a-z]+ed|broke|went down|crashes|fails|breaks|fell over) (?:because of|due to) ", "cause", "because of", "words", bare=True, many=True, names=True, causal=True),
        _it(r" (?:result(?:s|ed) from|stem(?:s|med) from) ", "cause", "results from", "words", bare=True, many=True, names=True, causal=True),
        _it(r" (?:caused|causes|triggered|triggers) ", "effect", "caused", "words", bare=True, many=True, names=True, causal=True),
        _it(r" (?:(?:leads?|led) to|result(?:s|ed) in) ", "effect", "led to", "words", bare=True, many=True, names=True, causal=True),
        _it(r" (?:wohnt|lebt) (?:jetzt |nun |derzeit |seit \w+ )*in ", "live", "wohnt in", "named", bare=True, names=True),
        _it(r" arbeitet (?:jetzt |nun |derzeit )*(?:bei|für) (?:der |dem )?", "work", "arbeitet bei", "named", bare=True, names=True),
        _it(r" arbeitet (?:jetzt |nun |derzeit )*als ", "job", "arbeitet als", "words", bare=True),
        _it(r" (?:kommt|stammt) aus (?:der |dem )?", "origin", "kommt aus", "named", bare=True, names=True),
        _it(r" (?:läuft|laufen) (?:jetzt |nun |derzeit )*auf Port ", "port", "port", "number", bare=True),
        _it(r" (?:läuft|laufen) (?:jetzt |nun |derzeit )*(?:auf|unter) (?:dem |der )?", "run on", "läuft auf", "words", bare=True, names=True),
        _it(r" (?:nutzt|verwendet|benutzt) (?:jetzt |nun |derzeit )*", "use", "nutzt", "words", bare=True, many=True, names=True),
        _it(r" hängt (?:direkt )?von (?:der |dem |den )?(?=[^,.]+ ab\b)", "depend", "hängt ab von", "words", bare=True, many=True, names=True, causal=True),
        _it(r" (?:wurde|wird|ist) durch (?:den |die |das |einen |eine |ein )?(?=[^,.]+ (?:verursacht|ausgelöst|blockiert)\b)", "cause", "verursacht durch", "words", bare=True, many=True, names=True, causal=True),
        _it(r" (?:verursachte|verursacht) (?:den |die |das |einen |eine |ein )?", "effect", "verursachte", "words", bare=True, many=True, names=True, causal=True),
        _it(r" (?:führte|führt) zu(?:m|r)? (?:der |dem |einem |einer )?", "effect", "führte zu", "words", bare=True, many=True, names=True, causal=True),
    )  # fmt: skip


# Nouns of which somebody or something has one: "my NOUN is X", "the NOUN of Y is X".
SINGLE = frozenset(
    """
    address age alias backend bank birthday birthplace board boss branch broker browser bucket budget cache capital captain category
    ceo cfo chair city client cloud coach code codename color colour contact country cto currency customer database deadline default
    dentist director doctor domain editor email employer encoding endpoint engine format framework frontend gateway goal gym
    headquarters height hometown host hostname id ide interval job key landlord language latency lead leader library licence license
    limit location maintainer major manager model name nickname office orm os owner password path phone platform port position price
    priority protocol provider proxy queue rate region release repo repository retention reviewer room runtime salary schedule scheduler
    schema server shell size sponsor stack start status supplier surname target teacher team theme threshold timeout timezone title
    tool topic type url user username vendor venue version website weight zone
    abgabetermin adresse alter anbieter arbeitgeber ansprechpartner ansprechpartnerin beruf besitzer budget chef chefin datenbank
    farbe format frist geburtstag hausarzt kunde leiter leiterin leitung lieferant limit name ort passwort preis projektleiter
    projektleiterin raum server sprache stadt termin titel vermieter version währung zahnarzt zeitzone
    """.split()
)
KIN = frozenset(
    "dog cat puppy kitten pet horse son daughter wife husband sister brother mother father mom mum dad friend partner girlfriend "
    "boyfriend cousin aunt uncle grandma grandpa roommate hund katze sohn tochter frau mann schwester bruder mutter vater freund "
    "freundin partnerin".split()
)
COUNTED = frozenset(
    "kids children sons daughters brothers sisters siblings dogs cats pets kinder söhne töchter brüder schwestern".split()
)
QUALIFIERS = frozenset(
    "staging production prod development dev test testing eu us uk apac ios android windows linux macos produktion".split()
)
# A clause that holds one of these before its value says what may be, should be or was only thought.
UNSURE = frozenset(
    "if whether maybe perhaps might could would should may hope wish think guess suppose probably imagine almost unless until wants want "
    "wanna gonna planning plan considering thinking never hardly when once dream dreamed feel feels sounds like_to wonder believe "
    "wenn falls ob vielleicht könnte sollte würde möchte hoffe glaube denke wohl wahrscheinlich nie".split()
)
# No value begins with these.
NO_VALUE = frozenset(
    """
    it that this these those there here you your yours me my mine him his her hers us our ours them their theirs what how who whom
    which when where why so too very really just not no to be being been one ones some any all every each both other another same such
    more most less least much many lot lots bit thing things stuff something anything everything nothing someone everyone anyone
    getting going having doing seeing hearing knowing that's it's as at by for from in into of on off out over up with well better
    good great nice new old way idea sound look kind sort top own his/her even like
    es das dies diese dieser sie ihn ihm ihr ihnen mich dich uns euch nicht sehr so zu
    """.split()
)
# A value ends before these.
BOUNDARY = frozenset(
    """
    and or but because since so when while which that who whom where with for from to at as if though although now these by in on
    than after before during until till about around over under without within through via per last this next yesterday today
    tomorrow tonight again too also anymore currently lately recently already together right instead rather just is are was were
    has have had did does do can will would could should and/or ago then every each my our your his her their its it's i i'm i've we
    we're it he she they you not only even still yet - – — myself himself herself
    und oder aber weil da seit wenn während welche welcher dass wo mit für von zu nach auf bei als um über unter ohne durch ab
    verursacht ausgelöst blockiert ist sind war gezogen jetzt nun heute gestern
    """.split()
)
# What people do is told to the end of the clause: a value of this sort ends only before these.
CLAUSE_ENDS = frozenset(
    "and or but because since so when while which that who if though although too also again lately recently already instead anymore "
    "these now until it's i i'm i've we he she they you as - – — 'cause cause cuz".split()
)
# These tell a mood or an attempt and no doing.
STATES = frozenset(
    "wanting thinking feeling looking keeping trying having meaning considering dreaming hoping getting being wondering doing going "
    "struggling missing planning dealing making".split()
)
# What a value with one of these names is only clear from what was said before.
POINTING = frozenset(
    "it this that these those them him her they he she one ones here there something anything everything".split()
)
# The nouns of SINGLE whose values are lower-case words.
LOWER = frozenset(
    "database language framework editor format branch status theme color colour encoding protocol tool stack engine backend frontend "
    "orm library runtime shell broker cache queue farbe sprache datenbank format".split()
)
# Words before what is asserted that add nothing to it.
LEADS = re.compile(
    r"(?:(?:yeah|yes|yep|yup|well|so|and|but|also|oh|wow|hey|hi|btw|by the way|fyi|note|update|actually|currently|now|today|ok|okay|"
    r"sure|haha|lol|honestly|personally|anyway|these days|nowadays|ja|also|und|aber|übrigens|hinweis|info)\b[,!:–-]*+ ++)*+"
    r"(?:[-*•] |\d{1,2}[.)] )?",
    re.IGNORECASE,
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
