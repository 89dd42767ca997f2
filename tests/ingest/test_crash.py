"""What was acknowledged stays, whatever kills the writer; and many programs may write and read one store at once."""

from __future__ import annotations

import json
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from muniment.app import App, open_app
from muniment.governance import ledger
from muniment.model.ids import parse
from muniment.store import records
from tests.ingest import processes
from tests.ingest.writing import found, inconsistencies, lines, place
from tests.stores import at

WRITERS = 8
WRITES = 200
KILLS = 20


def missing(app: App, refs: list[str]) -> list[str]:
    with app.store.read() as connection:
        return [ref for ref in refs if (parsed := parse(ref)) is None or records.by_uid(connection, parsed[1]) is None]


def check(app: App) -> None:
    assert inconsistencies(app) == []
    with app.store.read() as connection:
        assert ledger.broken(connection, place(app)) is None


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_to_a_kill(app: App, address: str, tmp_path: Path) -> None:
    chance = random.Random(11)
    acknowledged: list[str] = []
    app.close()
    for round_ in range(KILLS):
        writer = processes.start(processes.BATCHES, address, tmp_path, f"w{round_}", 10_000)
        processes.go([writer])
        time.sleep(chance.uniform(0.02, 0.5))
        writer.send_signal(signal.SIGKILL)
        out, _ = writer.communicate(timeout=30)
        acknowledged += [ref for line in out.splitlines() for ref in line.split() if parse(ref)]
        opened = open_app(at(address, tmp_path))
        try:
            assert missing(opened, acknowledged) == []
            check(opened)
        finally:
            opened.close()
    assert len(acknowledged) > KILLS * 40
    opened = open_app(at(address, tmp_path))
    assert found(opened, "Zephyr Pump")
    opened.close()


def test_an_interrupted_ingest_repeated_adds_exactly_the_rest(app: App, address: str, tmp_path: Path) -> None:
    writer = processes.start(processes.BATCHES, address, tmp_path, "w", 10_000)
    processes.go([writer])
    assert writer.stdout is not None
    for _ in range(3):
        writer.stdout.readline()
    writer.send_signal(signal.SIGKILL)
    writer.communicate(timeout=30)
    with app.store.read() as connection:
        ((_, stored),) = connection.all("workspace_counts", {"workspace": place(app)})
    assert stored % 40 == 0
    assert stored >= 120
    rows = [
        {"session": f"w-{batch}", "speaker": "Ann", "text": f"Turn {number} of w batch {batch} names Zephyr Pump {number}."}
        for batch in range(stored // 40 + 2)
        for number in range(40)
    ]
    answer = lines(app, *rows)
    assert (answer.added, answer.duplicates, answer.rejected_total) == (80, stored, 0)
    check(app)


@pytest.mark.slow
def test_many_programs_write_at_once_and_others_read(
    app: App, address: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    writers = [processes.start(processes.SINGLES, address, tmp_path, f"w{number}", WRITES) for number in range(WRITERS)]
    readers = [processes.start(processes.READS, address, tmp_path, f"r{number}", 40) for number in range(2)]
    processes.go(writers + readers)
    started = time.monotonic()
    ended = [one.communicate(timeout=500) for one in writers]
    record_property("seconds", round(time.monotonic() - started, 2))
    read = [one.communicate(timeout=500) for one in readers]
    assert [fault for _, fault in ended + read] == [""] * (WRITERS + 2)
    refs = [ref for out, _ in ended for ref in out.split()]
    assert len(set(refs)) == len(refs) == WRITERS * WRITES
    assert missing(app, refs) == []
    with app.store.read() as connection:
        assert dict(connection.all("workspace_counts", {"workspace": place(app)})) == {
            "fact": WRITERS * WRITES // 2,
            "turn": WRITERS * WRITES // 2,
        }
        kinds = [row[3] for row in connection.all("actions", {"workspace": place(app), "after": 0, "limit": 10_000})]
    assert len(kinds) == WRITERS * WRITES
    assert all(json.loads(targets) for targets in kinds)
    check(app)
