"""Programs that tests of the way in run beside themselves: writers that tell what was acknowledged, and readers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HEAD = """
import sys
from muniment.app import open_app
from muniment.ingest.ingest import ingest
from muniment.ingest.remember import remember
from muniment.model.recalling import RecallRequest
from muniment.model.writing import IngestRequest, RememberRequest, TurnIn
from muniment.settings import load
app = open_app(load({"store": sys.argv[1]}, {"MUNIMENT_CONFIG": sys.argv[2]}))
name, count = sys.argv[3], int(sys.argv[4])
print("ready", flush=True)
sys.stdin.readline()
"""
BATCHES = """
for batch in range(count):
    turns = tuple(TurnIn("Ann", f"Turn {number} of {name} batch {batch} names Zephyr Pump {number}.") for number in range(40))
    print(*ingest(app.context(), IngestRequest(session=f"{name}-{batch}", turns=turns)).refs, flush=True)
"""
SINGLES = """
for number in range(count):
    if number % 2:
        answer = remember(app.context(), RememberRequest(text=f"Statement {number} of {name} is about pump {number}."))
        print(answer.ref, flush=True)
    else:
        turn = TurnIn("Ann", f"Turn {number} of {name} is about pump {number}.")
        print(*ingest(app.context(), IngestRequest(session=name, turns=(turn,))).refs, flush=True)
"""
READS = """
from muniment.recall.recall import recall
for number in range(count):
    answer = recall(app.context(), RecallRequest(query=f"What is pump {number} about?", limit=5))
    print(len(answer.results), flush=True)
"""


def start(program: str, address: str, folder: Path, name: str, count: int) -> subprocess.Popen[str]:
    """Start a program; it waits for a line before it begins."""
    command = [sys.executable, "-c", HEAD + program, address, str(folder / "config.toml"), name, str(count)]
    pipe = subprocess.PIPE
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment)


def go(running: list[subprocess.Popen[str]]) -> None:
    """Let programs begin together, once all of them have the store open."""
    for one in running:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n", one.communicate()[1]
    for one in running:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
