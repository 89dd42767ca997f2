"""A question and its evidence: what `recall`, `search` and `fetch` take and give.

Scores are between 0 and 1 and comparable between questions. Times are ISO 8601 text at this edge.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from muniment.model.access import DataClass
from muniment.model.fields import REQUIRED, STRICT, arg
from muniment.model.records import Kind, Origin, SourceType, Tier

Standing = Literal["superseded", "outdated", "expired", "future"]
Strength = Literal["strong", "partial", "weak", "none"]

QUERY_LENGTH_MAX = 10_000
LIMIT_MAX = 100
TOKENS_MAX = 100_000
AROUND_MAX = 10
NAMES_MAX = 50


@dataclass(frozen=True, slots=True)
class Filter:
    """All that is given must hold; of a list, any value."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    kind: tuple[Kind, ...] | None = arg(None, "Kinds of record.", max_length=NAMES_MAX)
    tier: tuple[Tier, ...] | None = arg(None, "Tiers.", max_length=3)
    topics: tuple[str, ...] | None = arg(None, "Topic labels.", max_length=NAMES_MAX)
    people: tuple[str, ...] | None = arg(None, "Person labels or speakers.", max_length=NAMES_MAX)
    tags: tuple[str, ...] | None = arg(None, "Tag labels.", max_length=NAMES_MAX)
    entity: str | None = arg(None, "Only records mentioning this entity.", max_length=500)
    origin: Origin | None = arg(None, "own or collected.")
    source_type: SourceType | None = arg(None, "Where the text came from.")
    after: str | None = arg(None, "ISO 8601; said or dated from then on.", max_length=64)
    before: str | None = arg(None, "ISO 8601; said or dated before.", max_length=64)
    session: str | None = arg(None, "Only this session; its ref or id.", max_length=500)
    exclude_session: str | None = arg(None, "Not this session.", max_length=500)
    state: tuple[Literal["active", "superseded"], ...] | None = arg(None, "superseded: only what was replaced.", max_length=2)


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A question to memory. Without a query it browses, newest first."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    query: str = arg("", "In plain words, in any language.", max_length=QUERY_LENGTH_MAX)
    workspace: str | tuple[str, ...] | None = arg(None, 'A slug, a list, or "*" for all; default: the current one and global.')
    filter: Filter | None = arg(None, "Restrict what may be returned.")
    as_of: str | None = arg(None, "ISO 8601 (a date: its end); what held then.", max_length=64)
    known_at: str | None = arg(None, "ISO 8601; what was known then.", max_length=64)
    limit: int | None = arg(None, "Hits at most; default 8.", ge=1, le=LIMIT_MAX)
    max_tokens: int | None = arg(None, "Token budget for the texts.", ge=1, le=TOKENS_MAX)
    min_score: float = arg(0.0, "Leave out hits below this.", ge=0, le=1)
    diversity: float = arg(0.7, "1: by relevance alone; 0: by novelty.", ge=0, le=1)
    around: int = arg(0, "Turns shown before and after a hit.", ge=0, le=AROUND_MAX)
    format: Literal["json", "text"] = arg("json", "text: for a prompt.")
    max_chars: int = arg(2000, "With text: clip each here.", ge=100, le=20_000)
    trace: bool = arg(False, "Show how it was ranked.")
    cursor: str | None = arg(None, "Where the last answer ended.", max_length=2000)


@dataclass(frozen=True, slots=True)
class EvidenceSpan:
    """The part of a text that backs the answer. `quote == text[start:end]` of the record it belongs to."""

    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class ToldTime:
    """A relative date of a text, told from the text's own time: "yesterday" as the day it meant. Half-open, ISO 8601."""

    start: int
    end: int
    surface: str
    begins: str
    ends: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a text came from. `at` is when it was said, `recorded_at` when it was stored; both ISO 8601."""

    workspace: str
    session: str | None = None
    session_ref: str | None = None
    title: str | None = None
    turn: int | None = None
    speaker: str | None = None
    at: str | None = None
    zone: Literal["given", "unknown"] | None = None
    recorded_at: str | None = None
    source_type: str | None = None
    source_ref: str | None = None
    url: str | None = None
    client: str | None = None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A turn that stands before or after a hit in its session."""

    ref: str
    speaker: str | None
    text: str
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Signal:
    """A link of a hit. `out`: the hit is the later one (it supports, contradicts, supersedes `ref`); `in`: the other way."""

    relation: str
    direction: Literal["out", "in"]
    ref: str
    confidence: float
    rationale: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """One record that backs the answer. `matched_by` names the views that found it.

    `standing` is there when the hit is not simply current: `superseded` by decision, `outdated` by a later statement of the
    same thing, `expired` by its own dates, or `future` where it has not begun by them.
    `replaced_by` names what took its place, `replaces` what this hit took the place
    of; `valid` is the half-open interval over which it held, as far as that is known.

    Of a long text `text` is the part around the passage that was found, and `span` says which of the `length` code points
    of the record it is; offsets in `evidence` and `times` count in the whole text. `read` opens the rest.
    """

    ref: str
    kind: str
    text: str
    score: float
    role: Literal["primary", "supporting", "distant"]
    matched_by: tuple[str, ...]
    evidence: tuple[EvidenceSpan, ...]
    provenance: Provenance
    trust: float
    taint: int
    span: tuple[int, int] | None = None
    length: int | None = None
    subject: str | None = None
    tier: str | None = None
    version: int = 1
    state: str = "active"
    standing: Standing | None = None
    replaced_by: str | None = None
    replaced_why: Literal["change", "correction"] | None = None
    replaces: tuple[str, ...] = ()
    valid: tuple[str | None, str | None] | None = None
    protection: str | None = None
    signals: tuple[Signal, ...] = ()
    conflicts: tuple[str, ...] = ()
    times: tuple[ToldTime, ...] = ()
    also: tuple[str, ...] = ()
    corroborated: int = 0
    before: tuple[Neighbour, ...] = ()
    after: tuple[Neighbour, ...] = ()
    data_class: DataClass = "internal"


@dataclass(frozen=True, slots=True)
class Meta:
    """How an answer came to be. `degraded` names views that could not take part, with the reason; `notices` tells, once,
    of something that waits for a decision."""

    mode: str = "full"
    degraded: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    next: tuple[str, ...] = ()
    took_ms: float | None = None


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """Cited evidence, best first, or the statement that memory does not hold the answer.

    With `abstained`, `results` is empty, `missing` names what was not found and `nearest` holds what came closest.
    """

    results: tuple[Evidence, ...]
    strength: Strength
    abstained: bool = False
    missing: tuple[str, ...] = ()
    nearest: tuple[Evidence, ...] = ()
    total: int | None = None
    filtered_out: int = 0
    skipped_for_budget: int = 0
    tokens_used: int = 0
    route: tuple[str, ...] = ()
    entity_resolved: bool | None = None
    cursor: str | None = None
    text: str | None = None
    trace: dict[str, Any] | None = None
    meta: Meta = field(default_factory=Meta)


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The search contract of chat connectors: one query, nothing else."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    query: str = arg(REQUIRED, "What to look for.", min_length=1, max_length=QUERY_LENGTH_MAX)


@dataclass(frozen=True, slots=True)
class SearchResult:
    id: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    results: tuple[SearchResult, ...]


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """The fetch contract of chat connectors: one id that search returned."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    id: str = arg(REQUIRED, "An id from search.", min_length=1, max_length=500)


@dataclass(frozen=True, slots=True)
class FetchAnswer:
    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]
