"""A foreign record never changes a count, a rank, a cursor, a score or an error: answers are equal to the byte."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from muniment.access.cursors import CURSOR_KEY
from muniment.model.recalling import RecallRequest
from muniment.recall.recall import recall
from muniment.surfaces.catalogue import named
from tests.access.wandering import CANARIES, World, admitted, asked, furnish, learn, request
from tests.makers import Clock, Deed, Doer, Entropy, HashedWords, Memory

OWN, FOREIGN = f"{CANARIES[0]}-project", "other-project"
SEEDS = (1, 2, 3)
ROUNDS, STEPS, DEEDS = 12, 10, 4
LEVELS = ("agent", "operator", "owner", "admin")
SMALL, PARTS = 30, 10
READS = ("recall", "search", "fetch", "read", "get_context", "near", "why", "list_projects", "stats", "search_memory", "review")


def world_of(memory: Memory, seed: int) -> World:
    """A store whose only workspace belongs to callers who see nothing else."""
    own = replace(memory, clock=Clock(), entropy=Entropy(), numbers=itertools.count())
    with own.app.store.write() as connection:
        connection.run("meta_set", {"key": CURSOR_KEY, "value": "00" * 32})
    world = World(own.embed_with(HashedWords()), random.Random(seed))
    furnish(world, world.memory.in_(OWN), CANARIES[0])
    world.memory.work()
    walls = {"read": (OWN,), "write": (OWN,), "default_workspace": OWN}
    world.callers = [admitted(world, f"caller {level}", level=level, **walls) for level in LEVELS]
    return world


def stranger(world: World) -> Memory:
    """A foreign workspace in the same store, with a clock and an entropy of its own."""
    there = replace(world.memory, clock=Clock(), entropy=Entropy(), numbers=itertools.count())
    there.entropy._numbers = itertools.count(10**6)
    return there.in_(FOREIGN)


def deeds(dice: random.Random, count: int) -> list[Deed]:
    acts = ("say", "keep", "keep", "change", "archive")
    return [(dice.choice(acts), dice.randrange(40), dice.randrange(40)) for _ in range(count)]


def told(answer: Any) -> str:
    """An answer to the byte, but for how long it took."""
    return json.dumps(answer, default=str).replace(json.dumps({"took_ms": _took(answer)})[1:-1], "")


def _took(answer: Any) -> Any:
    return answer.get("meta", {}).get("took_ms") if isinstance(answer, dict) else None


@pytest.mark.parametrize("seed", SEEDS)
def test_every_answer_is_that_of_a_store_without_the_foreign_workspace(fresh: Callable[[], Memory], seed: int) -> None:
    alone, beside = world_of(fresh(), seed), world_of(fresh(), seed)
    other = stranger(beside)
    doer, dice = Doer(other), random.Random(-seed)
    compared = 0
    for _ in range(ROUNDS):
        for _ in range(STEPS):
            number = dice.randrange(len(alone.callers))
            operation, values = request(alone, alone.callers[number])
            answers = []
            for world in (alone, beside):
                world.memory.clock.move(1000)
                answers.append(asked(world.context(world.callers[number]), operation, values))
            assert told(answers[0][1]) == told(answers[1][1]), f"seed {seed}: {operation.name} {values}"
            learn(alone, answers[0][1])
            compared += answers[0][0] == "ok"
        for world in (alone, beside):
            world.memory.work()
        doer.do(deeds(dice, DEEDS))
        other.work()
    assert compared > ROUNDS * STEPS / 4


def test_what_is_asked_is_answered_alike_before_and_after_a_foreign_workspace_is_filled(memory: Memory) -> None:
    world = world_of(memory, 7)
    caller = world.callers[-1]
    for name in ("recall", "review", "get_context"):
        operation = named(name)
        assert operation is not None
        learn(world, asked(world.context(caller), operation, {"do": {"verb": "audit"}} if name == "review" else {})[1])
    drawn = [one for one in (request(world, caller) for _ in range(400)) if one[0].name in READS]
    before = [told(asked(world.context(caller), operation, values)[1]) for operation, values in drawn]
    assert before == [told(asked(world.context(caller), operation, values)[1]) for operation, values in drawn]
    other = stranger(world)
    Doer(other).do(deeds(random.Random(7), 40))
    furnish(world, other, "")
    other.work()
    after = [told(asked(world.context(caller), operation, values)[1]) for operation, values in drawn]
    assert before == after
    assert len(drawn) > 100


def test_one_percent_of_a_store_gets_its_full_number_from_every_view(memory: Memory) -> None:
    """What lies in other workspaces takes no place among the candidates: every view finds as many as before they were there."""
    world = world_of(memory, 11)
    own = replace(world.memory, workspace=OWN)
    lines = [
        f"{('Ann', 'Bob')[number % 2]}: The crane number {number} repairs the anchor of Holm Yard." for number in range(SMALL)
    ]
    own.say("cranes", *lines, time="2024-03-01T10:00:00Z")
    own.work()
    context = world.context(world.callers[-1])
    questions = (
        "Which crane repairs the anchor of Holm Yard?",
        "What did Ann say about the crane in March 2024?",
        "rane numbe",
    )

    def found() -> list[tuple[int, list[tuple[str, int]]]]:
        answers = [recall(context, RecallRequest(text, limit=SMALL, trace=True)) for text in questions]
        views = [[(view["view"], view["found"]) for view in (answer.trace or {})["views"]] for answer in answers]
        return [(len(answer.results), view) for answer, view in zip(answers, views, strict=True)]

    before = found()
    other = stranger(world)
    for part in range(PARTS):
        more = [f"{line} {part}" for line in lines for _ in range(100 // PARTS)]
        other.say(f"cranes {part}", *more, time="2024-03-01T10:00:00Z")
    other.work()
    assert found() == before
    assert {view for _, views in before for view, _ in views} >= {"lexical", "dense", "substring", "entity", "time"}
    assert max(count for count, _ in before) == SMALL
