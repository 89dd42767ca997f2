"""A judged conflict is carried out step by step, and closed only when nobody says otherwise any more."""

from __future__ import annotations

import pytest

from muniment.errors import ConfirmationRequired, InsufficientScope, InvalidInput, ProtectedTarget, StaleConflict
from muniment.governance.govern import govern
from muniment.model import governing, reviewing
from muniment.model.governing import GovernRequest, PlannedStep
from tests.governance.disagreeing import NEW, OLD, Bench
from tests.makers import Memory
from tests.stores import past


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


EDIT, REPLACE, CLOSE, PERSON = (
    "update_current_claim",
    "append_superseded_context",
    "preserve_historical_record",
    "needs_authorization",
)


def disagree(bench: Bench, op: str) -> tuple[str, str, reviewing.ConflictSeen]:
    """The older and the newer of two that disagree, judged for the newer one; `op` is what becomes of the older one."""
    old = bench.memory.keep(OLD)
    bench.memory.clock.move(1000)
    new = bench.memory.keep(NEW)
    bench.scan()
    return old, new, bench.choose(bench.only(), "8081", new, **{old: op})


def at_once(bench: Bench, conflict: reviewing.ConflictSeen, number: int, text: str | None = None) -> ConfirmationRequired:
    """What a step asks to be confirmed."""
    do = governing.ApplyStep("apply_step", conflict.ref, conflict.revision, number, text)
    with pytest.raises(ConfirmationRequired) as asked:
        govern(bench.context, GovernRequest(do, reason="as judged"))
    return asked.value


def state(bench: Bench, ref: str) -> tuple[str, int | None]:
    from muniment.store import records

    with bench.memory.app.store.read() as connection:
        found = records.by_uid(connection, ref[2:])
    assert found is not None
    return found.state, found.valid_to


def test_a_step_says_in_plain_words_what_it_would_do_and_shows_the_difference(bench: Bench) -> None:
    old, _, judged = disagree(bench, EDIT)
    asked = at_once(bench, judged, 1, NEW)
    assert f"{old} (version 1) gets a new text" in asked.impact
    assert f"-{OLD}" in asked.impact
    assert f"+{NEW}" in asked.impact
    assert bench.memory.version(old) == 1
    assert bench.open(judged.ref).revision == judged.revision


def test_a_confirmation_is_good_for_one_call_once(bench: Bench) -> None:
    _, _, judged = disagree(bench, EDIT)
    confirm = at_once(bench, judged, 1, NEW).confirm
    do = governing.ApplyStep("apply_step", judged.ref, judged.revision, 1, f"{NEW} Really.")
    with pytest.raises(InvalidInput, match="not good for this call"):
        govern(bench.context, GovernRequest(do, reason="as judged", confirm=confirm))
    assert bench.open(judged.ref).revision == judged.revision


def test_a_text_without_the_chosen_value_fails_the_step_and_changes_nothing(bench: Bench) -> None:
    old, _, judged = disagree(bench, EDIT)
    failed = bench.step(judged, 1, "The server port is 80811.")
    assert (failed.plan[0].state, failed.plan[0].error) == ("failed", "chosen_value_not_grounded")
    assert bench.memory.version(old) == 1
    done = bench.step(failed, 1, "The server port is 8081, not 8080.")
    assert (done.plan[0].state, done.plan[0].result_version) == ("done", 2)
    assert bench.resolve(bench.step(done, 2)).status == "resolved"


def test_steps_are_done_in_their_order(bench: Bench) -> None:
    _, _, judged = disagree(bench, REPLACE)
    with pytest.raises(InvalidInput, match="Step 1 comes next"):
        bench.step(judged, 2)
    stepped = bench.step(judged, 1)
    with pytest.raises(StaleConflict):
        bench.step(judged, 2)
    last = bench.step(stepped, 2)
    with pytest.raises(InvalidInput, match="Every step"):
        bench.step(last, 2)


def test_a_member_that_changed_fails_its_step_until_it_is_planned_anew(bench: Bench) -> None:
    old, new, judged = disagree(bench, REPLACE)
    bench.memory.change(old, "The server port is 8080, they say.")
    failed = bench.step(judged, 1)
    assert (failed.plan[0].state, failed.plan[0].error) == ("failed", "stale_version")
    with pytest.raises(InvalidInput, match="replan"):
        bench.step(failed, 1)
    plan = (PlannedStep(old, "append_superseded_context"), PlannedStep(new, "use_as_resolution"))
    answer = bench.do(governing.Replan("replan", failed.ref, failed.revision, plan))
    assert answer.conflict is not None
    assert [step.expected_version for step in answer.conflict.plan] == [2, 1]
    assert [[step.error for step in earlier] for earlier in answer.conflict.earlier_plans] == [["stale_version", None]]
    assert bench.resolve(bench.apply_all(answer.conflict)).status == "resolved"
    assert state(bench, old)[0] == "superseded"


def test_planning_anew_leaves_alone_what_is_done(bench: Bench) -> None:
    old, new, judged = disagree(bench, REPLACE)
    stepped = bench.step(judged, 1)
    plan = (PlannedStep(old, "append_superseded_context"), PlannedStep(new, "use_as_resolution"))
    answer = bench.do(governing.Replan("replan", stepped.ref, stepped.revision, plan))
    assert answer.conflict is not None
    assert [step.state for step in answer.conflict.plan] == ["done", "waiting"]
    assert bench.resolve(bench.apply_all(answer.conflict)).status == "resolved"


def test_a_resolution_that_fell_opens_the_conflict_again(bench: Bench) -> None:
    old, new, judged = disagree(bench, REPLACE)
    bench.memory.archive(new)
    failed = bench.step(judged, 1)
    assert failed.plan[0].error == "stale_version"
    plan = (PlannedStep(old, "append_superseded_context"), PlannedStep(new, "use_as_resolution"))
    answer = bench.do(governing.Replan("replan", failed.ref, failed.revision, plan))
    assert answer.conflict is not None
    assert (answer.conflict.status, answer.conflict.chosen) == ("open", None)
    assert state(bench, old)[0] == "active"


def test_what_held_once_stays_as_a_record_of_the_past(bench: Bench) -> None:
    old, _, judged = disagree(bench, CLOSE)
    bench.memory.clock.move(1000)
    assert bench.resolve(bench.apply_all(judged)).status == "resolved"
    assert state(bench, old) == ("active", bench.memory.clock.now)
    assert bench.scan()["opened"] == 0


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [("2020-01-01", "2021-01-01", "change"), ("2021-01-01", "2020-01-01", "correction"), (None, None, "change")],
)
def test_dates_decide_whether_a_member_was_replaced_or_never_right(
    bench: Bench, first: str | None, second: str | None, why: str
) -> None:
    from muniment.store import records

    old = bench.memory.keep(OLD, event_time=first)
    bench.memory.clock.move(1000)
    new = bench.memory.keep(NEW, event_time=second)
    bench.scan()
    bench.apply_all(bench.choose(bench.only(), "8081", new, **{old: REPLACE}))
    with bench.memory.app.store.read() as connection:
        found = records.by_uid(connection, old[2:])
        assert found is not None
        links = records.links(connection, found.workspace, [found.id])
    assert (found.state, found.supersede_why) == ("superseded", why)
    assert [link.relation for link in links] == ["supersedes"]


def test_a_step_that_needs_a_person_waits_for_one(bench: Bench) -> None:
    old, _, judged = disagree(bench, PERSON)
    assert judged.plan[0].state == "blocked"
    with pytest.raises(ProtectedTarget, match="waits for a person"):
        bench.step(judged, 1)
    person = Bench(bench.memory, person=True)
    assert person.resolve(person.apply_all(judged)).status == "resolved"
    assert state(bench, old)[0] == "superseded"


def test_a_locked_member_changes_only_by_a_confirmed_step_of_who_governs(bench: Bench) -> None:
    from dataclasses import replace

    person = Bench(bench.memory, person=True)
    old = bench.memory.keep(OLD)
    with past(bench.memory.app.store) as execute:
        execute(f"UPDATE record SET protection = 'locked' WHERE uid = '{old[2:]}'")
    new = bench.memory.keep(NEW)
    bench.scan()
    judged = bench.choose(bench.only(), "8081", new, **{old: REPLACE})
    do = governing.ApplyStep("apply_step", judged.ref, judged.revision, 1)
    weak = replace(bench.context, grant=replace(bench.context.grant, scopes=frozenset({"read", "append", "write"})))
    with pytest.raises(Exception, match="may not govern"):
        govern(weak, GovernRequest(do, reason="as judged"))
    assert state(bench, old)[0] == "active"
    assert person.step(judged, 1).plan[0].state == "done"


def test_resolving_looks_at_every_member_again(bench: Bench) -> None:
    old, _, judged = disagree(bench, EDIT)
    stepped = bench.step(judged, 1, "The server port is 8081. The server port is 8080.")
    last = bench.step(stepped, 2)
    with pytest.raises(InvalidInput, match=f"{old} still says '8080'"):
        bench.resolve(last)
    bench.memory.change(old, "It is on 8081 as well.", 2)
    assert bench.resolve(last).status == "resolved"


def test_who_joins_a_judged_conflict_has_to_be_planned_too(bench: Bench) -> None:
    _, new, judged = disagree(bench, REPLACE)
    late = bench.memory.keep("The port of the server is 8082.")
    bench.scan()
    joined = bench.open(judged.ref)
    assert joined.revision == judged.revision + 1
    applied = bench.apply_all(joined)
    with pytest.raises(InvalidInput, match=f"{late} joined"):
        bench.resolve(applied)
    plan = tuple(
        PlannedStep(ref, "use_as_resolution" if ref == new else "append_superseded_context")
        for ref in {member.ref for member in applied.members}
    )
    answer = bench.do(governing.Replan("replan", applied.ref, applied.revision, plan))
    assert answer.conflict is not None
    assert bench.resolve(bench.apply_all(answer.conflict)).status == "resolved"


@pytest.mark.parametrize("op", [REPLACE, CLOSE, EDIT])
def test_an_undone_step_brings_the_conflict_back_with_the_next_scan(bench: Bench, op: str) -> None:
    from muniment.governance import changes
    from muniment.store import workspaces

    _, _, judged = disagree(bench, op)
    first = bench.do(governing.ApplyStep("apply_step", judged.ref, judged.revision, 1, NEW + " So." if op == EDIT else None))
    assert first.conflict is not None
    assert first.action is not None
    bench.resolve(bench.step(first.conflict, 2))
    assert bench.scan()["opened"] == 0
    with bench.memory.app.store.write() as connection:
        action = changes.by_uid(connection, first.action[2:])
        assert action is not None
        workspaces.hold(connection, action.workspace)
        changes.undo(bench.context, connection, [action])
    assert bench.counts()["scan_required"] == 1
    assert bench.scan()["opened"] == 1
    assert bench.only().values == ("8080", "8081")
    assert bench.only().ref != judged.ref


def test_a_stop_in_the_middle_of_a_step_leaves_record_and_step_as_they_were(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from muniment.governance import changes

    old, _, judged = disagree(bench, EDIT)
    confirm = at_once(bench, judged, 1, NEW + " Sure.").confirm
    do = governing.ApplyStep("apply_step", judged.ref, judged.revision, 1, NEW + " Sure.")
    made = changes.make

    def dies(*given: object, **more: object) -> object:
        made(*given, **more)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(changes, "make", dies)
    with pytest.raises(KeyboardInterrupt):
        govern(bench.context, GovernRequest(do, reason="as judged", confirm=confirm))
    monkeypatch.setattr(changes, "make", made)
    assert bench.memory.version(old) == 1
    assert bench.open(judged.ref).plan[0].state == "waiting"
    answer = govern(bench.context, GovernRequest(do, reason="as judged", confirm=confirm))
    assert answer.conflict is not None
    assert answer.conflict.plan[0].state == "done"


def test_the_value_may_be_stated_by_a_record_that_was_no_member(bench: Bench) -> None:
    refs = [bench.memory.keep(OLD), bench.memory.keep(NEW)]
    bench.scan()
    witness = bench.memory.keep("Anna looked: 8081 answers, and nothing else does.")
    judged = bench.choose(bench.only(), "8081", witness, **dict.fromkeys(refs, REPLACE))
    done = bench.resolve(bench.apply_all(judged))
    assert (done.status, done.resolution) == ("resolved", witness)
    assert [state(bench, ref)[0] for ref in refs] == ["superseded", "superseded"]


def test_a_less_trusted_resolution_is_said_to_be_one(bench: Bench) -> None:
    _, new, judged = disagree(bench, REPLACE)
    with past(bench.memory.app.store) as execute:
        execute(f"UPDATE record SET taint = 2 WHERE uid = '{new[2:]}'")
    assert f"{new} is less to be trusted (taint 2)" in at_once(bench, judged, 1).impact


def test_a_step_needs_a_reason_and_the_right_to_write_there(bench: Bench) -> None:
    from dataclasses import replace

    _, _, judged = disagree(bench, REPLACE)
    do = governing.ApplyStep("apply_step", judged.ref, judged.revision, 1)
    with pytest.raises(InvalidInput, match="needs a reason"):
        govern(bench.context, GovernRequest(do))
    guest = replace(bench.memory.only("inbox", write=()), workspace="inbox")
    with pytest.raises(InsufficientScope, match="and not change it"):
        govern(guest, GovernRequest(do, reason="as judged"))
