"""The tables of bench/RESULTS.md from two results of `muniment eval`: with the embedder, and with words alone.

python -m bench.summary default.json words.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

US, BM25, FTS5, MEMVARA = "muniment", "bm25", "fts5", "memvara"
APART = ("adversarial", "unanswerable")
FIGURES = ("R@5", "R@10", "R@20", "any@10", "MRR", "nDCG@10")
LEVELS = (
    ("locomo", "turn", "LoCoMo, categories 1 to 4", FIGURES),
    ("locomo", "every_category", "LoCoMo, all five categories", ("any@10", "MRR")),
    ("locomo", "session", "LoCoMo, sessions", ("R@10", "any@10")),
)
DEPTHS = ("R@5", "R@10", "R@20")

Runs = dict[str, dict[str, Any]]


def runs(path: Path) -> Runs:
    """By data set: what each system got, by its name."""
    held = json.loads(path.read_text(encoding="utf-8"))["runs"]
    return {run["protocol"]["name"]: {"": run["protocol"]} | {one["system"]: one for one in run["results"]} for run in held}


def row(cells: Iterable[object]) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"


def points(gap: Sequence[float]) -> str:
    """A difference with its interval; bold when it is a loss beyond chance."""
    text = f"{100 * gap[0]:+.1f} [{100 * gap[1]:+.1f}, {100 * gap[2]:+.1f}]"
    return f"**{text}**" if gap[2] < 0 else text


def overall(full: Runs, words: Runs) -> Iterable[str]:
    yield row(("data set", "n", "figure", "Muniment", "without a model", "BM25", "FTS5", "memvara 0.21"))
    yield row(("---", "---:", "---", *["---:"] * 5))
    rest = [(name, "turn", name, ("R@10", "MRR")) for name in full if name != "locomo"]
    for name, level, title, figures in (*LEVELS, *rest):
        if name not in full:
            continue
        systems = [full[name], words[name], *[full[name]] * 3]
        for figure in figures:
            got = [
                run.get(who, {}).get(level, {}).get(figure)
                for run, who in zip(systems, (US, US, BM25, FTS5, MEMVARA), strict=True)
            ]
            apart = () if level == "every_category" else APART
            counted = sum(one["category"] not in apart for one in full[name][US]["rows"])
            yield row((title, counted, figure, *map(percent, got)))


def gaps(full: Runs, words: Runs) -> Iterable[str]:
    yield row(("data set", "with", *DEPTHS))
    yield row(("---", "---", "---:", "---:", "---:"))
    for label, held in (("the embedder", full), ("words alone", words)):
        for name, run in held.items():
            against = run[US].get("against_bm25")
            if against:
                yield row((name, label, *(points(against[depth]) for depth in DEPTHS)))


def categories(full: Runs, words: Runs) -> Iterable[str]:
    yield row(("data set", "category", "Muniment", "without a model", "BM25", "memvara"))
    yield row(("---", "---", *["---:"] * 4))
    for name, run in full.items():
        for category in run[US]["by_category"]:
            places = ((run, US), (words[name], US), (run, BM25), (run, MEMVARA))
            got = [held.get(who, {}).get("by_category", {}).get(category, {}) for held, who in places]
            yield row((name, category, *(percent((one.get("turn") or one).get("R@10")) for one in got)))


def refusals(full: Runs, words: Runs) -> Iterable[str]:
    yield row(("data set", "with", "said so, unanswerable", "said so, answerable"))
    yield row(("---", "---", "---:", "---:"))
    for label, held in (("the embedder", full), ("words alone", words)):
        for name, run in held.items():
            said = run[US]["abstention"]
            right = f"{said['said_of_unanswerable']} of {said['unanswerable']}"
            yield row((name, label, right, f"{said['said_of_answerable']} of {said['answerable']}"))


def main(arguments: Sequence[str]) -> int:
    full, words = (runs(Path(name)) for name in arguments)
    protocol = next(iter(full.values()))[""]
    say = sys.stdout.write
    say(f"commit {protocol['commit']}, {protocol['at']}, k {protocol['k']}, {protocol['embedder']}\n")
    for title, table in (
        ("In short", overall),
        ("Muniment minus BM25, points, with the paired 95 % interval (a loss beyond chance would be bold)", gaps),
        ("R@10 by category", categories),
        ("Abstention", refusals),
    ):
        say(f"\n{title}:\n\n" + "\n".join(table(full, words)) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
