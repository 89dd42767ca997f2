"""One pass over one history file: the values it holds, and where the next pass continues.

`offset` always stands behind the line whose last value was handed over, so a caller that stores what it got may keep
`offset` with it at any moment and lose nothing. A half-written last line is never passed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

from muniment.errors import InvalidInput
from muniment.ingest.importers import claude_code, codex, jsonl, lines
from muniment.ingest.importers.lines import Line
from muniment.ingest.importers.values import Tally
from muniment.model.turns import Incoming, Rejected

HALF_WRITTEN = "the last line is half-written; it is read again once it is complete"


class Importer(Protocol):
    """What makes values of one file's lines, given path, offset, stop and the tally to keep."""

    def take(self, line: Line, record: dict[str, Any]) -> Iterable[Incoming]: ...


IMPORTERS: dict[str, Callable[[Path, int, int | None, Tally], Importer]] = {
    claude_code.CLIENT: claude_code.Transcript,
    codex.CLIENT: codex.Rollout,
    jsonl.CLIENT: jsonl.Turns,
}
CLIENTS = tuple(IMPORTERS)


class Reading:
    """Iterate it once for the values; then, or meanwhile, see where it stands and what it counted.

    `offset`: where to resume. `unfinished`: the last line is half-written. `more`: `bytes_max` ended the pass, not
    the file. `tally` counts bad lines (each one a Rejected value), tool calls and abandoned turns.
    """

    def __init__(self, path: Path, client: str, offset: int = 0, bytes_max: int | None = None) -> None:
        self.offset = offset
        self.unfinished = False
        self.more = False
        self.tally = Tally()
        self._path = path
        self._client = client
        self._bytes_max = bytes_max
        self._last: Line | None = None

    @property
    def bad_lines(self) -> int:
        return self.tally.bad_lines

    @property
    def tool_calls(self) -> int:
        return self.tally.tool_calls

    @property
    def abandoned(self) -> int:
        return self.tally.abandoned

    @property
    def tail_hash(self) -> str | None:
        """Knows the last line before `offset` again (see `resume_at`); None when no line stands there."""
        return lines.tail_hash(self._last.data) if self._last else lines.tail_hash_at(self._path, self.offset)

    def __iter__(self) -> Iterator[Incoming]:
        size = lines.size(self._path)
        wanted = None if self._bytes_max is None else self.offset + self._bytes_max
        stop = min((bound for bound in (size, wanted) if bound is not None), default=None)
        importer = IMPORTERS[self._client](self._path, self.offset, stop, self.tally)
        for line in lines.read(self._path, self.offset, stop):
            record = lines.parse(line)
            if isinstance(record, dict):
                yield from self._hand_over(line, importer.take(line, record))
            elif line.complete:
                yield from self._hand_over(line, (Rejected(line.number, record),) if record else ())
            elif record:
                self.unfinished = True
                self.tally.bad_lines += 1
                yield Rejected(line.number, HALF_WRITTEN)
        reached = wanted is not None and self.offset >= wanted
        self.more = reached and (size is None or self.offset < size)

    def _hand_over(self, line: Line, values: Iterable[Incoming]) -> Iterator[Incoming]:
        """Yield a line's values; the last one leaves only when the line counts as done."""
        pending: Incoming | None = None
        for value in values:
            if pending is not None:
                yield pending
            pending = value
            self.tally.bad_lines += isinstance(value, Rejected)
        self.offset = line.end
        self._last = line
        if pending is not None:
            yield pending


def open_file(path: Path, client: str, *, offset: int = 0, bytes_max: int | None = None) -> Reading:
    """A pass over `path` from `offset` on, over about `bytes_max` bytes if given (always whole lines).

    Raises InvalidInput for an unknown client; iterating raises it for a file that cannot be read.
    """
    if client not in IMPORTERS:
        raise InvalidInput(f"No history of {client!r} can be read.", f"Name one of {', '.join(CLIENTS)}.")
    return Reading(path, client, offset, bytes_max)


def resume_at(path: Path, offset: int, tail_hash: str | None) -> int:
    """`offset` while the line before it is still the one that was read, else 0: the file was replaced or cut."""
    return offset if tail_hash is not None and lines.tail_hash_at(path, offset) == tail_hash else 0
