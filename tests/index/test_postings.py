"""Postings: what was written in many blocks reads as one."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from muniment.index import postings
from tests.makers import Memory


def entries(block: bytes) -> list[tuple[int, int]]:
    size = len(block) // postings.ENTRY_BYTES
    ordinals = array("I")
    ordinals.frombytes(block[: 4 * size])
    return list(zip(ordinals, block[4 * size :], strict=True))


@given(st.lists(st.lists(st.integers(1, 255), min_size=1, max_size=5), min_size=1, max_size=6))
def test_joined_blocks_hold_the_entries_of_each_in_order(counts: list[list[int]]) -> None:
    blocks, ordinal = [], 0
    for run in counts:
        numbers = array("I", range(ordinal + 1, ordinal + 1 + len(run)))
        ordinal += len(run)
        blocks.append(numbers.tobytes() + bytes(run))
    joined = entries(postings.join(blocks))
    assert joined == [entry for block in blocks for entry in entries(block)]


def test_a_count_is_capped_at_one_byte(memory: Memory) -> None:
    blocks = postings.Blocks()
    blocks.add(7, {"word": 300})
    with memory.app.store.write() as connection:
        blocks.write(connection, memory.place().id)
        rows = connection.all("postings_of", {"workspace": memory.place().id, "term": "word"})
    assert [(first, entries(data)) for first, data in rows] == [(7, [(7, 255)])]


def test_words_in_few_rows_are_left_alone_and_others_joined(memory: Memory) -> None:
    for number in range(postings.MERGE_AT):
        memory.say("a", f"Ann: anchor {'crane' if number else 'fog'}")
    place = memory.place().id
    with memory.app.store.write() as connection:
        assert postings.merge(connection, place) == 1
        held = {
            term: [
                len(data) // postings.ENTRY_BYTES
                for _, data in connection.all("postings_of", {"workspace": place, "term": term})
            ]
            for term in ("anchor", "crane", "fog")
        }
        assert postings.merge(connection, place) == 0
    assert held["anchor"] == [postings.MERGE_AT]
    assert held["crane"] == [1] * (postings.MERGE_AT - 1)
    assert held["fog"] == [1]
