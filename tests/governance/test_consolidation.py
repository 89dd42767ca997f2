"""Each accepted proposal has its effect exactly once, in order, whoever races and whatever is killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from muniment.app import App, open_app
from muniment.errors import InvalidInput, StaleVersion, StoreBusy
from muniment.governance import consolidation, ledger, proposals
from muniment.ingest.remember import remember
from muniment.model.governing import Approve
from muniment.model.reviewing import Lineage
from muniment.model.writing import RememberRequest
from muniment.store import proposals as stored
from muniment.store import records
from tests.governance.forgetting import done
from tests.governance.governing import decide, look
from tests.governance.proposing import accept, agent, approve, ask, listed, opened, rests_on, rule, state, taint
from tests.ingest.writing import inconsistencies, place
from tests.makers import Memory
from tests.stores import at

KILLS = 50
FILED = 200
# Files and consolidates until it is killed; the request ids are the same for every process, so all take up each other's work.
PROGRAM = """
import sys
from dataclasses import replace
from muniment.app import open_app
from muniment.governance import consolidation, proposals
from muniment.model.governing import Change, ProposeRequest
from muniment.settings import load
from muniment.store import workspaces
app = open_app(load({"store": sys.argv[1]}, {"MUNIMENT_CONFIG": sys.argv[2]}))
real, number = app.context(), 0
# A minute between proposals, so that they are no burst.
context = replace(real, clock=lambda: real.now() + 60_000 * number)
with app.store.read() as connection:
    place = workspaces.by_slug(connection, "inbox")
consolidation.consolidate(context, place)
for number in range(int(sys.argv[3])):
    proposals.propose(context, ProposeRequest("inbox", f"r{number}", Change("add_fact", f"Berth {number} has crane {number}.")))
    with app.store.read() as connection:
        if not consolidation.stored.queued(connection, place.id, 0, 1):
            continue
    print("consolidating", flush=True)
    consolidation.consolidate(context, place)
print("done", flush=True)
"""


def test_the_worker_applies_what_was_accepted_in_the_order_of_acceptance(memory: Memory) -> None:
    scout = agent(memory)
    first, second, third = (ask(scout, f"{n}", f"Crane {n} is yellow.").proposal_id for n in range(3))
    accept(memory, third, first)
    assert memory.found("crane") == []
    memory.work()
    assert [state(memory, ref) for ref in (first, second, third)] == ["applied", "queued", "applied"]
    with memory.context.store.read() as connection:
        made = [stored.by_uid(connection, ref[2:]) for ref in (third, first)]
    assert made[0] is not None
    assert made[1] is not None
    assert (made[0].action or 0) < (made[1].action or 0)


def test_publishing_moves_the_watermark_and_the_time_together(memory: Memory) -> None:
    here = memory.place()
    ref = ask(agent(memory), "1", "The crane is yellow.").proposal_id
    with memory.context.store.read() as connection:
        assert stored.published(connection, here.id).compiled_at is None
    accept(memory, ref)
    with memory.context.store.read() as connection:
        assert stored.published(connection, here.id).behind_since == memory.clock.now
    memory.clock.move(5000)
    assert consolidation.consolidate(memory.context, here) == consolidation.Consolidated(applied=1)
    with memory.context.store.read() as connection:
        published, mark = stored.published(connection, here.id), stored.watermark(connection, here.id)
        one = stored.by_uid(connection, ref[2:])
    assert (published.compiled_at, published.behind_since) == (memory.clock.now, None)
    assert one is not None
    assert mark == one.ordinal
    assert consolidation.consolidate(memory.context, here) == consolidation.Consolidated()


def test_what_turns_out_impossible_is_refused_and_does_not_stop_the_rest(memory: Memory) -> None:
    scout = agent(memory)
    kept, base = memory.keep("The port is 8080."), memory.keep("The log names port 8081.")
    moved = ask(scout, "1", "The port is 8081.", "update_fact", target=kept).proposal_id
    based = ask(scout, "2", "The mast is red.", evidence=rests_on(base)).proposal_id
    twin = ask(scout, "3", "The keel is blue.", "update_fact", target=memory.keep("The keel is red.")).proposal_id
    good = ask(scout, "4", "The oar is green.").proposal_id
    accept(memory, moved, based, twin, good)
    memory.change(kept, "The port is 9090.")
    memory.keep("The keel is blue.")
    context = memory.context
    remember(context, RememberRequest(op="reject", target=base, expected_version=1))
    done = consolidation.consolidate(context, memory.place())
    assert (done.applied, done.refused) == (1, 3)
    assert [state(memory, ref) for ref in (moved, based, twin, good)] == ["stale", "stale", "rejected", "applied"]
    reasons = {one.ref: one.reason or "" for one in (*listed(context, "stale"), *listed(context, "rejected"))}
    assert "at version 2" in reasons[moved]
    assert "rejected since" in reasons[based]
    assert "says exactly this already" in reasons[twin]
    assert opened(memory, kept).text == "The port is 9090."


def test_what_became_contaminated_after_it_was_accepted_is_looked_at_again(memory: Memory) -> None:
    base = memory.keep("The log is here.")
    ref = ask(agent(memory), "1", "The mast is red.", evidence=rests_on(base)).proposal_id
    accept(memory, ref)
    taint(memory, 2)
    consolidation.consolidate(memory.context, memory.place())
    assert state(memory, ref) == "stale"


def test_racing_consolidators_apply_each_proposal_once(memory: Memory) -> None:
    scout = agent(memory)
    refs = [ask(scout, f"{n}", f"Berth {n} has crane {n}.").proposal_id for n in range(12)]
    accept(memory, *refs)
    gate, done, here = threading.Barrier(4), [], memory.place()

    def run() -> None:
        gate.wait()
        done.append(consolidation.consolidate(memory.context, here).applied)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sum(done) == 12
    assert once(memory.app, 12) == []


def test_old_proposals_expire_without_anybody_asking(memory: Memory) -> None:
    ref = ask(agent(memory), "1", "The crane is yellow.").proposal_id
    memory.clock.move(proposals.EXPIRES_MS)
    memory.work()
    assert state(memory, ref) == "queued"
    memory.clock.move(1)
    memory.work()
    assert state(memory, ref) == "expired"


def test_a_fault_between_effect_and_watermark_leaves_neither(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = ask(agent(memory), "1", "The crane is yellow.").proposal_id
    accept(memory, ref)

    def fail(*_: object) -> None:
        raise StoreBusy("The disk is away.")

    monkeypatch.setattr(stored, "advance", fail)
    with pytest.raises(StoreBusy):
        consolidation.consolidate(memory.context, memory.place())
    assert state(memory, ref) == "accepted"
    assert memory.found("crane") == []
    monkeypatch.undo()
    memory.work()
    assert state(memory, ref) == "applied"
    assert memory.found("crane") == ["The crane is yellow."]


def once(app: App, count: int) -> list[str]:
    """What is not exactly once: records, actions, applied proposals."""
    faults = []
    with app.store.read() as connection:
        here = place(app)
        kept = records.kept(connection, here, "fact", 10_000)
        texts = [one.text for one in kept]
        if sorted(texts) != sorted(f"Berth {n} has crane {n}." for n in range(count)):
            faults.append(f"{len(texts)} facts, {len(set(texts))} different, instead of {count}")
        kinds = [row[2] for row in connection.all("actions", {"workspace": here, "after": 0, "limit": 100_000})]
        # Applied a second time, a statement would be known already and count as confirmed.
        if sorted(kinds) != sorted(["propose", "approve", "remember"] * count):
            faults.append(f"actions: {Counter(kinds)}")
        applied = stored.listed(connection, here, state="applied", before=2**62, limit=10_000)
        if (
            len(applied) != count
            or len({one.record for one in applied}) != count
            or len({one.action for one in applied}) != count
        ):
            faults.append(f"{len(applied)} proposals are applied")
        if ledger.broken(connection, here) is not None:
            faults.append("the ledger is broken")
        if stored.watermark(connection, here) != max(one.ordinal or 0 for one in applied):
            faults.append("the watermark is not at the last one")
    return faults


@pytest.mark.slow
def test_consolidators_that_are_killed_leave_each_effect_once(app: App, address: str, tmp_path: Path) -> None:
    chance = random.Random(5)
    with app.store.write() as connection:
        connection.run("rule_set", {"workspace": place(app), "auto_accept_clean": 1})
    for _ in range(KILLS):
        one = start(address, tmp_path)
        assert one.stdout is not None
        for _ in range(chance.randint(1, 3)):
            assert one.stdout.readline() == "consolidating\n"
        time.sleep(chance.uniform(0.0, 0.02))
        one.send_signal(signal.SIGKILL)
        one.communicate(timeout=30)
    last = start(address, tmp_path)
    out, fault = last.communicate(timeout=120)
    assert "done" in out, fault
    again = open_app(at(address, tmp_path))
    try:
        assert once(again, FILED) == []
        assert inconsistencies(again) == []
    finally:
        again.close()


def start(address: str, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM, address, str(folder / "config.toml"), str(FILED)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def test_a_proposal_with_a_foreign_author_keeps_the_author(memory: Memory) -> None:
    scout = agent(memory)
    rule(memory)
    ref = ask(scout, "1", "The crane is yellow.").proposal_id
    memory.work()
    assert state(memory, ref) == "applied"
    with memory.context.store.read() as connection:
        one = stored.by_uid(connection, ref[2:])
        assert one is not None
        made = records.by_id(connection, one.workspace, [one.record or 0])[one.record or 0]
    assert (made.principal, made.client, made.source_type) == (scout.grant.principal, "scout", "agent_generated")
    with pytest.raises(InvalidInput, match="applied already"):
        approve(memory, ref)


def test_what_stood_before_is_not_derived_from_what_is_more_tainted_than_itself(memory: Memory) -> None:
    stood = memory.keep("The crane is yellow.")
    stranger = agent(memory, "stranger", zone="untrusted")
    doubted = remember(stranger, RememberRequest("Somebody calls the crane yellow.")).ref
    ref = ask(agent(memory), "r", "The crane is yellow.", evidence=rests_on(doubted)).proposal_id
    decide(memory, Approve("approve", ref))
    assert opened(memory, stood).taint == 0
    assert look(memory, Lineage("lineage", stood)).sources == ()


def test_a_proposal_whose_evidence_elsewhere_was_forgotten_is_stale_and_may_be_made_again(memory: Memory) -> None:
    scout, gone = agent(memory), memory.in_("other").keep("The plate says that the crane is yellow.")
    ref = ask(scout, "one", "The crane is yellow.", evidence=rests_on(gone)).proposal_id
    done(memory, ref=gone)
    with pytest.raises(StaleVersion, match="not there any more"):
        approve(memory, ref)
    assert state(memory, ref) == "stale"
    assert ask(scout, "two", "The crane is yellow.").status == "queued"
