"""PostgreSQL through psycopg: one database, many servers. A write holds its workspace; readers wait for nobody.

Writes are READ COMMITTED on purpose. A write transaction takes the row of its workspace first (`workspaces.hold` or
`take`), so the writes of one workspace follow each other, and every statement after that sees what the one before
committed. Nothing then fails to serialize, which matters because a block cannot be run a second time from here.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8Dumper
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from muniment.errors import (
    InvalidInput,
    LimitExceeded,
    MunimentError,
    SchemaOlder,
    StoreBusy,
    StoreError,
    StoreForeign,
    StoreFull,
    StoreMissing,
)
from muniment.store import migrate
from muniment.store.connections import DEFECT, Connection, Reach, Row, Values
from muniment.store.queries import Insert, bulk, for_psycopg, load

SERVER_OLDEST = 150_000
# A block holds one connection. Do not open a block of one kind within the other: eight threads doing so would wait.
POOL_MAX = 8
CONNECT_SECONDS_MAX = 10
# A statement may take longer than a lock is waited for, but not for ever.
STATEMENT_MS_MAX = 300_000
# Rows of one INSERT. Measured, µs a row: postings 17 by executemany, 5 by 100, 4.5 by 500, 5 by 2,000; passages 25, 11, 11, 11.
ROWS_AT_ONCE = 500
# How long cleaning waits for those who use a table, while others wait behind it; it can be repeated at any time.
CLEAN_WAIT_MS = 5_000
# Segments of the log that the server may have laid out in advance.
SEGMENTS_AHEAD_MOST = 64
# One number for every Muniment: whoever holds it may change the schema of this database.
SCHEMA_LOCK = 0x4D554E49
FACTS = (
    "server_version",
    "server_encoding",
    "synchronous_commit",
    "fsync",
    "full_page_writes",
    "is_superuser",
    "in_hot_standby",
)

Server = psycopg.Connection[Row]


class PostgresStore:
    """A store in one database (and, if the address names a `search_path`, one schema of it). Connects when first used."""

    dialect = "postgres"
    path = None

    def __init__(self, address: str, *, wait_ms_max: int = 30_000) -> None:
        parts = _parts(address)
        self.where = _shown(parts)
        self._statements = {name: for_psycopg(sql) for name, sql in load("postgres").items()}
        self._inserts = {name: insert for name, sql in load("postgres").items() if (insert := bulk(sql))}
        timeouts = f"SET LOCAL lock_timeout = {wait_ms_max}; SET LOCAL statement_timeout = {max(wait_ms_max, STATEMENT_MS_MAX)}"
        self._begin_read = f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {timeouts}"
        self._begin_write = f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {timeouts}"
        self._local = threading.local()
        self._guard = threading.Lock()
        defaults: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS_MAX, "application_name": "muniment"}
        self._address = make_conninfo(**defaults | parts)
        self._pool: ConnectionPool[Server] = ConnectionPool(
            self._address,
            kwargs={"autocommit": True, "client_encoding": "utf8"},
            min_size=1,
            max_size=POOL_MAX,
            open=False,
            configure=_configure,
            check=ConnectionPool.check_connection,
            timeout=wait_ms_max / 1000,
            name="muniment",
        )
        self._greeted = False

    def within(self, reach: Reach) -> PostgresStore:
        return self

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

    @contextmanager
    def ddl(self) -> Iterator[Callable[[str], None]]:
        """Whoever comes second waits, and then sees what the first one did."""
        with self._block(self._begin_write) as server:
            server.execute("SELECT pg_advisory_xact_lock(%s)", (SCHEMA_LOCK,))
            self._local.migrating = server
            try:
                yield lambda sql: _drain(server.execute(sql))
            finally:
                self._local.migrating = None
            self._commit(server)

    def version(self) -> list[Row]:
        """The migrations that were applied; empty for a new database."""
        server: Server | None = getattr(self._local, "migrating", None)
        if server is not None:
            return self._version(server)
        with self._block(self._begin_read) as server:
            return self._version(server)

    def audit(self, deep: bool) -> list[tuple[str, str]]:
        """Facts about the database that `doctor` judges: (name, value). The server keeps its own integrity checks."""
        with self._block(self._begin_read) as server:
            facts = server.execute(
                "SELECT name, setting FROM pg_settings WHERE name = ANY (%s) ORDER BY name", (list(FACTS),)
            ).fetchall()
            if deep:
                open_keys = "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND NOT convalidated"
                facts += [("foreign_keys_unchecked", str(number)) for (number,) in server.execute(open_keys)]
            return [(str(name), str(value)) for name, value in facts]

    def backup(self, target: Path) -> None:
        raise StoreError(
            f"{self.where} is copied with PostgreSQL's own program.",
            "Run `pg_dump --format=custom --file=FILE` on this database.",
        )

    def clean_up(self) -> bool:
        """Write every table and its statistics anew, and move the write-ahead log past all that was written before.

        Needs the owner of the tables, and for the log a superuser (or a role with pg_checkpoint, pg_monitor and the right to
        call pg_switch_wal). Answers True only where no older log, archive or replica can be left.
        """
        with self._translated():
            server = self._take()
            try:
                server.execute(f"SET lock_timeout = {CLEAN_WAIT_MS}")
                return self._rewrite(server) and _past_the_log(server)
            finally:
                if not server.closed:
                    server.execute("RESET lock_timeout")
                self._pool.putconn(server)

    def _rewrite(self, server: Server) -> bool:
        """Whether every table of the store could be rewritten."""
        names = sorted({name for one in migrate.known("postgres") for name in re.findall(r"CREATE TABLE (\w+)", one.sql)})
        mine = "SELECT count(*) FROM pg_class WHERE oid = ANY (%s::regclass[]) AND pg_has_role(relowner, 'USAGE')"
        owned = server.execute(mine, (names,)).fetchone()
        catalogue = "SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()"
        of_database = server.execute(catalogue).fetchone()
        if not owned or owned[0] < len(names):
            return False
        for name in names:
            server.execute(f"VACUUM (FULL, ANALYZE) {name}")  # names of our own migrations
            _unlearn(server, name)
        if not of_database or not of_database[0]:
            return False
        server.execute("VACUUM (FULL) pg_statistic")  # it held the most common words as they are
        return True

    def bytes(self) -> int | None:
        """The size of the whole database, with whatever else lies in it."""
        with self._block(self._begin_read) as server:
            row = server.execute("SELECT pg_database_size(current_database())").fetchone()
        return int(row[0]) if row else None

    def close(self) -> None:
        self._pool.close()

    def _names(self, server: Server) -> _Names:
        return _Names(server, self._statements, self._inserts)

    def _version(self, server: Server) -> list[Row]:
        found = server.execute("SELECT to_regclass('migration')").fetchone()
        if found is None or found[0] is None:
            return []
        try:
            return server.execute("SELECT number, checksum FROM migration ORDER BY number").fetchall()
        except errors.UndefinedColumn as fault:
            raise _foreign(self.where) from fault

    def _commit(self, server: Server) -> None:
        """A transaction that failed half-way answers COMMIT with a rollback, so the answer has to be read."""
        if server.execute("COMMIT").statusmessage != "COMMIT":
            raise StoreError(
                f"The write to {self.where} was undone after an error inside it.", "Nothing was stored. Try again."
            )

    @contextmanager
    def _block(self, begin: str) -> Iterator[Server]:
        """A connection in a transaction, which is rolled back unless the block has committed it."""
        with self._translated():
            server = self._take()
            try:
                _drain(server.execute(begin))
                yield server
            finally:
                _end(server)
                self._pool.putconn(server)

    def _take(self) -> Server:
        with self._guard:
            if not self._greeted:
                self._greet()
                self._pool.open()
                self._greeted = True
        try:
            return self._pool.getconn()
        except PoolTimeout:
            self._greet()
            raise StoreBusy(f"All {POOL_MAX} connections of this process to {self.where} are in use.") from None
        except PoolClosed as fault:
            raise StoreError(f"{self.where} was closed.", "Open the store again.") from fault

    def _greet(self) -> None:
        """Connect once outside the pool: it would hide why a server does not answer."""
        try:
            with psycopg.connect(self._address) as server:
                version, encoding = server.info.server_version, server.info.parameter_status("server_encoding")
        except psycopg.OperationalError as fault:
            raise _unreachable(self.where, fault) from None
        if version < SERVER_OLDEST:
            raise StoreError(
                f"{self.where} runs PostgreSQL {version // 10_000}.", f"Muniment needs {SERVER_OLDEST // 10_000} or newer."
            )
        if encoding != "UTF8":
            raise StoreError(
                f"{self.where} is encoded in {encoding}.", "Create a database with `ENCODING 'UTF8' TEMPLATE template0`."
            )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as fault:
            raise _meaning(self.where, fault) from fault


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


def _unlearn(server: Server, name: str) -> None:
    """Drop the statistics of an empty table's texts: the server leaves them as they are when it finds no rows."""
    filled = server.execute(f"SELECT EXISTS (SELECT 1 FROM {name})").fetchone()
    if filled and filled[0]:
        return
    known = server.execute(
        "SELECT format('ALTER COLUMN %%I TYPE text COLLATE pg_catalog.%%I', a.attname, c.collname) FROM pg_attribute a "
        "JOIN pg_collation c ON c.oid = a.attcollation JOIN pg_class t ON t.oid = a.attrelid "
        "JOIN pg_stats s ON s.schemaname = t.relnamespace::regnamespace::text AND s.tablename = t.relname "
        "AND s.attname = a.attname WHERE a.attrelid = %s::regclass AND a.atttypid = 'text'::regtype",
        (name,),
    ).fetchall()
    if known:  # a column that is given the type it has is not written anew, but its statistics go
        server.execute(f"ALTER TABLE {name} {', '.join(change for (change,) in known)}")


def _past_the_log(server: Server) -> bool:
    """Move the write-ahead log on to a fresh segment, and past those that were laid out in advance with old bytes in them.

    Answers whether no other segment is left, on a server that hands none on.
    """
    hands_on = server.execute(
        "SELECT current_setting('wal_recycle') = 'on' OR current_setting('archive_mode') <> 'off' "
        "OR EXISTS (SELECT 1 FROM pg_replication_slots) OR EXISTS (SELECT 1 FROM pg_stat_replication)"
    ).fetchone()
    if hands_on is None or hands_on[0]:
        return False
    left = SEGMENTS_AHEAD_MOST + 1
    try:
        while True:
            # A switch does nothing in a segment that nothing was written to.
            server.execute("SELECT pg_logical_emit_message(false, 'muniment', ''), pg_switch_wal()")
            server.execute("CHECKPOINT")
            row = server.execute("SELECT count(*) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'").fetchone()
            before, left = left, int(row[0]) if row else 0
            if left <= 1 or left >= before:
                return left == 1
    except errors.InsufficientPrivilege:
        return False


def _configure(server: Server) -> None:
    # One type for every number: with the narrowest type for each value a statement would be prepared many times over.
    server.adapters.register_dumper(int, Int8Dumper)


def _end(server: Server) -> None:
    status = server.pgconn.transaction_status
    if status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
        with suppress(psycopg.Error):
            server.execute("ROLLBACK")
    elif status != TransactionStatus.IDLE:
        server.close()


def _drain(cursor: psycopg.Cursor[Row]) -> None:
    """Several statements were sent as one; their answers are all here already."""
    while cursor.nextset():
        pass


def _parts(address: str) -> dict[str, Any]:
    try:
        return dict(conninfo_to_dict(address))
    except psycopg.ProgrammingError:
        # The driver's own words repeat the address, and with it the password.
        raise StoreError(
            "The address of the PostgreSQL store cannot be read.",
            "Write it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %40 for an @ inside the password.",
        ) from None


def _shown(parts: dict[str, Any]) -> str:
    """An address for people: who, where and which database, and nothing that is secret."""
    host, port = str(parts.get("host") or ""), str(parts.get("port") or "")
    who = f"{parts['user']}@" if parts.get("user") else ""
    socket = host.startswith("/")
    server = ("" if socket else host) + (f":{port}" if port and not socket else "")
    return f"postgresql://{who}{server}/{parts.get('dbname') or ''}" + (f"?host={host}" if socket else "")


def _foreign(where: str) -> StoreForeign:
    return StoreForeign(
        f"{where} holds tables of another program under the same names.",
        "Nothing was changed. Use an empty database, or a schema of its own: "
        "add ?options=-csearch_path%3Dmuniment to the address.",
    )


def _unreachable(where: str, fault: psycopg.OperationalError) -> StoreError:
    """Servers and the client library say why in words only; what they do not know is answered with the general advice."""
    said = str(fault).strip()
    why = said.splitlines()[0].removesuffix(".") if said else type(fault).__name__
    if "database" in said and "does not exist" in said:
        return StoreMissing(
            f"{where} cannot be opened: {why}.", "Create the database first (`createdb NAME`), or correct the address."
        )
    if any(word in said for word in ("authentication", "password", "pg_hba.conf", "role")):
        return StoreError(
            f"{where} cannot be opened: {why}.", "Check the user and the password (in the address, PGPASSWORD or ~/.pgpass)."
        )
    if "too many" in said or "starting up" in said or "shutting down" in said:
        return StoreBusy(
            f"{where} takes no connection now: {why}.", "Try again in a moment, or raise max_connections of the server."
        )
    return StoreError(f"{where} cannot be reached: {why}.", "Check host and port, and that the server runs.")


def _meaning(where: str, fault: psycopg.Error) -> MunimentError:
    """What a fault of the server means for the caller."""
    why = (fault.diag.message_primary or str(fault)).strip().splitlines()[0] if str(fault) else type(fault).__name__
    match fault:
        case errors.LockNotAvailable() | errors.DeadlockDetected() | errors.SerializationFailure() | errors.QueryCanceled():
            return StoreBusy(f"Others kept {where} locked for too long ({why}).")
        case errors.DiskFull() | errors.OutOfMemory():
            return StoreFull(f"There is no room to write to {where} ({why}).")
        case errors.InsufficientPrivilege():
            return StoreError(
                f"The role of {where} may not do this ({why}).",
                "Let the database's owner grant it, or use the owner for `init`.",
            )
        case errors.ReadOnlySqlTransaction():
            return StoreError(f"{where} takes no writes ({why}).", "Name the primary server instead of a replica.")
        case errors.DuplicateTable() | errors.DuplicateObject():
            return _foreign(where)
        case errors.UndefinedTable() | errors.UndefinedColumn():
            return SchemaOlder(f"{where} lacks what this Muniment needs ({why}).")
        case errors.FeatureNotSupported():
            return SchemaOlder(f"{where} changed its schema just now ({why}).", "Try again.")
        case errors.ProgramLimitExceeded():
            return LimitExceeded(f"A name or label is too long to be found again ({why}).")
        case errors.UntranslatableCharacter() | errors.CharacterNotInRepertoire():
            return InvalidInput(f"A text holds a character that cannot be stored ({why}).")
        case psycopg.DataError() if fault.sqlstate is None:
            return InvalidInput(f"A value cannot be stored ({why}).")
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return StoreError(
                f"The connection to {where} was lost ({why}).",
                "Call again: what had been stored already is recognised and not kept twice.",
            )
    return StoreError(f"{where} refused a statement ({why}).", DEFECT)
