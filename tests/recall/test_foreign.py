"""A fact that is told of others, and never of the one that is asked about, is not answered with theirs."""

from __future__ import annotations

import pytest

from tests.makers import Memory

PEOPLE = ("Ada", "Bruno", "Carla", "Dmitri")


@pytest.fixture
def told(memory: Memory) -> Memory:
    """Four projects with an owner and a deadline each, told by people who talk of other things too."""
    for number, project in enumerate(("Atlas", "Borealis", "Cascade", "Dynamo")):
        first, second = PEOPLE[number], PEOPLE[(number + 1) % 4]
        memory.say(
            f"s{number}",
            f"{first}: The owner of {project} is {second}.",
            f"{second}: The deadline of {project} is {number + 2} May.",
            f"{first}: I made coffee for all of us.",
            time="2026-01-05T10:00:00Z",
        )
    memory.say("t", "Ada: We looked at nine tickets for Ember.", "Carla: Ember was on the agenda again.")
    return memory


def test_a_fact_that_was_told_is_answered(told: Memory) -> None:
    answer = told.ask("Who is the owner of Cascade?")
    assert not answer.abstained
    assert answer.results[0].text == "The owner of Cascade is Dmitri."


@pytest.mark.parametrize("question", ["Who is the owner of Ember?", "What is the deadline of Ember?"])
def test_what_was_only_told_of_others_is_not_known_of_this_one(told: Memory, question: str) -> None:
    assert told.ask(question).abstained


def test_a_property_that_nobody_spoke_of_is_named_as_missing(told: Memory) -> None:
    answer = told.ask("What is the licence of Atlas?")
    assert answer.abstained
    assert answer.missing == ("licence",)


def test_among_two_people_nothing_is_concluded_from_what_is_told_of_others(memory: Memory) -> None:
    memory.say("a", "Ada: My sister Greta lives in Porto.", "Bruno: Nice.", "Ada: My uncle Emil lives in Graz.", "Bruno: Ah.")
    memory.say("b", "Ada: My brother Otto lives in Riga.", "Bruno: Far away.", "Ada: My cousin Ida lives in Bergen.")
    memory.say("c", "Ada: And you?", "Bruno: Ghent, since May.")
    assert not memory.ask("Where does Bruno live?").abstained
    memory.say("d", "Carla: Good morning.")
    assert memory.ask("Where does Bruno live?").abstained


def test_an_identifier_anchors_a_question_by_itself(memory: Memory) -> None:
    memory.say("a", "Ada: BERTH_LIMIT stands in limits.toml.", "Bruno: Good.", "Carla: I have not seen that one.")
    assert not memory.ask("Where is BERTH_LIMIT defined?").abstained
