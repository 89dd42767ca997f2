"""What a statement rests on: the records it names as evidence or by a link, and how far it is believed because of them.

Always true here: no link crosses the wall of a workspace, and none says of a record that a caller may not change that it
no longer holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from muniment.access.zones import SUSPECT
from muniment.context import Context
from muniment.errors import InsufficientScope, ProtectedTarget
from muniment.governance import asking, edits
from muniment.governance.changes import Effect
from muniment.governance.statement import Statement
from muniment.model.records import DERIVING, OPPOSING, PROTECTED_KINDS, Record
from muniment.model.writing import LinkIn, RememberRequest
from muniment.store.connections import Connection


def sources(context: Context, connection: Connection, request: RememberRequest) -> list[Record]:
    """The records that a statement is derived from. What is read elsewhere counts for taint, but no link crosses the wall."""
    return [asking.memory(context, connection, ref)[0] for ref in request.evidence or ()]


def standing(
    context: Context,
    connection: Connection,
    sources: Sequence[Record],
    links: Sequence[LinkIn] | None,
    replaced: Sequence[Record] = (),
) -> edits.Belief:
    """What the text has from the caller's door and from what it rests on, whether that is told as evidence or as a link."""
    derived = [asking.memory(context, connection, one.ref)[0] for one in links or () if one.relation in DERIVING]
    return edits.resting(edits.belief(context), (*sources, *derived), replaced)


def linked(
    context: Context, connection: Connection, record: Record, sources: Sequence[Record], links: Sequence[LinkIn]
) -> list[Effect]:
    """The effects of the links from a record to its sources and to what it was linked to. Raises ProtectedTarget."""
    effects: list[Effect] = []
    for one in sources:
        if one.workspace == record.workspace and one.id != record.id:
            effects += edits.linked(context, connection, record, one, "derived_from", method="agent")
    for link in links:
        other = asking.memory(context, connection, link.ref)[0]
        if link.relation in OPPOSING:
            _may_oppose(context, other)
        effects += edits.linked(context, connection, record, other, link.relation, method="agent")
    return effects


def _may_oppose(context: Context, other: Record) -> None:
    """Raise ProtectedTarget where the caller may not say of a record that it no longer holds: recall shows that beside it."""
    edits.shield(context, other)
    if other.kind in PROTECTED_KINDS and not context.grant.scopes & {"write", "govern"}:
        raise ProtectedTarget(f"{other.ref} is a {other.kind}: it binds everybody.")


def belief(
    context: Context,
    connection: Connection,
    statement: Statement,
    sources: Sequence[Record],
    links: tuple[LinkIn, ...] | None,
    replaced: Sequence[Record] = (),
) -> edits.Belief:
    """How far the text is believed. What is suspected becomes active only with the authority to govern."""
    found = standing(context, connection, sources, links, replaced)
    if max(found.taint, statement.taint) >= SUSPECT and "govern" not in context.grant.scopes:
        said = "This rests on a record, or bears words, that look like instructions to an agent."
        raise InsufficientScope(said, "Propose it with propose_memory; an owner decides.")
    return found
