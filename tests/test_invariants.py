"""What must hold whatever is done: found is readable, foreign is invisible, accepted is there for everybody."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from muniment.app import App
from muniment.ingest.remember import remember
from muniment.insight.overview import list_projects, stats
from muniment.model.reading import ContextRequest, ProjectsRequest, ReadRequest, StatsRequest
from muniment.model.recalling import FetchRequest, Filter, RecallAnswer, RecallRequest, SearchRequest
from muniment.model.writing import RememberRequest
from muniment.recall.bundle import get_context
from muniment.recall.connect import fetch, search
from muniment.recall.read import read
from muniment.recall.recall import recall
from tests.makers import Clock, Deed, Doer, Memory, histories
from tests.places import ROOT

QUESTIONS = ("Where is the anchor?", "What did Ann say about the crane now?", "ledger", "Is Bartholomew here?", "")


def refs(value: Any) -> Iterator[str]:
    """Every ref that stands anywhere in an answer."""
    if isinstance(value, dict):
        for part in value.values():
            yield from refs(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from refs(part)
    elif isinstance(value, str) and len(value) == 28 and value[1] == "_":
        yield value


def everything(memory: Memory, context: Any = None) -> list[Any]:
    """An answer of every reading operation."""
    context = context or memory.context
    answers: list[Any] = [recall(context, RecallRequest(query, workspace="*", limit=50, around=2)) for query in QUESTIONS]
    answers.append(search(context, SearchRequest("anchor crane")))
    answers.append(get_context(context, ContextRequest(project_id="inbox", task="the crane", max_tokens=5000)))
    answers.append(stats(context, StatsRequest(workspace="*", sessions=50)))
    answers.append(list_projects(context, ProjectsRequest()))
    return answers


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=histories())
def test_whatever_is_shown_opens(fresh: Callable[[], Memory], deeds: list[Deed]) -> None:
    memory = fresh()
    Doer(memory).do(deeds)
    shown = {ref for answer in everything(memory) for ref in refs(asdict(answer))}
    for ref in shown:
        assert read(memory.context, ReadRequest(ref=ref)).records
        assert fetch(memory.context, FetchRequest(ref)).id == ref


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(own=histories(), foreign=histories())
def test_a_foreign_workspace_is_not_there(fresh: Callable[[], Memory], own: list[Deed], foreign: list[Deed]) -> None:
    """Answers, counts and scores are those of a store in which the other workspace never was."""
    alone, shared = fresh(), fresh()
    Doer(alone).do(own)
    doers = (Doer(shared), Doer(replace(shared.in_("other"), clock=Clock()), "zzforeign"))
    deeds = (iter(own), iter(foreign))
    sides = [0] * len(own) + [1] * len(foreign)
    random.Random(len(sides)).shuffle(sides)
    for side in sides:
        doers[side].do([next(deeds[side])])
    guest = shared.only("inbox", "global")
    answers = everything(shared, guest)
    assert "zzforeign" not in json.dumps([asdict(answer) for answer in answers])
    left = [timeless(answer) for answer in everything(alone, alone.only("inbox", "global"))[: len(QUESTIONS)]]
    assert [timeless(answer) for answer in answers[: len(QUESTIONS)]] == left
    theirs = recall(shared.only("other"), RecallRequest(workspace="other", limit=100))
    for ref in set(refs(asdict(theirs))):
        with pytest.raises(Exception, match="There is no"):
            read(guest, ReadRequest(ref=ref))


def timeless(answer: RecallAnswer) -> list[Any]:
    """What an answer says, without ids and times, which two stores do not share."""
    said = [
        (one.text, one.score, one.matched_by, one.evidence, one.version, len(one.also))
        for one in (*answer.results, *answer.nearest)
    ]
    return [said, answer.total, answer.abstained, answer.missing, answer.filtered_out, answer.tokens_used]


def test_an_accepted_write_is_there_for_another_process_at_once(app: App, tmp_path: Path) -> None:
    code = """
import sys
from muniment.app import open_app
from muniment.model.recalling import RecallRequest
from muniment.recall.recall import recall
from muniment.settings import load
app = open_app(load({"store": sys.argv[1], "embedder": "none"}, {"MUNIMENT_CONFIG": sys.argv[2]}))
context = app.context(workspace="inbox")
print("ready", flush=True)
for line in sys.stdin:
    found = recall(context, RecallRequest(line.strip()))
    print("|".join(one.text for one in (*found.results, *found.nearest)), flush=True)
app.close()
"""
    other = subprocess.Popen(
        [sys.executable, "-c", code, app.settings.store, str(tmp_path / "config.toml")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin"},
    )
    assert other.stdin is not None
    assert other.stdout is not None

    def there(question: str) -> str:
        assert other.stdin is not None
        assert other.stdout is not None
        other.stdin.write(question + "\n")
        other.stdin.flush()
        return other.stdout.readline()

    try:
        assert other.stdout.readline() == "ready\n"
        for number in range(3):
            made = remember(app.context(workspace="inbox"), RememberRequest(text=f"The crane number {number} is yellow."))
            assert f"number {number} is" in there("crane")
        remember(app.context(workspace="inbox"), RememberRequest(op="archive", target=made.ref, expected_version=made.version))
        assert "number 2" not in there("crane")
    finally:
        other.stdin.close()
        other.wait(timeout=20)
        other.stdout.close()
    assert other.returncode == 0


def test_a_filter_never_adds_anything(memory: Memory) -> None:
    Doer(memory).do([("say", n, n * 3) for n in range(12)] + [("keep", n, n + 1) for n in range(6)])
    every = {one.ref for one in recall(memory.context, RecallRequest(limit=100)).results}
    for query in QUESTIONS:
        for where in (Filter(kind=("turn",)), Filter(people=("Ann",)), Filter(after="2024-03-01"), Filter(session="s1")):
            browsed = {one.ref for one in recall(memory.context, RecallRequest(limit=100, filter=where)).results}
            some = recall(memory.context, RecallRequest(query, limit=100, filter=where))
            shown = {ref for one in (*some.results, *some.nearest) for ref in (one.ref, *one.also)}
            assert shown <= browsed < every
