"""The whole measurement of speed: every size in both layouts, one after the other, and how the costs grow.

A finished store is never measured twice: its figures are written down as soon as they are known, and a resumed run reads them.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from muniment.errors import InvalidInput
from muniment.evaluation import report
from muniment.evaluation.report import Table
from muniment.evaluation.speed import SMOKE, Asked, Busy, Effort, Measured, PeerCost, measure
from muniment.evaluation.stores import LAYOUTS, Layout, Plan, Step
from muniment.evaluation.vectors import Vectors

VectorSort = Literal["auto", "real", "synthetic", "none"]
# Real vectors beyond this take longer than everything else together.
REAL_MOST = 50_000
SIZES = (1_000, 10_000, 50_000, 200_000)
SMOKE_SIZES = (400,)
TURNS_MAX = 5_000_000
# More texts than any store here holds: all of them are really embedded.
REAL_ALL = 10 * TURNS_MAX
FIGURES = "figures.jsonl"


@dataclass(frozen=True, slots=True)
class Wish:
    """What to measure. `address` names the one store to use instead of temporary ones."""

    sizes: tuple[int, ...] = SIZES
    layouts: tuple[Layout, ...] = LAYOUTS
    workspaces: int = 100
    vectors: VectorSort = "auto"
    effort: Effort = Effort()
    address: str | None = None
    resume: Path | None = None
    peers: Path | None = None


def smoke(peers: Path | None) -> Wish:
    """Everything once, small: that it runs, and nothing about time."""
    return Wish(SMOKE_SIZES, workspaces=5, effort=SMOKE, peers=peers)


def sizes(text: str) -> tuple[int, ...]:
    """`1k,50k,1m` as numbers. Raises InvalidInput."""
    out = []
    for part in text.lower().split(","):
        digits, unit = part.strip().rstrip("km"), part.strip()[-1:]
        try:
            count = int(digits) * {"k": 1_000, "m": 1_000_000}.get(unit, 1)
        except ValueError:
            raise InvalidInput(f"{part!r} is no size.", "Write sizes as 1k,10k,50k.") from None
        if not 0 < count <= TURNS_MAX:
            raise InvalidInput(f"A store of {count:,} turns is not measured here.", f"{TURNS_MAX:,} are the most.")
        out.append(count)
    return tuple(sorted(set(out)))


def run(wish: Wish, step: Step) -> Iterator[Measured]:
    """Measure store after store, smallest first."""
    if wish.address and (len(wish.sizes), len(wish.layouts)) != (1, 1):
        raise InvalidInput("One store holds one size in one layout.", "Add --sizes 50k --layout all.")
    vectors = _vectors(wish)
    known = _known(wish.resume)
    for turns in wish.sizes:
        for layout in wish.layouts:
            if (layout, turns) in known:
                yield known[layout, turns]
                continue
            if vectors:
                vectors.begin(_real_most(wish.vectors, turns))
            with _place(wish, layout, turns) as address:
                found = measure(Plan(layout, turns, wish.workspaces, address), vectors, wish.effort, step, wish.peers)
            _write_down(wish.resume, found)
            yield found


def tables(found: Sequence[Measured]) -> list[Table]:
    """The costs, and how they grow."""
    return [table for table in (_costs(found), _asking(found), _beside(found), _growth(found)) if table.rows]


def plain(found: Sequence[Measured]) -> dict[str, Any]:
    """Everything as one JSON value."""
    return {
        "commit": ", ".join(sorted({one.commit or "unknown" for one in found})),
        "versions": dict(report.versions()),
        "machine": report.machine(),
        "measured": [asdict(one) for one in found],
        "growth": {title: dict(rows) for title, rows in growth(found)},
    }


def growth(found: Sequence[Measured]) -> list[tuple[str, list[tuple[str, float]]]]:
    """By layout and pair of sizes: the exponent of each cost; 1 is linear, 0 does not grow at all."""
    out = []
    for layout in LAYOUTS:
        held = sorted((one for one in found if one.layout == layout), key=lambda one: one.turns)
        for small, large in pairwise(held):
            rows = [(name, _exponent(cost(small), cost(large), small, large)) for name, cost in COSTS.items()]
            out.append((f"{layout} {small.turns:,} to {large.turns:,}", [(n, e) for n, e in rows if e is not None]))
    return out


COSTS: dict[str, Callable[[Measured], float | None]] = {
    "ingest a turn": lambda one: 1 / one.ingest_cpu,
    "recall p50": lambda one: (one.full or one.words).p50_cpu_ms,
    "recall p50, words": lambda one: one.words.p50_cpu_ms,
    "cold open": lambda one: one.cold_full_s,
    "cold open, words": lambda one: one.cold_words_s,
    "memory": lambda one: (one.full or one.words).rss_mib,
    "bytes": lambda one: float(one.bytes) if one.bytes else None,
    "FTS5 p50": lambda one: one.peer.p50_cpu_ms if one.peer else None,
}


def _exponent(a: float | None, b: float | None, small: Measured, large: Measured) -> float | None:
    return math.log(b / a) / math.log(large.turns / small.turns) if a and b else None


def _costs(found: Sequence[Measured]) -> Table:
    rows = tuple(
        (
            f"{one.layout} {one.turns:,}",
            f"{one.asked:,}",
            one.vectors,
            f"{one.ingest_cpu:,.0f}",
            f"{one.ingest_wall:,.0f}",
            f"{one.embed_cpu:,.0f}" if one.embed_cpu else "",
            f"{one.bytes / 1e6:,.1f}" if one.bytes else "",
            f"{one.cold_words_s:.2f}",
            f"{one.cold_full_s:.2f}" if one.cold_full_s else "",
            _memory(one.words),
            _memory(one.full),
        )
        for one in found
    )
    columns = (
        *("store", "asked", "vectors", "turns/CPU s", "turns/s", "embedded/CPU s", "MB on disk"),
        *("cold, words: CPU s", "cold: CPU s", "MiB, words", "MiB"),
    )
    return Table("Filling, opening, and memory after every question (in brackets: what is no mapped file)", columns, rows)


def _asking(found: Sequence[Measured]) -> Table:
    rows = tuple(
        (
            f"{one.layout} {one.turns:,}",
            *(f"{one.words.p50_cpu_ms:.1f}", f"{one.words.p95_cpu_ms:.1f}", f"{one.words.first_ms:.0f}"),
            *((f"{one.full.p50_cpu_ms:.1f}", f"{one.full.p95_cpu_ms:.1f}") if one.full else ("", "")),
            *((f"{one.full.first_ms:.0f}", f"{one.full.p50_wall_ms:.1f}") if one.full else ("", "")),
            *_peer_cells(one.peer),
        )
        for one in found
    )
    columns = (
        *("store", "words: p50", "p95", "first", "with meaning: p50", "p95", "first", "p50 wall"),
        *("FTS5: turns/CPU s", "p50", "p95", "MiB"),
    )
    return Table("Asking: CPU ms of one process, the question's embedding included", columns, rows)


def _memory(asked: Asked | None) -> str:
    return f"{asked.rss_mib:.0f} ({asked.own_mib:.0f})" if asked else ""


def _peer_cells(peer: PeerCost | None) -> tuple[str, ...]:
    if not peer:
        return ("", "", "", "")
    return (f"{peer.ingest_cpu:,.0f}", f"{peer.p50_cpu_ms:.1f}", f"{peer.p95_cpu_ms:.1f}", f"{peer.rss_mib:.0f}")


def _beside(found: Sequence[Measured]) -> Table:
    rows = []
    for one in found:
        busy, idle = one.busy, one.full or one.words
        if busy:
            rows.append(
                (
                    f"{one.layout} {one.turns:,}",
                    str(busy.writers),
                    str(busy.writes),
                    f"{busy.errors} {busy.why}".strip(),
                    f"{busy.longest_ms:.0f}",
                    f"{idle.p50_wall_ms:.1f}",
                    f"{busy.p50_wall_ms:.1f}",
                    f"{idle.p95_wall_ms:.1f}",
                    f"{busy.p95_wall_ms:.1f}",
                    f"{busy.p95_ratio:.1f}",
                )
            )
    columns = ("store", "writers", "writes", "errors", "longest write ms", "p50 idle", "p50", "p95 idle", "p95", "ratio")
    return Table("Recall beside writers of the same workspace (wall ms)", columns, tuple(rows))


def _growth(found: Sequence[Measured]) -> Table:
    held = growth(found)
    rows = tuple((title, *(f"{dict(r)[name]:.2f}" if name in dict(r) else "" for name in COSTS)) for title, r in held)
    return Table("Growth exponents (1 is linear)", ("from, to", *COSTS), rows)


def _vectors(wish: Wish) -> Vectors | None:
    if wish.vectors == "none":
        return None
    from muniment.engines import choose

    return Vectors(choose.build(choose.default_spec()), 0)


def _real_most(sort: VectorSort, turns: int) -> int:
    match sort:
        case "real":
            return REAL_ALL
        case "auto":
            return REAL_ALL if turns <= REAL_MOST else 0
        case _:
            return 0


@contextmanager
def _place(wish: Wish, layout: str, turns: int) -> Iterator[str]:
    if wish.address:
        yield wish.address
    elif wish.resume:
        wish.resume.mkdir(parents=True, exist_ok=True)
        yield str(wish.resume / f"{layout}-{turns}.db")
    else:
        with tempfile.TemporaryDirectory(prefix="muniment-bench-") as folder:
            yield str(Path(folder) / "bench.db")


def _known(folder: Path | None) -> dict[tuple[str, int], Measured]:
    path = folder / FIGURES if folder else None
    if path is None or not path.exists():
        return {}
    held = [_measured(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return {(one.layout, one.turns): one for one in held}


def _write_down(folder: Path | None, found: Measured) -> None:
    if folder:
        with (folder / FIGURES).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(found)) + "\n")


def _measured(held: dict[str, Any]) -> Measured:
    parts = {"words": Asked, "full": Asked, "busy": Busy, "peer": PeerCost}
    return Measured(**held | {name: sort(**held[name]) for name, sort in parts.items() if held[name] is not None})
