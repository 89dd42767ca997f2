"""The port changed twice and one agent lied: the page is played as it stands, through every surface, on both stores."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
import uvicorn
from click.testing import CliRunner
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.testclient import TestClient

from muniment import app as root
from muniment.app import App, open_app
from muniment.surfaces.cli.program import program
from muniment.surfaces.detached import WORKER_LEASE
from muniment.surfaces.http import build
from muniment.worker import LEASE_MS
from tests.journeys.playing import Stage, plain
from tests.makers import Clock, Entropy
from tests.places import ROOT
from tests.stores import at, owner
from tests.surfaces.cli.calling import at_home
from tests.surfaces.conftest import BASE, bearer

PAGE = "docs/explain/the-port-changed-twice.md"
Door = Callable[[App, str, str, dict[str, Any]], dict[str, Any]]


def rest(app: App, secret: str, tool: str, values: dict[str, Any]) -> dict[str, Any]:
    with TestClient(build(app), base_url=BASE, headers=bearer(secret)) as web:
        return dict(web.post(f"/api/{tool}", json=values).json())


def mcp(app: App, secret: str, tool: str, values: dict[str, Any]) -> dict[str, Any]:
    """The SDK's own client, over a socket."""
    door = socket.create_server(("127.0.0.1", 0))
    port = door.getsockname()[1]
    served = build(replace(app, settings=replace(app.settings, port=port, http_toolsets="connect,recall,write,propose,govern")))
    server = uvicorn.Server(uvicorn.Config(served, log_level="warning", lifespan="on"))
    thread = threading.Thread(target=server.run, args=([door],))
    thread.start()
    try:
        return asyncio.run(_called(f"http://127.0.0.1:{port}/mcp", secret, tool, values))
    finally:
        server.should_exit = True
        thread.join()
        door.close()


async def _called(url: str, secret: str, tool: str, values: dict[str, Any]) -> dict[str, Any]:
    async with (
        httpx2.AsyncClient(headers=bearer(secret)) as http,
        Client(streamable_http_client(url, http_client=http), mode="auto") as client,
    ):
        found = await client.call_tool(tool, values)
        assert found.structured_content is not None
        return dict(found.structured_content)


DOORS: dict[str, Door] = {"rest": rest, "mcp": mcp}


@contextmanager
def staged(address: str, folder: Path, monkeypatch: pytest.MonkeyPatch, door: Door) -> Iterator[Stage]:
    """A home on a new store, with a clock that the page sets and refs that are the same in every run."""
    clock, entropy = Clock(), Entropy()
    at_home(folder / "home", monkeypatch)
    monkeypatch.setattr(root, "now_ms", clock)
    monkeypatch.setattr(root, "os", SimpleNamespace(environ=os.environ, urandom=entropy))
    monkeypatch.setenv("MUNIMENT_STORE", address)
    monkeypatch.setenv("MUNIMENT_WORKSPACE", "harbour")
    if address.startswith("postgres"):
        monkeypatch.setenv("MUNIMENT_STORE_ADMIN", owner(address))

    def run(words: list[str]) -> str:
        return CliRunner().invoke(program, words, prog_name="muniment").output

    def ask(secret: str, tool: str, values: dict[str, Any]) -> dict[str, Any]:
        app = open_app(at(address, folder, embedder="none"))
        _hold_the_worker(app)
        try:
            return door(app, secret, tool, values)
        finally:
            app.close()

    run(["init"])
    yield Stage(clock, run, ask)


def _hold_the_worker(app: App) -> None:
    """What a server does in the background it does when it comes to it; a page has to come out the same every time."""
    now = app.context().now()
    with app.store.write() as connection:
        lease = {"name": WORKER_LEASE, "holder": "the page", "until": now + LEASE_MS, "now": now}
        assert connection.one("lease_take", lease)


@pytest.mark.parametrize("door", DOORS)
def test_the_page_shows_what_really_comes_back(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, door: str, golden: Callable[[str, str], None]
) -> None:
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    with staged(address, tmp_path, monkeypatch, DOORS[door]) as stage:
        played = stage.play(page)
    assert re.findall(r"^(?:\$ muniment|\w+> ).*", played, re.MULTILINE) == stage.calls
    assert [block for block in re.findall(r"^1\. .*\n   (.*)", played, re.MULTILINE) if "6666" in block] == []
    if address.startswith("postgres") or door != "rest":
        assert plain(played) == plain(page)
    else:
        golden(PAGE, played)
