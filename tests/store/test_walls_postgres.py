"""The second lock of PostgreSQL, tried with roles, settings, pools and threads that do what they should not."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from muniment.app import open_app
from muniment.errors import MunimentError, SchemaOlder, StoreError
from muniment.governance import changes, ledger
from muniment.governance.registry import manage
from muniment.insight.health import examine
from muniment.model.reading import ReadRequest
from muniment.model.workspaces import KeepSeparate, RenameWorkspace, WorkspacesRequest
from muniment.model.writing import Labels
from muniment.recall.read import read
from muniment.store import fitness, migrate, postgres_faults, privileges, queries
from muniment.store.connections import Reach
from muniment.store.postgres_admin import PostgresAdmin
from muniment.store.walls import SCOPED
from tests.governance.forgetting import done
from tests.makers import Memory
from tests.stores import NOW, Databases, at, owner, past, postgres

pytestmark = pytest.mark.postgres
SCRIPT = Path(__file__).with_name("isolation.sql")
CHECKS_MIN = 1_000


@pytest.fixture
def dialect() -> str:
    return "postgres"


@pytest.fixture
def two(memory: Memory) -> tuple[Memory, Memory]:
    """Two workspaces with the same said in both."""
    both = memory.in_("alpha"), memory.in_("beta")
    for one in both:
        one.say("standup", "Ann: The anchor chain broke.", "Bob: Who repairs the anchor chain?")
        ref = one.keep("The port is 8080.", labels=Labels(tags=("old",)))
        one.change(ref, "The port is 8081.")
        one.work()
    return both


def reach(memory: Memory, *, writes: bool = True) -> Reach:
    number = memory.place().id
    return Reach(frozenset({number}), frozenset({number} if writes else ()))


def seen(store: Any) -> set[int]:
    """The workspaces of which a store shows records."""
    with store.read() as connection:
        return {row[0] for row in connection._server.execute("SELECT DISTINCT workspace FROM record").fetchall()}


def test_every_wall_holds_from_both_sides(two: tuple[Memory, Memory]) -> None:
    statements = SCRIPT.read_text(encoding="utf-8")
    with psycopg.connect(owner(two[0].app.store._address), autocommit=True) as server:
        cursor = server.execute(statements)
        checks = 0
        while cursor.nextset():
            if cursor.description and cursor.description[0].name == "checks":
                checks = cursor.fetchone()[0]  # type: ignore[index]
    assert checks > CHECKS_MIN
    assert seen(two[0].app.store) == {one.place().id for one in two}


@pytest.mark.parametrize(
    "breach",
    [
        "ALTER TABLE record NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE posting DISABLE ROW LEVEL SECURITY",
        "CREATE POLICY more ON label FOR SELECT TO muniment_reader USING (true)",
        "CREATE POLICY more ON session FOR UPDATE TO muniment_writer USING (true) WITH CHECK (true)",
        "CREATE POLICY more ON claim FOR SELECT USING (true)",
        "GRANT DELETE ON action TO muniment_keeper",
        "GRANT SELECT ON token TO muniment_writer",
        "GRANT SELECT ON workspace TO muniment_gateway",
        "GRANT TRUNCATE ON record TO muniment_writer",
        "GRANT EXECUTE ON FUNCTION gateway_enter(text, text, text, text) TO muniment_gateway",
    ],
)
def test_a_wall_that_was_taken_down_is_noticed(two: tuple[Memory, Memory], breach: str) -> None:
    statements = SCRIPT.read_text(encoding="utf-8").replace("BEGIN;", f"BEGIN; {breach};", 1)
    with psycopg.connect(owner(two[0].app.store._address), autocommit=True) as server:
        with pytest.raises(psycopg.errors.RaiseException, match="ISOLATION"):
            server.execute(statements)
        server.execute("ROLLBACK")


def test_the_walls_of_the_schema_are_those_of_the_list(memory: Memory) -> None:
    with psycopg.connect(owner(memory.app.store._address)) as server:
        held = server.execute("""
            SELECT t.relname, bool_or(p.polname = 'added' AND pg_get_expr(p.polwithcheck, t.oid) LIKE '%muniment.write%'),
                max(pg_get_expr(p.polqual, t.oid)) FILTER (WHERE p.polname = 'seen')
            FROM pg_policy p JOIN pg_class t ON t.oid = p.polrelid WHERE t.relnamespace = 'public'::regnamespace
                AND t.relname <> 'gateway_call' GROUP BY t.relname""").fetchall()
    found = {name: ("content" if by_write else "work", condition) for name, by_write, condition in held}
    assert {name: sort for name, (sort, _) in found.items()} == {one.name: one.sort for one in SCOPED}
    for one in SCOPED:
        assert one.column in found[one.name][1]
        assert not one.also or one.also in found[one.name][1]


def test_a_view_of_a_store_shows_its_own_workspace_alone(two: tuple[Memory, Memory]) -> None:
    one, other = two
    store = one.app.store
    assert seen(store.within(reach(one))) == {one.place().id}
    assert seen(store.within(reach(other))) == {other.place().id}
    assert seen(store.within(Reach(frozenset(), frozenset()))) == set()
    assert len(seen(store)) == 2


def test_a_view_of_a_view_reaches_no_further(two: tuple[Memory, Memory]) -> None:
    one, other = two
    both = frozenset({one.place().id, other.place().id})
    assert seen(one.app.store.within(reach(one)).within(Reach(both, both))) == {one.place().id}


def test_nothing_of_a_transaction_stays_on_its_connection(two: tuple[Memory, Memory]) -> None:
    store = two[0].app.store
    for block in (store.within(reach(two[0])).read, store.within(reach(two[0])).write, store.read, store.write):
        with block() as connection:
            server = connection._server
        held = server.execute(
            "SELECT current_user = session_user, current_setting('muniment.read', true),"
            " current_setting('muniment.write', true)"
        ).fetchone()
        assert held[0]
        assert set(held[1:]) <= {None, ""}
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            server.execute("SELECT count(*) FROM record")


def test_a_transaction_that_fails_leaves_nothing_behind_either(two: tuple[Memory, Memory]) -> None:
    view = two[0].app.store.within(reach(two[0]))
    with pytest.raises(MunimentError), view.write() as connection:  # noqa: PT012
        server = connection._server
        server.execute("SELECT * FROM no_such_table")
    held = server.execute("SELECT current_user = session_user, current_setting('muniment.read', true)").fetchone()
    assert held in ((True, ""), (True, None))


def test_threads_that_share_the_pool_see_each_their_own(two: tuple[Memory, Memory]) -> None:
    store, wrong = two[0].app.store, []
    together = threading.Barrier(8)

    def look(number: int) -> None:
        mine = reach(two[number % 2])
        together.wait()
        for turn in range(40):
            view = store.within(mine) if turn % 2 else store.within(replace(mine))
            if seen(view) != mine.read:
                wrong.append(number)

    threads = [threading.Thread(target=look, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_write_beyond_the_walls_stores_nothing(two: tuple[Memory, Memory]) -> None:
    one, other = two
    view = one.app.store.within(reach(one))
    with pytest.raises(StoreError), view.write() as connection:
        connection.run("speaker_add", {"workspace": other.place().id, "id": 900, "name": "stranger"})
    with pytest.raises(StoreError), one.app.store.within(reach(one, writes=False)).write() as connection:
        connection.run("speaker_add", {"workspace": one.place().id, "id": 900, "name": "stranger"})
    with view.write() as connection:
        connection.run("speaker_add", {"workspace": one.place().id, "id": 900, "name": "friend"})


# --- rights -------------------------------------------------------------------------------------------------------


def test_every_statement_may_be_run_by_the_role_that_runs_it(memory: Memory) -> None:
    statements = queries.load("postgres")
    closed = [*privileges.closed(), "generation"]
    refused = []
    with memory.app.store.read() as connection:
        server = connection._server
        for name, sql in statements.items():
            reads = sql.startswith(("SELECT", "WITH")) and " FOR NO KEY" not in sql
            system = any(f" {table} " in f" {sql} ".replace("(", " ").replace("\n", " ") for table in closed)
            # A profile's passphrase, a principal, a workspace: made and changed by the whole store alone.
            of_principals = "secret_hash" in sql or "INSERT INTO principal" in sql or "UPDATE principal" in sql
            founds = system or of_principals or name == "workspace_add"
            for role in (
                privileges.KEEPER,
                *(() if founds else (privileges.WRITER,)),
                *((privileges.READER,) if reads and not founds else ()),
            ):
                server.execute("SAVEPOINT one")
                server.execute(f"SET LOCAL ROLE {role}")
                try:
                    server.execute(f"EXPLAIN {queries.for_psycopg(sql)}", dict.fromkeys(queries.parameters(sql)))
                except psycopg.errors.InsufficientPrivilege as fault:
                    refused.append((name, role, str(fault)))
                except psycopg.Error:
                    pass
                server.execute("ROLLBACK TO SAVEPOINT one")
    assert refused == []


# --- who may serve ------------------------------------------------------------------------------------------------


@pytest.fixture
def place(postgres_databases: Databases) -> Iterator[tuple[Databases, str]]:
    name = postgres_databases.lend()
    yield postgres_databases, name
    postgres_databases.take_back(name)


@pytest.fixture
def made(place: tuple[Databases, str]) -> Iterator[Any]:
    """Makes roles that can log in, and takes them away."""
    databases, name = place
    roles: list[str] = []

    def make(how: str) -> str:
        role = f"{databases.login}_{len(roles)}"
        roles.append(role)
        run(databases.admin(name), f"CREATE ROLE {role} LOGIN PASSWORD 'x' {how}")
        return databases.address(name).replace(databases.login, role, 1).replace("of-the-runtime", "x")

    yield make
    for role in roles:
        run(databases.admin(name), f"REASSIGN OWNED BY {role} TO CURRENT_USER; DROP OWNED BY {role}; DROP ROLE {role}")


def run(address: str, sql: str) -> None:
    with psycopg.connect(address, autocommit=True) as server:
        server.execute(sql)


@pytest.mark.parametrize(
    ("how", "then", "said"),
    [
        ("SUPERUSER", "", "superuser"),
        ("BYPASSRLS IN ROLE muniment_reader, muniment_writer, muniment_keeper", "", "BYPASSRLS"),
        ("NOINHERIT", "GRANT {owner} TO {role}", "superuser"),
        ("", "ALTER TABLE label OWNER TO {role}", "owns tables"),
        ("", "ALTER DATABASE {database} OWNER TO {role}", "owns the database"),
    ],
)
def test_a_role_that_no_wall_holds_may_not_serve(
    place: tuple[Databases, str], made: Any, tmp_path: Path, how: str, then: str, said: str
) -> None:
    databases, name = place
    address = made(how)
    role = f"{databases.login}_0"
    with psycopg.connect(databases.admin(name), autocommit=True) as server:
        (superuser,) = server.execute("SELECT current_user").fetchone()  # type: ignore[misc]
        if then:
            server.execute(then.format(owner=superuser, role=role, database=name))
        for door in (lambda: open_app(at(address, tmp_path, store_admin="")), lambda: postgres(address).version()):
            with pytest.raises(StoreError, match=rf"{said}.*MUNIMENT_STORE_ADMIN"):
                door()
        if "DATABASE" in then:
            server.execute(f"ALTER DATABASE {name} OWNER TO {superuser}")


def test_a_role_without_the_rights_is_told_how_to_get_them(place: tuple[Databases, str], made: Any, tmp_path: Path) -> None:
    with pytest.raises(SchemaOlder, match=r"muniment upgrade"):
        open_app(at(made("NOINHERIT"), tmp_path, store_admin=""))


def test_a_role_that_was_removed_under_an_open_connection_is_named(place: tuple[Databases, str], made: Any) -> None:
    """A pooler's connections outlive a role that is dropped and made again."""
    databases, name = place
    address, role = made(""), f"{databases.login}_0"
    with psycopg.connect(address, autocommit=True) as pooled:
        run(databases.admin(name), f"DROP ROLE {role}; CREATE ROLE {role} LOGIN")
        with pytest.raises(StoreError, match=r"A role was removed.*pooler"), postgres_faults.translated("the store"):
            fitness.role(pooled)


def test_an_upgrade_puts_right_what_roles_lost(place: tuple[Databases, str], tmp_path: Path) -> None:
    from muniment.app import create_app, upgrade_app

    databases, name = place
    settings = at(databases.address(name), tmp_path)
    create_app(settings).close()
    run(databases.admin(name), "REVOKE ALL ON record FROM muniment_reader, muniment_writer, muniment_keeper")
    app = open_app(settings)
    with pytest.raises(StoreError, match="muniment upgrade"), app.store.read() as connection:
        connection.one("records_unindexed", {"workspace": 1})
    app.close()
    assert upgrade_app(settings) == []
    app = open_app(settings)
    with app.store.read() as connection:
        assert connection.one("records_unindexed", {"workspace": 1}) == (0,)
    app.close()


def test_rights_of_another_program_are_noticed(place: tuple[Databases, str], monkeypatch: pytest.MonkeyPatch) -> None:
    databases, name = place
    migrate.verify(postgres(databases.address(name)))
    monkeypatch.setattr(privileges, "CLERK_RIGHTS", (*privileges.CLERK_RIGHTS, "SELECT ON label"))
    with pytest.raises(SchemaOlder, match="rights of another Muniment"):
        migrate.verify(postgres(databases.address(name)))


def test_init_makes_the_role_of_the_address_with_its_password(postgres_databases: Databases, tmp_path: Path) -> None:
    from muniment.app import create_app

    name = postgres_databases.make()
    role = f"{postgres_databases.login}_fresh"
    address = postgres_databases.address(name).replace(postgres_databases.login, role, 1)
    create_app(at(address, tmp_path, store_admin=postgres_databases.admin(name))).close()
    with psycopg.connect(postgres_databases.admin(name), autocommit=True) as server:
        row = server.execute(
            "SELECT rolcanlogin, rolinherit, rolsuper, rolbypassrls, rolpassword LIKE 'SCRAM-SHA-256%%' FROM pg_authid"
            " WHERE rolname = %s",
            (role,),
        ).fetchone()
        owned = server.execute("SELECT count(*) FROM pg_class WHERE relowner = %s::regrole", (role,)).fetchone()
        assert row == (True, False, False, False, True)
        assert owned == (0,)
    postgres_databases.drop(name)
    run(postgres_databases.admin("postgres"), f"DROP ROLE {role}")


def test_two_addresses_that_do_not_belong_together_are_refused(place: tuple[Databases, str], tmp_path: Path) -> None:
    from muniment.app import create_app

    databases, name = place
    with pytest.raises(MunimentError, match="both name the role"):
        create_app(at(databases.admin(name), tmp_path, store_admin=databases.admin(name)))
    with pytest.raises(MunimentError, match="two places"):
        create_app(at(databases.address("another"), tmp_path, store_admin=databases.admin(name)))


def test_the_runtime_changes_no_schema(place: tuple[Databases, str]) -> None:
    databases, name = place
    with pytest.raises(StoreError, match="may not change the schema"):
        postgres(databases.address(name)).ddl()
    with psycopg.connect(databases.address(name), autocommit=True) as server:
        for role in ("", *privileges.WORKING):
            server.execute(f"SET ROLE {role}" if role else "RESET ROLE")
            for sql in ("CREATE TABLE mine (id INT)", "DROP TABLE label", "TRUNCATE label", "DROP POLICY seen ON record"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    server.execute(sql)


# --- what goes wrong at the door -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "advised"),
    [
        (
            'connection failed: FATAL:  password authentication failed for user "muniment"',
            "pooler goes on asking for the old one",
        ),
        ('connection failed: FATAL:  role "muniment" does not exist', "muniment init"),
        ("connection failed: FATAL:  unsupported startup parameter: options", "ALTER ROLE muniment SET search_path"),
        ('connection to server at "db.x" (2a05:d018::1), port 5432 failed: Network is unreachable', "IPv4"),
        ('connection to server at "db.x" (192.0.2.1), port 5432 failed: Connection refused', "Check host and port"),
    ],
)
def test_what_keeps_a_store_closed_is_said_with_its_fix(said: str, advised: str) -> None:
    assert advised in str(postgres_faults.unreachable("postgresql://x", psycopg.OperationalError(said)))


@pytest.mark.parametrize("fault", [psycopg.errors.InvalidSqlStatementName, psycopg.errors.DuplicatePreparedStatement])
def test_a_pooler_in_transaction_mode_is_told_from_a_defect(fault: type[psycopg.Error]) -> None:
    assert "MUNIMENT_PREPARE=false" in str(postgres_faults.meaning("postgresql://x", fault("prepared statement")))


def test_without_prepared_statements_nothing_is_prepared(place: tuple[Databases, str]) -> None:
    databases, name = place
    store = postgres(databases.address(name), prepare=False)
    for _ in range(12):
        with store.read() as connection:
            connection.all("workspaces")
            held = connection._server.execute("SELECT count(*) FROM pg_prepared_statements").fetchone()
    assert held == (0,)
    store.close()


# --- the gateway --------------------------------------------------------------------------------------------------


@pytest.fixture
def portal(two: tuple[Memory, Memory]) -> Iterator[psycopg.Connection[Any]]:
    """A service outside, which came in through the gateway."""
    with psycopg.connect(owner(two[0].app.store._address), autocommit=True) as server:
        server.execute("SET ROLE muniment_gateway")
        yield server


def call(portal: psycopg.Connection[Any], what: str, *values: Any) -> list[Any]:
    return portal.execute(f"SELECT * FROM gateway_{what}({', '.join(['%s'] * len(values))})", values).fetchall()


def test_a_service_asks_for_one_workspace_and_gets_that_one(two: tuple[Memory, Memory], portal: Any) -> None:
    two[1].keep("The anchor of beta is gold.")
    found = call(portal, "search", "alpha", "viewer", "ann@example.org", "anchor chain repairs")
    assert [(row[1], row[3]) for row in found] == [("turn", 3), ("turn", 2)]
    assert [row[5] for row in call(portal, "search", "beta", "viewer", "ann@example.org", "gold", 5)] == [
        "The anchor of beta is gold."
    ]
    assert call(portal, "search", "alpha", "viewer", "ann@example.org", "gold") == []
    assert {row[0]: row[1] for row in call(portal, "status", "alpha", "viewer", "ann@example.org")} == {"fact": 1, "turn": 2}
    (kept,) = call(portal, "fetch", "alpha", "viewer", "ann@example.org", found[0][0])
    assert kept[-1] == "Who repairs the anchor chain?"
    assert call(portal, "fetch", "beta", "viewer", "ann@example.org", found[0][0]) == []


def renamed(memory: Memory, slug: str, to: str) -> None:
    manage(memory.context, WorkspacesRequest(do=RenameWorkspace("rename", slug, to)))


def test_a_former_name_leads_a_service_to_its_workspace(two: tuple[Memory, Memory], portal: Any) -> None:
    renamed(two[0], "alpha", "gamma")
    for name in ("alpha", "gamma"):
        found = call(portal, "search", name, "viewer", "ann@example.org", "port", 50)
        assert [row[5] for row in found] == ["The port is 8081."]
    ((_, state, _),) = call(portal, "add", "alpha", "agent", "ann@example.org", "The quay is dry.", "r1")
    assert state == "queued"
    assert call(portal, "search", "beta", "viewer", "ann@example.org", "quay dry") == []


def test_a_former_name_leads_a_service_to_nothing_private(two: tuple[Memory, Memory], portal: Any) -> None:
    renamed(two[0], "alpha", "gamma")
    manage(two[0].context, WorkspacesRequest(do=KeepSeparate("keep_separate", "delta", "beta")))
    with past(two[0].app.store) as execute:
        execute("UPDATE workspace SET data_class = 'restricted' WHERE slug = 'gamma'")
    for name in ("alpha", "delta"):
        with pytest.raises(psycopg.errors.NoDataFound, match="no such workspace"):
            call(portal, "search", name, "viewer", "ann@example.org", "port")


@pytest.mark.parametrize("place", ["inbox", "global", "gone", "", None, "restricted", "archived"])
def test_private_memory_is_not_there_for_a_service(two: tuple[Memory, Memory], portal: Any, place: str | None) -> None:
    with past(two[0].app.store) as execute:
        for slug, change in (("restricted", "data_class = 'restricted'"), ("archived", "state = 'archived'")):
            two[0].in_(slug)
            execute(f"UPDATE workspace SET {change} WHERE slug = '{slug}'")
    for what, more in (("status", ()), ("search", ("anchor",)), ("fetch", ("t_x",)), ("add", ("A text.", "r1"))):
        with pytest.raises(psycopg.errors.NoDataFound, match="no such workspace"):
            call(portal, what, place, "agent", "ann@example.org", *more)


def test_what_a_service_adds_waits_for_somebody_with_authority(two: tuple[Memory, Memory], portal: Any) -> None:
    said = ("alpha", "agent", "ann@example.org", "The quay is dry.", "r1")
    ((ref, state, masked),) = call(portal, "add", *said)
    assert (state, masked) == ("queued", 0)
    assert call(portal, "add", *said) == [(ref, "queued", 0)]
    with pytest.raises(psycopg.errors.UniqueViolation):
        call(portal, "add", *said[:3], "The quay is wet.", "r1")
    assert two[0].found("Is the quay dry?") == [] or "The quay is dry." not in two[0].found("Is the quay dry?")
    with two[0].app.store.read() as connection:
        row = connection._server.execute(
            "SELECT p.state, p.zone, p.taint, w.name, p.client FROM proposal p JOIN principal w ON w.id = p.principal"
        ).fetchone()
        calls = connection._server.execute("SELECT what, level, on_behalf_of FROM gateway_call ORDER BY id").fetchall()
    assert row[:4] == ("queued", "shared", 1, "gateway")
    assert row[4].endswith("for ann@example.org")
    assert calls == [("add", "agent", "ann@example.org")] * 2
    from muniment.governance.govern import govern
    from muniment.model import governing

    govern(two[0].context, governing.GovernRequest(do=governing.Approve("approve", ref), reason="seen"))
    two[0].work()
    assert "The quay is dry." in two[0].found("Is the quay dry?")


def test_a_secret_in_what_a_service_adds_is_nowhere_in_the_store(two: tuple[Memory, Memory], portal: Any) -> None:
    said = ("alpha", "agent", "ann@example.org", "The quay's password: hunter22 and postgres://a:pa55word@db/x", "r1")
    ((ref, state, masked),) = call(portal, "add", *said)
    assert (state, masked) == ("queued", 2)
    assert call(portal, "add", *said) == [(ref, "queued", 2)]
    with psycopg.connect(owner(two[0].app.store._address), autocommit=True) as server:
        tables = "SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        for (table,) in server.execute(tables).fetchall():
            rows = server.execute(f"SELECT t::text FROM {table} t").fetchall()
            assert not [row for (row,) in rows if "hunter22" in row or "pa55word" in row], table
        ((text, answer),) = server.execute("SELECT text, answer FROM proposal").fetchall()
    assert text == "The quay's password: [secret:password] and postgres://a:[secret:password]@db/x"
    assert "2 secrets masked." in answer
    assert "hunter22" not in repr(read(two[0].context, ReadRequest(ref=ref)))


def test_the_same_secret_told_by_another_request_is_the_same_thought(two: tuple[Memory, Memory], portal: Any) -> None:
    from muniment.governance.govern import govern
    from muniment.model import governing

    ((ref, _, _),) = call(portal, "add", "alpha", "agent", "ann@example.org", "The password: hunter22", "r1")
    govern(two[0].context, governing.GovernRequest(do=governing.Reject("reject", ref), reason="no"))
    ((_, state, _),) = call(portal, "add", "alpha", "agent", "ann@example.org", "The password: hunter23", "r2")
    assert state == "rejected"


def test_what_a_service_adds_stands_in_the_ledger_at_once(two: tuple[Memory, Memory], portal: Any) -> None:
    place = two[0].place().id
    with two[0].app.store.read() as connection:
        (before,) = connection.one("actions_count", {"workspace": place}) or (0,)
    said = ("alpha", "agent", 'ann "the\\quay" \t\x7fé 船@example.org', "The quay is dry.", "r1")
    ((ref, _, _),) = call(portal, "add", *said)
    call(portal, "add", *said)
    two[0].keep("What comes after it is chained to it.")
    with two[0].app.store.read() as connection:
        rows = connection._server.execute(
            "SELECT a.seq, a.kind, a.targets, a.client, a.after_hash, a.salt, p.name "
            "FROM action a JOIN principal p ON p.id = a.principal WHERE a.workspace = %s AND a.seq > %s ORDER BY a.seq",
            (place, before),
        ).fetchall()
        assert ledger.broken(connection, place) is None
        assert changes.altered(connection, place) is None
    seq, kind, targets, client, told, salt, name = rows[0]
    assert (seq, kind, json.loads(targets), name) == (before + 1, "propose", {"proposal": ref[2:]}, "gateway")
    assert client.endswith("for " + said[2])
    assert told == ledger.content_hash(["The quay is dry."], salt)
    assert [row[1] for row in rows].count("propose") == 1
    assert len(rows) > 1
    assert [one.level for one in examine(two[0].context, True).findings if "ledger" in one.what] == ["ok", "ok"]


def test_the_ledger_of_a_new_workspace_may_begin_with_a_service(two: tuple[Memory, Memory], portal: Any) -> None:
    place = two[0].in_("gamma").place().id
    with past(two[0].app.store) as execute:
        execute(f"DELETE FROM action WHERE workspace = {place}; UPDATE workspace SET actions = 0 WHERE id = {place}")
    for number in ("r1", "r2"):
        call(portal, "add", "gamma", "agent", "ann@example.org", f"The quay is dry {number}.", number)
    with two[0].app.store.read() as connection:
        assert connection.one("actions_count", {"workspace": place}) == (2,)
        assert ledger.broken(connection, place) is None


def test_a_setting_leaves_what_services_add_as_it_is(two: tuple[Memory, Memory], portal: Any) -> None:
    address = two[0].app.store._address
    for masks, told in ((False, "password=hunter22"), (True, "password=[secret:password]")):
        made = PostgresAdmin(owner(address), masks=masks)
        made.establish(address, NOW)
        made.close()
        call(portal, "add", "alpha", "agent", "ann@example.org", "password=hunter22", f"r-{masks}")
        with psycopg.connect(owner(address)) as server:
            (row,) = server.execute("SELECT text FROM proposal WHERE request_id LIKE %s", (f"%r-{masks}",)).fetchall()
        assert row == (told,)


def test_who_asked_about_a_workspace_is_forgotten_with_it(two: tuple[Memory, Memory], portal: Any) -> None:
    for place in ("alpha", "beta"):
        call(portal, "status", place, "viewer", "ann@example.org")
    done(two[0], workspace="alpha")
    with two[0].app.store.read() as connection:
        calls = connection._server.execute(
            "SELECT w.slug FROM gateway_call c JOIN workspace w ON w.id = c.workspace"
        ).fetchall()
    assert calls == [("beta",)]


def test_a_level_is_viewer_or_agent_and_a_viewer_adds_nothing(portal: Any) -> None:
    for level in ("owner", "admin", "", None):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            call(portal, "status", "alpha", level, "ann@example.org")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        call(portal, "add", "alpha", "viewer", "ann@example.org", "A text.", "r1")
    for nobody in ("", " ", None):
        with pytest.raises(psycopg.errors.InvalidParameterValue):
            call(portal, "status", "alpha", "viewer", nobody)


def test_a_service_sees_nothing_past_its_functions(two: tuple[Memory, Memory], portal: Any) -> None:
    number = two[1].place().id
    portal.execute(f"SET muniment.desk = '{number}'; SET muniment.read = '*'; SET muniment.name = 'beta'")
    call(portal, "status", "alpha", "viewer", "ann@example.org")
    for table in (*(one.name for one in SCOPED), "token", "principal", "gateway_call", "meta"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            portal.execute(f"SELECT 1 FROM {table}")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        portal.execute("SELECT gateway_enter('alpha', 'viewer', 'a', 'status')")
    assert {row[5] for row in call(portal, "search", "alpha", "viewer", "ann@example.org", "port", 50)} == {"The port is 8081."}
