"""Where a long text is cut: at headings, list items, fenced code and sentences, by exact code point offsets.

Always true here: passages are ordered, never overlap, and only white space lies outside them, so a record's text is
its passages and the gaps between them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from muniment.text.calendar_words import MONTHS

WHOLE_MAX = 1200  # up to here a text is one passage: most turns are
GROUP_MIN = 240  # a passage of fewer characters takes the next sentence in
GROUP_MAX = 480
SENTENCE_MAX = 600  # a longer sentence has no shape to go by and is cut into windows
TAIL_MIN = 60  # a shorter rest joins the passage before it
WORD_BACK_MAX = 16  # characters looked at around a full stop

_CLOSERS = "\"'”’»)]}」』）】》〉"
_ABBREVIATIONS = frozenset(
    """
    mr mrs ms dr prof sr jr st vs etc e.g i.e cf al approx dept est fig figs inc ltd co corp no nos
    vol pp ed eds rev gen col capt
    lt sgt gov sen rep hon pres mt ave blvd rd jan feb mar apr jun jul aug sep sept oct nov dec mon
    tue tues wed thu thur thurs
    fri sat sun a.m p.m u.s u.k u.n ph.d b.a m.a d.c
    z.b d.h u.a usw bzw ca nr str hr fr evtl ggf inkl vgl abs bd mme mlle m.me p.ej sra dra ud uds
    т.е т.д т.п т.к г гг ул им др пр см стр рис тыс млн млрд
    """.split()
)

_WESTERN = frozenset(".!?…")

Bounds = tuple[int, int]


def split(text: str, *, whole_max: int = WHOLE_MAX) -> list[Bounds]:
    """Passages of a text, half-open. One for a text of up to `whole_max` characters, none for blank text."""
    if len(text) <= whole_max:
        return [(0, len(text))] if text.strip() else []
    out: list[Bounds] = []
    for section in _sections(text):
        out += _grouped(section)
    return out


def sentences(text: str) -> list[Bounds]:
    """Sentences, headings, list items and code blocks of a text, in order, without the white space around them."""
    return [unit for section in _sections(text) for unit in section]


def _grouped(units: list[Bounds]) -> list[Bounds]:
    """Units that follow each other, together until GROUP_MIN is reached and never beyond GROUP_MAX."""
    out: list[Bounds] = []
    start = end = -1
    for low, high in units:
        if start >= 0 and (high - start > GROUP_MAX or end - start >= GROUP_MIN):
            out.append((start, end))
            start = -1
        if start < 0:
            start = low
        end = high
    if start >= 0:
        if out and end - start < TAIL_MIN and end - out[-1][0] <= SENTENCE_MAX:
            start = out.pop()[0]
        out.append((start, end))
    return out


def _sections(text: str) -> Iterator[list[Bounds]]:
    """The units between two headings; a heading is the first unit of its section."""
    units: list[Bounds] = []
    for kind, low, high in _blocks(text):
        if kind == "heading" and units:
            yield units
            units = []
        if kind == "code":
            units += _pieces(text, low, high, GROUP_MAX)
        else:
            units += (piece for bounds in _sentences(text, low, high) for piece in _pieces(text, *bounds, SENTENCE_MAX))
    if units:
        yield units


def _blocks(text: str) -> Iterator[tuple[str, int, int]]:
    """Headings, fenced code, list items and paragraphs: (kind, start, end), by line."""
    kind, start, end, fence = "", 0, 0, ""
    for low, high in _lines(text):
        shape = _line_shape().match(text, low, high)
        if fence:
            end = high
            if shape and shape.lastgroup == "fence" and shape["fence"].startswith(fence):
                yield "code", start, end
                kind, fence = "", ""
            continue
        sort = shape.lastgroup if shape else "text"
        if kind and (sort != "text" or kind == "heading"):
            yield kind, start, end
            kind = ""
        if sort == "blank":
            continue
        if not kind:
            kind, start = sort or "text", low
        end = high
        if shape and sort == "fence":
            kind, fence = "code", shape["fence"]
    if kind:
        yield kind, start, end


def _lines(text: str) -> Iterator[Bounds]:
    low, size = 0, len(text)
    while low < size:
        high = text.find("\n", low)
        high = size if high < 0 else high
        yield low, high
        low = high + 1


@cache
def _line_shape() -> re.Pattern[str]:
    return re.compile(
        r"[ \t]{0,12}(?:(?P<fence>```|~~~)|(?P<heading>\#{1,6}(?=[ \t]))|(?P<item>(?:[-*+•·▪◦–]|\(?\d{1,3}[.)、])(?=[ \t]))"
        r"|(?P<blank>[ \t\r\f\v\u3000]*+$))"
    )


def _sentences(text: str, low: int, high: int) -> Iterator[Bounds]:
    start = low
    for found in _stops().finditer(text, low, high):
        if _ends(text, found, start, high):
            yield start, found.end()
            start = found.end()
    yield start, high


@cache
def _stops() -> re.Pattern[str]:
    return re.compile(rf"[.!?…。！？｡؟۔।॥።។။]++[{re.escape(_CLOSERS)}]*+")


def _ends(text: str, found: re.Match[str], start: int, high: int) -> bool:
    """Whether a sentence ends here: not within numbers, versions, URLs, abbreviations and initials."""
    stop, end = found.group(), found.end()
    if not _WESTERN.issuperset(stop[0]):
        return True
    if end < high and not text[end].isspace():
        return False
    if stop[0] != "." or stop[:2] == "..":
        return True
    word = _last_word(text, max(start, found.start() - WORD_BACK_MAX), found.start())
    if word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word.isupper()) or _dotted().fullmatch(word):
        return False
    return not (word.isdigit() and len(word) <= 2 and _next_word(text, end, high).lower() in MONTHS)


def _last_word(text: str, low: int, high: int) -> str:
    words = text[low:high].split()
    return words[-1].lstrip("(\"'“„«[") if words else ""


def _next_word(text: str, low: int, high: int) -> str:
    words = text[low : min(high, low + WORD_BACK_MAX)].split()
    return words[0].strip(".,;:") if words else ""


@cache
def _dotted() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_](?:\.[^\W\d_])+")


def _pieces(text: str, low: int, high: int, longest: int) -> Iterator[Bounds]:
    """The span without white space around it; in pieces where it is longer than `longest`, cut at lines or spaces."""
    while (low := _skip(text, low, high)) < high:
        if high - low <= longest:
            yield low, _trim(text, low, high)
            return
        cut = _cut(text, low + GROUP_MIN, low + GROUP_MAX)
        yield low, _trim(text, low, cut)
        low = cut


def _cut(text: str, low: int, high: int) -> int:
    """Where to cut between two offsets: after the last line, space or comma there; else before a whole character."""
    for mark in ("\n", " ", "，", "、", ","):
        found = text.rfind(mark, low, high)
        if found >= 0:
            return found + 1
    cut = high
    while cut > low and unicodedata.category(text[cut]) in ("Mn", "Mc", "Me"):
        cut -= 1
    return cut


def _skip(text: str, low: int, high: int) -> int:
    found = _solid().search(text, low, high)
    return high if found is None else found.start()


def _trim(text: str, low: int, high: int) -> int:
    while high > low and text[high - 1].isspace():
        high -= 1
    return high


@cache
def _solid() -> re.Pattern[str]:
    return re.compile(r"\S")
