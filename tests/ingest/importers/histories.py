"""Histories of clients, small and invented, and what a reading of one gives."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from muniment.ingest.importers import Reading, open_file
from muniment.model.turns import Incoming, IncomingTurn, Rejected, SessionInfo

SESSION = "11111111-1111-4111-8111-111111111111"
FOLDER = "/home/ines/kiln"


@dataclass(frozen=True)
class Read:
    values: list[Incoming]
    reading: Reading

    @property
    def turns(self) -> list[IncomingTurn]:
        return [value for value in self.values if isinstance(value, IncomingTurn)]

    @property
    def said(self) -> list[tuple[str, str]]:
        return [(turn.speaker, turn.text) for turn in self.turns]

    @property
    def sessions(self) -> list[SessionInfo]:
        return [value for value in self.values if isinstance(value, SessionInfo)]

    @property
    def reasons(self) -> list[tuple[int, str]]:
        return [(value.line, value.why) for value in self.values if isinstance(value, Rejected)]


def read(path: Path, client: str, **where: Any) -> Read:
    reading = open_file(path, client, **where)
    return Read(list(reading), reading)


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed(records))
    return path


def packed(records: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


def boundaries(data: bytes) -> list[int]:
    """Every offset at which a line starts, and the end."""
    return [0, *(place + 1 for place, byte in enumerate(data) if byte == 10)]


# Claude Code


def line(
    sort: str, uuid: str, parent: str | None, content: Any, *, message: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "type": sort,
        "message": {"role": sort, "content": content} | (message or {}),
        "uuid": uuid,
        "timestamp": "2026-03-02T09:10:11.120Z",
        "cwd": FOLDER,
        "sessionId": SESSION,
    } | more


def user(uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    return line("user", uuid, parent, content, **more)


def model(uuid: str, parent: str | None, *blocks: Any, **more: Any) -> dict[str, Any]:
    return line("assistant", uuid, parent, [block if isinstance(block, dict) else text(block) for block in blocks], **more)


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def tool_use(name: str = "Bash") -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{name}", "name": name, "input": {"command": "NEVER"}}


def tool_result(uuid: str, parent: str | None, content: Any = "NEVER") -> dict[str, Any]:
    return user(uuid, parent, [{"type": "tool_result", "tool_use_id": "toolu", "content": content}])


def transcript() -> list[dict[str, Any]]:
    """A session with parallel tools, a rewound branch, compaction and everything that is not said."""
    return [
        {"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION, "content": "NEVER"},
        user("u1", None, "Which glaze for the blue bowls?"),
        {
            "type": "attachment",
            "uuid": "at1",
            "parentUuid": "u1",
            "attachment": {"type": "hook_additional_context", "content": ["NEVER"]},
        },
        model("a1", "at1", {"type": "thinking", "thinking": "NEVER"}, message={"id": "m1"}),
        model("a2", "a1", "Looking it up.", message={"id": "m1"}),
        model("a3", "a2", tool_use(), message={"id": "m1"}),
        model("a4", "a3", tool_use("mcp__muniment__recall"), message={"id": "m1"}),
        tool_result("r2", "a4", [text("NEVER [muniment evidence]")]),
        tool_result("r1", "a3"),
        model("a5", "r1", "Cobalt, at cone six."),
        user("u2", "a5", "Fire it at 1100."),
        model("b1", "u2", "Set to 1100."),
        model("b2", "b1", tool_use()),
        tool_result("b3", "b2"),
        model("b4", "b3", "Done at 1100."),
        user("u3", "a5", "Fire it at 1220."),
        model("a6", "u3", "Set to 1220."),
        {"type": "system", "subtype": "compact_boundary", "uuid": "c1", "parentUuid": None, "logicalParentUuid": "a6"},
        user("u4", "c1", "This session is being continued. NEVER", isCompactSummary=True),
        user("u5", "u4", "NEVER", isMeta=True),
        user("u6", "u5", "<command-name>/clear</command-name>\nNEVER"),
        user("u7", "u6", [text("[Request interrupted by user] NEVER")]),
        user("u8", "u7", [text("And the lids?"), text("<system-reminder>NEVER</system-reminder>"), {"type": "image"}]),
        model("a7", "u8", "NEVER", message={"model": "<synthetic>"}),
        model("a8", "a7", "NEVER", isApiErrorMessage=True),
        model("a9", "a8", "Lids the same."),
        {"type": "ai-title", "aiTitle": "Glaze and heat", "sessionId": SESSION},
        {"type": "custom-title", "customTitle": "Blue bowls", "sessionId": SESSION},
        {"type": "ai-title", "aiTitle": "Glaze again", "sessionId": SESSION},
        {"type": "of-the-future", "payload": ["NEVER"]},
    ]


TRANSCRIPT_SAID = [
    ("user", "Which glaze for the blue bowls?"),
    ("assistant", "Looking it up."),
    ("assistant", "Cobalt, at cone six."),
    ("user", "Fire it at 1220."),
    ("assistant", "Set to 1220."),
    ("user", "And the lids?"),
    ("assistant", "Lids the same."),
]
TRANSCRIPT_ABANDONED = {"Fire it at 1100.", "Set to 1100.", "Done at 1100."}


# Codex


def wrapped(sort: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": "2026-03-02T09:10:11.120Z", "type": sort, "payload": payload}


def meta(session: str = SESSION, **more: Any) -> dict[str, Any]:
    return wrapped(
        "session_meta", {"id": session, "cwd": FOLDER, "source": "cli", "base_instructions": {"text": "NEVER"}} | more
    )


def item(role: str, *said: str, **more: Any) -> dict[str, Any]:
    sort = "output_text" if role == "assistant" else "input_text"
    content = [{"type": sort, "text": part} for part in said]
    return wrapped("response_item", {"type": "message", "role": role, "content": content} | more)


def event(sort: str, **more: Any) -> dict[str, Any]:
    return wrapped("event_msg", {"type": sort} | more)


def call(sort: str) -> dict[str, Any]:
    return wrapped("response_item", {"type": sort, "name": "shell", "arguments": "NEVER"})


def asked(said: str) -> list[dict[str, Any]]:
    return [item("user", said), event("user_message", message=said)]


def answered(said: str, **more: Any) -> list[dict[str, Any]]:
    return [event("agent_message", message=said), item("assistant", said, **more)]


def rollout() -> list[dict[str, Any]]:
    """A session with doubled messages, injected ones, tools, a compaction and a rollback of two turns."""
    return [
        meta(),
        item("developer", "NEVER"),
        item("user", "# AGENTS.md instructions for here\nNEVER", "<environment_context>NEVER</environment_context>"),
        *asked("Which clay for the tiles?"),
        wrapped("response_item", {"type": "reasoning", "summary": [{"type": "summary_text", "text": "NEVER"}]}),
        *answered("Looking.", id="msg_1"),
        call("function_call"),
        wrapped("response_item", {"type": "function_call_output", "output": "NEVER"}),
        call("web_search_call"),
        *answered("Stoneware.", id="msg_2"),
        *asked("Add grog?"),
        call("local_shell_call"),
        *answered("Added grog."),
        wrapped(
            "response_item", {"type": "message", "role": "user", "content": [{"type": "input_image", "image_url": "NEVER"}]}
        ),
        *answered("A nice picture."),
        event("thread_rolled_back", num_turns=2),
        *asked("Leave the grog out."),
        *answered("Left out."),
        wrapped("compacted", {"message": "NEVER", "replacement_history": [item("user", "NEVER")["payload"]]}),
        *asked("How thick?"),
        event("turn_aborted", reason="interrupted"),
        item("user", "<turn_aborted>NEVER</turn_aborted>"),
        *asked("How thick?"),
        *answered("Eight millimetres."),
    ]


ROLLOUT_SAID = [
    ("user", "Which clay for the tiles?"),
    ("assistant", "Looking."),
    ("assistant", "Stoneware."),
    ("user", "Leave the grog out."),
    ("assistant", "Left out."),
    ("user", "How thick?"),
    ("user", "How thick?"),
    ("assistant", "Eight millimetres."),
]
ROLLOUT_ABANDONED = {"Add grog?", "Added grog.", "A nice picture."}
