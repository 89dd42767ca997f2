"""Time: the turns of the windows that a time expression points at."""

from __future__ import annotations

import pytest

from muniment.model.recalling import Filter
from tests.makers import DAY, Memory


@pytest.fixture
def year(memory: Memory) -> Memory:
    for month in range(1, 13):
        memory.say(f"m{month}", "Ann: We met at the quay.", f"Bob: Talk number {month}.", time=f"2024-{month:02}-10T10:00:00Z")
    return memory


def by_time(memory: Memory, query: str, **more: object) -> set[str | None]:
    answer = memory.ask(query, limit=100, **more)
    return {one.provenance.session for one in (*answer.results, *answer.nearest) if "time" in one.matched_by}


@pytest.mark.parametrize(
    ("query", "sessions"),
    [
        ("What did we say in April 2024?", {"m4"}),
        ("What did we say on 10 May 2024?", {"m5"}),
        ("What did we say on 11 May 2024?", set()),
        ("What did we say on 31 April 2024?", set()),
        ("What did we say in 2023?", set()),
        ("What did we say in 2024?", {f"m{month}" for month in range(1, 13)}),
        ("What did we say last month?", {"m11"}),
        ("What did we say at the quay?", set()),
        ("2024年4月说了什么？", {"m4"}),
    ],
)
def test_windows_of_the_asked_time_are_found(year: Memory, query: str, sessions: set[str]) -> None:
    assert by_time(year, query) == sessions


def test_a_month_without_a_year_is_a_cue_and_no_window(year: Memory) -> None:
    assert "time" not in year.ask("What did we say in April?").route


def test_the_filter_holds_in_this_view_too(year: Memory) -> None:
    assert by_time(year, "What did we say in April 2024?", where=Filter(people=("Bob",))) == {"m4"}
    answer = year.ask("What did we say in April 2024?", where=Filter(people=("Bob",)), limit=100)
    assert {one.provenance.speaker for one in answer.results} == {"Bob"}


def test_a_turn_without_a_time_is_found_by_the_window_it_lies_in(memory: Memory) -> None:
    from muniment.model.times import Moment
    from muniment.model.turns import IncomingTurn

    at = Moment(1_712_743_200_000, 0)  # 10 April 2024
    memory.take(
        [
            IncomingTurn("a", "Ann", "It begins.", at, "1"),
            IncomingTurn("a", "Bob", "Nobody dated this.", None, "2"),
            IncomingTurn("a", "Ann", "Much later.", Moment(at.ms + 30 * DAY, 0), "3"),
        ]
    )
    answer = memory.ask("What was said in April 2024?", limit=10)
    assert {one.text for one in (*answer.results, *answer.nearest) if "time" in one.matched_by} == {
        "It begins.",
        "Nobody dated this.",
    }


def test_turns_of_the_time_that_hold_an_asked_word_come_before_the_others(memory: Memory) -> None:
    memory.say(
        "a",
        *(f"Ann: Chatter {n}." for n in range(10)),
        "Bob: The winch broke.",
        *(f"Ann: More {n}." for n in range(10)),
        time="2024-04-10",
    )
    assert memory.found("What broke in April 2024?")[0] == "The winch broke."
