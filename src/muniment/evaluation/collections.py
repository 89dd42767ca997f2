"""Data sets as one frozen form: items that a memory keeps, and questions with the items that hold their evidence.

A set is always named by a path; none is looked for, fetched or kept. Every gold id is the id of an item of its collection.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from muniment.errors import InvalidInput

FORMAT = "memory-recall-1"
ENDINGS = (".json", ".json.gz")
UNANSWERABLE = "unanswerable"
# A question that names the wrong person: its figures stand beside the overall ones, never in them.
APART = frozenset({"adversarial", UNANSWERABLE})
FILE_BYTES_MAX = 1 << 30
HASHED_AT_ONCE = 1 << 20
KNOWN_FORMS = "memory-recall-1, LoCoMo, LongMemEval and BEAM files can be read."


@dataclass(frozen=True, slots=True)
class Item:
    """What is kept: a turn with its speaker and session, or a text of its own. `time` is as the source wrote it."""

    id: str
    text: str
    speaker: str | None = None
    session: str | None = None
    time: str | None = None
    note: str | None = None

    @property
    def full(self) -> str:
        """The text with what came along with it, such as the caption of a picture."""
        return f"{self.text} {self.note}" if self.note else self.text


@dataclass(frozen=True, slots=True)
class Question:
    """`gold` names the items that hold the evidence; none means that nothing does, and memory should say so.

    `stale` are items that say what no longer holds; `now` is the moment the question is asked at.
    """

    id: str
    text: str
    gold: tuple[str, ...]
    category: str
    stale: tuple[str, ...] = ()
    now: str | None = None
    sessions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Collection:
    """One memory's worth of items with the questions on it. `sha256` is that of the file it came from."""

    name: str
    file: str
    sha256: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]


def walk(paths: Sequence[Path]) -> Iterator[Collection]:
    """Every collection in the files and folders, in name order. Raises InvalidInput for a file that is none."""
    for path in paths:
        if not path.exists():
            raise InvalidInput(f"There is no file {path}.", "Name a data set file, or a folder of them.")
        found = False
        for file in _files(path):
            found = True
            yield from read(file)
        if not found:
            raise InvalidInput(f"{path} holds no .json or .json.gz file.", KNOWN_FORMS)


def read(path: Path) -> Iterator[Collection]:
    """The collections of one file, whichever known form it has."""
    from muniment.evaluation import foreign

    hashed = digest(path)
    if foreign.is_streamed(path):
        yield from foreign.long_mem_eval(path, hashed)
        return
    held = load(path)
    if isinstance(held, dict) and held.get("format") == FORMAT:
        yield _own(held, path, hashed)
    elif foreign.is_locomo(held):
        yield from foreign.locomo(held, path, hashed)
    elif foreign.is_beam(held):
        yield foreign.beam(held, path, hashed)
    else:
        raise InvalidInput(f"{path} is no data set that is known here.", KNOWN_FORMS)


def load(path: Path) -> Any:
    """The JSON of a file, unpacked if it is gzipped. Raises InvalidInput."""
    try:
        raw = path.read_bytes()
        if path.name.endswith(".gz"):
            unpacking = zlib.decompressobj(wbits=31)
            raw = unpacking.decompress(raw, FILE_BYTES_MAX)
            if not unpacking.eof:
                raise InvalidInput(f"{path} is damaged, or larger than {FILE_BYTES_MAX:,} bytes unpacked.", KNOWN_FORMS)
        return json.loads(raw)
    except (OSError, zlib.error, ValueError, RecursionError) as fault:
        raise InvalidInput(f"{path} cannot be read: {fault}.", KNOWN_FORMS) from fault


def checked(collection: Collection) -> Collection:
    """The collection, once its ids fit together. Raises InvalidInput with the first that does not."""
    known = {item.id for item in collection.items}
    if len(known) != len(collection.items):
        raise InvalidInput(f"{collection.file}: two items of {collection.name} have one id.")
    for question in collection.questions:
        if missing := {*question.gold, *question.stale} - known:
            raise InvalidInput(f"{collection.file}: question {question.id} names items that are not there: {sorted(missing)}.")
    return collection


def placed(items: Iterable[Item], questions: Iterable[Question]) -> tuple[Question, ...]:
    """The questions with the sessions of their gold items."""
    sessions = {item.id: item.session for item in items if item.session}
    return tuple(
        replace(question, sessions=tuple(dict.fromkeys(sessions[one] for one in question.gold if one in sessions)))
        for question in questions
    )


def _own(held: dict[str, Any], path: Path, digest: str) -> Collection:
    try:
        items = tuple(_item(one) for one in held["items"])
        questions = [_question(one) for one in held["queries"]]
        questions += [
            Question(str(one["id"]), one["query"], (), UNANSWERABLE, now=one.get("now")) for one in held.get(UNANSWERABLE, [])
        ]
        name = str(held.get("name") or path.stem)
    except (KeyError, TypeError, AttributeError) as fault:
        raise InvalidInput(f"{path} is no complete {FORMAT} file: {fault!r}.", "Compare it with evals/README.md.") from fault
    return checked(Collection(name, path.name, digest, items, placed(items, questions)))


def _item(one: dict[str, Any]) -> Item:
    session = one.get("session")
    return Item(
        str(one["id"]),
        str(one["text"]),
        one.get("speaker") or None,
        None if session is None else str(session),
        one.get("time") or None,
        one.get("note") or None,
    )


def _question(one: dict[str, Any]) -> Question:
    gold = tuple(str(name) for name in one["gold"])
    if not gold:
        raise InvalidInput(
            f"The question {one['id']} has no gold ids.", f"Questions without an answer stand under `{UNANSWERABLE}`."
        )
    stale = tuple(str(name) for name in one.get("stale", ()))
    return Question(str(one["id"]), str(one["query"]), gold, str(one.get("category", "all")), stale, one.get("now"))


def _files(path: Path) -> list[Path]:
    """A file, or the data sets below a folder. BEAM keeps a chat in three folders, of which only the chat counts."""
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.rglob("*") if file.is_file() and file.name.endswith(ENDINGS))
    chats = [file for file in found if file.name == "chat.json"]
    return chats or found


def digest(path: Path) -> str:
    """The SHA-256 of a file. Raises InvalidInput."""
    hashed = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(HASHED_AT_ONCE):
                hashed.update(block)
    except OSError as fault:
        raise InvalidInput(f"{path} cannot be read ({fault.strerror}).", "Check its permissions.") from fault
    return hashed.hexdigest()
