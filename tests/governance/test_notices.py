"""A notice is told once, to somebody who may see all of it, and not at all once it is no longer so."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from muniment.context import Context
from muniment.errors import NotFound
from muniment.governance import notices
from muniment.governance.conflicts import judge
from muniment.model import governing, reviewing
from muniment.model.governing import JudgeRequest
from muniment.store import notices as stored
from muniment.store import workspaces
from tests.governance.disagreeing import NEW, OLD, Bench
from tests.makers import Memory


@pytest.fixture
def bench(memory: Memory) -> Bench:
    """A memory in which two records disagree, and a notice of it waits."""
    made = Bench(memory)
    memory.keep(OLD)
    memory.keep(NEW)
    memory.work()
    return made


def states(bench: Bench) -> list[str]:
    found = [bench.look(reviewing.Notices("notices", state)).notices for state in ("pending", "delivered", "dismissed")]
    more = [bench.look(reviewing.Notices("notices", state)).notices for state in ("resolved", "stale")]
    return sorted(one.state for several in (*found, *more) for one in several)


def told(bench: Bench, context: Context | None = None, asked: object = None) -> str | None:
    return notices.due(context or bench.context, asked)


def test_a_notice_is_told_once_and_holds_no_words_of_memory(bench: Bench) -> None:
    text = told(bench)
    assert text is not None
    assert bench.only().ref in text
    assert "8080" not in text
    assert "server" not in text
    assert told(bench) is None
    assert states(bench) == ["delivered"]


def test_whoever_may_not_see_a_member_is_told_nothing(bench: Bench) -> None:
    bench.memory.in_("other")
    guest = replace(bench.memory.only("other"), workspace="other")
    assert told(bench, guest) is None
    assert told(bench, guest, "*") is None
    assert told(bench, guest, "inbox") is None
    assert states(bench) == ["pending"]
    with bench.memory.app.store.write() as connection:
        assert notices.claim_one(guest, connection, workspaces.all_of(connection)) is None
    assert told(bench) is not None


def test_a_request_about_another_workspace_is_told_nothing_of_this_one(bench: Bench) -> None:
    other = bench.memory.in_("other")
    assert told(bench, other.context) is None
    assert told(bench, other.context, "*") is not None


def test_what_is_no_longer_so_is_not_told(bench: Bench) -> None:
    conflict = bench.only()
    bench.memory.archive(conflict.members[0].ref)
    assert told(bench) is None
    assert states(bench) == ["stale"]


@pytest.mark.parametrize("verdict", ["not_a_conflict", "defer"])
def test_what_is_decided_is_not_told_any_more(bench: Bench, verdict: str) -> None:
    bench.judge(bench.only(), verdict)
    assert told(bench) is None
    assert states(bench) == ["resolved" if verdict == "not_a_conflict" else "dismissed"]
    assert bench.scan()["opened"] == 0
    assert bench.counts()["notices_pending"] == 0


def test_a_resolved_conflict_leaves_no_notice_and_a_dismissed_notice_leaves_the_conflict(bench: Bench) -> None:
    (notice,) = bench.look(reviewing.Notices("notices")).notices
    answer = bench.do(governing.DismissNotice("dismiss", notice.ref))
    assert answer.action is not None
    assert told(bench) is None
    assert bench.only().status == "open"
    with pytest.raises(NotFound, match="dealt with already"):
        bench.do(governing.DismissNotice("dismiss", notice.ref))


def test_the_gravest_is_told_first_then_the_oldest(bench: Bench) -> None:
    first = bench.only().ref
    person = Bench(bench.memory, person=True)
    for number in (30, 31):
        bench.memory.keep(f"The crane height is {number}.")
    bench.memory.work()
    bench.memory.clock.move(1000)
    bench.memory.keep("The keel length is 5.", kind="policy")
    bench.memory.keep("The keel length is 6.", kind="policy")
    bench.memory.work()
    order = [told(bench) for _ in range(3)]
    assert all(order)
    refs = [str(text).partition(":")[0] for text in order]
    assert len(set(refs)) == 3
    assert "keel" in bench.open(refs[0]).members[0].quote.quote
    assert refs[1] == first
    assert told(person) is None


def test_a_third_voice_is_told_again(bench: Bench) -> None:
    assert told(bench) is not None
    bench.memory.keep("The port of the server is 8082.")
    bench.memory.work()
    text = told(bench)
    assert text is not None
    assert "3 records" in text
    assert told(bench) is None


def test_of_many_callers_at_once_one_is_told(bench: Bench) -> None:
    heard: list[str | None] = []
    ready = threading.Barrier(6)

    def ask() -> None:
        ready.wait()
        heard.append(told(bench))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([text for text in heard if text]) == 1
    assert len(heard) == 6


def test_nothing_is_marked_where_the_store_is_only_read(bench: Bench) -> None:
    assert told(bench, replace(bench.context, read_only=True)) is None
    assert states(bench) == ["pending"]


def test_a_foreign_notice_cannot_be_dismissed_nor_a_foreign_candidate_judged(bench: Bench) -> None:
    (notice,) = bench.look(reviewing.Notices("notices")).notices
    bench.memory.in_("other")
    guest = replace(bench.memory.only("other"), workspace="other")
    do = governing.DismissNotice("dismiss", notice.ref)
    with pytest.raises(NotFound, match="There is no notice"):
        notices.dismiss(guest, governing.GovernRequest(do), do)
    with pytest.raises(NotFound, match="There is no candidate"):
        judge(guest, JudgeRequest("l_" + "0" * 26, "defer", "why"))


def test_asking_for_nothing_costs_next_to_nothing(small: Memory) -> None:
    small.keep(OLD)
    context = small.context
    with small.app.store.read() as connection:
        assert not stored.waits(connection)
    notices.due(context, None)
    begun = time.perf_counter()
    for _ in range(200):
        notices.due(context, None)
    assert (time.perf_counter() - begun) / 200 < 0.002  # measured 0.02 ms; a busy machine is no fault


def test_a_conflict_that_was_settled_by_hand_leaves_no_notice_that_was_told(bench: Bench) -> None:
    assert told(bench) is not None
    bench.memory.archive(bench.only().members[0].ref)
    bench.memory.work()
    assert bench.conflicts() == ()
    assert bench.look(reviewing.Notices("notices")).notices == ()
    assert states(bench) == ["resolved"]
