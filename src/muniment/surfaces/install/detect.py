"""Which clients are on this machine, and whether Muniment is in them.

One thing is always true: looking changes nothing, and a file that cannot be parsed counts as one without us.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from muniment.errors import InvalidInput
from muniment.surfaces.install import clients, hooks, launch, servers
from muniment.surfaces.install.changes import read
from muniment.surfaces.install.clients import CLIENTS, Client, Machine, Platform

State = Literal["not installed", "installed", "outdated path"]


def this_machine(home: Path | None = None) -> Machine:
    """Where we run; in another home than the person's own, the overrides of the person's own clients do not count."""
    platform: Platform = "win32" if sys.platform == "win32" else "darwin" if sys.platform == "darwin" else "linux"
    return Machine(home.absolute() if home else Path.home(), Path.cwd(), platform, {} if home else dict(os.environ))


def installed(machine: Machine) -> list[str]:
    """The names of the clients whose folder is there, in the order of the table."""
    return [client.name for client in CLIENTS if Path(client.folder(machine)).is_dir()]


def state(client: Client, machine: Machine, command: Sequence[str], scope: Literal["user", "project"]) -> State:
    """Whether the client starts this Muniment, another one (an outdated path), or none."""
    if scope == "project" and not client.project:
        return "not installed"
    for path in clients.files(client, machine, scope):
        with contextlib.suppress(InvalidInput):
            text = read(Path(path))
            have = None if text is None else servers.entry(text, client)
            if isinstance(have, dict):
                words, wanted = servers.command(have), [*command, "stdio"]
                current = not words or words[: len(wanted)] == wanted
                return "installed" if current and _hooks_current(client, machine, command, scope) else "outdated path"
    return "not installed"


def _hooks_current(client: Client, machine: Machine, command: Sequence[str], scope: Literal["user", "project"]) -> bool:
    path = clients.hook_file(client, machine, scope)
    if path is None:
        return True
    wanted = launch.shell([*command, "hook"], machine.platform)
    with contextlib.suppress(InvalidInput):
        return all(found == wanted for found in hooks.commands(read(Path(path)) or ""))
    return True
