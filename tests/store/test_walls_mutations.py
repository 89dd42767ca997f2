"""With any one of its walls removed, no statement of a walled caller shows or changes a foreign row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from muniment.errors import StoreError
from muniment.store import fences
from muniment.store.connections import Connection, Reach
from muniment.store.fences import Fenced
from muniment.store.walls import SCOPED
from tests.makers import new_memory
from tests.store.mutating import (
    MUTATED_MIN,
    SHOWN_MIN,
    Lock,
    Pair,
    faults,
    pair_of,
    rows,
    shown_without_the_lock,
    strangers,
    without_walls,
)

SQLITE = "sqlite"


def teach(store: Any, name: str, sql: str) -> None:
    store._statements[name] = sql
    store._fences.statements[name] = fences.walled(sql)


def foreign(connection: Connection, reach: Reach) -> object:
    """Every row of the store that belongs to others, read past the walls inside of the transaction."""
    assert isinstance(connection, Fenced)
    connection.declaring = True
    try:
        held = {}
        for table in SCOPED:
            beyond = f"{table.column} NOT IN ({', '.join(map(str, reach.read))})"
            held[table.name] = rows(connection.connection.execute(f"SELECT * FROM main.{table.name} WHERE {beyond}"))
        return held
    finally:
        connection.declaring = False


LOCK = Lock(teach, foreign, (StoreError, apsw.Error))


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    alone, beside = (new_memory(Path(tmp_path_factory.mktemp(name))) for name in ("alone", "beside"))
    yield pair_of(alone, beside)
    for memory in (alone, beside):
        memory.app.store.close()


def test_without_any_one_wall_no_foreign_row_is_shown_or_changed(pair: Pair) -> None:
    asked = list(without_walls(pair, SQLITE))
    assert faults(pair, LOCK, asked) == []
    assert len(asked) > MUTATED_MIN


def test_a_foreign_workspace_asked_for_by_its_number_is_not_there(pair: Pair) -> None:
    assert faults(pair, LOCK, strangers(pair, SQLITE)) == []


def test_the_same_statements_do_show_foreign_rows_on_the_whole_store(pair: Pair) -> None:
    assert len(shown_without_the_lock(pair, LOCK, without_walls(pair, SQLITE))) > SHOWN_MIN
