"""Codex: its commands add and list the server, and its agent calls tools for a model that says what the test wants."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from muniment.app import App
from tests.outside import model, programs
from tests.outside.conftest import Place, settled
from tests.places import ROOT
from tests.surfaces.browser import told

pytestmark = pytest.mark.clients
TEST = 'model = "none"\nmodel_provider = "test"\n'
# Codex says of itself what this address holds, and listens at a port of its own choosing.
DOCUMENT = "https://chatgpt.com/oauth/codex/client.json"
SAID = "The pilot boat lies at berth 12."


def configured(home: Path, address: str) -> None:
    """Codex asks the test's model and no other."""
    (home / ".codex").mkdir(exist_ok=True)
    settings = home / ".codex" / "config.toml"
    before = settings.read_text(encoding="utf-8") if settings.exists() else ""
    before = before.partition("\n[model_providers.test]")[0].removeprefix(TEST)
    settings.write_text(
        TEST + before + f'\n[model_providers.test]\nname = "test"\nbase_url = "{address}"\nwire_api = "responses"\n',
        encoding="utf-8",
    )


def told_to_remember(home: Path, **more: str) -> dict[str, Any]:
    """What became of the model's call, in a turn of Codex's agent."""
    one = model.Model([model.calls("remember", "mcp__muniment", text=SAID), model.says("Done.")])
    with model.serving(one) as address:
        configured(home, address)
        words = ("exec", "--skip-git-repo-check", "--json", "--dangerously-bypass-approvals-and-sandbox", "Note it.")
        done = programs.run(home, "codex", *words, **more)
    offered = [tool for tool in one.asked[0]["tools"] if tool.get("name") == "mcp__muniment"]
    names = {tool["name"] for held in offered for tool in held["tools"]}
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    calls = [line["item"] for line in lines if line["type"] == "item.completed" and line["item"]["type"] == "mcp_tool_call"]
    outcome = (calls[0].get("result") or {}).get("structured_content", {}).get("outcome") if calls else None
    return {"offered": names, "outcome": outcome, "said": done.stdout + done.stderr}


def works(home: Path, **more: str) -> None:
    found = told_to_remember(home, **more)
    assert {"search", "fetch", "recall", "remember"} <= found["offered"], found
    assert found["outcome"] in ("applied", "duplicate"), found


def test_it_works_over_stdio(app: App, home: Path, tmp_path: Path) -> None:
    command = (sys.executable, "-m", "muniment", "--store", str(tmp_path / "muniment.db"), "stdio")
    surroundings = ("--env", f"PYTHONPATH={ROOT / 'src'}", "--env", "MUNIMENT_EMBEDDER=none")
    added = programs.run(home, "codex", "mcp", "add", "muniment", *surroundings, "--", *command)
    assert added.returncode == 0, added.stderr
    works(home)


def test_it_works_with_a_token(place: Place, home: Path) -> None:
    added = programs.run(home, "codex", "mcp", "add", "muniment", "--url", place.mcp, "--bearer-token-env-var", "TOKEN")
    assert added.returncode == 0, added.stderr
    assert "Bearer token" in programs.run(home, "codex", "mcp", "list", TOKEN=place.secret).stdout
    works(home, TOKEN=place.secret)


@pytest.mark.parametrize("way", ["registers", "has a document"])
def test_it_finds_asks_refreshes_and_is_ended(home: Path, tmp_path: Path, way: str) -> None:
    """It is known by its own document where the server takes these, and registers where it does not."""
    by_document = way == "has a document"
    held = {DOCUMENT: ["http://127.0.0.1/callback"]} if by_document else {}
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('mcp_oauth_credentials_store = "file"\n', encoding="utf-8")
    with settled(tmp_path, held, oauth_metadata_documents=by_document) as place:
        with programs.running(home, "codex", "mcp", "add", "muniment", "--url", place.mcp) as one:
            url = one.until(r"(http://\S+/authorize\?\S+)")[1]
            assert (told(url)["client_id"] == DOCUMENT) is by_document
            place.send_back(url)
            assert one.end() == 0, one.said
        assert "OAuth" in programs.run(home, "codex", "mcp", "list").stdout
        works(home)
        place.expire()
        works(home)
        place.end()
        assert told_to_remember(home)["offered"] == set()
