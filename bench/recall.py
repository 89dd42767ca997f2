"""What recall costs beside another checkout of this repository: both fill a store of their own and are asked the same, in turn.

    python bench/recall.py OTHER/src [TURNS] [ROUNDS]

CPU milliseconds of one process a round, words alone; the first question is told apart, for it loads and reads everything.
Other work on the machine only adds: `best` is the median of each question's quickest round, `p50` the median of the rounds'.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TURNS, ROUNDS, QUESTIONS, LIMIT = 50_000, 7, 200, 10
HERE = Path(__file__).resolve().parents[1] / "src"
GATE = 1.2


def fill(address: str, turns: int) -> dict[str, float]:
    """Ingest the synthetic turns; answers turns a CPU second."""
    from muniment.evaluation import stores
    from muniment.evaluation.stores import Plan

    found = stores.fill(Plan("all", turns, 1, address), lambda *_: None)
    return {"turns_a_cpu_s": round(statistics.median(found.cpu_rates))}


def ask(address: str, turns: int) -> list[float]:
    """CPU ms of each question."""
    from muniment.app import open_app
    from muniment.evaluation import synthetic
    from muniment.evaluation.stores import ASKED, Plan
    from muniment.model.recalling import RecallRequest
    from muniment.recall.recall import recall
    from muniment.settings import load

    app = open_app(load({"store": address, "embedder": "none"}, {}))
    context, spent = app.context(workspace=ASKED), []
    for question in synthetic.questions(Plan("all", turns, 1, address).asked_sessions(), QUESTIONS):
        begun = time.process_time()
        recall(context, RecallRequest(question, workspace=ASKED, limit=LIMIT))
        spent.append(1000 * (time.process_time() - begun))
    app.close()
    return spent


def run(source: Path, act: str, address: str, turns: int) -> object:
    """One child with the code of `source`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
    command = [sys.executable, __file__, act, address, str(turns)]
    ended = subprocess.run(command, env=environment | {"PYTHONPATH": str(source)}, capture_output=True, check=True)
    return json.loads(ended.stdout)


def main() -> None:
    if sys.argv[1] in ("fill", "ask"):
        act = fill if sys.argv[1] == "fill" else ask
        sys.stdout.write(json.dumps(act(sys.argv[2], int(sys.argv[3]))))
        return
    turns = int(sys.argv[2]) if len(sys.argv) > 2 else TURNS
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else ROUNDS
    sources = {"other": Path(sys.argv[1]).resolve(), "here": HERE}
    report: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        address = {name: str(Path(folder) / f"{name}.db") for name in sources}
        filled = {name: run(source, "fill", address[name], turns) for name, source in sources.items()}
        held: dict[str, list[list[float]]] = {name: [] for name in sources}
        for _ in range(rounds):
            for name, source in sources.items():
                held[name].append(run(source, "ask", address[name], turns))  # type: ignore[arg-type]
    best = {}
    for name, found in held.items():
        p50 = [statistics.median(one[1:]) for one in found]
        best[name] = statistics.median(min(times) for times in zip(*(one[1:] for one in found), strict=True))
        report[name] = {
            "best_ms": round(best[name], 2),
            "p50_ms": round(statistics.median(p50), 2),
            "p50_ms_least_most": [round(min(p50), 2), round(max(p50), 2)],
            "first_ms": round(statistics.median(one[0] for one in found)),
            "ingest": filled[name],
        }
    report["ratio"] = round(best["here"] / best["other"], 3)
    report["gate"] = GATE
    sys.stdout.write(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
