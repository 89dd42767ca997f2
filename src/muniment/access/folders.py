"""Which project a folder belongs to. Worktrees and submodules belong to their repository; equal folder names do not merge.

Nothing runs git: what it wrote into its folder is read. What cannot be read is as if it were not there.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from muniment.access import names
from muniment.store import workspaces
from muniment.store.connections import Connection, Store
from muniment.text import plain

SLUG_MAX = 60
RESERVED = frozenset({"default"})  # a request means the current workspace by it
FORGOTTEN = "forgotten-"  # how a workspace is called that was forgotten, before its uid
PARENTS_MAX = 64
GIT_FILE_MAX = 4096
# What every repository has in its folder, a bare one too.
REPOSITORY_HOLDS = ("HEAD", "objects", "refs")


@dataclass(frozen=True, slots=True)
class Known:
    """The workspace of a project. `repository`: how it was known; `moved`: it lay elsewhere when it was last seen."""

    workspace: int
    uid: str
    slug: str
    repository: str | None
    moved: bool = False


def root_of(folder: Path) -> Path | None:
    """The main folder of the git repository around a folder, found without running git; None outside of one.

    Of a bare repository it is the repository itself.
    """
    here = Path(os.path.realpath(folder))
    for place in (here, *list(here.parents)[:PARENTS_MAX]):
        mark = place / ".git"
        if os.path.isdir(mark):
            return place
        if os.path.isfile(mark):
            return _linked(mark) or place
        if place.suffix == ".git" and _bare(place):
            return place
    return None


def _linked(mark: Path) -> Path | None:
    """A worktree's `.git` file names its repository; a submodule's names a folder inside the outer one."""
    match = re.match(r"gitdir:\s*(.+)", _text(mark))
    if not match:
        return None
    try:
        target = Path(os.path.realpath(mark.parent / match[1].strip()))
    except ValueError:  # no path at all: it holds a NUL
        return None
    inner = next((place for place in target.parents if place.name == ".git"), None)
    bare = target.parent.parent if target.parent.name == "worktrees" and _bare(target.parent.parent) else None
    return inner.parent if inner else bare


def _bare(folder: Path) -> bool:
    return all(os.path.exists(folder / name) for name in REPOSITORY_HOLDS)


def _text(file: Path) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read(GIT_FILE_MAX)
    except OSError:
        return ""


def identity(root: Path) -> str | None:
    """How a repository is known again where its folder is moved; None where it has no history.

    It is the first line of its reflog, hashed: which commit this very repository began with, and when. A worktree and a moved
    folder share it; another clone of the same project does not, for it began at another moment.
    """
    home = root / ".git" if os.path.isdir(root / ".git") else root
    line = _text(home / "logs" / "HEAD").partition("\n")[0].strip()
    return hashlib.sha256(line.encode()).hexdigest() if line else None


def slug(name: str) -> str:
    """A name as a workspace slug: lower-case letters with their marks and digits, of any script, joined by hyphens."""
    found = "-".join(names.spelled(names.lowered(name)).split())[:SLUG_MAX].strip("-") or "project"
    if found.startswith(FORGOTTEN):
        return f"project-{found}"[:SLUG_MAX].strip("-")
    return f"{found}-project" if found in RESERVED else found


def workspace_of(store: Store, folder: Path) -> str | None:
    """The slug of the workspace that a folder's project has, or None when it has none yet or is no project."""
    root = root_of(folder)
    if root is None:
        return None
    mark = identity(root)
    with store.read() as connection:
        found = known(connection, root, mark)
    return found.slug if found else None


def known(connection: Connection, root: Path, mark: str | None) -> Known | None:
    """The workspace of a project, by where it lies, or by its identity where its former folder is gone.

    A copy beside the project that it was made from is a project of its own.
    """
    name = named(root)
    here = [one for one in workspaces.rooted(connection) if _here(one, name, root) or (mark and one.repository == mark)]
    for one in sorted(here, key=lambda one: not _here(one, name, root)):
        moved = not _here(one, name, root)
        if not moved or identity(Path(one.root)) != mark:
            place = workspaces.by_ids(connection, [workspaces.final(connection, one.workspace)])[0]
            return Known(place.id, place.uid, place.slug, one.repository, moved)
    return None


def _here(one: workspaces.Rooted, name: str, root: Path) -> bool:
    return one.root == name or (one.root.casefold() == name.casefold() and _same(one.root, root))


def named(root: Path) -> str:
    """A root as text: a folder's name need not be UTF-8, but what is stored is."""
    return plain.clean(str(root))


def _same(held: str, root: Path) -> bool:
    """Whether two paths that differ in case alone are one folder, as some file systems have it."""
    try:
        return os.path.samefile(held, root)
    except OSError:
        return False
