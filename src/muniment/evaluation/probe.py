"""A process of its own that opens a store and does one thing to it: what it costs is then the whole cost of such a process.

It is told what to do as one JSON object on stdin and answers with one on stdout: `python -m muniment.evaluation.probe`.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

LIMIT = 10


@dataclass(frozen=True, slots=True)
class Order:
    """What to do: `cold` answers one question, `warm` all of them, `write` adds turns until `seconds` are over."""

    act: str
    store: str
    workspace: str
    embedder: str = "auto"
    questions: tuple[str, ...] = ()
    seconds: float = 0.0
    pause_s: float = 0.0
    name: str = ""


def main() -> None:
    """Read an order, carry it out, and say what it cost."""
    held = json.loads(sys.stdin.readline())
    order = Order(**held | {"questions": tuple(held.get("questions", ()))})
    sys.stdout.write(json.dumps(_write(order) if order.act == "write" else _ask(order)) + "\n")


def _ask(order: Order) -> dict[str, Any]:
    from muniment.app import open_app
    from muniment.model.recalling import RecallRequest
    from muniment.recall.recall import recall
    from muniment.settings import load

    begun = time.perf_counter()
    app = open_app(load({"store": order.store, "embedder": order.embedder}, {}))
    context = app.context(workspace=order.workspace)
    cpu, wall, found, degraded = [], [], 0, set()
    for text in order.questions:
        started, spent = time.perf_counter(), time.process_time()
        answer = recall(context, RecallRequest(text, workspace=order.workspace, limit=LIMIT))
        cpu.append(1000 * (time.process_time() - spent))
        wall.append(1000 * (time.perf_counter() - started))
        found += len(answer.results) + len(answer.nearest)
        degraded |= set(answer.meta.degraded)
        if len(cpu) == 1:
            first_s = time.perf_counter() - begun
    resident = memory()
    app.close()
    spent_s = time.process_time()
    return {
        "cpu_ms": cpu,
        "wall_ms": wall,
        "found": found,
        "degraded": sorted(degraded),
        "first_s": first_s,
        "cpu_s": spent_s,
    } | resident


def _write(order: Order) -> dict[str, Any]:
    from muniment.app import open_app
    from muniment.errors import MunimentError
    from muniment.evaluation.synthetic import session
    from muniment.ingest.ingest import ingest
    from muniment.model.writing import IngestRequest, TurnIn
    from muniment.settings import load

    app = open_app(load({"store": order.store, "embedder": "none"}, {}))
    context = app.context(workspace=order.workspace)
    said = session(10_000_000 + sum(order.name.encode()))
    wrote, faults, longest = 0, [], 0.0
    until = time.monotonic() + order.seconds
    while time.monotonic() < until:
        turn = said[wrote % len(said)]
        told = TurnIn(turn.speaker, turn.text, turn.time, f"{order.name}-{wrote}")
        started = time.perf_counter()
        try:
            ingest(context, IngestRequest(session=f"bench-{order.name}", turns=(told,), workspace=order.workspace))
        except MunimentError as fault:
            faults.append(str(fault))
        longest = max(longest, time.perf_counter() - started)
        wrote += 1
        time.sleep(order.pause_s)
    app.close()
    return {"wrote": wrote, "errors": len(faults), "why": faults[:1], "longest_ms": 1000 * longest}


def memory() -> dict[str, float]:
    """Resident memory of this process in MiB: all of it, and what is its own rather than a mapped file's."""
    held = {"rss_mib": 0.0, "own_mib": 0.0}
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name in ("VmRSS", "RssAnon"):
                held["rss_mib" if name == "VmRSS" else "own_mib"] = int(value.split()[0]) / 1024
        return held
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"rss_mib": peak / 2**20 if sys.platform == "darwin" else peak / 1024, "own_mib": 0.0}


def plain(order: Order) -> str:
    """An order as it is told."""
    return json.dumps(asdict(order)) + "\n"


if __name__ == "__main__":
    main()
