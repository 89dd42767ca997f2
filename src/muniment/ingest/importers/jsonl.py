"""Muniment's own JSON Lines: one turn a line, as `session`, `speaker`, `text` and optionally `time`, `id`, `workspace`.

A line is taken as it is or rejected with its reason; no line is repaired, and no other line suffers for it.
Sessions are not announced: a line says all that is known about its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from muniment.errors import InvalidInput
from muniment.ingest.importers.lines import Line, parse
from muniment.ingest.importers.values import TIME_LENGTH_MAX, Tally, time
from muniment.model.turns import Incoming, IncomingTurn, Rejected
from muniment.model.writing import TEXT_LENGTH_MAX

CLIENT = "jsonl"
REQUIRED = ("session", "speaker", "text")
LENGTHS_MAX = {
    "session": 500,
    "speaker": 500,
    "text": TEXT_LENGTH_MAX,
    "time": TIME_LENGTH_MAX,
    "id": 500,
    "workspace": 200,
}
# A reason names this many unknown fields and this much of each.
UNKNOWN_NAMED_MAX = 3
NAME_SHOWN_MAX = 40


class Turns:
    """Makes turns of the lines of one file. It remembers nothing between lines."""

    def __init__(self, path: Path, offset: int, stop: int | None, tally: Tally) -> None:
        self._file = path.name

    def take(self, line: Line, record: dict[str, Any]) -> Iterable[Incoming]:
        return (turn(line.number, record, self._file),)


def read_text(text: str) -> Iterator[Incoming]:
    """The turns of a whole text, and a Rejected for every line that is none; blank lines are passed over."""
    for number, data in enumerate(text.encode("utf-8", "replace").splitlines(), 1):
        record = parse(Line(number, 0, 0, data, complete=True))
        if isinstance(record, dict):
            yield turn(number, record)
        elif record:
            yield Rejected(number, record)


def turn(number: int, record: dict[str, Any], file: str | None = None) -> IncomingTurn | Rejected:
    """The turn that one object holds, or why it holds none."""
    fault = _fault(record)
    if fault:
        return Rejected(number, fault)
    written = record.get("time")
    try:
        at = None if written is None else time(written)
    except InvalidInput as bad:
        return Rejected(number, f"`time` cannot be understood: {bad.message} {bad.do_next}")
    own_id, workspace = record.get("id"), record.get("workspace")
    return IncomingTurn(
        session=record["session"],
        speaker=record["speaker"],
        text=record["text"],
        at=at,
        id=own_id,
        source_ref=f"{file}#{number}" if file else None,
        line=number,
        workspace=workspace,
    )


def _fault(record: dict[str, Any]) -> str | None:
    """Why an object is no turn, in words for a person; None when it is one."""
    for name, value in record.items():
        length_max = LENGTHS_MAX.get(name)
        if length_max is None:
            return _unknown([name for name in record if name not in LENGTHS_MAX])
        if value is None:
            continue
        if not isinstance(value, str):
            return f"`{name}` is no text but {_sort(value)}"
        if not value or value.isspace():
            return f"`{name}` is empty"
        if len(value) > length_max:
            return f"`{name}` is longer than {length_max:,} characters"
    for name in REQUIRED:
        if record.get(name) is None:
            return f"`{name}` is missing"
    return None


def _unknown(names: list[str]) -> str:
    from difflib import get_close_matches  # only faulty files pay for it

    said, fields = [], f" (a turn has {', '.join(LENGTHS_MAX)})"
    for name in names[:UNKNOWN_NAMED_MAX]:
        shown = name[:NAME_SHOWN_MAX]
        near = get_close_matches(shown.lower(), LENGTHS_MAX, 1)
        said.append(f"`{shown}` is no field of a turn" + (f" (did you mean `{near[0]}`?)" if near else fields))
        fields = fields if near else ""  # once is enough
    more = len(names) - UNKNOWN_NAMED_MAX
    return "; ".join(said) + (f"; and {more} more" if more > 0 else "")


def _sort(value: object) -> str:
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case list():
            return "a list"
    return "an object"
