"""What it costs to carry records between workspaces, and to carry them back.

    python -m bench.moves [--store ADDRESS [--admin ADDRESS]] [--only WHAT] [TURNS …]

`merge` carries a workspace of many conversations into one that is as large, `session` one conversation of all turns, and
`records` 500 memories out of as many as there are turns. Each is taken back afterwards. Seconds are those of this process's CPU
and of the clock; what a PostgreSQL server does shows on the clock alone. The store at ADDRESS (default: a file of its own) must
hold none of the workspaces that are made.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.walls import CALL_TURNS, calls, statements
from muniment import app, settings
from muniment.app import App
from muniment.context import Context
from muniment.errors import ConfirmationRequired
from muniment.governance import govern, registry, workspaces
from muniment.ingest.ingest import ingest
from muniment.ingest.remember import remember
from muniment.model.governing import GovernRequest, Undo
from muniment.model.reading import ReadRequest
from muniment.model.workspaces import MergeWorkspace, MoveRecords, WorkspacesRequest
from muniment.model.writing import IngestRequest, RememberRequest
from muniment.recall.read import read

SIZES = (2_500, 10_000)
RECORDS = 500


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds that something took: of this process's CPU, and by the clock."""

    cpu: float
    clock: float

    def told(self) -> dict[str, float]:
        return {"cpu_s": round(self.cpu, 2), "clock_s": round(self.clock, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.moves", description=__doc__)
    parser.add_argument("sizes", metavar="TURNS", type=int, nargs="*", default=SIZES)
    parser.add_argument("--store", help="the address of an empty store (default: a file of its own)")
    parser.add_argument("--admin", default="", help="for PostgreSQL: the address of the role that makes the store")
    parser.add_argument("--only", choices=tuple(CARRIED), action="append", help="what is carried (default: all three)")
    asked = parser.parse_args()
    for size in asked.sizes:
        for name in asked.only or CARRIED:
            with tempfile.TemporaryDirectory() as folder:
                place = asked.store or str(Path(folder) / "moves.db")
                opened = app.create_app(settings.load({"store": place, "store_admin": asked.admin, "embedder": "none"}, {}))
                told = {what: spent.told() for what, spent in CARRIED[name](opened, size, f"{name}-{size}").items()}
                opened.close()
            sys.stdout.write(json.dumps({"carried": name, "turns": size} | told) + "\n")
            sys.stdout.flush()


def whole(opened: App, size: int, name: str) -> dict[str, Spent]:
    """A workspace of `size` turns into one of `size` others."""
    source, target = made(opened, f"{name}-source"), made(opened, f"{name}-target")
    for batch in calls(2 * size)[: -(-size // CALL_TURNS)]:
        ingest(opened.context(), IngestRequest(jsonl=batch, workspace=source))
    for batch in calls(2 * size)[-(-size // CALL_TURNS) :]:
        ingest(opened.context(), IngestRequest(jsonl=batch, workspace=target))
    return there_and_back(opened.context(), MergeWorkspace("merge", source, target))


def conversation(opened: App, size: int, name: str) -> dict[str, Spent]:
    """One conversation of `size` turns out of a workspace that holds a tenth of that besides."""
    source, target = made(opened, f"{name}-source"), made(opened, f"{name}-target")
    for batch in calls(max(1, size // 10)):
        ingest(opened.context(), IngestRequest(jsonl=batch, workspace=source))
    for batch in calls(size):
        rows = [json.loads(line) | {"session": f"{name}-long"} for line in batch.splitlines()]
        ingest(opened.context(), IngestRequest(jsonl="".join(json.dumps(row) + "\n" for row in rows), workspace=source))
    talk = read(opened.context(), ReadRequest(session=f"{name}-long", workspace=source)).session
    assert talk is not None, "it was told a moment ago"
    return there_and_back(opened.context(), MoveRecords("move", target, session=talk.ref))


def memories(opened: App, size: int, name: str) -> dict[str, Spent]:
    """Some of `size` memories, taken from all over the workspace."""
    source, target = made(opened, f"{name}-source"), made(opened, f"{name}-target")
    context = opened.context()
    refs = [remember(context, RememberRequest(text, workspace=source)).ref for text in statements(size)]
    return there_and_back(context, MoveRecords("move", target, tuple(refs[:: max(1, size // RECORDS)])))


CARRIED: dict[str, Callable[[App, int, str], dict[str, Spent]]] = {
    "merge": whole,
    "session": conversation,
    "records": memories,
}


def made(opened: App, slug: str) -> str:
    return workspaces.add(opened.context(), slug).slug


def there_and_back(context: Context, do: MergeWorkspace | MoveRecords) -> dict[str, Spent]:
    there, moved = confirmed(lambda confirm: registry.manage(context, WorkspacesRequest(do, confirm=confirm)))
    undoing = Undo("undo", moved.action)
    back, _ = confirmed(lambda confirm: govern.govern(context, GovernRequest(undoing, reason="measured", confirm=confirm)))
    return {"there": there, "back": back}


def confirmed(act: Callable[[str | None], Any]) -> tuple[Spent, Any]:
    """What an act that has to be confirmed takes altogether: asking, and doing it."""
    began, clock = time.process_time(), time.perf_counter()
    try:
        answer = act(None)
    except ConfirmationRequired as asked:
        answer = act(asked.confirm)
    return Spent(time.process_time() - began, time.perf_counter() - clock), answer


if __name__ == "__main__":
    main()
