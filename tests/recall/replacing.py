"""Replacing things in a memory, for tests of what recall then shows."""

from __future__ import annotations

from typing import Any

from muniment.governance import changes
from muniment.ingest.remember import remember
from muniment.model.recalling import Evidence, RecallAnswer
from muniment.model.writing import RememberAnswer, RememberRequest
from muniment.store import workspaces
from tests.makers import Memory


def supersede(memory: Memory, ref: str, text: str, **more: Any) -> RememberAnswer:
    """Keep a text as the heir of a memory."""
    request = RememberRequest(op="supersede", target=ref, expected_version=memory.version(ref), text=text, **more)
    return remember(memory.context, request)


def change(memory: Memory, ref: str, text: str) -> RememberAnswer:
    """Write another version of a memory."""
    request = RememberRequest(op="update", target=ref, expected_version=memory.version(ref), text=text)
    return remember(memory.context, request)


def undo(memory: Memory, action: str | None) -> None:
    assert action is not None
    with memory.app.store.write() as connection:
        workspaces.hold(connection, memory.place().id)
        found = changes.by_uid(connection, action[2:])
        assert found is not None
        changes.undo(memory.context, connection, [found])


def hits(answer: RecallAnswer) -> dict[str, Evidence]:
    """The hits of an answer by their texts, best first."""
    return {one.text: one for one in (answer.results or answer.nearest)}
