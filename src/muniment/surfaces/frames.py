"""JSON as it crosses the edge: read strictly, written compactly. What cannot be read is InvalidInput, never a crash."""

from __future__ import annotations

import json
from typing import Any

from muniment.errors import InvalidInput, LimitExceeded

# Deeper than any request of ours; far below where Python's own recursion ends.
DEPTH_MAX = 64


def read(data: bytes) -> Any:
    """The value a JSON text holds. Raises InvalidInput for anything that is not JSON in UTF-8, LimitExceeded for depth."""
    try:
        value = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse)
    except UnicodeDecodeError as fault:
        raise InvalidInput(f"The text is not UTF-8 (byte {fault.start}).", "Send JSON in UTF-8.") from None
    except RecursionError:
        raise LimitExceeded("The JSON is nested too deeply.", f"Nest at most {DEPTH_MAX} levels.") from None
    except ValueError as fault:
        # Of the decoder's own words only the place is kept: they may quote what was sent.
        place = f" (line {fault.lineno}, column {fault.colno})" if isinstance(fault, json.JSONDecodeError) else ""
        raise InvalidInput(f"The text is not JSON{place}.", "Send one JSON value in UTF-8.") from None
    if _deep(value):
        raise LimitExceeded("The JSON is nested too deeply.", f"Nest at most {DEPTH_MAX} levels.")
    return value


def write(value: Any) -> bytes:
    """One line of JSON in UTF-8. A half of a character that a client sent becomes a question mark."""
    return text(value).encode("utf-8", "replace")


def text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEPTH_MAX):
        level = [
            part
            for whole in level
            if isinstance(whole, (dict, list))
            for part in (whole.values() if isinstance(whole, dict) else whole)
            if isinstance(part, (dict, list))
        ]
        if not level:
            return False
    return True
