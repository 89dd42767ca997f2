"""Changing what is kept: what `judge`, `govern`, `forget` and the operations for proposers take and give.

A tool with verbs takes one object `do`, whose `verb` decides which other fields it has.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from muniment.model.access import DataClass
from muniment.model.fields import REQUIRED, STRICT, arg
from muniment.model.knowing import EntityType
from muniment.model.recalling import Meta
from muniment.model.records import MemoryKind, Protection, Replaced
from muniment.model.reviewing import CandidateSeen, ConflictSeen, ProposalSeen, ProposalState, Step

REASON_MAX = 2000
ProposalOp = Literal["add_fact", "update_fact", "open_thread", "close_thread", "reject"]


# ---- judge ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """What is to be done with one member. The text of an update must hold the chosen value."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    ref: str = arg(REQUIRED, "The member.", max_length=100)
    op: Step = arg(REQUIRED, "What to do with it.")


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """Decide a conflict: which value holds, or that it is none, or what becomes of a candidate. Changes no record yet."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    conflict: str = arg(REQUIRED, "A conflict (c_…) or a candidate (l_…) from review.", max_length=100)
    verdict: Literal["choose", "not_a_conflict", "defer"] = arg(REQUIRED, "What you decide.")
    reason: str = arg(REQUIRED, "Why, for the ledger.", min_length=1, max_length=REASON_MAX)
    expected_revision: int | None = arg(None, "The revision you have read; required for a conflict.", ge=1)
    chosen_value: str | None = arg(None, "One of the values (with choose).", max_length=500)
    resolution: str | None = arg(None, "The record that states it and stays; needs no step.", max_length=100)
    plan: tuple[PlannedStep, ...] = arg((), "One step for each other member.", max_length=256)
    workspace: str | None = arg(None, "Default: the current one.", max_length=200)


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    conflict: ConflictSeen | None
    candidate: CandidateSeen | None = None
    action: str | None = None
    meta: Meta = field(default_factory=Meta)


# ---- govern ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Approve:
    """Accept a proposal; it is applied at once."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["approve"] = arg(REQUIRED, "approve")
    proposal: str = arg(REQUIRED, "A proposal's ref (p_…).", max_length=100)


@dataclass(frozen=True, slots=True)
class Reject:
    """Refuse a proposal; it is kept, so that it is not proposed again."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["reject"] = arg(REQUIRED, "reject")
    proposal: str = arg(REQUIRED, "A proposal's ref (p_…).", max_length=100)


@dataclass(frozen=True, slots=True)
class Confirm:
    """Say that a memory is right: it counts as confirmed by a person and is locked. Only at the command line."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["confirm"] = arg(REQUIRED, "confirm")
    target: str = arg(REQUIRED, "The memory.", max_length=100)
    expected_version: int = arg(REQUIRED, "The version you have read.", ge=1)


@dataclass(frozen=True, slots=True)
class Retire:
    """Take a record out of recall, with an heir or as wrong."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["retire"] = arg(REQUIRED, "retire")
    target: str = arg(REQUIRED, "The record.", max_length=100)
    expected_version: int = arg(REQUIRED, "The version you have read.", ge=1)
    heir: str | None = arg(None, "What takes its place.", max_length=100)
    how: Replaced | Literal["wrong", "archive"] = arg("change", "change and correction need an heir.")


@dataclass(frozen=True, slots=True)
class Restore:
    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["restore"] = arg(REQUIRED, "restore")
    target: str = arg(REQUIRED, "The record.", max_length=100)
    expected_version: int = arg(REQUIRED, "The version you have read.", ge=1)


@dataclass(frozen=True, slots=True)
class Protect:
    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["protect"] = arg(REQUIRED, "protect")
    target: str = arg(REQUIRED, "The memory.", max_length=100)
    expected_version: int = arg(REQUIRED, "The version you have read.", ge=1)
    level: Protection = arg(REQUIRED, "Who may change it from now on.")


@dataclass(frozen=True, slots=True)
class ApplyStep:
    """Do the next step of a judged conflict's plan."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["apply_step"] = arg(REQUIRED, "apply_step")
    conflict: str = arg(REQUIRED, "The conflict.", max_length=100)
    expected_revision: int = arg(REQUIRED, "The revision you have read.", ge=1)
    step: int = arg(REQUIRED, "The step's number.", ge=1)
    text: str | None = arg(None, "The new text, where the step edits.", max_length=100_000)


@dataclass(frozen=True, slots=True)
class Replan:
    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["replan"] = arg(REQUIRED, "replan")
    conflict: str = arg(REQUIRED, "The conflict.", max_length=100)
    expected_revision: int = arg(REQUIRED, "The revision you have read.", ge=1)
    plan: tuple[PlannedStep, ...] = arg(REQUIRED, "One step for each other member.", max_length=256)


@dataclass(frozen=True, slots=True)
class Resolve:
    """Close a conflict. No member may still assert a losing value."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["resolve"] = arg(REQUIRED, "resolve")
    conflict: str = arg(REQUIRED, "The conflict.", max_length=100)
    expected_revision: int = arg(REQUIRED, "The revision you have read.", ge=1)


@dataclass(frozen=True, slots=True)
class Contain:
    """Archive a record and everything derived from it, in one action."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["contain"] = arg(REQUIRED, "contain")
    target: str = arg(REQUIRED, "The record.", max_length=100)


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back one action, or all of a run."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["undo"] = arg(REQUIRED, "undo")
    action: str | None = arg(None, "An action's ref (a_…).", max_length=100)
    run: str | None = arg(None, "A run's name.", max_length=200)


@dataclass(frozen=True, slots=True)
class SetEntity:
    """Say what a name means: an alias of another entity, no entity at all, or of which type it is."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["set_entity"] = arg(REQUIRED, "set_entity")
    entity: str = arg(REQUIRED, "The name.", min_length=1, max_length=500)
    alias_of: str | None = arg(None, "It is another spelling of this entity.", max_length=500)
    merge_into: str | None = arg(None, "It is the same as this entity.", max_length=500)
    block: bool | None = arg(None, "true: it names nothing; false: it does again.")
    type: EntityType | None = arg(None, "What it is.")


@dataclass(frozen=True, slots=True)
class DismissNotice:
    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["dismiss"] = arg(REQUIRED, "dismiss")
    notice: str = arg(REQUIRED, "A notice's ref (n_…).", max_length=100)


@dataclass(frozen=True, slots=True)
class ScanConflicts:
    """Look through everything for statements that cannot all be right."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["scan"] = arg(REQUIRED, "scan")


@dataclass(frozen=True, slots=True)
class SetRule:
    """Whether clean, unopposed proposals on unprotected targets are accepted without a person."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    verb: Literal["auto_accept_clean"] = arg(REQUIRED, "auto_accept_clean")
    on: bool = arg(REQUIRED, "On or off.")


Done = (
    Approve
    | Reject
    | Confirm
    | Retire
    | Restore
    | Protect
    | ApplyStep
    | Replan
    | Resolve
    | Contain
    | Undo
    | SetEntity
    | DismissNotice
    | ScanConflicts
    | SetRule
)


@dataclass(frozen=True, slots=True)
class GovernRequest:
    """Decide and change with authority. What cannot be taken lightly is confirmed first."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    do: Done = arg(REQUIRED, "What to do.", discriminator="verb")
    reason: str | None = arg(None, "Why, for the ledger; needed for everything that changes a record.", max_length=REASON_MAX)
    run: str | None = arg(None, "A name that groups actions, so that they can be undone together.", max_length=200)
    confirm: str | None = arg(None, "The value that confirmation_required gave for this very call.", max_length=200)
    workspace: str | None = arg(None, "Default: the current one.", max_length=200)


@dataclass(frozen=True, slots=True)
class GovernAnswer:
    """`changed` are the refs of the records whose standing changed; `rule` is whether auto_accept_clean is on from now on."""

    verb: str
    action: str | None = None
    changed: tuple[str, ...] = ()
    conflict: ConflictSeen | None = None
    proposal: ProposalSeen | None = None
    counts: dict[str, int] | None = None
    rule: Literal["on", "off"] | None = None
    meta: Meta = field(default_factory=Meta)


# ---- forget ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """Destroy for good: a record, a session, a workspace, or everything a principal wrote. It cannot be undone."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    ref: str | None = arg(None, "A record's or session's ref.", max_length=100)
    workspace: str | None = arg(None, "A whole workspace, by its name.", max_length=200)
    principal: str | None = arg(None, "Everything of this principal, by its name.", max_length=200)
    reason: str | None = arg(None, "Why; it is forgotten with the text.", max_length=REASON_MAX)
    confirm: str | None = arg(None, "The value that confirmation_required gave for this very call.", max_length=200)
    dry_run: bool = arg(False, "Say what would be destroyed, destroy nothing.")


@dataclass(frozen=True, slots=True)
class ForgetAnswer:
    """`counts` by table; `derived` names what was made from the forgotten and still stands; `cleaned` says whether the
    store's files hold nothing of it any more, else `meta.warnings` says what to run."""

    counts: dict[str, int]
    receipt: str | None
    derived: tuple[str, ...] = ()
    cleaned: bool = False
    dry_run: bool = False
    meta: Meta = field(default_factory=Meta)


# ---- propose --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Change:
    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    op: ProposalOp = arg(REQUIRED, "What should be done.")
    text: str | None = arg(None, "The statement, complete in itself.", max_length=100_000)
    kind: MemoryKind = arg("fact", "What sort of statement (with add_fact).")
    target: str | None = arg(None, "The memory it concerns.", max_length=100)
    supersedes: str | None = arg(None, "The memory that it replaces.", max_length=100)


@dataclass(frozen=True, slots=True)
class EvidenceIn:
    """A record, or words from elsewhere. `trust` can only lower what the source has."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    ref: str | None = arg(None, "A record.", max_length=100)
    text: str | None = arg(None, "Words from outside of memory.", max_length=20_000)
    trust: Literal["trusted", "untrusted"] = arg("trusted", "How far you believe it.")


@dataclass(frozen=True, slots=True)
class ProposeRequest:
    """Propose a change. Somebody with authority decides; nothing that is recalled changes until then."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    project_id: str = arg(REQUIRED, "A workspace from list_projects.", min_length=1, max_length=200)
    request_id: str = arg(
        REQUIRED, "Your own id for this proposal; the same one again changes nothing.", min_length=1, max_length=200
    )
    change: Change = arg(REQUIRED, "What should be done.")
    evidence: tuple[EvidenceIn, ...] = arg((), "What it rests on.", max_length=50)


@dataclass(frozen=True, slots=True)
class ProposeAnswer:
    """`quarantined`: it rests on something untrusted or looks like an attack, and is looked at more strictly."""

    proposal_id: str
    status: ProposalState
    taint: int
    replayed: bool = False
    meta: Meta = field(default_factory=Meta)


@dataclass(frozen=True, slots=True)
class SearchMemoryRequest:
    """Search one project's memory."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    project_id: str = arg(REQUIRED, "A workspace from list_projects.", min_length=1, max_length=200)
    query: str = arg(REQUIRED, "What to look for.", min_length=1, max_length=10_000)
    cursor: str | None = arg(None, "Where the last answer ended.", max_length=2000)


@dataclass(frozen=True, slots=True)
class Excerpt:
    ref: str
    excerpt: str
    provenance: dict[str, Any]
    score: float
    taint: int = 0
    data_class: DataClass = "internal"


@dataclass(frozen=True, slots=True)
class SearchMemoryAnswer:
    hits: tuple[Excerpt, ...]
    next_cursor: str | None = None
    meta: Meta = field(default_factory=Meta)
