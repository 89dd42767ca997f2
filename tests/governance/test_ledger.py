"""The ledger is a chain: every workspace has its own, and no row of it can change unnoticed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.app import App
from muniment.errors import InvalidInput, NotFound
from muniment.governance import ledger
from muniment.store import workspaces
from tests.ingest.writing import actions, bring, keep, opened, place, say, session
from tests.stores import past


@pytest.fixture
def places(app: App) -> tuple[int, int]:
    """Two workspaces; the first with three actions, the second with one."""
    context = app.context()
    with app.store.write() as connection:
        first, second = (found.id for found in workspaces.all_of(connection))
        for number in range(3):
            ledger.enter(context, connection, first, "remember", targets={"record": f"é{number}"}, after=["a"], reason="why")
        ledger.enter(context, connection, second, "ingest", targets={"count": 1}, before=["b"], effects="sha256:x")
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
    with past(store) as execute:
        execute(f"{change} AND workspace = {places[0]}")
    with app.store.read() as connection:
        assert ledger.broken(connection, places[0]) == found
        assert ledger.broken(connection, places[1]) is None


def test_a_failed_change_leaves_no_row(app: App, places: tuple[int, int]) -> None:
    with pytest.raises(RuntimeError), app.store.write() as connection:  # noqa: PT012
        ledger.enter(app.context(), connection, places[0], "remember", targets={})
        raise RuntimeError("the change itself failed")
    with app.store.write() as connection:
        assert ledger.enter(app.context(), connection, places[0], "remember", targets={}).seq == 4
        assert ledger.broken(connection, places[0]) is None


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from(("say", "bring", "keep", "update", "archive", "restore", "learn")), st.integers(0, 3)),
        max_size=25,
    )
)
def test_every_write_is_one_row_of_a_whole_chain(app: App, steps: list[tuple[str, int]]) -> None:
    context, before = app.context(), len(actions(app))
    expected, known = 0, {}
    with app.store.read() as connection:
        start = dict(connection.all("workspace_counts", {"workspace": place(app)}))
    salt = f"{before} {start}"
    for step, number in steps:
        ref = known.get(number)
        try:
            match step:
                case "say":
                    expected += say(app, salt, f"Salted turn {number} of zanzibar.").added > 0
                case "bring":
                    expected += bring(app, f"Salted document {number} of zanzibar {salt}.").added
                case "learn":
                    title = f"Title {number} {len(actions(app))}"
                    expected += bool(say(app, salt, title=title).sessions or _learnt(app, salt, title))
                case "keep":
                    answer = keep(app, f"Salted statement {number} of zanzibar {salt}.", source_ref=str(len(actions(app))))
                    known[number] = answer.ref
                    expected += 1
                case _ if ref:
                    version = opened(app, ref).version
                    text = f"Zanzibar changed {version} {salt} {number}" if step == "update" else None
                    keep(app, text, op=step, target=ref, expected_version=version)
                    expected += 1
        except InvalidInput:
            continue
    assert len(actions(app)) == before + expected
    with app.store.read() as connection:
        assert ledger.broken(connection, place(app)) is None
        rows = connection.all("actions", {"workspace": place(app), "after": 0, "limit": 10_000})
    assert "zanzibar" not in repr(rows).lower()
    assert context.grant.principal in {row[7] for row in rows} or not rows


def _learnt(app: App, name: str, title: str) -> bool:
    """Whether the title of a session is that one: it is where the session was there to be named."""
    try:
        held = session(app, name).session
    except NotFound:
        return False
    return held is not None and held.title == title
