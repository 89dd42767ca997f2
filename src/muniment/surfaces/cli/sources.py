"""From the words of a command line to what is to be read: files, folders, a client's sessions, a pipe.

A file is looked at before it is taken: what is no text, or nobody's history, is refused with the reason.
"""

from __future__ import annotations

import fnmatch
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

import muniment
from muniment.errors import InvalidInput, UnknownWorkspace

if TYPE_CHECKING:
    from muniment.context import Context
    from muniment.model.turns import Incoming

SAMPLE = Path(muniment.__file__).parent / "samples" / "harbour.jsonl"
PIPE = "-"
TURNS = (".jsonl", ".ndjson", ".jsonl.zst")
FORMATS: dict[str, Literal["text", "markdown", "html"]] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".rst": "text",
    ".org": "text",
    ".html": "html",
    ".htm": "html",
}
DOCUMENT_BYTES_MAX = 40_000_000
FILES_MAX = 100_000
STEP_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to read. `path` is None for a pipe; `sort` is jsonl, document, or the client whose session it is.

    `pinned`: everything goes to the current workspace, since somebody named it.
    """

    path: Path | None
    sort: str
    size: int = 0
    format: Literal["text", "markdown", "html"] = "text"
    title: str | None = None
    url: str | None = None
    pinned: bool = False
    paused: Callable[[Path], bool] = field(default=lambda folder: False)


def chosen(
    paths: tuple[str, ...],
    *,
    client: str | None,
    every: bool,
    sample: bool,
    title: str | None,
    url: str | None,
    pattern: str | None,
    pinned: bool,
) -> list[Source]:
    """What a command line names, in order; `pinned` when it names the workspace too.

    Raises UsageError for options that do not go together.
    """
    if every and (client is None or paths):
        raise click.UsageError("--all goes with --client and without PATHS.")
    if not paths and not sample and client is None:
        raise click.UsageError("Name files or folders, - for a pipe, --sample, or --client.")
    found = [Source(SAMPLE, "jsonl", _size(SAMPLE))] if sample else []
    if client is not None and not paths:
        found += _sessions(client)
    for word in paths:
        found += [Source(None, "jsonl")] if word == PIPE else _named(Path(word).expanduser(), client, pattern)
    documents = sum(one.sort == "document" for one in found)
    if (title or url) and (documents != 1 or len(found) != 1):
        raise click.UsageError("--title and --url describe one document; name exactly one.")
    return [replace(one, title=title, url=url, pinned=pinned) for one in found]


def turns(one: Source) -> Iterator[tuple[Incoming, int]]:
    """The values of JSON Lines, each with how many bytes were read so far. One line is held at a time."""
    from muniment.ingest.importers import jsonl, lines, open_file

    if one.path is not None:
        reading = open_file(one.path, "jsonl")
        for value in reading:
            yield value, reading.offset
        return
    from muniment.model.turns import Rejected

    stream = sys.stdin.buffer
    number = position = 0
    while data := stream.readline(lines.LINE_BYTES_MAX + 1):
        number, position = number + 1, position + len(data)
        fault = None if len(data) <= lines.LINE_BYTES_MAX else f"It is longer than {lines.LINE_BYTES_MAX} bytes."
        while fault and not data.endswith(b"\n") and (data := stream.readline(lines.LINE_BYTES_MAX)):
            position += len(data)
        record = lines.parse(lines.Line(number, 0, 0, data, complete=True, fault=fault))
        if isinstance(record, dict):
            yield jsonl.turn(number, record), position
        elif record:
            yield Rejected(number, record), position


def placed(context: Context, incoming: Iterator[Incoming], *, dry_run: bool) -> Iterator[Incoming]:
    """Makes the workspaces that lines name, when they are not there yet; a dry run counts those lines as the current one's.

    A name that is no slug, or nearly that of another workspace, rejects the lines that bear it and no others.
    """
    from muniment.governance import workspaces
    from muniment.model.turns import IncomingTurn, Rejected
    from muniment.store import workspaces as held

    with context.store.read() as connection:
        known = {place.slug for place in held.all_of(connection)}
    refused: dict[str, str] = {}
    for one in incoming:
        if isinstance(one, IncomingTurn) and one.workspace:
            slug = one.workspace.strip().lower()
            if slug not in known and slug not in refused and not dry_run:
                try:
                    workspaces.ensure(context, slug)
                    known.add(slug)
                except (InvalidInput, UnknownWorkspace) as fault:
                    refused[slug] = str(fault)
            if slug in refused:
                yield Rejected(one.line, refused[slug])
                continue
            if slug not in known:
                one = replace(one, workspace=None)
        yield one


def text_of(path: Path) -> str:
    """A document's text. Raises InvalidInput for what is no text, or too long to be one."""
    try:
        with path.open("rb") as file:
            # Never more than may be kept, whatever size is told: a pipe or a device tells none, and may have no end.
            data = file.read(DOCUMENT_BYTES_MAX + 1)
    except OSError as fault:
        raise InvalidInput(f"{path} cannot be read ({fault.strerror}).", "Name a file that you may read.") from fault
    if len(data) > DOCUMENT_BYTES_MAX:
        raise InvalidInput(f"The file has more than {DOCUMENT_BYTES_MAX:,} bytes, which are the most.", "Split it.")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise InvalidInput("The file is no text in UTF-8.", "Convert it to text first.") from None
    if "\0" in text:
        raise InvalidInput("The file is no text: it holds NUL characters.", "Convert it to text first.")
    return text


def _named(path: Path, client: str | None, pattern: str | None) -> list[Source]:
    if not path.exists():
        raise InvalidInput(f"There is no {path}.", "Correct the path.")
    if not path.is_dir():
        return [_file(path, client)]
    found = [_file(one, client) for one in _inside(path, client, pattern)]
    if not found:
        raise InvalidInput(f"{path} holds nothing to keep.", f"Files are taken that end in {', '.join((*TURNS, *FORMATS))}.")
    return found


def _inside(folder: Path, client: str | None, pattern: str | None) -> list[Path]:
    """The files below a folder that can be kept, in order.

    Hidden ones are left alone, and so are links to folders and links that lead out: whoever wrote the folder does not get
    another file of its reader into memory.
    """
    home = folder.resolve()
    endings = TURNS if client else (*TURNS, *FORMATS)
    found: list[Path] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            wanted = fnmatch.fnmatch(name, pattern) if pattern else name.lower().endswith(endings)
            path = Path(parent, name)
            if wanted and not name.startswith(".") and path.is_file() and _stays(path, home):
                found.append(path)
        if len(found) > FILES_MAX:
            raise InvalidInput(f"{folder} holds more than {FILES_MAX:,} files.", "Name smaller folders, or use --glob.")
    return found


def _stays(path: Path, home: Path) -> bool:
    """Whether a file of a folder lies in it. The folders on the way are no links, so that only the last step can lead out."""
    return not path.is_symlink() or path.resolve().is_relative_to(home)


def _file(path: Path, client: str | None) -> Source:
    if client is not None:
        return Source(path, client, _size(path))
    if not path.name.lower().endswith(TURNS):
        return Source(path, "document", _size(path), format=FORMATS.get(path.suffix.lower(), "text"))
    from muniment.ingest.importers import discover

    # What shows no client in its first lines is read as turns, and each line then says what is wrong with it.
    return Source(path, discover.sniff(path) or "jsonl", _size(path))


def _sessions(client: str) -> list[Source]:
    """Everything a client keeps in the home folder; what was said in paused folders stays out."""
    from muniment.access import pauses
    from muniment.ingest.importers import discover

    held = pauses.listed()
    found = [
        Source(one.path, client, one.size, paused=lambda folder: pauses.covers(held, folder))
        for one in discover.discover(client, Path.home())
    ]
    if not found:
        raise InvalidInput(f"No sessions of {client} were found in your home folder.", "Name the files or folders instead.")
    return found


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
