"""Serves a store to programs that can send no token: whoever asks for MCP has one. On this machine alone, and for tests alone.

`python -m tests.outside.bearing STORE PORT [fixtures]`; with `fixtures` the conformance suite finds its own beside ours.
"""

from __future__ import annotations

import sys
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from starlette.types import ASGIApp, Receive, Scope, Send

from muniment import settings
from muniment.app import open_app
from muniment.surfaces import http, mcp
from tests.outside.fixtures import beside
from tests.surfaces.conftest import token


class Bearing:
    """The server as somebody sees it who holds a token."""

    def __init__(self, app: ASGIApp, secret: str) -> None:
        self._app = app
        self._header = (b"authorization", f"Bearer {secret}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/mcp":
            scope = {**scope, "headers": [*scope["headers"], self._header]}
        await self._app(scope, receive, send)


def main(store: str, port: str, *wanted: str) -> None:
    """Serve until a signal comes."""
    app = open_app(settings.load({"store": store, "embedder": "none", "port": int(port), "rate_per_minute": 0}, {}))
    ours = mcp.server

    def both(*given: Any) -> Server[Any]:
        return beside(ours(*given))

    if "fixtures" in wanted:
        mcp.server = both
    uvicorn.run(Bearing(http.build(app), token(app)), port=int(port), log_level="warning")


if __name__ == "__main__":
    main(*sys.argv[1:])
