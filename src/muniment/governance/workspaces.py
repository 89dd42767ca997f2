"""Making workspaces: on purpose, by the first write to a new name, or for a folder's project. Each is an action in the ledger.

Only who sees everything may name one: whoever is told that a name is taken learns that it is there.
"""

from __future__ import annotations

from pathlib import Path

from muniment.access import folders, names, policy
from muniment.context import Context
from muniment.errors import InsufficientScope, InvalidInput, UnknownWorkspace
from muniment.governance import ledger
from muniment.model.access import DataClass, Isolation, Workspace
from muniment.store import notices, workspaces
from muniment.store.connections import Connection
from muniment.text import plain

NAME_MAX = 200
# Projects whose folders bear one name.
TWINS_MAX = 1000
NEW = "workspace"
SEVERITY = 1


def add(
    context: Context,
    slug: str,
    *,
    name: str | None = None,
    kind: str = "project",
    data_class: DataClass = "internal",
    isolation: Isolation | None = None,
    reason: str | None = None,
) -> Workspace:
    """Make a workspace. Raises InvalidInput for a name that is taken or could not be typed as a slug."""
    may(context)
    names_all(context)
    if data_class not in context.grant.classes:
        raise InsufficientScope(f"This token does not see the class {data_class}.")
    slug = names.composed(slug)
    with context.store.write() as connection:
        workspaces.hold_all(connection)
        check(connection, slug)
        made = _make(context, connection, slug, name=name, kind=kind, reason=reason, isolation=isolation, data_class=data_class)
    return made


def ensure(context: Context, slug: str) -> bool:
    """Make a workspace that somebody named for writing, unless the name means one; whether it was made.

    A name that is nearly one of the known ones is refused instead: a slip must not split a memory. The new one is noticed,
    and where new ones are strict it waits to be confirmed.
    """
    with context.store.read() as connection:
        known = policy.reached(context, connection)
        if policy.meant(context, connection, slug, known) is not None:
            return False
        near = policy.meant_perhaps(connection, slug, known)
    if near:
        advice = f"Write {near[0].slug!r}, or make the new one with `muniment workspace add {folders.slug(slug)}`."
        raise UnknownWorkspace(f"There is no workspace {slug!r}.", advice)
    may(context)
    names_all(context)
    slug = names.composed(slug)
    with context.store.write() as connection:
        workspaces.hold_all(connection)
        check(connection, slug)
        waits = context.isolation == "strict"
        made = _make(context, connection, slug, state="pending" if waits else "active")
        notice(context, connection, made)
    return True


def claim(context: Context, folder: Path) -> str | None:
    """The workspace of a folder's project, made when it is the first time; None for a folder outside any project.

    It needs no right of an admin: whoever may write may give the first thing that is kept of a project its place. A project
    whose folder was moved keeps the workspace that it has.
    """
    root = folders.root_of(folder)
    if root is None or context.read_only:
        return folders.workspace_of(context.store, folder)
    mark = folders.identity(root)
    with context.store.read() as connection:
        known = folders.known(connection, root, mark)
    if known is not None and not known.moved and known.repository == (mark or known.repository):
        return known.slug
    with context.store.write() as connection:
        workspaces.hold_all(connection)
        # Another process may have made this very project, or moved it, just now.
        known = folders.known(connection, root, mark)
        if known is not None:
            workspaces.settle(connection, known.workspace, folders.named(root), mark or known.repository)
            if known.moved:
                ledger.enter(context, connection, known.workspace, "workspace_moved", targets={"workspace": known.uid})
            return known.slug
        return _project(context, connection, root, mark)


def _project(context: Context, connection: Connection, root: Path, mark: str | None) -> str | None:
    slug, name = folders.slug(root.name.removesuffix(".git") or root.name), plain.clean(root.name)
    for number in range(1, TWINS_MAX):
        wanted = slug if number == 1 else f"{slug}-{number}"
        if taken(connection, wanted):
            continue
        waits = context.isolation == "strict"
        made = _make(context, connection, wanted, name=name, root=root, state="pending" if waits else "active")
        workspaces.settle(connection, made.id, folders.named(root), mark)
        if waits or number > 1:
            notice(context, connection, made)
        return made.slug
    return None


def check(connection: Connection, slug: str, *, own: int | None = None) -> None:
    """Raise InvalidInput for a name that no workspace may get. `own` is one whose former names are free to itself."""
    if slug != folders.slug(slug) or slug in names.POOLS or not slug:
        raise InvalidInput(
            f"{slug!r} cannot name a workspace.", f"Use letters, digits and hyphens, such as {folders.slug(slug)!r}."
        )
    if (held := taken(connection, slug, own=own)) is not None:
        raise InvalidInput(held, "Use it, or choose another name.")


def taken(connection: Connection, slug: str, *, own: int | None = None) -> str | None:
    """What a name is already, in words; None where it is free."""
    if workspaces.by_slug(connection, slug):
        return f"There is a workspace {slug!r} already."
    if (led := workspaces.led_to(connection, slug, slug)) is not None and led != own:
        return f"The name {slug!r} leads to another workspace."
    apart = workspaces.kept_apart(connection, slug)
    for one in workspaces.all_of(connection):
        if one.id != own and one.id not in apart and one.state != "archived" and names.key(one.slug) == names.key(slug):
            return f"{slug!r} is another spelling of the workspace {one.slug!r}."
    return None


def notice(context: Context, connection: Connection, place: Workspace) -> None:
    """Tell once, on a later answer, that a workspace is new. The caller holds it."""
    about = f"w_{place.uid}"
    notices.add(connection, place.id, context.uid(), NEW, SEVERITY, about, f"{NEW}:{place.uid}", context.now())


def may(context: Context) -> None:
    """Raise InsufficientScope where no workspace may be changed: for this caller, or for everybody."""
    policy.writable(context)
    manages(context)


def manages(context: Context) -> None:
    """Raise InsufficientScope for a caller who does not manage workspaces."""
    if "admin" not in context.grant.scopes:
        raise InsufficientScope("This token may not manage workspaces.")


def names_all(context: Context) -> None:
    """Raise InsufficientScope for a caller from whom names are hidden: it must not find out which are taken."""
    if policy.walled(context.grant):
        raise InsufficientScope(
            "This token is bound to some workspaces or classes, and so may not name new ones.", "Use a token without walls."
        )


def _make(
    context: Context,
    connection: Connection,
    slug: str,
    *,
    name: str | None = None,
    kind: str = "project",
    root: Path | None = None,
    state: str = "active",
    isolation: Isolation | None = None,
    data_class: DataClass = "internal",
    reason: str | None = None,
) -> Workspace:
    uid = context.uid()
    place = folders.named(root) if root else None
    shown = (name or slug).strip()[:NAME_MAX]
    workspaces.add(connection, uid=uid, slug=slug, name=shown, kind=kind, root=place, now=context.now())
    made = workspaces.by_slug(connection, slug)
    assert made is not None, "it was made a moment ago"
    assert made.uid == uid, "the name was free a moment ago"
    begins = {"state": state, "data_class": data_class, "isolation": isolation or context.isolation}
    connection.run("workspace_begun", {"workspace": made.id} | begins)
    ledger.enter(context, connection, made.id, "workspace", targets={"workspace": uid}, reason=reason)
    found = workspaces.by_slug(connection, slug)
    assert found is not None
    return found
