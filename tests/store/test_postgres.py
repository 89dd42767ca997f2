"""What only PostgreSQL can do wrong: addresses, servers that do not answer, lost connections, locales."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muniment.app import create_app
from muniment.errors import InvalidInput, LimitExceeded, StoreBusy, StoreError, StoreForeign, StoreMissing
from muniment.ingest.remember import remember
from muniment.model.recalling import RecallRequest
from muniment.model.writing import RememberRequest
from muniment.recall.recall import recall
from muniment.store import migrate, workspaces
from tests.store.pooling import pooled
from tests.store.rows import add_principal, add_workspace, fresh
from tests.stores import NOW, PASSWORD, Databases, at, making, owner, postgres

pytestmark = pytest.mark.postgres
SECRET = "s3cret-word"
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


@pytest.fixture
def place(postgres_databases: Databases) -> Iterator[str]:
    """The address of a store with its schema."""
    name = postgres_databases.lend()
    yield postgres_databases.address(name)
    postgres_databases.take_back(name)


@pytest.fixture
def store(place: str) -> Iterator[Any]:
    opened = postgres(place)
    yield opened
    opened.close()


def prepared(opened: Any) -> int:
    """How many statements a server holds prepared after the same few were run often."""
    most = 0
    for _ in range(30):
        with opened.read() as connection:
            connection.all("workspaces")
            most = max(most, connection._server.execute("SELECT count(*) FROM pg_prepared_statements").fetchone()[0])
    return most


def test_nothing_is_prepared_behind_a_pooler(place: str) -> None:
    """Where a server is handed on between clients, what one prepared would run for another."""
    with pooled(place) as address:
        opened = postgres(address, prepare=True)
        assert prepared(opened) == 0
        opened.close()
    direct = postgres(place, prepare=True)
    if not os.environ.get("MUNIMENT_TEST_POOLER"):
        assert prepared(direct) > 0
    direct.close()


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (f"postgresql://ann:{SECRET}@db.example:5433/memory?sslmode=require", "postgresql://ann@db.example:5433/memory"),
        (f"postgres://db.example/memory?password={SECRET}", "postgresql://db.example/memory"),
        (f"postgresql://ann:{SECRET}@/memory?host=/run/pg", "postgresql://ann@/memory?host=/run/pg"),
    ],
)
def test_an_address_is_shown_without_its_password(address: str, shown: str) -> None:
    assert postgres(address).where == shown


@pytest.mark.parametrize("address", [f"postgresql://ann:{SECRET}@[::1/db", f"postgresql://ann:{SECRET}@host/db?nonsense=1"])
def test_an_address_that_cannot_be_read_is_refused_without_repeating_it(address: str) -> None:
    with pytest.raises(StoreError, match="cannot be read") as caught:
        postgres(address)
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_server_that_does_not_answer_is_named(tmp_path: Path) -> None:
    for address in (f"postgresql://ann:{SECRET}@127.0.0.1:9/memory", f"postgresql://ann:{SECRET}@/memory?host={tmp_path}"):
        store = postgres(address, wait_ms_max=500)
        with pytest.raises(StoreError, match=r"cannot be reached.*Check host and port") as caught, store.read():
            pass
        assert store.where in str(caught.value)
        assert SECRET not in str(caught.value)
        store.close()


def test_a_database_that_is_missing_and_a_role_that_is_unknown_are_named(postgres_databases: Databases) -> None:
    good = postgres_databases.address("no_such_database")
    with pytest.raises(StoreMissing, match="createdb"):
        postgres(good).version()
    wrong = good.replace(f"//{postgres_databases.login}:", f"//nobody:{SECRET}@").replace(f"{SECRET}@{PASSWORD}@", f"{SECRET}@")
    with pytest.raises(StoreError, match="Check the user and the password") as caught:
        postgres(wrong).version()
    assert SECRET not in str(caught.value)


def test_nothing_is_opened_before_it_is_needed(store: Any) -> None:
    before = threading.active_count()
    other = postgres("postgresql://127.0.0.1:9/never")
    assert threading.active_count() == before
    other.close()


def test_a_connection_that_was_cut_is_replaced(store: Any, place: str) -> None:
    import psycopg

    with store.read() as connection:
        connection.all("workspaces")
    with psycopg.connect(owner(place), autocommit=True) as admin:
        admin.execute(CUT)
    with store.read() as connection:
        assert connection.all("workspaces") == []


def test_all_connections_of_the_pool_may_be_cut_at_once(place: str) -> None:
    """After a restart of the database the next call works, however little it may wait."""
    import psycopg

    store = postgres(place, wait_ms_max=3_000)
    together = threading.Barrier(8)

    def hold() -> None:
        with store.read() as connection:
            connection.all("workspaces")
            together.wait(20)

    readers = [threading.Thread(target=hold) for _ in range(8)]
    for one in readers:
        one.start()
    for one in readers:
        one.join()
    with psycopg.connect(owner(place), autocommit=True) as admin:
        assert len(admin.execute(CUT).fetchall()) >= 8
    with store.read() as connection:
        assert connection.all("workspaces") == []
    store.close()


def test_a_connection_that_is_cut_within_a_write_loses_the_whole_write(store: Any, place: str) -> None:
    import psycopg

    with pytest.raises(StoreError, match=r"lost.*Call again"), store.write() as connection:  # noqa: PT012
        connection.run("meta_set", {"key": "a", "value": "1"})
        with psycopg.connect(owner(place), autocommit=True) as admin:
            admin.execute(CUT)
        connection.run("meta_set", {"key": "b", "value": "2"})
    with store.read() as connection:
        assert connection.one("meta_get", {"key": "a"}) is None


def test_a_write_that_hides_an_error_is_not_taken_for_stored(store: Any) -> None:
    import psycopg

    with pytest.raises(StoreError, match="undone"), store.write() as connection:  # noqa: PT012
        connection.run("meta_set", {"key": "a", "value": "1"})
        with pytest.raises(psycopg.Error):
            connection.run("meta_set", {"key": None, "value": "1"})
    with store.read() as connection:
        assert connection.one("meta_get", {"key": "a"}) is None


def test_more_readers_than_connections_wait_their_turn(store: Any) -> None:
    seen: list[int] = []

    def read() -> None:
        with store.read() as connection:
            seen.append(len(connection.all("workspaces")))
            time.sleep(0.05)

    threads = [threading.Thread(target=read) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [0] * 20


def test_when_every_connection_is_in_use_the_store_is_busy(place: str) -> None:
    from muniment.store.pool import POOL_MAX

    store = postgres(place, wait_ms_max=300)
    leave, ready = threading.Event(), threading.Barrier(POOL_MAX + 1)

    def hold() -> None:
        with store.read():
            ready.wait()
            leave.wait()

    threads = [threading.Thread(target=hold) for _ in range(POOL_MAX)]
    for thread in threads:
        thread.start()
    ready.wait()
    with pytest.raises(StoreBusy, match="in use"), store.read():
        pass
    leave.set()
    for thread in threads:
        thread.join()
    store.close()


def test_two_writers_that_wait_for_each_other_end_with_one_busy_and_one_done(store: Any) -> None:
    with store.write() as connection:
        first, second = add_workspace(connection, "first"), add_workspace(connection, "second")
    meet, outcomes = threading.Barrier(2), []

    def take(one: int, other: int) -> None:
        try:
            with store.write() as connection:
                workspaces.take(connection, one, records=1)
                meet.wait()
                workspaces.take(connection, other, records=1)
            outcomes.append("done")
        except StoreBusy:
            outcomes.append("busy")

    threads = [threading.Thread(target=take, args=pair) for pair in ((first, second), (second, first))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["busy", "done"]


def test_tables_of_another_program_are_left_alone(postgres_databases: Databases) -> None:
    name = postgres_databases.make()
    store = making(postgres_databases.address(name))
    with store.ddl() as execute:
        execute("CREATE TABLE record (what TEXT)")
    with pytest.raises(StoreForeign, match="search_path"):
        migrate.apply(store, NOW)
    assert store.version() == []
    store.close()
    postgres_databases.drop(name)


def test_a_store_may_lie_in_a_schema_of_its_own(postgres_databases: Databases, tmp_path: Path) -> None:
    name = postgres_databases.make()
    address = postgres_databases.address(name)
    other = making(address)
    with other.ddl() as execute:
        execute("CREATE TABLE record (what TEXT); CREATE SCHEMA muniment")
    other.close()
    app = create_app(at(f"{address}{'&' if '?' in address else '?'}options=-csearch_path%3Dmuniment", tmp_path))
    assert remember(app.context(), RememberRequest(text="The gate opens at 6.")).outcome == "applied"
    assert recall(app.context(), RecallRequest(query="When does the gate open?")).results
    assert dict(app.store.audit(False))["tables_unwalled"] == "0"
    app.close()
    postgres_databases.drop(name)


def test_no_text_takes_its_order_from_the_locale_of_the_database(store: Any, place: str) -> None:
    import psycopg

    of_texts = """
        SELECT c.relname || '.' || a.attname, coalesce(l.collname, 'none') FROM pg_attribute a
        JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_collation l ON l.oid = a.attcollation
        WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname <> 'migration'
            AND a.attnum > 0 AND a.atttypid = 'text'::regtype"""
    with psycopg.connect(owner(place)) as connection:
        found = connection.execute(of_texts).fetchall()
    assert len(found) > 50
    assert [column for column, collation in found if collation != "C"] == []


def test_a_database_in_another_encoding_is_refused(postgres_databases: Databases) -> None:
    name = postgres_databases.make("ENCODING 'LATIN1' LOCALE 'C'")
    with pytest.raises(StoreError, match=r"LATIN1.*UTF8"):
        postgres(postgres_databases.address(name)).version()
    postgres_databases.drop(name)


def test_what_cannot_be_kept_is_refused_in_words(store: Any) -> None:
    with pytest.raises(InvalidInput, match="NUL"), store.read() as connection:
        connection.one("workspace_by_slug", {"slug": "a\x00b"})
    with store.write() as connection:  # a table without rows need not be compared with anything
        connection.run("posting_add", {"workspace": 1, "term": "berth", "first": 1, "data": b"12345"})
    with pytest.raises(InvalidInput), store.read() as connection:
        connection.all("postings", {"workspace": 1, "terms": '["\\u0000"]'})
    path = "".join(chr(0x4E00 + (number * 7919) % 20_000) for number in range(4000))
    with pytest.raises(LimitExceeded, match="too long"), store.write() as connection:
        workspaces.add(connection, uid=fresh(1), slug="s", name="s", kind="project", root=path, now=NOW)


def test_the_server_is_copied_with_its_own_program(store: Any, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="pg_dump"):
        store.backup(tmp_path / "copy")


def test_a_store_that_was_closed_says_so(place: str) -> None:
    store = postgres(place)
    store.version()
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"), store.read():
        pass


def test_the_last_row_of_a_batch_is_stored_whatever_its_size(store: Any) -> None:
    from muniment.store.postgres import ROWS_AT_ONCE

    with store.write() as connection:
        add_principal(connection)
        place = add_workspace(connection, "harbour")
        for count in (1, ROWS_AT_ONCE - 1, ROWS_AT_ONCE, ROWS_AT_ONCE + 1, 2 * ROWS_AT_ONCE):
            connection.many("vocabulary_add", ({"workspace": place, "term": f"t{number:05}"} for number in range(count)))
            assert len(connection.all("terms_holding", {"workspace": place, "piece": "t", "limit": 10_000})) == count
