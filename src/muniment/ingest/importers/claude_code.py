"""Transcripts of Claude Code: one line for each content block, subagents in files of their own.

Only what a person or the model said becomes a turn: never thinking, tool calls and results, attachments or summaries.

A rewound branch (a prompt with the same parent as a later one, and all that followed it) is left out when both prompts
stand in the part being read. When the earlier one was imported before, its turns stay: they were said. Prompts without
a parent never rewind each other, since nothing shows that they belong together.

In a subagent's file the prompt's speaker is `user`, as the client writes it, though a model wrote it; `parent` of its
session tells. Sidechains inside a main file (version 1) are skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from muniment.ingest.importers import injected, lines
from muniment.ingest.importers.lines import Line
from muniment.ingest.importers.values import TITLE_LENGTH_MAX, Tally, mapping, mappings, moment, string
from muniment.model.turns import Incoming, IncomingTurn, SessionInfo

CLIENT = "claude-code"
# Session id, folder and early titles stand in the first lines; on resuming nobody looks for them further down.
HEAD_BYTES_MAX = 64 * 1024
META_BYTES_MAX = 64 * 1024
# A file holds one session, or few; beyond this many they are announced anew instead of being remembered.
SESSIONS_MAX = 1000

AGENT_PREFIX = "agent-"
# Marks of lines that say nothing in anybody's name, though their type is user or assistant.
_UNSAID = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
_TOOL_USES = ("tool_use", "server_tool_use", "mcp_tool_use")
_SYNTHETIC = "<synthetic>"
# Where each kind of title stands, and which beats which.
CUSTOM = 3
_TITLES = {"summary": ("summary", 1), "ai-title": ("aiTitle", 2), "custom-title": ("customTitle", CUSTOM)}
_TOLD = frozenset(("user", "assistant", *_TITLES))


@dataclass(slots=True)
class _Known:
    info: SessionInfo
    title_rank: int = 0
    announced: bool = False


class Transcript:
    """Makes sessions and turns of the lines of one file from `offset` to `stop`. It remembers ids, never texts."""

    def __init__(self, path: Path, offset: int, stop: int | None, tally: Tally) -> None:
        self._file = path.name
        self._tally = tally
        self._session = path.stem
        self._agent = path.stem.removeprefix(AGENT_PREFIX) if path.stem.startswith(AGENT_PREFIX) else None
        self._description = _description(path) if self._agent else None
        self._known: dict[str, _Known] = {}
        self._resumed = offset > 0
        for line in lines.read(path, 0, min(offset, HEAD_BYTES_MAX)):
            record = lines.parse(line)
            if isinstance(record, dict) and not self._is_foreign(record) and string(record, "type") in _TOLD:
                self._learn(record)
        self._dead = self._rewound(lines.read(path, offset, stop))

    def take(self, line: Line, record: dict[str, Any]) -> Iterator[Incoming]:
        """What one line adds. A session is announced before its first turn, and again when more is learnt of it."""
        if self._is_foreign(record):
            return
        if self._dead and self._is_dead(record):
            self._tally.abandoned += bool(_said(record))
            return
        if string(record, "type") not in _TOLD:
            return
        self._tally.tool_calls += _tool_calls(record)
        known, news = self._learn(record)
        text = _said(record)
        if (text and not known.announced) or (news and (known.announced or self._resumed)):
            known.announced = True
            yield known.info
        if text:
            yield self._turn(line, record, known.info.external_id, text)

    def _is_foreign(self, record: dict[str, Any]) -> bool:
        """A subagent's line inside the file of its parent."""
        return self._agent is None and record.get("isSidechain") is True

    def _is_dead(self, record: dict[str, Any]) -> bool:
        """Whether a line is of a rewound branch. Children stand below their parents, so the dead set grows as we read."""
        uuid = string(record, "uuid")
        parent = string(record, "parentUuid") or string(record, "logicalParentUuid")
        if uuid in self._dead:
            return True
        if parent in self._dead and uuid:
            self._dead.add(uuid)
        return parent in self._dead

    def _rewound(self, main: Iterable[Line]) -> set[str]:
        """The prompts that a later prompt with the same parent replaced. Keeps the ids of prompts, and no text."""
        newest: dict[str, str] = {}
        seen: set[str] = set()
        dead: set[str] = set()
        for line in main:
            # Tool results are most of a transcript, and no prompts: they are not even parsed.
            if b'"user"' not in line.data or b'"tool_result"' in line.data:
                continue
            record = lines.parse(line)
            if not isinstance(record, dict) or self._is_foreign(record) or not _is_prompt(record):
                continue
            uuid, parent = string(record, "uuid"), string(record, "parentUuid")
            # A line that was copied to the end of its own file is no later prompt.
            if uuid and parent and uuid not in seen:
                seen.add(uuid)
                if parent in newest:
                    dead.add(newest[parent])
                newest[parent] = uuid
        return dead

    def _learn(self, record: dict[str, Any]) -> tuple[_Known, bool]:
        """The session a line belongs to, and whether the line told something new about it."""
        known = self._session_of(record)
        before = known.info
        if known.info.cwd is None and (cwd := string(record, "cwd")):
            known.info = replace(known.info, cwd=cwd)
        field, rank = _TITLES.get(string(record, "type") or "", ("", 0))
        if rank and rank >= known.title_rank and (title := string(record, field) or string(record, "title")):
            known.title_rank = rank
            known.info = replace(known.info, title=title[:TITLE_LENGTH_MAX], title_guessed=rank < CUSTOM)
        return known, known.info != before

    def _session_of(self, record: dict[str, Any]) -> _Known:
        session = self._session = string(record, "sessionId") or self._session
        agent = (string(record, "agentId") or self._agent) if self._agent else None
        external_id = f"{session}/{agent}" if agent else session
        if external_id not in self._known:
            if len(self._known) >= SESSIONS_MAX:
                self._known.clear()
            info = SessionInfo(external_id, CLIENT, self._description, parent=session if agent else None)
            self._known[external_id] = _Known(info)
        return self._known[external_id]

    def _turn(self, line: Line, record: dict[str, Any], session: str, text: str) -> IncomingTurn:
        uuid = string(record, "uuid")
        return IncomingTurn(
            session=session,
            speaker=str(record["type"]),
            text=text,
            at=moment(record, "timestamp"),
            id=uuid,
            id_is_global=uuid is not None,
            source_ref=f"{self._file}#{uuid or line.number}",
            line=line.number,
        )


def _said(record: dict[str, Any]) -> str:
    """What a line says in somebody's name; empty when nothing."""
    if any(record.get(mark) for mark in _UNSAID):
        return ""
    message = mapping(record, "message")
    match record.get("type"):
        case "user":
            return injected.claude_code_user(_texts(message))
        case "assistant" if message.get("model") != _SYNTHETIC:
            return injected.assistant(_texts(message))
    return ""


def _texts(message: dict[str, Any]) -> list[str]:
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    texts = [block.get("text") for block in mappings(content) if block.get("type") == "text"]
    return [text for text in texts if isinstance(text, str)]


def _is_prompt(record: dict[str, Any]) -> bool:
    """Whether a person sent this line: words, or only an image."""
    if record.get("type") != "user" or any(record.get(mark) for mark in _UNSAID):
        return False
    blocks = [block.get("type") for block in mappings(mapping(record, "message").get("content"))]
    return "tool_result" not in blocks and ("image" in blocks or bool(_said(record)))


def _tool_calls(record: dict[str, Any]) -> int:
    if record.get("type") != "assistant":
        return 0
    return sum(block.get("type") in _TOOL_USES for block in mappings(mapping(record, "message").get("content")))


def _description(path: Path) -> str | None:
    """What a subagent was started for, from the file beside its transcript."""
    try:
        with path.with_name(f"{path.stem}.meta.json").open("rb") as stream:
            meta = json.loads(stream.read(META_BYTES_MAX).decode("utf-8", "replace"))
    except (OSError, ValueError, RecursionError):
        return None
    return string(meta, "description") if isinstance(meta, dict) else None
