"""Records: turns, documents and memories, with where they came from. A turn is never edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from muniment.model import ids
from muniment.model.times import Moment

MemoryKind = Literal[
    "fact",
    "decision",
    "preference",
    "rejection",
    "procedure",
    "incident",
    "relationship",
    "background",
    "thread",
    "policy",
    "goal",
    "identity",
    "note",
    "brief",
]
Kind = Literal["turn", "document"] | MemoryKind
Tier = Literal["preferences", "project-context", "conversations"]
State = Literal["pending", "active", "superseded", "archived", "rejected"]
Origin = Literal["own", "collected"]
SourceType = Literal["user_confirmed", "document_extracted", "agent_generated", "pending", "unknown"]
Protection = Literal["normal", "protected", "locked"]
Replaced = Literal["change", "correction"]
Relation = Literal[
    "supports", "contradicts", "supersedes", "evolved_into", "depends_on", "related_to", "derived_from", "covers"
]
# The relations by which text flows from one record into another: taint, lineage and forgetting follow these.
DERIVING = frozenset({"derived_from", "covers"})
# The relations that say of the earlier record that it does not hold, or holds no longer.
OPPOSING = frozenset({"contradicts", "supersedes", "evolved_into"})
LabelSort = Literal["topic", "tag", "person"]

MEMORY_KINDS: tuple[str, ...] = get_args(MemoryKind)
KINDS: tuple[str, ...] = ("turn", "document", *MEMORY_KINDS)
TIERS: tuple[str, ...] = get_args(Tier)
RELATIONS: tuple[str, ...] = get_args(Relation)
# States in which the index holds a record: what was replaced is still found when the past is asked for.
FOUND_STATES = frozenset({"active", "superseded"})
# No proposal may touch these, whoever agrees with it.
PROTECTED_KINDS = frozenset({"policy", "goal", "identity"})

# How far a source is believed before anyone has looked at it, and how contaminated it starts (design: authority).
TRUST = {"user_confirmed": 0.95, "document_extracted": 0.6, "agent_generated": 0.7, "pending": 0.4, "unknown": 0.5}


def tier_of(kind: str) -> Tier:
    """The tier a record starts in when nobody names one."""
    if kind in ("preference", "policy", "identity"):
        return "preferences"
    return "conversations" if kind == "turn" else "project-context"


@dataclass(frozen=True, slots=True)
class Label:
    sort: LabelSort
    value: str


@dataclass(frozen=True, slots=True)
class Record:
    """One kept text with its provenance. `id` is internal; `uid` is what the world sees.

    It held in the world over `[valid_from, valid_to)` and was believed until `retired_at` (ms UTC). `superseded_by` is the
    record that took its place: because the world changed, or because it had never been so (`supersede_why`). `version` is
    the one in force, `versions` the highest number ever given.
    """

    workspace: int
    id: int
    uid: str
    kind: str
    tier: str
    state: str
    version: int
    text: str
    subject: str | None
    session: int | None
    seq: int | None
    speaker: str | None
    event: Moment | None
    recorded_at: int
    source_type: str
    source_ref: str | None
    url: str | None
    origin: str
    trust: float
    taint: int
    principal: int
    client: str | None
    protection: str = "normal"
    versions: int = 1
    valid_from: int | None = None
    valid_to: int | None = None
    retired_at: int | None = None
    superseded_by: int | None = None
    supersede_why: str | None = None
    fingerprint: str = ""

    @property
    def ref(self) -> str:
        return ids.ref(self.kind, self.uid)

    @property
    def said_at(self) -> int:
        """When it was said, or where nobody knows that, when it was stored (ms UTC)."""
        return self.event.ms if self.event else self.recorded_at

    def holds_at(self, moment: int) -> bool:
        """Whether its own dates let it hold at a moment (ms UTC)."""
        return (self.valid_from is None or self.valid_from <= moment) and (self.valid_to is None or moment < self.valid_to)


@dataclass(frozen=True, slots=True)
class Link:
    """A typed relation between two records of one workspace; `src` is the later event."""

    id: int
    src: int
    src_version: int
    dst: int
    dst_version: int
    relation: str
    confidence: float
    rationale: str | None
    method: str
    recorded_at: int


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation. `turns` counts what is stored; times are those of its first and last dated turn."""

    workspace: int
    id: int
    uid: str
    external_id: str
    title: str | None
    client: str | None
    cwd: str | None
    first: Moment | None
    last: Moment | None
    turns: int
