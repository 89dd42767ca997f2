"""The same on PostgreSQL: with any one of its walls removed, no statement of a walled caller shows or changes a foreign row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import psycopg
import pytest

from muniment.errors import StoreError
from muniment.store import queries
from muniment.store.connections import Connection, Reach
from muniment.store.privileges import KEEPER, WRITER
from muniment.store.walls import SCOPED
from tests.makers import Memory, furnished
from tests.store.mutating import (
    MUTATED_MIN,
    SHOWN_MIN,
    Lock,
    Pair,
    Question,
    faults,
    pair_of,
    rows,
    shown_without_the_lock,
    strangers,
    without_walls,
)
from tests.stores import Databases, postgres

pytestmark = pytest.mark.postgres
POSTGRES = "postgres"
# What the statements that nothing in the play asks are asked with: this store minds what a value is.
MEANT = {"after": 0, "before": 10**15, "start": 0, "end": 10**15, "first": 0, "last": 10**6, "marks": '["mark"]'}
# It reads to write; the write that begins with it is tried as such.
HOLDS = "workspace_hold"


def teach(store: Any, name: str, sql: str) -> None:
    store._statements[name] = queries.for_psycopg(sql)


def foreign(connection: Connection, reach: Reach) -> object:
    """Every row of the store that belongs to others, read past the walls inside of the transaction."""
    server: Any = connection._server  # type: ignore[attr-defined]
    declared = server.execute("SELECT current_setting('muniment.read')").fetchone()[0]
    server.execute(f"SET LOCAL ROLE {KEEPER}; SET LOCAL muniment.read = '*'")
    held = {}
    for table in SCOPED:
        beyond = f"NOT ({table.column} = ANY (%s))"
        held[table.name] = rows(server.execute(f"SELECT * FROM {table.name} WHERE {beyond}", (list(reach.read),)).fetchall())
    server.execute(f"SET LOCAL ROLE {WRITER}; SET LOCAL muniment.read = '{declared}'")
    return held


LOCK = Lock(teach, foreign, (StoreError, psycopg.Error))


def meant(pair: Pair, asked: Iterable[Question]) -> Iterator[Question]:
    """Each statement with values that it could be asked with."""
    for name, sql, values in asked:
        base = name.split("_without_")[0].removesuffix("_abroad")
        if base != HOLDS:
            known = base in pair.notebook.asked
            yield name, sql, values if known else values | {key: MEANT[key] for key in values.keys() & MEANT.keys()}


@pytest.fixture(scope="module")
def pair(postgres_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    names = [postgres_databases.lend() for _ in range(2)]
    stores = [postgres(postgres_databases.address(name)) for name in names]
    alone, beside = (Memory(furnished(store, tmp_path_factory.mktemp("pair"))) for store in stores)
    yield pair_of(alone, beside)
    for store, name in zip(stores, names, strict=True):
        store.close()
        postgres_databases.take_back(name)


def test_without_any_one_wall_no_foreign_row_is_shown_or_changed(pair: Pair) -> None:
    asked = list(meant(pair, without_walls(pair, POSTGRES)))
    assert faults(pair, LOCK, asked) == []
    assert len(asked) > MUTATED_MIN


def test_a_foreign_workspace_asked_for_by_its_number_is_not_there(pair: Pair) -> None:
    assert faults(pair, LOCK, meant(pair, strangers(pair, POSTGRES))) == []


def test_the_same_statements_do_show_foreign_rows_on_the_whole_store(pair: Pair) -> None:
    assert len(shown_without_the_lock(pair, LOCK, meant(pair, without_walls(pair, POSTGRES)))) > SHOWN_MIN
