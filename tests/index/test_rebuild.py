"""A rebuilt index gives the answers it gave before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import HealthCheck, given, settings

from muniment.index.rebuild import rebuild
from muniment.model.recalling import Meta, RecallAnswer, RecallRequest
from muniment.recall.recall import recall
from tests.makers import Deed, Doer, HashedWords, Memory, histories

QUESTIONS = (
    "Where is the anchor?",
    "What did Ann say about the crane and the diesel?",
    "ledger mast",
    "tide?",
    "What is new now?",
)


def answers(memory: Memory) -> list[RecallAnswer]:
    found = [recall(memory.context, RecallRequest(query=query, limit=50, around=2)) for query in (*QUESTIONS, "")]
    return [replace(one, meta=Meta(), cursor=None) for one in found]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=histories())
def test_answers_are_the_same_before_and_after(fresh: Callable[[], Memory], deeds: list[Deed]) -> None:
    memory = fresh()
    Doer(memory).do(deeds)
    other = memory.elsewhere()
    before = answers(memory)
    assert answers(other) == before
    rebuild(memory.context, memory.place())
    assert answers(memory) == before
    assert answers(other) == before  # a process that held the old index
    assert answers(memory.elsewhere()) == before


def test_a_rebuilt_index_goes_on_growing(memory: Memory) -> None:
    memory.say("a", "Ann: The anchor is heavy.", "Bob: Yes.")
    kept = memory.keep("The crane is new.")
    gone = memory.keep("The mast is broken.")
    memory.archive(gone)
    assert rebuild(memory.context, memory.place()) == 4
    memory.say("a", "Ann: The diesel is cheap.")
    memory.change(kept, "The crane is old.")
    memory.restore(gone)
    assert memory.found("Which crane?")[0] == "The crane is old."
    assert memory.found("What about the mast?")[0] == "The mast is broken."
    assert memory.found("Is the diesel cheap?")[0] == "The diesel is cheap."
    assert memory.ask("").total == 5


def test_meaning_comes_back_with_the_worker(memory: Memory) -> None:
    memory = memory.embed_with(HashedWords())
    memory.say("a", *(f"Ann: The {word} is here." for word in ("anchor", "crane", "diesel", "engine", "fog", "gate")))
    memory.work()
    before = answers(memory)
    rebuild(memory.context, memory.place())
    assert memory.work().left == 0
    assert answers(memory) == before


def test_an_empty_workspace_is_rebuilt_to_an_empty_one(memory: Memory) -> None:
    assert rebuild(memory.context, memory.place()) == 0
    assert memory.ask("anything?").abstained


def test_progress_hears_of_every_record(memory: Memory) -> None:
    memory.say("a", *(f"Ann: turn {number}" for number in range(5)))
    heard: list[int] = []
    assert rebuild(memory.context, memory.place(), heard.append) == 5
    assert sum(heard) == 5
