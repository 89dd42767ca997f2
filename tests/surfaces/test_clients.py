"""The SDK's own client against both doors, in both eras: what real programs will do."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from muniment.app import App
from tests.places import ROOT
from tests.surfaces.test_http import serving

pytestmark = pytest.mark.clients
ERAS = ["legacy", "auto"]


async def exercise(transport: Any, mode: Any) -> tuple[str, list[str], Any, Any]:
    async with Client(transport, mode=mode) as client:
        listed = await client.list_tools()
        kept = await client.call_tool("remember", {"text": "The pilot boat lies at berth 12."})
        found = await client.call_tool("search", {"query": "pilot boat"})
        wrong = await client.call_tool("recall", {"limt": 1})
        assert kept.is_error is False
        return client.protocol_version, [tool.name for tool in listed.tools], found.structured_content, wrong.is_error


def check(found: tuple[str, list[str], Any, Any], mode: str) -> None:
    version, names, results, failed = found
    assert version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
    assert names[:2] == ["search", "fetch"]
    assert results["results"][0]["title"]
    assert failed is True


@pytest.mark.parametrize("mode", ERAS)
def test_the_sdks_client_works_over_stdio(app: App, tmp_path: Path, mode: str) -> None:
    environment = {
        "PYTHONPATH": str(ROOT / "src"),
        "MUNIMENT_STORE": str(tmp_path / "muniment.db"),
        "MUNIMENT_EMBEDDER": "none",
    }
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-c", "from muniment.surfaces.entry import main; main()", "stdio"],
        env={"PATH": os.environ["PATH"], **environment},
        cwd=str(tmp_path),
    )
    check(asyncio.run(exercise(stdio_client(parameters), mode)), mode)


@pytest.mark.parametrize("mode", ERAS)
def test_the_sdks_client_works_over_http(app: App, secret: str, tmp_path: Path, mode: str) -> None:
    async def over_http(url: str) -> tuple[str, list[str], Any, Any]:
        async with httpx2.AsyncClient(headers={"authorization": f"Bearer {secret}"}) as http:
            return await exercise(streamable_http_client(url, http_client=http), mode)

    with serving(tmp_path) as served:
        check(asyncio.run(over_http(f"http://127.0.0.1:{served.port}/mcp")), mode)
