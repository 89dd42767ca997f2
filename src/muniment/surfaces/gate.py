"""The outermost layer of the HTTP server. Every request on every route passes it, before anything is parsed.

In this order: Host, Origin, headers, token, pace, body. So a stranger's body is never read, and a page of another site that
has talked a browser into asking us gets nothing. Each request ends as one line of the log, whatever became of it.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Literal, Protocol
from urllib.parse import unquote_plus, urlsplit
from uuid import uuid4

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from muniment.access import attempts
from muniment.errors import InsufficientScope, InvalidInput, LimitExceeded, MunimentError, Unauthorized
from muniment.model.access import Grant
from muniment.settings import Settings
from muniment.surfaces import logs
from muniment.surfaces.metrics import Metrics
from muniment.surfaces.rates import Rates, Try
from muniment.surfaces.replies import refused
from muniment.surfaces.room import Room, Share

HEADERS_MAX = 100
HEADERS_BYTES_MAX = 16_384
# Path and query together. A question in a query string is long, and so is an authorization request that a login leads back to.
TARGET_BYTES_MAX = 32_768
BODY_S_MAX = 30.0
# Where an address has nothing left, and a request may still show that it is known: its few bytes come with its head.
SPENT_BODY_S_MAX = 2.0
# What a caller without a token may send: forms and descriptions of clients are small.
OPEN_BODY_BYTES_MAX = 65_536
# Of one caller, this many bodies of the largest size may be on their way or worked on at once.
BODIES_AT_ONCE = 4
# Objects and lists in a body, those in its texts too: read, each of them takes thirty times its two bytes.
PARTS_MAX = 1_000_000
PREFLIGHT_S = 600
UNANSWERED = 499
HEALTH, DESCRIPTION = "/healthz", "/openapi.json"
UNKNOWN = "unknown"
OPEN_PATHS = frozenset({HEALTH, DESCRIPTION})
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
# Addresses that stand for every interface, the loopback's among them.
EVERYWHERE = ("", "0.0.0.0", "::", "[::]")
DEFAULT_PORTS = {"http": 80, "https": 443}
# A secret in an address ends up in logs and histories; these names are refused wherever they stand.
SECRET_PARAMETERS = ("access_token", "refresh_token", "token", "api_key", "client_secret", "code_verifier", "passphrase")

_WHOLE = re.compile(r"https?://[^/]*", re.IGNORECASE)
# What a client may call its request; anything else is replaced.
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


@dataclass(frozen=True, slots=True)
class Rules:
    """What is let through. Hosts are `name:port` as a client sends them; origins are those whose pages may call us.

    `mount` is the path below which the server is reached, without a slash at its end; empty at the root.
    """

    hosts: frozenset[str]
    own_origins: frozenset[str]
    listed_origins: frozenset[str]
    body_bytes_max: int
    mount: str = ""


def rules(settings: Settings) -> Rules:
    """The rules that the settings make. Addresses come from the settings alone, never from a request."""
    bound = settings.host.strip("[]")
    names = [f"[{bound}]" if ":" in bound else bound]
    if is_loopback(settings.host) or settings.host in EVERYWHERE:
        names += LOOPBACK
    listed_hosts = _listed(settings.allowed_hosts)
    names += listed_hosts
    hosts: set[str] = set()
    for name in names:
        hosts |= {name} if _has_port(name) else _with_port(name, settings.port, "http")
    # A name that people list stands behind a proxy as often as not, so it also counts without a port.
    hosts |= listed_hosts
    own = {f"http://{host}" for host in hosts} | {f"https://{host}" for host in hosts}
    mount = ""
    if settings.base_url:
        base = urlsplit(settings.base_url)
        mount = base.path.rstrip("/")
        called = _with_port(base.hostname or "", base.port or 0, base.scheme)
        hosts |= called
        own |= {f"{base.scheme}://{host}" for host in called}
        own.add(f"{base.scheme}://{base.netloc.lower()}")
    listed = {origin.rstrip("/") for origin in _listed(settings.allowed_origins)}
    return Rules(frozenset(hosts), frozenset(own), frozenset(listed - {"null"}), settings.body_bytes_max, mount)


def _listed(setting: str) -> set[str]:
    """The names that a setting lists, lower case."""
    return {name.strip().lower() for name in setting.split(",") if name.strip()}


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    name = host.strip("[]").lower()
    try:
        return ip_address(name).is_loopback
    except ValueError:  # a name, and any but this one may lead anywhere
        return name == "localhost"


@dataclass(frozen=True, slots=True)
class Pace:
    """How often somebody who is known may ask, and how often an address: its programs, and apart from them its people, who
    would else find no login page where a program tries tokens."""

    callers: Rates
    strangers: Rates
    visitors: Rates


# What an open path costs: nothing, since all get the same answer; one of what programs share, or of what people do; or one of
# what programs share, which the path itself gives back to who is known (`request.state.tried`).
Counted = Literal["not", "programs", "people", "unless_known"]


class Doors(Protocol):
    """What OAuth lets people and clients do who have no token yet, or one for less."""

    def is_open(self, path: str, method: str, *, shows: bool) -> bool: ...

    def counted(self, path: str) -> Counted: ...

    async def logged_in(self, scope: Scope) -> int | None: ...

    async def issued(self, secret: str) -> bool: ...

    async def unauthorized(self, answer: Response, *, tried: bool) -> Response: ...

    def unscoped(self, answer: Response) -> Response: ...

    async def step_up(self, grant: Grant, path: str, body: bytes) -> Response | None: ...


class Gate:
    """`grant` answers what a token may do, or why it may do nothing."""

    def __init__(
        self,
        app: ASGIApp,
        rules: Rules,
        grant: Callable[[str], Awaitable[Grant | MunimentError]],
        *,
        doors: Doors,
        pace: Pace,
        metrics: Metrics,
    ) -> None:
        self._app = app
        self._rules = rules
        self._grant = grant
        self._pace = pace
        self._metrics = metrics
        self._doors = doors
        self._room = Room(BODIES_AT_ONCE * rules.body_bytes_max)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._noted(_below(scope, self._rules.mount), receive, send)
        # Nothing here speaks WebSocket: the server closes such a request by itself.

    async def _noted(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, count it, and write its line."""
        began = time.perf_counter()
        origin = _only(scope, b"origin")
        sender = _Sender(send, origin if origin in self._rules.listed_origins else None, _request_id(scope))
        try:
            await self._admit(scope, receive, sender)
        except asyncio.CancelledError:
            # Only the server does so, when it stops and has waited for long enough. What runs in a thread goes on to its end.
            if sender.begun:
                raise
            await _stopping()(scope, receive, sender)
        finally:
            self._metrics.answered(scope["method"], sender.status)
            if sender.status == 429:
                self._metrics.slowed()
            grant = scope.get("state", {}).get("grant")
            logs.request(
                request_id=sender.request_id,
                method=scope["method"],
                path=scope["path"],
                status=sender.status,
                ms=round((time.perf_counter() - began) * 1000, 1),
                bytes=sender.bytes,
                principal=grant.principal_name if grant else None,
                address=_address(scope),
            )

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._stranger(scope) or self._preflight(scope) or await self._caller(scope)
        refusal = await self._too_often(scope, refusal) or refusal
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        grant: Grant | None = scope.get("state", {}).get("grant")
        most = self._rules.body_bytes_max if grant else min(OPEN_BODY_BYTES_MAX, self._rules.body_bytes_max)
        share = Share(self._room, _asker(scope))
        try:
            body = await _body(scope, receive, most, share, SPENT_BODY_S_MAX if _spent(scope) else BODY_S_MAX)
            if isinstance(body, bytes) and grant is not None:
                # Before the protocol is looked at: a client learns from the status that it can get a better token.
                body = await self._doors.step_up(grant, scope["path"], body) or body
            if isinstance(body, Response):
                await body(scope, receive, send)
            elif body is not None:
                await self._app(scope, _replay(body, receive), send)
        finally:
            share.end()

    async def _too_often(self, scope: Scope, refusal: Response | None) -> Response | None:
        """Slow down who asks too often. What strangers use up is theirs alone: nobody who is known waits for it."""
        grant = scope.get("state", {}).get("grant")
        if grant is not None:
            wait = self._pace.callers.wait(_asker(scope))
        elif refusal is None:
            wait = await self._visit(scope)
        elif refusal.status_code == 401:
            wait = await self._unknown(scope)
        else:
            return None  # refused already, and nothing was looked up for it
        if not wait:
            return None
        answer = refused(LimitExceeded("There were too many requests.", f"Wait {wait} seconds and send it again."), status=429)
        answer.headers["retry-after"] = str(wait)
        return answer

    async def _visit(self, scope: Scope) -> int:
        """How long a request to an open path has to wait."""
        counted = "not" if scope["path"] == HEALTH else self._doors.counted(scope["path"])
        match counted:
            case "not":
                return 0
            case "programs":
                return self._pace.strangers.wait(_asker(scope))
            case "unless_known":
                scope.setdefault("state", {})["tried"] = Try.of(self._pace.strangers, _asker(scope))
                return 0
            case "people":
                principal = await self._doors.logged_in(scope)
                if principal is not None:
                    return self._pace.callers.wait(f"browser:{principal}")
                return self._pace.visitors.wait(_asker(scope))

    async def _unknown(self, scope: Scope) -> int:
        """How long somebody without a good token has to wait. One that was good once gets its 401, which says to renew it."""
        tried = Try.of(self._pace.strangers, _asker(scope))
        secret = _bearer(scope)
        if secret and await self._doors.issued(secret):
            tried.known()
            return 0
        return tried.wait

    def _stranger(self, scope: Scope) -> Response | None:
        """Refuse what no honest client sends."""
        hosts = _sent(scope, b"host")
        if len(hosts) != 1:
            return refused(InvalidInput("A request names exactly one Host."))
        if hosts[0].lower() not in self._rules.hosts:
            return refused(
                InvalidInput("This server does not answer to that Host.", "Add the name to the setting `allowed_hosts`."),
                status=421,
            )
        origins = _sent(scope, b"origin")
        callers = self._rules.own_origins | self._rules.listed_origins
        if len(origins) > 1 or any(origin.lower() not in callers for origin in origins):
            return refused(
                InvalidInput("Pages of that origin may not call this server.", "Add it to the setting `allowed_origins`."),
                status=403,
            )
        if {b"content-length", b"transfer-encoding"} <= {name for name, _ in scope["headers"]}:
            # A proxy that believes the other one takes part of this body for the next request (RFC 9112, 6.1).
            answer = refused(InvalidInput("A request tells the length of its body in one way.", "Leave Content-Length out."))
            answer.headers["connection"] = "close"
            return answer
        size = sum(len(name) + len(value) for name, value in scope["headers"])
        if len(scope["headers"]) > HEADERS_MAX or size > HEADERS_BYTES_MAX:
            return refused(LimitExceeded("The headers are too many or too long."), status=431)
        if len(scope["path"].encode("utf-8", "replace")) + len(scope.get("query_string", b"")) > TARGET_BYTES_MAX:
            return refused(LimitExceeded("The address is too long.", "Use POST."), status=414)
        parameters = re.split("[&;]", scope.get("query_string", b"").decode("latin-1").removeprefix("?"))
        if any(unquote_plus(part.partition("=")[0]).lower() in SECRET_PARAMETERS for part in parameters):
            error = InvalidInput(
                "A secret never goes into an address.", "Send a token as `Authorization: Bearer …`, and replace this one."
            )
            return refused(error)
        return None

    def _preflight(self, scope: Scope) -> Response | None:
        """A browser asks before it lets a page of a listed origin call us; that question carries no token."""
        asked = _only(scope, b"access-control-request-method")
        if scope["method"] != "OPTIONS" or not asked or _only(scope, b"origin") not in self._rules.listed_origins:
            return None
        headers = {
            "access-control-allow-methods": "GET, POST",
            "access-control-allow-headers": "authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, "
            "x-muniment-client, if-none-match",
            "access-control-max-age": str(PREFLIGHT_S),
        }
        return Response(status_code=204, headers=headers)

    async def _caller(self, scope: Scope) -> Response | None:
        """Find out who asks, and note it for the routes as `request.state.grant`."""
        if scope["path"] in OPEN_PATHS:
            return None
        given = _sent(scope, b"authorization")
        if self._doors.is_open(scope["path"], scope["method"], shows=bool(given)):
            return None
        secret = _bearer(scope)
        if not secret:
            answer = refused(Unauthorized("The request carries no token."), tried=bool(given))
            return await self._doors.unauthorized(answer, tried=bool(given))
        found = await self._grant(secret)
        if isinstance(found, Unauthorized):
            return await self._doors.unauthorized(refused(found), tried=True)
        if isinstance(found, InsufficientScope):
            return self._doors.unscoped(refused(found))
        if isinstance(found, MunimentError):
            return refused(found)
        scope.setdefault("state", {})["grant"] = found
        return None


class _Sender:
    """Sends answers on with the headers that every one of them carries; a face's own header wins.

    `status` and `bytes` are those of the answer so far; UNANSWERED stands for a client that went away before any.
    """

    def __init__(self, send: Send, origin: str | None, request_id: str) -> None:
        self._send = send
        self._origin = origin
        self.request_id = request_id
        self.status = UNANSWERED
        self.bytes = 0

    @property
    def begun(self) -> bool:
        """Whether anything of an answer was sent."""
        return self.status != UNANSWERED

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = [pair for pair in message.get("headers", ()) if pair[0].lower() != b"server"]
            given = {name.lower() for name, _ in headers}
            headers += [pair for pair in HEADERS if pair[0] not in given]
            headers.append((b"x-request-id", self.request_id.encode()))
            if self._origin:
                headers += [(b"access-control-allow-origin", self._origin.encode("latin-1")), (b"vary", b"Origin")]
                headers.append((b"access-control-expose-headers", b"etag, www-authenticate, x-request-id, retry-after"))
            message = {**message, "headers": headers}
        self.bytes += len(message.get("body", b""))
        await self._send(message)


def _below(scope: Scope, mount: str) -> Scope:
    """The request as the routes know it. A proxy may or may not take the mount off before it passes a request on."""
    path = scope["path"]
    if whole := _WHOLE.match(path):  # as a proxy is asked; what counts is the Host header (RFC 9112, 3.2.2)
        path = path[whole.end() :] or "/"
        scope = {**scope, "path": path, "raw_path": None}
    if not mount or not (path == mount or path.startswith(f"{mount}/")):
        return scope
    return {**scope, "path": path[len(mount) :] or "/", "raw_path": None, "mount": mount}


def _request_id(scope: Scope) -> str:
    given = _sent(scope, b"x-request-id")
    return given[0] if len(given) == 1 and _REQUEST_ID.fullmatch(given[0]) else uuid4().hex


def _asker(scope: Scope) -> str:
    """Who shares one budget: the bearer of a token, or the network that a stranger holds."""
    grant = scope.get("state", {}).get("grant")
    return f"{grant.principal}:{grant.token}" if grant else attempts.origin(_address(scope))


def _bearer(scope: Scope) -> str:
    """The token of a request; empty where none came, or several."""
    given = _sent(scope, b"authorization")
    kind, _, secret = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    return secret.strip() if kind.lower() == "bearer" else ""


def _spent(scope: Scope) -> bool:
    """Whether a request was let in only to show that it is known."""
    tried: Try | None = scope.get("state", {}).get("tried")
    return tried is not None and tried.wait > 0


def _address(scope: Scope) -> str:
    """The client's address. A trusted proxy may have passed on anything at all in its place."""
    client = scope.get("client")
    try:
        return str(ip_address(client[0])) if client else UNKNOWN
    except ValueError:
        return UNKNOWN


async def _body(scope: Scope, receive: Receive, most: int, share: Share, seconds: float) -> bytes | Response | None:
    """The whole body; an answer when it is too large, has too many parts or is too slow; None when the client has gone."""
    declared = _only(scope, b"content-length")
    too_large = LimitExceeded(f"The body has more than {most:,} bytes.", "Send less in one call.")
    if declared.isdigit() and int(declared) > most:
        return refused(too_large, status=413)
    parts, size = [], 0
    try:
        async with asyncio.timeout(seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                part = message.get("body", b"")
                size += len(part)
                if size > most:
                    return refused(too_large, status=413)
                if not share.take(len(part)):
                    return refused(
                        LimitExceeded("Too many large bodies came at once.", "Send one after the other."), status=429
                    )
                parts.append(part)
                if not message.get("more_body", False):
                    return _counted(b"".join(parts))
    except TimeoutError:
        return refused(LimitExceeded(f"The body did not come within {seconds:g} seconds.", "Send it faster."), status=408)


def _counted(body: bytes) -> bytes | Response:
    """The body, or an answer where it would take far more memory than it has bytes when it is read."""
    if body.count(b"{") + body.count(b"[") > PARTS_MAX:
        return refused(LimitExceeded(f"The body has more than {PARTS_MAX:,} parts.", "Send less in one call."), status=413)
    return body


def _replay(body: bytes, receive: Receive) -> Receive:
    """A receive that hands over the body that was read, and after it only what happens to the connection."""
    left = [body]

    async def again() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return again


def _stopping() -> Response:
    """The answer to a call that takes longer than the server waits before it stops."""
    advice = "Look whether it was done before you send it again; with the same request_id it is done once."
    return refused(MunimentError("The server stops, and this call had not ended.", advice))


def _only(scope: Scope, name: bytes) -> str:
    """The value of a header, lower case; empty when it is absent or comes more than once."""
    found = _sent(scope, name)
    return found[0].lower() if len(found) == 1 else ""


def _sent(scope: Scope, name: bytes) -> list[str]:
    """Every value of a header, as it came."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def _has_port(name: str) -> bool:
    return ":" in name.rpartition("]")[2]


def _with_port(name: str, port: int, scheme: str) -> set[str]:
    """How clients write a host: with its port, and without where the port is the scheme's own."""
    name = (f"[{name}]" if ":" in name and not name.startswith("[") else name).lower()
    port = port or DEFAULT_PORTS.get(scheme, 0)
    return {f"{name}:{port}"} | ({name} if port == DEFAULT_PORTS.get(scheme) else set())
