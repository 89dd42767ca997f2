"""The owner's connection to a PostgreSQL store: the only one that makes tables, roles and rights, and that cleans up.

Roles hold for the whole server and may be shared by several stores; nothing here takes one away or changes a password.
Whoever changes the schema leaves the rights of its roles right, in the same transaction.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from psycopg import errors, sql

from muniment.errors import InvalidInput, StoreBusy, StoreError
from muniment.store import fitness, migrate, postgres_cleaning, postgres_faults, postgres_masking, privileges
from muniment.store.connections import Row
from muniment.store.pool import Server, drain
from muniment.store.postgres import PostgresStore
from muniment.store.privileges import CLERK, KEEPER, ROLES, WORKING
from muniment.store.queries import load
from muniment.store.walls import OPEN

# One number for every Muniment: whoever holds it may change the schema of this database.
SCHEMA_LOCK = 0x4D554E49
# Others on the same server may be making the same roles at this moment.
ATTEMPTS_MOST = 20
ATTEMPT_SECONDS = 0.05
# What a server says when two change one role at once; it has no code of its own for that.
AT_ONCE = "concurrently"
RACES = (errors.DuplicateObject, errors.UniqueViolation)
MAY = "Name a superuser in MUNIMENT_STORE_ADMIN, or the owner of the database with CREATEROLE."

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Established:
    """What `establish` did: the migrations that it applied, and the login role that it made, if it made one.

    `there`: the store was made before, if by an older Muniment.
    """

    applied: tuple[str, ...] = ()
    made: str = ""
    password: bool = False  # whether that role has one
    there: bool = False


class PostgresAdmin(PostgresStore):
    """A store under the role that owns its tables. It may do anything, so nothing is served through it.

    `masks`: whether secrets in what services file are masked, as the setting `redact` says.
    """

    def __init__(self, address: str, *, wait_ms_max: int = 30_000, masks: bool = True) -> None:
        self._masks = masks
        super().__init__(address, wait_ms_max=wait_ms_max, prepare=False)
        self._parts = postgres_faults.parts(address)
        self._begin_read, self._begin_write = (_as_itself(begin) for begin in (self._begin_read, self._begin_write))

    @contextmanager
    def ddl(self) -> Iterator[Callable[[str], None]]:
        """Whoever comes second waits, and then sees what the first one did. The roles are there when it begins."""
        self._changing_roles(_make_roles)
        with self._block(self._begin_write) as server:
            server.execute("SELECT pg_advisory_xact_lock(%s)", (SCHEMA_LOCK,))
            self._local.migrating = server
            try:
                yield lambda text: drain(server.execute(text))
            finally:
                self._local.migrating = None
            self._give_rights(server)
            self._commit(server)

    def version(self) -> list[Row]:
        server: Server | None = getattr(self._local, "migrating", None)
        if server is not None:
            return self._version(server)
        with self._block(self._begin_read) as server:
            return self._version(server)

    def establish(self, login: str, now_ms: int) -> Established:
        """Bring everything up to date: roles, schema, rights, and the login role that the address `login` names.

        Safe to repeat and to race. Raises InvalidInput when the two addresses name one role or two databases.
        """
        parts = self._runtime(login)
        applied = migrate.apply(self, now_ms)
        if not applied:
            with self.ddl():  # the rights of a program with other statements, or of a server that lost its roles
                pass
        name, password = str(parts["user"]), str(parts.get("password") or os.environ.get("PGPASSWORD") or "")
        made = self._changing_roles(lambda server: _make_login(server, name, password))
        return Established(tuple(one.name for one in applied), *made, there=len(applied) < len(migrate.known("postgres")))

    def clean_up(self) -> bool:
        """Leave nothing in the server's files of what was deleted; whether that is certain."""
        with postgres_faults.translated(self.where):
            server = self._pool.take()
            try:
                return postgres_cleaning.clean(server)
            finally:
                self._pool.give(server)

    def _fit(self, server: Server) -> None:
        """The owner is let in everywhere else, and must not be here."""

    def _check_rights(self, server: Server, applied: list[Row]) -> None:
        """Rights that are not right are what this role puts right."""

    def _runtime(self, login: str) -> dict[str, Any]:
        """The parts of the address that will be served, checked against this one."""
        parts, own = postgres_faults.parts(login), self._parts
        name = parts.setdefault("user", os.environ.get("PGUSER"))
        if not name:
            raise InvalidInput("The address of the store names no role.", "Write postgresql://ROLE:PASSWORD@HOST/DATABASE.")
        with self._block(self._begin_read) as server:
            row = server.execute("SELECT session_user::text, current_database()::text").fetchone()
        assert row is not None, "a statement without FROM has one row"
        if name == row[0]:
            raise InvalidInput(f"MUNIMENT_STORE and MUNIMENT_STORE_ADMIN both name the role {name}.", fitness.ADVICE)
        if str(parts.get("dbname") or name) != row[1] or parts.get("options") != own.get("options"):
            advice = "Name the same database, and the same ?options=, in both; only role, password and host may differ."
            raise InvalidInput("MUNIMENT_STORE and MUNIMENT_STORE_ADMIN name two places.", advice)
        return parts

    def _give_rights(self, server: Server) -> None:
        """Take every right from the roles and give those that the statements of this program need, and no others."""
        if [row[0] for row in self._version(server)] != [one.number for one in migrate.known(self.dialect)]:
            return  # more is to come, and the rest may name tables that are not there yet
        statements = load(self.dialect)
        row = server.execute("SELECT current_schema()").fetchone()
        schema = sql.Identifier(str(row[0] if row else ""))
        everybody = sql.SQL(", ").join(map(sql.Identifier, ROLES))
        for name in fitness.unwalled(server):
            server.execute(f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        server.execute(postgres_masking.function(masks=self._masks))
        hiding = {table.name: _columns(server, table.name) for table in OPEN if table.hidden}
        drain(
            server.execute(
                sql.SQL("; ").join(
                    [
                        sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, everybody),
                        sql.SQL(f"REVOKE ALL ON {', '.join(privileges.tables())} FROM {{}}").format(everybody),
                        sql.SQL(f"REVOKE ALL ON FUNCTION {', '.join(privileges.FUNCTIONS)} FROM {{}}").format(everybody),
                        sql.SQL(f"REVOKE ALL ON FUNCTION {postgres_masking.NAME} FROM PUBLIC, {{}}").format(everybody),
                        *(sql.SQL(f"GRANT {right}") for right in privileges.grants(statements, hiding)),
                        sql.SQL("COMMENT ON TABLE migration IS {}").format(sql.Literal(privileges.fingerprint(statements))),
                    ]
                )
            )
        )

    def _changing_roles(self, change: Callable[[Server], T]) -> T:
        """Roles belong to the whole server, so somebody with another database may be changing them too: then once more."""
        for attempt in range(ATTEMPTS_MOST):
            try:
                with self._block(self._begin_write) as server:
                    done = change(server)
                    self._commit(server)
                    return done
            except StoreError as fault:
                cause = fault.__cause__
                if isinstance(cause, errors.InsufficientPrivilege):
                    raise StoreError(
                        f"The role of {self.where} may not make roles ({cause.diag.message_primary}).", MAY
                    ) from cause
                if not isinstance(cause, RACES) and AT_ONCE not in str(cause):
                    raise
                time.sleep(ATTEMPT_SECONDS * (1 + attempt))
        raise StoreBusy(f"Others went on changing the roles of {self.where}.")


def _make_roles(server: Server) -> None:
    """The group roles, which nobody can log in with; and the right to act as them for whoever owns the tables."""
    found = server.execute("SELECT rolname FROM pg_roles WHERE rolname = ANY (%s)", (list(ROLES),)).fetchall()
    held = {str(name) for (name,) in found}
    for role in (one for one in ROLES if one not in held):
        server.execute(f"CREATE ROLE {role} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS")
    for role in (KEEPER, CLERK):
        if not _acts(server, "current_user", role, "USAGE"):
            server.execute(f"GRANT {role} TO CURRENT_USER")


def _make_login(server: Server, name: str, password: str) -> tuple[str, bool]:
    """Make the role that is served with, unless it is there, and let it act as the working roles. Answers what it made."""
    there = server.execute("SELECT FROM pg_roles WHERE rolname = %s", (name,)).rowcount > 0
    if not there:
        secret: sql.Composable = sql.SQL("")
        if password:  # the server is told a hash: a password in a statement would stand in its log
            hashed = server.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode()
            secret = sql.SQL(" PASSWORD {}").format(sql.Literal(hashed))
        limits = sql.SQL("CREATE ROLE {} LOGIN NOINHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS")
        server.execute(limits.format(sql.Identifier(name)) + secret)
    for role in WORKING:
        if not _acts(server, name, role, "MEMBER"):
            server.execute(sql.SQL(f"GRANT {role} TO {{}}").format(sql.Identifier(name)))
    row = server.execute(
        "SELECT current_database(), has_database_privilege(%s::name, current_database(), 'CONNECT')", (name,)
    ).fetchone()
    if row and not row[1]:
        server.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(sql.Identifier(row[0]), sql.Identifier(name)))
    return ("", False) if there else (name, bool(password))


def _acts(server: Server, name: str, role: str, how: str) -> bool:
    who = "current_user" if name == "current_user" else "%(name)s::name"
    row = server.execute(
        f"SELECT pg_has_role({who}, %(role)s::name, %(how)s)", {"name": name, "role": role, "how": how}
    ).fetchone()
    return bool(row and row[0])


def _columns(server: Server, table: str) -> list[str]:
    found = server.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        (table,),
    ).fetchall()
    return [str(name) for (name,) in found]


def _as_itself(begin: str) -> str:
    """The owner takes on no role; as one of the keepers it may still declare that it is there for every workspace."""
    return begin.replace(f"SET LOCAL ROLE {KEEPER}; ", "")
