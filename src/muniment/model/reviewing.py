"""Looking after what is kept, reading only: what `review` takes and gives.

A tool with verbs takes one object `do`, whose `verb` decides which other fields it has.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from muniment.model.fields import REQUIRED, STRICT, arg
from muniment.model.knowing import Quote
from muniment.model.recalling import Meta

LIST_MAX = 200
ConflictStatus = Literal["open", "applying", "resolved", "not_a_conflict"]
ProposalState = Literal["queued", "quarantined", "accepted", "applied", "rejected", "stale", "expired"]
NoticeState = Literal["pending", "delivered", "dismissed", "resolved", "stale"]
BuriedState = Literal["superseded", "archived", "rejected"]
Step = Literal[
    "update_current_claim",
    "append_superseded_context",
    "preserve_historical_record",
    "use_as_resolution",
    "needs_authorization",
]


@dataclass(frozen=True, slots=True)
class Overview:
    """Counts of everything that waits for somebody."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["overview"] = arg(REQUIRED, "overview")


@dataclass(frozen=True, slots=True)
class Conflicts:
    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["conflicts"] = arg(REQUIRED, "conflicts")
    status: ConflictStatus | None = arg(None, "Default: open and applying.")
    limit: int = arg(20, "How many.", ge=1, le=LIST_MAX)
    cursor: str | None = arg(None, "Where the last answer ended.", max_length=2000)


@dataclass(frozen=True, slots=True)
class OneConflict:
    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["conflict"] = arg(REQUIRED, "conflict")
    conflict: str = arg(REQUIRED, "A conflict's ref (c_…).", max_length=100)


@dataclass(frozen=True, slots=True)
class Proposals:
    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["proposals"] = arg(REQUIRED, "proposals")
    state: ProposalState | None = arg(None, "Default: those that wait.")
    mine: bool = arg(False, "Only my own.")
    limit: int = arg(20, "How many.", ge=1, le=LIST_MAX)
    cursor: str | None = arg(None, "Where the last answer ended.", max_length=2000)


@dataclass(frozen=True, slots=True)
class OneProposal:
    """What a proposal would change, what it rests on, and its taint."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["proposal"] = arg(REQUIRED, "proposal")
    proposal: str = arg(REQUIRED, "A proposal's ref (p_…).", max_length=100)


@dataclass(frozen=True, slots=True)
class History:
    """Every version and every action of a record."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["history"] = arg(REQUIRED, "history")
    ref: str = arg(REQUIRED, "A record's ref.", max_length=100)


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed between two versions, line by line and word by word."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["diff"] = arg(REQUIRED, "diff")
    ref: str = arg(REQUIRED, "A record's ref.", max_length=100)
    old: int | None = arg(None, "Default: the version before `new`.", ge=1)
    new: int | None = arg(None, "Default: the one in force.", ge=1)


@dataclass(frozen=True, slots=True)
class Lineage:
    """What a record was derived from, and everything that was derived from it."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["lineage"] = arg(REQUIRED, "lineage")
    ref: str = arg(REQUIRED, "A record's ref.", max_length=100)


@dataclass(frozen=True, slots=True)
class Audit:
    """The ledger, newest first."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["audit"] = arg(REQUIRED, "audit")
    ref: str | None = arg(None, "Only what concerns this record.", max_length=100)
    run: str | None = arg(None, "Only this run.", max_length=200)
    limit: int = arg(20, "How many.", ge=1, le=LIST_MAX)
    cursor: str | None = arg(None, "Where the last answer ended.", max_length=2000)


@dataclass(frozen=True, slots=True)
class Notices:
    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["notices"] = arg(REQUIRED, "notices")
    state: NoticeState | None = arg(None, "Default: pending and delivered.")
    limit: int = arg(20, "How many.", ge=1, le=LIST_MAX)


@dataclass(frozen=True, slots=True)
class Expired:
    """What recall no longer shows: superseded, archived, rejected."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["expired"] = arg(REQUIRED, "expired")
    query: str = arg("", "Words that it must hold.", max_length=1000)
    state: BuriedState | None = arg(None, "Default: all of them.")
    limit: int = arg(20, "How many.", ge=1, le=LIST_MAX)
    cursor: str | None = arg(None, "Where the last answer ended.", max_length=2000)


@dataclass(frozen=True, slots=True)
class Entities:
    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["entities"] = arg(REQUIRED, "entities")
    query: str = arg("", "Part of a name.", max_length=500)
    limit: int = arg(50, "How many.", ge=1, le=LIST_MAX)
    cursor: str | None = arg(None, "Where the last answer ended.", max_length=2000)


@dataclass(frozen=True, slots=True)
class Queue:
    """Everything that waits for a decision: proposals, conflicts and candidates."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["queue"] = arg(REQUIRED, "queue")
    limit: int = arg(20, "How many.", ge=1, le=LIST_MAX)


Asked = (
    Overview
    | Conflicts
    | OneConflict
    | Proposals
    | OneProposal
    | History
    | Diff
    | Lineage
    | Audit
    | Notices
    | Expired
    | Entities
    | Queue
)


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """Look at what waits, what happened and what was changed. Changes nothing."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    do: Asked = arg(REQUIRED, "What to look at.", discriminator="verb")
    workspace: str | None = arg(None, "Default: the current one.", max_length=200)


@dataclass(frozen=True, slots=True)
class MemberSeen:
    """A record in a conflict, with the words by which it states its value."""

    ref: str
    version: int
    value: str
    quote: Quote
    state: str
    protection: str = "normal"


@dataclass(frozen=True, slots=True)
class StepSeen:
    number: int
    ref: str
    op: Step
    state: Literal["waiting", "done", "failed", "blocked"]
    expected_version: int
    result_version: int | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ConflictSeen:
    """Records that cannot all be right. `values` groups members by what they state; `plan` is there once it was judged."""

    ref: str
    status: str
    revision: int
    subject: str
    attribute: str
    qualifier: str | None
    values: tuple[str, ...]
    members: tuple[MemberSeen, ...] = ()
    chosen: str | None = None
    resolution: str | None = None
    decider: str | None = None
    reason: str | None = None
    plan: tuple[StepSeen, ...] = ()
    earlier_plans: tuple[tuple[StepSeen, ...], ...] = ()
    opened_at: str | None = None


@dataclass(frozen=True, slots=True)
class ProposalSeen:
    ref: str
    state: str
    op: str
    text: str | None
    by: str
    at: str
    taint: int
    target: str | None = None
    supersedes: str | None = None
    kind: str = "fact"
    evidence: tuple[str, ...] = ()
    reason: str | None = None
    decider: str | None = None
    result: str | None = None
    client: str | None = None


@dataclass(frozen=True, slots=True)
class ActionSeen:
    """`by` decided it: a principal, or a rule as `rule:NAME`. `author` proposed what it carries out, if that is another."""

    ref: str
    kind: str
    at: str
    by: str
    targets: dict[str, Any]
    reason: str | None = None
    run: str | None = None
    client: str | None = None
    undone: bool = False
    undoable: bool = False
    author: str | None = None


@dataclass(frozen=True, slots=True)
class VersionSeen:
    version: int
    text: str
    at: str
    by: str
    current: bool
    reason: str | None = None
    subject: str | None = None
    labels: tuple[str, ...] = ()
    source_type: str | None = None
    client: str | None = None


@dataclass(frozen=True, slots=True)
class RecordSeen:
    ref: str
    kind: str
    state: str
    version: int
    text: str
    at: str | None = None
    superseded_by: str | None = None
    why: str | None = None
    taint: int = 0


@dataclass(frozen=True, slots=True)
class NoticeSeen:
    """`text` says what it is about and what to do; None for what is no longer so."""

    ref: str
    sort: str
    about: str
    state: str
    at: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class EntitySeen:
    name: str
    type: str
    mentions: int
    claims: int
    aliases: tuple[str, ...] = ()
    blocked: bool = False
    merged_into: str | None = None


@dataclass(frozen=True, slots=True)
class CandidateSeen:
    ref: str
    sort: str
    members: tuple[str, ...]
    score: float
    state: str
    at: str


@dataclass(frozen=True, slots=True)
class ReviewAnswer:
    """Only the fields that the verb fills are there. With `proposal`: `record` is what it would change, as that stands now,
    `diff` how, and `sources` the records that it rests on."""

    verb: str
    workspace: str
    counts: dict[str, int] | None = None
    conflicts: tuple[ConflictSeen, ...] = ()
    conflict: ConflictSeen | None = None
    proposals: tuple[ProposalSeen, ...] = ()
    proposal: ProposalSeen | None = None
    versions: tuple[VersionSeen, ...] = ()
    actions: tuple[ActionSeen, ...] = ()
    diff: str | None = None
    record: RecordSeen | None = None
    sources: tuple[RecordSeen, ...] = ()
    derived: tuple[RecordSeen, ...] = ()
    records: tuple[RecordSeen, ...] = ()
    notices: tuple[NoticeSeen, ...] = ()
    entities: tuple[EntitySeen, ...] = ()
    candidates: tuple[CandidateSeen, ...] = ()
    cursor: str | None = None
    meta: Meta = field(default_factory=Meta)
