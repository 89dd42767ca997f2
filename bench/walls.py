"""What the second lock costs, and whether a small workspace loses anything beside a large one.

    python -m bench.walls [TURNS …]

The same operations run in turn for the owner, on the whole store, and for a caller whose token names one workspace, behind the
lock. CPU times are compared, so that the neighbours of a shared machine count for both.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from muniment import app, settings
from muniment.app import App
from muniment.context import Context, Shelf
from muniment.evaluation import synthetic
from muniment.governance import workspaces
from muniment.ingest.ingest import ingest
from muniment.ingest.remember import remember
from muniment.model.recalling import RecallRequest
from muniment.model.writing import IngestRequest, RememberRequest
from muniment.recall.recall import recall

SIZES = (10_000, 50_000)
CALL_TURNS = 1000
QUESTIONS, STATEMENTS = 200, 150
SMALL, LARGE = "bench-small", "bench-large"
SMALL_SHARE = 100
K = 100


def main() -> None:
    sizes = [int(text.replace("_", "")) for text in sys.argv[1:]] or SIZES
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            sys.stdout.write(json.dumps({"turns": size} | cost(Path(folder), size)) + "\n")
            sys.stdout.write(json.dumps({"turns": size} | share(Path(folder), size)) + "\n")
            sys.stdout.flush()


def cost(folder: Path, size: int) -> dict[str, Any]:
    """Ingest into two stores by turns, then ask and remember in the walled one, by turns as well."""
    whole, walled = (made(folder / f"{name}.db") for name in ("whole", "walled"))
    guest = walls(walled, SMALL)
    rates: dict[str, list[float]] = {"whole": [], "walled": []}
    for batch in calls(size):
        for name, context in (("whole", whole.context()), ("walled", guest)):
            spent = cpu(lambda context=context, batch=batch: ingest(context, IngestRequest(jsonl=batch, workspace=SMALL)))
            rates[name].append(batch.count("\n") / spent * 1000)
    report: dict[str, Any] = {"ingest_turns_per_cpu_s": {name: round(statistics.median(held)) for name, held in rates.items()}}
    owner = replace(walled.context(), shelf=Shelf())
    guest = replace(guest, shelf=Shelf())
    questions = synthetic.questions(range(max(1, size // 100)), QUESTIONS)
    asking = [RecallRequest(text, workspace=SMALL, limit=10) for text in questions]
    report["recall_cpu_ms"] = by_turns(owner, guest, [lambda context, one=one: recall(context, one) for one in asking])
    told = [RememberRequest(text, workspace=SMALL) for text in statements(2 * STATEMENTS)]
    telling = [lambda context, one=one: remember(context, one) for one in told]
    report["remember_cpu_ms"] = by_turns(owner, guest, telling, split=True)
    for opened in (whole, walled):
        opened.close()
    return report


def share(folder: Path, size: int) -> dict[str, Any]:
    """One percent of a store's turns in one workspace, asked for by a caller who sees nothing else."""
    small = size // SMALL_SHARE
    crowded, alone = made(folder / "crowded.db"), made(folder / "alone.db")
    batches = list(calls(small))
    for opened in (crowded, alone):
        for batch in batches:
            ingest(opened.context(), IngestRequest(jsonl=batch, workspace=SMALL))
    for batch in calls(size - small):
        ingest(crowded.context(), IngestRequest(jsonl=batch.replace('"session": "', '"session": "x'), workspace=LARGE))
    found: dict[str, list[int]] = {}
    equal = 0
    questions = synthetic.questions(range(max(1, small // 100)), QUESTIONS)
    for text in questions:
        asked = RecallRequest(text, workspace=SMALL, limit=K, trace=True)
        answers = [recall(walls(opened, SMALL), asked) for opened in (crowded, alone)]
        views = [{view["view"]: view["found"] for view in (answer.trace or {})["views"]} for answer in answers]
        for view, count in views[0].items():
            found.setdefault(view, []).append(count - views[1].get(view, 0))
        texts = [[(hit.text, hit.score) for hit in (*answer.results, *answer.nearest)] for answer in answers]
        equal += texts[0] == texts[1]
    for opened in (crowded, alone):
        opened.close()
    return {
        "share_turns": small,
        "questions": len(questions),
        "equal_answers": equal,
        "found_less_than_alone_by_view": {view: min(counts) for view, counts in found.items()},
    }


def made(path: Path) -> App:
    opened = app.create_app(settings.load({"store": str(path), "embedder": "none"}, {}))
    for slug in (SMALL, LARGE):
        workspaces.add(opened.context(), slug)
    return opened


def walls(opened: App, slug: str) -> Context:
    """The context of a caller who may see and change one workspace."""
    held = opened.grant("admin")
    return opened.context(replace(held, read=frozenset({slug}), write=frozenset({slug})), workspace=slug)


def calls(size: int) -> list[str]:
    """Turns as JSON Lines, a call at a time."""
    lines = [
        json.dumps({"session": one.session, "speaker": one.speaker, "text": one.text, "time": one.time, "id": one.id})
        for _, turns in synthetic.turns(size)
        for one in turns
    ]
    return ["\n".join(lines[first : first + CALL_TURNS]) + "\n" for first in range(0, len(lines), CALL_TURNS)]


def statements(count: int) -> list[str]:
    dice, words = random.Random("walls"), synthetic.vocabulary()
    drawn = [(words.draw(dice), words.draw(dice), words.draw(dice)) for _ in range(count)]
    return [f"We decided to use {a} for the {b} because {c} was too slow in week {n}." for n, (a, b, c) in enumerate(drawn)]


def by_turns(
    owner: Context, guest: Context, acts: Sequence[Callable[[Context], object]], *, split: bool = False
) -> dict[str, float]:
    """Medians of CPU ms. Both do the same, one after the other, or with `split` every second thing each."""
    spent: dict[str, list[float]] = {"whole": [], "walled": []}
    for number, act in enumerate(acts):
        order = [("whole", owner), ("walled", guest)]
        for name, context in order[number % 2 :][:1] if split else order[:: 1 - 2 * (number % 2)]:
            spent[name].append(cpu(lambda act=act, context=context: act(context)))
    middle = {name: statistics.median(held[1:]) for name, held in spent.items()}
    return {name: round(value, 2) for name, value in middle.items()} | {"ratio": round(middle["walled"] / middle["whole"], 3)}


def cpu(act: Callable[[], object]) -> float:
    """CPU ms of a call."""
    began = time.process_time()
    act()
    return (time.process_time() - began) * 1000


if __name__ == "__main__":
    main()
