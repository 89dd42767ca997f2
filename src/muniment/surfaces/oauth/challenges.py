"""What the gate asks OAuth: which paths are open, what a 401 says, and when a call gets a 403 that asks for more scopes.

A call is only asked to step up when the person behind the token could grant what is missing; else the tool itself says no.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from muniment.access import browsers
from muniment.access.oauth import grants, issued
from muniment.errors import InsufficientScope, InvalidInput, MunimentError
from muniment.model.access import Grant
from muniment.surfaces import errors, frames, rpc
from muniment.surfaces.catalogue import Operation, named
from muniment.surfaces.gate import Counted
from muniment.surfaces.oauth import provider
from muniment.surfaces.oauth.provider import Provider
from muniment.surfaces.replies import JSON, refused
from muniment.surfaces.rest import PATH
from muniment.surfaces.served import MCP_PATH

AUTHENTICATE = "www-authenticate"
META_KEY = "mcp/www_authenticate"


class Challenges:
    """The side of OAuth that the gate sees."""

    def __init__(self, held: Provider) -> None:
        self._held = held

    def is_open(self, path: str, method: str, *, shows: bool) -> bool:
        return provider.is_open(path, method, shows=shows)

    def counted(self, path: str) -> Counted:
        return provider.counted(path)

    async def logged_in(self, scope: Scope) -> int | None:
        """Who is logged in at the browser that sends a request."""
        cookie = Request(scope).cookies.get(self._held.cookie, "")
        if not browsers.shaped(cookie):
            return None
        found = await self._held.served.checked("Looking at a browser", lambda: self._principal(cookie))
        return found if isinstance(found, int) else None

    async def issued(self, secret: str) -> bool:
        """Whether a token that is good no more, or was never, is one of ours or of our issuer."""
        served = self._held.served
        keeper = served.keeper
        if keeper is not None and secret.count(".") == 2:
            now = served.app.context().now()
            return await served.checked("Looking at a token", lambda: keeper.signed(secret, now)) is True
        if not issued.token_shaped(secret):
            return False
        return await self._held.served.checked("Looking for a token", lambda: self._issued(secret)) is True

    async def unauthorized(self, answer: Response, *, tried: bool) -> Response:
        """The 401 with what a client needs to get a token, where OAuth is on."""
        if await provider.is_told(self._held):
            answer.headers[AUTHENTICATE] = provider.challenge(self._held, tried=tried)
        return answer

    def unscoped(self, answer: Response) -> Response:
        """The 403 for a token that names none of our scopes, with those to ask for."""
        answer.headers[AUTHENTICATE] = provider.step_up(self._held, frozenset(self._held.scopes))
        return answer

    async def step_up(self, grant: Grant, path: str, body: bytes) -> Response | None:
        """A 403 for a call that needs scopes which this token lacks and its person could give; None: let it pass."""
        if grant.oauth is None and grant.foreign_until is None:
            return None
        asked = _asked(path, body)
        if asked is None:
            return None
        operation, number = asked
        refusal = self._refusal(grant, path, operation)
        missing = missing_scopes(operation, grant.scopes)
        if not isinstance(refusal, InsufficientScope) or not missing:
            return None
        if self._refusal(replace(grant, scopes=grant.scopes | missing), path, operation) is not None:
            return None  # the server itself does not offer it
        if not await provider.is_told(self._held):
            return None  # nobody could be given more, such as where nothing is written
        could = await self._held.served.checked("Looking at a profile", lambda: self._could(grant, missing))
        if could is not True:
            return None
        header = provider.step_up(self._held, grant.scopes | missing)
        answer = _told(refusal, operation, number, header) if path.startswith(MCP_PATH) else refused(refusal, operation)
        answer.headers[AUTHENTICATE] = header
        return answer

    def _refusal(self, grant: Grant, path: str, operation: Operation) -> MunimentError | None:
        """What the face behind a path says to a call."""
        served = self._held.served
        return served.refusal(grant, operation, served.mcp_toolsets(grant) if path.startswith(MCP_PATH) else None)

    def _principal(self, cookie: str) -> int | None:
        with self._held.served.app.store.read() as connection:
            found = browsers.find(connection, cookie, self._held.served.app.context().now())
        return found.principal if found else None

    def _issued(self, secret: str) -> bool:
        with self._held.served.app.store.read() as connection:
            return issued.token(connection, secret)

    def _could(self, grant: Grant, missing: frozenset[str]) -> bool:
        with self._held.served.app.store.read() as connection:
            return grants.could_hold(connection, grant, grant.scopes | missing)


def missing_scopes(operation: Operation, held: frozenset[str]) -> frozenset[str]:
    """What a token has to have besides, so that it may call; empty where no scope would help."""
    if held & frozenset(operation.hidden_by):
        return frozenset()
    one_of = frozenset() if held & frozenset(operation.scopes) else frozenset(operation.scopes[:1])
    return (one_of | frozenset(operation.also)) - held


def _asked(path: str, body: bytes) -> tuple[Operation, Any] | None:
    """The operation that a request calls, and the id that its answer carries over MCP."""
    if path.startswith(PATH):
        operation = named(path.removeprefix(PATH))
        return (operation, None) if operation else None
    if path.rstrip("/") != MCP_PATH:
        return None
    try:
        message = frames.read(body)
    except InvalidInput:
        return None
    if not isinstance(message, dict) or message.get("method") != "tools/call" or "id" not in message:
        return None
    params = message.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    operation = named(name) if isinstance(name, str) else None
    return (operation, message["id"]) if operation else None


def _told(refusal: InsufficientScope, operation: Operation, number: Any, header: str) -> Response:
    """A 403 whose body is the tool's result all the same: some clients read the status, others `_meta` of the result."""
    result = rpc.tool_result(errors.shown(refusal), failed=True) | {"_meta": {META_KEY: [header]}}
    return Response(frames.write({"jsonrpc": "2.0", "id": number, "result": result}), 403, media_type=JSON)
