"""Passages that speak of somebody: not those in which he is only called by name."""

from __future__ import annotations

from muniment.access import policy
from muniment.model.recalling import RecallRequest
from muniment.recall.recall import see
from muniment.recall.views import about
from muniment.store import records
from tests.makers import Memory


def said_of(memory: Memory, question: str) -> list[str]:
    """The texts that the view finds, best first."""
    context = memory.context
    with context.store.read() as connection:
        places = policy.asked(context, connection, None)
        look = see(context, connection, RecallRequest(question), places)
        found = about.find(look)
        numbers = look.corpus.record[found.ranks].tolist()
        held = records.by_id(connection, look.corpus.workspaces[0], numbers)
    return [held[number].text for number in numbers]


def test_who_is_not_there_is_spoken_of_and_who_takes_part_is_called(memory: Memory) -> None:
    memory.say("a", "Ada: Greta moved to Bergen in spring.", "Bruno: That is far away.")
    memory.say("b", "Greta: I am tired.", "Ada: Greta, sit down and rest.")
    assert said_of(memory, "Where does Greta live?") == ["Greta moved to Bergen in spring."]


def test_a_name_that_nobody_bears_is_found_wherever_it_stands(memory: Memory) -> None:
    memory.say("a", "Ada: Lantern is due on 3 May.", "Bruno: Then we test Lantern on Monday.", "Ada: The canteen is closed.")
    assert set(said_of(memory, "When is Lantern due?")) == {"Lantern is due on 3 May.", "Then we test Lantern on Monday."}


def test_what_holds_more_of_the_other_words_comes_first(memory: Memory) -> None:
    memory.say("a", "Ada: Lantern again.", "Bruno: The budget of Lantern is 40k.", "Ada: Let us eat.")
    assert said_of(memory, "What is the budget of Lantern?")[0] == "The budget of Lantern is 40k."


def test_a_question_without_names_asks_about_nobody(memory: Memory) -> None:
    memory.say("a", "Ada: The canteen is closed.")
    assert said_of(memory, "when is the canteen open?") == []
