"""Fields of other programs' JSON, read without trust: a field of another type than expected is not there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from muniment.errors import InvalidInput
from muniment.model.times import Moment
from muniment.text import dates

TIME_LENGTH_MAX = 64
FIELD_LENGTH_MAX = 4096
TITLE_LENGTH_MAX = 1000


@dataclass(slots=True)
class Tally:
    """What a reading came across and did not hand over as turns."""

    bad_lines: int = 0
    tool_calls: int = 0
    abandoned: int = 0


def clean(text: str) -> str:
    """The text as any store can hold it: half surrogate pairs and NUL characters become U+FFFD."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def string(record: dict[str, Any], key: str) -> str | None:
    """The short text under `key`: an id, a path, a title. None when it is empty, over FIELD_LENGTH_MAX, or no text."""
    value = record.get(key)
    return clean(value) if isinstance(value, str) and 0 < len(value) <= FIELD_LENGTH_MAX else None


def mapping(record: dict[str, Any], key: str) -> dict[str, Any]:
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def mappings(value: object) -> list[dict[str, Any]]:
    """The objects of a list; nothing of anything else."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def moment(record: dict[str, Any], key: str) -> Moment | None:
    """The time under `key`; None when it is missing or cannot be understood."""
    value = string(record, key)
    if value is None or len(value) > TIME_LENGTH_MAX:
        return None
    try:
        return dates.parse(value)
    except InvalidInput:
        return None
