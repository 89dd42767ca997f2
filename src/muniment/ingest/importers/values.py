"""Fields of other programs' JSON, read without trust: a field of another type than expected is not there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from muniment.errors import InvalidInput
from muniment.model.times import Moment
from muniment.model.times import moment as moment_of
from muniment.text import dates

TIME_LENGTH_MAX = 64
FIELD_LENGTH_MAX = 4096
TITLE_LENGTH_MAX = 1000
# Years 1 and 9999 are left to the long way, which refuses them.
_INSTANT = re.compile(r"[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z", re.ASCII)


@dataclass(slots=True)
class Tally:
    """What a reading came across and did not hand over as turns."""

    bad_lines: int = 0
    tool_calls: int = 0
    abandoned: int = 0


def string(record: dict[str, Any], key: str) -> str | None:
    """The short text under `key`: an id, a path, a title. None when it is empty, over FIELD_LENGTH_MAX, or no text."""
    value = record.get(key)
    return value if isinstance(value, str) and 0 < len(value) <= FIELD_LENGTH_MAX else None


def mapping(record: dict[str, Any], key: str) -> dict[str, Any]:
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def mappings(value: object) -> list[dict[str, Any]]:
    """The objects of a list; nothing of anything else."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def moment(record: dict[str, Any], key: str) -> Moment | None:
    """The time under `key`; None when it is missing or cannot be understood."""
    value = record.get(key)
    if not isinstance(value, str) or len(value) > TIME_LENGTH_MAX:
        return None
    try:
        return time(value)
    except InvalidInput:
        return None


def time(text: str) -> Moment:
    """What `dates.parse` reads, with a short way (four times as fast) for the one form that every client writes."""
    if _INSTANT.fullmatch(text):
        try:
            return moment_of(datetime.fromisoformat(text))
        except ValueError:
            pass  # a leap second, or no date at all: the long way knows
    return dates.parse(text)
