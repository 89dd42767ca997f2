"""Where clients keep their histories, and whose a given file is. Looks only; opens nothing but what it is asked about."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from muniment.errors import InvalidInput
from muniment.ingest.importers import claude_code, codex, jsonl, lines

# A history shows its client in its first lines, though some of them are rare or broken ones.
SNIFFED_LINES_MAX = 20
_CODEX_TYPES = frozenset(
    ("session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state", "token_usage_record")
)


@dataclass(frozen=True, slots=True)
class Found:
    """A session file of a client. `size` is in bytes, as it lies on the disk."""

    path: Path
    client: str
    size: int


def discover(client: str, home: Path, environ: Mapping[str, str] | None = None) -> Iterator[Found]:
    """A client's session files under a home folder, newest first. Its own variables (CODEX_HOME …) move the folder.

    Of a session that lies there twice, as .jsonl and as .jsonl.zst, the plain file is meant. Raises InvalidInput
    for a client that keeps no sessions.
    """
    environ = os.environ if environ is None else environ
    match client:
        case claude_code.CLIENT:
            own = environ.get("CLAUDE_CONFIG_DIR")
            homes = [Path(own)] if own else [home / ".claude", home / ".config" / "claude"]
            found = _files([folder / "projects" for folder in homes], (".jsonl",))
        case codex.CLIENT:
            folder = Path(environ.get("CODEX_HOME") or home / ".codex")
            found = _plain_first(_files([folder / "sessions", folder / "archived_sessions"], (".jsonl", ".jsonl.zst")))
        case _:
            raise InvalidInput(f"No folder of {client!r} is known.", "Name a file instead.")
    for path, status in sorted(found, key=lambda each: (-each[1].st_mtime_ns, str(each[0]))):
        yield Found(path, client, status.st_size)


def sniff(path: Path) -> str | None:
    """The client that wrote a file, by its first lines; None when they are nobody's we know.

    Raises InvalidInput when the file cannot be read.
    """
    for line in islice(lines.read(path), SNIFFED_LINES_MAX):
        record = lines.parse(line)
        client = _client_of(record) if isinstance(record, dict) else None
        if client:
            return client
    return None


def _client_of(record: dict[str, Any]) -> str | None:
    sort = record.get("type")
    if "sessionId" in record or "parentUuid" in record or (sort == "summary" and "leafUuid" in record):
        return claude_code.CLIENT
    if isinstance(record.get("payload"), dict) and isinstance(sort, str) and sort in _CODEX_TYPES:
        return codex.CLIENT
    if {"id", "timestamp", "instructions"} <= record.keys() or "record_type" in record:
        return codex.CLIENT
    # Two of three: a file with a misspelt field is still one of ours, and each line then says what is wrong.
    return jsonl.CLIENT if len(record.keys() & set(jsonl.REQUIRED)) >= 2 else None


def _files(folders: list[Path], suffixes: tuple[str, ...]) -> list[tuple[Path, os.stat_result]]:
    found = []
    for folder in folders:
        for parent, _, names in os.walk(folder):
            for name in names:
                if name.endswith(suffixes):
                    path = Path(parent, name)
                    try:
                        found.append((path, path.stat()))
                    except OSError:
                        continue  # gone since the folder was listed, or a link to nothing
    return found


def _plain_first(found: list[tuple[Path, os.stat_result]]) -> list[tuple[Path, os.stat_result]]:
    """One file for each session: the plain one, else the first one listed."""
    chosen: dict[str, tuple[Path, os.stat_result]] = {}
    for each in found:
        name = each[0].name.removesuffix(lines.ZSTD_SUFFIX)
        if name not in chosen or (chosen[name][0].suffix == lines.ZSTD_SUFFIX and each[0].suffix != lines.ZSTD_SUFFIX):
            chosen[name] = each
    return list(chosen.values())
