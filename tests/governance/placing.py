"""Small builders for tests of workspaces: managing them, confirming, and what a store then holds of one."""

from __future__ import annotations

from typing import Any

import pytest

from muniment.context import Context
from muniment.errors import ConfirmationRequired
from muniment.governance.registry import manage
from muniment.model.workspaces import WorkspacesAnswer, WorkspacesRequest
from tests.makers import Memory


def manages(memory: Memory | Context, do: Any, **fields: Any) -> WorkspacesAnswer:
    """Do what needs no confirmation."""
    return manage(_context(memory), WorkspacesRequest(do, **fields))


def told(memory: Memory | Context, do: Any, **fields: Any) -> ConfirmationRequired:
    """Ask for what has to be confirmed; answers what is said."""
    with pytest.raises(ConfirmationRequired) as caught:
        manages(memory, do, **fields)
    return caught.value


def confirmed(memory: Memory | Context, do: Any, **fields: Any) -> WorkspacesAnswer:
    """Ask, and confirm what is said."""
    return manages(memory, do, **fields, confirm=told(memory, do, **fields).confirm)


def held(memory: Memory, slug: str) -> dict[str, int]:
    """How many rows a workspace has, by table; tables without one are left out."""
    with memory.app.store.read() as connection:
        row = connection.one("workspace_held", {"workspace": memory.place(slug).id})
    assert row is not None
    names = (
        "record", "record_version", "label", "corroboration", "passage", "vector", "mention", "entity", "alias", "entity_block",
        "claim", "claim_evidence", "link", "conflict", "candidate", "notice", "proposal", "session", "speaker", "source_file",
    )  # fmt: skip
    return {name: count for name, count in zip(names, row, strict=True) if count}


def _context(memory: Memory | Context) -> Context:
    return memory.context if isinstance(memory, Memory) else memory
