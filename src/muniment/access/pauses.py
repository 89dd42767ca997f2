"""Folders whose conversations are not kept for now: a small list in the user's configuration folder.

A list that cannot be read stops every automatic import: forgetting a pause would keep what nobody wanted kept.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from muniment.access import folders
from muniment.errors import InvalidInput
from muniment.settings import config_path

NAME = "paused.json"
FOLDERS_MAX = 1000


def listed(file: Path | None = None) -> list[str]:
    """The paused folders. Raises InvalidInput when the list cannot be understood."""
    file = file or _file()
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as fault:
        raise InvalidInput(f"The list of paused folders {file} cannot be read ({fault}).", "Correct or delete it.") from fault
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise InvalidInput(f"{file} holds no list of folders.", "Correct or delete it.")
    return found


def pause(folder: Path, file: Path | None = None) -> Path:
    """Keep nothing of a project from now on; answers the folder that counts: the project's, else the one named."""
    place = _place(folder)
    held = listed(file)
    if str(place) not in held:
        if len(held) >= FOLDERS_MAX:
            raise InvalidInput(f"{FOLDERS_MAX} folders are paused already.", "Resume some of them first.")
        _write([*held, str(place)], file or _file())
    return place


def resume(folder: Path, file: Path | None = None) -> bool:
    """Keep what is said in a project again; whether it was paused. What was said meanwhile stays out."""
    held = listed(file)
    named = {str(_place(folder)), os.path.realpath(folder)}
    left = [one for one in held if one not in named]
    if len(left) != len(held):
        _write(left, file or _file())
    return len(left) != len(held)


def covers(held: list[str], folder: Path) -> bool:
    """Whether a folder lies in a paused one. A worktree counts as its repository."""
    if not held:
        return False
    here, root = Path(os.path.realpath(folder)), folders.root_of(folder)
    places = {str(place) for place in (here, *here.parents)} | ({str(root)} if root else set())
    return not places.isdisjoint(held)


def _place(folder: Path) -> Path:
    return folders.root_of(folder) or Path(os.path.realpath(folder))


def _file() -> Path:
    return config_path().parent / NAME


def _write(held: list[str], file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    fresh.write_text(json.dumps(sorted(held), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    os.replace(fresh, file)
