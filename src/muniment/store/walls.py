"""The second lock, as both stores read it: which rows belong to a workspace, and what else a walled caller may touch.

Every table of the schema stands here exactly once: a table that nobody thought of is one that no walled caller can read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# `content` is what is remembered: it changes where a caller may write. `work` is what is filed about it: it changes where a
# caller may read, because who may only propose files there too; which of it, policy decides.
Sort = Literal["content", "work"]


@dataclass(frozen=True, slots=True)
class Scoped:
    """A table whose rows belong to the workspace that `column` names. `also`: a condition for rows that everybody may read."""

    name: str
    sort: Sort
    column: str = "workspace"
    also: str = ""


@dataclass(frozen=True, slots=True)
class Open:
    """A table without workspaces that a walled caller reads, but for its `hidden` columns, and that it may change or not."""

    name: str
    changes: bool
    hidden: frozenset[str] = frozenset()


def _all(sort: Sort, names: str) -> tuple[Scoped, ...]:
    return tuple(Scoped(name, sort) for name in names.split())


SCOPED: tuple[Scoped, ...] = (
    # Its counters move with everything that is filed. A new one needs the whole store.
    Scoped("workspace", "work", column="id"),
    *_all("content", "workspace_alias session speaker record record_version label corroboration source_file"),
    *_all("content", "passage roster posting vocabulary entity alias entity_block mention episode space vector code"),
    *_all("content", "link claim claim_evidence"),
    # What was forgotten for good does not come back through the workspace of somebody else: only who holds the id can ask.
    Scoped("forgotten", "content", also="everywhere = 1"),
    *_all("work", "action effect outbox watermark candidate notice proposal conflict conflict_member conflict_step"),
)
OPEN: tuple[Open, ...] = (
    Open("meta", changes=True),
    Open("principal", changes=False, hidden=frozenset({"secret_hash", "subject"})),
    Open("generation", changes=False),
    Open("request", changes=True),
    Open("confirmation", changes=True),
)
# What proves who somebody is, and what the system keeps for itself. It is read on the whole store only.
CLOSED: frozenset[str] = frozenset(
    "token oauth_ask oauth_client oauth_grant oauth_code oauth_refresh oauth_assertion browser attempt".split()
    + "access_event access_head lease migration".split()
)
