"""Every operation once. MCP tools, REST routes, commands, docs and golden files are made from this tuple.

Nothing heavy is imported here: an operation's function is named, and loaded when it is first called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from muniment.model import governing, knowing, managing, reading, recalling, reviewing, workspaces, writing
from muniment.model.access import Scope
from muniment.surfaces.offer import allowed

__all__ = ["OPERATIONS", "Operation", "Toolset", "allowed", "named"]

Toolset = Literal["connect", "recall", "write", "propose", "govern", "admin"]


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing a caller can ask for. `target` names the function `(context, request) -> answer`.

    `scopes`: any one of them suffices; `also`: all of these are needed besides; `hidden_by`: whoever holds one of these has a
    better way. `at_once`: what it keeps cannot wait as a proposal. `bare`: the answer carries no meta (the connector contract).
    `reading`: the verbs of one that writes which only read, and so are there where nothing is written.
    """

    name: str
    target: str
    request: type
    answer: type
    scopes: tuple[Scope, ...]
    toolset: Toolset
    title: str
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    bare: bool = False
    also: tuple[Scope, ...] = ()
    hidden_by: tuple[Scope, ...] = ()
    at_once: bool = False
    reading: tuple[str, ...] = ()

    def function(self) -> Callable[[Any, Any], Any]:
        module, _, name = self.target.partition(":")
        function: Callable[[Any, Any], Any] = getattr(import_module(module), name)
        return function


OPERATIONS = (
    Operation(
        "search",
        "muniment.recall.connect:search",
        recalling.SearchRequest,
        recalling.SearchAnswer,
        ("read",),
        "connect",
        "Search memory",
        bare=True,
    ),
    Operation(
        "fetch",
        "muniment.recall.connect:fetch",
        recalling.FetchRequest,
        recalling.FetchAnswer,
        ("read",),
        "connect",
        "Open a search result",
        bare=True,
    ),
    Operation(
        "recall",
        "muniment.recall.recall:recall",
        recalling.RecallRequest,
        recalling.RecallAnswer,
        ("read",),
        "recall",
        "Recall with evidence",
    ),
    Operation(
        "read",
        "muniment.recall.read:read",
        reading.ReadRequest,
        reading.ReadAnswer,
        ("read",),
        "recall",
        "Read a record or a session",
    ),
    Operation(
        "get_context",
        "muniment.recall.bundle:get_context",
        reading.ContextRequest,
        reading.ContextAnswer,
        ("read",),
        "recall",
        "Brief me on a project",
    ),
    Operation(
        "near",
        "muniment.graph.walk:near",
        knowing.NearRequest,
        knowing.NearAnswer,
        ("read",),
        "recall",
        "Facts around an entity",
    ),
    Operation(
        "why",
        "muniment.graph.walk:why",
        knowing.WhyRequest,
        knowing.WhyAnswer,
        ("read",),
        "recall",
        "Causes between two entities",
    ),
    Operation(
        "list_projects",
        "muniment.insight.overview:list_projects",
        reading.ProjectsRequest,
        reading.ProjectsAnswer,
        ("read",),
        "recall",
        "List workspaces",
    ),
    Operation(
        "stats",
        "muniment.insight.overview:stats",
        reading.StatsRequest,
        reading.StatsAnswer,
        ("read",),
        "recall",
        "How much is remembered",
    ),
    Operation(
        "remember",
        "muniment.ingest.remember:remember",
        writing.RememberRequest,
        writing.RememberAnswer,
        ("append", "write"),
        "write",
        "Remember a statement",
        read_only=False,
    ),
    Operation(
        "ingest",
        "muniment.ingest.ingest:ingest",
        writing.IngestRequest,
        writing.IngestAnswer,
        ("append", "write"),
        "write",
        "Keep a conversation or document",
        read_only=False,
        at_once=True,
    ),
    Operation(
        "propose_memory",
        "muniment.governance.proposals:propose",
        governing.ProposeRequest,
        governing.ProposeAnswer,
        ("propose",),
        "propose",
        "Propose a change",
        read_only=False,
        hidden_by=("write",),
    ),
    Operation(
        "search_memory",
        "muniment.recall.connect:search_memory",
        governing.SearchMemoryRequest,
        governing.SearchMemoryAnswer,
        ("propose",),
        "propose",
        "Search a project's memory",
        also=("read",),
        hidden_by=("write",),
    ),
    Operation(
        "review",
        "muniment.governance.review:review",
        reviewing.ReviewRequest,
        reviewing.ReviewAnswer,
        ("read",),
        "govern",
        "Look at what waits and what was done",
    ),
    Operation(
        "judge",
        "muniment.governance.conflicts:judge",
        governing.JudgeRequest,
        governing.JudgeAnswer,
        ("write",),
        "govern",
        "Decide a conflict",
        read_only=False,
        idempotent=False,
    ),
    Operation(
        "govern",
        "muniment.governance.govern:govern",
        governing.GovernRequest,
        governing.GovernAnswer,
        ("govern",),
        "govern",
        "Decide and change with authority",
        read_only=False,
        idempotent=False,
    ),
    Operation(
        "forget",
        "muniment.governance.forget:forget",
        governing.ForgetRequest,
        governing.ForgetAnswer,
        ("govern",),
        "govern",
        "Destroy for good",
        read_only=False,
        destructive=True,
        idempotent=False,
    ),
    Operation(
        "tokens",
        "muniment.access.managing:manage",
        managing.TokensRequest,
        managing.TokensAnswer,
        ("share", "admin"),
        "admin",
        "Manage tokens, grants and profiles",
        read_only=False,
        destructive=True,
        idempotent=False,
        reading=managing.READING,
    ),
    Operation(
        "workspaces",
        "muniment.governance.registry:manage",
        workspaces.WorkspacesRequest,
        workspaces.WorkspacesAnswer,
        ("admin",),
        "admin",
        "Look after workspaces",
        read_only=False,
        idempotent=False,
        reading=workspaces.READING,
    ),
)


def named(name: str) -> Operation | None:
    """The operation of that name, if there is one."""
    return next((operation for operation in OPERATIONS if operation.name == name), None)
