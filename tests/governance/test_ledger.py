"""The ledger is a chain: every workspace has its own, and no row of it can change unnoticed."""

from __future__ import annotations

from typing import Any

import pytest

from muniment.app import App
from muniment.governance import ledger
from muniment.store import workspaces


@pytest.fixture
def places(app: App) -> tuple[int, int]:
    """Two workspaces; the first with three actions, the second with one."""
    context = app.context()
    with app.store.write() as connection:
        first, second = (found.id for found in workspaces.all_of(connection))
        for number in range(3):
            ledger.enter(context, connection, first, "remember", targets={"record": f"é{number}"}, after="a", reason="why")
        ledger.enter(context, connection, second, "ingest", targets={"count": 1}, before="b", inverse={"op": "x"})
    return first, second


def test_an_untouched_chain_is_whole(app: App, places: tuple[int, int]) -> None:
    with app.store.read() as connection:
        assert [ledger.broken(connection, place) for place in places] == [None, None]
        rows = connection.all("actions", {"workspace": places[0], "after": 0, "limit": 10})
    assert [row[0] for row in rows] == [1, 2, 3]
    assert rows[0][11] == ledger.ROOT
    assert [row[11] for row in rows[1:]] == [row[12] for row in rows[:-1]]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("UPDATE action SET targets = '{}' WHERE seq = 2", 2),
        ("UPDATE action SET at = at + 1 WHERE seq = 1", 1),
        ("UPDATE action SET after_hash = NULL WHERE seq = 3", 3),
        ("UPDATE action SET hash = 'x' WHERE seq = 2", 2),
        ("DELETE FROM action WHERE seq = 1", 1),
        ("DELETE FROM action WHERE seq = 2", 2),
        ("DELETE FROM action WHERE seq = 3", 3),
        ("UPDATE action SET inverse = NULL, client = 'x' WHERE seq = 2", 2),
    ],
)
def test_a_changed_or_missing_row_is_found(app: App, places: tuple[int, int], change: str, found: int) -> None:
    store: Any = app.store
    with store.ddl() as execute:
        execute(f"{change} AND workspace = {places[0]}")
    with app.store.read() as connection:
        assert ledger.broken(connection, places[0]) == found
        assert ledger.broken(connection, places[1]) is None


def test_a_failed_change_leaves_no_row(app: App, places: tuple[int, int]) -> None:
    with pytest.raises(RuntimeError), app.store.write() as connection:  # noqa: PT012
        ledger.enter(app.context(), connection, places[0], "remember", targets={})
        raise RuntimeError("the change itself failed")
    with app.store.write() as connection:
        assert ledger.enter(app.context(), connection, places[0], "remember", targets={}) == 4
        assert ledger.broken(connection, places[0]) is None
