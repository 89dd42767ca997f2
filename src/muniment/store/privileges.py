"""What each role of a PostgreSQL store may do, derived from the named statements: a right that no statement uses is not given.

The first lock. Roles hold for the whole server, tables for one database; so rights are given anew whenever the schema of a
database changes, and a fingerprint of them lies beside the schema, by which a server knows that they are its own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from muniment.store import migrate, postgres_masking
from muniment.store.walls import OPEN, SCOPED

READER, WRITER, KEEPER = "muniment_reader", "muniment_writer", "muniment_keeper"
GATEWAY, CLERK = "muniment_gateway", "muniment_clerk"
# What the runtime takes on, one at a time; it holds nothing itself.
WORKING = (READER, WRITER, KEEPER)
ROLES = (*WORKING, GATEWAY, CLERK)
# The functions of services outside, with what they are called with; they run as the clerk, who is behind the walls like all.
FUNCTIONS = (
    "gateway_status(text, text, text)",
    "gateway_search(text, text, text, text, integer)",
    "gateway_fetch(text, text, text, text)",
    "gateway_add(text, text, text, text, text)",
)
CLERK_RIGHTS = (
    "SELECT ON workspace, record, proposal",
    "SELECT (alias, workspace, decision) ON workspace_alias",
    "SELECT (id, name), INSERT (uid, name, kind, level, created_at) ON principal",
    "UPDATE (numbers, actions, stamp) ON workspace",
    "SELECT (workspace, seq, hash), INSERT ON action",
    f"EXECUTE ON FUNCTION {postgres_masking.NAME}",
    "INSERT ON proposal, gateway_call",
    "SELECT (workspace), DELETE ON gateway_call",
)
# What those services did; a table that only this store has.
CALLS = "gateway_call"
KEPT = "muniment: "

_CHANGES = re.compile(r"\b(INSERT INTO|DELETE FROM) ([a-z]\w*)")
_UPDATE = re.compile(r"(?<!DO )\bUPDATE ([a-z]\w*)(?: [a-z]\w*)? SET (.*?)(?= WHERE | FROM | RETURNING |$)", re.DOTALL)
_UPSERT = re.compile(r"INSERT INTO ([a-z]\w*).*DO UPDATE SET (.*?)(?= WHERE | RETURNING |$)", re.DOTALL)
_SET = re.compile(r"(?:^|,)\s*([a-z]\w*)\s*=")
_BRACKETS = re.compile(r"\([^()]*\)")


@dataclass(slots=True)
class Need:
    """What the statements do with one table."""

    insert: bool = False
    delete: bool = False
    update: set[str] = field(default_factory=set)


def tables() -> list[str]:
    """Every table that the migrations make, and their own."""
    made = (re.findall(r"CREATE TABLE (\w+)", one.sql) for one in migrate.known("postgres"))
    return sorted({"migration", *(name for names in made for name in names)})


def closed() -> list[str]:
    """The keeper's own tables: those of the list, and any that the list does not know."""
    known = {*(one.name for one in SCOPED), *(one.name for one in OPEN), CALLS}
    return [name for name in tables() if name not in known]


def needs(statements: Mapping[str, str]) -> dict[str, Need]:
    """By table, what the statements change in it."""
    found: dict[str, Need] = {}
    for statement in statements.values():
        sql = " ".join(line for line in statement.splitlines() if not line.lstrip().startswith("--"))
        for act, table in _CHANGES.findall(sql):
            need = found.setdefault(table, Need())
            need.insert |= act.startswith("INSERT")
            need.delete |= act.startswith("DELETE")
        for pattern in (_UPDATE, _UPSERT):
            for table, changed in pattern.findall(_flat(sql)):
                found.setdefault(table, Need()).update |= set(_SET.findall(changed))
    return found


def grants(statements: Mapping[str, str], columns: Mapping[str, Iterable[str]]) -> list[str]:
    """The rights of the roles, as `RIGHTS ON TABLE TO ROLES`. `columns`: those of each table that hides some."""
    rights: list[str] = []
    needed = needs(statements)
    for scoped in SCOPED:
        rights.append(f"SELECT ON {scoped.name} TO {', '.join(WORKING)}")
        # A new workspace needs the whole store: nobody can have declared it.
        rights += _changing(scoped.name, needed, WRITER, insert=scoped.name != "workspace")
        rights += _changing(scoped.name, needed, KEEPER)
    for table in OPEN:
        seen = f" ({', '.join(name for name in columns[table.name] if name not in table.hidden)})" if table.hidden else ""
        rights.append(f"SELECT{seen} ON {table.name} TO {READER}, {WRITER}")
        rights.append(f"SELECT ON {table.name} TO {KEEPER}")
        rights += _changing(table.name, needed, f"{WRITER}, {KEEPER}" if table.changes else KEEPER)
    for name in closed():
        rights.append(f"SELECT ON {name} TO {KEEPER}")
        rights += _changing(name, needed, KEEPER)
    rights.append(f"SELECT, DELETE ON {CALLS} TO {KEEPER}")
    rights += [f"{right} TO {CLERK}" for right in CLERK_RIGHTS]
    return rights + [f"EXECUTE ON FUNCTION {name} TO {GATEWAY}" for name in FUNCTIONS]


def fingerprint(statements: Mapping[str, str]) -> str:
    """Equal for programs whose statements need equal rights, and that mask the same."""
    hidden = {table.name: sorted(table.hidden) for table in OPEN if table.hidden}
    told = repr((grants(statements, hidden), hidden, postgres_masking.shapes()))
    return KEPT + hashlib.sha256(told.encode()).hexdigest()


def _changing(table: str, needed: Mapping[str, Need], roles: str, *, insert: bool = True) -> list[str]:
    need = needed.get(table)
    if need is None:
        return []
    rights = ["INSERT"] if need.insert and insert else []
    rights += ["DELETE"] if need.delete else []
    rights += [f"UPDATE ({', '.join(sorted(need.update))})"] if need.update else []
    return [f"{', '.join(rights)} ON {table} TO {roles}"] if rights else []


def _flat(sql: str) -> str:
    """A statement without what stands in brackets, unless that changes something: then every `=` of a list is one of it."""
    while (shorter := _BRACKETS.sub(lambda found: f"[{found[0][1:-1]}]" if "UPDATE " in found[0] else "", sql)) != sql:
        sql = shorter
    return sql
