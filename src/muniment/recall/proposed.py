"""A proposal as `read` opens it: what was asked, and what became of it. Only its author and whoever decides may open it."""

from __future__ import annotations

from muniment.access import policy
from muniment.context import Context
from muniment.errors import NotFound
from muniment.model import ids
from muniment.model.access import Workspace
from muniment.model.reading import Opened, ReadAnswer
from muniment.model.recalling import Meta, Provenance
from muniment.model.records import tier_of
from muniment.model.times import Moment
from muniment.store import proposals, records
from muniment.store.connections import Connection
from muniment.store.proposals import Proposal

SEES_ALL = frozenset({"govern", "curate"})
SOURCE_TYPE = "agent_generated"


def find(context: Context, connection: Connection, ref: str) -> tuple[Proposal, Workspace]:
    """The proposal that a ref names and its workspace. Raises NotFound alike for absent, foreign and other people's ones."""
    parsed = ids.parse(ref)
    one = proposals.by_uid(connection, parsed[1]) if parsed and parsed[0] == "p" else None
    place = policy.may_read(context, connection, one.workspace) if one else None
    if one is None or place is None or not visible(context, one):
        raise NotFound(f"There is no proposal {ref!r}.", "List them with review proposals.")
    return one, place


def opened(context: Context, connection: Connection, ref: str) -> ReadAnswer:
    """One proposal as a record. Raises NotFound as `find` does."""
    one, place = find(context, connection, ref)
    at = Moment(one.at, 0).iso()
    text = one.text or ""
    shown = Opened(
        ref=one.ref,
        kind=one.kind,
        text=text,
        version=1,
        state=one.state,
        tier=tier_of(one.kind),
        provenance=Provenance(place.slug, speaker=one.by, recorded_at=at, source_type=SOURCE_TYPE, client=one.client),
        trust=one.trust,
        taint=one.taint,
        subject=f"proposal: {one.op}",
        length=len(text),
        by=one.by,
    )
    named = _named(connection, one)
    return ReadAnswer((shown,), meta=Meta(warnings=_became(one), next=tuple(f'read(ref="{ref}")' for ref in named)))


def principal_seen(context: Context) -> int | None:
    """Whose proposals the caller sees: its own, or None for everybody's."""
    return None if context.grant.scopes & SEES_ALL else context.grant.principal


def visible(context: Context, one: Proposal) -> bool:
    """Nobody else reads a proposal until it was decided and has become memory."""
    return principal_seen(context) in (None, one.principal)


def _became(one: Proposal) -> tuple[str, ...]:
    by = f" by {one.decider}" if one.decider else ""
    return (f"{one.state}{by}: {one.reason}",) if one.reason or by else ()


def _named(connection: Connection, one: Proposal) -> list[str]:
    """The records that a proposal is about, and what it led to."""
    wanted = [number for number in (one.record, one.target, one.supersedes) if number is not None]
    held = records.by_id(connection, one.workspace, wanted)
    return list(dict.fromkeys(held[number].ref for number in wanted if number in held))
