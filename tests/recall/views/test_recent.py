"""The newest turns take part only where a question asks about now, and never past a filter."""

from __future__ import annotations

from muniment.model.recalling import Filter
from tests.makers import Memory


def test_a_question_about_now_asks_the_newest(memory: Memory) -> None:
    memory.say("a", "Ann: The gate code is 1.", time="2024-01-01")
    assert "recent" in memory.ask("What is the gate code now?").route
    assert "recent" not in memory.ask("What is the gate code?").route
    assert "recent" not in memory.ask("What was the gate code before, not the current one?").route


def test_the_newest_never_pass_a_filter(memory: Memory) -> None:
    for number in range(60):
        memory.say(f"s{number}", f"Ann: Turn {number} is about the weather.", time="2024-05-01")
    memory.keep("The current captain is Mara.")
    answer = memory.ask("Who is the current captain now?", where=Filter(kind=("fact",)), limit=100)
    assert {one.kind for one in (*answer.results, *answer.nearest)} == {"fact"}


def test_at_equal_words_the_newer_turn_comes_first_for_now(memory: Memory) -> None:
    memory.say("a", "Ann: The harbour fee is 40.", time="2023-01-01")
    memory.say("b", "Ann: The harbour fee is 55.", time="2024-01-01")
    assert memory.found("What is the current harbour fee?")[0] == "The harbour fee is 55."
