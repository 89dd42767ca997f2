"""Carrying many records: they go and come by runs and pages, and what lies between the runs is not touched."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import apsw
import pytest

from muniment.index import rebuild
from muniment.model.governing import Undo
from muniment.model.reading import ReadRequest
from muniment.model.workspaces import MergeWorkspace, MoveRecords
from muniment.recall.read import read
from muniment.store.sqlite import SqliteStore
from tests.governance.carried import index
from tests.governance.governing import decide
from tests.governance.placing import confirmed, held
from tests.makers import HashedWords, Memory

PLACES = ("Nordhafen", "Alter Kai", "Speicherstadt", "Fischmarkt")
PEOPLE = ("Torben", "Ada", "Ben Meyer")


def harbour(memory: Memory, turns: int, memories: int) -> list[str]:
    """Two conversations that go on by turns, and memories; answers the refs of the memories."""
    draw = random.Random(turns)
    said = [f"{draw.choice(PEOPLE)}: Berth {number} of {draw.choice(PLACES)} was moved on Monday." for number in range(turns)]
    for first in range(0, turns, 20):  # the turns of two conversations lie side by side
        memory.say(f"talk-{first // 20 % 2}", *said[first : first + 20])
    return [
        memory.keep(f"The berth {number} of {draw.choice(PLACES)} costs {number * 10} euros for {draw.choice(PEOPLE)}.")
        for number in range(memories)
    ]


@pytest.mark.parametrize("page", [7, 1000])
def test_a_large_batch_taken_out_of_the_midst_and_back_leaves_both_indexes_as_they_were(
    memory: Memory, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuild, "PAGE", page)
    yard = memory.embed_with(HashedWords()).in_("yard")
    yard.in_("quay").keep("The quay of Nordhafen is closed in winter, says Torben.")
    refs = harbour(yard, 40, 30)
    yard.work()
    talk = read(yard.context, ReadRequest(session="talk-1", workspace="yard")).session
    assert talk is not None
    before = {slug: (index(yard, slug), held(yard, slug)) for slug in ("yard", "quay")}
    draw = random.Random(page)
    for do in (MoveRecords("move", "quay", tuple(draw.sample(refs, 18))), MoveRecords("move", "quay", session=talk.ref)):
        moved = confirmed(yard, do)
        yard.work()
        assert before["yard"][0] != index(yard, "yard")
        together = index(yard, "yard").words.keys() | index(yard, "quay").words.keys()
        assert together == before["yard"][0].words.keys() | before["quay"][0].words.keys()
        decide(yard, Undo("undo", moved.action))
        yard.work()
        for slug, (then, rows) in before.items():
            assert index(yard, slug) == then
            assert held(yard, slug) == rows


def test_a_merge_of_many_and_its_undo_leave_both_indexes_as_they_were(memory: Memory) -> None:
    yard, quay = memory.in_("yard"), memory.in_("quay")
    harbour(yard, 40, 10)
    harbour(quay, 40, 5)
    yard.work()
    before = {slug: (index(yard, slug), held(yard, slug)) for slug in ("yard", "quay")}
    merged = confirmed(yard, MergeWorkspace("merge", "yard", "quay"))
    assert index(yard, "yard").words == {}
    decide(yard, Undo("undo", merged.action))
    yard.work()
    assert {slug: (index(yard, slug), held(yard, slug)) for slug in ("yard", "quay")} == before


def steps(store: Any, act: Callable[[], Any]) -> int:
    """How many steps SQLite took for the writes of an act, in thousands."""
    assert isinstance(store, SqliteStore)
    taken = 0

    def counted() -> bool:
        nonlocal taken
        taken += 1
        return False

    for connection in store._opened:
        connection.set_progress_handler(counted, 1000)
    act()
    for connection in store._opened:
        connection.set_progress_handler(None)
    return taken


def test_what_is_carried_costs_by_what_goes_and_not_by_its_square(fresh: Callable[[], Memory]) -> None:
    """Four times as many turns take about four times as many steps of SQLite, which do not depend on who else is working."""
    spent: dict[str, list[int]] = {"there": [], "back": []}
    for turns in (120, 480):
        memory = fresh()
        yard = memory.in_("yard")
        harbour(memory.in_("quay"), turns, 0)
        harbour(yard, turns, 0)
        store = yard.app.store
        merged: list[Any] = []
        spent["there"].append(steps(store, lambda m=memory, out=merged: out.append(confirmed(m, MERGE))))
        spent["back"].append(steps(store, lambda m=memory, out=merged: decide(m, Undo("undo", out[0].action))))
    for few, many in spent.values():
        assert many < 5 * few


MERGE = MergeWorkspace("merge", "yard", "quay")


def test_every_step_of_taking_records_out_finds_its_rows_by_an_index(fresh: Callable[[], Memory]) -> None:
    store = fresh().app.store
    assert isinstance(store, SqliteStore)
    for name in BY_INDEX:
        with store.read() as connection:
            found = [row[3] for row in _plan(connection._connection, store._statements[name])]  # type: ignore[attr-defined]
        assert [step for step in found if step.endswith("(workspace=?)")] == [], name


# What is done record by record or field by field, and would read a whole workspace each time.
BY_INDEX = (
    "passages_cut", "passages_bury", "passages_revive", "passages_of", "mention_cut", "evidence_cut", "session_record_ids",
    "moving_passages_gone", "moving_mentions_gone", "moving_evidence_gone", "effects_cut", "effect_first", "effect_last",
    "labels_named", "links_of", "doomed_links", "doomed_ordinals", "claims_of_records",
)  # fmt: skip


def _plan(connection: apsw.Connection, sql: str) -> list[Any]:
    from muniment.store.queries import parameters

    return list(connection.execute(f"EXPLAIN QUERY PLAN {sql}", dict.fromkeys(parameters(sql))))
