"""The TypeScript clients of both generations: over stdio, with a token, and through the whole of OAuth."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from muniment.app import App
from tests.outside import programs
from tests.outside.conftest import Place
from tests.places import ROOT

pytestmark = pytest.mark.clients
BOTH = pytest.mark.parametrize("version", ["v1", "v2"])
SAID = {"text": "The pilot boat lies at berth 12."}


class Client:
    """A client that does what it is told, one thing at a time."""

    def __init__(self, running: programs.Running) -> None:
        self.running = running
        self.answered = 0

    def tell(self, line: str) -> dict[str, Any]:
        assert self.running.child.stdin is not None
        self.running.child.stdin.write(line + "\n")
        self.running.child.stdin.flush()
        self.answered += 1
        said = self.running.until(rf'(?m)^\{{"n":{self.answered},.*$')
        found: dict[str, Any] = json.loads(said[0])
        return found

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self.tell(f"call {name} {json.dumps(arguments)}")

    def works(self) -> None:
        assert self.tell("list")["tools"][:2] == ["search", "fetch"]
        assert self.call("remember", **SAID)["result"]["outcome"] == "applied"
        assert "berth 12" in self.call("search", query="pilot boat")["result"]["results"][0]["title"]


@contextmanager
def client(home: Path, *arguments: str, **more: str) -> Iterator[Client]:
    with programs.running(home, str(programs.NODE), str(programs.HERE / "client.mjs"), *arguments, **more) as running:
        yield Client(running)


@BOTH
def test_it_works_over_stdio(app: App, home: Path, tmp_path: Path, version: str) -> None:
    command = (sys.executable, "-m", "muniment", "--store", str(tmp_path / "muniment.db"), "stdio")
    with client(home, version, "stdio", *command, PYTHONPATH=str(ROOT / "src"), MUNIMENT_EMBEDDER="none") as one:
        assert one.tell("connect")["connected"] is True
        one.works()


@BOTH
def test_it_works_with_a_token(place: Place, home: Path, version: str) -> None:
    with client(home, version, "bearer", place.mcp, place.secret) as one:
        assert one.tell("connect")["connected"] is True
        one.works()


@BOTH
def test_it_finds_registers_asks_refreshes_and_is_ended(place: Place, home: Path, version: str) -> None:
    with client(home, version, "oauth", place.mcp) as one:
        asked = one.tell("connect")
        assert asked["error"] == "UnauthorizedError"
        assert one.tell(f"finish {place.person.authorize(asked['authorize'])}")["refresh"] is True
        one.works()
        before = one.call("stats")["access"]
        place.expire()
        after = one.call("stats")
        assert after["result"]["memories"] == 1
        assert after["access"] != before
        place.end()
        refused = one.call("stats")
        assert refused["error"] == "UnauthorizedError"
        assert "/authorize?" in refused["authorize"]
