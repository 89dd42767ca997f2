"""Both stores give the same answers: the same turns and memories in, the same ranking, scores, words and refs out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from muniment.access import cursors
from muniment.app import App, create_app
from muniment.context import Context, Shelf
from muniment.index.rebuild import rebuild
from muniment.ingest.importers import jsonl
from muniment.ingest.remember import remember
from muniment.ingest.turns import keep
from muniment.model.recalling import Filter, RecallRequest
from muniment.model.writing import Labels, RememberRequest
from muniment.recall.recall import recall
from muniment.store import workspaces
from muniment.worker import drain
from tests.places import ROOT
from tests.stores import NOW, Databases, at

pytestmark = pytest.mark.postgres
SAMPLE = ROOT / "src" / "muniment" / "samples" / "harbour.jsonl"
QUESTIONS = (
    RecallRequest(query="Who runs the boat yard at Holm?", around=2),
    RecallRequest(query="what did Lin say about the berth bookings in March", trace=True),
    RecallRequest(query="price of a berth", limit=50),
    RecallRequest(query="When was the first version finished?", diversity=0.2, max_tokens=300),
    RecallRequest(query="Zephyr quantum submarine licence"),
    RecallRequest(query="winter storage fee", filter=Filter(kind=("decision", "fact"), topics=("Prices",))),
    RecallRequest(query="paper book", filter=Filter(people=("Maren Voss",), after="2026-02-01")),
    RecallRequest(query="ookin", format="text"),
    RecallRequest(limit=20),
    RecallRequest(filter=Filter(session="harbour-2026-02-03-kickoff"), limit=5),
)
STATEMENTS = (
    RememberRequest(
        text="Winter storage costs 310 euros per boat.", kind="decision", labels=Labels(topics=("Prices",)), why="agreed"
    ),
    RememberRequest(text="Maren prefers phone calls before nine.", kind="preference", subject="Maren Voss"),
    RememberRequest(text="The yard at Holm has 42 berths. 船台は四十二あります。", kind="fact", event_time="2026-02-03"),
    RememberRequest(text="Winter storage costs 310 euros per boat.", kind="decision", source_ref="minutes"),
)


@pytest.fixture
def both(tmp_path: Path, postgres_databases: Databases) -> Iterator[tuple[Context, Context]]:
    """The same things kept in a store of each kind, with the same clock and the same ids."""
    name = postgres_databases.make()
    apps = [create_app(at(address, tmp_path)) for address in (str(tmp_path / "muniment.db"), postgres_databases.address(name))]
    yield filled(apps[0]), filled(apps[1])
    for app in apps:
        app.close()
    postgres_databases.drop(name)


def filled(app: App) -> Context:
    ticks, draws = itertools.count(NOW), itertools.count(1)
    context = replace(app.context(), clock=lambda: next(ticks), entropy=lambda size: next(draws).to_bytes(size, "big"))
    with app.store.write() as connection:
        connection.run("meta_set", {"key": cursors.CURSOR_KEY, "value": "00" * 32})
    for _ in keep(context, jsonl.read_text(SAMPLE.read_text(encoding="utf-8"))):
        pass
    for statement in STATEMENTS:
        remember(context, statement)
    return context


def answers(context: Context) -> list[dict[str, Any]]:
    found = [asdict(recall(replace(context, clock=lambda: NOW + 10**6), question)) for question in QUESTIONS]
    for answer in found:
        answer["meta"]["took_ms"] = None
    return found


def test_words_find_the_same_on_both_stores(both: tuple[Context, Context]) -> None:
    sqlite, postgres = (answers(context) for context in both)
    assert sum(bool(answer["results"]) for answer in sqlite) >= 6
    assert sqlite == postgres


def test_meaning_finds_the_same_on_both_stores_and_after_a_rebuild(both: tuple[Context, Context]) -> None:
    for context in both:
        assert drain(context).left == 0
    first = [answers(context) for context in both]
    assert first[0] == first[1]
    assert any("dense" in answer["route"] for answer in first[0])
    for context in both:
        with context.store.read() as connection:
            place = workspaces.by_slug(connection, "inbox")
        assert place is not None
        # Another process does it, so that this one still holds what it knew of the old index.
        rebuild(replace(context, shelf=Shelf()), place)
        drain(context)
    again = [answers(context) for context in both]
    assert again[0] == again[1]
    assert [answer["results"] for answer in again[0]] == [answer["results"] for answer in first[0]]
