"""Asking before a record is changed with authority: what it is, whether the caller may, and what would follow, in words.

Everything is looked at again once the workspace is held; whoever confirmed confirmed exactly that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from muniment.access import policy
from muniment.context import Context
from muniment.errors import InvalidInput, NotFound, StaleVersion
from muniment.governance import edits
from muniment.governance import statement as statements
from muniment.model import ids
from muniment.model.access import Workspace
from muniment.model.governing import GovernRequest
from muniment.model.records import Record
from muniment.store import records
from muniment.store.connections import Connection
from muniment.text import excerpts

EXCERPT_MAX = 160
LISTED_MAX = 10


def why(context: Context, request: GovernRequest) -> str:
    """The reason of a change, masked. Raises InvalidInput where there is none."""
    if not (request.reason or "").strip():
        raise InvalidInput(
            f"{request.do.verb} needs a reason.", "Pass reason (at the command line --why); it stands in the ledger."
        )
    return str(statements.reason(context, request.reason))


def found(context: Context, connection: Connection, ref: str) -> tuple[Record, Workspace]:
    """A record that the caller may read, by its ref. Raises NotFound alike for absent and foreign ones."""
    parsed = ids.parse(ref)
    record = records.by_uid(connection, parsed[1]) if parsed else None
    place = policy.may_read(context, connection, record.workspace) if record else None
    if record is None or place is None:
        raise NotFound(f"There is no record {ref!r}.")
    return record, place


def memory(context: Context, connection: Connection, ref: str | None) -> tuple[Record, Workspace]:
    """The memory that a request names as its target, before anything is held: what it is decides how a text is read.

    Raises InvalidInput for what is no ref, NotFound alike for absent and foreign ones.
    """
    parsed = ids.parse(ref or "")
    if parsed is None:
        raise InvalidInput(f"{ref!r} is no ref.", "Pass the memory's ref (m_…) as target.")
    record = records.by_uid(connection, parsed[1])
    place = policy.may_read(context, connection, record.workspace) if record else None
    if record is None or place is None:
        raise NotFound(f"There is no memory {ref!r}.")
    return record, place


def looked_at(context: Context, connection: Connection, ref: str, expected: int, *, text: bool = False) -> Record:
    """The record of a change that has to be confirmed. Raises what the change itself would raise."""
    record, place = found(context, connection, ref)
    policy.changes(context, place)
    edits.guard(context, record, text=text, confirmed=True)
    edits.fresh(record, expected)
    return record


def unchanged(record: Record, seen: Record) -> None:
    """Raise StaleVersion where a record changed between being asked about and being held."""
    if seal(record) != seal(seen):
        raise StaleVersion(f"{record.ref} changed at this moment.")


def seal(record: Record) -> list[Any]:
    """What a confirmation of a change to this record is bound to."""
    return [record.uid, record.version, record.state, record.protection, record.superseded_by]


def quoted(record: Record) -> str:
    """A record's ref and the beginning of its text, in one line and without anything that steers its reader."""
    said = excerpts.line(record.text, EXCERPT_MAX)
    return f"{record.ref} ({record.kind}, version {record.version}, {record.state}): “{said}”"


def ties(connection: Connection, record: Record) -> str:
    """The links of a record, in words."""
    links = records.links(connection, record.workspace, [record.id])
    if not links:
        return "No link names it."
    known = records.by_id(connection, record.workspace, {end for link in links for end in (link.src, link.dst)})
    told = [f"{known[link.src].ref} {link.relation} {known[link.dst].ref}" for link in links]
    return f"Links: {listed(told)}."


def listed(things: Sequence[str]) -> str:
    """A few things by name, the rest by number."""
    more = f" and {len(things) - LISTED_MAX} more" if len(things) > LISTED_MAX else ""
    return ", ".join(things[:LISTED_MAX]) + more
