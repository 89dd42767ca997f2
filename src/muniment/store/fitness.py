"""Whether a PostgreSQL role may serve: one that PostgreSQL lets past the walls, or that owns them, is refused at the door.

Superusers and roles with BYPASSRLS skip even forced row-level security; an owner can take the walls down. The check is made by
the login role itself, before it takes on any other, and needs no right.
"""

from __future__ import annotations

from dataclasses import dataclass

import psycopg

from muniment.errors import SchemaOlder, StoreError, StoreMissing
from muniment.store.connections import Row
from muniment.store.postgres_faults import UPGRADE
from muniment.store.privileges import KEEPER, WORKING
from muniment.store.walls import SCOPED

ADVICE = (
    "Put this address into MUNIMENT_STORE_ADMIN, and into MUNIMENT_STORE one with a role of its own "
    "(postgresql://muniment:PASSWORD@HOST/DATABASE); `muniment init` or `muniment upgrade` makes that role. "
    "Serve without MUNIMENT_STORE_ADMIN."
)
INIT = "Set MUNIMENT_STORE_ADMIN to the address of a role that may make tables and roles, and run `muniment init`."
_ROLE = """
    SELECT session_user::text,
        EXISTS (SELECT FROM pg_roles WHERE rolsuper AND pg_has_role(session_user, oid, 'MEMBER')),
        EXISTS (SELECT FROM pg_roles WHERE rolbypassrls AND pg_has_role(session_user, oid, 'MEMBER')),
        (SELECT pg_has_role(session_user, datdba, 'MEMBER') FROM pg_database WHERE datname = current_database()),
        EXISTS (SELECT FROM pg_class t WHERE t.relkind IN ('r', 'p') AND pg_has_role(session_user, t.relowner, 'MEMBER')
            AND t.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('migration'))),
        (SELECT count(*) = %s FROM pg_roles WHERE rolname = ANY (%s) AND pg_has_role(session_user, oid, 'MEMBER')),
        to_regclass('migration') IS NOT NULL
"""
_UNWALLED = """
    SELECT name FROM unnest(%s::text[]) AS name LEFT JOIN pg_class t ON t.oid = to_regclass(name)
    WHERE NOT coalesce(t.relrowsecurity AND t.relforcerowsecurity, false)
"""


@dataclass(frozen=True, slots=True)
class Role:
    """What PostgreSQL lets the login role of a connection do. `working`: it may take on every role that the runtime needs."""

    name: str
    superuser: bool
    bypasses: bool
    owns_database: bool
    owns_tables: bool
    working: bool
    made: bool  # whether there is a store at all

    @property
    def unsafe(self) -> str:
        """Why it may not serve, or nothing."""
        if self.superuser:
            return "is a superuser, or may become one"
        if self.bypasses:
            return "has BYPASSRLS, or may become a role that has it"
        if self.owns_tables:
            return "owns tables of the store, or may become their owner"
        if self.owns_database:
            return "owns the database, or may become its owner"
        return ""


def role(server: psycopg.Connection[Row]) -> Role:
    """The login role of a connection, whatever role it has taken on since."""
    row = server.execute(_ROLE, (len(WORKING), list(WORKING))).fetchone()
    assert row is not None, "a statement without FROM has one row"
    return Role(*row)


def unwalled(server: psycopg.Connection[Row]) -> list[str]:
    """The tables that should have walls and have none: somebody took them down, or the table itself is gone."""
    return [str(name) for (name,) in server.execute(_UNWALLED, ([one.name for one in SCOPED],))]


def check(where: str, found: Role) -> None:
    """Raise unless the role may serve: StoreError for what it may do, SchemaOlder or StoreMissing for what is missing."""
    if found.unsafe:
        raise StoreError(f"{where} is not served: the role {found.name} {found.unsafe}, and so no wall would hold it.", ADVICE)
    if found.working:
        return
    if not found.made:
        raise StoreMissing(f"{where} holds no Muniment store yet.", INIT)
    raise SchemaOlder(f"The role {found.name} may not act as {KEEPER} in {where}: its rights are missing.", UPGRADE)
