"""What PostgreSQL says when something is wrong, in words that say what to do; and addresses that can be shown.

Neither the password nor the whole address of a store is ever part of a message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

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
from muniment.store.connections import DEFECT

UPGRADE = (
    "Set MUNIMENT_STORE_ADMIN to the address of the role that owns the tables, run `muniment upgrade`, and take it away again."
)
# An address with colons that no network leads to.
_ONLY_V6 = re.compile(r"\([0-9a-f]*:[0-9a-f:]+\).*(?:unreachable|assign requested address)", re.DOTALL)


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Faults of the driver within the block become errors of ours."""
    try:
        yield
    except psycopg.Error as fault:
        raise meaning(where, fault) from fault


def parts(address: str) -> dict[str, Any]:
    try:
        return dict(conninfo_to_dict(address))
    except psycopg.ProgrammingError:
        # The driver's own words repeat the address, and with it the password.
        raise StoreError(
            "The address of the PostgreSQL store cannot be read.",
            "Write it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %40 for an @ inside the password.",
        ) from None


def shown(parts: dict[str, Any]) -> str:
    """An address for people: who, where and which database, and nothing that is secret."""
    host, port = str(parts.get("host") or ""), str(parts.get("port") or "")
    who = f"{parts['user']}@" if parts.get("user") else ""
    socket = host.startswith("/")
    server = ("" if socket else host) + (f":{port}" if port and not socket else "")
    return f"postgresql://{who}{server}/{parts.get('dbname') or ''}" + (f"?host={host}" if socket else "")


def foreign(where: str) -> StoreForeign:
    return StoreForeign(
        f"{where} holds tables of another program under the same names.",
        "Nothing was changed. Use an empty database, or a schema of its own: "
        "add ?options=-csearch_path%3Dmuniment to the address.",
    )


def unreachable(where: str, fault: psycopg.OperationalError) -> StoreError:
    """Servers and the client library say why in words only; what they do not know is answered with the general advice."""
    said = str(fault).strip()
    why = said.splitlines()[0].removesuffix(".") if said else type(fault).__name__
    if "database" in said and "does not exist" in said:
        return StoreMissing(
            f"{where} cannot be opened: {why}.", "Create the database first (`createdb NAME`), or correct the address."
        )
    if any(word in said for word in ("authentication", "password", "pg_hba.conf", "role", "SASL", "Tenant or user")):
        return StoreError(
            f"{where} cannot be opened: {why}.",
            "Check the user and the password (in the address, PGPASSWORD or ~/.pgpass). A role that is missing is made by "
            "`muniment init` with MUNIMENT_STORE_ADMIN. After a change of the password a pooler goes on asking for the old one "
            "until it is reloaded.",
        )
    if "startup parameter" in said:
        return StoreError(
            f"{where} cannot be opened: {why}.",
            "A pooler refuses ?options= in the address. Leave it out, and let the owner say "
            "`ALTER ROLE muniment SET search_path = SCHEMA` instead.",
        )
    if _ONLY_V6.search(said):
        return StoreError(
            f"{where} cannot be reached: {why}.",
            "The host has an IPv6 address only, and this machine reaches none. Use the provider's address for IPv4 "
            "(often that of its pooler, in session mode), or give this machine IPv6.",
        )
    if "too many" in said or "starting up" in said or "shutting down" in said:
        return StoreBusy(
            f"{where} takes no connection now: {why}.", "Try again in a moment, or raise max_connections of the server."
        )
    return StoreError(f"{where} cannot be reached: {why}.", "Check host and port, and that the server runs.")


def meaning(where: str, fault: psycopg.Error) -> MunimentError:
    """What a fault of the server means for the caller."""
    why = (fault.diag.message_primary or str(fault)).strip().splitlines()[0] if str(fault) else type(fault).__name__
    match fault:
        case errors.LockNotAvailable() | errors.DeadlockDetected() | errors.SerializationFailure() | errors.QueryCanceled():
            return StoreBusy(f"Others kept {where} locked for too long ({why}).")
        case errors.DiskFull() | errors.OutOfMemory():
            return StoreFull(f"There is no room to write to {where} ({why}).")
        case errors.InsufficientPrivilege() if "row-level security" in why:
            return StoreError(f"{where} keeps a row behind its walls from this caller ({why}).", DEFECT)
        case errors.InsufficientPrivilege():
            return StoreError(
                f"The role of {where} may not do this ({why}).",
                "Run `muniment upgrade` with MUNIMENT_STORE_ADMIN: it gives every role the rights that it needs.",
            )
        case errors.InvalidSqlStatementName() | errors.DuplicatePreparedStatement():
            return StoreError(
                f"A pooler in transaction mode stands before {where} and mixes up prepared statements ({why}).",
                "Set MUNIMENT_PREPARE=false, or use the address of a pooler in session mode, or a direct one.",
            )
        case errors.InvalidParameterValue() if "role" in why:
            return SchemaOlder(f"{where} lacks a role of Muniment ({why}).", UPGRADE)
        case errors.UndefinedObject() if "role" in why:
            return StoreError(
                f"A role was removed while it was connected to {where} ({why}).",
                "Start the server again. If a pooler stands between, its connections outlive the role: reload or restart it.",
            )
        case errors.ReadOnlySqlTransaction():
            return StoreError(f"{where} takes no writes ({why}).", "Name the primary server instead of a replica.")
        case errors.DuplicateTable() | errors.DuplicateObject():
            return foreign(where)
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
