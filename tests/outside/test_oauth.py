"""Programs that find the authorization server by a refusal, register, and get their tokens by somebody's consent.

Each one lists and calls, goes on after its access token's time is over, and can do nothing any more once its access was ended.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from tests.outside import programs
from tests.outside.conftest import Place
from tests.surfaces.browser import REDIRECT, told

pytestmark = pytest.mark.clients
SAID = {"text": "The pilot boat lies at berth 12."}
ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])


def asked(number: int, method: str, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


class Proxy:
    """mcp-remote between us and the server: lines in, lines out."""

    def __init__(self, running: programs.Running) -> None:
        self.running = running
        self.number = 0

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self.number += 1
        assert self.running.child.stdin is not None
        self.running.child.stdin.write(asked(self.number, method, **params))
        self.running.child.stdin.flush()
        said = self.running.until(rf'(?m)^\{{.*"id":{self.number}[,}}].*$')
        found: dict[str, Any] = json.loads(said[0])
        return found

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self.ask("tools/call", name=name, arguments=arguments)

    def works(self) -> None:
        client = {"name": "test", "version": "1"}
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
        assert self.ask("tools/list")["result"]["tools"][0]["name"] == "search"
        assert self.call("remember", **SAID)["result"]["structuredContent"]["outcome"] == "applied"


REMOTE = ("--allow-http", "--transport", "http-only")


def test_mcp_remote_works_with_a_token(place: Place, home: Path) -> None:
    header = ("--header", f"Authorization: Bearer {place.secret}")
    with programs.running(home, "mcp-remote", place.mcp, *REMOTE, *header) as one:
        Proxy(one).works()


def test_mcp_remote_finds_registers_asks_refreshes_and_is_ended(place: Place, home: Path) -> None:
    with programs.running(home, "mcp-remote", place.mcp, *REMOTE) as one:
        place.send_back(one.until(r"(?m)(http://\S+/authorize\?\S+)")[1])
        proxy = Proxy(one)
        proxy.works()
        place.expire()
        assert proxy.call("stats")["result"]["structuredContent"]["memories"] == 1
        place.end()
        count = one.said.count("/authorize?")
        assert one.child.stdin is not None
        one.child.stdin.write(asked(99, "tools/call", name="stats", arguments={}))
        one.child.stdin.flush()
        one.until(rf"(?s)(?:/authorize\?.*){{{count + 1}}}")
        assert '"id":99' not in one.said


@ERAS
def test_the_inspector_finds_registers_asks_refreshes_and_is_ended(place: Place, home: Path, era: str) -> None:
    kept = {"MCP_AUTO_OPEN_ENABLED": "true", "MCP_INSPECTOR_SECRET_STORE": "file"}
    door = ("--cli", "--server-url", place.mcp, "--transport", "http", "--protocol-era", era, "--format", "json")
    with programs.running(home, "mcp-inspector", *door, "--method", "tools/list", **kept) as one:
        place.send_back(one.until(r"(http://\S+/authorize\?\S+)")[1])
        assert one.end() == 0, one.said
        assert '"search"' in one.said
    again = ("mcp-inspector", *door, "--stored-auth-only", "--method", "tools/call", "--tool-name")
    called = programs.run(home, *again, "remember", "--tool-arg", f"text={SAID['text']}", **kept)
    assert '"applied"' in called.stdout, called.stdout + called.stderr
    place.expire()
    called = programs.run(home, *again, "stats", **kept)
    assert '"memories":1' in called.stdout, called.stdout + called.stderr
    place.end()
    called = programs.run(home, *again, "stats", **kept)
    assert called.returncode != 0
    assert "memories" not in called.stdout


class Kept(TokenStorage):
    """What the Python client keeps."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_python_client_finds_registers_asks_refreshes_and_is_ended(place: Place, mode: Any) -> None:
    kept, opened = Kept(), list[str]()

    async def redirect(url: str) -> None:
        opened.append(url)

    async def callback() -> AuthorizationCodeResult:
        came = told(await asyncio.to_thread(place.person.authorize, opened[-1]))
        return AuthorizationCodeResult(code=came["code"], state=came["state"], iss=came["iss"])

    async def story() -> None:
        metadata = OAuthClientMetadata.model_validate({"client_name": "The Python client", "redirect_uris": [REDIRECT]})
        provider = OAuthClientProvider(place.mcp, metadata, kept, redirect, callback)
        async with (
            httpx2.AsyncClient(auth=provider, timeout=20) as http,
            Client(streamable_http_client(place.mcp, http_client=http), mode=mode) as client,
        ):
            assert "search" in {tool.name for tool in (await client.list_tools()).tools}
            assert (await client.call_tool("remember", SAID)).is_error is False
            first = kept.tokens
            assert first is not None
            await asyncio.to_thread(place.expire)
            provider.context.token_expiry_time = 1.0  # the client tells the time by its own clock
            found = (await client.call_tool("stats", {})).structured_content
            assert found is not None
            assert found["memories"] == 1
            assert kept.tokens is not None
            assert kept.tokens.access_token != first.access_token
            assert len(opened) == 1
            await asyncio.to_thread(place.end)
            await client.call_tool("stats", {})
            assert len(opened) == 2, "after its access was ended it has to ask the person again"

    asyncio.run(story())
