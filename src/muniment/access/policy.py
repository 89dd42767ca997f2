"""Which workspaces a caller may read and write, and which one a name means. A request never widens a grant."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.access import folders
from muniment.context import Context
from muniment.errors import ForbiddenScope, InsufficientScope, UnknownWorkspace
from muniment.model.access import DATA_CLASSES, Grant, Workspace
from muniment.store import workspaces
from muniment.store.connections import Connection

GLOBAL = "global"
INBOX = "inbox"
EVERYTHING = "*"
CURRENT = "default"


def readable(context: Context, connection: Connection) -> list[Workspace]:
    """Every workspace the caller may read, by slug."""
    return [w for w in workspaces.all_of(connection) if w.state != "archived" and visible(context.grant, w)]


def visible(grant: Grant, workspace: Workspace) -> bool:
    """Whether a grant reaches a workspace at all: its walls, and the class of what lies there."""
    return _within(workspace.slug, grant.read) and workspace.data_class in grant.classes


def walled(grant: Grant) -> bool:
    """Whether there is anything in the store that a grant does not reach."""
    return grant.read is not None or grant.write is not None or grant.classes != DATA_CLASSES


def asked(context: Context, connection: Connection, names: str | tuple[str, ...] | None) -> list[Workspace]:
    """The workspaces a reading request means: the current one and global when it names none.

    Raises ForbiddenScope for a name outside of what the caller may read, with one body whether it is there or not; and
    UnknownWorkspace for one of its own that was archived or renamed since.
    """
    may = {workspace.slug: workspace for workspace in readable(context, connection)}
    if names is None or names == ():
        wanted: Iterable[str] = (context.workspace, GLOBAL)
        return [may[slug] for slug in dict.fromkeys(wanted) if slug in may]
    if names == EVERYTHING or names == (EVERYTHING,):
        return list(may.values())
    wanted = [_meant(context, name) for name in ((names,) if isinstance(names, str) else names)]
    for slug in wanted:
        if slug not in may:
            raise _absent(context, connection, slug)
    return [may[slug] for slug in dict.fromkeys(wanted)]


def current(context: Context, connection: Connection, name: str | None) -> Workspace:
    """The one workspace a reading request means. Raises ForbiddenScope also for "*", which names none."""
    if (name or "").strip() == EVERYTHING:
        raise ForbiddenScope(f"There is no workspace {EVERYTHING!r} for you.")
    found = asked(context, connection, name or context.workspace)
    if not found:
        raise UnknownWorkspace(f"The workspace {name or context.workspace!r} is not there.")
    return found[0]


def target(context: Context, connection: Connection, name: str | None) -> Workspace:
    """The workspace a write goes to. Raises InsufficientScope or ForbiddenScope before anything is looked up."""
    writes(context)
    slug = _meant(context, name) if name else context.workspace
    if not _within(slug, context.grant.write):
        raise ForbiddenScope(f"There is no workspace {slug!r} for you to write to.")
    found = workspaces.by_slug(connection, slug)
    if found is None or found.state == "archived" or found.data_class not in context.grant.classes:
        raise UnknownWorkspace(
            f"There is no workspace {slug!r}.", f"Make it with `muniment workspace add {folders.slug(slug)}`, or name another."
        )
    return found


def may_change(context: Context, place: Workspace) -> bool:
    """Whether the caller's walls and write mode let it change what stands in a workspace that it reads."""
    return _within(place.slug, context.grant.write) and context.grant.write_mode == "direct"


def changes(context: Context, place: Workspace) -> None:
    """Raise InsufficientScope unless the caller may change what stands in a workspace that it reads."""
    writes(context)
    if not may_change(context, place):
        raise InsufficientScope(
            f"This token may read {place.slug!r} and not change it.", "Use a token that may change things there."
        )


def writable(context: Context) -> None:
    """Raise InsufficientScope where nothing is changed, whoever asks."""
    if context.read_only:
        raise InsufficientScope("This server only reads.", "Write through another server, or switch read_only off.")


def writes(context: Context) -> None:
    """Raise InsufficientScope for a caller who may store nothing anywhere."""
    writable(context)
    if not context.grant.scopes & {"append", "write"}:
        raise InsufficientScope("This token may not write.")


def keeps(context: Context) -> None:
    """Raise InsufficientScope where what is new has to wait for a decision."""
    if context.grant.write_mode == "propose":
        advice = "Keep single statements with remember, or use a token with another write mode."
        raise InsufficientScope("This token only proposes, and this cannot wait for a decision.", advice)


def may_read(context: Context, connection: Connection, workspace: int) -> Workspace | None:
    """The workspace of that number, if the caller may read it."""
    return next((found for found in readable(context, connection) if found.id == workspace), None)


def _absent(context: Context, connection: Connection, slug: str) -> ForbiddenScope | UnknownWorkspace:
    """Why a name means nothing to a caller. What a grant does not reach is told from what is not there by nothing."""
    gone = workspaces.by_slug(connection, slug)
    if gone is not None and visible(context.grant, gone):
        return UnknownWorkspace(f"The workspace {slug!r} was archived or renamed.")
    return ForbiddenScope(f"There is no workspace {slug!r} for you.")


def _meant(context: Context, name: str) -> str:
    slug = name.strip().lower()
    return context.workspace if slug == CURRENT else slug


def _within(slug: str, walls: frozenset[str] | None) -> bool:
    return walls is None or slug in walls
