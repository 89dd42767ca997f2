"""What a question says about itself: whom it asks about, whose words, what it quotes and which identifiers it names.

Always true here: these are shapes of the question alone, with the names of a session given by the caller; an unbalanced
quote is ordinary text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal

from muniment.text.names import names as names_of
from muniment.text.nicknames import SHORT_FORMS
from muniment.text.scripts import paired
from muniment.text.stems import stem
from muniment.text.terms import is_stop

# Speakers that are parts in a chat, not people.
ROLES = frozenset("user human assistant ai system tool model bot agent developer function".split())
# Words by which somebody speaks of himself.
FIRST_PERSON = tuple(
    "I me my mine we us our ich mich mir mein meine wir uns unser je me mon ma mes nous yo mi nosotros 我 我们 俺 私".split()
)
SHORT_LENGTHS = (3, 4)  # letters of a short form that is the beginning of a name ("Mel", "Caro")
QUOTED_MAX = 200
FOUND_MAX = 50  # quotes, identifiers or names of one question
HEADLINE_MIN, HEADLINE_SHARE = 5, 0.7  # from so many words on, with so many capitals, a capital says nothing


def named(query: str, names: Sequence[str]) -> list[str]:
    """Those of the names that the question names: in full, by first or last name, or by a clear short form."""
    words = set(_words().findall(query))
    lowered = {word.lower() for word in words}
    capitals = {word.lower() for word in words if word[0].isupper()}
    return [name for name in names if name.strip() and _is_named(query.lower(), name, lowered, capitals)]


def _is_named(query: str, name: str, lowered: set[str], capitals: set[str]) -> bool:
    parts = _words().findall(name.lower())
    if not parts:
        return name.lower() in query
    if paired().search(name):
        return name.lower() in query
    first, last = parts[0], parts[-1]
    if first in lowered or (len(parts) > 1 and len(last) > 2 and last in lowered and not is_stop(stem(last))):
        return True
    return not capitals.isdisjoint(_short_forms(first))


def _short_forms(first: str) -> frozenset[str]:
    """A lower-case "car" is not Caroline, so these count only with a capital."""
    cuts = frozenset(first[:size] for size in SHORT_LENGTHS) if len(first) > max(SHORT_LENGTHS) else frozenset()
    return cuts | SHORT_FORMS.get(first, frozenset())


def without_names(query: str, names: Sequence[str]) -> str:
    """The question without those names: what is asked, not of whom. The question itself when nothing else remains."""
    parts = {part for name in names for part in (name.strip(), *name.split()) if part and not is_stop(stem(part.lower()))}
    if not parts:
        return query
    left = query
    spaced = sorted((part for part in parts if not paired().search(part)), key=len, reverse=True)
    if spaced:
        left = re.sub(rf"(?<!\w)(?:{'|'.join(map(re.escape, spaced))})(?:['’]s?)?(?!\w)", " ", left, flags=re.IGNORECASE)
    for part in sorted(parts.difference(spaced), key=len, reverse=True):
        left = left.replace(part, " ")
    left = " ".join(left.split())
    return left if _words().search(left) else query


@cache
def _words() -> re.Pattern[str]:
    return re.compile(r"\w+")


def asks_number(query: str) -> bool:
    """Whether a question asks for a number."""
    return _asks_number().search(query) is not None


def asks_name(query: str) -> bool:
    """Whether a question asks for a person or a place: its answer is most likely a proper name."""
    return _asks_name().search(query) is not None


def property_asked(query: str) -> str:
    """The property that a question names: "uptime" of "What is the uptime of the cache?" and of "the cache's uptime"; or ""."""
    found = _property().search(query)
    return next((part for part in found.groups() if part), "") if found else ""


@cache
def _property() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:what|which) (?:is|was|are|were) the (\w+(?:[ -]\w+)?) of\b"
        r"|\b(?:what|when|which) (?:is|was|are|were) \w+['’]s (\w+(?:[ -]\w+)?)\W*$"
        r"|\bwas ist (?:der|die|das) (\w+) (?:von|des|der)\b",
        re.IGNORECASE,
    )


def holds_number(text: str) -> bool:
    """Whether a text holds a number, in digits or in a plain word."""
    return _number().search(text) is not None


@cache
def _number() -> re.Pattern[str]:
    return re.compile(
        r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twice|dozens?|hundreds?|thousands?|half"
        r"|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|hundert|tausend"
        r"|deux|trois|quatre|cinq|huit|neuf|dix|cent|mille|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|cien|mil)\b"
        r"|[二两三四五六七八九十百千]",
        re.IGNORECASE,
    )


@cache
def _asks_number() -> re.Pattern[str]:
    return re.compile(
        r"\bhow (?:many|much|old|long|often|far|tall|high|big|large|heavy|deep|fast)\b"
        r"|\b(?:port|number|price|cost|costs|amount|budget|age|version|percentage|rate|size|limit|threshold)\b"
        r"|\bwie (?:viele?|alt|lange|oft|weit|groß|hoch|schwer|teuer)\b|\b(?:preis|anzahl|nummer|betrag|höhe)\b"
        r"|\bcombien\b|\bquel (?:âge|prix|numéro|montant)\b|\bcuánt[oa]s?\b|\bqué (?:edad|precio|número)\b"
        r"|\bquant[oa]s?\b|\bсколько\b|多少|几[个人次年月天岁]|幾|いくつ|いくら|何[人個回歳年]",
        re.IGNORECASE,
    )


@cache
def _asks_name() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:who|whose|whom|where)\b|\b(?:which|what) (?:city|town|country|place|person|state|village)\b"
        r"|\b(?:wer|wem|wen|wessen|wo|woher|wohin)\b|\b(?:in )?welche[mnrs]? (?:stadt|land|ort|person)\b"
        r"|\b(?:qui|à qui|où)\b|\b(?:quién(?:es)?|dónde|adónde)\b|\b(?:quem|onde|chi|dove)\b"
        r"|\b(?:кто|кому|кого|чей|где|куда)\b",
        re.IGNORECASE,
    )


def question_share(text: str) -> float:
    """The share of a text's sentences that are questions, 0 to 1."""
    if "?" not in text and "？" not in text and "؟" not in text:
        return 0.0
    parts = [part.rstrip() for part in _sentence_ends().split(text) if part.strip()]
    return sum(part.endswith(("?", "？", "؟")) for part in parts) / len(parts) if parts else 0.0


@cache
def _sentence_ends() -> re.Pattern[str]:
    return re.compile(r"(?<=[.?!。？！؟])(?![.?!。？！؟])\s*")


def asked_role(query: str) -> Literal["user", "assistant"] | None:
    """In a chat with an assistant: whose words a question asks for, or None when it does not say."""
    if _i_told().search(query):
        return "user"
    you, me = _second_person().search(query) is not None, _first_person().search(query) is not None
    if you and _advised().search(query):
        return "assistant"
    return "user" if me and not you else None


@cache
def _first_person() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:i|i['’]m|i['’]ve|i['’]d|me|my|mine|myself|we|our|us|ich|mir|mich|mein\w*|wir|uns|unser\w*|je"
        r"|moi|mon|ma|mes"
        r"|nous|yo|mi|mis|nosotros|я|мне|меня|мой|моя|мои|моё|мы|нас|наш\w*)\b|我|我们|咱|私|僕|俺|わたし"
        r"|나는|내가|저는|제가|나의|내 ",
        re.IGNORECASE,
    )


@cache
def _second_person() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:you|your|yours|du|dir|dich|dein\w*|sie|ihnen|ihre?|tu|toi|ton|vous|votre|tú|te|usted|ты|тебе"
        r"|тебя|вы|вам|вас)\b"
        r"|你|您|あなた|君|당신|너는|네가",
        re.IGNORECASE,
    )


@cache
def _advised() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:recommend|suggest|advi[cs]e|tell|told|explain|propose|give|gave|teach|taught|say|said|mention"
        r"|answer|wrote|write"
        r"|empf[aeio]hl|vorgeschlagen|vorschl[aä]g|geraten|erklärt|gesagt|recommand|suggér|conseill|expliqu"
        r"|dit|recomend|suger"
        r"|aconsej|explic|dij|посоветов|рекоменд|предлож|объясн|сказал)\w*"
        r"|推荐|推薦|建议|建議|告诉|告訴|教过|教過|教我|给我|給我|给了我|分享给我|提议|解释|说过|教えて|勧め"
        r"|すすめ|提案|説明|추천|제안|알려|말해|설명",
        re.IGNORECASE,
    )


@cache
def _i_told() -> re.Pattern[str]:
    return re.compile(
        r"我(?:曾经?|曾|有)?(?:给|給|和|跟|向|对|對)你"
        r"|\b(?:I|we) (?:once |already |previously |just )?(?:told|tell|recommend|suggest|mention|ask|said"
        r"|say|describe|explain|share)\w*"
        r"|\bdid (?:I|we) (?:tell|recommend|suggest|mention|ask|say|describe|explain|share)\b|\bI(?:['’]ve"
        r"| have) (?:told|mentioned|said|asked)\b"
        r"|\bich (?:dir|dich|ihnen)\b.*\b(?:gesagt|erzählt|gefragt|empfohlen)|\bje t['’]ai\b|\bte (?:dije"
        r"|conté|pregunté)\b|я (?:тебе|вам) \w+л",
        re.IGNORECASE,
    )


def quoted(query: str) -> list[str]:
    """Phrases in quotation marks of any kind, without the marks."""
    found = (next(group for group in match.groups() if group).strip() for match in _quotes().finditer(query))
    return [phrase for phrase, _ in zip(filter(None, found), range(FOUND_MAX), strict=False)]


@cache
def _quotes() -> re.Pattern[str]:
    pairs = [tuple(pair) for pair in '“” "" «» »« „“ „” 「」 『』 《》 〈〉 ‹› ``'.split()]
    double = "|".join(rf"{a}([^{a}{b}\n]{{1,{QUOTED_MAX}}}){b}" for a, b in pairs)
    # Single marks are apostrophes unless they stand outside of words on both sides.
    single = rf"(?<!\w)'([^'\n]{{2,{QUOTED_MAX}}})'(?!\w)|(?<!\w)‘([^‘’\n]{{2,{QUOTED_MAX}}})’(?!\w)"
    return re.compile(f"{double}|{single}")


def identifiers(query: str) -> list[str]:
    """snake_case, CamelCase, versions, paths, error codes and other words that only an exact match finds."""
    found = (_bare(match) for match in _identifiers().finditer(query))
    return list(dict.fromkeys(word for word, _ in zip(filter(None, found), range(FOUND_MAX), strict=False)))


def _bare(match: re.Match[str]) -> str:
    word = match.group().rstrip(".,:;-/")
    if match.lastgroup != "file":
        return word
    head, _, extension = word.rpartition(".")
    return word if len(head) > 1 and _extension().fullmatch(extension) else ""


@cache
def _extension() -> re.Pattern[str]:
    return re.compile(r"[a-z][a-z0-9]{0,4}")


@cache
def _identifiers() -> re.Pattern[str]:
    start = r"(?<![\w/.@+~-])"
    return re.compile(
        r"[a-z]{2,10}://[^\s<>\"'）)]{1,500}"  # URLs
        rf"|{start}[\w.+-]{{1,64}}@[A-Za-z0-9-]{{1,64}}(?:\.[A-Za-z0-9-]{{1,64}})+"  # addresses
        rf"|{start}(?:~|\.{{1,2}})?/[\w.@+-]++(?:/[\w.@+-]++)*+|{start}(?:[\w.@+-]++/){{2,}}+[\w.@+-]*+"  # paths
        r"|(?<!\w)[vV]?\d+\.\d+(?:\.\d+)+(?:[-+][\w.]+)?|(?<!\w)[vV]\d+(?:\.\d+)*(?!\w)"  # versions
        rf"|(?P<file>{start}(?:[\w@+-]{{1,80}}/)?[\w-]++(?:\.[\w-]++)++)"
        r"|(?<!\w)--[a-z][a-z0-9-]+|(?<!\w)-[a-z]++(?:-[a-z0-9]++)++"  # options
        r"|(?<!\w)[A-Za-z]{1,10}-\d{1,8}(?!\w)|(?<!\w)[A-Z]{1,6}\d{2,8}(?!\w)|(?<!\w)0x[0-9A-Fa-f]+"  # ADR-016, E1234
        r"|(?<!\w)\w*[A-Za-z0-9]_\w+|(?<!\w)__\w+__"  # snake_case
        r"|(?<!\w)[A-Z]?[a-z0-9]++(?:[A-Z][a-z0-9]++)++[A-Z]*+(?!\w)|(?<!\w)[a-z]++[A-Z]{2,}\w*+"  # CamelCase
        r"|(?<!\w)[A-Z]{2,}[a-z]+(?:[A-Z]\w+)+|(?<!\w)\w++(?:::\w++)++"
        r"|(?<!\w)[A-Za-z](?:\+\+|\#)(?!\w)|(?<!\w)\.NET(?!\w)|(?<!\w)\#\d{1,8}(?!\w)"
    )


def proper_names(query: str) -> list[str]:
    """Capitalised names in a question; its first word only when it is plainly one. None in a headline or a shout."""
    spaced = query.split()
    capitals = sum(word[:1].isupper() for word in spaced)
    if len(spaced) >= HEADLINE_MIN and capitals > HEADLINE_SHARE * len(spaced):
        return []
    found = (query[start:end] for start, end in names_of(query))
    return list(dict.fromkeys(name for name, _ in zip(found, range(FOUND_MAX), strict=False)))
