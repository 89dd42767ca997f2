"""PostgreSQL through psycopg: one database, many servers. A write holds its workspace; readers wait for nobody.

Writes are READ COMMITTED on purpose. A write transaction takes the row of its workspace first (`workspaces.hold` or
`take`), so the writes of one workspace follow each other, and every statement after that sees what the one before
committed. Nothing then fails to serialize, which matters because a block cannot be run a second time from here.

Every transaction begins by taking on a role and declaring the workspaces it is for, in one round trip and for its own length
only: the next borrower of a connection, ours or a pooler's, finds neither.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import islice
from pathlib import Path

import psycopg
from psycopg import errors
from psycopg.pq import TransactionStatus

from muniment.errors import SchemaOlder, StoreError
from muniment.store import fitness, migrate, postgres_faults, privileges
from muniment.store.connections import Connection, Reach, Row, Values
from muniment.store.pool import Pool, Server, drain
from muniment.store.privileges import KEEPER, READER, WRITER
from muniment.store.queries import Insert, bulk, for_psycopg, load

# A statement may take longer than a lock is waited for, but not for ever.
STATEMENT_MS_MAX = 300_000
# Rows of one INSERT. Measured, µs a row: postings 17 by executemany, 5 by 100, 4.5 by 500, 5 by 2,000; passages 25, 11, 11, 11.
ROWS_AT_ONCE = 500
# Declared by a transaction that is for every workspace; only the keeper's policies know it.
EVERYTHING = "*"
FACTS = (
    "server_version",
    "server_encoding",
    "synchronous_commit",
    "fsync",
    "full_page_writes",
    "in_hot_standby",
)


class PostgresStore:
    """A store in one database (and, if the address names a `search_path`, one schema of it). Connects when first used.

    `admin` is the address of the role that owns the tables, for what only that role can do; the store itself never uses it.
    `prepare` off: no prepared statements, for a pooler in transaction mode.
    """

    dialect = "postgres"
    path = None

    def __init__(self, address: str, *, wait_ms_max: int = 30_000, prepare: bool = True, admin: str = "") -> None:
        parts = postgres_faults.parts(address)
        self.where = postgres_faults.shown(parts)
        self._statements = {name: for_psycopg(sql) for name, sql in load("postgres").items()}
        self._inserts = {name: insert for name, sql in load("postgres").items() if (insert := bulk(sql))}
        self._wait_ms_max = wait_ms_max
        self._address = address
        self._admin = admin
        self._local = threading.local()
        self._pool = Pool(parts, self.where, wait_ms_max, prepare=prepare, fit=self._fit)
        self._begin_read, self._begin_write = self._beginnings(KEEPER, KEEPER, EVERYTHING, EVERYTHING)
        self._reach: Reach | None = None

    def within(self, reach: Reach) -> PostgresStore:
        """The same pool; each transaction declares these workspaces alone, and reads and writes under walled roles.

        Never more than this store reaches itself.
        """
        if self._reach is not None:
            reach = Reach(reach.read & self._reach.read, reach.write & self._reach.write)
        view = copy.copy(self)
        view._reach = reach
        view._local = threading.local()
        view._begin_read, view._begin_write = self._beginnings(READER, WRITER, _listed(reach.read), _listed(reach.write))
        return view

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A read transaction: everything in the block sees the same moment of the store."""
        held: Server | None = getattr(self._local, "reading", None)
        if held is not None:
            yield self._names(held)
            return
        with self._block(self._begin_read) as server:
            self._local.reading = server
            try:
                yield self._names(server)
            finally:
                self._local.reading = None

    @contextmanager
    def write(self) -> Iterator[Connection]:
        with self._block(self._begin_write) as server:
            yield self._names(server)
            self._commit(server)

    def ddl(self) -> AbstractContextManager[Callable[[str], None]]:
        raise StoreError(f"The role of {self.where} may not change the schema.", postgres_faults.UPGRADE)

    def version(self) -> list[Row]:
        """The migrations that were applied; empty for a new database."""
        with self._block(self._begin_read) as server:
            applied = self._version(server)
            self._check_rights(server, applied)
            return applied

    def audit(self, deep: bool) -> list[tuple[str, str]]:
        """Facts about the database that `doctor` judges: (name, value). The server keeps its own integrity checks."""
        with self._block(self._begin_read) as server:
            facts = server.execute(
                "SELECT name, setting FROM pg_settings WHERE name = ANY (%s) ORDER BY name", (list(FACTS),)
            ).fetchall()
            if deep:
                open_keys = "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND NOT convalidated"
                facts += [("foreign_keys_unchecked", str(number)) for (number,) in server.execute(open_keys)]
            role = fitness.role(server)
            facts += [("login_role", role.name), ("role_unsafe", role.unsafe)]
            facts += [("tables_unwalled", len(fitness.unwalled(server))), ("admin_address", "set" if self._admin else "")]
            return [(str(name), str(value)) for name, value in facts]

    def backup(self, target: Path) -> None:
        raise StoreError(
            f"{self.where} is copied with PostgreSQL's own program.",
            "Run `pg_dump --format=custom --file=FILE` on this database.",
        )

    def clean_up(self) -> bool:
        """Let the owner of the tables write them anew, where its address is known; whether nothing can be left."""
        if not self._admin:
            return False
        from muniment.store.postgres_admin import PostgresAdmin

        owner = PostgresAdmin(self._admin, wait_ms_max=self._wait_ms_max)
        try:
            return owner.clean_up()
        finally:
            owner.close()

    def bytes(self) -> int | None:
        """The size of the whole database, with whatever else lies in it."""
        if self._reach is not None:
            return None  # it would tell how much others keep
        with self._block(self._begin_read) as server:
            row = server.execute("SELECT pg_database_size(current_database())").fetchone()
        return int(row[0]) if row else None

    def close(self) -> None:
        """The pool is closed by who opened the whole store; a view of it for some workspaces leaves it open."""
        if self._reach is None:
            self._pool.close()

    def _beginnings(self, reader: str, writer: str, read: str, write: str) -> tuple[str, str]:
        """How a transaction that reads begins, and one that writes. All that is set ends with the transaction."""
        wait = self._wait_ms_max
        declared = (
            f"SET LOCAL lock_timeout = {wait}; SET LOCAL statement_timeout = {max(wait, STATEMENT_MS_MAX)}; "
            f"SET LOCAL muniment.read = '{read}'; SET LOCAL muniment.write = '{write}'"
        )
        return (
            f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL ROLE {reader}; {declared}",
            f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL ROLE {writer}; {declared}",
        )

    def _fit(self, server: Server) -> None:
        """Refuse a role that no wall holds, at the first connection."""
        fitness.check(self.where, fitness.role(server))

    def _check_rights(self, server: Server, applied: list[Row]) -> None:
        """Raise where the schema is this program's and the rights of its roles are not: a newer one may need others."""
        if not applied or [row[0] for row in applied] != [one.number for one in migrate.known(self.dialect)]:
            return
        row = server.execute("SELECT obj_description(to_regclass('migration'), 'pg_class')").fetchone()
        if row is None or row[0] != privileges.fingerprint(load(self.dialect)):
            raise SchemaOlder(f"The roles of {self.where} have the rights of another Muniment.", postgres_faults.UPGRADE)

    def _names(self, server: Server) -> _Names:
        return _Names(server, self._statements, self._inserts)

    def _version(self, server: Server) -> list[Row]:
        found = server.execute("SELECT to_regclass('migration')").fetchone()
        if found is None or found[0] is None:
            return []
        try:
            return server.execute("SELECT number, checksum FROM migration ORDER BY number").fetchall()
        except errors.UndefinedColumn as fault:
            raise postgres_faults.foreign(self.where) from fault

    def _commit(self, server: Server) -> None:
        """A transaction that failed half-way answers COMMIT with a rollback, so the answer has to be read."""
        if server.execute("COMMIT").statusmessage != "COMMIT":
            raise StoreError(
                f"The write to {self.where} was undone after an error inside it.", "Nothing was stored. Try again."
            )

    @contextmanager
    def _block(self, begin: str) -> Iterator[Server]:
        """A connection in a transaction, which is rolled back unless the block has committed it."""
        with postgres_faults.translated(self.where):
            server = self._pool.take()
            try:
                drain(server.execute(begin))
                yield server
            finally:
                _end(server)
                self._pool.give(server)


class _Names:
    """Runs named statements on one connection."""

    __slots__ = ("_inserts", "_server", "_statements")

    def __init__(self, server: Server, statements: dict[str, str], inserts: dict[str, Insert]) -> None:
        self._server = server
        self._statements = statements
        self._inserts = inserts

    def run(self, name: str, values: Values | None = None) -> None:
        self._server.execute(self._statements[name], values or {})

    def many(self, name: str, rows: Iterable[Values]) -> None:
        insert = self._inserts.get(name)
        if insert is None:
            with self._server.cursor() as cursor:
                cursor.executemany(self._statements[name], list(rows))
            return
        waiting = iter(rows)
        with psycopg.RawCursor(self._server) as cursor:
            while chunk := list(islice(waiting, ROWS_AT_ONCE)):
                cursor.execute(insert.sql(len(chunk)), [row[name] for row in chunk for name in insert.names])

    def one(self, name: str, values: Values | None = None) -> Row | None:
        return self._server.execute(self._statements[name], values or {}).fetchone()

    def all(self, name: str, values: Values | None = None) -> list[Row]:
        return self._server.execute(self._statements[name], values or {}).fetchall()


def _listed(numbers: Iterable[int]) -> str:
    """Numbers of workspaces as PostgreSQL writes an array; nothing for none."""
    return "{" + ",".join(str(int(number)) for number in sorted(numbers)) + "}" if numbers else ""


def _end(server: Server) -> None:
    status = server.pgconn.transaction_status
    if status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
        with suppress(psycopg.Error):
            server.execute("ROLLBACK")
    elif status != TransactionStatus.IDLE:
        server.close()
