"""Which workspaces a caller may read and write, and which one a name means. A request never widens a grant.

What a caller does not reach is never looked at: its name is no workspace, no variant, no redirect and no candidate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from muniment.access import folders, modes, walls
from muniment.access import names as spelling
from muniment.access.walls import within
from muniment.context import Context
from muniment.errors import ForbiddenScope, InsufficientScope, UnknownWorkspace
from muniment.model.access import DATA_CLASSES, Grant, Workspace
from muniment.store import workspaces
from muniment.store.connections import Connection

GLOBAL = "global"
INBOX = "inbox"
EVERYTHING = "*"
CURRENT = "default"
# The current workspace of a caller whose own one it does not reach: no workspace bears this name.
GONE = ""


def reached(context: Context, connection: Connection) -> list[Workspace]:
    """Every workspace the caller may open, by slug: named, by a ref, or as the current one."""
    return [w for w in workspaces.all_of(connection) if w.state != "archived" and visible(context.grant, w)]


def readable(context: Context, connection: Connection) -> list[Workspace]:
    """The workspaces that a question about everything covers, by slug.

    One that waits to be confirmed and one that is strict are left out but where they are the current one; and from a strict
    one nothing else is seen.
    """
    return _everything(context, connection, reached(context, connection))


def visible(grant: Grant, workspace: Workspace) -> bool:
    """Whether a grant reaches a workspace at all: its walls, and the class of what lies there."""
    return walls.reaches(grant.read, grant.classes, workspace)


def walled(grant: Grant) -> bool:
    """Whether there is anything in the store that a grant does not reach."""
    return grant.read is not None or grant.write is not None or grant.classes != DATA_CLASSES


def asked(context: Context, connection: Connection, names: str | tuple[str, ...] | None) -> list[Workspace]:
    """The workspaces a reading request means; when it names none, what the current one's isolation says, it first.

    none: the current one and global. weak: all that a question about everything covers. strict: the current one alone.
    Raises ForbiddenScope for a name outside of what the caller may read, with one body whether it is there or not; and
    UnknownWorkspace for one of its own that was archived since.
    """
    may = reached(context, connection)
    if names is None or names == ():
        here = _here(context, connection, may)
        beside = _everything(context, connection, may) if here is not None and here.isolation == "weak" else ()
        return _first(_home(connection, here, may), beside)
    if names == EVERYTHING or names == (EVERYTHING,):
        return _everything(context, connection, may)
    wanted = []
    for name in (names,) if isinstance(names, str) else names:
        found = meant(context, connection, name, may)
        if found is None:
            raise _absent(context, connection, name)
        wanted.append(found)
    return _first(wanted)


def home(context: Context, connection: Connection) -> list[Workspace]:
    """The current workspace, then what stands beside it: global, or for a strict one those it admits, if any."""
    may = reached(context, connection)
    return _home(connection, _here(context, connection, may), may)


def current(context: Context, connection: Connection, name: str | None) -> Workspace:
    """The one workspace a reading request means. Raises ForbiddenScope also for "*", which names none."""
    if (name or "").strip() == EVERYTHING:
        raise ForbiddenScope(f"There is no workspace {EVERYTHING!r} for you.")
    return asked(context, connection, name or context.workspace)[0]


def target(context: Context, connection: Connection, name: str | None) -> Workspace:
    """The workspace a write goes to. Raises InsufficientScope or ForbiddenScope before anything is looked up."""
    writes(context)
    name = name or context.workspace
    may = reached(context, connection)
    found = meant(context, connection, name, may)
    if found is not None and within(found.slug, context.grant.write):
        return found
    slug = _slug(context, name)
    if _archived(context, connection, slug) and within(slug, context.grant.write):
        raise UnknownWorkspace(
            f"The workspace {slug!r} was archived or renamed.", f"`muniment workspace restore {slug}`, or name another."
        )
    if slug == GONE:
        raise _gone()
    # A name within the walls that still means nothing is that of a hidden class, and told like one outside of them.
    if context.grant.write is not None:
        raise ForbiddenScope(f"There is no workspace {slug!r} for you to write to.")
    alike = meant_perhaps(connection, slug, [one for one in may if within(one.slug, context.grant.write)])
    advice = f"Write {alike[0].slug!r} if that is meant, or make" if alike else "Make"
    raise UnknownWorkspace(
        f"There is no workspace {slug!r}.", f"{advice} it with `muniment workspace add {folders.slug(slug)}`, or name another."
    )


def canonical(connection: Connection, name: str) -> str:
    """A name that was set once, as the workspace is called now: a redirect is followed, so that a rename ends nothing."""
    slug = name.strip().lower()
    found = workspaces.by_slug(connection, slug)
    if (found is None or found.state == "archived") and (led := workspaces.led_to(connection, slug, folders.slug(slug))):
        return workspaces.by_ids(connection, [led])[0].slug
    return slug


def current_of(grant: Grant, connection: Connection, name: str) -> str:
    """The name that is to be the current one, as it is called now; GONE where the caller does not reach what it names."""
    slug = canonical(connection, name)
    found = workspaces.by_slug(connection, slug) if walled(grant) else None
    return GONE if found is not None and not visible(grant, found) else slug


def meant(context: Context, connection: Connection, name: str, may: Sequence[Workspace]) -> Workspace | None:
    """Which of some workspaces a name means: `default`, the very name, a redirect, or a spelling of one and no other.

    Two workspaces that were told to be kept apart are never taken for each other.
    """
    slug = _slug(context, name)
    exact = next((one for one in may if one.slug == slug), None)
    if exact is not None:
        return exact
    typed = folders.slug(slug)
    led = workspaces.led_to(connection, slug, typed)
    if led is not None and (found := next((one for one in may if one.id == led), None)):
        return found
    wanted = spelling.key(slug)
    apart = workspaces.kept_apart(connection, typed) if wanted else frozenset()
    variants = [one for one in may if wanted and spelling.key(one.slug) == wanted and one.id not in apart]
    return variants[0] if len(variants) == 1 else None


def candidates(connection: Connection, name: str, may: Sequence[Workspace]) -> list[Workspace]:
    """Which of some workspaces a name may be a slip of, the likeliest first. Nothing is ever taken for a candidate unasked."""
    by_slug = {one.slug: one for one in may}
    apart = workspaces.kept_apart(connection, folders.slug(name))
    own = next((one.id for one in may if one.slug == name), None)
    near = [by_slug[slug] for slug in spelling.alike(name, by_slug) if by_slug[slug].id not in apart]
    return [one for one in near if own is None or own not in workspaces.kept_apart(connection, one.slug)]


def meant_perhaps(connection: Connection, name: str, may: Sequence[Workspace]) -> list[Workspace]:
    """Which of some workspaces a name may be a slip of, as they are called now or were called before."""
    apart, by_id = workspaces.kept_apart(connection, folders.slug(name)), {one.id: one for one in may}
    led = {former: by_id[number] for former, number in workspaces.redirects(connection) if number in by_id}
    slips = [led[former] for former in spelling.alike(name, led)]
    return _first(candidates(connection, name, may), (one for one in slips if one.id not in apart and one.slug != name))


def may_change(context: Context, place: Workspace) -> bool:
    """Whether the caller's walls and write mode let it change what stands in a workspace that it reads."""
    return within(place.slug, context.grant.write) and context.grant.write_mode == "direct"


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
        raise modes.only_reads()


def writes(context: Context) -> None:
    """Raise InsufficientScope for a caller who may store nothing anywhere."""
    writable(context)
    if not context.grant.scopes & {"append", "write"}:
        raise InsufficientScope("This token may not write.")


def keeps(context: Context) -> None:
    """Raise InsufficientScope where what is new has to wait for a decision."""
    if context.grant.write_mode == "propose":
        raise modes.only_proposes("this")


def may_read(context: Context, connection: Connection, workspace: int) -> Workspace | None:
    """The workspace of that number, if the caller may open what lies there."""
    found = next(iter(workspaces.by_ids(connection, [workspace])), None)
    return found if found is not None and found.state != "archived" and visible(context.grant, found) else None


def _home(connection: Connection, here: Workspace | None, may: Sequence[Workspace]) -> list[Workspace]:
    if here is not None and here.isolation == "strict":
        return [here, *_admitted(connection, here, may)]
    shared = [one for one in may if one.slug == GLOBAL and one.isolation != "strict"]
    return _first([here] if here else [], shared)


def _everything(context: Context, connection: Connection, may: Sequence[Workspace]) -> list[Workspace]:
    here = _here(context, connection, may)
    if here is not None and here.isolation == "strict":
        return [here, *_admitted(connection, here, may)]
    return [one for one in may if one is here or (one.isolation != "strict" and one.state == "active")]


def _here(context: Context, connection: Connection, may: Sequence[Workspace]) -> Workspace | None:
    return meant(context, connection, context.workspace, may)


def _admitted(connection: Connection, here: Workspace, may: Sequence[Workspace]) -> list[Workspace]:
    """What a strict workspace reads besides itself: those of nearly its name, where that was switched on."""
    if not here.admits_similar:
        return []
    open_ = [one for one in may if one.id != here.id and one.isolation != "strict" and one.state == "active"]
    return candidates(connection, here.slug, open_)


def _absent(context: Context, connection: Connection, name: str) -> ForbiddenScope | UnknownWorkspace:
    """Why a name means nothing to a caller. What lies outside of its walls is never looked up."""
    slug = _slug(context, name)
    if slug == GONE:
        return _gone()
    if _archived(context, connection, slug):
        return UnknownWorkspace(f"The workspace {slug!r} was archived or renamed.")
    return ForbiddenScope(f"There is no workspace {slug!r} for you.")


def _gone() -> ForbiddenScope:
    return ForbiddenScope(
        "The workspace of this token is not there for it any more.", "Name another, or ask for another token."
    )


def _archived(context: Context, connection: Connection, slug: str) -> bool:
    """Whether a name was one that the caller could see. What lies outside of its walls is never looked up."""
    found = workspaces.by_slug(connection, slug) if within(slug, context.grant.read) else None
    return found is not None and found.state == "archived" and visible(context.grant, found)


def _first(*several: Iterable[Workspace]) -> list[Workspace]:
    """Each workspace once, where it comes first."""
    return list({one.id: one for part in several for one in part}.values())


def _slug(context: Context, name: str) -> str:
    slug = name.strip().lower()
    return context.workspace.strip().lower() if slug == CURRENT else slug
