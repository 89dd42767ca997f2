"""What a client can open by its address: a record, and the standing brief of a workspace.

An address opens what `read` opens for the same caller, and nothing else; what it may not read is not there.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from muniment.surfaces.offer import allowed
from muniment.surfaces.tools import shipped

if TYPE_CHECKING:
    from muniment.context import Context

SCHEME = "muniment://"
ADDRESS_LENGTH_MAX = 300
_ADDRESS = re.compile(rf"{SCHEME}(record|brief)/([^/?#\s]{{1,200}})")
MARKDOWN, PLAIN = "text/markdown", "text/plain"

CURRENT = {
    "uri": f"{SCHEME}brief/default",
    "name": "brief",
    "title": "Standing brief",
    "description": "What stands and what is open in the current workspace, in a few dated lines.",
    "mimeType": MARKDOWN,
}
TEMPLATES = (
    {
        "uriTemplate": f"{SCHEME}record/{{ref}}",
        "name": "record",
        "title": "A record",
        "description": "One record or session by its ref, with its provenance.",
        "mimeType": PLAIN,
    },
    {
        "uriTemplate": f"{SCHEME}brief/{{workspace}}",
        "name": "brief",
        "title": "Standing brief of a workspace",
        "description": "What stands and what is open there, in a few dated lines.",
        "mimeType": MARKDOWN,
    },
)


def listed(scopes: frozenset[str], toolsets: frozenset[str] | None, *, read_only: bool) -> list[dict[str, Any]]:
    """The resources a caller may see: whoever may call `read` sees them."""
    return [CURRENT] if _may(scopes, toolsets, read_only=read_only) else []


def templates(scopes: frozenset[str], toolsets: frozenset[str] | None, *, read_only: bool) -> list[dict[str, Any]]:
    """The forms of addresses a caller may fill in."""
    return list(TEMPLATES) if _may(scopes, toolsets, read_only=read_only) else []


def named(uri: Any, scopes: frozenset[str], toolsets: frozenset[str] | None, *, read_only: bool) -> tuple[str, str] | None:
    """What an address names, as (record or brief, its name); None for one that is none of ours, or not for this caller."""
    if not isinstance(uri, str) or len(uri) > ADDRESS_LENGTH_MAX or not _may(scopes, toolsets, read_only=read_only):
        return None
    found = _ADDRESS.fullmatch(uri)
    if found is None:
        return None
    from urllib.parse import unquote

    return found[1], unquote(found[2])


def opened(context: Context, uri: str, kind: str, name: str) -> dict[str, Any]:
    """The contents of an address. Raises MunimentError, the same for what is not there and for what is not the caller's."""
    text = _record(context, name) if kind == "record" else _brief(context, name)
    return {"contents": [{"uri": uri, "mimeType": PLAIN if kind == "record" else MARKDOWN, "text": text}]}


def _record(context: Context, ref: str) -> str:
    """The record, fenced, since it is data that somebody wrote."""
    from muniment.surfaces import provenance, wire
    from muniment.surfaces.catalogue import named as operation_named
    from muniment.text import fence

    operation = operation_named("read")
    assert operation is not None, "the catalogue has it"
    values = {"session" if ref.startswith("s_") else "ref": ref}
    found = wire.call(context, operation, values)
    return "\n\n".join(fence.wrap(record["text"], _note(provenance.facts(record))) for record in found["records"])


def _note(facts: list[tuple[str, str]]) -> str:
    """What is known of a record, in a line that begins with its ref."""
    (_, ref), *others = facts
    return "; ".join([ref, *(f"{name} {value}" for name, value in others)])


def _brief(context: Context, name: str) -> str:
    from muniment.access import policy
    from muniment.insight import brief

    with context.store.read() as connection:
        place = policy.current(context, connection, name)
    return brief.brief(replace(context, workspace=place.slug))


def _may(scopes: frozenset[str], toolsets: frozenset[str] | None, *, read_only: bool) -> bool:
    tool = shipped().named("read")
    assert tool is not None, "the shipped list has it"
    return allowed(tool, scopes, toolsets, read_only=read_only)
