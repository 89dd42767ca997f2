"""Files as they were and as they shall be, and the writing of them.

One thing is always true: a file is replaced in one step, after a copy of it was put beside it, and only while it still
says what was planned on. When any file of a set cannot be written, none is.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from muniment.errors import InvalidInput, LimitExceeded, StaleVersion

# Largest configuration file that is read; Claude Code's own grows to some megabytes.
BYTES_MAX = 32 * 1024 * 1024

BACKUPS_READ_MAX = 50
PRIVATE = 0o600
_MARK = ".muniment-backup-"


@dataclass(frozen=True, slots=True)
class Change:
    """One file. `before` is None when it is new, `after` None when it goes; `private` keeps others from reading it."""

    path: Path
    before: str | None
    after: str | None
    what: str
    private: bool = False


@dataclass(frozen=True, slots=True)
class Applied:
    """A change that was made; `backup` holds the file as it was, or is None when there was none."""

    path: Path
    what: str
    backup: Path | None


def read(path: Path) -> str | None:
    """The text of a file with its line ends and byte order mark, or None when it does not exist."""
    try:
        raw = path.read_bytes() if path.stat().st_size <= BYTES_MAX else None
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise _refused(path, fault, "read") from None
    if raw is None:
        raise LimitExceeded(f"{path} is larger than {BYTES_MAX} bytes.", "Nothing was changed. Edit it by hand.")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as fault:
        at = f"byte {fault.start}"
        raise InvalidInput(f"{path} is no UTF-8 text ({at}).", "Nothing was changed. Save it as UTF-8 and try again.") from None


def backups(path: Path) -> Iterator[str]:
    """Earlier texts of a file that were kept here, the newest first."""
    found = sorted(path.parent.glob(_escaped(path.name) + _MARK + "*"), reverse=True)
    for kept in found[:BACKUPS_READ_MAX]:
        with contextlib.suppress(InvalidInput):
            text = read(kept)
            if text is not None:
                yield text


def apply(changes: Sequence[Change], now: datetime) -> tuple[Applied, ...]:
    """Make every change, each with a backup named after `now`.

    Raises StaleVersion when a file changed since it was planned on, InvalidInput when one cannot be written.
    """
    for change in changes:
        if read(change.path) != change.before:
            raise StaleVersion(f"{change.path} was changed by another program meanwhile.", "Nothing was written. Try again.")
    staged: list[tuple[Change, Path]] = []
    try:
        for change in changes:
            staged.append((change, _staged(change)))
        return _all_committed(staged, now)
    finally:
        for _, temporary in staged:
            temporary.unlink(missing_ok=True)


def _staged(change: Change) -> Path:
    """The new text in a file beside the real one, with its mode and owner; for a removal it only proves that one can write."""
    target = Path(os.path.realpath(change.path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".muniment-", dir=target.parent)
    except OSError as fault:
        raise _refused(change.path, fault, "written") from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write((change.after or "").encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        _dress(temporary, target, private=change.private)
    except (OSError, UnicodeEncodeError) as fault:
        temporary.unlink(missing_ok=True)
        raise _refused(change.path, fault, "written") from None
    return temporary


def _dress(temporary: Path, target: Path, *, private: bool) -> None:
    if not target.exists():
        temporary.chmod(PRIVATE)
        return
    old = target.stat()
    mode = stat.S_IMODE(old.st_mode)
    temporary.chmod(mode & PRIVATE if private else mode)
    if hasattr(os, "chown") and (old.st_uid, old.st_gid) != (temporary.stat().st_uid, temporary.stat().st_gid):
        os.chown(temporary, old.st_uid, old.st_gid)


def _all_committed(staged: Sequence[tuple[Change, Path]], now: datetime) -> tuple[Applied, ...]:
    applied: list[Applied] = []
    try:
        for change, temporary in staged:
            applied.append(_committed(change, temporary, now))
    except InvalidInput:
        for change, _ in reversed(staged[: len(applied)]):
            _taken_back(change)
        raise
    return tuple(applied)


def _taken_back(change: Change) -> None:
    target = Path(os.path.realpath(change.path))
    if change.before is None:
        target.unlink(missing_ok=True)
    else:
        os.replace(_staged(Change(change.path, change.after, change.before, change.what)), target)


def _committed(change: Change, temporary: Path, now: datetime) -> Applied:
    target = Path(os.path.realpath(change.path))
    try:
        backup = None if change.before is None else _backed_up(change.path, target, change.before, now)
        if change.after is None:
            target.unlink()
        else:
            os.replace(temporary, target)
    except OSError as fault:
        raise _refused(change.path, fault, "written") from None
    return Applied(change.path, change.what, backup)


def _backed_up(path: Path, target: Path, text: str, now: datetime) -> Path:
    """A copy beside the path as the person knows it; a second one in the same second gets a number."""
    stem = f"{path.name}{_MARK}{now:%Y%m%d%H%M%S}"
    number = 1
    while True:
        backup = path.with_name(stem if number == 1 else f"{stem}-{number}")
        try:
            handle = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), PRIVATE)
        except FileExistsError:
            number += 1
            continue
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        backup.chmod(stat.S_IMODE(target.stat().st_mode) & PRIVATE)
        return backup


def _escaped(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _refused(path: Path, fault: OSError | UnicodeEncodeError, what: str) -> InvalidInput:
    reason = fault.strerror if isinstance(fault, OSError) else "its text cannot be stored as UTF-8"
    return InvalidInput(
        f"{path} cannot be {what}: {reason}.",
        "Nothing was changed. Give yourself access to the file and its folder, or use --print and edit it by hand.",
    )
