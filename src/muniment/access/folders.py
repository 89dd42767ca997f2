"""Which project a folder belongs to. Worktrees belong to their repository; equal folder names do not merge."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

from muniment.store import workspaces
from muniment.store.connections import Store
from muniment.text import plain

SLUG_MAX = 60
RESERVED = frozenset({"default"})  # a request means the current workspace by it
PARENTS_MAX = 64


def root_of(folder: Path) -> Path | None:
    """The main folder of the git repository around a folder, found without running git; None outside of one."""
    here = Path(os.path.realpath(folder))
    for place in (here, *list(here.parents)[:PARENTS_MAX]):
        mark = place / ".git"
        if mark.is_dir():
            return place
        if mark.is_file():
            return _linked(mark) or place
    return None


def _linked(mark: Path) -> Path | None:
    """A worktree's `.git` file names its repository; a submodule's names a folder inside the outer one."""
    try:
        text = mark.read_text(encoding="utf-8", errors="replace")[:4096]
    except OSError:
        return None
    match = re.match(r"gitdir:\s*(.+)", text)
    if not match:
        return None
    try:
        target = Path(os.path.realpath(mark.parent / match[1].strip()))
    except ValueError:  # no path at all: it holds a NUL
        return None
    for place in target.parents:
        if place.name == ".git":
            return place.parent
    return None


def slug(name: str) -> str:
    """A name as a workspace slug: lower-case letters and digits of any script, joined by hyphens."""
    text = unicodedata.normalize("NFKC", name).lower()
    found = re.sub(r"[\W_]+", "-", text).strip("-")[:SLUG_MAX].strip("-") or "project"
    return f"{found}-project" if found in RESERVED else found


def workspace_of(store: Store, folder: Path) -> str | None:
    """The slug of the workspace that a folder's project has, or None when it has none yet or is no project."""
    root = root_of(folder)
    if root is None:
        return None
    with store.read() as connection:
        found = workspaces.by_root(connection, named(root))
    return found.slug if found else None


def named(root: Path) -> str:
    """A root as text: a folder's name need not be UTF-8, but what is stored is."""
    return plain.clean(str(root))
