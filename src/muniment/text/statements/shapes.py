"""Shapes of clauses that say a change or a relation in words: "from X to Y", "no longer X", "lives in X", by language.

Always true here: a shape starts from a word that its `needs` name, and every repetition in it is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from muniment.text.statements.nouns import OCCUPATIONS
from muniment.text.statements.words import BOUNDS, ENGLISH, GERMAN, PRONOUNS


def _either(words: Iterable[str]) -> str:
    return "|".join(sorted(re.escape(word) for word in words if word[-1].isalpha()))


# A value in words: a few words without punctuation that ends a thought. It ends before what bounds one, and begins with no
# such word either; a pronoun may stand for it, so that a shape is known for what it is.
_WORD = r"[^\s,.;:!?()→]++(?:[.:](?=\w)[^\s,.;:!?()→]++)*"
_NP = (
    rf"(?:(?<!\w)(?!(?:{_either(BOUNDS - PRONOUNS)})\b)(?:(?:Mrs?|Ms|Dr|Prof|St|Fr|Hr)\. )?{_WORD}"
    rf"(?: (?!(?:{_either(BOUNDS | {'of'})})\b){_WORD}){{0,4}}+)"
)

ADVERBS = _either(ENGLISH.adverbs | GERMAN.adverbs)
_ADVERB = rf"(?:(?:{ADVERBS}|seit \w+) )*"
# Verbs of change in all forms but those of "-ing", and those of them that people say of what they use.
CHANGED = (
    r"(?:mov|switch|migrat|chang|upgrad|downgrad|transition|convert|port|rais|increas|bump|lower|reduc|decreas|cut|push|"
    r"postpon|reschedul|shift|renam|transferr|relocat|updat|extend|shorten|went|gone|swapp|drop|brought|delay"
    r"|adjust|set|grew|rose|fell|reassign|hand|promot|flip|correct|fix|revis)(?!\w*ing\b)\w*"
)
SWITCHED = "moved|switched|migrated|transitioned|converted|ported|changed"


@dataclass(frozen=True, slots=True)
class Rule:
    """`needs`: the clause holds one of these words, or the shape is not tried. `relation` names the slot in words.

    Most shapes are never tried by a process, and compiling all of them takes a tenth of a second: each is compiled when it is.
    """

    written: str
    needs: frozenset[str]
    relation: str = ""

    @property
    def shape(self) -> re.Pattern[str]:
        return _compiled(self.written)


@cache
def _compiled(written: str) -> re.Pattern[str]:
    return re.compile(written.replace("NP", _NP), re.IGNORECASE)


def _rule(needs: str, shape: str, relation: str = "") -> Rule:
    return Rule(shape, frozenset(needs.split()), relation)


@cache
def changes() -> tuple[Rule, ...]:
    """Shapes that name what held before, what holds from now on, or both."""
    return (*_from_to(), *_in_place_of(), *_german_changes())


_ARTICLE = r"(?:the |our |a |an |my )?"


def _from_to() -> tuple[Rule, ...]:
    moved = (
        r"(?<!\bthe )(?<!\ba )(?<!\ban )(?<!['’]s )(?<!\bof )(?<!\bthis )(?<!\bour )(?<!\bits )(?<!\bin )(?<!\bto )(?<!\bfor )"
        rf"{CHANGED}"
    )
    return (
        _rule(
            "from",
            rf"\b{moved}\b[^.;]{{0,60}}?\bfrom {_ARTICLE}(?P<old>NP),? (?:over |back )?(?:to|into) {_ARTICLE}(?P<new>NP)",
            "use",
        ),
        _rule("from", rf"\bfrom {_ARTICLE}(?P<old>NP) (?:over )?to {_ARTICLE}(?P<new>NP)[^.;]{{0,40}}?\b{moved}\b", "use"),
        _rule(
            "to",
            rf"\b{moved}\b(?:[^.;]{{0,30}}?) (?:over )?to {_ARTICLE}(?!be\b)(?P<new>NP),? (?:from|away from|instead of) "
            rf"{_ARTICLE}(?P<old>NP)",
            "use",
        ),
    )


def _in_place_of() -> tuple[Rule, ...]:
    return (
        _rule(
            "replaced replace replaces swapped swap swaps traded ditched dropped abandoned",
            rf"\b(?:replaced|replaces?|swapped(?: out)?|swaps?(?: out)?|traded(?: in)?|ditched|dropped|abandoned) "
            rf"{_ARTICLE}(?P<old>NP)(?: (?:in|on|at|of) [^.;,]{{1,30}}?)? (?:with|by|for|in favou?r of) {_ARTICLE}(?P<new>NP)",
            "use",
        ),
        _rule(
            "replaced",
            rf"^{_ARTICLE}(?P<old>NP) (?:was|were|has been|have been|is|got|is being) (?:now |recently )?replaced (?:with"
            rf"|by) {_ARTICLE}(?P<new>NP)",
            "use",
        ),
        _rule(
            "replaces replaced supersedes superseded",
            rf"^{_ARTICLE}(?P<new>NP) (?:has |have |now )?"
            rf"(?:replaces?|replaced|supersedes?|took over from) {_ARTICLE}(?P<old>NP)",
            "use",
        ),
        _rule("renamed called", rf"\brenamed {_ARTICLE}(?P<old>NP) (?:to|into|as) {_ARTICLE}(?P<new>NP)", "name"),
        _rule(
            "renamed called",
            rf"^{_ARTICLE}(?P<old>NP) (?:(?:was|has been|got|were) (?:recently |officially )*(?:renamed|rebranded)(?: to| as"
            rf"| into)?|is now (?:called|named)) {_ARTICLE}(?P<new>NP)",
            "name",
        ),
        _rule(
            "instead",
            rf"\b(?:use|uses|using|on|to|at|in|with|is|are|have|has|run|runs|take|takes|drink|drinks|eat|eats|booked"
            rf"|chose|picked|hired|bought|got) (?:now )?{_ARTICLE}(?P<new>NP) (?:now )?instead of "
            rf"{_ARTICLE}(?!\w+ing\b)(?P<old>NP)",
            "use",
        ),
        _rule(
            "rather",
            rf"\b(?:use|uses|using|on|is|are) (?:now )?{_ARTICLE}(?P<new>NP),? rather than {_ARTICLE}(?!\w+ing\b)(?P<old>NP)",
            "use",
        ),
        _rule(
            "not isn't aren't",
            r"(?:\bnot|\b(?:is|are)n['’]t) (?:on |at |in |a |the |with )?(?P<old>NP),? but (?:rather )?(?:on |at |in "
            r"|a |the |with )?(?P<new>NP)",
            "be",
        ),
        _rule(
            "not",
            r"(?!is\b|are\b|do\b|does\b|am\b)(?P<new>NP),? (?:and )?not (?:on |at |in |a |an |the |with |from "
            r")?(?P<old>NP)(?=[.,!;]|$)",
            "be",
        ),
        _rule(
            "not isn't aren't",
            r"(?:\bnot|\b(?:is|are)n['’]t) (?:on |at |in |a |the )?(?P<old>NP)[,;:–-]+ ?(?:it['’]s|it is|that['’]s"
            r"|they['’]re|he['’]s|she['’]s|rather) (?:on |at |in |a |the )?(?P<new>NP)",
            "be",
        ),
    )


def _german_changes() -> tuple[Rule, ...]:
    return (
        _rule(
            "von", r"\bvon (?:der |dem |den )?(?P<old>NP) (?:auf|zu|zur|zum|nach|in) (?:die |der |den |das )?(?P<new>NP)", "use"
        ),
        _rule(
            "statt anstatt",
            r"\b(?:mit|bei|auf|in|nutzen|nutze|verwenden|ist|sind|am|um|über) (?:wir |ich )?(?:jetzt |nun )?(?:der "
            r"|dem |den |die |das )?"
            r"(?P<new>NP) (?:anstatt|statt)(?: bisher| wie bisher)? (?:mit |bei |auf |in |über |an |am |um )?(?P<old>NP)",
            "use",
        ),
        _rule(
            "statt anstatt",
            r"(?P<new>NP) (?:anstatt|statt)(?: bisher| wie bisher)? (?:mit |bei |auf |in |über |an )?(?P<old>NP)",
            "use",
        ),
        _rule(
            "statt anstatt",
            r"\b(?:statt|anstatt) (?P<old>NP),? (?:nutzen|verwenden|benutzen|haben|nehmen|setzen|gilt) (?:wir|ich)?(?: "
            r"jetzt| nun)?(?: auf)? (?P<new>NP)",
            "use",
        ),
        _rule(
            "sondern",
            r"\bnicht (?:mehr )?(?:am |um |in |auf |bei |die |der |das |den )?(?P<old>NP),? sondern (?:jetzt |nun "
            r")?(?:am |um |in |auf |bei |die |der |das |den )?(?P<new>NP)",
            "be",
        ),
        _rule(
            "nicht",
            r"(?!ist\b|sind\b|hat\b)(?P<new>NP),? (?:und )?nicht (?:um |am |in |auf |bei |der |die |das "
            r")?(?!mehr\b)(?P<old>NP)(?=[.,!;]|$)",
            "be",
        ),
        _rule(
            "ersetzt abgelöst",
            r"(?P<old>NP) (?:wurde|ist|wird|haben wir|habe ich) (?:jetzt |nun |inzwischen )?durch (?:die |den |das "
            r")?(?P<new>NP) (?:ersetzt|abgelöst)",
            "use",
        ),
        _rule("umbenannt heißt", r"(?P<old>NP) (?:wurde|ist|heißt) (?:jetzt |nun )?(?:in )?(?P<new>NP)(?: umbenannt)$", "name"),
    )


@cache
def arrows() -> re.Pattern[str]:
    return re.compile(rf"(?P<old>[^\s→]{{1,60}}) ?(?:->|→|=>|➜) ?(?P<new>{_NP})")


@cache
def settings() -> tuple[Rule, ...]:
    """Shapes that name what holds from now on only: "moved to Thursday", "switched to B"."""
    moved = rf"(?:{SWITCHED}|upgraded|went|gone|relocated)"
    return (
        _rule(
            SWITCHED.replace("|", " "),
            rf"^(?:\S+ ){{0,3}}?(?:we|i|we've|i've|team|everyone|we’ve|i’ve) (?:have |all |finally |just |recently "
            rf"|also )*{moved} (?:over )?(?:entirely |completely |fully |back )?(?:to|onto) (?:the |a )?(?P<new>NP)",
            "use",
        ),
        _rule(
            "umgestiegen gewechselt migriert umgestellt",
            r"\b(?:auf|zu|zur|zum) (?P<new>NP) (?:umgestiegen|gewechselt|migriert|umgestellt)",
            "use",
        ),
    )


@cache
def endings() -> tuple[Rule, ...]:
    """Shapes that say that something holds no more."""
    return (*_english_endings(), *_german_endings())


def _english_endings() -> tuple[Rule, ...]:
    return (
        _rule(
            "longer",
            r"\b(?:no|not) (?:any )?longer (?P<verb>[a-z]+(?:s|ing)?) (?:the |our |a |an |my |any |in |on |at |with "
            r"|for )?(?P<old>NP)",
            "end",
        ),
        _rule(
            "longer",
            r"\b(?:is|are|am|'m|'s|'re) no longer (?:the |our |a |an |my |in |on |at |with |for )?(?P<old>NP)",
            "end",
        ),
        _rule(
            "anymore more any",
            r"\b(?:do|does|is|are|am)(?:n['’]t| not) (?P<verb>[a-z]+) (?:the |our |a |an |my |any |in |on |at |with "
            r"|for )?(?P<old>NP) any ?more",
            "end",
        ),
        _rule(
            "anymore more any",
            r"\b(?:is|are|am|'m)(?:n['’]t| not) (?:the |our |a |an |my |in |on |at |with |for )?(?P<old>NP) any ?more",
            "end",
        ),
        _rule(
            "stopped quit",
            r"\b(?:stopped|quit) (?P<verb>[a-z]+ing) (?:the |our |a |an |my |any |in |on |at |with |for |to )?(?P<old>NP)",
            "end",
        ),
    )


def _german_endings() -> tuple[Rule, ...]:
    return (
        _rule(
            "mehr",
            r"\b(?P<verb>nutzen|benutzen|verwenden|nutze|benutze|verwende|haben|habe|esse|trinke|rauche|nehme|nehmen"
            r"|brauchen|betreiben|unterstützen) (?:wir |ich )?(?:das |die |den |der )?(?P<old>NP) nicht mehr",
            "end",
        ),
        _rule(
            "mehr",
            r"\b(?P<verb>nutzen|benutzen|verwenden|nutze|benutze|verwende|haben|habe|esse|trinke|nehme|nehmen|brauchen"
            r"|betreiben|unterstützen) (?:wir |ich )?(?:jetzt |ab jetzt |nun )?kein(?:e|en)? (?P<old>NP) mehr",
            "end",
        ),
        _rule(
            "mehr",
            r"\b(?:ist|sind|bin) (?:jetzt |nun )?nicht mehr (?:in |bei |auf |am |im |der |die |das )?(?P<old>NP)",
            "end",
        ),
        _rule(
            "mehr",
            r"\b(?P<verb>wohne|arbeite|wohnt|arbeitet|lebe|lebt) (?:jetzt )?nicht mehr (?:in |bei |für |als )(?P<old>NP)",
            "end",
        ),
    )


# Relations that one thing has to one other at a time, and the shape of what they are said with.
_SUBJECT = r"(?P<subject>(?:[^\s,.;:!?]++ ){1,6}?)"
_RELATIONS = (
    (
        "live lives living moved relocated based",
        rf"(?:(?:have |has |'ve |'s )?(?:just |recently |now )?(?:moved|relocated)(?: back)? to|{_ADVERB}(?:live"
        rf"|lives) {_ADVERB}in|(?:am |is |are ){_ADVERB}(?:living|based) {_ADVERB}in)",
        "live",
    ),
    (
        "work works working joined employed",
        rf"(?:{_ADVERB}(?:work|works) {_ADVERB}(?:at|for)|(?:am |is |are |'m |'s ){_ADVERB}(?:working|employed) "
        rf"{_ADVERB}(?:at|for|by)|(?:have |has |'ve )?(?:just |recently )?joined)",
        "work",
    ),
    (
        "work works working",
        rf"(?:{_ADVERB}(?:work|works) {_ADVERB}as|(?:am |is |are |'m |'s ){_ADVERB}working {_ADVERB}as)",
        "job",
    ),
    ("report reports", rf"{_ADVERB}reports? {_ADVERB}to", "report"),
    (
        "study studies studying enrolled",
        rf"(?:{_ADVERB}(?:study|studies)|(?:am |is |'m |'s ){_ADVERB}(?:studying|enrolled)) {_ADVERB}at",
        "study",
    ),
    ("runs run running", rf"{_ADVERB}(?:runs|run|is running|are running) {_ADVERB}on", "run on"),
    (
        "rewritten",
        rf"(?:was |were |is |are |been ){_ADVERB}rewritten {_ADVERB}in",
        "written",
    ),
    (
        "hosted stored deployed located written built managed owned maintained handled led powered backed served kept "
        "running saved installed",
        rf"(?:am |is |are ){_ADVERB}(?P<how>hosted|stored|deployed|located|written|built|managed|owned|maintained"
        rf"|handled|led|powered|backed|served|kept|saved|installed) {_ADVERB}(?:on|at|in|by|with|to|from|using|via)",
        "",
    ),
    ("called named", rf"(?:am |is |are ){_ADVERB}(?:called|named)", "name"),
    ("points point", rf"{_ADVERB}points? {_ADVERB}(?:to|at)", "point"),
    ("prefer prefers", rf"{_ADVERB}prefers? {_ADVERB}", "prefer"),
    ("go goes", rf"{_ADVERB}(?:go|goes) {_ADVERB}(?:through|to|via)(?= (?:the |a )?(?-i:[A-ZÀ-Þ]))", "go"),
    ("drive drives", rf"{_ADVERB}drives? {_ADVERB}", "drive"),
    ("dating married engaged", rf"(?:am |is |'m |'s ){_ADVERB}(?:dating|married to|engaged to)", "partner"),
    ("wohne wohnt wohnen lebe lebt", rf"(?:wohne|wohnt|wohnen|lebe|lebt) {_ADVERB}(?:ich |wir )?{_ADVERB}in", "live"),
    ("arbeite arbeitet", rf"(?:arbeite|arbeitet) {_ADVERB}(?:ich )?{_ADVERB}(?:bei|für)", "work"),
    ("arbeite arbeitet", rf"(?:arbeite|arbeitet) {_ADVERB}(?:ich )?{_ADVERB}als", "job"),
    ("läuft laufen", rf"(?:läuft|laufen) {_ADVERB}(?:auf|unter)", "run on"),
    ("liegt liegen", rf"(?:liegt|liegen) {_ADVERB}(?:auf|in|bei|unter|im)", "store"),
    ("heißt", rf"heißt {_ADVERB}", "name"),
    ("gehostet gespeichert", rf"(?:wird|werden|ist|sind) {_ADVERB}(?:auf|in|bei) (?=\S+ (?:gehostet|gespeichert))", "store"),
)


@cache
def relations() -> tuple[Rule, ...]:
    """Shapes that say what one thing is to another, one at a time."""
    article = r"(?:the |a |an |our |my |der |die |das |den |dem |einem |einer )?"
    return tuple(
        _rule(needs, rf"{_SUBJECT}{_ADVERB}(?P<said>{shape.strip()}) *{_ADVERB}{article}(?P<new>NP)", relation)
        for needs, shape, relation in _RELATIONS
    )


@cache
def purposes() -> re.Pattern[str]:
    """ "We use X for Y": the purpose is the slot."""
    return re.compile(
        rf"(?P<subject>(?:[^\s,.;:!?]++ ){{1,5}}?){_ADVERB}(?:use|uses|are using|is using|'re using|nutzen|nutzt|nutze"
        rf"|verwenden|verwende|verwendet) "
        rf"(?:wir |ich )?{_ADVERB}(?P<new>{_NP}) "
        rf"(?P<said>as (?:our|the|my|its|their) |for |für |zum |zur |als )(?P<what>{_NP})",
        re.IGNORECASE,
    )


@cache
def being() -> re.Pattern[str]:
    """ "The NOUN of the thing is X"."""
    return re.compile(
        rf"(?:(?:now|and|so|ok|okay|correction|update|no|sorry|actually|nein|korrektur)[,:]? "
        rf")*(?P<subject>[^,;:!?]{{2,80}}?)(?: is| are| ist| sind| heißt|(?<=\bit)['’]s) {_ADVERB}(?:the |der |die "
        rf"|das )?(?P<new>{_NP})",
        re.IGNORECASE,
    )


@cache
def placed() -> re.Pattern[str]:
    """ "Our office is in Hamburg": a thing, for people come and go."""
    return re.compile(
        rf"(?:(?:now|and|so|ok|no|sorry|actually|nein)[,:]? )*(?P<subject>(?:the|our|my|der|die|das|unser|unsere|mein"
        rf"|meine) [^,;:!?]{{2,40}}?) (?:is|are|ist|sind|liegt) {_ADVERB}(?:located )?(?:in|at|on|im|am|auf)(?: the| "
        rf"dem| der)? (?P<new>{_NP})",
        re.IGNORECASE,
    )


@cache
def holding() -> re.Pattern[str]:
    """ "Jonas Weber is the NOUN of the thing"."""
    name = r"(?-i:[A-ZÀ-Þ][\w’'-]*)"
    return re.compile(
        rf"(?:(?:now|and|so|ok|okay|correction|update|no|sorry|actually|nein|korrektur)[,:]? )*(?P<new>(?:(?:Frau|Herr"
        rf"|Dr\.?|Mr\.?|Mrs\.?|Ms\.?) )?{name}(?: {name}){{0,2}}) (?:is|ist) {_ADVERB}(?:the|our|der|die|unser|unsere) "
        rf"(?:new |neue |neuer )?(?P<what>[^,;:!?]{{3,60}})",
        re.IGNORECASE,
    )


@cache
def owning() -> tuple[Rule, ...]:
    """ "Anna owns the thing now": of such a relation the value comes first. `old`: whose it was before."""
    name = r"(?-i:[A-ZÀ-Þ][\w’'-]*(?: [A-ZÀ-Þ][\w’'-]*){0,2})"
    what = r"(?P<what>[^\s,.;:!?]++(?: (?!(?:now|not|from|again|over|to|as|and|or)\b)[^\s,.;:!?]++){0,4})"
    since = r"(?:(?:from|as of|since|starting) (?:now on|now|today|tomorrow|yesterday|\w+day),? )?"
    old = rf"(?:,? (?:not|instead of|from) (?P<old>{name}))?"
    tail = rf"(?: (?:now|again|from now on|as of now))?{old}[.!]*$"
    return (
        _rule("owns", rf"{since}(?P<new>{name}) {_ADVERB}(?P<said>owns) {what}{tail}", "owner"),
        _rule(
            "takes took taken", rf"(?P<new>{name}) (?:has )?{_ADVERB}(?P<said>(?:takes|took|taken) over) {what}{tail}", "owner"
        ),
        _rule(
            "charge responsible",
            rf"(?P<new>{name}) is {_ADVERB}(?P<said>(?:in charge of|responsible for)) {what}{tail}",
            "lead",
        ),
        _rule("leads", rf"(?P<new>{name}) {_ADVERB}(?P<said>leads) {what}{tail}", "lead"),
        _rule("leitet", rf"(?P<new>{name}) (?P<said>leitet) {_ADVERB}(?:das |den |die )?{what}[.!]*$", "lead"),
        _rule(
            "zuständig verantwortlich",
            rf"(?P<new>{name}) (?P<said>ist) {_ADVERB}für (?:das |den |die )?"
            r"(?P<what>(?:[^\s,.;:!?]+ ){1,4}?)(?:zuständig|verantwortlich)[.!]*$",
            "lead",
        ),
        _rule("belongs", rf"{what} {_ADVERB}(?P<said>belongs to) (?P<new>{name}){tail}", "owner"),
        _rule("handed", rf"(?:\S+ ){{1,2}}?(?P<said>handed) {what} over to (?P<new>{name}){tail}", "owner"),
    )


@cache
def working() -> re.Pattern[str]:
    """ "Marek is now an engineer": what somebody is by trade, the last word."""
    trades = "|".join(sorted(OCCUPATIONS))
    return re.compile(
        r"(?P<subject>(?-i:[A-ZÀ-Þ][\w’'-]*(?: [A-ZÀ-Þ][\w’'-]*)?|I))"
        rf"(?P<said>(?: is| am|['’]m|['’]s) {_ADVERB}(?:a |an |our |the ))"
        rf"(?P<new>(?:[^\s,.;:!?]+ ){{0,3}}?(?:{trades}))(?= now\b|[.,!;]|$)",
        re.IGNORECASE,
    )


@cache
def renewing() -> tuple[Rule, ...]:
    """Shapes that name a noun of which there is one and its new holder: "has a new owner: X", "moved its database to X"."""
    return (
        _rule(
            "new",
            rf"{_SUBJECT}(?P<said>(?:has|have|got|gets) (?:a |an |our )?new) (?P<noun>[^\W\d_]+)"
            rf"(?::| –|, namely|,) (?P<new>{_NP})",
        ),
        _rule(
            "switched moved changed migrated switches moves changes migrates",
            rf"{_SUBJECT}(?P<said>(?:switched|moved|changed|migrated|switches|moves|changes|migrates)) "
            rf"(?:its|their|our|the|my) (?P<noun>[^\W\d_]+)(?: (?:of|for) [^.;,]{{1,30}}?)? (?:over )?to (?P<new>{_NP})",
        ),
    )


@cache
def making() -> Rule:
    """ "We wrote the gateway in Go": told of the past, and so ever since."""
    return _rule(
        "wrote rewrote built implemented",
        rf"(?:\S+ ){{1,2}}?(?P<said>(?:wrote|rewrote|built|implemented)) (?:the |our )(?P<what>{_NP}) in (?P<new>{_NP})",
        "written",
    )


@cache
def goes_on() -> re.Pattern[str]:
    """Where a clause goes on with something else."""
    return re.compile(
        r", | (?:and|so that|because|but|und|weil|damit|when|while|after the|after a|due to|thanks to|since|following"
        r"|wegen|seit|nach dem|nach der) ",
        re.IGNORECASE,
    )


@cache
def joins() -> re.Pattern[str]:
    """What stands between an attribute and whose it is."""
    return re.compile(r" (?:of|for|in|von|vom|für|des|der)(?: the| our| my| der| dem| den| die| das)? ", re.IGNORECASE)


@cache
def since() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:since|as of|starting|effective|seit|ab|from|seit dem|as from|until|bis)(?: the| dem)? \Z", re.IGNORECASE
    )
