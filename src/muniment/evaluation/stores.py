"""Filling the stores that `bench` measures: through the public path, a call at a time, so that a stopped run can go on.

`all` keeps everything in one workspace; `share` spreads the sessions evenly over many, of which one is asked.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from muniment import app, settings, worker
from muniment.context import Context, Engines
from muniment.errors import EngineUnavailable, InvalidInput
from muniment.evaluation import synthetic
from muniment.evaluation.synthetic import Turn
from muniment.evaluation.vectors import Vectors
from muniment.governance import workspaces
from muniment.ingest.ingest import ingest
from muniment.model.writing import IngestRequest

Layout = Literal["all", "share"]
LAYOUTS: tuple[Layout, ...] = ("all", "share")
TURNS_A_CALL = 5000
ASKED = "bench-1"

Step = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """One store to be measured. `address` is a file or a server's address."""

    layout: Layout
    turns: int
    workspaces: int
    address: str

    @property
    def spread(self) -> int:
        """How many workspaces the sessions go to."""
        return 1 if self.layout == "all" else self.workspaces

    @property
    def progress(self) -> Path | None:
        """Where it is kept how far the filling came; a server's store is filled in one go."""
        return None if self.address.startswith(app.SERVER_ADDRESS) else Path(f"{self.address}.filled.json")

    def asked_sessions(self) -> list[int]:
        """Sessions that lie in the asked workspace."""
        last = max(1, self.turns // synthetic.TURNS_A_SESSION[1])
        return list(range(0, last, self.spread)) or [0]


@dataclass(frozen=True, slots=True)
class Filled:
    """How the filling went. Rates are turns a second, one for each call; `asked` counts the asked workspace's turns."""

    cpu_rates: tuple[float, ...]
    wall_rates: tuple[float, ...]
    asked: int


def fill(plan: Plan, step: Step) -> Filled:
    """Create the store and ingest everything that is not in it yet; nothing is embedded."""
    opened = app.create_app(settings.load({"store": plan.address, "embedder": "none"}, {}))
    try:
        context = opened.context()
        known = _slugs(context)
        for number in range(1, plan.spread + 1):
            if f"bench-{number}" not in known:
                workspaces.add(context, f"bench-{number}")
        return _fill(plan, context, step)
    finally:
        opened.close()


def _fill(plan: Plan, context: Context, step: Step) -> Filled:
    done, cpu, wall, asked = _held(plan)
    batch: list[tuple[int, Turn]] = []
    made = 0
    for number, turns in synthetic.turns(plan.turns):
        made += len(turns)
        if number < done:
            continue
        asked += len(turns) if number % plan.spread == 0 else 0
        batch += [(number, turn) for turn in turns]
        if len(batch) >= TURNS_A_CALL or made >= plan.turns:
            rates = _call(context, plan, batch)
            cpu, wall, batch = [*cpu, rates[0]], [*wall, rates[1]], []
            _keep(plan, number + 1, cpu, wall, asked)
            step(f"ingest {plan.layout} {plan.turns:,}", made, plan.turns)
    return Filled(tuple(cpu), tuple(wall), asked)


def _call(context: Context, plan: Plan, batch: Sequence[tuple[int, Turn]]) -> tuple[float, float]:
    """One public call; answers turns a CPU second and turns a second."""
    lines = [
        json.dumps(
            {
                "session": turn.session,
                "speaker": turn.speaker,
                "text": turn.text,
                "time": turn.time,
                "id": turn.id,
                "workspace": f"bench-{number % plan.spread + 1}",
            }
        )
        for number, turn in batch
    ]
    request = IngestRequest(jsonl="\n".join(lines), workspace=ASKED)
    wall, cpu = time.perf_counter(), time.process_time()
    answer = ingest(context, request)
    spent_cpu, spent_wall = time.process_time() - cpu, time.perf_counter() - wall
    if answer.added + answer.duplicates != len(batch):
        raise InvalidInput(f"Only {answer.added} of {len(batch)} turns were kept.", "Give bench an empty store.")
    return len(batch) / max(spent_cpu, 1e-9), len(batch) / max(spent_wall, 1e-9)


def embed(plan: Plan, vectors: Vectors | None, step: Step) -> None:
    """Do what waits for the worker: vectors from `vectors`, and the merging of blocks."""
    opened = app.open_app(settings.load({"store": plan.address, "embedder": "auto" if vectors else "none"}, {}))
    try:
        context = opened.context()
        if vectors:
            given: Vectors = vectors
            context = replace(context, engines=Engines(lambda spec, key: given))
        done = 0

        def heard(count: int) -> None:
            nonlocal done
            done += count
            step(f"vectors {plan.layout} {plan.turns:,}", done, plan.turns)

        drained = worker.drain(context, progress=heard)
        if vectors and drained.left:
            raise EngineUnavailable(f"{drained.left} jobs of the worker are left: {drained.why}")
    finally:
        opened.close()


def size(plan: Plan) -> int | None:
    """Bytes on disk."""
    opened = app.open_app(settings.load({"store": plan.address, "embedder": "none"}, {}))
    try:
        return opened.store.bytes()
    finally:
        opened.close()


def _slugs(context: Context) -> set[str]:
    from muniment.insight.overview import list_projects
    from muniment.model.reading import ProjectsRequest

    return {project.project_id for project in list_projects(context, ProjectsRequest()).projects}


def _held(plan: Plan) -> tuple[int, list[float], list[float], int]:
    path = plan.progress
    if path is None or not path.exists():
        return 0, [], [], 0
    held = json.loads(path.read_text(encoding="utf-8"))
    return held["sessions"], held["cpu"], held["wall"], held["asked"]


def _keep(plan: Plan, sessions: int, cpu: list[float], wall: list[float], asked: int) -> None:
    if plan.progress:
        held = {"sessions": sessions, "cpu": cpu, "wall": wall, "asked": asked}
        plan.progress.write_text(json.dumps(held), encoding="utf-8")
