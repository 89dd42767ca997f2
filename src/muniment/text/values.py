"""Values of a text in a comparable form: numbers with units, money, times, days, versions, identifiers and states.

Always true here: two values are one when sort and norm agree; a decimal point is kept, so 1.5 is not 15; units of one
family are folded, so 90 minutes are an hour and a half.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from muniment.text.calendar_words import MONTHS, MONTHS_UNSURE, WEEKDAYS
from muniment.text.scripts import fold
from muniment.text.value_words import CURRENCIES, NUMBER_WORDS, SCALES, STATES, UNITS

VALUES_MAX = 24  # values of one clause
LEAD_MAX = 24  # characters of a figure before its first digit: a month, a sign
HOUR_MAX = 24
DIGITS_SHOWN = 12
# Sorts between which a single word decides: "Python 3.10" is a version, "3.10" a number.
SAME_SORTS = frozenset({"number", "version"})


@dataclass(frozen=True, slots=True)
class Value:
    """`sort` says what it may be compared with, `norm` what it comes to."""

    start: int
    end: int
    sort: str
    norm: str


def values(text: str, *, german: bool = False) -> list[Value]:
    """The values of a clause in order, none within another; at most VALUES_MAX. `german` reads 1.500 as 1500."""
    found: list[Value] = []
    if not _SIGNS.isdisjoint(text):
        found += (Value(*_trimmed(text, shape), "identifier", _bare(shape.group())) for shape in _identifiers(text))
    found += (value for shape in _with_digit(text) if (value := _figure(text, shape, german)))
    found += _words(text)
    found.sort(key=_widest_first)
    kept: list[Value] = []
    for value in found:
        if not kept or value.start >= kept[-1].end:
            kept.append(value)
    return kept[:VALUES_MAX]


def _identifiers(text: str) -> Iterator[re.Match[str]]:
    """What is exact in a text. Only quotations and telephone numbers hold a space; else only runs with a sign are read."""
    if "`" in text or "+" in text:
        yield from _exact().finditer(text)
        return
    end = 0
    while (sign := _sign().search(text, end)) is not None:
        start = text.rfind(" ", end, sign.start()) + 1 or end
        end = text.find(" ", sign.start())
        if end < 0:
            end = len(text)
        yield from _exact().finditer(text, start, end)


def _with_digit(text: str) -> Iterator[re.Match[str]]:
    """The figures of a text: each is looked for from shortly before the next digit on."""
    end = 0
    while (digit := _digit().search(text, end)) is not None:
        found = _figures().search(text, max(end, digit.start() - LEAD_MAX))
        if found is None:
            return
        yield found
        end = found.end()


def _widest_first(value: Value) -> tuple[int, int]:
    return value.start, -value.end


def same(sort: str, one: str, other: str) -> bool:
    """Whether two norms of one sort come to the same: a day without its year or its hour is the same day."""
    if one == other:
        return True
    if sort != "when":
        return False
    ours, theirs = _parts(one), _parts(other)
    shared = ours.keys() & theirs.keys()
    return bool(shared) and all(_same_part(ours[name], theirs[name]) for name in shared)


def comparable(one: str, norm: str, other: str, other_norm: str) -> bool:
    """Whether two values, each a sort and a norm, are so much of one sort that only one of them can fill a slot."""
    if one == other == "when":
        ours, theirs = _parts(norm).keys(), _parts(other_norm).keys()
        return ("clock" in ours and "clock" in theirs) or bool(ours - {"clock"} and theirs - {"clock"})
    return one == other or (one in SAME_SORTS and other in SAME_SORTS)


def _parts(norm: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in norm.split(";") if "=" in part)


def _same_part(one: str, other: str) -> bool:
    return one == other or one.endswith(f"-{other}") or other.endswith(f"-{one}")


def norm(surface: str) -> str:
    """The key of a value in words: folded, without outer punctuation and articles."""
    words = [fold(word).strip(_OUTER) for word in surface.split()]
    while len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    return " ".join(filter(None, words))


_SIGNS = frozenset("`/@_-.+0123456789")
_OUTER = "\"'“”‘’«»„「」『』《》()[]{}.,;:!?。，！？`*_"
_ARTICLES = frozenset(
    "the a an our my your his her their its der die das den dem ein eine einen einem unser unsere el la los las le les".split()
)


def _trimmed(text: str, shape: re.Match[str]) -> tuple[int, int]:
    return shape.start(), shape.start() + len(shape.group().rstrip(".,;:"))


def _bare(written: str) -> str:
    return written.strip("`").rstrip(".,;:").lower()


def _words(text: str) -> Iterator[Value]:
    """Weekdays, months, numbers in words and states."""
    number: tuple[int, int, str] | None = None  # a number in words that waits for its unit
    for found in _word_shape().finditer(text):
        low = found.group().lower()
        if number and number[1] == found.start() - 1 and low in UNITS and len(low) > 2:
            family, size = UNITS[low]
            yield Value(number[0], found.end(), f"number:{family}", _shown(float(number[2]) * size))
        elif number:
            yield Value(number[0], number[1], "number", number[2])
        number = None
        read = _word_values().get(low)
        if low == "one" and text[: found.start()].endswith(("have ", "has ", "only ")):
            read = "number", "1"
        if read and read[0] == "number":
            number = found.start(), found.end(), read[1]
        elif read and (low not in _CAPITAL or found.group()[0].isupper()):
            yield Value(found.start(), found.end(), *read)
    if number:
        yield Value(number[0], number[1], "number", number[2])
    if " is " in text or " are " in text or " ist " in text or "'s " in text or " sind " in text or " bin " in text:
        for found in _standing().finditer(text):
            yield Value(found.start("state"), found.end("state"), *STATES[found["state"].lower()])


@cache
def _standing() -> re.Pattern[str]:
    """States in small words that mean something else anywhere but at the end of "it is …"."""
    states = "|".join(sorted(_NO_STATES))
    return re.compile(
        rf"(?:\bis|\bare|['’]s|\bist|\bsind) (?:(?:now|currently|again|still|always|jetzt|wieder|nun) "
        rf"){{0,2}}(?P<state>{states})"
        r"(?=(?: (?:again|now|wieder|since|because|for|by|after|until|from|as|seit|on|at))|[.,;!)]|\s*$)",
        re.IGNORECASE,
    )


@cache
def _word_shape() -> re.Pattern[str]:
    return re.compile(r"(?<![\w-])[^\W\d_]{2,}(?:-[^\W\d_]+)*(?![\w-])")


_CAPITAL = frozenset("sun mon march may".split())
_NO_STATES = frozenset("zu an aus on up down open light".split())  # far more often a small word or a verb


def value_words() -> frozenset[str]:
    """Every word that is a value by itself."""
    return frozenset(_word_values()) | STATES.keys()


@cache
def _word_values() -> dict[str, tuple[str, str]]:
    out = {word: ("number", str(number)) for word, number in NUMBER_WORDS.items()}
    out |= {name: ("when", f"month={number}") for name, number in MONTHS.items() if name not in MONTHS_UNSURE and len(name) > 3}
    for name, number in WEEKDAYS.items():
        if len(name) > 3:
            out |= {name: ("when", f"day={number}"), f"{name}s": ("when", f"days={number}")}
    out |= {word: state for word, state in STATES.items() if word not in _NO_STATES}
    return out | {"noon": ("when", "clock=12:00"), "midnight": ("when", "clock=00:00"), "mittag": ("when", "clock=12:00"),
                  "mitternacht": ("when", "clock=00:00")}  # fmt: skip


def _figure(text: str, shape: re.Match[str], german: bool) -> Value | None:
    read = _READERS[shape.lastgroup or ""](shape, german)
    return None if read is None else Value(shape.start(), *read)


def _amount(written: str, german: bool) -> float | None:
    """A number as written, or None when its marks make no sense."""
    plain = written.replace("_", "").replace("'", "")
    if german and (_grouped_stop().fullmatch(plain) or plain.count(",") == 1):
        plain = plain.replace(".", "").replace(",", ".")
    elif _grouped_comma().fullmatch(plain):
        plain = plain.replace(",", "")
    elif plain.count(",") == 1 and "." not in plain:
        plain = plain.replace(",", ".")
    try:
        return float(plain)
    except ValueError:
        return None


def _shown(amount: float) -> str:
    return f"{amount:.{DIGITS_SHOWN}g}"


@cache
def _grouped_comma() -> re.Pattern[str]:
    return re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")


@cache
def _grouped_stop() -> re.Pattern[str]:
    return re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")


@cache
def _sign() -> re.Pattern[str]:
    return re.compile(f"[{re.escape(''.join(sorted(_SIGNS)))}]")


@cache
def _digit() -> re.Pattern[str]:
    return re.compile(r"\d")


Read = tuple[int, str, str] | None  # where it ends, its sort and its norm


def _number(shape: re.Match[str], german: bool) -> Read:
    """A figure with the sign, scale or unit beside it."""
    written, end = shape["figure"], shape.end("figure")
    amount = _amount(written, german)
    if amount is None:
        return end, "version", written
    sign, follows = (shape["sign"] or "").strip(), (shape["follows"] or "").lower()
    tight = shape.start("follows") == end
    if follows in SCALES and (follows != "m" or sign or shape["follows"] == "M"):
        amount, end = amount * SCALES[follows], shape.end("follows")
        follows, tight = (shape["then"] or "").lower(), False
        unit_end = shape.end("then")
    else:
        unit_end = shape.end("follows")
    if sign:
        return end, f"money:{CURRENCIES[sign]}", _shown(amount)
    if follows in CURRENCIES:
        return unit_end, f"money:{CURRENCIES[follows]}", _shown(amount)
    if follows in UNITS and (len(follows) > 1 or not follows.isalpha() or follows in "hgmlsw" or tight):
        family, size = UNITS[follows]
        return unit_end, f"number:{family}", _shown(amount * size)
    if "." in written and not german and shape["named"] is not None and _versioned(shape):
        return end, "version", written
    if shape["at"] is not None and "." not in written and amount <= HOUR_MAX and not tight:
        return end, "when", f"clock={int(amount):02d}:00"
    return None if tight and follows else (end, "number", _shown(amount))


def _versioned(shape: re.Match[str]) -> bool:
    """Whether the word before a figure is a name or says that it is a version: "Python 3.10" is not 3.1."""
    before = shape.string[: shape.start()].split()
    return bool(before) and ((before[-1][:1].isupper() and len(before) > 1) or before[-1].lower() in _VERSIONED)


_VERSIONED = frozenset("version release python node java go ruby php postgres kubernetes django version:".split())


def _clock(shape: re.Match[str], german: bool) -> Read:
    hour, minute = int(shape["hour"]), int(shape["minute"] or 0)
    half = (shape["half"] or "").lower().replace(".", "")
    if half == "pm" and hour < HOUR_MAX // 2:
        hour += HOUR_MAX // 2
    elif half == "am" and hour == HOUR_MAX // 2:
        hour = 0
    return shape.end(), "when", f"clock={hour:02d}:{minute:02d}"


def _version(shape: re.Match[str], german: bool) -> Read:
    written = shape.group().lower().removeprefix("v").lstrip()
    if german and _grouped_stop().fullmatch(written):
        return shape.end(), "number", written.replace(".", "")
    return shape.end(), "version", written


def _date(shape: re.Match[str], german: bool) -> Read:
    month = MONTHS.get((shape["month1"] or shape["month2"]).lower().rstrip("."))
    if month is None:
        return None
    return shape.end(), "when", _day(shape["year1"] or shape["year2"], month, int(shape["day1"] or shape["day2"]))


def _plain_date(shape: re.Match[str], german: bool) -> Read:
    if shape["iso"]:
        year, month, day = shape["iso"].replace("/", "-").split("-")
        return shape.end(), "when", _day(year, int(month), int(day))
    return shape.end(), "when", _day(shape["dm_year"], int(shape["dm_month"]), int(shape["dm_day"]))


def _day(year: str | None, month: int, day: int) -> str:
    return f"date={year}-{month:02d}-{day:02d}" if year else f"date={month:02d}-{day:02d}"


_READERS = {"plain_date": _plain_date, "date": _date, "clock": _clock, "version": _version, "number": _number}


@cache
def _exact() -> re.Pattern[str]:
    endings = "internal|local|com|org|net|io|dev|example|cn|de|py|json|ya?ml|toml|sql|md|txt|db|conf|sh"
    return re.compile(
        r"`[^`\n]{1,80}`|(?<![\w+-])(?:\+\d{1,3}[ -]?\d[\d -]{4,14}\d|\d{3}-\d{4})(?![\w-])"  # telephone numbers
        r"|\b[a-z]{2,10}://[^\s<>\"'）)]{1,300}"
        r"|(?<![\w/.@+~-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"
        r"|(?<![\w/.@+~-])(?:~|\.{1,2})?/[\w.@+-]++(?:/[\w.@+-]++)*+"
        rf"|(?<![\w.-])[a-z0-9][\w-]*+(?:\.[\w-]+)*?\.(?:{endings})\b(?!\.?\w)"
        r"|(?<![\w-])[a-z]++[a-z0-9]*+(?:[-_][a-z]++[a-z0-9]*+)*[-_]\d++(?:[-_][a-z0-9]++)*+(?![\w-])"  # db-2, eu-west-1
        r"|(?<![\w.-])(?!v\d)[A-Za-z]{1,12}\d{1,4}(?:\.[a-z0-9]+)?(?![\w-])"  # db2, m5.large
        r"|(?<!\w)[A-Za-z0-9]++(?:_[A-Za-z0-9]++)++(?!\w)|(?<![\w-])[A-Z]{2,8}-\d{1,6}(?!\w)",
        re.ASCII,
    )


@cache
def _figures() -> re.Pattern[str]:
    months = "|".join(sorted((name for name in MONTHS if len(name) > 2 and name[0] < "\u0400"), key=len, reverse=True))
    year = r"(?:19|20)\d\d"
    return re.compile(
        rf"(?P<plain_date>(?<![\w.-])(?:(?P<iso>{year}[-/]\d\d?[-/]\d\d?)"
        rf"|(?:(?P<dm_lead>(?<=\bam )|(?<=\bbis )|(?<=\bder )|(?<=\bden )|(?<=\bvom )|(?<=\bzum )|(?<=\bab ))|)"
        rf"(?P<dm_day>\d{{1,2}})\.(?P<dm_month>0?[1-9]|1[0-2])\.(?:(?P<dm_year>{year})|(?(dm_lead)|(?!)))(?!\d))(?!\w))"
        rf"|(?P<date>(?<![\w.])(?:(?P<month1>(?i:{months}))\.? (?P<day1>\d{{1,2}})(?:st|nd|rd|th)?(?:,? "
        rf"(?P<year1>{year}))?(?![\d:]|\.\d)"
        rf"|(?P<day2>\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of| de)? (?P<month2>(?i:{months}))\b\.?(?:,?(?: de)? "
        rf"(?P<year2>{year}))?)(?!\w))"
        r"|(?P<clock>(?<![\w:.$€£])(?P<hour>[01]?\d|2[0-4])(?::(?P<minute>[0-5]\d)(?![\d:]))?+"
        r"(?:\s?(?P<half>(?i:[ap]m\b|[ap]\.m\.))|\s?(?:Uhr|o['’]clock)\b|(?<=:\d\d)(?!\w)))"
        r"|(?P<version>(?<![\w.])v ?\d++(?:\.\d++)*+(?:-[a-z0-9.]++)?(?!\w)|(?<![\w.])\d++(?:\.\d++){2,}+(?!\w))"
        r"|(?P<number>(?:(?P<at>(?<=\bat )|(?<=\bum )|(?<=\bpast )|(?<=\btil ))|(?P<named>(?<=[A-Za-z] ))|)"
        r"(?P<sign>[$€£¥] ?)?(?<![A-Za-z0-9_.,/:\#-])(?P<figure>\d{1,15}+(?:[.,_']\d{1,12}+)*+)"
        r"(?!:\d)(?=(?:[ -]?(?P<follows>[^\W\d_]++|[%°€$￥％][CF]?)(?: (?P<then>[^\W\d_]++|[€$]))?)?))"
    )
