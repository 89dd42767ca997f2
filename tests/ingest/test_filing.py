"""Writes that wait: of a caller who is not trusted, many at once, or one against many, are proposals put aside."""

from __future__ import annotations

from typing import Any

import pytest

from muniment.errors import ConfirmationRequired, LimitExceeded, RequestMismatch
from muniment.governance.proposals import AIMED_MOST, BURST_MOST, BURST_MS
from muniment.model.access import Zone
from tests.governance.governing import opened, tell
from tests.governance.proposing import agent, approve, ask, listed
from tests.makers import Memory


@pytest.mark.parametrize("zone", ["shared", "untrusted"])
def test_a_burst_of_writes_of_one_origin_is_put_aside(memory: Memory, zone: Zone) -> None:
    scout = agent(memory, zone=zone)
    for number in range(BURST_MOST):
        assert tell(scout, f"Crane {number} is yellow.").outcome == "applied"
    late = tell(scout, "One more crane.")
    assert (late.outcome, late.ref) == ("quarantined", late.proposal_id)
    assert memory.found("one more crane")[:1] != ["One more crane."]
    (waiting,) = listed(memory.context, "quarantined")
    assert "more than 20 writes came within 10 minutes" in (waiting.reason or "")
    assert tell(agent(memory, "other", zone=zone), "A crane of another.").outcome == "applied"
    assert tell(scout, "Who paints the crane?", op="open_thread").outcome == "quarantined"
    memory.clock.move(BURST_MS + 1)
    assert tell(scout, "A late crane.").outcome == "applied"


@pytest.mark.parametrize("level", ["agent", "operator", "owner"])
def test_who_is_trusted_may_write_as_much_as_there_is(memory: Memory, level: str) -> None:
    scout = agent(memory, level=level)
    for number in range(BURST_MOST + 5):
        assert tell(scout, f"Crane {number} is yellow.").outcome == "applied"


def test_writes_and_proposals_are_one_burst(memory: Memory) -> None:
    scout = agent(memory, zone="shared")
    for number in range(BURST_MOST // 2):
        tell(scout, f"Crane {number} is yellow.")
        assert ask(scout, f"r{number}", f"Mast {number} is blue.").status == "queued"
    assert ask(scout, "late", "One more mast.").status == "quarantined"
    assert tell(scout, "One more crane.").outcome == "quarantined"


def test_what_cannot_wait_is_refused_in_a_burst(memory: Memory) -> None:
    kept = memory.keep("The quay is dry.")
    scout = agent(memory, zone="shared", level="operator")
    for number in range(BURST_MOST):
        tell(scout, f"Crane {number} is yellow.")
    with pytest.raises(LimitExceeded, match="more than 20 writes"):
        tell(scout, op="archive", target=kept, expected_version=1)
    with pytest.raises(LimitExceeded, match="more than 20 writes"):
        tell(scout, "Releases go out on Tuesdays.", kind="policy")
    assert opened(memory, kept).state == "active"


@pytest.mark.parametrize("op", ["update", "supersede", "reject"])
def test_who_changes_many_trusted_records_by_itself_is_put_aside(memory: Memory, op: Any) -> None:
    refs = [memory.keep(f"Crane {number} is yellow.") for number in range(AIMED_MOST + 1)]
    scout = agent(memory, zone="shared", level="operator")
    said = [
        tell(scout, None if op == "reject" else f"Mast {number} is red.", op=op, target=ref, expected_version=1).outcome
        for number, ref in enumerate(refs)
    ]
    assert said == ["applied"] * (AIMED_MOST - 1) + ["quarantined"] * 2
    own = tell(scout, "A mast of its own.")
    assert tell(scout, "Its own mast.", op="update", target=own.ref, expected_version=1).outcome == "applied"


def test_one_write_against_three_trusted_records_is_put_aside(memory: Memory) -> None:
    for text in ("The staging port is 8080.", "Staging port: 8080.", "The port of staging is 8080."):
        memory.keep(text)
    memory.clock.move(1000)
    scout = agent(memory, zone="shared")
    answer = tell(scout, "The staging port is 9999.")
    assert answer.outcome == "quarantined"
    (waiting,) = listed(memory.context, "quarantined")
    assert "says otherwise than 3 trusted records" in (waiting.reason or "")
    assert tell(scout, "The production port is 9999.").outcome == "applied"
    assert tell(memory, "The staging port is 9999.").outcome == "applied"  # the owner knows


def test_a_repeated_write_is_answered_as_the_first_time_on_whichever_way_it_went(memory: Memory) -> None:
    scout = agent(memory, zone="shared")
    first = tell(scout, "Crane 0 is yellow.", request_id="first")
    for number in range(1, BURST_MOST):
        tell(scout, f"Crane {number} is yellow.")
    late = tell(scout, "One more crane.", request_id="late")
    again = tell(scout, "Crane 0 is yellow.", request_id="first")
    assert (again.ref, again.outcome, again.replayed) == (first.ref, "applied", True)
    memory.clock.move(BURST_MS + 1)
    again = tell(scout, "One more crane.", request_id="late")
    assert (again.proposal_id, again.replayed) == (late.proposal_id, True)
    with pytest.raises(RequestMismatch):
        tell(scout, "Another crane.", request_id="late")


def test_what_was_put_aside_is_kept_once_somebody_approves(memory: Memory) -> None:
    scout = agent(memory, zone="shared")
    for number in range(BURST_MOST):
        tell(scout, f"Crane {number} is yellow.")
    late = tell(scout, "The quay is dry.").proposal_id or ""
    with pytest.raises(ConfirmationRequired, match="more than 20 writes") as asked:
        approve(memory, late)
    approve(memory, late, confirm=asked.value.confirm)
    assert memory.found("quay")[:1] == ["The quay is dry."]
