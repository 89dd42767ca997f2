"""Whatever callers with walls ask, in whatever order: nobody is shown a byte of a workspace that they do not reach."""

from __future__ import annotations

import os

import pytest

from muniment.surfaces.catalogue import OPERATIONS
from tests.access.wandering import made, step
from tests.makers import Memory

# Over both stores. MUNIMENT_TEST_ISOLATION_STEPS asks for more of them, MUNIMENT_TEST_ISOLATION_SEED for the same again.
STEPS = int(os.environ.get("MUNIMENT_TEST_ISOLATION_STEPS", "10000"))
SEED = int(os.environ.get("MUNIMENT_TEST_ISOLATION_SEED", "20261130"))
WORLDS = 5
WORK_EVERY = 50
# So many calls succeed, for a test in which everything is refused would prove nothing.
ANSWERED_MIN = 0.3
TRIED_MIN = 0.5


@pytest.mark.parametrize("number", range(WORLDS))
def test_no_foreign_byte_in_any_answer_error_or_cursor(memory: Memory, number: int) -> None:
    seed = SEED + number
    world = made(memory, seed)
    steps = STEPS // 2 // WORLDS
    for count in range(steps):
        fault = step(world)
        assert fault is None, f"seed {seed}, step {count}: {fault}"
        if count % WORK_EVERY == 0:
            world.memory.work()
    outcomes = world.outcomes.values()
    tried = sum(sum(counts.values()) for counts in outcomes)
    assert tried > TRIED_MIN * steps
    assert sum(counts.get("ok", 0) for counts in outcomes) > ANSWERED_MIN * tried
    if steps >= 1000:
        assert set(world.outcomes) == {operation.name for operation in OPERATIONS}
