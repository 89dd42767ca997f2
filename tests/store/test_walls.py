"""The second lock of SQLite: what a walled connection sees, what it may change, and what it is refused."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from muniment.errors import StoreError
from muniment.store import migrate, queries, workspaces
from muniment.store.connections import DEFECT, Reach
from muniment.store.fences import BEYOND, Fenced
from muniment.store.sqlite import SqliteStore, WalledSqlite
from muniment.store.walls import CLOSED, OPEN, SCOPED
from tests.store.mutating import walled_statements
from tests.store.rows import add_principal, add_workspace, memory
from tests.stores import NOW

OWN, FOREIGN = 1, 2
BOTH = frozenset({OWN, FOREIGN})
ONLY = Reach(frozenset({OWN}), frozenset({OWN}))


@pytest.fixture
def made(tmp_path: Path) -> Iterator[SqliteStore]:
    """Two workspaces with a record number 1 each."""
    store = SqliteStore(tmp_path / "muniment.db", create=True)
    migrate.apply(store, NOW)
    with store.write() as connection:
        add_principal(connection)
        for number, slug in ((OWN, "own"), (FOREIGN, "foreign")):
            add_workspace(connection, slug)
            connection.run("record_add", memory(number, 1, 1, fingerprint=slug, text=f"{slug} text"))
    yield store
    store.close()


def texts(store: Any) -> list[str]:
    with store.read() as connection:
        return [row[0] for row in raw(connection, "SELECT text FROM record ORDER BY workspace")]


def raw(connection: Any, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """Run any text at all, as a defect of Muniment might."""
    assert isinstance(connection, Fenced)
    connection.target = ""
    return connection.connection.execute(sql, values or None).fetchall()


def refused(store: Any, sql: str, target: str = "", *, writes: bool = True) -> StoreError:
    def run() -> None:
        with store.write() if writes else store.read() as connection:
            connection.target = target
            connection.connection.execute(sql).fetchall()

    with pytest.raises(StoreError) as caught:
        run()
    assert caught.value.do_next == DEFECT
    return caught.value


def test_a_walled_store_shows_the_rows_of_its_workspaces(made: SqliteStore) -> None:
    assert texts(made.within(ONLY)) == ["own text"]
    assert texts(made.within(Reach(BOTH, frozenset()))) == ["own text", "foreign text"]
    assert texts(made.within(Reach(frozenset(), frozenset()))) == []


def test_workspaces_are_scoped_by_their_number(made: SqliteStore) -> None:
    with made.within(ONLY).read() as connection:
        assert [place.slug for place in workspaces.all_of(connection)] == ["own"]
        assert raw(connection, "SELECT count(*) FROM workspace") == [(1,)]


def test_a_wall_of_a_wall_reaches_no_further(made: SqliteStore) -> None:
    assert texts(made.within(ONLY).within(Reach(BOTH, BOTH))) == ["own text"]


def test_requests_after_each_other_on_one_connection_see_each_their_own(made: SqliteStore) -> None:
    other = Reach(frozenset({FOREIGN}), frozenset())
    for _ in range(3):
        assert texts(made.within(ONLY)) == ["own text"]
        assert texts(made.within(other)) == ["foreign text"]


def test_two_callers_at_once_on_one_connection_are_a_defect(made: SqliteStore) -> None:
    with made.within(ONLY).read(), pytest.raises(StoreError, match="two callers"):
        texts(made.within(Reach(BOTH, BOTH)))
    assert texts(made.within(ONLY)) == ["own text"]


def test_a_read_inside_a_read_sees_the_same_moment(made: SqliteStore) -> None:
    walled = made.within(ONLY)
    with walled.read():
        assert texts(walled) == ["own text"]
        with made.write() as connection:
            connection.run("record_add", memory(OWN, 2, 1, fingerprint="late", text="late"))
        assert texts(walled) == ["own text"]
    assert sorted(texts(walled)) == ["late", "own text"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT text FROM main.record",
        "SELECT count(*) FROM main.record",
        "SELECT 1 FROM main.record",
        "SELECT count(*) FROM main.workspace",
        "WITH held AS (SELECT text FROM main.record) SELECT * FROM held",
        "WITH record AS (SELECT text FROM main.record) SELECT * FROM record",
        "SELECT (SELECT text FROM main.record WHERE workspace = 2)",
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM main.record WHERE workspace = 2)",
        "SELECT hash FROM token",
        "SELECT key FROM attempt",
        "SELECT secret_hash FROM principal",
        "SELECT subject FROM principal",
        "SELECT sql FROM sqlite_master",
        "SELECT name FROM sqlite_temp_master",
        "SELECT * FROM pragma_table_info('record')",
        "SELECT load_extension('x')",
        "PRAGMA query_only",
        "PRAGMA writable_schema = 1",
        "ATTACH ':memory:' AS other",
        "DETACH main",
        "CREATE TEMP VIEW mine AS SELECT * FROM main.record",
        "DROP VIEW temp.record",
        "CREATE TABLE mine (x)",
        "CREATE TEMP TABLE mine (x)",
        "INSERT INTO temp.allowed VALUES (2)",
        "DELETE FROM temp.allowed",
        "UPDATE temp.writable SET workspace = 2",
        "DELETE FROM main.record",
        "INSERT INTO lease (name, holder, until) VALUES ('a', 'b', 1)",
        "REINDEX",
        "ANALYZE",
        "SAVEPOINT mine",
    ],
)
@pytest.mark.parametrize("writes", [False, True])
def test_nothing_goes_past_the_views(made: SqliteStore, sql: str, writes: bool) -> None:
    fault = refused(made.within(ONLY), sql, writes=writes)
    assert "foreign" not in fault.message
    assert texts(made.within(Reach(BOTH, BOTH))) == ["own text", "foreign text"]


def test_a_connection_that_reads_cannot_write(made: SqliteStore) -> None:
    for sql in ("DELETE FROM main.record", "UPDATE main.record SET text = 'x'", "DELETE FROM request"):
        refused(made.within(ONLY), sql, "record", writes=False)


INTO = "INSERT INTO main.record_version (workspace, record, version, text, labels, principal, at) VALUES"


@pytest.mark.parametrize(
    ("target", "sql"),
    [
        ("record", "UPDATE main.record SET text = 'taken' WHERE id = 1"),
        ("record", "UPDATE main.record SET text = 'taken' WHERE workspace = 2 RETURNING text"),
        ("record", "UPDATE main.record SET workspace = 1, id = 9 WHERE workspace = 2"),
        ("record", "UPDATE main.record SET workspace = 2, id = 9 WHERE workspace = 1"),
        ("record", "UPDATE main.record SET text = r.text FROM record r WHERE main.record.workspace = 2"),
        ("record", "DELETE FROM main.record"),
        ("record", "DELETE FROM main.record WHERE workspace = 2 RETURNING text"),
        ("record", "DELETE FROM main.record WHERE id IN (SELECT id FROM record)"),
        ("record_version", f"{INTO} (2, 1, 1, 'x', '', 1, 1)"),
        ("record_version", f"{INTO} (1, 1, 1, 'x', '', 1, 1), (2, 1, 1, 'x', '', 1, 1)"),
        ("session", "INSERT INTO main.session (workspace, id, uid, external_id, recorded_at) VALUES (2, 1, 'u', 'e', 1)"),
        ("workspace", "UPDATE main.workspace SET slug = 'mine' WHERE id = 2"),
    ],
)
def test_no_write_reaches_a_foreign_row(made: SqliteStore, target: str, sql: str) -> None:
    fault = refused(made.within(ONLY), sql, target)
    assert BEYOND in fault.message
    assert "foreign" not in fault.message
    assert texts(made.within(Reach(BOTH, BOTH))) == ["own text", "foreign text"]
    assert made._writer.execute("SELECT count(*) FROM record_version").fetchall() == [(0,)]


PATH = "'/a', 'c', 'f', 1, 1, 't', 1"
SOURCE = "INTO main.source_file (workspace, path, client, file_id, size, position, tail_hash, at) VALUES"


@pytest.mark.parametrize(
    "sql",
    [
        f"INSERT OR REPLACE {SOURCE} (1, {PATH})",
        f"REPLACE {SOURCE} (1, {PATH})",
        f"INSERT {SOURCE} (1, {PATH}) ON CONFLICT (path) DO UPDATE SET workspace = excluded.workspace",
        f"INSERT {SOURCE} (1, {PATH}) ON CONFLICT (path) DO UPDATE SET at = 9 RETURNING workspace, at",
    ],
)
def test_a_row_is_not_taken_over_by_its_key(made: SqliteStore, sql: str) -> None:
    made._writer.execute(f"INSERT {SOURCE} (2, {PATH})")
    assert BEYOND in refused(made.within(ONLY), sql, "source_file").message
    assert made._writer.execute("SELECT workspace, at FROM source_file").fetchall() == [(2, 1)]


def test_a_workspace_cannot_be_made_or_dropped_behind_the_walls(made: SqliteStore) -> None:
    with pytest.raises(StoreError), made.within(ONLY).write() as connection:
        add_workspace(connection, "third")
    refused(made.within(ONLY), "DELETE FROM main.workspace WHERE id = 1", "workspace")


def test_what_is_read_may_be_filed_about_and_only_what_is_written_changed(made: SqliteStore) -> None:
    reads = Reach(BOTH, frozenset({OWN}))
    with made.within(reads).write() as connection:
        workspaces.take(connection, FOREIGN, records=1)
        connection.run("job_add", {"workspace": FOREIGN, "job": "x", "first": 1, "last": 1, "not_before": 0})
    with pytest.raises(StoreError, match=BEYOND), made.within(reads).write() as connection:
        connection.run("record_add", memory(FOREIGN, 2, 1, fingerprint="new", text="new"))


def test_a_write_that_reaches_too_far_leaves_nothing_of_its_transaction(made: SqliteStore) -> None:
    rows = [memory(number, 2, 1, fingerprint="new", text="new") for number in (OWN, FOREIGN)]
    with pytest.raises(StoreError, match=BEYOND), made.within(ONLY).write() as connection:
        connection.many("record_add", rows)
    assert texts(made.within(Reach(BOTH, BOTH))) == ["own text", "foreign text"]


def test_writes_behind_walls_and_of_the_system_wait_for_each_other(made: SqliteStore) -> None:
    walled, order = made.within(ONLY), list[str]()

    def system() -> None:
        with made.write() as connection:
            order.append("system")
            workspaces.take(connection, OWN, records=1)

    with walled.write() as connection:
        thread = threading.Thread(target=system)
        thread.start()
        thread.join(0.2)
        workspaces.take(connection, OWN, records=1)
        order.append("walled")
    thread.join()
    assert order == ["walled", "system"]


def test_a_walled_store_leaves_the_whole_file_alone(made: SqliteStore) -> None:
    walled = made.within(ONLY)
    assert isinstance(walled, WalledSqlite)
    assert walled.bytes() is None
    assert "page_count" not in dict(walled.audit(deep=False))
    for act in (walled.ddl, lambda: walled.backup(Path("x"))):
        with pytest.raises(StoreError, match="some workspaces only"):
            act()
    walled.close()
    assert texts(walled) == ["own text"]


def test_every_table_has_its_place_in_the_list(made: SqliteStore) -> None:
    tables = {name for (name,) in made._writer.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    listed = [table.name for table in (*SCOPED, *OPEN)] + sorted(CLOSED)
    assert sorted(listed) == sorted(name for name in tables if not name.startswith("sqlite_"))
    for table in SCOPED:
        assert made._writer.execute(f"SELECT count({table.column}) FROM {table.name}")
    columns = "SELECT DISTINCT m.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE c.name = 'workspace'"
    with_workspace = {name for (name,) in made._writer.execute(columns)}
    assert with_workspace <= {table.name for table in SCOPED}


def test_no_statement_names_a_table_past_the_views() -> None:
    named = re.compile(r"\b(?:main|temp)\.", re.IGNORECASE)
    assert [name for name, sql in queries.load("sqlite").items() if named.search(sql)] == []


def test_every_statement_is_searched_for_as_without_the_views(made: SqliteStore) -> None:
    """A walled caller pays for no other plan than the owner, and nothing is sorted or kept aside because of a view."""
    differing = {}
    with made.write() as whole, made.within(ONLY).read():
        fenced = made._fence(writes=True)
        for name, sql in walled_statements(queries.load("sqlite")).items():
            values = dict.fromkeys(queries.parameters(sql))
            plain = plan(whole._connection, sql, values)  # type: ignore[attr-defined]
            statement = made._fences.statements[name]
            fenced.target = statement.target
            try:
                walled = plan(fenced.connection, statement.sql, values)
            except apsw.AuthError:
                differing[name] = ["refused"]
                continue
            if plain != walled:
                differing[name] = [step for step in walled if step not in plain]
    refused = {name for name, steps in differing.items() if steps == ["refused"]}
    assert sorted(name for name in refused if not OF_THE_SYSTEM.search(queries.load("sqlite")[name])) == []
    # Where there is a trigger SQLite also looks up foreign keys backwards, once one of them is known to be broken.
    assert set(differing) - refused == {
        "claim_add",
        "conflict_add",
        "entity_add",
        "moving_records_park",
        "record_add",
        "session_add",
        "session_unseat",
    }


# What no walled caller does: making principals, embedders and workspaces, and looking at the hashes of passphrases.
OF_THE_SYSTEM = re.compile(
    r"(?:INSERT INTO|UPDATE|DELETE FROM) (?:principal|generation)\b|INSERT INTO workspace\b|\bsecret_hash\b"
)


def plan(connection: apsw.Connection, sql: str, values: dict[str, None]) -> list[str]:
    """The steps of a plan, without the names of views and aliases, and without looking up the allowed workspaces."""
    steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
    kept = [step for step in steps if not re.search(r"\b(?:allowed|writable)\b", step)]
    return [re.sub(r"^(SCAN|SEARCH) (?:main\.)?\w+", r"\1", step) for step in kept]


def test_a_statement_is_planned_once_whatever_it_is_asked_with(made: SqliteStore) -> None:
    with made.within(ONLY).read() as connection:
        assert isinstance(connection, Fenced)
        held, asked = connection.connection.authorizer, list[object]()

        def watching(*about: Any) -> int:
            asked.append(about)
            assert held is not None
            return held(*about)

        connection.connection.authorizer = watching
        connection.one("record_by_uid", {"uid": "a"})
        first = len(asked)
        for uid in "bcd":
            connection.one("record_by_uid", {"uid": uid})
        assert first > 0
        assert len(asked) == first
