"""The embedder at the command line: shown, tested, changed in the shadow, switched off."""

from __future__ import annotations

import pytest

from tests.surfaces.cli.calling import Home


@pytest.fixture(autouse=True)
def meaning(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests are about the model."""
    monkeypatch.delenv("MUNIMENT_EMBEDDER")


def test_the_stores_own_is_shown_and_tested(home: Home) -> None:
    home.ok("ingest", "--sample", "--no-embed")
    shown = home.answer("embedder", "show")["embedders"]
    assert [(one["state"], one["done"], one["wanted"]) for one in shown] == [("live", 0, 62)]
    assert home.answer("embedder", "test")["dimension"] == 512
    assert home.answer("embedder", "drain")["left"] == 0
    assert home.answer("embedder", "show")["embedders"][0]["done"] == 62


def test_what_can_be_chosen_is_listed(home: Home) -> None:
    names = [one["name"] for one in home.answer("embedder", "list")["embedders"]]
    assert names[:3] == ["use", "minilm", "openai:MODEL@URL"]


def test_meaning_can_be_switched_off_and_on_again(home: Home) -> None:
    home.ok("ingest", "--sample", "--no-embed")
    home.ok("embedder", "set", "none")
    assert home.answer("embedder", "show")["embedders"] == []
    assert home.answer("recall", "How much is the deposit for a winter berth?")["results"]
    changed = home.answer("embedder", "set", "use")
    assert [(one["state"], one["done"]) for one in changed["embedders"]] == [("live", 62)]
    assert home.run("embedder", "set", "use").exit_code == 2


def test_vectors_are_made_again_after_a_question(home: Home) -> None:
    home.ok("ingest", "--sample", "--no-embed")
    assert home.run("embedder", "reembed").exit_code == 2
    assert home.answer("embedder", "reembed", "--yes")["left"] == 0
    assert home.answer("embedder", "reembed", "--yes", "--no-embed")["left"] == 62
    assert "62" in home.ok("worker", "--drain")


def test_texts_go_to_an_endpoint_only_after_a_yes(home: Home) -> None:
    result = home.run("embedder", "set", "openai:some-model@http://127.0.0.1:9/v1")
    assert result.exit_code == 2
    assert "http://127.0.0.1:9/v1" in result.stderr
    refused = home.run("embedder", "set", "openai:some-model@http://127.0.0.1:9/v1", "--yes")
    assert refused.exit_code == 2
    assert [one["state"] for one in home.answer("embedder", "show")["embedders"]] == ["live"]


def test_a_key_comes_from_a_variable_and_is_never_shown(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home.run("embedder", "test", "use", "--api-key-env", "MISSING_KEY").exit_code == 2
    monkeypatch.setenv("SOME_KEY", "hush-hush")
    result = home.run("embedder", "set", "openai:some-model@http://127.0.0.1:9/v1", "--yes", "--api-key-env", "SOME_KEY")
    assert "hush-hush" not in result.stdout + result.stderr
