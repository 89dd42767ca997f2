"""The HTTP server: REST, MCP and the few plain routes around them, all behind the gate.

It binds this machine alone until somebody may come in, with a token or as a profile: without either nobody is told apart.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import cache
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from muniment.access import configured, profiles, tokens
from muniment.access.oauth import external
from muniment.app import App
from muniment.errors import InvalidInput, MunimentError, NotFound, StoreError
from muniment.insight import overview
from muniment.settings import Settings
from muniment.surfaces import logs, mcp, openapi, provenance, rest, rings, wire
from muniment.surfaces.background import Background
from muniment.surfaces.catalogue import named
from muniment.surfaces.connection import Connection
from muniment.surfaces.gate import DESCRIPTION, Gate, Pace, is_loopback, rules
from muniment.surfaces.issuer import Keeper
from muniment.surfaces.metrics import CONTENT_TYPE
from muniment.surfaces.oauth.challenges import Challenges
from muniment.surfaces.oauth.provider import ROOT, is_scoped, provider
from muniment.surfaces.oauth.routes import pages_door, record_page
from muniment.surfaces.oauth.routes import routes as oauth_routes
from muniment.surfaces.offer import toolsets_named
from muniment.surfaces.rates import Rates
from muniment.surfaces.replies import JSON, refused, reply
from muniment.surfaces.served import MCP_PATH, Served

CONNECTIONS_MAX = 128
IDLE_S_MAX = 15
FINISH_S_MAX = 10
REQUEST_LINE_BYTES_MAX = 32_768
LOG = logging.getLogger("muniment")


def build(app: App, keeper: Keeper | None = None) -> ASGIApp:
    """The whole server as one ASGI app. Its lifespan runs the background work. `keeper`: that of the configured issuer."""
    toolsets_named(app.settings.http_toolsets)  # a server with a name that is none does not start
    served = Served(app, toolsets_named(app.settings.toolsets), shared=rings.shared(app), keeper=keeper or kept(app))
    authority = provider(served)
    doors = Challenges(authority)
    sessions = mcp.manager(served, lambda: is_scoped(authority))

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        background = Background(app)
        background.start()
        if served.keeper is not None:
            served.keeper.start()
        async with sessions.run():
            yield
        await asyncio.to_thread(background.close)
        await asyncio.to_thread(served.close)

    class Mcp:
        """An ASGI app and not a function, so that Starlette hands it the bare request."""

        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            if not any(name == b"accept" for name, _ in scope["headers"]):
                # Whoever names no form of answer takes any (RFC 9110, 12.5.1); the SDK would refuse it.
                scope = {**scope, "headers": [*scope["headers"], (b"accept", JSON.encode())]}
            await sessions.handle_request(scope, receive, send)

    routes = [
        Route("/healthz", _healthz),
        Route(DESCRIPTION, _with(served, _openapi)),
        Route("/readyz", _with(served, _readyz)),
        Route("/metrics", _with(served, _metrics)),
        Route(ROOT, _for_people(_nothing, pages_door(authority, doors)), methods=["GET"]),
        Route("/r/{ref}", _for_people(_with(served, _record), record_page(authority, doors))),
        Route(MCP_PATH, Mcp(), methods=["POST"]),
        Route("/mcp/", Mcp(), methods=["POST"]),
        *rest.routes(served),
        *oauth_routes(authority),
    ]
    faults = {HTTPException: _http_error(authority.path(DESCRIPTION))}
    inner = Starlette(routes=routes, lifespan=lifespan, exception_handlers=faults)
    inner.router.redirect_slashes = False
    strangers = app.settings.stranger_rate_per_minute
    pace = Pace(Rates(app.settings.rate_per_minute), Rates(strangers), visitors=Rates(strangers))
    gate = Gate(inner, rules(app.settings), served.grant, doors=doors, pace=pace, metrics=served.metrics)
    proxies = trusted_proxies(app.settings.trusted_proxies)
    # It wants the types of uvicorn's own, which differ from Starlette's in name alone.
    return cast(ASGIApp, ProxyHeadersMiddleware(cast(Any, gate), proxies)) if proxies else gate


def kept(app: App) -> Keeper | None:
    """What keeps the keys of the configured issuer, where there is one."""
    issuer = external.configured(app.settings, app.context().base_url.rstrip("/") + MCP_PATH)
    return Keeper(issuer) if issuer else None


def trusted_proxies(named: str) -> list[str]:
    """The proxies of the setting. Raises InvalidInput for what is neither an address nor a network, such as `*`."""
    listed = [one.strip() for one in named.split(",") if one.strip()]
    for one in listed:
        try:
            ipaddress.ip_network(one)
        except ValueError as fault:
            advice = "Name each proxy, such as 10.0.0.5 or 10.0.0.0/24, in `trusted_proxies`."
            raise InvalidInput(f"{one!r} is neither an address nor a network ({fault}).", advice) from fault
    return listed


def serve(app: App, settings: Settings) -> None:
    """Serve until a signal comes. Raises InvalidInput or StoreError when the address must not or cannot be bound, or the ring
    does not let it start."""
    rings.check(app, settings)
    logs.begin(settings)
    _profiles(app, settings)
    known = _known(app)
    if not known and not is_loopback(settings.host):
        raise InvalidInput(
            f"{settings.host} can be reached from other machines, and nobody may come in yet.",
            "Make a profile with `muniment profile add`, or a token with `muniment token add`.",
        )
    keeper = kept(app)
    if keeper is not None:
        keeper.first()
    listener = _bound(settings)
    base = settings.base_url or "http://{}:{}".format(*listener.getsockname()[:2])
    sys.stderr.write(f"Muniment serves {app.store.where} at {base} (MCP: {base}/mcp).\n")
    if not known:
        sys.stderr.write(
            "Nobody may come in yet. Make a profile with `muniment profile add`, or a token with `muniment token add`.\n"
        )
    config = uvicorn.Config(
        build(app, keeper),
        http=Connection,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS_MAX,
        timeout_keep_alive=IDLE_S_MAX,
        timeout_graceful_shutdown=FINISH_S_MAX,
        h11_max_incomplete_event_size=REQUEST_LINE_BYTES_MAX,
        lifespan="on",
    )
    with listener, _signals_are_spent():
        uvicorn.Server(config).run(sockets=[listener])


def _profiles(app: App, settings: Settings) -> None:
    """Make the configured profiles those of the store."""
    wanted = configured.read(settings.profiles, settings.profiles_file)
    kept, ended = configured.settle(app.store, wanted, app.context().now(), read_only=settings.read_only)
    for names, what in ((kept, "may log in as configured"), (ended, "is configured no more and has ended")):
        for name in names:
            LOG.info("The profile %r %s.", name, what)


def _known(app: App) -> bool:
    """Whether anybody could be told from a stranger."""
    if rings.shared(app) is not None:
        return True
    now = app.context().now()
    with app.store.read() as connection:
        if any(token.valid(now) for token in tokens.listing(connection)):
            return True
        return any(one.ended_at is None for one in profiles.listing(connection))


@contextlib.contextmanager
def _signals_are_spent() -> Iterator[None]:
    """uvicorn raises a signal once more when it has stopped for it; the store behind us still wants to be closed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.signal(one, lambda *_: None) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for one, action in before.items():
            signal.signal(one, action)


def _bound(settings: Settings) -> socket.socket:
    host = settings.host.strip("[]")
    try:
        family = socket.getaddrinfo(host or None, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.socket(family[0], socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(family[4])
        except OSError:
            listener.close()
            raise
    except OSError as fault:
        raise StoreError(
            f"{settings.host}:{settings.port} cannot be bound ({fault.strerror}).", "Choose another with --host and --port."
        ) from fault
    return listener


def _with(served: Served, endpoint: Any) -> Any:
    async def bound(request: Request) -> Response:
        found: Response = await endpoint(served, request)
        return found

    return bound


def _for_people(endpoint: Any, page: Any) -> Any:
    """Programs that show a token get an answer for programs; whoever comes without one gets the page."""

    async def chosen(request: Request) -> Response:
        found: Response = await (endpoint if hasattr(request.state, "grant") else page)(request)
        return found

    return chosen


async def _healthz(request: Request) -> Response:
    return PlainTextResponse("ok")


async def _nothing(request: Request) -> Response:
    raise HTTPException(404)


async def _openapi(served: Served, request: Request) -> Response:
    text = await asyncio.to_thread(_openapi_text, served.app.settings.base_url)
    return Response(text, media_type=JSON, headers={"cache-control": "public, max-age=300"})


@cache
def _openapi_text(address: str) -> str:
    return openapi.text(address)


async def _readyz(served: Served, request: Request) -> Response:
    found = await _embedder(served, request)
    if isinstance(found, MunimentError):
        return refused(found)
    told = {"ready": True, "embedder": found}
    if served.keeper is None:
        return reply(told)
    seen = served.keeper.seen()
    # Another process may have the keys that its callers need: they are better off there.
    return reply(told | {"ready": seen["ready"], "issuer": seen}, status=200 if seen["ready"] else 503)


async def _metrics(served: Served, request: Request) -> Response:
    found = await _embedder(served, request)
    backlog = None if isinstance(found, MunimentError) else found.get("backlog")
    return Response(served.metrics.text(backlog), media_type=CONTENT_TYPE)


async def _embedder(served: Served, request: Request) -> dict[str, Any] | MunimentError:
    """How far the embedder is with what the token may read. Whoever watches a server does so with a token for all of it."""
    grant = request.state.grant
    return await served.watched("Looking at the embedder", lambda: wire.plain(overview.embedder(served.context(grant))) or {})


async def _record(served: Served, request: Request) -> Response:
    """What a `url` of search opens: the record as plain text, the same as `read` shows."""
    operation = named("read")
    assert operation is not None, "the catalogue has it"
    values = dict(request.query_params) | {"ref": request.path_params["ref"]}
    found = await served.call(request.state.grant, operation, values)
    if isinstance(found, MunimentError):
        return refused(found, operation)
    return PlainTextResponse("\n\n".join(_shown(record) for record in found["records"]) + _more(served, request, found))


def _shown(record: dict[str, Any]) -> str:
    """A record with its provenance above it."""
    lines = [f"{name}: {value}" for name, value in provenance.facts(record)]
    return "\n".join(lines) + f"\n\n{record['text']}"


def _more(served: Served, request: Request, found: dict[str, Any]) -> str:
    """Where a session goes on: a path as a caller has to ask for it, wherever the server is mounted."""
    if not found.get("cursor"):
        return "\n"
    path = urlsplit(served.app.settings.base_url).path.rstrip("/") + request.url.path
    return f"\n\nGoes on: {path}?{urlencode({'cursor': found['cursor']})}\n"


def _http_error(description: str) -> Callable[[Request, Exception], Awaitable[Response]]:
    """What Starlette itself refuses: a path or a method that is not there. `description`: where it is told what is."""
    advice = f"See {description}."

    async def answered(request: Request, fault: Exception) -> Response:
        assert isinstance(fault, HTTPException)
        if fault.status_code == 405:
            answer = refused(InvalidInput(f"{request.method} is not possible here.", advice), status=405)
        else:
            answer = refused(NotFound("There is nothing at this address.", advice), status=fault.status_code)
        answer.headers.update(fault.headers or {})
        return answer

    return answered
