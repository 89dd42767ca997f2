"""Windows and episodes: cut at silences, at their length, and where the talk turns to other things."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.index import episodes
from muniment.index.episodes import NAMED_MAX, OVERLAP_MIN, SILENCE_MS, TURNS_MAX, Said
from tests.makers import MINUTE, Memory

Row = tuple[int, int, int, int]


def windows(memory: Memory, *batches: Sequence[Said]) -> list[Row]:
    """(episode, window, first turn, last turn) after the batches were appended one after another."""
    memory.say("s", "Ann: makes the session")
    place = memory.place().id
    with memory.app.store.write() as connection:
        connection.run("episodes_drop", {"workspace": place})
        for batch in batches:
            episodes.append(connection, place, 1, batch)
        rows = connection.all("episodes_between", {"workspace": place, "after": -1, "before": 10**15, "limit": 1000})
    return sorted((row[1], row[2], row[3], row[4]) for row in rows)


def said(*moments: int | None, names: str = "") -> list[Said]:
    return [Said(seq, at, frozenset(names.split())) for seq, at in enumerate(moments, 1)]


@pytest.mark.parametrize(("gap", "count"), [(0, 1), (SILENCE_MS, 1), (SILENCE_MS + 1, 2)])
def test_a_window_ends_after_half_an_hour_of_silence(memory: Memory, gap: int, count: int) -> None:
    assert len(windows(memory, said(0, gap))) == count


@pytest.mark.parametrize(("turns", "count"), [(TURNS_MAX, 1), (TURNS_MAX + 1, 2), (2 * TURNS_MAX + 1, 3)])
def test_a_window_ends_after_fifty_turns(memory: Memory, turns: int, count: int) -> None:
    assert len(windows(memory, said(*range(turns)))) == count


def test_turns_without_a_time_make_no_silence(memory: Memory) -> None:
    assert len(windows(memory, said(0, None, None, SILENCE_MS, None))) == 1


def test_a_turn_that_came_late_makes_no_silence(memory: Memory) -> None:
    assert len(windows(memory, said(10 * SILENCE_MS, 0, 10 * SILENCE_MS))) == 1


def talk(*topics: str) -> list[Said]:
    """A window each, an hour apart."""
    return [Said(seq, seq * 60 * MINUTE, frozenset(topic.split())) for seq, topic in enumerate(topics, 1)]


def test_an_episode_ends_where_other_things_are_named(memory: Memory) -> None:
    rows = windows(memory, talk("crane harbour", "crane quay", "violin opera", "violin concert", "tail"))
    assert [row[0] for row in rows] == [1, 1, 2, 2, 2]  # of the last one it is not known yet


def test_an_overlap_at_the_limit_goes_on(memory: Memory) -> None:
    shared, own = "a b c", "d e f g h i j k l m n o p q r s t"
    assert OVERLAP_MIN == 3 / 20
    rows = windows(memory, talk(f"{shared} {own[:17]}", f"{shared} {own[18:]}", "end"))
    assert [row[0] for row in rows] == [1, 1, 1]


def test_a_window_that_names_nothing_ends_no_episode(memory: Memory) -> None:
    assert {row[0] for row in windows(memory, talk("crane", "", "crane", "end"))} == {1}


TURNS = st.lists(
    st.tuples(
        st.sampled_from([0, MINUTE, SILENCE_MS, SILENCE_MS + 1, None]), st.frozensets(st.sampled_from("abcdefgh"), max_size=3)
    ),
    min_size=1,
    max_size=30,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(turns=TURNS, cuts=st.sets(st.integers(1, 29)))
def test_turns_that_come_in_parts_make_the_windows_of_turns_that_come_at_once(
    small: Memory, turns: list[tuple[int | None, frozenset[str]]], cuts: set[int]
) -> None:
    now, all_said = 0, []
    for seq, (gap, names) in enumerate(turns, 1):
        now += gap or 0
        all_said.append(Said(seq, None if gap is None else now, names))
    edges = [0, *sorted(cut for cut in cuts if cut < len(all_said)), len(all_said)]
    parts = [all_said[low:high] for low, high in pairwise(edges)]
    whole = windows(small, all_said)
    assert windows(small, *parts) == whole
    assert [row[2] for row in whole if row][1:] == [row[3] + 1 for row in whole][:-1]  # every turn lies in exactly one


def test_names_beyond_the_most_that_are_kept_change_no_cut(small: Memory) -> None:
    first = " ".join(f"x{n:03}" for n in range(NAMED_MAX + 40))
    second = " ".join(f"x{n:03}" for n in range(NAMED_MAX, NAMED_MAX + 40))
    turns = talk(first, second, second, "end")
    assert windows(small, turns) == windows(small, *[[turn] for turn in turns])


def test_ingested_turns_get_their_windows(memory: Memory) -> None:
    memory.say("a", "Ann: Zephyr Pump broke.", "Bob: Call Mara Quill.", time="2024-03-01T10:00:00Z")
    memory.say("a", "Ann: Zephyr Pump runs again.", time="2024-03-01T12:00:00Z")
    values: dict[str, Any] = {"workspace": memory.place().id, "after": 0, "before": 10**15, "limit": 10}
    with memory.app.store.read() as connection:
        assert sorted(row[3:] for row in connection.all("episodes_between", values)) == [(1, 2), (3, 3)]
