"""Progress bars on stderr, for eyes alone and only for what takes longer than a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from muniment.surfaces.cli.call import Call, terminal

PATIENCE_S = 1.0
Advance = Callable[[int], None]


@contextmanager
def bar(call: Call, title: str, total: int | None, *, bytes_: bool = False) -> Iterator[Advance]:
    """Yields a function that is told how much more is done; a bar appears once the work has taken a second."""
    if call.quiet or call.as_json or not terminal():
        yield lambda done: None
        return
    from rich import progress
    from rich.console import Console

    counts = (progress.DownloadColumn(), progress.TransferSpeedColumn()) if bytes_ else (progress.MofNCompleteColumn(),)
    columns = (progress.TextColumn("{task.description}"), progress.BarColumn(), *counts, progress.TimeRemainingColumn())
    shown = progress.Progress(*columns, console=Console(stderr=True), transient=True)
    task = shown.add_task(title, total=total)
    begun = time.monotonic()
    running = False

    def advance(done: int) -> None:
        nonlocal running
        shown.advance(task, done)
        if not running and time.monotonic() - begun > PATIENCE_S:
            running = True
            shown.start()

    try:
        yield advance
    finally:
        if running:
            shown.stop()
