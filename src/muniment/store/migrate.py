"""Schema changes, numbered and checked. Opening a store verifies them; only `init` and `upgrade` apply any."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from muniment.errors import SchemaNewer, SchemaOlder, StoreForeign, StoreMissing
from muniment.store.connections import Store

FOLDER = Path(__file__).parent / "migrations"
TABLE = (
    "CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, "
    "applied_at BIGINT NOT NULL)"
)


@dataclass(frozen=True, slots=True)
class Migration:
    number: int
    name: str
    sql: str
    checksum: str


def known(dialect: str) -> list[Migration]:
    """The migrations this program carries, in order."""
    found = []
    for path in sorted((FOLDER / dialect).glob("*.sql")):
        match = re.fullmatch(r"(\d{4})_(\w+)\.sql", path.name)
        if match:
            sql = path.read_text(encoding="utf-8")
            found.append(Migration(int(match[1]), match[2], sql, hashlib.sha256(sql.encode()).hexdigest()))
    return found


def pending(store: Store) -> list[Migration]:
    """What is still to be applied. Raises SchemaNewer, or StoreForeign where an applied migration differs."""
    applied: dict[int, str] = dict(store.version())
    migrations = known(store.dialect)
    if applied and max(applied) > migrations[-1].number:
        raise SchemaNewer(f"{store.where} was written by a newer Muniment (schema {max(applied)}).")
    for migration in migrations:
        if applied.get(migration.number, migration.checksum) != migration.checksum:
            raise StoreForeign(f"Migration {migration.number} of {store.where} is not the one this Muniment knows.")
    return [migration for migration in migrations if migration.number not in applied]


def verify(store: Store) -> None:
    """Raise unless the store has exactly the schema of this program. Changes nothing."""
    if not store.version():
        raise StoreMissing(f"{store.where} holds no Muniment store yet.")
    left = pending(store)
    if left:
        raise SchemaOlder(f"{store.where} has an older schema ({left[0].number - 1}; this Muniment needs {left[-1].number}).")


def apply(store: Store, now_ms: int) -> list[Migration]:
    """Bring a store up to date, one transaction a migration, a new one in one. Several processes may do this at once."""
    done: list[Migration] = []
    if store.version() and not pending(store):
        return done  # a role that owns no table may find that nothing is to be done
    while True:
        with store.ddl() as execute:
            execute(TABLE)
            left = pending(store)
            if not left:
                return done
            # A new store is made whole at once: who opens it meanwhile must not take it for one of an older program.
            for migration in left if left[0].number == 1 else left[:1]:
                execute(migration.sql)
                execute(
                    f"INSERT INTO migration (number, name, checksum, applied_at) "
                    f"VALUES ({migration.number}, '{migration.name}', '{migration.checksum}', {now_ms})"
                )
                done.append(migration)
