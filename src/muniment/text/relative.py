"""Relative dates ("yesterday", "last week", "vor drei Tagen", "上周五") counted from a moment, in that moment's own zone.

Always true here: intervals are half-open and whole days long; weeks begin on Monday; the same words from the same moment
always give the same interval.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, datetime, time, timedelta
from functools import cache

from muniment.model.times import Moment, moment
from muniment.text.calendar_words import (
    DAY_WORDS,
    DIRECTIONS,
    MONTHS,
    MONTHS_UNSURE,
    NUMBERS,
    PERIODS_CJK,
    SEASONS,
    UNITS,
    VAGUE,
    WEEKDAYS,
    WEEKDAYS_CJK,
)

FOUND_MAX = 100  # relative dates of one text
WORDS_BEFORE_HINT = 6  # "a couple of weeks ago"

Days = tuple[date, date]


@dataclass(frozen=True, slots=True)
class ResolvedDate:
    start: int
    end: int
    surface: str
    from_ms: int
    to_ms: int


def relative(query: str, anchor: Moment) -> tuple[int, int] | None:
    """The interval (ms UTC, half-open) that the first relative date of a question means, or None."""
    found = next(_resolved(query, anchor), None)
    return None if found is None else (found.from_ms, found.to_ms)


def resolve(text: str, anchor: Moment) -> list[ResolvedDate]:
    """Every relative date of a text, counted from when it was said; at most FOUND_MAX."""
    return [found for _, found in zip(range(FOUND_MAX), _resolved(text, anchor), strict=False)]


def _resolved(text: str, anchor: Moment) -> Iterator[ResolvedDate]:
    low = text.lower()
    if len(low) != len(text):  # a letter whose small form is two would move the offsets
        low = "".join(small if len(small := char.lower()) == 1 else char for char in text)
    shapes = _in_plain_letters(low) if low.isascii() else _shapes().finditer(low)
    today: date | None = None
    for found in shapes:
        today = today or anchor.local().date()
        surface = text[found.start() : found.end()]
        try:
            days = _RESOLVERS[found.lastgroup or ""](surface, today)
        except (OverflowError, ValueError):
            continue  # before the year 1 or after 9999
        if days is not None:
            yield ResolvedDate(found.start(), found.end(), surface, _ms(days[0], anchor), _ms(days[1], anchor))


def _in_plain_letters(low: str) -> Iterator[re.Match[str]]:
    """The relative dates of a text in plain letters. They are looked for only where a word of one stands near."""
    hints, first, shape = _hints(), _first(), _spaced()
    if hints.isdisjoint(_words().findall(low)):
        return
    words = [(found.start(), found.group()) for found in _words().finditer(low)]
    tried = end = 0
    for place, (_, word) in enumerate(words):
        if word not in hints:
            continue
        for start, opens in words[max(tried, place - WORDS_BEFORE_HINT) : place + 1]:
            if start >= end and (opens in first or opens[0].isdigit()) and (found := shape.match(low, start)) is not None:
                end = found.end()
                yield found
        tried = place + 1


@cache
def _words() -> re.Pattern[str]:
    return re.compile(r"\w+")


@cache
def _first() -> frozenset[str]:
    """What a relative date in plain letters can begin with, besides a figure."""
    known = (*DAY_WORDS, *DIRECTIONS, *NUMBERS, *VAGUE, *UNITS, *WEEKDAYS, *MONTHS, *SEASONS)
    others = "the day last past gestern anoche this heute vor hace il in derniers weekend wochenende quarter quartal"
    return frozenset((*(word.replace("-", " ").replace("'", " ").split()[0] for word in known), *others.split()))


@cache
def _hints() -> frozenset[str]:
    """Words of which every relative date in plain letters has one."""
    pointing = (
        *DAY_WORDS,
        *DIRECTIONS,
        "ago",
        "earlier",
        "back",
        "from",
        "vor",
        "hace",
        "avant",
        "il",
        "in",
        "viene",
        "gestern",
        "anoche",
    )
    return frozenset((*pointing, "letzten", "vergangenen", "derniers", "prochain", "hui"))


def _ms(day: date, anchor: Moment) -> int:
    if not MINYEAR < day.year < MAXYEAR:
        raise ValueError(day)
    local = anchor.local()
    midnight = datetime.combine(day, time(), local.tzinfo)
    return moment(midnight).ms


def period(unit: str, day: date, offset: int) -> Days:
    """The calendar unit that holds `day`, `offset` units further on."""
    match unit:
        case "week":
            start = day - timedelta(days=day.weekday()) + timedelta(weeks=offset)
            return start, start + timedelta(days=7)
        case "weekend":
            start = day - timedelta(days=day.weekday()) + timedelta(weeks=offset, days=5)
            return start, start + timedelta(days=2)
        case "month":
            return _month(day.year, day.month + offset), _month(day.year, day.month + offset + 1)
        case "quarter":
            first = day.month - (day.month - 1) % 3 + 3 * offset
            return _month(day.year, first), _month(day.year, first + 3)
        case "year":
            return date(day.year + offset, 1, 1), date(day.year + offset + 1, 1, 1)
        case _:
            start = day + timedelta(days=offset)
            return start, start + timedelta(days=1)


def _month(year: int, month: int) -> date:
    return date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)


def _alternatives(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


@cache
def _shapes() -> re.Pattern[str]:
    close = [word for word in UNITS if word[0] >= "\u2e80"]
    units_cjk = _alternatives(close)
    cjk_number = "[0-9〇一二三四五六七八九十两兩几数한두세네]{1,4}"
    return re.compile(
        rf"{_spaced().pattern}"
        rf"|(?P<cjk_ago>{cjk_number}\s?(?:{units_cjk})\s?(?:之?前|전))"
        rf"|(?P<cjk_weekday>(?:{_alternatives(w for w, (u, _) in PERIODS_CJK.items() if u == 'week')})"
        rf"(?:の|\s)?(?:[一二三四五六日天](?!周|个|個|月|日)|[月火水木金土日]曜日?|[월화수목금토일]요일))"
        rf"|(?P<cjk_period>{_alternatives(PERIODS_CJK)}|(?:지난|이번|다음)\s(?:주말|주|달|해))"
        rf"|(?P<cjk_day>{_alternatives(word for word in DAY_WORDS if word[0] >= '⺀')})"
    )


@cache
def _spaced() -> re.Pattern[str]:
    """The shapes of languages that put spaces between words: the only ones that a text in ASCII can have."""
    spaced = [word for word in UNITS if word[0] < "\u2e80"]
    unit = _alternatives(spaced)
    number = rf"\d{{1,4}}|{_alternatives(word for word in (*NUMBERS, *VAGUE) if word[0] < '⺀')}"
    amount = rf"(?:a\s+|ein\s+)?(?:{number})(?:\s+of)?"
    direction = _alternatives(DIRECTIONS)
    named = _alternatives((*WEEKDAYS, *MONTHS, *SEASONS, "weekend", "wochenende", "quarter", "quartal", "week-end"))
    days = _alternatives(word for word in DAY_WORDS if word[0] < "\u2e80")
    return re.compile(
        rf"(?<!\w)(?:"
        rf"(?:the\s+)?(?P<before>day\s+before\s+yesterday)|(?:the\s+)?(?P<after>day\s+after\s+tomorrow)"
        rf"|(?P<night>last\s+night|gestern\s+abend|anoche)"
        rf"|(?P<day>{days}|(?:this|heute)\s+(?:morning|afternoon|evening|morgen|abend))"
        rf"|(?P<ago>{amount}\s+(?:{unit})\s+(?:ago|назад|back|earlier)|(?:vor|hace|il\s+y\s+a)\s+{amount}\s+(?:{unit})"
        rf"|(?:неделю|месяц|год)\s+назад)"
        rf"|(?P<ahead>in\s+{amount}\s+(?:{unit})(?:\s+time)?|{amount}\s+(?:{unit})\s+from\s+now|через\s+{amount}\s+(?:{unit}))"
        rf"|(?P<rolling>(?:last|past|previous|letzten|vergangenen|derniers|dernières|últimos|últimas|последние)"
        rf"\s+{amount}\s+(?:{unit})|past\s+(?:week|month|year))"
        rf"|(?P<direct>(?:{direction})\s+(?:{unit}|{named}))"
        rf"|(?P<behind>(?:{unit}|{named})\s+(?:dernier|dernière|prochain|prochaine|pasado|pasada|próximo|próxima|que\s+viene))"
        rf")(?!\w)"
    )


def _day(surface: str, today: date) -> Days:
    return period("day", today, DAY_WORDS.get(surface.lower(), 0))


def _amount(words: list[str]) -> tuple[int, int]:
    """The last amount named, as a range of units."""
    for word in reversed(words):
        if word in VAGUE:
            return VAGUE[word]
        if word.isdecimal():
            return int(word), int(word)
        if word in NUMBERS:
            return NUMBERS[word], NUMBERS[word]
    return 1, 1


def _stepped(unit: str, low: int, high: int, today: date) -> Days | None:
    """From the unit `low` steps away to the one `high` steps away; of hours and minutes only the day is kept."""
    if unit in ("hour", "minute"):
        # A quarter of an hour ago is today; which day a number of hours reaches needs the clock, which days leave out.
        return period("day", today, 0) if abs(high) < 24 else None
    return period(unit, today, low)[0], period(unit, today, high)[1]


def _ago(surface: str, today: date) -> Days | None:
    words = surface.lower().split()
    unit = next(UNITS[word] for word in reversed(words) if word in UNITS)
    low, high = _amount([word for word in words if word not in UNITS])
    return _stepped(unit, -high, -low, today)


def _ahead(surface: str, today: date) -> Days | None:
    words = surface.lower().split()
    unit = next(UNITS[word] for word in reversed(words) if word in UNITS)
    low, high = _amount([word for word in words if word not in UNITS])
    return _stepped(unit, low, high, today)


def _rolling(surface: str, today: date) -> Days:
    """The last N units up to and with today, not calendar units: "the past week" said on Friday is no Monday to Sunday."""
    words = surface.lower().split()
    unit, (_, high) = UNITS[words[-1]], _amount(words[1:-1])
    days = {"day": 1, "week": 7, "month": 30, "year": 365}.get(unit, 0)
    return today - timedelta(days=days * high), today + timedelta(days=1)


def _direct(surface: str, today: date) -> Days | None:
    words = surface.split()
    direction, word = DIRECTIONS[words[0].lower()], words[-1]
    if direction == 0 and word.islower() and word in MONTHS_UNSURE:
        return None  # "this may", "this march"
    return _pointed(word.lower(), direction, today)


def _behind(surface: str, today: date) -> Days | None:
    words = surface.lower().split()
    return _pointed(words[0], DIRECTIONS.get(words[1], 1), today)


def _pointed(word: str, direction: int, today: date) -> Days | None:
    """The period that "last", "this" or "next" and a word point at; "last minute" and "last day" are no such thing."""
    if UNITS.get(word) in ("day", "hour", "minute"):
        return None
    if word in UNITS:
        return period(UNITS[word], today, direction)
    if word in WEEKDAYS:
        return _weekday(WEEKDAYS[word], direction, today)
    if word in MONTHS:
        return _named_month(MONTHS[word], direction, today)
    if word in SEASONS:
        start, _ = _named_month(SEASONS[word], direction, today)
        return start, _month(start.year, start.month + 3)
    return period("quarter" if word.startswith("quart") else "weekend", today, direction)


def _weekday(weekday: int, direction: int, today: date) -> Days:
    """Last: the nearest one before today. Next: the nearest one after it. This: the one of this week."""
    ahead = (weekday - today.weekday()) % 7
    if direction == 0:
        ahead = weekday - today.weekday()
    elif direction < 0:
        ahead = ahead - 7 if ahead else -7
    return period("day", today, ahead or 7 * direction)


def _named_month(month: int, direction: int, today: date) -> Days:
    year = today.year
    if direction < 0 and month >= today.month:
        year -= 1
    elif direction > 0 and month <= today.month:
        year += 1
    return _month(year, month), _month(year, month + 1)


def _cjk_ago(surface: str, today: date) -> Days | None:
    shape = _cjk_amount().match(surface)
    if shape is None:
        return None
    number, unit = shape["number"], UNITS.get(shape["unit"].strip(), "day")
    low, high = VAGUE.get(number) or (cjk_number(number), cjk_number(number))
    return _stepped(unit, -high, -low, today)


@cache
def _cjk_amount() -> re.Pattern[str]:
    return re.compile(r"(?P<number>[0-9〇一二三四五六七八九十两兩几数한두세네]+)\s?(?P<unit>.+?)\s?(?:之?前|전)")


def cjk_number(text: str) -> int:
    """A number up to 99 as Chinese and Japanese write it (十二, 二十), or in digits; 0 when it is none."""
    if text.isdecimal() and text.isascii():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return NUMBERS.get(text, 0)
    return 10 * (NUMBERS.get(tens, 1) if tens else 1) + (NUMBERS.get(ones, 0) if ones else 0)


def _cjk_weekday(surface: str, today: date) -> Days:
    week = next(word for word in sorted(PERIODS_CJK, key=len, reverse=True) if surface.startswith(word))
    sign = surface[len(week) :].lstrip("の \t")[0]
    start = period("week", today, PERIODS_CJK[week][1])[0]
    return period("day", start, WEEKDAYS_CJK[sign])


def _cjk_period(surface: str, today: date) -> Days:
    surface = re.sub(r"\s", "", surface).replace("지난해", "작년").replace("이번해", "올해").replace("다음해", "내년")
    unit, offset = PERIODS_CJK[surface]
    return period(unit, today, offset)


_RESOLVERS: dict[str, Callable[[str, date], Days | None]] = {
    "before": lambda _, today: period("day", today, -2),
    "after": lambda _, today: period("day", today, 2),
    "night": lambda _, today: period("day", today, -1),
    "day": _day,
    "ago": _ago,
    "ahead": _ahead,
    "rolling": _rolling,
    "direct": _direct,
    "behind": _behind,
    "cjk_ago": _cjk_ago,
    "cjk_weekday": _cjk_weekday,
    "cjk_period": _cjk_period,
    "cjk_day": _day,
}
