"""Rosters: one row a passage, bounded in every field, and joined without a change."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from muniment.index import corpus, rosters
from muniment.model.records import KINDS, TIERS
from muniment.text.statements.wording import Wording
from tests.makers import Memory
from tests.subprocesses import modules_after

ENTRY = rosters.Entry(7, 3, 2, 11, 12, 4, "decision", "preferences", True, 0.5, 2, 1_700_000_000_000, 1_700_000_000_001)


def test_a_packed_row_is_what_numpy_reads() -> None:
    row = np.frombuffer(rosters.pack(ENTRY), corpus.DTYPE)[0]
    assert (row["record"], row["session"], row["seq"], row["words"], row["length"], row["speaker"]) == (7, 3, 2, 11, 12, 4)
    assert (KINDS[row["kind"]], TIERS[row["tier"]], row["flags"], row["names"]) == ("decision", "preferences", 1, 2)
    assert (row["event"], row["recorded"]) == (1_700_000_000_000, 1_700_000_000_001)
    assert corpus.DTYPE.itemsize == rosters.ROW.size


def test_a_row_says_what_its_text_certainly_does_not_do() -> None:
    from dataclasses import replace

    silent = rosters.MOVES_NOTHING | rosters.DENIES_NOTHING | rosters.STATES_NOTHING
    packed = replace(ENTRY, people=9, signs=Wording(moves=False, denies=False, states=False))
    flags = np.frombuffer(rosters.pack(packed), corpus.DTYPE)[0]["flags"]
    assert flags & silent == silent
    assert (flags >> rosters.NAMES_BIT & rosters.NAMES_MOST, flags & rosters.GONE) == (rosters.NAMES_MOST, 0)
    stating = replace(ENTRY, signs=Wording(moves=False, denies=True, states=True))
    assert np.frombuffer(rosters.pack(stating), corpus.DTYPE)[0]["flags"] & silent == rosters.MOVES_NOTHING


def test_what_is_larger_than_its_field_is_the_largest_that_fits() -> None:
    from dataclasses import replace

    big = replace(ENTRY, words=10**6, length=10**6, names=10**6, questions=1.0, event=None)
    row = np.frombuffer(rosters.pack(big), corpus.DTYPE)[0]
    assert (row["words"], row["length"], row["names"], row["questions"]) == (rosters.U16, rosters.U16, rosters.U16, 255)
    assert row["event"] == rosters.NO_TIME


def test_many_blocks_become_one_and_hold_the_same(memory: Memory) -> None:
    place = memory.place().id

    def blocks() -> list[tuple[int, int, bytes]]:
        with memory.app.store.read() as connection:
            return connection.all("rosters_from", {"workspace": place, "have": 0})

    for number in range(rosters.MERGE_AT - 1):
        memory.say("a", f"Ann: turn {number}")
    with memory.app.store.write() as connection:
        rosters.merge(connection, place)
    before = blocks()
    assert len(before) == rosters.MERGE_AT - 1  # too few to be worth it
    memory.say("a", "Ann: the last turn")
    before = blocks()
    with memory.app.store.write() as connection:
        rosters.merge(connection, place)
    assert [(first, last) for first, last, _ in blocks()] == [(1, rosters.MERGE_AT)]
    assert blocks()[0][2] == b"".join(data for _, _, data in before)


@pytest.mark.parametrize("module", ["muniment.index.write", "muniment.index.rosters", "muniment.ingest.ingest"])
def test_the_way_in_needs_no_numpy(module: str) -> None:
    assert "numpy" not in modules_after(f"import {module}")
    assert "numpy" in sys.modules  # or this test would prove nothing
