"""Keeping things: what `remember` and `ingest` take and give. An answer counts; it never hides a loss."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from muniment.model.fields import REQUIRED, STRICT, arg
from muniment.model.recalling import Meta
from muniment.model.records import MemoryKind, Relation, Tier

TEXT_LENGTH_MAX = 10_000_000
TURNS_MAX = 1000
LABELS_MAX = 50
EVIDENCE_MAX = 50
CLAIMS_MAX = 50
LINKS_MAX = 50
LABEL_LENGTH_MAX = 200
# Of a record that resembles a new one, this much is shown; its ref opens the rest.
SIMILAR_SHOWN_MAX = 500
# Longer reports of rejected lines are cut in the answer, never in the count.
REJECTED_LISTED_MAX = 1000


@dataclass(frozen=True, slots=True)
class Labels:
    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    topics: tuple[str, ...] = arg((), "What it is about.", max_length=LABELS_MAX)
    tags: tuple[str, ...] = arg((), "Free marks.", max_length=LABELS_MAX)
    people: tuple[str, ...] = arg((), "Whom it is about.", max_length=LABELS_MAX)


@dataclass(frozen=True, slots=True)
class ClaimIn:
    """What the text states."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    subject: str = arg(REQUIRED, "The entity it is about.", min_length=1, max_length=200)
    attribute: str = arg(REQUIRED, "Such as port, owner, lives in, caused by.", min_length=1, max_length=200)
    value: str = arg(REQUIRED, "Its value, or another entity.", min_length=1, max_length=500)
    quote: str | None = arg(None, "Words of the text; default: all.", max_length=4000)
    qualifier: str | None = arg(None, "Limited to; such as staging.", max_length=200)
    negated: bool = arg(False, "It is not so.")


@dataclass(frozen=True, slots=True)
class LinkIn:
    """Relation to an earlier record."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    ref: str = arg(REQUIRED, "The earlier record.", max_length=500)
    relation: Relation = arg(REQUIRED, "How they relate.")


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """Keep one durable statement, or change one that is kept."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    text: str | None = arg(None, "The statement, complete in itself.", max_length=TEXT_LENGTH_MAX)
    kind: MemoryKind = arg("fact", "What sort of statement.")
    tier: Tier | None = arg(None, "Prominence; default by kind.")
    subject: str | None = arg(None, "What it is about, briefly.", max_length=500)
    labels: Labels | None = arg(None, "Topics, tags and people.")
    workspace: str | None = arg(None, "Default: the current one.", max_length=200)
    op: Literal["add", "update", "supersede", "open_thread", "close_thread", "reject", "archive", "restore"] = arg(
        "add", "What to do."
    )
    target: str | None = arg(None, "The memory to change.", max_length=500)
    expected_version: int | None = arg(None, "The version you have read.", ge=1)
    correction: bool = arg(False, "It was never so.")
    why: str | None = arg(None, "The reason, for the ledger.", max_length=2000)
    evidence: tuple[str, ...] | None = arg(None, "Refs that it is derived from.", max_length=EVIDENCE_MAX)
    claims: tuple[ClaimIn, ...] | None = arg(None, "What the text states.", max_length=CLAIMS_MAX)
    links: tuple[LinkIn, ...] | None = arg(None, "Relations to earlier records.", max_length=LINKS_MAX)
    event_time: str | None = arg(None, "ISO 8601; when it was said.", max_length=64)
    valid_from: str | None = arg(None, "ISO 8601; holds from then.", max_length=64)
    valid_to: str | None = arg(None, "ISO 8601; until then.", max_length=64)
    source_ref: str | None = arg(None, "A file, ticket or URL.", max_length=2000)
    request_id: str | None = arg(None, "The same id returns the first answer.", max_length=200)


@dataclass(frozen=True, slots=True)
class Similar:
    """A record that says nearly the same. `similarity` is the share of words in common, 0 to 1."""

    ref: str
    text: str
    similarity: float


@dataclass(frozen=True, slots=True)
class RememberAnswer:
    """`duplicate`: exactly this was kept before, and now counts as confirmed once more; with an `action` it was brought back,
    with a warning it stays retired. `queued` and `quarantined`: the change waits as a proposal, which `ref` names, and
    `version` is 0. `claims` counts what was read out of the text; `conflicts` are refs of open ones."""

    outcome: Literal["applied", "duplicate", "queued", "quarantined"]
    ref: str
    version: int
    workspace: str
    action: str | None = None
    proposal_id: str | None = None
    superseded: str | None = None
    taint: int = 0
    masked: int = 0
    claims: int = 0
    dropped: int = 0
    similar: tuple[Similar, ...] = ()
    conflicts: tuple[str, ...] = ()
    replayed: bool = False
    meta: Meta = field(default_factory=Meta)


@dataclass(frozen=True, slots=True)
class TurnIn:
    """One utterance."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    speaker: str = arg(REQUIRED, "Who said it.", min_length=1, max_length=500)
    text: str = arg(REQUIRED, "What was said.", max_length=TEXT_LENGTH_MAX)
    time: str | None = arg(None, "ISO 8601; with its offset.", max_length=64)
    id: str | None = arg(None, "Unique in the session.", max_length=500)


@dataclass(frozen=True, slots=True)
class DocumentIn:
    """A text brought in whole; HTML is reduced to its text."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    text: str = arg(REQUIRED, "The whole text.", max_length=TEXT_LENGTH_MAX)
    title: str | None = arg(None, "Its title.", max_length=1000)
    url: str | None = arg(None, "Where it can be opened.", max_length=2000)
    format: Literal["text", "markdown", "html"] = arg("text", "How the text is written.")
    time: str | None = arg(None, "ISO 8601; when it was written.", max_length=64)
    source_ref: str | None = arg(None, "A file or address.", max_length=2000)


@dataclass(frozen=True, slots=True)
class IngestRequest:
    """Keep a conversation or a document. Give turns, jsonl or a document, one of them."""

    __pydantic_config__: ClassVar[dict[str, str]] = STRICT
    session: str | None = arg(None, "The conversation of `turns`.", max_length=500)
    turns: tuple[TurnIn, ...] | None = arg(None, "Turns in spoken order.", max_length=TURNS_MAX)
    jsonl: str | None = arg(
        None, "A JSON object a line: session, speaker, text; time, id, workspace.", max_length=TEXT_LENGTH_MAX
    )
    document: DocumentIn | None = arg(None, "A text to keep whole.")
    title: str | None = arg(None, "A title for the session.", max_length=1000)
    workspace: str | None = arg(None, "Default: the current one.", max_length=200)
    dry_run: bool = arg(False, "Only say what would be stored.")


@dataclass(frozen=True, slots=True)
class RejectedLine:
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class IngestAnswer:
    """`masked` counts secrets that were replaced before storage. `refs` names what one call added, at most 100."""

    added: int
    duplicates: int
    rejected: tuple[RejectedLine, ...]
    rejected_total: int
    masked: int
    workspaces: tuple[str, ...]
    sessions: int
    refs: tuple[str, ...] = ()
    similar: tuple[Similar, ...] = ()
    dry_run: bool = False
    meta: Meta = field(default_factory=Meta)
