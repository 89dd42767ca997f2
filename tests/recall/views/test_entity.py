"""Named things: passages that mention what the question names, the rarer the thing the more."""

from __future__ import annotations

from muniment.access import policy
from muniment.model.recalling import RecallRequest
from muniment.recall.recall import see
from muniment.recall.views import entity
from tests.makers import Memory


def named(memory: Memory, query: str) -> list[str]:
    """What the view finds, best first, as the record's places in its session."""
    context = memory.context
    with context.store.read() as connection:
        look = see(context, connection, RecallRequest(query=query), policy.asked(context, connection, None))
        return [str(look.corpus.seq[rank]) for rank in entity.find(look).ranks.tolist()]


def test_who_is_named_is_found_where_they_are_mentioned(memory: Memory) -> None:
    memory.say("a", "Ann: We met Mara Quill at noon.", "Bob: The crane is late.", "Ann: Then Mara Quill left.")
    assert named(memory, "When did Mara Quill leave?") == ["1", "3"]


def test_a_name_in_small_letters_is_known_again(memory: Memory) -> None:
    memory.say("a", "Ann: We met Mara Quill at noon.", "Bob: The crane is late.", "Ann: Fine.")
    assert named(memory, "when did mara quill leave?") == ["1"]


def test_the_rarer_of_two_names_counts_more(memory: Memory) -> None:
    often = [f"Ann: On day {n} Mara Quill came." for n in range(3)]
    rest = [f"Bob: Nothing on day {n}." for n in range(9)]
    memory.say("a", *often, *rest, "Ann: Tom Sander came once.")
    assert named(memory, "Did Mara Quill or Tom Sander come?")[0] == "13"


def test_a_plain_word_that_nearly_everything_mentions_names_nothing(memory: Memory) -> None:
    memory.say("a", *(f"Ann: On day {n} Mara Quill came." for n in range(6)), "Bob: The crane is late.")
    assert named(memory, "did mara quill come?") == []
    assert named(memory, "Did Mara Quill come?") == ["1", "2", "3", "4", "5", "6"]


def test_an_answer_says_that_the_name_found_it(memory: Memory) -> None:
    memory.say("a", "Ann: We met Mara Quill at noon.", "Bob: The crane is late.", "Ann: Fine.")
    first = memory.ask("When did we meet Mara Quill?").results[0]
    assert "entity" in first.matched_by
