"""MCP over Streamable HTTP: the SDK speaks the protocol of both eras, we say what there is and run it.

Every request stands alone: no session, no stream, one JSON answer. Who asks is decided before a request comes here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from mcp import types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

from muniment.errors import MunimentError
from muniment.model.access import Grant
from muniment.surfaces import errors, prompts, resources, rpc
from muniment.surfaces.catalogue import named
from muniment.surfaces.served import CLIENT_HEADER, Served, labelled
from muniment.surfaces.tools import shipped

Asked = ServerRequestContext[Any, Any]
# The SDK takes a result as an object too, though its types do not say so, and checks it against the revision that was asked for
# all the same. What is large, a tool's answer and the list of tools, then need not become its models and be taken apart again.
Result = Any
# What the models say of themselves; revisions that do not know it are told without it.
COMPLETE = {"resultType": "complete"}
SCHEMES = "securitySchemes"
PRIVATE = CacheHint(ttl_ms=rpc.LIST_TTL_MS, scope="private")


def manager(served: Served, oauth: Callable[[], Awaitable[bool]]) -> StreamableHTTPSessionManager:
    """The ASGI side of the server; its `run()` belongs into the lifespan around it. `oauth`: whether one can ask for scopes."""
    return StreamableHTTPSessionManager(
        server(served, oauth), stateless=True, json_response=True, max_request_body_size=served.app.settings.body_bytes_max
    )


def server(served: Served, oauth: Callable[[], Awaitable[bool]]) -> Server[Any]:
    """The low-level server over our catalogue."""
    on = Handlers(served, oauth)
    made: Server[Any] = Server(
        rpc.NAME,
        title=rpc.TITLE,
        version=rpc.server_info()["version"],
        instructions=shipped().instructions,
        cache_hints={
            "server/discover": PRIVATE,
            "tools/list": PRIVATE,
            "resources/list": PRIVATE,
            "resources/templates/list": PRIVATE,
            "resources/read": PRIVATE,
            "prompts/list": PRIVATE,
        },
        on_list_tools=on.list_tools,
        on_call_tool=on.call_tool,
        on_list_resources=on.list_resources,
        on_list_resource_templates=on.list_templates,
        on_read_resource=on.read_resource,
        on_list_prompts=on.list_prompts,
        on_get_prompt=on.get_prompt,
        # The header rules need a schema; it is the same for everyone, so no list has to be asked for it.
        get_tool_input_schema=_input_schema,
    )
    # The tracing the SDK puts in would carry names of tools outside; ours is `/metrics`.
    made.middleware.clear()
    return made


class Handlers:
    """What the SDK calls for each method: the caller's share of what there is."""

    def __init__(self, served: Served, oauth: Callable[[], Awaitable[bool]]) -> None:
        self._served = served
        self._oauth = oauth
        self._read_only = served.app.settings.read_only

    async def list_tools(self, asked: Asked, params: types.PaginatedRequestParams | None) -> Result:
        _one_page(params)
        mode = _grant(asked).write_mode
        offered = shipped().offered(*self._sees(asked), read_only=self._read_only, mode=mode)
        if await self._oauth():
            offered = [_schemed(definition) for definition in offered]
        return {"tools": offered} | COMPLETE

    async def call_tool(self, asked: Asked, params: types.CallToolRequestParams) -> Result:
        operation = named(params.name)
        if operation is None:
            raise MCPError(rpc.INVALID_PARAMS, f"There is no tool {params.name[: rpc.METHOD_SHOWN_MAX]!r}.")
        grant = _grant(asked)
        toolsets = self._served.mcp_toolsets(grant)
        found = await self._served.call(grant, operation, params.arguments or {}, toolsets=toolsets)
        failed = isinstance(found, MunimentError)
        return rpc.tool_result(errors.shown(found) if isinstance(found, MunimentError) else found, failed=failed) | COMPLETE

    async def list_resources(self, asked: Asked, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        _one_page(params)
        return types.ListResourcesResult.model_validate(
            {"resources": resources.listed(*self._sees(asked), read_only=self._read_only)}
        )

    async def list_templates(
        self, asked: Asked, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        _one_page(params)
        found = resources.templates(*self._sees(asked), read_only=self._read_only)
        return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": found})

    async def read_resource(self, asked: Asked, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        named = resources.named(uri, *self._sees(asked), read_only=self._read_only)
        if named is None:
            raise _no_resource(asked, uri)
        served, grant = self._served, _grant(asked)
        found = await served.threaded("resources/read", lambda: resources.opened(served.context(grant), uri, *named))
        if isinstance(found, MunimentError):
            raise _no_resource(asked, uri)
        return types.ReadResourceResult.model_validate(found)

    async def list_prompts(self, asked: Asked, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        _one_page(params)
        return types.ListPromptsResult.model_validate(
            {"prompts": prompts.offered(*self._sees(asked), read_only=self._read_only)}
        )

    async def get_prompt(self, asked: Asked, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        try:
            found = prompts.given(params.name, params.arguments, *self._sees(asked), read_only=self._read_only)
        except ValueError as fault:
            raise MCPError(rpc.INVALID_PARAMS, str(fault)) from fault
        if found is None:
            raise MCPError(rpc.INVALID_PARAMS, rpc.NO_PROMPT)
        return types.GetPromptResult.model_validate(found)

    def _sees(self, asked: Asked) -> tuple[frozenset[str], frozenset[str]]:
        grant = _grant(asked)
        return grant.scopes, self._served.mcp_toolsets(grant)


def _schemed(definition: dict[str, Any]) -> dict[str, Any]:
    """A definition with the scopes that a call takes, which chat connectors look for before they ask for more."""
    tool = shipped().named(definition["name"])
    assert tool is not None, "it was offered"
    scheme = {"type": "oauth2", "scopes": [*tool.scopes[:1], *tool.also]}
    return definition | {"_meta": definition.get("_meta", {}) | {SCHEMES: [scheme]}}


def _no_resource(asked: Asked, uri: str) -> MCPError:
    stateless = asked.protocol_version in rpc.STATELESS
    return MCPError(rpc.INVALID_PARAMS if stateless else rpc.RESOURCE_NOT_FOUND_HANDSHAKE, rpc.NO_RESOURCE, {"uri": uri})


def _grant(asked: Asked) -> Grant:
    grant = asked.request.state.grant if asked.request is not None else None
    assert isinstance(grant, Grant), "the gate lets nobody through without one"
    client = asked.session.client_params
    header = asked.request.headers.get(CLIENT_HEADER) if asked.request is not None else None
    return labelled(grant, client.client_info.name if client else None, header)


def _one_page(params: types.PaginatedRequestParams | None) -> None:
    if params is not None and params.cursor is not None:
        raise MCPError(rpc.INVALID_PARAMS, "There is no such page: every list here is one page.")


def _input_schema(name: str) -> dict[str, Any] | None:
    tool = shipped().named(name)
    return tool.definition["inputSchema"] if tool else None
