"""What one store costs: filling it, opening it in a new process, asking it, and asking it while others write.

CPU seconds are compared, since wall time is the neighbours' too. A figure is a median of at least three, but in a smoke run.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from muniment.errors import EngineUnavailable
from muniment.evaluation import probe, report, stores, synthetic
from muniment.evaluation.collections import Item
from muniment.evaluation.peers import Peer, plain
from muniment.evaluation.probe import Order
from muniment.evaluation.stores import ASKED, Plan, Step
from muniment.evaluation.vectors import Vectors

# Each writer says one turn and waits this long: eight of them are a busy team of agents, not a bulk import.
WRITER_PAUSE_S = 0.1
PEER_ITEMS_A_CALL = 5000


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured of each store; writers have `start_s` to begin before anything is asked."""

    repeats: int = 3
    questions: int = 200
    writers: int = 8
    writing_s: float = 15.0
    start_s: float = 3.0


SMOKE = Effort(repeats=1, questions=5, writers=2, writing_s=1.0, start_s=1.0)


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions put to a warm process. `first_ms` is the first one's CPU time, everything loaded on the way included."""

    p50_cpu_ms: float
    p95_cpu_ms: float
    p50_wall_ms: float
    p95_wall_ms: float
    first_ms: float
    rss_mib: float
    own_mib: float


@dataclass(frozen=True, slots=True)
class Busy:
    """The same questions while writers write into the same workspace."""

    writers: int
    writes: int
    errors: int
    why: str
    longest_ms: float
    p50_wall_ms: float
    p95_wall_ms: float
    p95_ratio: float


@dataclass(frozen=True, slots=True)
class PeerCost:
    """Plain FTS5 on the same turns, all in one table."""

    title: str
    ingest_cpu: float
    p50_cpu_ms: float
    p95_cpu_ms: float
    rss_mib: float
    bytes: int


@dataclass(frozen=True, slots=True)
class Measured:
    """One row of the table. Ingest and embed rates are a CPU second's; cold times are CPU seconds of a whole new process."""

    commit: str | None
    layout: str
    turns: int
    asked: int
    vectors: str
    ingest_cpu: float
    ingest_wall: float
    embed_cpu: float | None
    bytes: int | None
    cold_words_s: float
    cold_full_s: float | None
    words: Asked
    full: Asked | None
    busy: Busy | None
    peer: PeerCost | None


def measure(plan: Plan, vectors: Vectors | None, effort: Effort, step: Step, peers: Path | None = None) -> Measured:
    """Fill a store as planned and measure it. `vectors` is None to leave meaning out."""
    commit = report.commit()
    filled = stores.fill(plan, step)
    stores.embed(plan, vectors, step)
    asked = tuple(synthetic.questions(plan.asked_sessions(), effort.questions))
    label = f"{plan.layout} {plan.turns:,}"
    step(f"open and ask {label}", 0, 0)
    words = ask(plan, asked, "none", effort.repeats)
    full = ask(plan, asked, "auto", effort.repeats) if vectors else None
    cold_words = cold(plan, asked, "none", effort.repeats)
    cold_full = cold(plan, asked, "auto", effort.repeats) if vectors else None
    bytes_ = stores.size(plan)
    step(f"ask beside writers {label}", 0, 0)
    busy = beside_writers(plan, asked, full or words, "auto" if full else "none", effort) if effort.writers else None
    step(f"fts5 {label}", 0, 0)
    return Measured(
        commit=commit,
        layout=plan.layout,
        turns=plan.turns,
        asked=filled.asked,
        vectors=_sort(vectors),
        ingest_cpu=statistics.median(filled.cpu_rates),
        ingest_wall=statistics.median(filled.wall_rates),
        embed_cpu=vectors.rate if vectors else None,
        bytes=bytes_,
        cold_words_s=cold_words,
        cold_full_s=cold_full,
        words=words,
        full=full,
        busy=busy,
        peer=fts5(plan, asked, peers) if peers and plan.layout == "all" else None,
    )


def cold(plan: Plan, asked: Sequence[str], embedder: str, repeats: int) -> float:
    """CPU seconds from starting a process to its first answer and its end: interpreter, imports and all."""
    spent = []
    for place in range(repeats):
        order = Order("cold", plan.address, ASKED, embedder, (asked[place % len(asked)],))
        spent.append(float(_child(order)["child_s"]))
    return statistics.median(spent)


def ask(plan: Plan, asked: Sequence[str], embedder: str, repeats: int) -> Asked:
    """All questions in one process, several times over in a new one."""
    return _asked([_child(Order("warm", plan.address, ASKED, embedder, tuple(asked))) for _ in range(repeats)])


def beside_writers(plan: Plan, asked: Sequence[str], idle: Asked, embedder: str, effort: Effort) -> Busy:
    """Ask while `writers` processes add turns to the asked workspace."""
    seconds = effort.writing_s + effort.start_s
    orders = [
        Order("write", plan.address, ASKED, seconds=seconds, pause_s=WRITER_PAUSE_S, name=f"{plan.turns}-{number}")
        for number in range(effort.writers)
    ]
    answers: list[dict[str, Any]] = []
    threads = [threading.Thread(target=lambda order=order: answers.append(_child(order))) for order in orders]
    for thread in threads:
        thread.start()
    time.sleep(effort.start_s)
    found = _asked([_child(Order("warm", plan.address, ASKED, embedder, tuple(asked)))])
    for thread in threads:
        thread.join()
    if len(answers) < len(orders):
        raise EngineUnavailable("A writer ended before its time.", "Run it again with --writers 0 to leave them out.")
    return Busy(
        writers=len(answers),
        writes=sum(one["wrote"] for one in answers),
        errors=sum(one["errors"] for one in answers),
        why="; ".join(why for one in answers for why in one["why"])[:200],
        longest_ms=max(one["longest_ms"] for one in answers),
        p50_wall_ms=found.p50_wall_ms,
        p95_wall_ms=found.p95_wall_ms,
        p95_ratio=found.p95_wall_ms / idle.p95_wall_ms,
    )


def fts5(plan: Plan, asked: Sequence[str], folder: Path) -> PeerCost:
    """The same turns and questions in plain FTS5."""
    peer = Peer("fts5", folder)
    try:
        peer.say({"op": "reset"})
        spent, batch = 0.0, []
        made = 0
        for _, turns in synthetic.turns(plan.turns):
            made += len(turns)
            batch += [plain(Item(turn.id, turn.text, turn.speaker, turn.session, turn.time)) for turn in turns]
            if len(batch) >= PEER_ITEMS_A_CALL or made >= plan.turns:
                spent += peer.say({"op": "ingest", "items": batch})["cpu_ms"]
                batch = []
        costs = [peer.say({"op": "recall", "query": text, "k": probe.LIMIT})["cpu_ms"] for text in asked]
        held = peer.say({"op": "cost"})
        rate = 1000 * plan.turns / spent
        return PeerCost(peer.title, rate, statistics.median(costs), percentile(costs, 95), held["rss_mib"], held["bytes"])
    finally:
        peer.close()


def percentile(values: Sequence[float], share: int) -> float:
    """The value that `share` percent do not exceed."""
    held = sorted(values)
    return held[min(len(held) - 1, len(held) * share // 100)]


def _asked(answers: Sequence[dict[str, Any]]) -> Asked:
    """Medians over runs; the first question of each run is left to `first_ms`."""

    def over(values: Sequence[float]) -> float:
        return statistics.median(values)

    cpu = [one["cpu_ms"][1:] or one["cpu_ms"] for one in answers]
    wall = [one["wall_ms"][1:] or one["wall_ms"] for one in answers]
    return Asked(
        p50_cpu_ms=over([statistics.median(one) for one in cpu]),
        p95_cpu_ms=over([percentile(one, 95) for one in cpu]),
        p50_wall_ms=over([statistics.median(one) for one in wall]),
        p95_wall_ms=over([percentile(one, 95) for one in wall]),
        first_ms=over([one["cpu_ms"][0] for one in answers]),
        rss_mib=over([one["rss_mib"] for one in answers]),
        own_mib=over([one["own_mib"] for one in answers]),
    )


def _child(order: Order) -> dict[str, Any]:
    """Carry out an order in a new process; `child_s` is all the CPU time it took."""
    words = [sys.executable, "-m", "muniment.evaluation.probe"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(probe.plain(order))
    process.stdin.close()
    said = process.stdout.read()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or not said:
        raise EngineUnavailable(
            f"A process that was to {order.act} ended with {process.returncode}.", "Read what it said above."
        )
    answer: dict[str, Any] = json.loads(said)
    return answer | {"child_s": usage.ru_utime + usage.ru_stime}


def _sort(vectors: Vectors | None) -> str:
    if vectors is None:
        return "none"
    if not vectors.synthetic_made:
        return "real"
    return "synthetic" if not vectors.real_made else "real and synthetic"
