"""Walls: which workspaces somebody may read and write, as people name them (slugs) and as rows hold them (numbers).

No wall at all is None and reaches every workspace there is and will be; an empty one reaches none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from muniment.errors import UnknownWorkspace
from muniment.model.access import DataClass, Workspace
from muniment.store import workspaces
from muniment.store.connections import Connection

Wall = frozenset[str] | None


class Names:
    """The slugs of workspaces that rows name by number, archived ones too: a wall stays what it is while one is out of use.

    Were one left out, a wall around it alone would read as one around nothing, which lies within anybody's.
    """

    def __init__(self, connection: Connection, held: Iterable[str | int | None]) -> None:
        numbers = {int(number) for one in held if one is not None for number in str(one).split()}
        found = workspaces.by_ids(connection, numbers) if numbers else []
        self._slugs = {place.id: place.slug for place in found}

    def wall(self, held: str | None) -> Wall:
        return None if held is None else frozenset(self._slugs[int(one)] for one in held.split() if int(one) in self._slugs)

    def one(self, held: int | None) -> str | None:
        return None if held is None else self._slugs.get(held)


def numbers(connection: Connection, slugs: Iterable[str]) -> dict[str, int]:
    """The numbers of workspaces. Raises UnknownWorkspace for a name that is none's."""
    named = frozenset(slugs)
    found = {place.slug: place.id for place in workspaces.by_slugs(connection, named)} if named else {}
    if missing := sorted(named - found.keys()):
        raise absent(missing[0])
    return found


def absent(slug: str) -> UnknownWorkspace:
    return UnknownWorkspace(f"There is no workspace {slug!r}.", "`muniment workspace list` shows them.")


def named(*some: Wall) -> frozenset[str]:
    """Every slug that some walls name."""
    return frozenset().union(*(wall for wall in some if wall is not None))


def only(read: Wall, write: Wall) -> str | None:
    """The one workspace that two walls leave to read, else the one to write; None where there are several, or none."""
    own = read if read and len(read) == 1 else write
    return next(iter(own)) if own and len(own) == 1 else None


def held(wall: Wall, numbers: Mapping[str, int]) -> str | None:
    """A wall as a row holds it."""
    return None if wall is None else " ".join(str(number) for number in sorted(numbers[slug] for slug in wall))


def pair(read: Iterable[str] | None, write: Iterable[str] | None) -> tuple[Wall, Wall]:
    """Both walls from what was named: without `write` it is that of `read`, and what may be written may be read."""
    readable = None if read is None else frozenset(read)
    writable = readable if write is None else frozenset(write)
    if writable is not None and readable is not None:
        readable |= writable
    return readable, writable


def reaches(read: Wall, classes: frozenset[DataClass], workspace: Workspace) -> bool:
    """Whether a wall and the classes that somebody sees leave a workspace to read."""
    return within(workspace.slug, read) and workspace.data_class in classes


def within(slug: str, wall: Wall) -> bool:
    return wall is None or slug in wall


def both(one: Wall, other: Wall) -> Wall:
    """What two walls both reach."""
    if one is None or other is None:
        return other if one is None else one
    return one & other
