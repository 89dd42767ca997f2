"""Rollouts of Codex, in the layouts of 2025, 2026 and the first one without a wrapper, compressed or not.

The same message stands in a response item and in an event; response items are the one source, since every layout has
them. Replacement histories of compactions are never read as new, nor is text that Codex put into the conversation.

Most messages have no id of their own. Theirs is a hash chained over all messages before it and seeded with the oldest
known ancestor, so a forked or compressed copy carries the same ids, and two histories part where their words do.

A turn that was rolled back is left out when its end stands in the part being read; what was imported before stays.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from muniment.errors import InvalidInput
from muniment.ingest.importers import injected, lines
from muniment.ingest.importers.lines import Line
from muniment.ingest.importers.values import TITLE_LENGTH_MAX, Tally, mapping, mappings, moment, string
from muniment.model.turns import Incoming, IncomingTurn, SessionInfo

CLIENT = "codex"
INDEX_NAME = "session_index.jsonl"
# From sessions/YYYY/MM/DD/ up to the client's home.
INDEX_LEVELS_MAX = 6
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TEXT_PARTS = ("input_text", "output_text", "text")


class Rollout:
    """Makes a session and its turns of the lines of one file from `offset` to `stop`. It remembers ids, never texts."""

    def __init__(self, path: Path, offset: int, stop: int | None, tally: Tally) -> None:
        self._path = path
        self._tally = tally
        self._resumed = offset > 0
        self._info: SessionInfo | None = None
        self._announced = False
        self._root = ""
        self._chain: str | None = None
        for line in lines.read(path, 0, offset):
            if record := _parsed(line, b'"role"', b'"session_meta"'):
                self._pass(*_item(record))
        self._dead = _rolled_back(lines.read(path, offset, stop), offset)

    def take(self, line: Line, record: dict[str, Any]) -> Iterator[Incoming]:
        """What one line adds. The session is announced before its first turn, and again when more is learnt of it."""
        sort, payload = _item(record)
        before = self._info
        said = self._pass(sort, payload)
        dead = self._is_dead(line)
        if sort == "response_item" and str(payload.get("type")).endswith("_call"):
            self._tally.tool_calls += not dead
        if said and dead:
            self._tally.abandoned += 1
            return
        news = before is not None and self._info != before and (self._announced or self._resumed)
        if news or (said and not self._announced):
            self._announced = True
            yield self._session()
        if said:
            yield self._turn(line, record, payload, *said)

    def _pass(self, sort: str, payload: dict[str, Any]) -> tuple[str, str] | None:
        """Learn what a line tells about the session; the id and the text of the turn it holds, or None."""
        match sort:
            case "session_meta":
                self._meet(payload)
            case "turn_context" if self._info and not self._info.cwd:
                self._info = replace(self._info, cwd=string(payload, "cwd"))
            case "event_msg" if self._info and payload.get("type") == "thread_name_updated":
                if title := string(payload, "thread_name"):
                    self._info = replace(self._info, title=title[:TITLE_LENGTH_MAX])
            case "response_item" if text := _said(payload):
                return self._next_id(payload, text), text
        return None

    def _meet(self, meta: dict[str, Any]) -> None:
        """The first header names this session. Those that follow it, before any message, name its ancestors."""
        if self._info is None:
            self._info = _described(self._path, meta)
            self._root = string(meta, "forked_from_id") or self._info.external_id
        elif self._chain is None:
            self._root = string(meta, "id") or self._root

    def _session(self) -> SessionInfo:
        """What is known of the session; the file's name is its id when the header is lost."""
        if self._info is None:
            self._info = _described(self._path, {})
            self._root = self._info.external_id
        return self._info

    def _next_id(self, payload: dict[str, Any], text: str) -> str:
        self._session()
        role = str(payload["role"])
        self._chain = _hash(self._chain or self._root, role, text)
        own = string(payload, "id")
        return f"codex-{_hash(self._root, own, role, text) if own else self._chain}"

    def _is_dead(self, line: Line) -> bool:
        while self._dead and line.offset >= self._dead[-1][1]:
            self._dead.pop()
        return bool(self._dead) and line.offset >= self._dead[-1][0]

    def _turn(self, line: Line, record: dict[str, Any], payload: dict[str, Any], turn_id: str, text: str) -> IncomingTurn:
        return IncomingTurn(
            session=self._session().external_id,
            speaker=str(payload["role"]),
            text=text,
            at=moment(record, "timestamp"),
            id=turn_id,
            id_is_global=True,
            source_ref=f"{self._path.name}#{string(payload, 'id') or line.number}",
            line=line.number,
        )


def _hash(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def _described(path: Path, meta: dict[str, Any]) -> SessionInfo:
    session = string(meta, "id") or string(meta, "session_id") or _name_of(path)
    spawn = mapping(mapping(mapping(meta, "source"), "subagent"), "thread_spawn")
    parent = string(spawn, "parent_thread_id") or string(meta, "forked_from_id")
    title, cwd = _indexed_title(path, session), string(meta, "cwd")
    return SessionInfo(session, CLIENT, title, cwd, parent if parent != session else None)


def _item(record: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A line's type and payload. The first layout has neither: its items stand bare, its header has no type at all."""
    sort, payload = string(record, "type"), record.get("payload")
    if sort and isinstance(payload, dict):
        return sort, payload
    if "payload" in record or "record_type" in record:
        return "", {}
    return ("response_item" if sort else "session_meta" if "id" in record else ""), record


def _parsed(line: Line, *needles: bytes) -> dict[str, Any] | None:
    """The line's object, if it is the first line or holds one of the needles; the others are not even parsed."""
    if line.number > 1 and not any(needle in line.data for needle in needles):
        return None
    record = lines.parse(line)
    return record if isinstance(record, dict) else None


def _rolled_back(part: Iterable[Line], offset: int) -> list[tuple[int, int]]:
    """The byte ranges that `thread_rolled_back` events removed, disjoint, last one first."""
    prompts: list[int] = []
    dead: list[tuple[int, int]] = []
    for line in part:
        record = _parsed(line, b'"role"', b'"thread_rolled_back"')
        sort, payload = _item(record) if record else ("", {})
        if sort == "response_item" and _is_prompt(payload):
            prompts.append(line.offset)
        elif sort == "event_msg" and payload.get("type") == "thread_rolled_back":
            count = payload.get("num_turns")
            if not isinstance(count, int) or count < 1:
                continue
            start = prompts[-count] if count <= len(prompts) else offset
            del prompts[-count:]
            while dead and dead[-1][0] >= start:
                dead.pop()
            dead.append((start, line.offset))
    return dead[::-1]


def _said(payload: dict[str, Any]) -> str:
    """What a response item says in somebody's name; empty when nothing."""
    if payload.get("type") != "message":
        return ""
    match payload.get("role"):
        case "user":
            return injected.codex_user(_texts(payload))
        case "assistant":
            return injected.assistant(_texts(payload))
    return ""


def _is_prompt(payload: dict[str, Any]) -> bool:
    """Whether a person sent this item: words, or only an image."""
    if payload.get("type") != "message" or payload.get("role") != "user":
        return False
    images = any(part.get("type") == "input_image" for part in mappings(payload.get("content")))
    return images or bool(_said(payload))


def _texts(payload: dict[str, Any]) -> list[str]:
    content = payload.get("content")
    if isinstance(content, str):
        return [content]
    texts = [part.get("text") for part in mappings(content) if part.get("type") in _TEXT_PARTS]
    return [text for text in texts if isinstance(text, str)]


def _name_of(path: Path) -> str:
    """The session's id as the file's name holds it."""
    found = _UUID.findall(path.name)
    return str(found[-1]) if found else path.name.partition(".jsonl")[0]


def _indexed_title(path: Path, session: str) -> str | None:
    """The name a person gave the session, from the client's index; the last one stands."""
    for folder in path.absolute().parents[:INDEX_LEVELS_MAX]:
        if not (folder / INDEX_NAME).is_file():
            continue
        title = None
        try:
            for line in lines.read(folder / INDEX_NAME):
                record = lines.parse(line) if session.encode() in line.data else None
                if isinstance(record, dict) and record.get("id") == session:
                    title = string(record, "thread_name") or title
        except InvalidInput:
            return None
        return title[:TITLE_LENGTH_MAX] if title else None
    return None
