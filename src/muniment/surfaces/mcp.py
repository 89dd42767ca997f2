"""MCP over Streamable HTTP: the SDK speaks the protocol of both eras, we say what there is and run it.

Every request stands alone: no session, no stream, one JSON answer. Who asks is decided before a request comes here.
"""

from __future__ import annotations

from typing import Any, NoReturn

from mcp import types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

from muniment.errors import MunimentError
from muniment.model.access import Grant
from muniment.surfaces import errors, rpc
from muniment.surfaces.catalogue import named
from muniment.surfaces.served import Served
from muniment.surfaces.tools import shipped

Asked = ServerRequestContext[Any, Any]
PRIVATE = CacheHint(ttl_ms=rpc.LIST_TTL_MS, scope="private")


def manager(served: Served) -> StreamableHTTPSessionManager:
    """The ASGI side of the server; its `run()` belongs into the lifespan of the app around it."""
    return StreamableHTTPSessionManager(
        server(served), stateless=True, json_response=True, max_request_body_size=served.app.settings.body_bytes_max
    )


def server(served: Served) -> Server[Any]:
    """The low-level server over our catalogue."""

    async def list_tools(asked: Asked, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        _one_page(params)
        offered = shipped().offered(_grant(asked).scopes, served.toolsets, read_only=served.app.settings.read_only)
        return types.ListToolsResult(tools=[types.Tool.model_validate(definition) for definition in offered])

    async def call_tool(asked: Asked, params: types.CallToolRequestParams) -> types.CallToolResult:
        operation = named(params.name)
        if operation is None:
            raise MCPError(rpc.INVALID_PARAMS, f"There is no tool {params.name[: rpc.METHOD_SHOWN_MAX]!r}.")
        found = await served.call(_grant(asked), operation, params.arguments or {})
        failed = isinstance(found, MunimentError)
        result = rpc.tool_result(errors.shown(found) if isinstance(found, MunimentError) else found, failed=failed)
        return types.CallToolResult.model_validate(result)

    async def list_resources(asked: Asked, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        _one_page(params)
        return types.ListResourcesResult(resources=[])

    async def list_templates(asked: Asked, params: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        _one_page(params)
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def list_prompts(asked: Asked, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        _one_page(params)
        return types.ListPromptsResult(prompts=[])

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
            "prompts/list": PRIVATE,
        },
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=_no_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=_no_prompt,
        # The header rules need a schema; it is the same for everyone, so no list has to be asked for it.
        get_tool_input_schema=_input_schema,
    )
    # The tracing the SDK puts in would carry names of tools outside; ours is `/metrics`.
    made.middleware.clear()
    return made


async def _no_resource(asked: Asked, params: types.ReadResourceRequestParams) -> NoReturn:
    stateless = asked.protocol_version in rpc.STATELESS
    raise MCPError(rpc.INVALID_PARAMS if stateless else rpc.RESOURCE_NOT_FOUND_HANDSHAKE, "There is no such resource.")


async def _no_prompt(asked: Asked, params: types.GetPromptRequestParams) -> NoReturn:
    raise MCPError(rpc.INVALID_PARAMS, "There is no such prompt.")


def _grant(asked: Asked) -> Grant:
    grant = asked.request.state.grant if asked.request is not None else None
    assert isinstance(grant, Grant), "the gate lets nobody through without one"
    return grant


def _one_page(params: types.PaginatedRequestParams | None) -> None:
    if params is not None and params.cursor is not None:
        raise MCPError(rpc.INVALID_PARAMS, "There is no such page: every list here is one page.")


def _input_schema(name: str) -> dict[str, Any] | None:
    tool = shipped().named(name)
    return tool.definition["inputSchema"] if tool else None
