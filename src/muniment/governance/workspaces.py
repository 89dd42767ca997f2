"""Making and archiving workspaces, each as an action in the ledger. A name is never changed into another one silently."""

from __future__ import annotations

import re
from pathlib import Path

from muniment.access import folders, policy
from muniment.context import Context
from muniment.errors import InsufficientScope, InvalidInput, UnknownWorkspace
from muniment.governance import ledger
from muniment.model.access import Workspace
from muniment.store import workspaces
from muniment.store.connections import Connection
from muniment.text import plain

NAME_MAX = 200
# Projects whose folders bear one name.
TWINS_MAX = 1000
# A new name this much like a known one is more likely a slip of the finger, unless they differ in a number.
ALIKE = 0.85


def add(context: Context, slug: str, *, name: str | None = None, kind: str = "project") -> Workspace:
    """Make a workspace. Raises InvalidInput for a name that is taken or could not be typed as a slug."""
    _may(context)
    if slug != folders.slug(slug) or slug == policy.CURRENT:
        raise InvalidInput(
            f"{slug!r} cannot name a workspace.", f"Use letters, digits and hyphens, such as {folders.slug(slug)!r}."
        )
    name = (name or slug).strip()[:NAME_MAX]
    with context.store.write() as connection:
        if workspaces.by_slug(connection, slug):
            raise InvalidInput(f"There is a workspace {slug!r} already.", "Use it, or choose another name.")
        uid = context.uid()
        workspaces.add(connection, uid=uid, slug=slug, name=name, kind=kind, root=None, now=context.now())
        made = _held(connection, slug)
        ledger.enter(context, connection, made.id, "workspace", targets={"workspace": uid})
    return made


def ensure(context: Context, slug: str) -> bool:
    """Make a workspace that somebody named for writing, unless it is there; whether it was made.

    A name that is nearly one of the known ones is refused instead: a slip must not split a memory.
    """
    with context.store.read() as connection:
        known = [workspace.slug for workspace in workspaces.all_of(connection)]
    if slug in known or slug == policy.CURRENT:
        return False
    from difflib import get_close_matches  # only a new name pays for it

    near = get_close_matches(slug, [one for one in known if _numbers(one) == _numbers(slug)], 1, ALIKE)
    if near:
        advice = f"Write {near[0]!r}, or make the new one with `muniment workspace add {folders.slug(slug)}`."
        raise UnknownWorkspace(f"There is no workspace {slug!r}.", advice)
    add(context, slug)
    return True


def claim(context: Context, folder: Path) -> str | None:
    """The workspace of a folder's project, made when it is the first time; None for a folder outside any project.

    It needs no right of an admin: whoever may write may give the first thing that is kept of a project its place.
    """
    root = folders.root_of(folder)
    known = folders.workspace_of(context.store, folder)
    if root is None or known or context.read_only:
        return known
    slug, name, uid = folders.slug(root.name), plain.clean(root.name), context.uid()
    with context.store.write() as connection:
        for number in range(1, TWINS_MAX):
            wanted = slug if number == 1 else f"{slug}-{number}"
            workspaces.add(
                connection, uid=uid, slug=wanted, name=name, kind="project", root=folders.named(root), now=context.now()
            )
            # Another process may have taken the name, or made this very project, just now.
            found = workspaces.by_root(connection, folders.named(root))
            if found:
                if found.uid == uid:
                    ledger.enter(context, connection, found.id, "workspace", targets={"workspace": uid})
                return found.slug
    return None


def archive(context: Context, slug: str, *, reason: str | None = None) -> None:
    """Take a workspace out of every list and answer; its records stay stored."""
    _may(context)
    if slug in (policy.GLOBAL, policy.INBOX):
        raise InvalidInput(f"{slug!r} is part of every store.", "Archive another workspace.")
    with context.store.write() as connection:
        place = _held(connection, slug)
        if place.state == "archived":
            raise InvalidInput(f"{slug!r} is archived already.", "`muniment workspace list` shows those in use.")
        connection.run("workspace_archive", {"workspace": place.id})
        ledger.enter(context, connection, place.id, "archive", targets={"workspace": place.uid}, reason=reason)


def _numbers(slug: str) -> list[str]:
    return re.findall(r"\d+", slug)


def _may(context: Context) -> None:
    if context.read_only:
        raise InsufficientScope("This store is only read here.", "Switch the setting read_only off.")
    if "admin" not in context.grant.scopes:
        raise InsufficientScope("This token may not manage workspaces.")


def _held(connection: Connection, slug: str) -> Workspace:
    found = workspaces.by_slug(connection, slug)
    if found is None:
        raise UnknownWorkspace(f"There is no workspace {slug!r}.")
    return found
