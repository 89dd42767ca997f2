"""Two measurements of the same questions side by side: what moved, how surely, and how alike the rankings are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from muniment.errors import InvalidInput
from muniment.evaluation import metrics
from muniment.evaluation.collections import APART, load
from muniment.evaluation.report import SUBJECT, Table

COMPARED = ("R@5", "R@10", "R@20", "MRR", "nDCG@10")


@dataclass(frozen=True, slots=True)
class Comparison:
    """B minus A on one data set. `overlap` is of the first ten, `agreement` the rank-biased one."""

    name: str
    questions: int
    gaps: tuple[tuple[str, metrics.Gap], ...]
    better: int
    worse: int
    overlap: float
    agreement: float


def compare(first: Path, second: Path, system: str = SUBJECT) -> list[Comparison]:
    """Every data set that both files hold. Raises InvalidInput when there is none."""
    a, b = ({name: rows for name, rows in _runs(path, system)} for path in (first, second))
    out = [_one(name, a[name], b[name]) for name in a if name in b]
    if not out:
        raise InvalidInput(f"{first} and {second} have no data set in common for {system}.", "Write both with eval --out.")
    return out


def table(found: list[Comparison]) -> Table:
    """The comparisons as a table."""
    rows = tuple(
        (
            one.name,
            str(one.questions),
            *(f"{100 * g.mean:+.1f} [{100 * g.low:+.1f}, {100 * g.high:+.1f}]" for _, g in one.gaps),
            f"{one.better} / {one.worse}",
            f"{one.overlap:.2f}",
            f"{one.agreement:.2f}",
        )
        for one in found
    )
    columns = ("data set", "n", *COMPARED, "better / worse", "overlap@10", "rank agreement")
    return Table("B minus A, points with the paired 95 % interval", columns, rows)


def plain(found: list[Comparison]) -> list[dict[str, Any]]:
    """The comparisons as JSON values."""
    return [
        {
            "name": one.name,
            "questions": one.questions,
            "gaps": {name: [round(g.mean, 4), round(g.low, 4), round(g.high, 4)] for name, g in one.gaps},
            "better": one.better,
            "worse": one.worse,
            "overlap": round(one.overlap, 4),
            "agreement": round(one.agreement, 4),
        }
        for one in found
    ]


def _one(name: str, a: dict[tuple[str, str], Any], b: dict[tuple[str, str], Any]) -> Comparison:
    shared = [key for key in a if key in b and a[key]["turn"] and b[key]["turn"] and a[key]["category"] not in APART]
    if not shared:
        raise InvalidInput(f"The two files asked no common question of {name}.", "Compare runs of the same files.")
    moved = [b[key]["turn"]["R@10"] - a[key]["turn"]["R@10"] for key in shared]
    gaps = tuple(
        (metric, metrics.gap([b[key]["turn"][metric] for key in shared], [a[key]["turn"][metric] for key in shared]))
        for metric in COMPARED
    )
    return Comparison(
        name,
        len(shared),
        gaps,
        sum(one > 0 for one in moved),
        sum(one < 0 for one in moved),
        sum(metrics.overlap(a[key]["ids"], b[key]["ids"]) for key in shared) / len(shared),
        sum(metrics.agreement(a[key]["ids"], b[key]["ids"]) for key in shared) / len(shared),
    )


def _runs(path: Path, system: str) -> Iterator[tuple[str, dict[tuple[str, str], Any]]]:
    held = load(path)
    try:
        for run in held["runs"]:
            for result in run["results"]:
                if result["system"] == system:
                    yield run["protocol"]["name"], {(row["collection"], row["question"]): row for row in result["rows"]}
    except (KeyError, TypeError) as fault:
        raise InvalidInput(f"{path} was not written by `muniment eval --out`.", "Name a file that it wrote.") from fault
