"""Connections to a PostgreSQL server: at most so many a process, opened when first used and checked before they are lent.

The first one is made outside of the pool, which would hide why a server does not answer, and is where the login role has to
show that it may serve.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.types.numeric import Int8Dumper
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from muniment.errors import StoreBusy, StoreError
from muniment.store import postgres_faults
from muniment.store.connections import Row

SERVER_OLDEST = 150_000
# A block holds one connection. Do not open a block of one kind within the other: as many threads doing so would wait.
# One for each thread of a server, so that no kind of work waits until another kind gives one back: 8 for operations, 2 that
# find out who asks, and one each for those who watch, for the uses of tokens, and for the worker.
POOL_MAX = 13
CONNECT_SECONDS_MAX = 10

Server = psycopg.Connection[Row]


class Pool:
    """`fit` looks at the first connection, and again when the pool ran dry; it raises when the store may not be used so."""

    def __init__(
        self, parts: dict[str, Any], where: str, wait_ms_max: int, *, prepare: bool, fit: Callable[[Server], None]
    ) -> None:
        self._where = where
        self._fit = fit
        self._guard = threading.Lock()
        self._greeted = False
        defaults: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS_MAX, "application_name": "muniment"}
        self._address = make_conninfo(**defaults | parts)
        options: dict[str, Any] = {"autocommit": True, "client_encoding": "utf8"}
        self._lent: ConnectionPool[Server] = ConnectionPool(
            self._address,
            kwargs=options if prepare else options | {"prepare_threshold": None},
            min_size=1,
            max_size=POOL_MAX,
            open=False,
            configure=_configure,
            timeout=wait_ms_max / 1000,
            name="muniment",
        )

    def take(self) -> Server:
        """A connection that is in no transaction. Raises StoreBusy when all are in use for too long."""
        with self._guard:
            if not self._greeted:
                self._greet()
                self._lent.open()
                self._greeted = True
        try:
            return self._living()
        except PoolTimeout:
            self._greet()
            raise StoreBusy(f"All {POOL_MAX} connections of this process to {self._where} are in use.") from None
        except PoolClosed as fault:
            raise StoreError(f"{self._where} was closed.", "Open the store again.") from fault

    def _living(self) -> Server:
        """A connection that still works. The pool's own check waits longer after each dead one; after a restart of the
        database all of them are dead at once.
        """
        while True:
            server = self._lent.getconn()
            try:
                ConnectionPool.check_connection(server)
            except psycopg.OperationalError:
                server.close()
                self._lent.putconn(server)  # which makes a new one in its place
            else:
                return server

    def give(self, server: Server) -> None:
        self._lent.putconn(server)

    def close(self) -> None:
        self._lent.close()

    def _greet(self) -> None:
        try:
            with psycopg.connect(self._address, autocommit=True, prepare_threshold=None) as server:
                version, encoding = server.info.server_version, server.info.parameter_status("server_encoding")
                if version < SERVER_OLDEST:
                    raise StoreError(
                        f"{self._where} runs PostgreSQL {version // 10_000}.",
                        f"Muniment needs {SERVER_OLDEST // 10_000} or newer.",
                    )
                if encoding != "UTF8":
                    raise StoreError(
                        f"{self._where} is encoded in {encoding}.",
                        "Create a database with `ENCODING 'UTF8' TEMPLATE template0`.",
                    )
                self._fit(server)
        except psycopg.OperationalError as fault:
            raise postgres_faults.unreachable(self._where, fault) from None


def _configure(server: Server) -> None:
    # One type for every number: with the narrowest type for each value a statement would be prepared many times over.
    server.adapters.register_dumper(int, Int8Dumper)
    # A pooler gives out a number of its own. In transaction mode it may hand us a server on which another client has prepared
    # something else under the same name, which would run instead, and nobody could tell.
    row = server.execute("SELECT pg_backend_pid()").fetchone()
    if row is None or row[0] != server.info.backend_pid:
        server.prepare_threshold = None


def drain(cursor: psycopg.Cursor[Row]) -> None:
    """Several statements were sent as one; their answers are all here already."""
    while cursor.nextset():
        pass
