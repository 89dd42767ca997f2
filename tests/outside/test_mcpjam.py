"""MCPJam's conformance tests of OAuth, with the refusals that a server owes, and of the protocol."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.outside import programs
from tests.outside.conftest import Place

pytestmark = pytest.mark.clients
SCRIPT = str(programs.HERE / "mcpjam.mjs")


def result(running: programs.Running) -> dict[str, Any]:
    assert running.end(100) == 0, running.said
    found: dict[str, Any] = json.loads(running.lines[-1])
    return found


@pytest.mark.parametrize(
    ("kind", "revision", "wanted"),
    [
        (
            "refusals",
            "2025-11-25",
            {
                "oauth_dcr_http_redirect_uri",
                "oauth_invalid_client",
                "oauth_invalid_authorize_redirect",
                "oauth_invalid_token",
                "oauth_invalid_redirect",
                "oauth_token_format",
            },
        ),
        ("working", "2025-11-25", {"verify_list_tools", "verify_call_tool"}),
        ("working", "2025-06-18", {"verify_list_tools", "verify_call_tool"}),
    ],
)
def test_oauth_conforms(place: Place, home: Path, kind: str, revision: str, wanted: set[str]) -> None:
    with programs.running(home, str(programs.NODE), SCRIPT, kind, place.mcp, revision) as one:
        place.send_back(one.until(r"(?m)^Open (\S+)$")[1])
        found = result(one)
    assert found["passed"], found
    assert wanted <= {step["name"] for step in found["steps"] if step["status"] == "passed"}, found


def test_the_protocol_conforms(place: Place, home: Path) -> None:
    with programs.running(home, str(programs.NODE), SCRIPT, "mcp", place.mcp, place.secret) as one:
        found = result(one)
    assert found["passed"], found
