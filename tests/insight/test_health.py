"""`doctor`'s findings: each fault that can be made is found, and says what to do."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from muniment.app import App, create_app
from muniment.context import Context, Engines
from muniment.engines import choose
from muniment.governance import detect
from muniment.index import rebuild
from muniment.ingest.remember import remember
from muniment.insight.health import Finding, Health, examine
from muniment.model.writing import LinkIn, RememberRequest
from muniment.store import workspaces
from tests.stores import at


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def context(file: Path) -> Iterator[Context]:
    opened = create_app(at(str(file), file.parent))
    context = opened.context()
    quay = remember(context, RememberRequest("The quay is wet in winter."))
    remember(context, RememberRequest("The crane moves on Friday.", links=(LinkIn(quay.ref, "related_to"),)))
    yield context
    opened.close()


def damage(file: Path, statement: str) -> None:
    """Change the file behind Muniment's back; only a test may open it with another library, and before it looks again."""
    with sqlite3.connect(file) as connection:
        connection.execute(statement)
    connection.close()


def wrong(context: Context, deep: bool = False) -> list[Finding]:
    return [one for one in examine(context, deep).findings if one.level != "ok"]


def test_a_sound_store_has_nothing_wrong(context: Context) -> None:
    assert wrong(context) == []
    assert examine(context).level == "ok"


def test_a_sound_store_of_either_kind_has_nothing_wrong(app: App) -> None:
    context = app.context()
    remember(context, RememberRequest("The quay is wet in winter."))
    found = examine(replace(context, engines=Engines(lambda spec, key: choose.build(spec, api_key=key))), deep=True)
    # A test server may be one that forgets its last writes, and the tests know its owner; both is said.
    known = {"fsync is off", "Whoever takes over this process may then take down every wall."}
    assert {one.why for one in found.findings if one.level != "ok"} <= known


def test_looking_deep_tries_the_embedder(context: Context) -> None:
    found = examine(context, deep=True)
    assert found.level == "ok"
    assert any("loads and answers with 512 dimensions" in one.what for one in found.findings)


@pytest.mark.parametrize(
    ("statement", "told", "deep"),
    [
        ("UPDATE action SET targets = '{}' WHERE seq = 1", "ledger of inbox is broken at action 1", False),
        ("UPDATE effect SET after = '\"rejected\"' WHERE action = 1", "The ledger of inbox is broken at action 1", True),
        ("DELETE FROM effect WHERE action = 2", "The ledger of inbox is broken at action 2", True),
        ("UPDATE record SET state = 'superseded' WHERE id = 1", "A record of inbox is not what the ledger says (1)", True),
        ("UPDATE action SET undone_by = 2 WHERE seq = 1", "A record of inbox is not what the ledger says (1)", True),
        ("UPDATE link SET live = 0", "A link of inbox is not what the ledger says", True),
        ("DELETE FROM passage WHERE ordinal = 2", "index of inbox does not agree", False),
        ("UPDATE roster SET data = zeroblob(0) WHERE first_ordinal = 2", "index of inbox does not agree", False),
        ("DELETE FROM posting", "index of inbox does not agree", False),
        ("UPDATE posting SET data = zeroblob(3) WHERE term IN (SELECT min(term) FROM posting)", "does not agree", False),
        ("UPDATE passage SET live = 0 WHERE ordinal = 1", "index of inbox does not agree", True),
        ("UPDATE outbox SET attempts = 3, error = 'no model'", "failed 3 times", False),
        ("UPDATE generation SET state = 'retired'", "has no embedder", False),
    ],
)
def test_damage_is_found_and_says_what_to_do(context: Context, file: Path, statement: str, told: str, deep: bool) -> None:
    damage(file, statement)
    found = [one for one in wrong(context, deep) if told in one.what]
    assert found
    assert all(one.do_next for one in found)


def test_a_rebuild_mends_the_index(context: Context, file: Path) -> None:
    damage(file, "DELETE FROM posting")
    assert examine(context).level == "fail"
    with context.store.read() as connection:
        inbox = workspaces.by_slug(connection, "inbox")
    assert inbox is not None
    rebuild.rebuild(context, inbox)
    assert examine(context, deep=True).level == "ok"


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_a_store_that_others_can_read_is_a_warning(context: Context, file: Path) -> None:
    file.chmod(0o644)
    assert [one.do_next for one in wrong(context)] == [f"Run `chmod 600 '{file}'`."]


def test_a_large_backlog_is_a_warning(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muniment.insight.health.BACKLOG_WARN", 1)
    assert "0.0% of 2 passages have a vector" in wrong(context)[0].what


def test_a_store_that_is_only_read_is_not_written(context: Context) -> None:
    assert wrong(replace(context, read_only=True)) == []


def test_the_worst_finding_is_the_level() -> None:
    make: Callable[..., Finding] = lambda level: Finding(level, "x")  # noqa: E731
    assert Health(()).level == "ok"
    assert Health((make("ok"), make("fail"), make("warn"))).level == "fail"
    assert Health((make("ok"), make("warn"))).level == "warn"


def test_one_of_a_thing_is_told_in_the_singular(app: App) -> None:
    context = app.context()
    remember(context, RememberRequest("The quay is wet."))
    told = " ".join(one.what for one in examine(context).findings)
    assert "(1 passage)" in told
    assert "2 jobs wait" in told


def test_a_scan_that_is_due_is_said_and_alarms_only_who_switched_scans_on(app: App) -> None:
    context = app.context()
    due = lambda context: [one for one in examine(context).findings if "scan_required" in one.what]  # noqa: E731
    assert due(context) == []
    remember(context, RememberRequest("The quay is wet."))
    (found,) = due(context)
    assert (found.level, found.why) == ("ok", "inbox")
    assert "govern scan" in found.do_next
    assert [one.level for one in due(replace(context, scan_every_hours=1))] == ["warn"]
    with app.store.read() as connection:
        places = workspaces.all_of(connection)
    for place in places:
        detect.scan(context, place)
    assert due(replace(context, scan_every_hours=1)) == []
