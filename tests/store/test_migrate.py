"""Schema changes: applied once, checked ever after, and safe to race, on both stores."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muniment.app import create_app, open_app, upgrade_app
from muniment.errors import SchemaNewer, SchemaOlder, StoreForeign, StoreMissing
from muniment.store import generations, migrate, workspaces
from tests.stores import NOW, at, making, owner, past

PROCESSES = 6


@pytest.fixture
def empty(address: str) -> Iterator[Any]:
    """A store of which nothing is made yet."""
    opened = making(address)
    yield opened
    opened.close()


def test_a_new_store_has_no_version_until_it_is_made(empty: Any) -> None:
    assert empty.version() == []
    with pytest.raises(StoreMissing, match="init"):
        migrate.verify(empty)
    made = migrate.apply(empty, NOW)
    assert [migration.number for migration in made] == [migration.number for migration in migrate.known(empty.dialect)]
    migrate.verify(empty)
    assert migrate.apply(empty, NOW) == []


def test_both_stores_have_the_same_migrations() -> None:
    numbers = [[(one.number, one.name) for one in migrate.known(dialect)] for dialect in ("sqlite", "postgres")]
    assert numbers[0] == numbers[1] != []


def test_a_newer_schema_is_refused(store: Any) -> None:
    _ledger(store, "INSERT INTO migration (number, name, checksum, applied_at) VALUES (9999, 'later', 'x', 0)")
    try:
        with pytest.raises(SchemaNewer, match="newer Muniment"):
            migrate.verify(store)
        with pytest.raises(SchemaNewer):
            migrate.apply(store, NOW)
    finally:
        _ledger(store, "DELETE FROM migration WHERE number = 9999")


def test_a_migration_that_was_another_one_is_refused(store: Any) -> None:
    checksum = migrate.known(store.dialect)[0].checksum
    _ledger(store, "UPDATE migration SET checksum = 'x' WHERE number = 1")
    try:
        with pytest.raises(StoreForeign, match="Migration 1"):
            migrate.verify(store)
    finally:
        _ledger(store, f"UPDATE migration SET checksum = '{checksum}' WHERE number = 1")


def test_an_older_schema_is_refused_with_advice_and_upgraded(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_app(at(address, tmp_path)).close()
    dialect = "postgres" if address.startswith("postgres") else "sqlite"
    later = migrate.Migration(9000, "later", "CREATE TABLE added (id BIGINT PRIMARY KEY)", "sum")
    held = migrate.known(dialect)
    monkeypatch.setattr(migrate, "known", lambda _: [*held, later])
    with pytest.raises(SchemaOlder, match="muniment upgrade"):
        open_app(at(address, tmp_path))
    assert upgrade_app(at(address, tmp_path)) == ["later"]
    open_app(at(address, tmp_path)).close()


def test_a_migration_that_fails_changes_nothing(empty: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = migrate.Migration(
        1, "broken", "CREATE TABLE one (id BIGINT PRIMARY KEY); CREATE TABLE two (id BIGINT, id BIGINT)", "sum"
    )
    with monkeypatch.context() as patched:
        patched.setattr(migrate, "known", lambda _: [broken])
        with pytest.raises(Exception, match="id"):
            migrate.apply(empty, NOW)
    assert empty.version() == []
    migrate.apply(empty, NOW)
    migrate.verify(empty)


def test_a_half_made_store_is_refused_and_then_finished(empty: Any, address: str, tmp_path: Path) -> None:
    migrate.apply(empty, NOW)
    with pytest.raises(StoreMissing, match="half made"):
        open_app(at(address, tmp_path))
    create_app(at(address, tmp_path)).close()
    open_app(at(address, tmp_path)).close()


def test_a_new_store_has_its_furniture(address: str, tmp_path: Path) -> None:
    for _ in range(2):
        app = create_app(at(address, tmp_path))
        with app.store.read() as connection:
            assert [found.slug for found in workspaces.all_of(connection)] == ["global", "inbox"]
            live = generations.live(connection)
            assert [one.state for one in generations.all_of(connection)] == ["live"]
        assert live is not None
        assert live.spec["dimension"] == live.dimension
        assert app.context().workspace == "inbox"
        app.close()


def test_a_store_that_is_not_there_is_not_made_by_opening_it(address: str, tmp_path: Path) -> None:
    with pytest.raises(StoreMissing, match="init"):
        open_app(at(address, tmp_path))


def test_processes_that_make_a_store_at_once_all_end_well(address: str, tmp_path: Path) -> None:
    settings = at(address, tmp_path)
    program = (
        "import sys; from muniment import settings; from muniment.app import create_app; sys.stdin.readline();"
        "environ = {'MUNIMENT_CONFIG': sys.argv[2], 'MUNIMENT_STORE_ADMIN': sys.argv[3]};"
        "create_app(settings.load({'store': sys.argv[1]}, environ)).close(); print('made')"
    )
    command = [sys.executable, "-W", "error", "-c", program, settings.store, str(tmp_path / "config.toml"), owner(address)]
    pipe = subprocess.PIPE
    running = [subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(PROCESSES)]
    for process in running:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    ended = [process.communicate(timeout=60) for process in running]
    assert ended == [("made\n", "")] * PROCESSES
    app = open_app(settings)
    with app.store.read() as connection:
        assert len(workspaces.all_of(connection)) == 2
        assert len(generations.all_of(connection)) == 1
    app.close()


def _ledger(store: Any, sql: str) -> None:
    with past(store) as execute:
        execute(sql)
