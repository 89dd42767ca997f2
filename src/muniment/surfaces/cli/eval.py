"""`muniment eval`: measure how well questions are answered, on data sets that the caller names, beside a plain baseline.

One thing is always true: the person's own store is never opened; every run fills a temporary one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import click

from muniment.errors import InvalidInput
from muniment.evaluation import causes, collections, compare, corrections, peers, report, runs
from muniment.evaluation.bm25 import Bm25
from muniment.evaluation.collections import Collection
from muniment.evaluation.subject import EMBEDDERS, Muniment
from muniment.evaluation.systems import System
from muniment.surfaces.cli.call import Call, Command
from muniment.surfaces.cli.measuring import Step, pass_call, progress, show

PEER = "peer:"
COMPARE = "compare"
HISTORY = Path("evals") / "history.jsonl"


@dataclass(frozen=True, slots=True)
class Wish:
    """The options of one call."""

    systems: tuple[str, ...]
    embedder: str
    k: int
    categories: frozenset[str]
    limit: int | None
    peers: Path


@click.command("eval", cls=Command)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH…")
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="NAME",
    help="muniment, bm25 or peer:NAME; repeat it. Default: muniment and bm25.",
)
@click.option("--embedder", type=click.Choice(EMBEDDERS), default="default", show_default=True, help="none: words alone.")
@click.option("--k", type=click.IntRange(1, 100), default=runs.K_DEFAULT, show_default=True, help="Results asked for.")
@click.option("--categories", metavar="A,B", help="Only questions of these categories.")
@click.option("--limit", type=click.IntRange(1), help="Only the first N questions of each collection.")
@click.option("--peers", type=click.Path(path_type=Path), default=peers.FOLDER, show_default=True, help="Where peers lie.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write every question's ranking here, for compare."
)
@click.option("--no-history", is_flag=True, help="Add no line to evals/history.jsonl of this checkout.")
@pass_call
def command(
    call: Call,
    paths: tuple[Path, ...],
    systems: tuple[str, ...],
    embedder: str,
    k: int,
    categories: str | None,
    limit: int | None,
    peers: Path,
    out: Path | None,
    no_history: bool,
) -> None:
    """Measure recall on the data sets at PATH…: memory-recall-1, LoCoMo, LongMemEval or BEAM files, or folders of them.

    Every path is one run: each conversation is kept in a workspace of its own, then its questions are asked.
    `muniment eval compare A B` sets two files of --out side by side. `muniment eval corrections` asks about facts that changed.
    """
    if str(paths[0]) == COMPARE and not paths[0].exists():
        _compare(paths[1:], systems, as_json=call.as_json)
        return
    named = frozenset(part.strip() for part in (categories or "").split(",") if part.strip())
    wish = Wish(systems or ("muniment", "bm25"), embedder, k, named, limit, peers)
    if str(paths[0]) == corrections.NAME and not paths[0].exists():
        _corrections(call, paths[1:] or (corrections.FILE,), wish, history=not no_history)
        return
    made = []
    with progress(call) as step:
        for path in paths:
            held = list(collections.walk([path]))
            made.append(_run(path, held, wish, step))
            if not call.as_json:
                ours = made[-1].result(report.SUBJECT)
                extra = [causes.table(ours, held)] if ours else []
                show([*report.tables(made[-1]), *extra], report.lines(made[-1].protocol))
    root = report.checkout()
    for run in made:
        if root and not no_history:
            report.append(root / HISTORY, report.history(run))
    if out:
        out.write_text(json.dumps({"runs": [report.plain(run) for run in made]}, ensure_ascii=False), encoding="utf-8")
    if call.as_json:
        click.echo(json.dumps({"runs": [report.plain(run, rows=False) for run in made]}, ensure_ascii=False, indent=2))


def _corrections(call: Call, paths: Sequence[Path], wish: Wish, *, history: bool) -> None:
    """The battery in each file, by every system that was named."""
    root, out = report.checkout(), []
    for path in paths:
        battery, measured, embedder = corrections.load(path), [], "none"
        for name in wish.systems:
            with closing(_system(name, wish)) as system, progress(call) as step:
                if isinstance(system, Muniment):
                    embedder = system.embedder
                measured.append(corrections.measure(system, battery.cases[: wish.limit], step=step))
        lines = corrections.history(battery, measured, embedder=embedder, limit=corrections.LIMIT)
        out += lines
        if root and history:
            report.append(root / HISTORY, lines)
        if not call.as_json:
            show(corrections.tables(measured), corrections.lines(battery, embedder, corrections.LIMIT))
    if call.as_json:
        click.echo(json.dumps({"runs": out}, ensure_ascii=False, indent=2))


def _run(path: Path, held: Sequence[Collection], wish: Wish, step: Step) -> report.Run:
    results, embedder, commit = [], "none", report.commit()
    for name in wish.systems:
        with closing(_system(name, wish)) as system:
            if isinstance(system, Muniment):
                embedder = system.embedder
            results.append(runs.measure(system, held, k=wish.k, categories=wish.categories, limit=wish.limit, step=step))
    protocol = report.protocol(
        path.resolve().name,
        held,
        k=wish.k,
        embedder=embedder,
        categories=wish.categories,
        limit=wish.limit,
        questions=len(results[0].rows),
        commit=commit,
    )
    return report.Run(protocol, tuple(results))


def _system(name: str, wish: Wish) -> System:
    if name == report.SUBJECT:
        return Muniment(wish.embedder)
    if name == report.BASELINE:
        return Bm25()
    if name.startswith(PEER):
        return peers.Peer(name.removeprefix(PEER), wish.peers)
    raise InvalidInput(f"There is no system {name!r}.", "Name muniment, bm25 or peer:NAME.")


def _compare(paths: Sequence[Path], systems: Sequence[str], *, as_json: bool) -> None:
    if len(paths) != 2:
        raise InvalidInput("compare takes two files that `muniment eval --out` wrote.")
    found = compare.compare(paths[0], paths[1], systems[0] if systems else report.SUBJECT)
    if as_json:
        click.echo(json.dumps(compare.plain(found), indent=2))
    else:
        show([compare.table(found)])
