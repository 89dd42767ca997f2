"""Small builders for tests of governance: asking, confirming, and what memory then answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from muniment.context import Context
from muniment.errors import ConfirmationRequired
from muniment.governance.govern import govern
from muniment.governance.review import review
from muniment.ingest.remember import remember
from muniment.model.access import LEVEL_SCOPES
from muniment.model.governing import GovernAnswer, GovernRequest
from muniment.model.reading import Opened, ReadRequest
from muniment.model.reviewing import ReviewAnswer, ReviewRequest
from muniment.model.writing import RememberAnswer, RememberRequest
from muniment.recall.read import read
from muniment.store import records
from tests.makers import Memory


def ask(memory: Memory | Context, do: Any, **fields: Any) -> ConfirmationRequired:
    """Ask for something that has to be confirmed; answers what is said."""
    with pytest.raises(ConfirmationRequired) as caught:
        govern(_context(memory), GovernRequest(do, **({"reason": "it was decided"} | fields)))
    return caught.value


def decide(memory: Memory | Context, do: Any, **fields: Any) -> GovernAnswer:
    """Ask, and confirm what is said."""
    asked = ask(memory, do, **fields)
    return govern(_context(memory), GovernRequest(do, **({"reason": "it was decided"} | fields), confirm=asked.confirm))


def look(memory: Memory | Context, do: Any, **fields: Any) -> ReviewAnswer:
    return review(_context(memory), ReviewRequest(do, **fields))


def tell(memory: Memory | Context, text: str | None = None, **fields: Any) -> RememberAnswer:
    return remember(_context(memory), RememberRequest(text, **fields))


def opened(memory: Memory | Context, ref: str, *include: Any) -> Opened:
    return read(_context(memory), ReadRequest(ref=ref, include=include)).records[0]


def record(memory: Memory, ref: str) -> records.Record:
    with memory.app.store.read() as connection:
        held = records.by_uid(connection, ref[2:])
    assert held is not None
    return held


def as_level(memory: Memory, level: str, **fields: Any) -> Context:
    """The context of another caller of the same memory."""
    context = memory.context
    return replace(context, grant=replace(context.grant, scopes=LEVEL_SCOPES[level]), **fields)


def person(memory: Memory) -> Context:
    """The context of the owner at the command line."""
    return replace(memory.context, door="cli")


def _context(memory: Memory | Context) -> Context:
    return memory.context if isinstance(memory, Memory) else memory
