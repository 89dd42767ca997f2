"""Muniment is driven through its public operations, and its answers come back as the ids that the data set gave."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from muniment.errors import InvalidInput
from muniment.evaluation import subject
from muniment.evaluation.collections import Collection, Item, Question
from muniment.evaluation.subject import Muniment


def said(count: int, session: str = "s", text: str = "The lamp number {} hangs in hall {}.") -> tuple[Item, ...]:
    return tuple(Item(f"{session}-{n}", text.format(n, n), "Ann", session, "2026-01-02T10:00:00") for n in range(count))


def collection(*items: Item) -> Collection:
    return Collection("c", "f.json", "", items, ())


@pytest.fixture
def muniment() -> Iterator[Muniment]:
    made = Muniment("none")
    yield made
    made.close()


def ask(muniment: Muniment, text: str, now: str | None = None) -> tuple[str, ...]:
    return muniment.ask(Question("q", text, (), "", now=now), 5).ids


def test_every_item_can_be_named_even_where_one_session_takes_many_calls(muniment: Muniment) -> None:
    muniment.keep(collection(*said(subject.TURNS_A_CALL * 2 + 5)))
    for number in (0, 137, 204):
        assert ask(muniment, f"Which hall has lamp number {number}?")[0] == f"s-{number}"


def test_a_note_is_part_of_the_text(muniment: Muniment) -> None:
    muniment.keep(
        collection(Item("a", "Look at this!", "Ann", "1", note="a red kayak on a lake"), Item("b", "Nice.", "Bo", "1"))
    )
    assert ask(muniment, "Who has a kayak?")[0] == "a"


def test_a_text_without_a_speaker_is_kept_as_a_document(muniment: Muniment) -> None:
    muniment.keep(collection(Item("p1", "The bridge was built in 1932."), Item("p2", "Whales breathe air.")))
    assert ask(muniment, "When was the bridge built?")[0] == "p1"


def test_an_item_that_is_refused_does_not_shift_the_others(muniment: Muniment) -> None:
    muniment.keep(collection(Item("a", " ", "Ann", "s"), Item("b", "The oven is green.", "Ann", "s")))
    assert ask(muniment, "Which colour is the oven?") == ("b",)


def test_equal_texts_are_both_named(muniment: Muniment) -> None:
    twice = (Item("a", "The oven is green.", "Ann", "1"), Item("b", "The oven is green.", "Ann", "2"))
    muniment.keep(collection(*twice))
    assert set(ask(muniment, "Which colour is the oven?")) == {"a", "b"}


def test_a_question_with_a_moment_hears_only_what_was_said_before_it(muniment: Muniment) -> None:
    early = Item("early", "The port is 8080.", "Ann", "1", "2026-01-01T10:00:00")
    late = Item("late", "The port is 8471.", "Ann", "2", "2026-06-01T10:00:00")
    muniment.keep(collection(early, late))
    assert ask(muniment, "What is the port?", "2026-02-01T00:00:00") == ("early",)


def test_one_collection_never_answers_for_another(muniment: Muniment) -> None:
    muniment.keep(collection(Item("a", "The colour of the oven is green.", "Ann", "s")))
    muniment.keep(collection(Item("b", "That oven, which I cleaned all morning, looks blue.", "Ann", "s")))
    assert muniment.ask(Question("q", "Which colour is the oven?", (), ""), 1).ids == ("b",)


def test_an_embedder_that_is_not_known_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no embedder"):
        Muniment("other")
