"""The log of hooks: one line a fault, kept short, and never a word of what was said in a conversation."""

from __future__ import annotations

import os
import time
from datetime import datetime
from pathlib import Path

BYTES_MAX = 512 * 1024
LINE_MAX = 500
TAIL_BYTES = 16_384
STAMP = "%Y-%m-%dT%H:%M:%SZ"


def log_path() -> Path:
    """Where hooks write what went wrong."""
    import platformdirs

    return Path(platformdirs.user_state_dir("muniment", appauthor=False)) / "hook.log"


def log(line: str) -> None:
    """One line in the log file, which is cut when it grows; a log that cannot be written is no reason to fail."""
    path = log_path()
    said = " ".join(line.split())[:LINE_MAX].encode("utf-8", "replace").decode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > BYTES_MAX:
            os.replace(path, path.with_suffix(".log.1"))
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "a", encoding="utf-8") as file:
            file.write(f"{time.strftime(STAMP, time.gmtime())} {said}\n")
    except OSError:
        return


def recent(since: datetime) -> list[str]:
    """The last lines that were written at or after a moment (UTC). A log that is not there holds none."""
    path = log_path()
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL_BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return []
    stamp = since.strftime(STAMP)
    return [one for one in text.splitlines() if one[:4].isdigit() and one[: len(stamp)] >= stamp]
