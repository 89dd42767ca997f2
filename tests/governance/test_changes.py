"""Changes that are taken back in any order leave nothing behind, and of many at once one wins each version."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from muniment.context import Context
from muniment.errors import MunimentError, StaleVersion
from muniment.governance import changes, ledger, proof
from muniment.index.rebuild import rebuild
from muniment.model.governing import Confirm, Contain, Protect, Restore, Retire, Undo
from muniment.model.recalling import Filter
from muniment.model.records import RELATIONS
from muniment.model.reviewing import Audit, History
from muniment.model.writing import Labels, LinkIn
from tests.governance.governing import decide, look, opened, record, tell
from tests.ingest import processes
from tests.ingest.writing import actions, bring, inconsistencies
from tests.makers import WORDS, Memory

DEEDS = 200
QUESTIONS: tuple[tuple[str, Filter | None], ...] = (
    ("Where is the anchor?", None),
    ("What did Ann say about the crane and the fog?", None),
    ("ledger tide sail", None),
    ("harbour", Filter(topics=("berth", "fog"))),
    ("Is Bartholomew here?", None),
    ("quay", Filter(kind=("fact", "decision"))),
    ("", None),
    ("", Filter(people=("Ann",))),
    ("pilot rope", Filter(state=("superseded",))),
)


def answers(memory: Memory) -> list[Any]:
    """What recall says, whole; only how long it took is left out."""
    told = []
    for question, where in QUESTIONS:
        answer = memory.elsewhere().ask(question, where=where, limit=50, around=1)
        told.append(replace(answer, meta=replace(answer.meta, took_ms=None)))
    return told


class Curator:
    """Does things at random to what is kept, as an agent or as a person; what is refused changes nothing."""

    def __init__(self, memory: Memory, seed: int) -> None:
        self.memory, self.draw = memory, random.Random(seed)
        self.refs: list[str] = []
        self.done: Counter[str] = Counter()
        self.numbers = iter(range(100_000))

    def begin(self) -> None:
        memory = self.memory
        self.refs += memory.say(
            "talk", *[f"{who}: {self.text()}" for who in ("Ann", "Bob", "Ann")], time="2024-03-01T10:00:00Z"
        )
        self.refs += bring(memory.context, f"{self.text()}\n\n{self.text()}", url="https://example.org/a").refs
        for number in range(10):
            labels = Labels(("berth",)) if number % 3 else None
            self.refs.append(memory.keep(self.text(), ("fact", "decision", "preference")[number % 3], labels=labels))

    def act(self, count: int) -> None:
        deeds: dict[str, Callable[[Context, str, int], Any]] = {
            "add": lambda context, ref, version: tell(context, self.text(), evidence=(ref,)),
            "update": lambda context, ref, version: self._change(context, ref, version, text=self.text()),
            "labels": lambda context, ref, version: self._change(context, ref, version, labels=self._labels()),
            "link": lambda context, ref, version: self._change(context, ref, version, links=(self._link(),)),
            "change": lambda context, ref, version: self._change(context, ref, version, op="supersede", text=self.text()),
            "correct": lambda context, ref, version: self._change(
                context, ref, version, op="supersede", text=self.text(), correction=True
            ),
            "archive": lambda context, ref, version: self._change(context, ref, version, op="archive"),
            "restore": lambda context, ref, version: self._change(context, ref, version, op="restore"),
            "reject": lambda context, ref, version: self._change(context, ref, version, op="reject"),
            "bring": lambda context, ref, version: bring(context, self.text(), url="https://example.org/a"),
            "protect": lambda context, ref, version: decide(context, Protect("protect", ref, version, self._level())),
            "confirm": lambda context, ref, version: decide(replace(context, door="cli"), Confirm("confirm", ref, version)),
            "retire": lambda context, ref, version: decide(context, Retire("retire", ref, version, self._any())),
            "return": lambda context, ref, version: decide(context, Restore("restore", ref, version)),
            "contain": lambda context, ref, version: decide(context, Contain("contain", ref)),
        }
        while sum(self.done.values()) < count:
            self.memory.clock.move(1000)
            name = self.draw.choice(list(deeds))
            door = self.draw.choice(("bearer", "cli"))
            ref = self._any()
            try:
                made = deeds[name](replace(self.memory.context, door=door), ref, record(self.memory, ref).version)
            except (MunimentError, pytest.fail.Exception):
                continue
            self.done[name] += 1
            new = getattr(made, "refs", None) or [getattr(made, "ref", ref)]
            self.refs += [one for one in new if one not in self.refs]

    def text(self) -> str:
        words = " ".join(self.draw.choice(WORDS) for _ in range(self.draw.randint(3, 9)))
        return f"{words.capitalize()} number {next(self.numbers)}."

    def _change(
        self, context: Context, ref: str, version: int, *, op: str = "update", text: str | None = None, **more: Any
    ) -> Any:
        return tell(context, text, op=op, target=ref, expected_version=version, **more)

    def _labels(self) -> Labels:
        return Labels((self.draw.choice(WORDS),), people=self.draw.choice(((), ("Ann",))))

    def _link(self) -> LinkIn:
        return LinkIn(self._any(), self.draw.choice(RELATIONS))  # type: ignore[arg-type]

    def _level(self) -> Any:
        return self.draw.choice(("normal", "protected", "locked"))

    def _any(self) -> str:
        return self.draw.choice(self.refs)


@pytest.mark.parametrize("seed", [1, 2])
def test_two_hundred_actions_undone_in_any_order_leave_recall_as_it_was(memory: Memory, seed: int) -> None:
    curator = Curator(memory, seed)
    curator.begin()
    refs, before = list(curator.refs), answers(memory)
    held = [record(memory, ref) for ref in refs]
    begun = {entry.ref for entry in look(memory, Audit("audit", limit=200)).actions}
    curator.act(DEEDS)
    assert len(curator.done) == 15
    assert answers(memory) != before
    listed, cursor = [], None
    while True:
        page = look(memory, Audit("audit", limit=200, cursor=cursor))
        listed += [entry.ref for entry in page.actions if entry.undoable and entry.ref not in begun]
        cursor = page.cursor
        if cursor is None:
            break
    assert len(listed) == DEEDS
    curator.draw.shuffle(listed)
    for number, ref in enumerate(listed):
        decide(memory, Undo("undo", ref))
        if number == DEEDS // 2:
            rebuild(memory.context, memory.place())
    after = [record(memory, ref) for ref in refs]
    assert [replace(one, versions=1) for one in after] == [replace(one, versions=1) for one in held]
    assert answers(memory) == before
    rebuild(memory.context, memory.place())
    assert answers(memory) == before
    with memory.app.store.read() as connection:
        place = memory.place().id
        assert ledger.broken(connection, place) is None
        assert changes.altered(connection, place) is None
        assert list(proof.drift(connection, place)) == []


@pytest.mark.parametrize("seed", [3])
def test_a_rebuilt_index_answers_as_the_one_that_grew(memory: Memory, seed: int) -> None:
    curator = Curator(memory, seed)
    curator.begin()
    curator.act(60)
    before = answers(memory)
    assert inconsistencies(memory.app) == []
    rebuild(memory.context, memory.place())
    assert answers(memory) == before


# --- many at once ---------------------------------------------------------------------------------------------------

EDITORS, ROUNDS = 100, 4


def test_of_a_hundred_editors_one_wins_each_version(memory: Memory) -> None:
    ref = memory.keep("Nobody has edited this.")
    start, outcomes = threading.Barrier(EDITORS), [Counter[str]() for _ in range(ROUNDS)]
    guard, faults = threading.Lock(), []

    def edit(number: int) -> None:
        for turn in range(ROUNDS):
            start.wait()
            try:
                told = tell(memory, f"Edit {turn} of {number}.", op="update", target=ref, expected_version=turn + 1)
                said = f"version {told.version}"
            except StaleVersion:
                said = "stale"
            except Exception as fault:
                faults.append(fault)
                said = "fault"
            with guard:
                outcomes[turn][said] += 1

    threads = [threading.Thread(target=edit, args=(number,)) for number in range(EDITORS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert outcomes == [Counter({"stale": EDITORS - 1, f"version {turn + 2}": 1}) for turn in range(ROUNDS)]
    versions = look(memory, History("history", ref)).versions
    assert [one.version for one in versions] == list(range(ROUNDS + 1, 0, -1))
    assert len({one.text for one in versions}) == ROUNDS + 1
    assert actions(memory.app) == ["remember", *["update"] * ROUNDS]
    assert inconsistencies(memory.app) == []


EDITS = """
from muniment.errors import StaleVersion
from muniment.model.reading import ReadRequest
from muniment.recall.read import read
ref, wanted = name.split(":")
for number in range(count):
    while True:
        held = read(app.context(), ReadRequest(ref=ref)).records[0]
        try:
            request = RememberRequest(
                text=f"Edit {number} of {wanted}.", op="update", target=ref, expected_version=held.version
            )
            print(remember(app.context(), request).version, flush=True)
            break
        except StaleVersion:
            pass
"""


def test_editors_in_several_processes_lose_no_edit(app: Any, address: str, tmp_path: Path) -> None:
    ref = tell(app.context(), "Nobody has edited this.").ref
    running = [processes.start(EDITS, address, tmp_path, f"{ref}:{number}", 8) for number in range(4)]
    processes.go(running)
    ended = [one.communicate(timeout=120) for one in running]
    assert [fault for _, fault in ended] == [""] * 4
    won = [int(line) for out, _ in ended for line in out.split()]
    assert sorted(won) == list(range(2, 34))
    versions = opened(app.context(), ref, "history").history
    assert [one.version for one in versions] == list(range(33, 0, -1))
    assert len({one.text for one in versions}) == 33


def test_a_stale_edit_writes_nothing_at_all(memory: Memory) -> None:
    ref = memory.keep("The port is 8080.")
    memory.change(ref, "The port is 8081.")
    rows = _rows(memory)
    deeds: list[dict[str, Any]] = [
        {"op": "update", "text": "x"},
        {"op": "update", "labels": Labels(("x",))},
        {"op": "supersede", "text": "x"},
        *({"op": op} for op in ("archive", "reject", "restore")),
    ]
    for deed in deeds:
        for version in (1, 3):
            with pytest.raises(StaleVersion):
                tell(memory, target=ref, expected_version=version, **deed)
    assert _rows(memory) == rows


def _rows(memory: Memory) -> list[Any]:
    place = memory.place().id
    with memory.app.store.read() as connection:
        ledger_rows = connection.all("actions", {"workspace": place, "after": 0, "limit": 1000})
        effects = connection.all("effects_all", {"workspace": place, "action": 0, "number": 0, "limit": 1000})
        all_records = connection.all("records_all", {"workspace": place, "after": 0, "limit": 1000})
        stamp = connection.one("workspace_stamp", {"workspace": place})
    return [ledger_rows, effects, all_records, stamp]
