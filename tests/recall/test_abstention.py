"""Abstention: silence where memory holds nothing, and never where it does."""

from __future__ import annotations

import pytest

from muniment.engines.embed import Embedder
from muniment.model.recalling import Filter
from tests.makers import Memory

HARBOUR = (
    "The new crane arrived on Monday and was painted yellow.",
    "Mara Quill is the pilot of the ferry Albatross.",
    "We decided to use PostgreSQL for the booking system.",
    "The diesel pump leaks when it is cold.",
    "My sister visits us every August.",
    "The harbour office opens at seven.",
    "Old nets are kept in the red shed.",
    "Tom broke the winch last spring.",
)


@pytest.fixture
def harbour(memory: Memory) -> Memory:
    for text in HARBOUR:
        memory.keep(text)
    return memory


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("What colour is the new crane?", 0),
        ("Who is the pilot of the Albatross?", 1),
        ("Which database did we choose for the booking system?", 2),
        ("Why does the pump leak?", 3),
        ("When does my sister visit us?", 4),
        ("When does the harbour office open?", 5),
        ("Where do we keep old nets?", 6),
        ("What did Tom break?", 7),
        ("Mara Quill", 1),
        ("winch", 7),
    ],
)
def test_what_is_stored_is_not_withheld(harbour: Memory, query: str, first: int) -> None:
    answer = harbour.ask(query)
    assert not answer.abstained
    assert answer.results[0].text == HARBOUR[first]


@pytest.mark.parametrize(
    ("query", "missing"),
    [
        ("Where does Bartholomew live?", ("Bartholomew",)),
        ("What did Tom say about quantum chromodynamics?", ("quantum", "chromodynamics")),
        ("Which xylophones are cheapest?", ("xylophones", "cheapest")),
        ("Zanzibar", ("Zanzibar",)),
    ],
)
def test_what_is_not_stored_is_said_to_be_missing(harbour: Memory, query: str, missing: tuple[str, ...]) -> None:
    answer = harbour.ask(query)
    assert answer.abstained
    assert answer.results == ()
    assert answer.strength == "none"
    assert answer.missing == missing


def test_what_came_closest_is_shown_apart(harbour: Memory) -> None:
    answer = harbour.ask("Is Bartholomew the pilot of the ferry?")
    assert answer.abstained
    assert answer.nearest[0].text == HARBOUR[1]


def test_an_unknown_name_withholds_what_merely_shares_words(harbour: Memory) -> None:
    assert harbour.ask("Is Bartholomew the pilot of the ferry?").missing == ("Bartholomew",)
    assert not harbour.ask("Is Mara the pilot of the ferry?").abstained


def test_an_empty_memory_abstains(memory: Memory) -> None:
    answer = memory.ask("Is anything here?")
    assert answer.abstained
    assert answer.nearest == ()


def test_a_speaker_is_no_unknown_name(memory: Memory) -> None:
    memory.say("a", "Bartholomew: The winch is broken.")
    assert not memory.ask("What did Bartholomew say about the winch?").abstained


def test_a_filter_that_leaves_nothing_abstains(harbour: Memory) -> None:
    assert harbour.ask("What colour is the new crane?", where=Filter(kind=("decision",))).abstained


def test_a_question_for_a_time_is_answered_by_what_was_said_then(memory: Memory) -> None:
    memory.say("a", "Ann: The crane is yellow.", "Bob: I like it.", time="2024-04-10")
    memory.say("b", "Ann: The nets are old.", "Bob: They are.", time="2024-06-20")
    answer = memory.ask("What happened in April 2024?")
    assert not answer.abstained
    assert {one.provenance.session for one in answer.results[:2]} == {"a"}
    assert memory.ask("What happened in April 2019?").abstained


def test_words_everybody_says_still_anchor_in_a_small_memory(memory: Memory) -> None:
    for month in range(1, 7):
        memory.say(f"s{month}", "Ann: We painted the boat again.", time=f"2024-0{month}-10")
    assert not memory.ask("When did we paint the boat in April 2024?").abstained


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("When does the harbour office open?", 0),
        ("Where does Zhang Wei work?", 1),
        ("What is the dog's name?", 2),
    ],
)
def test_a_question_in_another_language_is_not_withheld(memory: Memory, meaning: Embedder, query: str, place: int) -> None:
    texts = (
        "港务局早上七点开门。",
        "张伟在医院当医生。",
        "我们的狗叫旺财。",
        "昨天下了很大的雨。",
        "新的起重机是黄色的。",
        "他喜欢喝绿茶。",
    )
    memory = memory.embed_with(meaning)
    for text in texts:
        memory.keep(text)
    memory.work()
    answer = memory.ask(query)
    assert not answer.abstained
    assert texts[place] in [one.text for one in answer.results[:3]]


def test_an_unknown_name_is_missing_in_the_language_of_the_store_with_meaning_too(harbour: Memory, meaning: Embedder) -> None:
    memory = harbour.embed_with(meaning)
    memory.work()
    assert memory.ask("Where does Bartholomew live?").missing == ("Bartholomew",)
    assert not memory.ask("fuel machine dripping in winter").abstained
