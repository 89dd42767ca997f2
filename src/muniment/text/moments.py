"""Dates and times as sources write them, read as moments.

Always true here: a time without a zone stays one (`zone=None`), and nothing reads the machine's clock.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, datetime, timedelta, timezone
from functools import cache

from muniment.errors import InvalidInput
from muniment.model.times import DAY_MS, Moment, moment
from muniment.text.calendar_words import MONTHS

ACCEPTED = (
    "Use ISO 8601 (2023-05-08T13:56:00Z, 2023-05-08 13:56, 2023-05-08), seconds or milliseconds since 1970, "
    "RFC 2822, or a date such as May 8, 2023."
)
TEXT_MAX = 80  # no date is longer; more is refused before any pattern sees it
MILLISECONDS_FROM = 100_000_000_000  # as seconds this would be the year 5138: such numbers are milliseconds
YEARS = (1, 9999)  # the first and last year of a datetime are left out: a zone could carry a time beyond them
EPOCH_MS_MIN, EPOCH_MS_MAX = -62_104_060_800_000, 253_370_764_799_999


def parse(text: str | int | float) -> Moment:
    """A moment as sources write it. Raises InvalidInput, naming what is accepted."""
    if isinstance(text, bool):
        raise InvalidInput(f"{text!r} is not a time.", ACCEPTED)
    if isinstance(text, int | float):
        return _epoch(float(text), str(text))
    written = _bracketed().sub(" ", " ".join(text[: TEXT_MAX + 1].split())).strip()
    if not written or len(text) > TEXT_MAX:
        raise InvalidInput(f"{text[:TEXT_MAX]!r} is not a time.", ACCEPTED)
    if _number().fullmatch(written) and not _basic_shape().fullmatch(written):
        return _epoch(float(written), written)
    for read in (_iso, _basic, _worded, _rfc):
        try:
            found = read(written)
        except (ValueError, OverflowError, IndexError):
            found = None
        if found is not None and YEARS[0] < found.year < YEARS[1]:
            return moment(found)
    raise InvalidInput(f"{text!r} is not a time.", ACCEPTED)


def until(text: str | int | float) -> Moment:
    """A moment to look back from: a date without a time of day reaches to the end of that day, a month to its end.

    Raises InvalidInput as `parse` does.
    """
    found = parse(text)
    days = _days(text, found) if isinstance(text, str) else 0
    return Moment(found.ms + days * DAY_MS - 1, found.zone) if days else found


def _days(text: str, found: Moment) -> int:
    """How many days a written date covers; 0 for what names a time of day."""
    written = _bracketed().sub(" ", " ".join(text.split())).strip()
    shape = _iso_shape().fullmatch(written) or _basic_shape().fullmatch(written)
    if shape is not None:
        timed = shape["hour"] is not None
    else:
        shape = _day_shape().fullmatch(_trimmed(written))
        timed = shape is None or _clock_shape().search(written) is not None
    if timed or shape is None:
        return 0
    day = shape.groupdict()
    if any(value for name, value in day.items() if "day" in name):
        return 1
    at = found.local()
    return monthrange(at.year, at.month)[1]


def _epoch(value: float, written: str) -> Moment:
    """Seconds or milliseconds since 1970, told apart by size; an instant, so its zone is UTC."""
    ms = value if abs(value) >= MILLISECONDS_FROM else value * 1000
    if not EPOCH_MS_MIN <= ms <= EPOCH_MS_MAX:
        raise InvalidInput(f"{written!r} is not a time.", ACCEPTED)
    return Moment(round(ms), 0)


@cache
def _number() -> re.Pattern[str]:
    return re.compile(r"-?\d{5,16}(?:\.\d{1,9})?", re.ASCII)


def _iso(written: str) -> datetime | None:
    """ISO 8601 as it is met: a space for the T, slashes for hyphens, a blank before the offset, more than six decimals."""
    found = _iso_shape().fullmatch(written)
    if found is None:
        return None
    year, month, day = (int(found[name] or 1) for name in ("year", "month", "day"))
    second = int(found["second"] or 0)
    at = datetime(year, month, day, int(found["hour"] or 0), int(found["minute"] or 0), min(second, 59))  # noqa: DTZ001
    if found["fraction"]:
        at += timedelta(microseconds=int(found["fraction"][:6].ljust(6, "0")))
    return _zoned(at, found["zone"])


def _basic(written: str) -> datetime | None:
    """20230508 and 20230508T135600Z: eight digits are a date, for as seconds they would be in the year 1970."""
    found = _basic_shape().fullmatch(written)
    if found is None:
        return None
    at = datetime(int(found["year"]), int(found["month"]), int(found["day"]))  # noqa: DTZ001
    clock = timedelta(hours=int(found["hour"] or 0), minutes=int(found["minute"] or 0), seconds=int(found["second"] or 0))
    return _zoned(at + clock, found["zone"])


@cache
def _basic_shape() -> re.Pattern[str]:
    return re.compile(
        r"(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])"
        r"(?:T(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)(?P<second>[0-5]\d)?)?(?P<zone>Z|[+-]\d{2}:?(?:\d{2})?)?",
        re.ASCII,
    )


@cache
def _bracketed() -> re.Pattern[str]:
    return re.compile(r"\s*\([^()]{1,40}\)\s*")  # a weekday or a zone's name in brackets


@cache
def _iso_shape() -> re.Pattern[str]:
    return re.compile(
        r"(?P<year>\d{4})(?:(?P<sep>[-/.])(?P<month>\d{1,2})(?:(?P=sep)(?P<day>\d{1,2}))?)"
        r"(?:[T ,]\s?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?)?"
        r"\s?(?P<zone>Z|z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?",
        re.ASCII,
    )


def _zoned(at: datetime, zone: str | None) -> datetime:
    if not zone:
        return at
    if zone.upper() in ("Z", "UTC", "GMT"):
        return at.replace(tzinfo=UTC)
    digits = zone[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return at.replace(tzinfo=timezone(-offset if zone[0] == "-" else offset))


def _worded(written: str) -> datetime | None:
    """March-15-2024; May 8, 2023; 8 May 2023; 1:56 pm on 8 May, 2023; 2023年5月8日; 8. Mai 2023 um 13:56."""
    clock = _clock_shape().search(written)
    rest = written if clock is None else f"{written[: clock.start()]} {written[clock.end() :]}"
    found = _day_shape().fullmatch(_trimmed(rest))
    if found is None:
        return None
    if found["cjk_year"]:
        year, month, day = int(found["cjk_year"]), int(found["cjk_month"]), int(found["cjk_day"] or 1)
    else:
        name = (found["month1"] or found["month2"]).lower().rstrip(".")
        if name not in MONTHS:
            return None
        year, month, day = int(found["year"]), MONTHS[name], int(found["day1"] or found["day2"] or 1)
    if clock is None:
        return datetime(year, month, day)  # noqa: DTZ001
    zone = (clock["zone"] or "").upper()
    hour, half = int(clock["hour"]), (clock["half"] or clock["half2"] or "").lower().replace(".", "")
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    at = datetime(year, month, day, hour, int(clock["minute"] or 0), int(clock["second"] or 0))  # noqa: DTZ001
    return _zoned(at, zone if len(zone) <= 3 else zone.removeprefix("GMT").removeprefix("UTC"))


def _trimmed(text: str) -> str:
    """Without weekday, "on", "at", "um" and commas: what is left is the day."""
    words = re.split(r"[\s,]+", text)
    return " ".join(word for word in words if word and word.lower().rstrip(".") not in _FILLERS)


_FILLERS = frozenset(
    "on at um le el de the of à den am a las los and monday tuesday wednesday thursday friday saturday sunday mon tue tues wed "
    "thu thur thurs fri sat sun montag dienstag mittwoch donnerstag freitag samstag sonntag uhr г в года".split()
)


@cache
def _clock_shape() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\d:])(?P<hour>[01]?\d|2[0-3])(?::(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?\s?(?P<half>[ap]\.?m\.?)?"
        r"|\s?(?P<half2>[ap]\.?m\.?))(?:\s?(?P<zone>(?:GMT|UTC)?[+-]\d{2}:?\d{2}|Z|GMT|UTC))?(?![\w:])",
        re.IGNORECASE | re.ASCII,
    )


@cache
def _day_shape() -> re.Pattern[str]:
    day = r"(?P<day{n}>\d{{1,2}})(?:st|nd|rd|th|er|\.)?"
    name = r"(?P<month{n}>[^\W\d_]{{3,12}}\.?)"
    return re.compile(
        rf"(?:{name.format(n=1)}[ -]{day.format(n=1)}|{day.format(n=2)}[ -]?{name.format(n=2)})[ -](?P<year>\d{{4}})"
        r"|(?P<cjk_year>\d{4}) ?[年년] ?(?P<cjk_month>\d{1,2}) ?[月월](?: ?(?P<cjk_day>\d{1,2}) ?[日号號일])?"
    )


def _rfc(written: str) -> datetime | None:
    """RFC 2822; an unknown zone ("-0000") stays none."""
    from email.utils import parsedate_to_datetime  # a tenth of what a hook may take in all, and seldom needed

    return parsedate_to_datetime(written)
