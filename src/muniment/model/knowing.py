"""Claims and the graph they make: what `near` and `why` take and give. No claim is shown without the words that say it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from muniment.model.fields import REQUIRED, STRICT, arg
from muniment.model.recalling import Meta

NEAR_MAX = 200
HOPS_MAX = 6
EntityType = Literal["person", "project", "tool", "decision", "org", "place", "other"]


@dataclass(frozen=True, slots=True)
class NearRequest:
    """What is known around one entity, each fact with the words that say it."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    entity: str = arg(REQUIRED, "A name or an alias.", min_length=1, max_length=500)
    workspace: str | None = arg(None, "As in recall, but one.", max_length=200)
    as_of: str | None = arg(None, "ISO 8601: what held then.", max_length=64)
    known_at: str | None = arg(None, "ISO 8601: as known then.", max_length=64)
    limit: int = arg(20, "Facts at most.", ge=1, le=NEAR_MAX)


@dataclass(frozen=True, slots=True)
class WhyRequest:
    """How two entities are connected by causes, each step quoted, or that no path is known."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    from_: str = arg(REQUIRED, "The entity to explain from.", min_length=1, max_length=500, alias="from")
    to: str = arg(REQUIRED, "The entity to reach.", min_length=1, max_length=500)
    workspace: str | None = arg(None, "As in recall, but one.", max_length=200)
    as_of: str | None = arg(None, "ISO 8601: what held then.", max_length=64)
    known_at: str | None = arg(None, "ISO 8601: as known then.", max_length=64)
    max_hops: int = arg(4, "Steps at most.", ge=1, le=HOPS_MAX)


@dataclass(frozen=True, slots=True)
class Quote:
    """`quote == text[start:end]` of that version of the record."""

    ref: str
    version: int
    start: int
    end: int
    quote: str
    at: str | None = None


@dataclass(frozen=True, slots=True)
class ClaimSeen:
    """A dated statement. `valid` is half-open, in ISO 8601; None stands for an open end. `negated`: it is not so.

    `standing` is past where it holds no more; of several current values of one thing the most trusted is first. `conflicts`
    are the open ones about it. `ref` is that of the record where only a change ("moved from X to Y") says it.
    """

    ref: str
    subject: str
    attribute: str
    value: str
    evidence: tuple[Quote, ...]
    qualifier: str | None = None
    negated: bool = False
    valid: tuple[str | None, str | None] = (None, None)
    recorded_at: str | None = None
    confidence: float = 1.0
    method: str = "rule"
    standing: Literal["current", "past"] = "current"
    taint: int = 0
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NearAnswer:
    """`entity_resolved` false: nobody knows that name; `facts` is empty then. `names`: aliases of the entity."""

    entity: str | None
    entity_resolved: bool
    facts: tuple[ClaimSeen, ...]
    names: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    total: int = 0
    meta: Meta = field(default_factory=Meta)


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """`path` runs from the first entity to the second; without one `found` is false and `message` says so in plain words."""

    found: bool
    path: tuple[ClaimSeen, ...]
    message: str
    unresolved: tuple[str, ...] = ()
    meta: Meta = field(default_factory=Meta)
