"""What waits is counted and listed, within one workspace."""

from __future__ import annotations

from muniment.model import reviewing
from tests.governance.disagreeing import NEW, OLD, Bench
from tests.makers import Memory
from tests.stores import past


def test_everything_that_waits_is_counted(memory: Memory) -> None:
    bench = Bench(memory)
    empty = bench.counts()
    assert set(empty.values()) == {0}
    memory.keep(OLD)
    memory.keep(NEW)
    memory.work()
    counts = bench.counts()
    assert (counts["conflicts_open"], counts["notices_pending"], counts["scan_required"]) == (1, 1, 1)
    bench.scan()
    assert bench.counts()["scan_required"] == 0
    other = Bench(memory.in_("other"))
    assert set(other.counts().values()) == {0}


def test_everything_that_waits_is_listed(memory: Memory) -> None:
    bench = Bench(memory)
    for number in range(3):
        memory.keep(f"The crane{number} height is 30.")
        memory.keep(f"The crane{number} height is 31.")
    bench.scan()
    bench.judge(bench.conflicts()[0], "not_a_conflict")
    answer = bench.look(reviewing.Queue("queue", 2))
    assert len(answer.conflicts) == 2
    assert answer.proposals == answer.candidates == ()
    other = Bench(memory.in_("other"))
    assert other.look(reviewing.Queue("queue")).conflicts == ()


def test_a_proposal_that_waits_is_listed_and_counted(memory: Memory) -> None:
    bench, place = Bench(memory), memory.place()
    with past(memory.app.store) as execute:
        execute(
            "INSERT INTO proposal (workspace, id, uid, principal, request_id, payload_hash, op, kind, text, evidence, taint,"
            f" trust, zone, state, at) VALUES ({place.id}, 900, '{memory.context.uid()}', {memory.app.principal}, 'r', 'h',"
            " 'add_fact', 'fact', 'The quay is dry.', '[]', 2, 0.4, 'untrusted', 'quarantined', 1)"
        )
    (found,) = bench.look(reviewing.Queue("queue")).proposals
    assert (found.text, found.state, found.taint, found.by) == ("The quay is dry.", "quarantined", 2, "local")
    assert bench.counts()["proposals_quarantined"] == 1
