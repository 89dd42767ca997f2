"""Judging decides, plans and records who decided; it changes no record, and what was decided stays decided."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from muniment.errors import InsufficientScope, InvalidInput, MunimentError, NotFound, StaleConflict
from muniment.governance.conflicts import judge
from muniment.model import governing, reviewing
from muniment.model.governing import JudgeRequest, PlannedStep
from muniment.model.reviewing import ConflictSeen
from tests.governance.disagreeing import NEW, OLD, Bench, claim
from tests.makers import Memory

REPLACE, USE = "append_superseded_context", "use_as_resolution"


@pytest.fixture
def bench(memory: Memory) -> Bench:
    return Bench(memory)


@pytest.fixture
def refs(bench: Bench) -> tuple[str, str]:
    """The older and the newer of two that disagree, with their conflict open."""
    old = bench.memory.keep(OLD)
    bench.memory.clock.move(1000)
    found = old, bench.memory.keep(NEW)
    bench.scan()
    return found


def kinds(bench: Bench) -> list[str]:
    with bench.memory.app.store.read() as connection:
        return [row[2] for row in connection.all("actions", {"workspace": bench.memory.place().id, "after": 0, "limit": 99})]


def test_judging_changes_no_record(bench: Bench, refs: tuple[str, str]) -> None:
    judged = bench.choose(bench.only(), "8081", refs[1], **{refs[0]: REPLACE})
    assert (judged.status, judged.chosen, judged.resolution, judged.decider) == ("applying", "8081", refs[1], "local")
    assert judged.reason == "we looked"
    assert [(step.number, step.state, step.expected_version) for step in judged.plan] == [(1, "waiting", 1), (2, "waiting", 1)]
    assert [bench.memory.version(ref) for ref in refs] == [1, 1]
    assert kinds(bench)[-2:] == ["conflict_open", "judge"]


def test_the_chosen_value_is_compared_in_its_normal_form(bench: Bench) -> None:
    one = bench.memory.keep("The API timeout is 1,500 ms.")
    bench.memory.keep("The API timeout is 15 ms.")
    bench.scan()
    conflict = bench.only()
    with pytest.raises(InvalidInput, match="none of the values"):
        bench.choose(conflict, "1.5 ms", one)
    other = next(member.ref for member in conflict.members if member.ref != one)
    assert bench.choose(conflict, "1500 MS", one, **{other: REPLACE}).status == "applying"


def test_a_plan_names_each_member_exactly_once(bench: Bench, refs: tuple[str, str]) -> None:
    old, new = refs
    conflict = bench.only()
    stranger = bench.memory.keep("The quay is wet.")
    for plan in (
        (),
        (PlannedStep(new, USE),),
        (PlannedStep(new, USE), PlannedStep(new, USE)),
        (PlannedStep(new, USE), PlannedStep(old, REPLACE), PlannedStep(old, REPLACE)),
        (PlannedStep(new, USE), PlannedStep(stranger, REPLACE)),
    ):
        with pytest.raises(InvalidInput, match="each member exactly once"):
            bench.judge(conflict, "choose", chosen_value="8081", resolution=new, plan=plan)
    with pytest.raises(InvalidInput, match=f"step {old}=append_superseded_context"):
        bench.judge(conflict, "choose", chosen_value="8081", resolution=new)
    with pytest.raises(InvalidInput, match="does not state"):
        bench.choose(conflict, "8081", new)
    with pytest.raises(InvalidInput, match="is the resolution"):
        bench.choose(conflict, "8081", new, **{new: REPLACE, old: REPLACE})
    assert bench.only().revision == conflict.revision


def test_the_resolution_stays_without_a_step_of_its_own(bench: Bench, refs: tuple[str, str]) -> None:
    old, new = refs
    plan = (PlannedStep(old, REPLACE),)
    judged = bench.judge(bench.only(), "choose", chosen_value="8081", resolution=new, plan=plan).conflict
    assert judged is not None
    assert [(step.ref, step.op) for step in judged.plan] == [(new, USE), (old, REPLACE)]


def test_a_resolution_is_active_at_home_and_says_the_value(bench: Bench, refs: tuple[str, str]) -> None:
    old, new = refs
    conflict, ops = bench.only(), {old: REPLACE}
    far = Bench(bench.memory.in_("other")).memory.keep(NEW)
    away = bench.memory.keep("Somebody said 8081 once.")
    bench.memory.archive(away)
    for resolution, told in (
        (old, "does not say"),
        (far, "another workspace"),
        (away, "archived"),
        ("m_" + "0" * 26, "no record"),
    ):
        with pytest.raises(InvalidInput, match=told):
            bench.choose(conflict, "8081", resolution, **ops, **{new: REPLACE})


def test_a_turn_is_never_planned_to_be_edited(bench: Bench) -> None:
    (turn,) = bench.memory.say("a", f"Ann: {OLD}")
    kept = bench.memory.keep(NEW)
    claim(bench.memory, turn, "server", "port", "8080")
    claim(bench.memory, kept, "server", "port", "8081")
    bench.scan()
    with pytest.raises(InvalidInput, match="never edited"):
        bench.choose(bench.only(), "8081", kept, **{turn: "update_current_claim"})


def test_what_is_no_conflict_does_not_come_back_until_a_version_changes(bench: Bench, refs: tuple[str, str]) -> None:
    bench.judge(bench.only(), "not_a_conflict")
    assert bench.scan()["opened"] == 0
    bench.memory.work()
    assert bench.conflicts() == ()
    third = bench.memory.keep("The port of the server is 8082.")
    assert bench.scan()["opened"] == 1
    assert bench.only().values == ("8080", "8081", "8082")
    bench.memory.archive(third)
    bench.scan()
    assert bench.conflicts() == ()  # the two that were found to stand side by side still do
    bench.memory.change(refs[0], "The server port is 8079.")
    assert bench.scan()["opened"] == 1


def test_deferring_leaves_a_conflict_open(bench: Bench, refs: tuple[str, str]) -> None:
    answer = bench.judge(bench.only(), "defer")
    assert answer.conflict is not None
    assert (answer.conflict.status, answer.conflict.revision) == ("open", 2)
    assert kinds(bench)[-1] == "judge_defer"


def test_of_two_judges_at_once_one_is_told_to_look_again(bench: Bench, refs: tuple[str, str]) -> None:
    conflict, told = bench.only(), []
    ready = threading.Barrier(2)
    contexts = [replace(bench.context, entropy=lambda count, n=n: bytes([n] * count)) for n in (1, 2)]

    def one(number: int) -> None:
        ready.wait()
        request = JudgeRequest(conflict.ref, "not_a_conflict", f"judge {number}", expected_revision=conflict.revision)
        try:
            judge(contexts[number], request)
            told.append("judged")
        except MunimentError as fault:
            told.append(fault.code)

    threads = [threading.Thread(target=one, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == ["judged", "stale_conflict"]
    assert bench.only("not_a_conflict").revision == conflict.revision + 1


def test_a_member_that_changed_meanwhile_is_not_judged_unread(bench: Bench, refs: tuple[str, str]) -> None:
    conflict = bench.only()
    bench.memory.change(refs[0], "The server port is 8079.")
    with pytest.raises(StaleConflict):
        bench.choose(conflict, "8081", refs[1], **{refs[0]: REPLACE})
    assert bench.conflicts() == ()
    assert bench.scan()["opened"] == 1
    assert bench.only().values == ("8079", "8081")


def test_judging_needs_the_scope_and_the_revision(bench: Bench, refs: tuple[str, str]) -> None:
    conflict = bench.only()
    reader = replace(bench.context, grant=replace(bench.context.grant, scopes=frozenset({"read", "append"})))
    with pytest.raises(InsufficientScope):
        judge(reader, JudgeRequest(conflict.ref, "defer", "why", expected_revision=1))
    with pytest.raises(InvalidInput, match="expected_revision"):
        judge(bench.context, JudgeRequest(conflict.ref, "defer", "why"))
    with pytest.raises(StaleConflict):
        judge(bench.context, JudgeRequest(conflict.ref, "defer", "why", expected_revision=7))


def test_a_foreign_conflict_looks_like_an_absent_one(bench: Bench, refs: tuple[str, str]) -> None:
    conflict = bench.only()
    other = Bench(bench.memory.in_("other"))
    guest = replace(bench.memory.only("other"), workspace="other")
    for ref in (conflict.ref, "c_" + "0" * 26, "nonsense"):
        with pytest.raises(NotFound) as absent:
            other.look(reviewing.OneConflict("conflict", ref), guest)
        assert ref in absent.value.message
        with pytest.raises(NotFound):
            judge(guest, JudgeRequest(ref, "defer", "why", expected_revision=1))
    assert other.look(reviewing.Conflicts("conflicts"), guest).conflicts == ()


def test_a_list_goes_on_where_its_page_ended(bench: Bench) -> None:
    for number in range(5):
        bench.memory.keep(f"The crane{number} height is 30.")
        bench.memory.keep(f"The crane{number} height is 31.")
    bench.scan()
    seen: list[ConflictSeen] = []
    cursor = None
    for size in (2, 2, 1):
        page = bench.look(reviewing.Conflicts("conflicts", limit=2, cursor=cursor))
        assert len(page.conflicts) == size
        seen += page.conflicts
        cursor = page.cursor
    assert cursor is None
    assert len({one.ref for one in seen}) == 5


# --- candidates ---------------------------------------------------------------------------------------------------


@pytest.fixture
def unsure(bench: Bench) -> reviewing.CandidateSeen:
    """A candidate: only one of the two says in so many words what it is about."""
    one, other = bench.memory.keep("Zebra costs 5 in all."), bench.memory.keep("One pays 6 for a zebra.")
    claim(bench.memory, one, "zebra", "price", "5")
    claim(bench.memory, other, "zebra", "price", "6", method="rule")
    bench.scan()
    (found,) = bench.look(reviewing.Queue("queue")).candidates
    assert set(found.members) == {one, other}
    return found


def decide(bench: Bench, candidate: reviewing.CandidateSeen, verdict: str) -> governing.JudgeAnswer:
    return judge(bench.context, JudgeRequest(candidate.ref, verdict, "we looked"))  # type: ignore[arg-type]


def test_a_candidate_once_decided_does_not_come_back(bench: Bench, unsure: reviewing.CandidateSeen) -> None:
    answer = decide(bench, unsure, "not_a_conflict")
    assert answer.candidate is not None
    assert answer.candidate.state == "decided"
    bench.scan()
    bench.memory.work()
    assert bench.look(reviewing.Queue("queue")).candidates == ()
    with pytest.raises(InvalidInput, match="decided already"):
        decide(bench, unsure, "defer")
    assert kinds(bench)[-1] == "judge_candidate"


def test_a_deferred_candidate_may_be_decided_later(bench: Bench, unsure: reviewing.CandidateSeen) -> None:
    decide(bench, unsure, "defer")
    assert bench.counts()["candidates_deferred"] == 1
    assert decide(bench, unsure, "not_a_conflict").candidate is not None
    assert bench.counts()["candidates_deferred"] == 0


def test_a_candidate_that_is_right_becomes_a_conflict(bench: Bench, unsure: reviewing.CandidateSeen) -> None:
    answer = decide(bench, unsure, "choose")
    assert answer.conflict is not None
    assert answer.conflict.status == "open"
    assert set(answer.conflict.values) == {"5", "6"}
    assert {member.ref for member in answer.conflict.members} == set(unsure.members)
    bench.scan()
    assert bench.only().revision == answer.conflict.revision


def test_a_candidate_of_versions_that_are_gone_is_stale(bench: Bench, unsure: reviewing.CandidateSeen) -> None:
    bench.memory.archive(unsure.members[0])
    bench.scan()
    assert bench.look(reviewing.Queue("queue")).candidates == ()
    with pytest.raises(InvalidInput, match="stale already"):
        decide(bench, unsure, "not_a_conflict")
