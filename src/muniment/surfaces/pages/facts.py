"""What a page says in pairs, and times as people write them: "30 November 2026, 17:21 UTC".

The zone is the one that the time was given in; a time that came without one is shown without one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

MONTHS = ("January February March April May June July August September October November December").split()
HOUR = timedelta(hours=1)


# Under these names stand times, if what stands there is one.
TIMES = frozenset({"said at", "recorded at", "from", "to"})
CODES = frozenset({"ref"})


@dataclass(frozen=True, slots=True)
class Fact:
    """`iso` is the value for programs where it is a time. `code`: the value is a name that programs made."""

    name: str
    value: str
    iso: str = ""
    code: bool = False


def listed(told: Iterable[tuple[str, str]]) -> list[Fact]:
    """What is known of a record or a session as a page shows it, from label and value."""
    return [time(name, value) if name in TIMES else Fact(name, value, code=name in CODES) for name, value in told]


def time(name: str, iso: str) -> Fact:
    """A fact from a time in ISO 8601; one like any other when it is none."""
    words = moment(iso)
    return Fact(name, words, iso if words != iso else "")


def moment(iso: str) -> str:
    """A time as people write it, to the minute; what is no time in ISO 8601 stays as it is."""
    if "T" not in iso:  # a day, or the number of something
        return iso
    try:
        at = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    return f"{day(at)}, {at:%H:%M}{_zone(at.utcoffset())}"


def day(at: datetime) -> str:
    return f"{at.day} {MONTHS[at.month - 1]} {at.year}"


def _zone(offset: timedelta | None) -> str:
    if offset is None:
        return ""
    if not offset:
        return " UTC"
    hours, rest = divmod(abs(offset), HOUR)
    return f" UTC{'+' if offset > timedelta() else '−'}{hours}{f':{rest.seconds // 60:02}' if rest else ''}"
