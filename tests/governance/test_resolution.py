"""A judged conflict is carried out step by step, and closed only when nobody says otherwise any more."""

from __future__ import annotations

import pytest

from muniment.errors import ConfirmationRequired, InvalidInput, ProtectedTarget, StaleConflict
from muniment.governance.govern import govern
from muniment.model import governing
from muniment.model.governing import GovernRequest, PlannedStep
from tests.governance.disagreeing import NEW, OLD, Bench
from tests.makers import Memory


@pytest.fixture
def bench(memory: Memory) -> Bench:
    return Bench(memory)


def test_a_conflict_is_found_judged_carried_out_and_resolved(bench: Bench) -> None:
    old = bench.memory.keep(OLD)
    bench.memory.clock.move(1000)
    new = bench.memory.keep(NEW)
    counts = bench.scan()
    assert (counts["opened"], counts["complete"]) == (1, 1)
    conflict = bench.only()
    assert conflict.values == ("8080", "8081")
    assert {member.ref: member.quote.quote for member in conflict.members} == {old: OLD, new: NEW}
    judged = bench.choose(conflict, "8081", new, **{old: "append_superseded_context"})
    assert (judged.status, judged.chosen, judged.decider) == ("applying", "8081", "local")
    with pytest.raises(InvalidInput, match="cannot be resolved yet"):
        bench.resolve(judged)
    done = bench.resolve(bench.apply_all(judged))
    assert (done.status, [step.state for step in done.plan]) == ("resolved", ["done", "done"])
    assert {member.ref: member.state for member in done.members} == {old: "superseded", new: "active"}
    assert bench.counts()["conflicts_open"] == bench.counts()["notices_pending"] == 0
    assert bench.scan()["opened"] == 0
