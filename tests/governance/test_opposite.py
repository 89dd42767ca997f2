"""Records that replace each other in turn: whatever is undone, and in whatever order, one of them stands."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.errors import InvalidInput
from muniment.governance import proof
from muniment.model.governing import Restore, Retire, Undo
from tests.governance.governing import decide, opened, record
from tests.makers import Memory

PORTS = ("The staging port is 8080.", "The staging port is 8081.", "The staging port is 8082.")
STANDING = ("state", "superseded_by", "supersede_why", "valid_to", "retired_at")


def replaced(memory: Memory, old: str, heir: str, how: str = "correction") -> str:
    return decide(memory, Retire("retire", old, 1, heir, how)).action or ""  # type: ignore[arg-type]


def restored(memory: Memory, ref: str) -> str:
    return decide(memory, Restore("restore", ref, 1)).action or ""


def undo(memory: Memory, action: str) -> None:
    decide(memory, Undo("undo", action))


def standing(memory: Memory, refs: Sequence[str]) -> list[tuple[object, ...]]:
    return [tuple(getattr(record(memory, ref), name) for name in STANDING) for ref in refs]


def sound(memory: Memory, refs: Sequence[str]) -> bool:
    """Whether every replaced record leads to one that stands, by the heirs that a reader follows."""
    held = {ref: opened(memory, ref) for ref in refs}
    for ref in refs:
        seen = set()
        while held[ref].state == "superseded" and ref not in seen:
            seen.add(ref)
            ref = held[ref].superseded_by or ""
        if held[ref].state != "active":
            return False
    return True


@pytest.mark.parametrize("how", ["change", "correction"])
@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_two_that_replaced_each_other_never_both_fall(memory: Memory, order: tuple[int, ...], how: str) -> None:
    one, two = (memory.keep(text) for text in PORTS[:2])
    before = standing(memory, (one, two))
    memory.clock.move(1000)
    made = [replaced(memory, two, one, how)]
    memory.clock.move(1000)
    made.append(restored(memory, two))
    memory.clock.move(1000)
    made.append(replaced(memory, one, two, how))
    assert (record(memory, one).state, record(memory, two).state) == ("superseded", "active")
    for number in order:
        undo(memory, made[number])
        assert sound(memory, (one, two))
    assert standing(memory, (one, two)) == before


def test_who_replaced_last_stands_when_the_return_in_between_is_undone(memory: Memory) -> None:
    one, two = (memory.keep(text) for text in PORTS[:2])
    first = replaced(memory, two, one)
    back = restored(memory, two)
    last = replaced(memory, one, two)
    undo(memory, back)
    assert (record(memory, one).state, record(memory, two).state) == ("superseded", "active")
    assert record(memory, two).retired_at is None
    assert memory.found("Which port is staging?")[0] == PORTS[1]
    undo(memory, last)  # now the first one is the last that was said
    assert (record(memory, one).state, record(memory, two).state) == ("active", "superseded")
    undo(memory, first)
    assert (record(memory, one).state, record(memory, two).state) == ("active", "active")


def act(memory: Memory, deeds: Sequence[tuple[int, int, str]]) -> tuple[list[str], list[str]]:
    """Replace and bring back as far as that may be done; answers the records and the actions."""
    refs, made = [memory.keep(text) for text in PORTS], []
    for old, heir, how in deeds:
        memory.clock.move(1000)
        try:
            if old == heir:
                made.append(restored(memory, refs[old]))
            else:
                made.append(replaced(memory, refs[old], refs[heir], how))
        except (InvalidInput, pytest.fail.Exception):
            continue
    return refs, made


DEED = st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from(("change", "correction")))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(DEED, min_size=3, max_size=14), st.randoms(use_true_random=False))
def test_what_stands_depends_on_what_was_undone_and_not_on_the_order(
    fresh: Callable[[], Memory], deeds: list[tuple[int, int, str]], draw: random.Random
) -> None:
    seen = []
    gone: list[int] | None = None
    for _ in range(2):
        memory = fresh()
        refs, made = act(memory, deeds)
        before = standing(memory, refs)
        gone = sorted(draw.sample(range(len(made)), draw.randint(0, len(made)))) if gone is None else gone
        draw.shuffle(gone)
        for number in gone:
            undo(memory, made[number])
            assert sound(memory, refs)
        seen.append(standing(memory, refs))
        assert gone or seen[-1] == before
    assert seen[0] == seen[1]


@pytest.mark.parametrize("seed", range(4))
def test_three_that_replace_each_other_at_random_leave_one_and_come_back_whole(memory: Memory, seed: int) -> None:
    draw = random.Random(seed)
    deeds = [(draw.randrange(3), draw.randrange(3), draw.choice(("change", "correction"))) for _ in range(40)]
    refs, made = act(memory, deeds)
    assert len(made) > 6
    draw.shuffle(made)
    for action in made:
        undo(memory, action)
        assert sound(memory, refs)
    assert {one[0] for one in standing(memory, refs)} == {"active"}
    assert {one[1:] for one in standing(memory, refs)} == {(None, None, None, None)}
    with memory.app.store.read() as connection:
        assert list(proof.drift(connection, memory.place().id)) == []
