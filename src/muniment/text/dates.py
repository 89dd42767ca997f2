"""Dates asked for, in the words of eight languages, and how well a moment fits them.

Always true here: nothing reads the machine's clock; what is relative is counted from a moment that the caller gives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache

from muniment.model.times import Moment
from muniment.text.calendar_words import DAY_WORDS, MONTHS, MONTHS_UNSURE, PERIODS_CJK, WEEKDAYS
from muniment.text.moments import parse, until
from muniment.text.relative import ResolvedDate, cjk_number, relative, resolve

__all__ = [
    "AskedDates",
    "ResolvedDate",
    "asked_dates",
    "asks_now",
    "asks_past",
    "asks_when",
    "date_match",
    "mentions_time",
    "parse",
    "relative",
    "resolve",
    "until",
]

# What happened is often told a little later: what a moment is worth that many days after the day asked for.
DAY_FIT, SOON_FIT, LATER_FIT, MONTH_FIT, YEAR_FIT = 1.0, 0.7, 0.4, 0.2, 0.5
SOON_DAYS, LATER_DAYS, NEXT_MONTH_DAYS = 3, 14, 20


@dataclass(frozen=True, slots=True)
class AskedDates:
    """Calendar months, years and (month, day) pairs that a question names."""

    months: frozenset[int] = frozenset()
    years: frozenset[int] = frozenset()
    days: frozenset[tuple[int, int]] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.months or self.years)


def asked_dates(query: str) -> AskedDates:
    """The calendar dates in a question. "may" and "march" count only where they can be no verb."""
    months: set[int] = set()
    days: set[tuple[int, int]] = set()
    years = {int(year) for year in _years().findall(query)}
    for found in _words().finditer(query):
        month = MONTHS.get(found.group().lower())
        if month is None:
            continue
        near = [int(day) for day in _days_near(query, found)]
        if _sure(query, found, bool(near)):
            months.add(month)
            days.update((month, day) for day in near)
    for year, month, day in _numeric(query):
        months.add(month)
        years.update({year} if year else ())
        days.update({(month, day)} if day else ())
    return AskedDates(frozenset(months), frozenset(years), frozenset(days))


def date_match(when: Moment | None, asked: AskedDates) -> float:
    """How well a moment fits the asked dates, 0 to 1, in the moment's own zone."""
    if when is None or not asked:
        return 0.0
    day = when.local().date()
    if not asked.months:
        return YEAR_FIT if day.year in asked.years else 0.0
    december = day.month == 1 and 12 in asked.months and (not asked.years or day.year - 1 in asked.years)
    if asked.years and day.year not in asked.years and not december:
        return 0.0
    if asked.days:
        gaps = [(day - then).days for then in _asked_days(day, asked)]
        gap = min((gap for gap in gaps if gap >= 0), default=LATER_DAYS + 1)
        if gap <= LATER_DAYS:
            return DAY_FIT if gap == 0 else SOON_FIT if gap <= SOON_DAYS else LATER_FIT
        return MONTH_FIT if day.month in asked.months else 0.0
    if day.month in asked.months and (not asked.years or day.year in asked.years):
        return DAY_FIT
    return LATER_FIT if (day.month - 1 or 12) in asked.months and day.day <= NEXT_MONTH_DAYS else 0.0


def _asked_days(day: date, asked: AskedDates) -> Iterator[date]:
    for year in (day.year, day.year - 1):
        if not asked.years or year in asked.years:
            for month, number in asked.days:
                try:
                    yield date(year, month, number)
                except ValueError:
                    continue  # 30 February, or the 29th in a common year


@cache
def _words() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]{3,12}")


@cache
def _years() -> re.Pattern[str]:
    return re.compile(r"(?<![A-Za-z\d_$€£¥#.,])(?:19|20)\d\d(?:(?=\s?[年년])|(?![\w%]|[.,]\d))")


def _days_near(query: str, found: re.Match[str]) -> list[str]:
    """Days of the month beside its name: "May 8th", "8 May", "8. Mai", "3rd of May", "8 de mayo"."""
    after, before = (
        _day_after().match(query, found.end()),
        _day_before().search(query, max(0, found.start() - 16), found.start()),
    )
    return [shape["day"] for shape in (after, before) if shape and 1 <= int(shape["day"]) <= 31]


@cache
def _day_after() -> re.Pattern[str]:
    return re.compile(r"\.?\s{1,3}(?:the\s)?(?P<day>\d{1,2})(?:st|nd|rd|th)?(?![\d:])\b")


@cache
def _day_before() -> re.Pattern[str]:
    return re.compile(r"(?<![\d.:])(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.|º)?(?:\s(?:of|de|den))?\s{1,3}$")


def _sure(query: str, found: re.Match[str], day: bool) -> bool:
    """Whether a month's name is the month, not a verb, a planet or somebody's name."""
    word = found.group()
    if word.lower() not in MONTHS_UNSURE or day or _year_after().match(query, found.end()):
        return True
    led = _led().search(query, max(0, found.start() - 12), found.start()) is not None
    if word.lower() in ("may", "march"):
        # "May" opens questions ("May I …"); "March" hardly ever does.
        return led or (word[0].isupper() and (word.lower() == "march" or found.start() > 0))
    return led or word.lower() in ("mai", "март", "август")


@cache
def _year_after() -> re.Pattern[str]:
    return re.compile(r"\.?,?\s{1,3}(?:of\s|de\s)?(?:19|20)\d\d\b")


@cache
def _led() -> re.Pattern[str]:
    return re.compile(
        r"(?<!\w)(?:in|since|until|till|during|of|by|early|late|mid|last|next|this|im|ab|seit|bis|en|de|du"
        r"|desde|hasta|в|с|до)[\s-]$",
        re.IGNORECASE,
    )


def _numeric(query: str) -> Iterator[tuple[int, int, int]]:
    """(year or 0, month, day or 0) of dates in figures, and of those in Chinese, Japanese and Korean."""
    for found in _figures().finditer(query):
        kind = found.lastgroup
        if kind == "cjk":
            month, day = cjk_number(found["cjk_month"]), cjk_number(found["cjk_day"] or "")
            triples = [(int(found["cjk_year"] or 0), month, day)]
        elif kind == "iso":
            triples = [(int(found["iso_year"]), int(found["iso_month"]), int(found["iso_day"] or 0))]
        else:
            first, second, year = int(found["first"]), int(found["second"]), int(found["year"])
            # 5/8/2023 is May in one country and August in another: both are asked for.
            triples = [(year, second, first)] if found["dot"] == "." else [(year, first, second), (year, second, first)]
        yield from ((year, month, day) for year, month, day in triples if 1 <= month <= 12 and 0 <= day <= 31)


@cache
def _figures() -> re.Pattern[str]:
    numeral = "[0-9一二三四五六七八九十]{1,3}"
    return re.compile(
        rf"(?P<cjk>(?:(?P<cjk_year>(?:19|20)\d\d)\s?[年년]\s?)?(?P<cjk_month>{numeral})\s?[月월](?!曜|요)"
        rf"(?:\s?(?P<cjk_day>{numeral})\s?[日号號일])?)"
        r"|(?P<iso>(?<!\d)(?P<iso_year>(?:19|20)\d\d)[-/](?P<iso_month>\d{1,2})(?:[-/](?P<iso_day>\d{1,2}))?(?!\d))"
        r"|(?P<figures>(?<![\d.])(?P<first>\d{1,2})(?P<dot>[./])(?P<second>\d{1,2})(?P=dot)(?P<year>(?:19"
        r"|20)\d\d)(?!\d))"
    )


def asks_when(query: str) -> bool:
    """Whether a question asks for a time."""
    return _when().search(query) is not None


@cache
def _when() -> re.Pattern[str]:
    unit = "date|month|year|day|time|week|weekday|season|decade|hour"
    return re.compile(
        rf"^\W*(?:(?:and|so|but|hey|ok|okay|well|do you (?:know|remember)|can you tell me|tell me|remind me)\W+)*"
        rf"(?:(?:since |until |by )?when\b|how (?:long|recently|many (?:days|weeks|months|years|hours)|often)\b"
        rf"|(?:(?:on|in|at|during|since|around|by) )?(?:what|which) (?:{unit})s?\b"
        rf"|(?:seit |bis )?wann\b|wie lange\b|(?:an|in|zu) welche[mnr] (?:tag|datum|jahr|monat|woche|zeit)"
        rf"|(?:depuis )?quand\b|combien de temps|(?:à|en) quelle? (?:date|année|jour|mois|heure)"
        rf"|¿?(?:desde )?cu[aá]ndo\b|¿?en qu[eé] (?:fecha|año|mes|día)|¿?qu[eé] (?:día|fecha|año)"
        rf"|когда|как долго|в каком (?:году|месяце)|какого числа|сколько времени)"
        rf"|[,;:] (?:and )?when (?:did|was|were|is|are|do|does|will|had|has)\b"
        rf"|什么时候|什麼時候|何时|何時|哪(?:一)?(?:天|年|个月|個月|日)|几(?:月|号|点|年)|幾(?:月|號|點|年)|多久|多长时间"
        rf"|いつ|何(?:月|日|年|曜日)|언제|몇\s?(?:월|시|년|일)|며칠|متى|कब|เมื่อไ[หร]|khi nào",
        re.IGNORECASE,
    )


def mentions_time(text: str) -> bool:
    """Whether a text has an expression of time: a near day, a weekday, a month, a year, a unit of time."""
    low = text.lower()
    # Plain letters are taken apart by a table, which is three times as fast as asking what a letter is.
    words = low.translate(_apart()).split() if low.isascii() else _words_of().findall(low)
    if not _time_words().isdisjoint(words) or "May" in text or "March" in text:
        return True
    if "this " in low and _this().search(low):
        return True
    if not text.isascii() and _time_cjk().search(text):
        return True
    return ("19" in text or "20" in text) and _years().search(text) is not None


@cache
def _apart() -> dict[int, str]:
    return {code: " " for code in range(128) if not chr(code).isalpha()}


@cache
def _words_of() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]+")


@cache
def _time_words() -> frozenset[str]:
    months = (name for name in MONTHS if name not in MONTHS_UNSURE and len(name) > 3)
    weekdays = (name for name in WEEKDAYS if len(name) > 3 and name != "martes")
    return frozenset((*months, *weekdays, *(word for word in DAY_WORDS if word.isalpha()), *_PERIOD_WORDS))


_PERIOD_WORDS = tuple(
    """
    last next ago recently just weekend week month year birthday anniversary
    woche wochenende monat jahr geburtstag letzte letzten letzter letztes letztem semaine mois année dernier dernière
    semana mes año pasado pasada неделя неделю неделе недели месяц год назад прошлый прошлая прошлую прошлой прошлом
    """.split()
)


@cache
def _this() -> re.Pattern[str]:
    return re.compile(r"\bthis (?:morning|afternoon|evening|summer|winter|spring|fall|autumn)\b")


@cache
def _time_cjk() -> re.Pattern[str]:
    words = "|".join((*(word for word in DAY_WORDS if word[0] >= "\u2e80"), *PERIODS_CJK))
    return re.compile(rf"{words}|周末|週末|[一二三四五六七八九十\d]月|\d[日号天年]前?|曜日|생일|주말|지난|다음")


def asks_now(query: str) -> bool:
    """Whether a question asks for what holds now."""
    return _now().search(query) is not None


@cache
def _now() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:now|nowadays|currently|current|at (?:the moment|present)|right now|these days|presently|still|latest"
        r"|most recent|newest|up[- ]to[- ]date|as of (?:today|now)|today|anymore"
        r"|jetzt|derzeit|aktuell\w*|momentan|zurzeit|gegenwärtig|heute|neueste[nrs]?"
        r"|maintenant|actuel\w*|en ce moment|aujourd'hui|ahora|actual(?:mente)?|hoy|сейчас|теперь|текущ\w+"
        r"|сегодня|ныне)\b"
        r"|现在|現在|目前|当前|當前|如今|眼下|最新|今のところ|今は|지금|현재|요즘|최신|الآن|अभी|ตอนนี้",
        re.IGNORECASE,
    )


def asks_past(query: str) -> bool:
    """Whether a question asks for what held before and holds no more. Before an event ("before the launch") is no history."""
    return _past().search(query) is not None


@cache
def _past() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:used to|use to|previous(?:ly)?|original(?:ly)?|former(?:ly)?|initial(?:ly)?|earlier|at first"
        r"|in the past|back then"
        r"|prior(?: to)?|no longer|at the time|in the beginning|once (?:was|were|used|had)"
        r"|old(?:er)? (?:version|value|setting|plan)"
        rf"|{_before_en()}"
        r"|früher\w*|vorher|zuvor|ursprünglich\w*|damals|ehemals|ehemalige\w*|vormals|bisher|vor (?:dem|der) (?:wechsel"
        r"|umstellung|umzug|änderung|umbenennung|migration)"
        r"|avant(?=\s*[?!.]|$)|avant (?:ça|cela|lui|elle|le changement|la migration|de (?:changer|passer|migrer))"
        r"|auparavant|autrefois|à l'origine|initialement|précédent\w*|ancien(?:ne|nement)?"
        r"|antes(?! del?\b)|antes del? (?:eso|esto|ello|cambio|la migración|cambiar|pasar|migrar)"
        r"|anteriormente|originalmente|inicialmente|solía\w*|anterior"
        r"|раньше|прежде|ранее|изначально|сначала|прежн\w+|предыдущ\w+|до (?:этого|того|перехода|смены|изменения))\b"
        r"|以前|(?<!在)(?<!在..)(?<!在...)(?<!在....)(?<!在.....)之前|原来|原來|原先|曾经|曾經|过去|過去|最初|当初|當初|从前|從前"
        r"|もともと|元々|かつて|前は|昔|예전|이전|원래|처음에|과거"
        r"|سابقا|पहले|เมื่อก่อน|แต่ก่อน",
        re.IGNORECASE,
    )


def _before_en() -> str:
    """ "before" where it means an earlier value: at the end, before a change, or before what is used, owned or lived in."""
    change = "change|switch|move|migration|rename|renaming|upgrade|update|latest|last|current|new"
    done = "changed|switched|moved|migrated|renamed|upgraded|updated|replaced|adopted|chose|took over"
    doing = "changing|switching|moving|migrating|renaming|upgrading|updating|replacing|adopting|choosing"
    meals = r"(?:the |a |an )?(?:bed|noon|midnight|lunch|dinner|breakfast|work|school|christmas|sleep|\d)"
    return (
        r"(?<!day )(?<!night )(?<!week )before(?=\s*(?:$|[,;.:!?)]))"
        rf"|before (?:it|that|this|then|now|the (?:{change})|(?:{doing})|(?:we|they|you|it|he|she|i|\w+) (?:{done}))"
        rf"|(?:us(?:e|ed|ing)|had|r[au]n|own(?:ed)?|liv(?:e|ed)|work(?:ed)?)\b[^?.!]{{0,60}}\bbefore (?!the\b|{meals})\w+"
    )
