"""Whether anything acknowledged is ever lost: many writers at once, and writers that are killed.

    python -m bench.integrity [--writers 8] [--writes 200] [--kills 50]

Writers are processes of their own that keep turns through the public path and print what was acknowledged. Afterwards
everything acknowledged is sent once more: what is there already counts as a duplicate, what was lost would be added.
The store is then examined in depth, as `muniment doctor --deep` does. Ends with 1 when anything is missing or not green.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from muniment import app, settings
from muniment.ingest.ingest import ingest
from muniment.insight.health import examine
from muniment.model.writing import TURNS_MAX, IngestRequest, TurnIn

TURNS_A_CALL = 20
LIFE_S = (0.01, 0.6)


def write(store: str, name: str, calls: int, turns: int) -> None:
    """Keep `calls` × `turns` turns and print the number of each acknowledged call."""
    opened = app.open_app(settings.load({"store": store}, {}))
    context = opened.context(workspace="inbox")
    for call in range(calls):
        ingest(context, request(name, call, turns))
        sys.stdout.write(f"{call}\n")
        sys.stdout.flush()
    opened.close()


def request(name: str, call: int, turns: int) -> IngestRequest:
    said = (
        TurnIn("Ann", f"Line {call}.{n} of {name}: berth {call * 7 + n} is booked.", id=f"{call}.{n}") for n in range(turns)
    )
    return IngestRequest(session=name, turns=tuple(said))


def start(store: str, name: str, calls: int, turns: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "bench.integrity", "--write", store, name, str(calls), str(turns)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def kill_one(store: str, name: str, dice: random.Random) -> int:
    """Start a writer, kill it some moments after its first acknowledged call; how many calls it had acknowledged."""
    process = start(store, name, 100_000, TURNS_A_CALL)
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(dice.uniform(*LIFE_S))
    process.kill()
    rest, _ = process.communicate()
    whole = (first + rest).rpartition("\n")[0].split()
    return len(whole)


def missing(store: str, kept: dict[str, int], turns: int) -> int:
    """How many acknowledged turns are not there."""
    opened = app.open_app(settings.load({"store": store}, {}))
    context = opened.context(workspace="inbox")
    lost = 0
    for name, calls in kept.items():
        said = [turn for call in range(calls) for turn in request(name, call, turns).turns or ()]
        for place in range(0, len(said), TURNS_MAX):
            lost += ingest(context, IngestRequest(session=name, turns=tuple(said[place : place + TURNS_MAX]))).added
    opened.close()
    return lost


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--writes", type=int, default=200)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--write", nargs=4, help=argparse.SUPPRESS)
    wish = parser.parse_args(arguments)
    if wish.write:
        store, name, calls, turns = wish.write
        write(store, name, int(calls), int(turns))
        return 0
    say, dice = sys.stdout.write, random.Random()
    with tempfile.TemporaryDirectory(prefix="muniment-integrity-") as folder:
        store = str(Path(folder) / "integrity.db")
        app.create_app(settings.load({"store": store}, {})).close()
        began = time.monotonic()
        running = {f"writer-{n}": start(store, f"writer-{n}", wish.writes, 1) for n in range(wish.writers)}
        ended = {name: process.communicate() for name, process in running.items()}
        took = time.monotonic() - began
        kept = {name: len(out.split()) for name, (out, _) in ended.items()}
        faults = sum(bool(fault) for _, fault in ended.values())
        lost = missing(store, kept, 1)
        say(f"{wish.writers} processes x {wish.writes} writes: {sum(kept.values())} acknowledged in {took:.1f} s, ")
        say(f"{lost} missing, {faults} processes with an error\n")
        killed = {f"killed-{n}": kill_one(store, f"killed-{n}", dice) for n in range(wish.kills)}
        gone = missing(store, killed, TURNS_A_CALL)
        say(f"{wish.kills} ingests killed: {sum(killed.values()) * TURNS_A_CALL} turns acknowledged, {gone} missing\n")
        opened = app.open_app(settings.load({"store": store}, {}))
        found = [one for one in examine(opened.context(), deep=True).findings if one.level == "fail"]
        opened.close()
        say("doctor --deep: " + ("green" if not found else "; ".join(f"{one.what}: {one.why}" for one in found)) + "\n")
    return int(bool(lost or gone or faults or found))


if __name__ == "__main__":
    raise SystemExit(main())
