"""The worker: one at a time, nothing done twice, and no job keeps the others waiting."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from muniment.context import Context, Engines
from muniment.errors import EngineUnavailable
from muniment.governance import detect
from muniment.index import embedding, rosters
from muniment.model.times import DAY_MS, HOUR_MS
from muniment.store import scans
from muniment.worker import BACK_OFF_MS, BACK_OFF_MS_MAX, LEASE, LEASE_MS, drain, hurry, run, schedule
from tests.makers import HashedWords, Memory


class Broken(HashedWords):
    """An embedder whose endpoint does not answer, until it is told to."""

    def __init__(self, fault: Exception) -> None:
        super().__init__()
        self.fault: Exception | None = fault
        self.asked = 0

    def encode(self, texts: Sequence[str], *, query: bool = False):  # type: ignore[no-untyped-def]
        self.asked += 1
        if self.fault:
            raise self.fault
        return super().encode(texts, query=query)


def jobs(memory: Memory) -> dict[str, tuple[int, int]]:
    """By job: how many passages or runs wait, and the most attempts of one."""
    with memory.app.store.read() as connection:
        return {row[0]: (row[2], row[3]) for row in connection.all("jobs_waiting")}


def hold(context: Context, holder: str, until: int) -> bool:
    with context.store.write() as connection:
        values = {"name": LEASE, "holder": holder, "until": until, "now": context.now()}
        return connection.one("lease_take", values) is not None


def test_it_embeds_what_was_stored_and_then_rests(memory: Memory) -> None:
    memory = memory.embed_with(HashedWords())
    memory.say("a", "Ann: one", "Ann: two")
    heard: list[int] = []
    done = drain(memory.context, progress=heard.append)
    assert (done.done, done.left, done.why) == (2, 0, "")
    assert heard == [2]
    assert memory.work().done == 0


def test_nothing_is_done_while_another_holds_the_lease(memory: Memory) -> None:
    memory = memory.embed_with(HashedWords())
    memory.say("a", "Ann: one")
    assert hold(memory.context, "another", memory.clock.now + LEASE_MS)
    assert (memory.work().done, memory.work().left) == (0, 2)
    memory.clock.move(LEASE_MS + 1)
    assert memory.work().done == 1
    assert hold(memory.context, "another", memory.clock.now + LEASE_MS)  # it is given back at the end


def test_the_lease_is_kept_through_a_long_job_and_the_job_stops_without_it(memory: Memory) -> None:
    class Slow(HashedWords):
        def encode(self, texts: Sequence[str], *, query: bool = False):  # type: ignore[no-untyped-def]
            memory.clock.move(LEASE_MS // 2 + 1)
            stolen.append(hold(memory.context, "another", memory.clock.now + LEASE_MS))
            if len(stolen) == 3:  # as if this process had slept
                memory.clock.move(2 * LEASE_MS)
                assert hold(memory.context, "another", memory.clock.now + LEASE_MS)
            return super().encode(texts, query=query)

    stolen: list[bool] = []
    memory = memory.embed_with(Slow())
    memory.say("a", *(f"Ann: turn {number}" for number in range(5 * embedding.BATCH)))
    done = memory.work()
    assert stolen == [False, False, False]
    assert (done.done, jobs(memory)["embed"][0]) == (3 * embedding.BATCH, 2 * embedding.BATCH)


def test_a_job_that_fails_waits_longer_each_time(memory: Memory) -> None:
    embedder = Broken(EngineUnavailable("The endpoint does not answer."))
    memory = memory.embed_with(embedder)
    memory.say("a", "Ann: one")
    assert "does not answer" in memory.work().why
    assert (embedder.asked, jobs(memory)["embed"]) == (1, (1, 1))
    memory.work()
    assert embedder.asked == 1  # too early
    memory.clock.move(BACK_OFF_MS)
    memory.work()
    memory.clock.move(BACK_OFF_MS)
    memory.work()
    assert embedder.asked == 2  # twice as long now
    for _ in range(12):
        memory.clock.move(BACK_OFF_MS_MAX)
        memory.work()
    assert embedder.asked == 14
    embedder.fault = None
    memory.clock.move(BACK_OFF_MS_MAX)
    assert (memory.work().done, jobs(memory)) == (1, {})


@pytest.mark.parametrize("fault", [EngineUnavailable("No."), ValueError("shapes do not fit"), MemoryError()])
def test_a_job_that_fails_does_not_keep_the_others_waiting(memory: Memory, fault: Exception) -> None:
    memory = memory.embed_with(Broken(fault))
    for number in range(rosters.MERGE_AT):
        memory.say("a", f"Ann: turn {number}")
    assert "merge" in jobs(memory)
    done = memory.work()
    assert done.left == rosters.MERGE_AT
    assert done.why
    assert "merge" not in jobs(memory)
    assert hold(memory.context, "another", memory.clock.now + LEASE_MS)  # and the lease is given back


def test_a_job_of_a_newer_version_is_left_alone(memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
    with memory.app.store.write() as connection:
        values = {"workspace": memory.place().id, "job": "summarise", "first": 1, "last": 1, "not_before": 0}
        connection.run("job_add", values)
    with caplog.at_level(logging.WARNING):
        assert memory.work().left == 1
    assert "summarise" in caplog.text
    assert jobs(memory) == {"summarise": (1, 1)}


def test_a_stop_is_obeyed_between_two_batches(memory: Memory) -> None:
    class Stopping(HashedWords):
        def encode(self, texts: Sequence[str], *, query: bool = False):  # type: ignore[no-untyped-def]
            stop.set()
            return super().encode(texts, query=query)

    stop = threading.Event()
    memory = memory.embed_with(Stopping())
    memory.say("a", *(f"Ann: turn {number}" for number in range(2 * embedding.BATCH)))
    assert drain(memory.context, stop=stop).done == embedding.BATCH
    assert jobs(memory)["embed"] == (embedding.BATCH, 0)


def test_after_a_crash_between_two_batches_only_the_rest_is_embedded(memory: Memory) -> None:
    class Killed(BaseException):
        pass

    class Dying(HashedWords):
        def encode(self, texts: Sequence[str], *, query: bool = False):  # type: ignore[no-untyped-def]
            if self.encoded:
                raise Killed
            return super().encode(texts, query=query)

    memory = memory.embed_with(Dying())
    memory.say("a", *(f"Ann: turn {number}" for number in range(2 * embedding.BATCH)))
    with pytest.raises(Killed):
        memory.work()
    survivor = HashedWords()
    memory = replace(memory, engines=Engines(lambda spec, key: survivor))
    memory.clock.move(LEASE_MS + 1)
    assert memory.work().left == 0
    assert survivor.encoded == embedding.BATCH


def test_where_the_embedder_is_off_vectors_are_left_to_another_process(memory: Memory) -> None:
    embedding_one = memory.embed_with(HashedWords())
    for number in range(rosters.MERGE_AT):
        embedding_one.say("a", f"Ann: turn {number}")
    done = memory.work()  # its engines are off
    assert (done.done, done.left) == (0, rosters.MERGE_AT)
    assert "switched off" in done.why
    assert jobs(memory) == {"embed": (rosters.MERGE_AT, 0)}  # merged, and nobody has to wait for the vectors
    assert embedding_one.work().left == 0


def test_a_store_that_is_only_read_is_left_alone(memory: Memory) -> None:
    memory = memory.embed_with(HashedWords())
    memory.say("a", "Ann: one")
    context = replace(memory.context, read_only=True)
    assert (drain(context).done, drain(context).left) == (0, 2)
    run(context, threading.Event())  # ends by itself
    assert jobs(memory)["embed"] == (1, 0)


def test_the_loop_works_until_it_is_told_to_stop(memory: Memory) -> None:
    memory = memory.embed_with(HashedWords())
    memory.say("a", "Ann: one")
    stop = threading.Event()
    thread = threading.Thread(target=run, args=(memory.context, stop))
    thread.start()
    for _ in range(500):
        if not jobs(memory):
            break
        stop.wait(0.01)
    stop.set()
    thread.join(timeout=10)
    assert not thread.is_alive()
    assert jobs(memory) == {}


def test_merging_gives_the_answers_of_before(memory: Memory) -> None:
    for number in range(rosters.MERGE_AT + 3):
        memory.say(f"s{number % 5}", f"Ann: The crane of quay {number} is yellow.")
    before = memory.ask("Which crane is at quay 7?", limit=50).results
    memory.work()
    assert memory.ask("Which crane is at quay 7?", limit=50).results == before
    assert memory.elsewhere().ask("Which crane is at quay 7?", limit=50).results == before


def test_a_clock_that_was_set_back_stops_nothing_for_long(memory: Memory) -> None:
    memory = memory.embed_with(HashedWords())
    memory.clock.move(1000 * DAY_MS)
    memory.keep("The quay is wet.", "fact")
    assert hold(memory.context, "killed", memory.clock.now + LEASE_MS)
    memory.clock.move(-1000 * DAY_MS)
    assert drain(memory.context).done == 1


def test_scans_are_off_until_somebody_switches_them_on_and_then_end_with_nothing_due(memory: Memory) -> None:
    memory.keep("The crane height is 30.")
    memory.keep("The crane height is 31.")
    memory.work()
    schedule(memory.context)
    assert "scan" not in jobs(memory)
    often = replace(memory.context, scan_every_hours=2)
    schedule(often)
    schedule(often)
    assert jobs(memory).get("scan") == (1, 0)
    drain(often)
    schedule(often)
    assert "scan" not in jobs(memory)
    memory.keep("The crane height is 32.")
    memory.work()
    schedule(often)
    assert "scan" not in jobs(memory)
    memory.clock.move(2 * HOUR_MS)
    schedule(often)
    assert jobs(memory).get("scan") == (1, 0)


def test_a_scan_that_is_told_to_stop_goes_on_with_the_next_worker(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detect, "BATCH", 1)
    for number in range(3):
        memory.keep(f"The crane{number} is tall.")
    memory.work()
    often, stop = replace(memory.context, scan_every_hours=1), threading.Event()
    schedule(often)
    following = scans.following

    def stopping(*given: Any) -> list[int]:
        stop.set()
        return following(*given)

    monkeypatch.setattr(scans, "following", stopping)
    drain(often, stop=stop)
    assert jobs(memory).get("scan") == (1, 0)
    monkeypatch.setattr(scans, "following", following)
    drain(often)
    assert "scan" not in jobs(memory)
    with memory.app.store.read() as connection:
        assert not detect.required(connection, memory.place().id)


def test_a_few_new_passages_are_embedded_for_who_is_about_to_ask(memory: Memory) -> None:
    memory = memory.embed_with(HashedWords())
    memory.say("a", "Ann: one", "Ann: two")
    place = memory.place().id
    assert hold(memory.context, "another worker", memory.context.now() + LEASE_MS), "who has not come to it yet"
    assert hurry(memory.context, [place], most=1) == 0, "more wait than that"
    assert hurry(memory.context, [], most=64) == 0
    assert hurry(replace(memory.context, read_only=True), [place], most=64) == 0
    assert hurry(memory.context, [place], most=64) == 2
    assert hurry(memory.context, [place], most=64) == 0
    with memory.app.store.write() as connection:
        connection.run("lease_drop", {"name": LEASE, "holder": "another worker"})
    done = drain(memory.context)
    assert (done.done, done.left) == (0, 0), "the jobs are the worker's, and find nothing to do"


def test_an_embedder_that_fails_keeps_nobody_from_asking(memory: Memory) -> None:
    memory = memory.embed_with(Broken(EngineUnavailable("The endpoint does not answer.")))
    memory.say("a", "Ann: one")
    assert hurry(memory.context, [memory.place().id], most=64) == 0
    assert jobs(memory)["embed"] == (1, 0)


def test_two_that_embed_the_same_at_once_store_it_once(memory: Memory) -> None:
    memory = memory.embed_with(HashedWords())
    memory.say("a", "Ann: one", "Ann: two")
    place, made = memory.place().id, []

    class Slow(HashedWords):
        """The other one is done while this one still works."""

        def encode(self, texts: Sequence[str], *, query: bool = False):  # type: ignore[no-untyped-def]
            made.append(hurry(memory.context, [place], most=64))
            return super().encode(texts, query=query)

    with memory.app.store.read() as connection:
        (job,) = [
            row for row in connection.all("jobs_due", {"now": memory.context.now(), "but": "", "limit": 9}) if row[2] == "embed"
        ]
        generation = connection.all("generations")[0][0]
    assert embedding.embed(memory.context, Slow(), place, generation, job[3], job[4]) == 0
    assert made == [2]
