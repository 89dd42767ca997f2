"""Names that are a thing with its property: "the release manager" is the manager of the release.

Always true here: nothing is answered that no claim says; a phrase that nobody claims anything of means nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from muniment.graph import resolve
from muniment.graph.resolve import Resolved, Thing
from muniment.store import claims
from muniment.store.connections import Connection
from muniment.text.statements import slots
from muniment.text.statements.claim_values import without_article

WORDS_MOST = 6
# Whose a property is that nobody is named for: "our ticket system".
OURS = "we"


@dataclass(frozen=True, slots=True)
class Meant:
    """What a name means. With `attribute` (a slot) it means that property of the thing, and nothing else about it."""

    resolved: Resolved
    attribute: str | None = None

    @property
    def thing(self) -> Thing | None:
        return self.resolved.thing


def one(connection: Connection, workspace: int, name: str) -> Meant:
    """What a name means: a thing, with or without its article, else a property of a thing."""
    bare = without_article(name.strip())
    for spelled in dict.fromkeys((name, bare)):
        found = resolve.one(connection, workspace, spelled)
        if found != resolve.UNKNOWN:
            return Meant(found)
    parts = list(_parts(bare))
    things = resolve.many(connection, workspace, {resolve.norm(owner) for owner, _ in parts})
    for owner, attribute in parts:
        found = things.get(resolve.norm(owner), resolve.UNKNOWN)
        if found.thing and claims.of_property(connection, workspace, found.thing.members, attribute, 1):
            return Meant(found, attribute)
    return Meant(resolve.UNKNOWN)


def _parts(phrase: str) -> Iterator[tuple[str, str]]:
    """A phrase as owner and property, the longest owner first."""
    words = phrase.split()
    if len(words) > WORDS_MOST:
        return
    for at in range(len(words) - 1, 0, -1):
        yield " ".join(words[:at]), slots.slot(" ".join(words[at:]))
    yield OURS, slots.slot(phrase)
