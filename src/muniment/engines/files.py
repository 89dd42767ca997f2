"""Weight files on this machine. None is used before its bytes are known to be the ones the vectors were made with."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from muniment.errors import EngineUnavailable

_BLOCK_BYTES = 1 << 20


def digest(paths: Sequence[Path]) -> str:
    """sha256 over the bytes of all files, one after the other."""
    whole = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                whole.update(block)
    return whole.hexdigest()


def check(paths: Sequence[Path], expected: str, do_next: str) -> None:
    """Raises EngineUnavailable when a file is missing or other than expected."""
    try:
        found = digest(paths)
    except OSError as fault:
        raise EngineUnavailable(f"A weight file cannot be read: {fault}.", do_next) from fault
    if found != expected:
        names = " and ".join(path.name for path in paths)
        raise EngineUnavailable(
            f"The weights in {names} are not the ones these vectors need: sha256 {found[:12]}…, not {expected[:12]}….", do_next
        )
