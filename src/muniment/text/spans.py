"""Spans of a text that name something, found by their shape alone: names, dates, quantities, paths, symbols, URLs, titles.

Always true here: spans are ordered and never overlap, and each one's surface is exactly the text between its offsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from muniment.model.spans import Span, SpanSort
from muniment.text.calendar_words import MONTHS
from muniment.text.names import names
from muniment.text.scripts import fold

SPANS_MAX = 500
SURFACE_MAX = 200
MONTH_BACK_MAX = 20  # no name of a month is longer, with what stands between it and its day

Bounds = tuple[int, int, SpanSort]


def find(text: str) -> list[Span]:
    """The spans of a text in order, at most SPANS_MAX. Where shapes overlap, the more certain one stays."""
    found: list[Bounds] = []
    for candidate in _candidates(text):
        found.append(candidate)
        if len(found) >= 4 * SPANS_MAX:
            break
    kept = _apart(found)
    return [Span(start, end, sort, text[start:end]) for start, end, sort in kept[:SPANS_MAX]]


def _apart(found: list[Bounds]) -> list[Bounds]:
    """Without overlaps: of two, the one found earlier (by a more certain shape) stays."""
    if len(found) < 2:
        return found
    ranked = sorted((start, order, end, sort) for order, (start, end, sort) in enumerate(found))
    kept: list[tuple[int, int, int, SpanSort]] = []
    for start, order, end, sort in ranked:
        while kept and kept[-1][2] > start and kept[-1][1] > order:
            kept.pop()
        if not kept or kept[-1][2] <= start:
            kept.append((start, order, end, sort))
    return [(start, end, sort) for start, _, end, sort in kept]


def _candidates(text: str) -> Iterator[Bounds]:
    """Shapes from the most certain down. Each is looked for only where a character that it needs is there."""
    if "://" in text or "www." in text or "@" in text:
        yield from _matches(_urls(), text, "url")
    if not _QUOTES.isdisjoint(text):
        yield from _matches(_titles(), text, "title")
    if "/" in text or "\\" in text or ("." in text and _dotted().search(text)):
        yield from _matches(_paths(), text, "path")
    if "_" in text or "$" in text:
        yield from _matches(_env(), text, "env")
    if not _SYMBOL_SIGNS.isdisjoint(text) or _inner_capital().search(text):
        yield from _matches(_symbols(), text, "symbol")
    if _digit().search(text):
        yield from _bounds(_dated(text), text, "date")
        yield from _bounds(_counted(text), text, "quantity")
    yield from ((start, end, "name") for start, end in names(text))


def _dated(text: str) -> Iterator[re.Match[str]]:
    """Every date has a figure in it, so only figures, and the months right before them, are looked at: ten times as fast."""
    dates, at = _dates(), 0
    while figure := _digit().search(text, at):
        low = figure.start()
        month = _month_before(text, at, low)
        found = (None if month is None else dates.match(text, month)) or dates.match(text, low)
        at = found.end() if found else low + 1
        if found:
            yield found


def _month_before(text: str, at: int, figure: int) -> int | None:
    """Where the month begins that stands right before a figure."""
    if figure == at or text[figure - 1] != " ":
        return None
    word = _word_before().search(text, max(at, figure - MONTH_BACK_MAX), figure)
    return word.start() if word and word.group().lower() in MONTHS else None


def _counted(text: str) -> Iterator[re.Match[str]]:
    """Quantities begin with a figure or the sign of a currency; nothing else is looked at."""
    quantities, at = _quantities(), 0
    while figure := _counting().search(text, at):
        found = quantities.match(text, figure.start())
        at = found.end() if found else figure.end()
        if found:
            yield found


def _matches(pattern: re.Pattern[str], text: str, sort: SpanSort) -> Iterator[Bounds]:
    return _bounds(pattern.finditer(text), text, sort)


def _bounds(matches: Iterable[re.Match[str]], text: str, sort: SpanSort) -> Iterator[Bounds]:
    for match in matches:
        start, end = match.span(match.lastindex or 0)
        while end > start and text[end - 1] in ".,;:!?'\")]":
            if text[end - 1] in ")]" and text.count("(", start, end) >= text.count(")", start, end) > 0:
                break  # name(), or a page of Wikipedia
            end -= 1
        if 1 < end - start <= SURFACE_MAX:
            yield start, end, sort


def norm(surface: str) -> str:
    """The key under which spellings of one name meet: folded, without article, possessive and outer punctuation."""
    words = [fold(word.replace("’", "'").removesuffix("'s")) for word in surface.split()]
    if len(words) > 1 and words[0] in ("the", "a", "an"):
        words = words[1:]
    return " ".join(filter(None, (word.strip(_OUTER) for word in words)))


_OUTER = "\"'“”‘’«»„「」『』《》()[]{}.,;:!?。，！？`"
_QUOTES = frozenset('"“„«「『《`‹')
_SYMBOL_SIGNS = frozenset("_`(:-#")


@cache
def _digit() -> re.Pattern[str]:
    return re.compile(r"\d")


@cache
def _counting() -> re.Pattern[str]:
    return re.compile(r"[$€£¥₹₽\d]")


@cache
def _word_before() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]++(?=\.?,? \Z)")


@cache
def _dotted() -> re.Pattern[str]:
    return re.compile(r"\.\w")  # a full stop that only ends a sentence makes no file name


@cache
def _inner_capital() -> re.Pattern[str]:
    return re.compile(r"[a-z][A-Z]")


@cache
def _urls() -> re.Pattern[str]:
    stop = r"\s<>\"`|^{}\u3000-\u303f\uff00-\uffef"
    return re.compile(
        rf"(?<!\w)[A-Za-z][A-Za-z0-9+.-]{{1,20}}://[^{stop}]++|(?<!\w)www\.[^{stop}]++"
        r"|(?<![\w.+-])[\w.+-]{1,64}+@[A-Za-z0-9-]{1,64}(?:\.[A-Za-z0-9-]{1,64})+"
    )


@cache
def _titles() -> re.Pattern[str]:
    pairs = (("“", "”"), ('"', '"'), ("«", "»"), ("„", "“"), ("„", "”"), ("「", "」"), ("『", "』"), ("《", "》"), ("‹", "›"))
    return re.compile("|".join(rf"{a}([^{a}{b}\n]{{2,100}}+){b}" for a, b in pairs))


@cache
def _paths() -> re.Pattern[str]:
    part = r"[\w.@+-]++"
    extension = (
        "py|pyi|ipynb|js|jsx|ts|tsx|mjs|rs|go|java|kt|c|h|cc|cpp|hpp|cs|rb|php|swift|sh|bash|ps1|bat|sql|html?|css|scss|vue|json|jsonl"
        "|ya?ml|toml|ini|cfg|conf|env|xml|csv|tsv|txt|md|rst|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|mp[34]|wav|zip|tar|gz|log|lock|db"
    )
    return re.compile(
        rf"(?<![\w/.@+~-])(?:~|\.{{1,2}})?/{part}(?:/{part})*+/?"
        rf"|(?<![\w/.@+~-])[A-Za-z]:\\[\w.@+-]+(?:\\[\w.@+-]+)*+"
        rf"|(?<![\w/.@+-])(?:[\w@+-][\w.@+-]*+/){{2,}}+(?:{part})?"
        rf"|(?<![\w/.@+-])(?:[\w@+-]++/)?(?:[\w-]++\.)+(?:{extension})(?![\w/])"
    )


@cache
def _env() -> re.Pattern[str]:
    return re.compile(r"\$\{?[A-Z_][A-Z0-9_]+\}?|(?<![\w$])[A-Z][A-Z0-9]*+_[A-Z0-9_]++(?!\w)")


@cache
def _symbols() -> re.Pattern[str]:
    return re.compile(
        r"`([^`\n]{1,100}+)`"
        r"|(?<![\w.])[A-Za-z_]\w*+(?:(?:\.|::)\w++)*+\(\)"  # a call
        r"|(?<![\w.])[A-Za-z_]\w*+(?:::\w++)++"
        r"|(?<![\w/.-])_*+[a-z][a-z0-9]*+_\w++"  # snake_case
        r"|(?<![\w/.-])[a-z]{2,}+[A-Z]\w*+"  # camelCase; iPhone and eBay are names
        r"|(?<![\w-])[A-Z][A-Za-z]{0,9}-\d{1,8}(?![\w-])|(?<![\w/])\#\d{1,8}(?!\w)"  # ADR-016, #42
    )


@cache
def _dates() -> re.Pattern[str]:
    name = "|".join(sorted((month for month in MONTHS if len(month) > 2), key=len, reverse=True))
    year = r"(?:19|20)\d\d"
    day = r"\d{1,2}(?:st|nd|rd|th|\.)?"
    return re.compile(
        rf"(?<![\w.-])(?:{year}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
        rf"|(?i:{name})\.? {day}(?:,? {year})?(?!\d)|(?i:{name})\.?,? {year}|{day} (?:of "
        rf"|de )?(?i:{name})\.?(?:,? (?:de )?{year})?(?!\w)"
        rf"|\d{{1,2}}[/.]\d{{1,2}}[/.]{year}|{year}/\d{{1,2}}/\d{{1,2}})(?![\w])"
        rf"|(?:{year}\s?[年년]\s?)(?:\d{{1,2}}\s?[月월](?:\s?\d{{1,2}}\s?[日号號일])?)?|\d{{1,2}}[月월]\s?\d{{1,2}}[日号號일]"
        rf"|(?<![\w$€£¥.,-]){year}(?![\w%-]|[.,]\d)"
    )


@cache
def _quantities() -> re.Pattern[str]:
    number = r"\d{1,15}+(?:[.,]\d{1,12}+)*+"
    unit = (
        r"percent|per cent|seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?|years?|ms|µs|ns"
        r"|km|kilometers?|kilometres?|m"
        r"|meters?|metres?|cm|mm|miles?|mi|feet|ft|inch(?:es)?|kg|kilos?|g|grams?|mg|lbs?|pounds?|oz|ounces?"
        r"|l|liters?|litres?|ml"
        r"|[kKMGT]i?B|bytes?|bits?|[MGk]Hz|Hz|[kM]?W|kWh|V|A|°[CF]|degrees?|dollars?|euros?|USD|EUR|GBP|cents?"
        r"|people|users?|requests?|tokens?|times|items|pages|calories|kcal|steps|rows|points|votes"
        r"|Sekunden?|Minuten?|Stunden?|Tagen?|Wochen?|Monaten?|Jahren?|Prozent|Euro"
        r"|секунд\w*|минут\w*|час(?:а|ов)?|дн(?:я|ей)|недел\w+|месяц\w*|лет|года?|рубл\w*|процент\w*"
    )
    cjk = (
        "元|块|美元|万|億|亿|円|個|个|人|岁|歳|年|个月|ヶ月|か月|週間|周|天|日間|小时|時間|分钟|分|秒|公里|公斤|米|度|回|次"
        "|원|명|개|시간|분|초"
    )
    scale = r"(?: ?(?:k|K|m|M|bn|B|thousand|million|billion|Mio\.?|Mrd\.?)(?!\w))?"
    return re.compile(
        rf"[$€£¥₹₽] ?{number}{scale}|(?<![A-Za-z0-9_.,/:-]){number}(?: ?(?:%|‰|€|£|¥|₽)|{scale}[ -]?(?:{unit})(?!\w)"
        rf"|\s?(?:{cjk}))"
    )
