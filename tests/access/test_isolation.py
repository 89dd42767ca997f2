"""Whatever callers with walls ask, in whatever order: nobody is shown a byte of a workspace that they do not reach."""

from __future__ import annotations

import os
from typing import Any

from tests.access.wandering import World, made, step
from tests.makers import Memory

# Over both stores; MUNIMENT_TEST_ISOLATION_STEPS and _SEED ask for more, or for the same again.
STEPS = int(os.environ.get("MUNIMENT_TEST_ISOLATION_STEPS", "10000"))
SEED = int(os.environ.get("MUNIMENT_TEST_ISOLATION_SEED", "20261130"))
WORLDS = 5
WORK_EVERY = 50
# Of a store's calls so many succeed: a test in which everything is refused would prove nothing.
ANSWERED_MIN = 0.3


def test_no_foreign_byte_in_any_answer_error_or_cursor(fresh_worlds: Any) -> None:
    answered = total = 0
    for number in range(WORLDS):
        seed = SEED + number
        world: World = made(fresh_worlds(), seed)
        for count in range(STEPS // 2 // WORLDS):
            fault = step(world)
            assert fault is None, f"seed {seed}, step {count}: {fault}"
            if count % WORK_EVERY == 0:
                world.memory.work()
        answered += sum(counts.get("ok", 0) for counts in world.outcomes.values())
        total += sum(sum(counts.values()) for counts in world.outcomes.values())
    assert answered > ANSWERED_MIN * total
