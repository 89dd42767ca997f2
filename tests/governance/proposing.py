"""Small builders for tests of proposals: agents with grants of their own, and what they ask for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from muniment.context import Context
from muniment.governance import consolidation, proposals
from muniment.governance.govern import govern
from muniment.governance.proposals import propose
from muniment.governance.review import review
from muniment.model import governing, reviewing
from muniment.model.access import LEVEL_SCOPES, Grant, Zone
from muniment.model.governing import Change, EvidenceIn, GovernAnswer, GovernRequest, ProposeAnswer, ProposeRequest
from muniment.model.reading import Opened, ReadRequest
from muniment.model.reviewing import ProposalSeen, ReviewRequest
from muniment.recall.read import read
from muniment.store import proposals as stored
from muniment.store import workspaces
from tests.makers import Memory
from tests.stores import owner


def agent(memory: Memory, name: str = "scout", *, zone: Zone = "trusted", level: str = "agent", read: Any = None) -> Context:
    """The context of an agent with a principal of its own, which is made when it is not there."""
    context = memory.context
    with context.store.write() as connection:
        values = {"uid": context.uid(), "name": name, "kind": "agent", "level": level, "now": context.now()}
        connection.run("principal_add", values)
        row = connection.one("principal_by_name", {"name": name})
    assert row is not None
    walls = None if read is None else frozenset(read)
    return replace(context, grant=Grant(row[0], name, LEVEL_SCOPES[level], walls, walls, client=name, zone=zone))


def ask(
    context: Context,
    request_id: str,
    text: str | None = None,
    op: Any = "add_fact",
    *,
    project: str = "inbox",
    evidence: tuple[EvidenceIn, ...] = (),
    **change: Any,
) -> ProposeAnswer:
    return propose(context, ProposeRequest(project, request_id, Change(op, text, **change), evidence))


def rests_on(*refs: str, trust: Any = "trusted") -> tuple[EvidenceIn, ...]:
    return tuple(EvidenceIn(ref=ref, trust=trust) for ref in refs)


def decide(memory: Memory | Context, do: Any, reason: str | None = "It is so.", **more: Any) -> GovernAnswer:
    context = memory.context if isinstance(memory, Memory) else memory
    return govern(context, GovernRequest(do, reason, **more))


def approve(memory: Memory | Context, ref: str, **more: Any) -> GovernAnswer:
    return decide(memory, governing.Approve("approve", ref), **more)


def reject(memory: Memory | Context, ref: str, reason: str = "It is not so.") -> GovernAnswer:
    return decide(memory, governing.Reject("reject", ref), reason)


def rule(memory: Memory, on: bool = True) -> GovernAnswer:
    return decide(memory, governing.SetRule("auto_accept_clean", on))


def listed(context: Context, state: Any = None, **more: Any) -> tuple[ProposalSeen, ...]:
    return review(context, ReviewRequest(reviewing.Proposals("proposals", state, **more))).proposals


def state(memory: Memory, ref: str) -> str:
    """What became of a proposal."""
    return opened(memory, ref).state


def opened(memory: Memory | Context, ref: str) -> Opened:
    context = memory.context if isinstance(memory, Memory) else memory
    return read(context, ReadRequest(ref=ref)).records[0]


def accept(memory: Memory, *refs: str) -> None:
    """Accept proposals without applying them, as a process does that is killed in between."""
    context = memory.context
    with context.store.write() as connection:
        workspaces.hold(connection, memory.place().id)
        for ref in refs:
            one = stored.by_uid(connection, ref[2:])
            assert one is not None
            assert consolidation.accept(context, connection, one, "local", "It is so.")
            proposals.ask_for_work(context, connection, memory.place(), one.id)


def taint(memory: Memory, level: int) -> None:
    """As if everything had come in before, or from elsewhere."""
    if memory.app.store.dialect == "sqlite":
        memory.app.store._writer.execute("UPDATE record SET taint = ?", (level,))
    else:
        import psycopg

        with psycopg.connect(owner(memory.app.settings.store), autocommit=True) as connection:
            connection.execute("UPDATE record SET taint = %s", (level,))
