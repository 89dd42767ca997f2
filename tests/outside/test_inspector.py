"""The MCP Inspector's command line lists and calls tools over stdio and over HTTP, in both eras of the protocol."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from muniment.app import App, create_app
from tests.outside import programs
from tests.places import ROOT
from tests.stores import at
from tests.surfaces.conftest import token
from tests.surfaces.test_http import serving

pytestmark = pytest.mark.clients
EVERYDAY = 11


@pytest.fixture
def here(tmp_path: Path) -> App:
    app = create_app(at(str(tmp_path / "muniment.db"), tmp_path, embedder="none"))
    app.close()
    return app


def inspector(home: Path, *arguments: str, **more: str) -> Any:
    done = programs.run(home, "mcp-inspector", "--cli", *arguments, **more)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_it_lists_and_calls_over_stdio(here: App, home: Path, tmp_path: Path) -> None:
    command = (
        "-e",
        f"PYTHONPATH={ROOT / 'src'}",
        sys.executable,
        "-m",
        "muniment",
        "--store",
        str(tmp_path / "muniment.db"),
        "stdio",
    )
    listed = inspector(home, *command, "--method", "tools/list")
    assert len(listed["tools"]) == EVERYDAY
    kept = inspector(
        home, *command, "--method", "tools/call", "--tool-name", "remember", "--tool-arg", "text=The mole is closed."
    )
    assert kept["structuredContent"]["outcome"] == "applied"


@pytest.mark.parametrize("era", [(), ("--protocol-era", "modern")], ids=["legacy", "modern"])
def test_it_lists_and_calls_over_http(here: App, home: Path, tmp_path: Path, era: tuple[str, ...]) -> None:
    app = create_app(at(str(tmp_path / "muniment.db"), tmp_path, embedder="none"))
    secret = token(app)
    app.close()
    with serving(tmp_path) as served:
        door = (
            f"http://127.0.0.1:{served.port}/mcp",
            "--transport",
            "http",
            "--header",
            f"Authorization: Bearer {secret}",
            *era,
        )
        assert "search" in {tool["name"] for tool in inspector(home, *door, "--method", "tools/list", "--strict")["tools"]}
        found = inspector(home, *door, "--method", "tools/call", "--tool-name", "search", "--tool-arg", "query=mole")
        assert found["structuredContent"] == {"results": []}
        assert [one["name"] for one in inspector(home, *door, "--method", "prompts/list")["prompts"]] == [
            "remember",
            "onboarding",
        ]
