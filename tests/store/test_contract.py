"""What a store promises, on both stores: all or nothing, one moment for a reader, numbers that never come back."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from muniment.errors import StoreBusy, StoreError
from muniment.store import generations, records, sessions, workspaces
from muniment.store.connections import Connection, Reach
from tests.store.rows import add_principal, add_workspace, fresh, memory, session
from tests.stores import NOW, connect, postgres

CLOCKS = ("valid_from", "valid_to", "retired_at", "superseded_by", "supersede_why")

HARD_TEXTS = (
    "100 % of 5%s %(name)s",
    "a:colon :name ::cast ?",
    "back\\slash \\n \\0",
    "'single' \"double\" `tick` $1 $$",
    "grüße 東京 สวัสดี שלום",
    "👩‍👩‍👧 𝒜stral \U0010ffff",
    "e\u0301 is not \u00e9",
    "tab\tnew\nline\r\n\x01\x1f\x7f",
    " spaces around ",
    '{"json": [1, "\\u0041"]}',
)


@pytest.fixture
def place(store: Any) -> int:
    """A workspace of a store that also has a principal."""
    with store.write() as connection:
        add_principal(connection)
        return add_workspace(connection, "harbour")


# --- transactions -------------------------------------------------------------------------------------------------


def test_a_failed_write_leaves_nothing(store: Any, place: int) -> None:
    with pytest.raises(RuntimeError), store.write() as connection:  # noqa: PT012
        connection.run("meta_set", {"key": "a", "value": "1"})
        connection.many("record_add", [memory(place, number, 1) for number in range(1, 4)])
        raise RuntimeError("the caller changed its mind")
    with store.read() as connection:
        assert connection.one("meta_get", {"key": "a"}) is None
        assert connection.all("workspace_counts", {"workspace": place}) == []


def test_a_write_is_seen_as_soon_as_it_is_done(store: Any) -> None:
    for value in ("1", "2"):
        with store.write() as connection:
            connection.run("meta_set", {"key": "a", "value": value})
        with store.read() as connection:
            assert connection.one("meta_get", {"key": "a"}) == (value,)


def test_a_batch_is_refused_whole_when_one_row_breaks_a_rule(store: Any, place: int) -> None:
    rows = [memory(place, number, 1) for number in range(1, 700)]
    rows.append(memory(place, 700, 1, kind="no such kind"))
    with pytest.raises(StoreError, match=r"(?i)check"), store.write() as connection:
        connection.many("record_add", rows)
    with store.read() as connection:
        assert connection.all("workspace_counts", {"workspace": place}) == []


def test_a_write_sees_what_it_has_written(store: Any, place: int) -> None:
    with store.write() as connection:
        connection.run("record_add", memory(place, 1, 1))
        assert records.known(connection, place, ["f1"])["f1"].text == "text 1"


def test_reading_sees_one_moment_of_the_store(store: Any, place: int) -> None:
    with store.read() as reading:
        assert reading.one("workspace_stamp", {"workspace": place}) == (0, 0)
        in_thread(lambda: _take(store, place, passages=5))
        assert reading.one("workspace_stamp", {"workspace": place}) == (0, 0)
        with store.read() as nested:
            assert nested.one("workspace_stamp", {"workspace": place}) == (0, 0)
    with store.read() as reading:
        assert reading.one("workspace_stamp", {"workspace": place}) == (1, 5)


def test_reading_waits_for_no_writer(store: Any, place: int) -> None:
    with store.write() as connection:
        workspaces.take(connection, place, records=1)
        seen = in_thread(lambda: _stamp(store, place))
    assert seen == (0, 0)


def test_reading_cannot_write(store: Any) -> None:
    with pytest.raises(Exception, match=r"(?i)read-?.?only"), store.read() as connection:
        connection.run("meta_set", {"key": "a", "value": "1"})


def test_the_store_is_usable_after_a_broken_block(store: Any) -> None:
    with pytest.raises(KeyError), store.read() as connection:
        connection.all("no_such_statement")
    with pytest.raises(KeyError), store.write() as connection:
        connection.all("no_such_statement")
    with store.write() as connection:
        connection.run("meta_set", {"key": "a", "value": "1"})
    with store.read() as connection:
        assert connection.one("meta_get", {"key": "a"}) == ("1",)


def test_two_writers_take_turns_and_lose_nothing(store: Any, place: int) -> None:
    rounds = 40

    def write() -> list[int]:
        return [_take(store, place, records=1) for _ in range(rounds)]

    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.extend(write())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(1, 4 * rounds + 1))


def test_who_holds_a_workspace_sees_what_the_writer_before_stored(store: Any, place: int) -> None:
    """The pattern of every way in: hold, look whether it is known, store. Two at once must not both find nothing."""
    start, stored = threading.Barrier(2), []

    def keep() -> None:
        start.wait()
        with store.write() as connection:
            workspaces.hold(connection, place)
            if not records.known(connection, place, ["f1"]):
                number = workspaces.take(connection, place, records=1).records
                connection.run("record_add", memory(place, number, 1, fingerprint="f1"))
                stored.append(number)

    for _ in range(10):
        threads = [threading.Thread(target=keep) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert stored == [1]


def test_a_writer_that_waits_too_long_is_told_that_the_store_is_busy(dialect: str, store: Any, place: int) -> None:
    other = _again(store, wait_ms_max=200)
    with store.write() as connection:
        workspaces.hold(connection, place)
        with pytest.raises(StoreBusy, match="Try again"), other.write() as second:
            workspaces.hold(second, place)
    with other.write() as second:
        workspaces.hold(second, place)
    other.close()


# --- numbers ------------------------------------------------------------------------------------------------------


def test_numbers_are_dense_and_belong_to_their_workspace(store: Any, place: int) -> None:
    with store.write() as connection:
        other = add_workspace(connection, "other")
        first = workspaces.take(connection, place, records=3, passages=2)
        second = workspaces.take(connection, place, records=1)
        elsewhere = workspaces.take(connection, other, records=1)
    assert (first.records, first.passages, second.records, second.passages, elsewhere.records) == (3, 2, 4, 2, 1)
    assert (first.stamp, second.stamp) == (1, 2)


def test_a_number_is_never_given_twice(store: Any, place: int) -> None:
    taken = [_take(store, place, blocks=2)]
    with store.write() as connection:
        generation = _generation(connection, "live")
        connection.run("code_add", {"workspace": place, "generation": generation, "block": 2, "data": b"x"})
        connection.run("codes_drop", {"workspace": place, "generation": generation})
    taken.append(_take(store, place, blocks=1))
    assert taken == [2, 3]


def test_a_job_number_is_never_given_twice(store: Any, place: int) -> None:
    seen = []
    for _ in range(3):
        with store.write() as connection:
            connection.run("job_add", {"workspace": place, "job": "embed", "first": 1, "last": 2, "not_before": 0})
            (job,) = connection.all("jobs_due", {"now": NOW, "but": "", "limit": 10})
            seen.append(job[0])
            connection.run("job_done", {"id": job[0]})
    assert seen == sorted(set(seen))


def test_holding_moves_no_number(store: Any, place: int) -> None:
    with store.write() as connection:
        workspaces.hold(connection, place)
        workspaces.hold_all(connection)
    assert _stamp(store, place) == (0, 0)


# --- values -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", HARD_TEXTS)
def test_any_text_comes_back_as_it_was(store: Any, place: int, text: str) -> None:
    with store.write() as connection:
        connection.run("record_add", memory(place, 1, 1, text=text, fingerprint="one", subject=text))
        connection.many("record_add", [memory(place, 2, 1, text=text, fingerprint=text)])
        connection.many("meta_set", [{"key": text, "value": text}])
        connection.run("session_add", session(place, 1, text))
    with store.read() as connection:
        held = records.by_id(connection, place, [1, 2])
        assert (held[1].text, held[1].subject, held[2].text) == (text, text, text)
        assert records.known(connection, place, [text])[text].id == 2
        assert connection.one("meta_get", {"key": text}) == (text,)
        assert sessions.by_external(connection, place, text) is not None


def test_a_text_and_a_blob_may_be_large(store: Any, place: int) -> None:
    text, blob = "größe " * 1_700_000, bytes(range(256)) * 40_000
    with store.write() as connection:
        connection.run("record_add", memory(place, 1, 1, text=text))
        connection.run("roster_add", {"workspace": place, "first": 1, "last": 1, "data": blob})
    with store.read() as connection:
        assert records.by_id(connection, place, [1])[1].text == text
        assert connection.all("rosters_from", {"workspace": place, "have": 0}) == [(1, 1, blob)]


def test_blobs_are_bytes_and_may_be_empty(store: Any, place: int) -> None:
    with store.write() as connection:
        connection.many("posting_add", [{"workspace": place, "term": "a", "first": 1, "data": b""}])
        connection.many("posting_add", [{"workspace": place, "term": "b", "first": 1, "data": bytearray(b"\x00\xff'\\")}])
        rows = connection.all("postings", {"workspace": place, "terms": json.dumps(["b", "a"])})
    assert rows == [("a", b""), ("b", b"\x00\xff'\\")]
    assert all(type(data) is bytes for _, data in rows)


def test_counts_and_sums_are_whole_numbers(store: Any, place: int) -> None:
    with store.write() as connection:
        connection.run("record_add", memory(place, 1, 1))
        for first, last in ((1, 10), (11, 12)):
            connection.run("job_add", {"workspace": place, "job": "embed", "first": first, "last": last, "not_before": 0})
        counts = connection.all("workspace_counts", {"workspace": place})
        waiting = connection.all("jobs_waiting")
        sizes = connection.one("workspace_sizes", {"workspace": place})
    assert counts == [("fact", 1)]
    assert waiting == [("embed", 2, 12, 0, None)]
    assert sizes == (0, 0, 0, None, NOW)
    assert {type(value) for value in (*counts[0][1:], *waiting[0][1:4])} == {int}


def test_times_before_1970_and_far_ahead_are_kept(store: Any, place: int) -> None:
    times = (-62_135_596_800_000, 0, 253_402_300_799_999)
    with store.write() as connection:
        connection.many(
            "record_add", [memory(place, number, 1, event_at=ms, event_zone=-720) for number, ms in enumerate(times, 1)]
        )
    with store.read() as connection:
        held = records.by_id(connection, place, range(1, 4))
    assert tuple(held[number].event.ms for number in (1, 2, 3)) == times  # type: ignore[union-attr]
    assert {one.event.zone for one in held.values() if one.event} == {-720}


def test_a_fraction_comes_back_exactly(store: Any, place: int) -> None:
    with store.write() as connection:
        connection.run("record_add", memory(place, 1, 1, trust=0.1 + 0.2))
    with store.read() as connection:
        assert records.by_id(connection, place, [1])[1].trust == 0.1 + 0.2


def test_texts_are_ordered_by_their_bytes(store: Any, place: int) -> None:
    terms = ["a", "B", "b", "Z", "z", "ä", "é", "e\u0301", "_", "-", "1", "10", "2", "東", "あ", "𝒜", "\ue000", "a b", "ab"]
    with store.write() as connection:
        connection.many("posting_add", ({"workspace": place, "term": term, "first": 1, "data": b""} for term in terms))
        connection.many("vocabulary_add", ({"workspace": place, "term": term} for term in terms))
        rows = connection.all("postings", {"workspace": place, "terms": json.dumps(terms)})
        held = connection.all("terms_holding", {"workspace": place, "piece": "", "limit": 100})
    assert [term for term, _ in rows] == sorted(terms)
    assert [term for (term,) in held if len(term) == 1] == sorted(term for term in terms if len(term) == 1)


def test_pieces_are_found_literally_and_by_character(store: Any, place: int) -> None:
    with store.write() as connection:
        connection.many(
            "vocabulary_add", ({"workspace": place, "term": term} for term in ("50%", "a_b", "axb", "東京都", "\\n"))
        )
        asked = {
            piece: connection.all("terms_holding", {"workspace": place, "piece": piece, "limit": 9})
            for piece in ("%", "_", "京", "\\")
        }
    assert asked == {"%": [("50%",)], "_": [("a_b",)], "京": [("東京都",)], "\\": [("\\n",)]}


def test_a_list_may_be_empty_or_long(store: Any, place: int) -> None:
    with store.write() as connection:
        connection.many("record_add", (memory(place, number, 1) for number in range(1, 1203)))
    with store.read() as connection:
        assert records.by_id(connection, place, []) == {}
        assert len(records.by_id(connection, place, range(1, 5000))) == 1202


def test_many_rows_may_be_none(store: Any, place: int) -> None:
    with store.write() as connection:
        connection.many("vocabulary_add", [])
        connection.many("vector_add", iter(()))


def test_what_is_there_already_is_left_alone(store: Any, place: int) -> None:
    rows = [{"workspace": place, "term": term} for term in ("a", "b", "a")]
    with store.write() as connection:
        connection.many("vocabulary_add", rows)
        connection.many("vocabulary_add", rows)
        assert connection.all("terms_holding", {"workspace": place, "piece": "", "limit": 9}) == [("a",), ("b",)]


# --- nouns --------------------------------------------------------------------------------------------------------


def test_a_workspace_is_made_once(store: Any) -> None:
    with store.write() as connection:
        for name in ("First", "Second"):
            workspaces.add(connection, uid=fresh(len(name)), slug="same", name=name, kind="project", root="/a", now=NOW)
        workspaces.add(connection, uid=fresh(9), slug="other", name="Other", kind="project", root="/a", now=NOW)
        assert [(found.slug, found.name, found.root) for found in workspaces.all_of(connection)] == [("same", "First", "/a")]


def test_a_session_learns_what_was_missing_and_grows(store: Any, place: int) -> None:
    learnt = {"workspace": place, "id": 1, "title": "Later", "client": "other", "cwd": "/b", "parent": None, "guessed": 0}
    grown = [(1, None, None), (3, NOW, NOW + 5), (4, NOW - 9, NOW + 2), (5, None, None)]
    with store.write() as connection:
        connection.run("session_add", session(place, 1, "s") | {"client": "claude", "title": "First"})
        connection.run("session_learn", learnt)
        connection.run("session_learn", learnt | {"title": None})
        connection.run("session_learn", learnt | {"title": "Guess", "guessed": 1})
        for turns, first, last in grown:
            connection.run("session_grow", {"workspace": place, "id": 1, "turns": turns, "first_at": first, "last_at": last})
        found = sessions.by_external(connection, place, "s")
    assert found is not None
    assert (found.title, found.client, found.cwd, found.turns) == ("Later", "claude", "/b", 5)
    assert found.first is not None
    assert found.last is not None
    assert (found.first.ms, found.last.ms) == (NOW - 9, NOW + 5)


def test_no_version_number_is_given_twice(store: Any, place: int) -> None:
    with store.write() as connection:
        connection.run("record_add", memory(place, 1, 1))
        numbers = [connection.one("record_number_version", {"workspace": place, "id": 1}) for _ in range(3)]
    assert numbers == [(2,), (3,), (4,)]


def test_the_same_text_may_stand_in_two_records_and_the_active_one_is_known(store: Any, place: int) -> None:
    with store.write() as connection:
        connection.run("record_add", memory(place, 1, 1, fingerprint="same"))
        connection.run("record_add", memory(place, 2, 1, fingerprint="same"))
        governed = {"workspace": place, "target": 2, "state": "archived", "protection": "normal"}
        connection.run("record_govern", governed | dict.fromkeys(CLOCKS))
        assert records.known(connection, place, ["same"])["same"].id == 1


def test_a_turn_has_a_session_and_a_memory_has_none(store: Any, place: int) -> None:
    for wrong in ({"kind": "turn"}, {"session": 1, "seq": 1}, {"taint": 4}, {"state": "x", "tier": "x"}, {"principal": 99}):
        with pytest.raises(StoreError, match=r"(?i)check|foreign key"), store.write() as connection:  # noqa: PT012
            connection.run("session_add", session(place, 1, "s"))
            connection.run("record_add", memory(place, 1, 1, **wrong))


def test_a_long_reference_confirms_once(store: Any, place: int) -> None:
    rng = "".join(chr(0x4E00 + (number * 7919) % 20_000) for number in range(2000))
    with store.write() as connection:
        connection.run("record_add", memory(place, 1, 1))
        for _ in range(2):
            connection.run("corroborate", {"workspace": place, "record": 1, "at": NOW, "principal": 1, "source_ref": rng})
        assert connection.one("corroborations", {"workspace": place, "record": 1}) == (1,)


def test_exactly_one_generation_is_live(store: Any) -> None:
    with store.write() as connection:
        _generation(connection, "live")
        _generation(connection, "building")
        assert [one.state for one in generations.wanted(connection)] == ["building", "live"]
    for state in ("live", "building"):
        with pytest.raises(StoreError, match=r"(?i)unique"), store.write() as connection:
            _generation(connection, state)


def test_a_lease_has_one_holder_until_it_runs_out(store: Any) -> None:
    def take(holder: str, now: int) -> bool:
        with store.write() as connection:
            return connection.one("lease_take", {"name": "worker", "holder": holder, "until": now + 10, "now": now}) is not None

    assert [take("a", 0), take("b", 5), take("a", 9), take("b", 19), take("b", 20), take("a", 21)] == [
        True,
        False,
        True,
        False,
        True,
        False,
    ]


def test_a_request_is_noted_once(store: Any, place: int) -> None:
    note = {"principal": 1, "request_id": "r", "payload_hash": "p", "answer": "first", "at": NOW}
    with store.write() as connection:
        assert connection.one("request_put", note) == ("r",)
        assert connection.one("request_put", note | {"answer": "second"}) is None
        assert connection.one("request_get", {"principal": 1, "request_id": "r"}) == ("p", "first")


def test_the_store_tells_its_size_and_its_state(store: Any) -> None:
    assert store.bytes() > 0
    facts = dict(store.audit(deep=True))
    assert len(facts) >= 5
    assert all(isinstance(value, str) for value in facts.values())


def _take(store: Any, place: int, **wanted: int) -> int:
    with store.write() as connection:
        return int(getattr(workspaces.take(connection, place, **wanted), next(iter(wanted))))


def _stamp(store: Any, place: int) -> tuple[int, int]:
    with store.read() as connection:
        return workspaces.stamp(connection, place)


def _generation(connection: Connection, state: str) -> int:
    number = len(generations.all_of(connection))
    values = {
        "uid": fresh(100 + number),
        "spec_hash": "h",
        "spec": '{"provider": "use", "model": "m"}',
        "api_key": "",
        "dimension": 8,
    }
    connection.run("generation_add", values | {"state": state, "now": NOW, "live_at": None})
    return generations.all_of(connection)[-1].id


def _again(store: Any, **options: Any) -> Any:
    """The same store, as another process has it open."""
    return connect(str(store.path), **options) if store.dialect == "sqlite" else postgres(store._address, **options)


def in_thread(work: Callable[[], Any]) -> Any:
    """Do something in another thread, and answer what it answered."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join(20)
    assert found, "the other thread did not come to its end"
    return found[0]


def test_cleaning_up_keeps_every_row(store: Any) -> None:
    with store.write() as connection:
        for number in range(200):
            connection.run("meta_set", {"key": f"key {number}", "value": "x" * 500})
    assert store.clean_up() in (True, False)
    with store.write() as connection:
        assert connection.one("meta_get", {"key": "key 7"}) == ("x" * 500,)
        connection.run("meta_set", {"key": "key 7", "value": "y"})
    assert store.clean_up() in (True, False)
    with store.read() as connection:
        assert connection.one("meta_get", {"key": "key 7"}) == ("y",)
        assert connection.one("meta_get", {"key": "key 199"}) == ("x" * 500,)


def test_a_store_for_some_workspaces_closes_nothing_and_tells_no_size(store: Any) -> None:
    view = store.within(Reach(frozenset(), frozenset()))
    assert view.bytes() is None
    view.close()
    with store.read() as connection:
        assert connection.all("workspaces") == []
    assert store.bytes() > 0
