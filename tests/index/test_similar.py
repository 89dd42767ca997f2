"""What is nearly the same is named, and nothing else is."""

from __future__ import annotations

import pytest

from muniment.index import similar
from muniment.index.write import analyse
from muniment.ingest.remember import remember
from muniment.model.writing import RememberRequest
from tests.makers import Memory


def alike(memory: Memory, text: str, subject: str | None = None) -> list[tuple[str, float]]:
    with memory.app.store.read() as connection:
        found = similar.find(connection, memory.place().id, analyse(text, "fact", subject))
    return [(one.record.text, one.similarity) for one in found]


def test_a_statement_with_one_other_word_is_alike(memory: Memory) -> None:
    memory.keep("The booking system runs on PostgreSQL sixteen in Rotterdam.")
    memory.keep("The ferry is late.")
    ((text, share),) = alike(memory, "The booking system runs on PostgreSQL seventeen in Rotterdam.")
    assert text == "The booking system runs on PostgreSQL sixteen in Rotterdam."
    assert similar.LEAST <= share < 1


@pytest.mark.parametrize("text", ["The ferry runs on diesel.", "PostgreSQL", "", "the of and"])
def test_a_word_in_common_is_not_enough(memory: Memory, text: str) -> None:
    memory.keep("The booking system runs on PostgreSQL sixteen in Rotterdam.")
    assert alike(memory, text) == []


def test_subjects_count_on_both_sides(memory: Memory) -> None:
    memory.keep("It leaks.", subject="Diesel pump of the old harbour crane")
    ((_, share),) = alike(memory, "It leaks.", "Diesel pump of the old harbour crane")
    assert share == 1.0


def test_turns_and_what_is_archived_are_not_named(memory: Memory) -> None:
    memory.say("a", "Ann: The booking system runs on PostgreSQL.")
    gone = memory.keep("The booking system runs on PostgreSQL again.")
    memory.archive(gone)
    assert alike(memory, "The booking system runs on PostgreSQL.") == []


def test_another_workspace_is_not_looked_at(memory: Memory) -> None:
    memory.in_("other").keep("The booking system runs on PostgreSQL.")
    assert alike(memory, "The booking system runs on PostgreSQL.") == []


def test_words_that_everybody_uses_are_passed_over(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similar, "HELD_MOST", 4)
    for number in range(6):
        memory.keep(f"Harbour crane report {number}.")
    assert alike(memory, "Harbour crane report.") == []


def test_the_most_alike_come_first_and_no_more_than_five(memory: Memory) -> None:
    for number in range(8):
        memory.keep(f"The yellow harbour crane lifts twenty tonnes of gravel {'today ' * number}{number}.")
    answer = remember(memory.context, RememberRequest(text="The yellow harbour crane lifts twenty tonnes of gravel."))
    assert len(answer.similar) == similar.MOST
    assert [one.similarity for one in answer.similar] == sorted((one.similarity for one in answer.similar), reverse=True)
