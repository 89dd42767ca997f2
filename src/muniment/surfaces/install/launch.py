"""The command that a client starts: where this Muniment lies, and how a shell has to read it.

One thing is always true: the program is an absolute path, since clients start with another PATH than the terminal.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

_BARE_ON_WINDOWS = re.compile(r"[\w.:/-]+")


def executable(python: str | None = None, scripts: str | None = None) -> list[str]:
    """The console script beside the running Python, else the module run by it. The arguments are for tests."""
    python = python or sys.executable
    folders = (Path(os.path.abspath(python)).parent, Path(scripts or sysconfig.get_path("scripts")))
    for folder in folders:
        for name in ("muniment", "muniment.exe"):
            if (folder / name).is_file():
                return [str(folder / name)]
    return [os.path.abspath(python), "-m", "muniment"]


def shell(command: Sequence[str], platform: str) -> str:
    """One line that a shell splits back into the command. On Windows backslashes and spaces go into double quotes,
    which cmd, PowerShell's call and the bash of Git all read alike."""
    if platform != "win32":
        return shlex.join(command)
    return " ".join(word if _BARE_ON_WINDOWS.fullmatch(word) else f'"{word}"' for word in command)
