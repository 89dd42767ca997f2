"""An index that is made anew gives the answers of the old one, in this process and in those that held the old one."""

from __future__ import annotations

from pathlib import Path

from muniment import app
from muniment.context import Context
from muniment.index.rebuild import rebuild
from muniment.ingest import remember
from muniment.model.recalling import RecallRequest
from muniment.model.writing import RememberRequest
from muniment.recall.recall import recall
from muniment.store import workspaces

TEXTS = ("The quay is wet in winter.", "The crane moves on Friday.", "Maren pays the deposit for the berth.")


def opened(tmp_path: Path) -> app.App:
    return app.create_app(app.environment({"store": str(tmp_path / "store.db"), "embedder": "none"}))


def answers(context: Context) -> list[tuple[str, float]]:
    found = recall(context, RecallRequest("Who pays the deposit for the berth?"))
    return [(one.text, one.score) for one in found.results]


def test_a_rebuilt_index_answers_as_before(tmp_path: Path) -> None:
    mine, other = opened(tmp_path), opened(tmp_path)
    try:
        context, elsewhere = mine.context(), other.context()
        kept = [remember.remember(context, RememberRequest(text)) for text in TEXTS]
        change = RememberRequest("The quay is dry.", op="update", target=kept[0].ref, expected_version=1)
        remember.remember(context, change)
        before = answers(context)
        assert before
        assert answers(elsewhere) == before
        with context.store.read() as connection:
            inbox = workspaces.by_slug(connection, "inbox")
        assert inbox is not None
        assert rebuild(context, inbox) == len(TEXTS)
        assert answers(context) == before
        assert answers(elsewhere) == before
    finally:
        mine.close()
        other.close()
