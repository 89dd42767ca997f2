"""The gate in front of every route: Host, Origin, headers, token and body, tried with what attackers send."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from muniment.access import tokens
from muniment.app import App, create_app
from muniment.settings import Settings
from muniment.surfaces import gate
from muniment.surfaces.http import build
from tests.surfaces.conftest import BASE, bearer, token

ROUTES = [
    "/",
    "/mcp",
    "/mcp/",
    "/api/recall",
    "/api/nothing",
    "/r/m_1",
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/admin",
]
BAD_HOSTS = [
    "evil.example",
    "evil.example:8750",
    "127.0.0.1",
    "127.0.0.1:80",
    "127.0.0.1:8750.evil.example",
    "127.0.0.1.evil.example:8750",
    "localhost:8750.",
    "localhost.:8750",
    "localhost:08750",
    "user@localhost:8750",
    "localhost:8750/",
    "[::1]",
    "::1:8750",
    "0.0.0.0:8750",
    "2130706433:8750",
    " ",
    "",
]
BAD_ORIGINS = [
    "null",
    "https://evil.example",
    "http://127.0.0.1:8751",
    "http://127.0.0.1:8750.evil.example",
    "http://localhost:8750@evil.example",
    "http://localhost",
    "file://",
    "chrome-extension://abc",
    "",
]


@pytest.mark.parametrize("host", BAD_HOSTS)
def test_a_foreign_host_is_refused_on_every_route(web: TestClient, host: str) -> None:
    for path in ROUTES:
        for method in ("GET", "POST", "OPTIONS"):
            answer = web.request(method, path, headers={"host": host})
            assert answer.status_code == 421, (method, path)


@pytest.mark.parametrize("host", ["127.0.0.1:8750", "localhost:8750", "LocalHost:8750", "[::1]:8750"])
def test_the_own_names_are_answered(web: TestClient, host: str) -> None:
    assert web.get("/healthz", headers={"host": host}).text == "ok"


@pytest.mark.parametrize("origin", BAD_ORIGINS)
def test_a_foreign_origin_is_refused_on_every_route(web: TestClient, origin: str) -> None:
    for path in ROUTES:
        for method in ("GET", "POST", "OPTIONS"):
            answer = web.request(method, path, headers={"origin": origin})
            assert answer.status_code == 403, (method, path)
            assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8750", "http://localhost:8750"])
def test_a_page_of_the_server_itself_may_call_it(web: TestClient, origin: str) -> None:
    assert web.get("/api/stats", headers={"origin": origin}).status_code == 200


async def raw(
    app: Any, *headers: tuple[bytes, bytes], path: str = "/healthz", parts: tuple[Any, ...] = ()
) -> tuple[int, bytes]:
    """One request as a server hands it over, with headers that no client library would send."""
    sent: list[Any] = []
    left = list(parts) or [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Any:
        return left.pop(0) if left else await asyncio.sleep(3600)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST" if parts else "GET", "path": path, "query_string": b"", "headers": list(headers)}
    await app(scope | {"root_path": "", "scheme": "http", "http_version": "1.1", "server": ("127.0.0.1", 8750)}, receive, send)
    body = b"".join(part.get("body", b"") for part in sent[1:])
    return (sent[0]["status"], body) if sent else (0, b"")


HOST = (b"host", b"127.0.0.1:8750")


def test_a_request_without_a_host_or_with_two_is_refused(app: App) -> None:
    inner = build(app)
    assert asyncio.run(raw(inner))[0] == 400
    assert asyncio.run(raw(inner, HOST, HOST))[0] == 400
    assert asyncio.run(raw(inner, HOST))[0] == 200


def test_two_origins_are_refused_even_when_one_is_ours(app: App) -> None:
    ours, theirs = (b"origin", b"http://127.0.0.1:8750"), (b"origin", b"http://evil.example")
    assert asyncio.run(raw(build(app), HOST, ours, theirs))[0] == 403


def test_headers_have_a_limit(app: App) -> None:
    inner = build(app)
    assert asyncio.run(raw(inner, HOST, *[(b"x-a", b"1")] * gate.HEADERS_MAX))[0] == 431
    assert asyncio.run(raw(inner, HOST, (b"x-a", b"1" * gate.HEADERS_BYTES_MAX)))[0] == 431


def test_an_address_has_a_limit(web: TestClient) -> None:
    assert web.get("/api/recall?query=" + "a" * (gate.TARGET_BYTES_MAX - 100)).status_code != 414
    for address in ("/api/recall?query=" + "a" * gate.TARGET_BYTES_MAX, "/" + "a" * gate.TARGET_BYTES_MAX):
        assert web.get(address).status_code == 414


# --- tokens -------------------------------------------------------------------------------------------------------


@pytest.fixture
def stranger(app: App) -> Iterator[TestClient]:
    """The same server, asked without a token."""
    with TestClient(build(app), base_url=BASE) as client:
        yield client


def test_only_health_and_the_description_are_open(stranger: TestClient) -> None:
    for path in ROUTES:
        expected = 200 if path in ("/healthz", "/openapi.json") else 401
        answer = stranger.get(path)
        assert answer.status_code == expected, path
        if expected == 401:
            assert answer.headers["www-authenticate"] == "Bearer"
            assert answer.json()["error"]["code"] == "unauthorized"


def test_health_says_only_ok(stranger: TestClient) -> None:
    assert stranger.get("/healthz").content == b"ok"


@pytest.mark.parametrize(
    "value", ["Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "mun_" + "A" * 43, "Bearer mun_" + "A" * 43, "Bearer " + "x" * 9000]
)
def test_a_wrong_token_is_unauthorized(stranger: TestClient, value: str) -> None:
    answer = stranger.post("/api/stats", json={}, headers={"authorization": value})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_two_authorization_headers_are_no_token(app: App, secret: str) -> None:
    header = (b"authorization", b"Bearer " + secret.encode())
    assert asyncio.run(raw(build(app), HOST, header, header, path="/readyz"))[0] == 401


def test_a_revoked_token_ends_with_the_next_request(app: App, web: TestClient) -> None:
    assert web.get("/api/stats").status_code == 200
    with app.store.write() as connection:
        tokens.revoke(connection, tokens.listing(connection)[0].ref, app.context().now())
    assert web.get("/api/stats").status_code == 401
    assert web.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status_code == 401


@pytest.mark.parametrize(
    "query",
    [
        "access_token=x",
        "x=1;token=x",
        "%74oken=x",
        "a=1&access_token=x",
        "ACCESS_TOKEN=x",
        "token=x",
        "api_key=x",
        "access%5Ftoken=x",
        "%61ccess_token=x",
        "refresh_token=x",
        "client_secret=x",
        "code_verifier=x",
        "passphrase=x",
    ],
)
def test_a_token_in_the_address_is_refused(web: TestClient, secret: str, query: str) -> None:
    answer = web.get(f"/api/stats?{query}{secret}")
    assert answer.status_code == 400
    assert secret not in answer.text


# --- bodies -------------------------------------------------------------------------------------------------------


@pytest.fixture
def small(configured: Callable[..., Settings], app: App) -> App:
    """The same store behind a server that takes little."""
    return create_app(configured(body_bytes_max=2048))


def body(*chunks: bytes) -> tuple[dict[str, Any], ...]:
    last = len(chunks) - 1
    return tuple({"type": "http.request", "body": chunk, "more_body": at < last} for at, chunk in enumerate(chunks))


def test_a_body_over_the_limit_is_refused_however_it_comes(small: App) -> None:
    inner, header = build(small), (b"authorization", b"Bearer " + token(small).encode())
    json_ = (b"content-type", b"application/json")
    for path in ("/api/stats", "/mcp", "/nothing"):
        declared = asyncio.run(raw(inner, HOST, header, (b"content-length", b"2049"), path=path, parts=body(b"x")))
        chunked = asyncio.run(raw(inner, HOST, header, json_, path=path, parts=body(*[b"x" * 1000] * 3)))
        assert (declared[0], chunked[0]) == (413, 413)
        assert json.loads(chunked[1])["error"]["code"] == "limit_exceeded"


def test_a_body_has_a_limit_of_parts(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "PARTS_MAX", 100)
    header, json_ = (b"authorization", b"Bearer " + token(app).encode()), (b"content-type", b"application/json")
    inner = build(app)
    for path in ("/api/recall", "/mcp", "/nothing"):
        for part in (b"{},", b"[],"):
            content = b'{"query":[' + part * 100 + b"0]}"
            status, said = asyncio.run(raw(inner, HOST, header, json_, path=path, parts=body(content)))
            assert status == 413
            assert json.loads(said)["error"]["code"] == "limit_exceeded"
    fine = b'{"query": "' + b"[" * 98 + b'"}'
    assert asyncio.run(raw(inner, HOST, header, json_, path="/api/recall", parts=body(fine)))[0] == 200


def test_a_caller_has_room_for_a_few_large_bodies_and_takes_none_from_others(small: App) -> None:
    inner: Any = build(small)
    mine, other = (b"authorization", b"Bearer " + token(small).encode()), (b"authorization", b"Bearer " + token(small).encode())
    half = {"type": "http.request", "body": b" " * 2000, "more_body": True}
    json_ = (b"content-type", b"application/json")

    async def asked() -> tuple[int, int, int]:
        async with asyncio.timeout(30):
            slow = [
                asyncio.create_task(raw(inner, HOST, mine, json_, path="/api/stats", parts=(half,)))
                for _ in range(gate.BODIES_AT_ONCE)
            ]
            while sum(inner._room._held.values()) < 2000 * gate.BODIES_AT_ONCE:  # until each of them waits for its rest
                await asyncio.sleep(0.01)
            more = await raw(inner, HOST, mine, json_, path="/api/stats", parts=body(b" " * 1000 + b"{}"))
            others = await raw(inner, HOST, other, json_, path="/api/stats", parts=body(b" " * 1000 + b"{}"))
            for one in slow:
                one.cancel()
            await asyncio.gather(*slow, return_exceptions=True)
            again = await raw(inner, HOST, mine, json_, path="/api/stats", parts=body(b" " * 1000 + b"{}"))
        return more[0], others[0], again[0]

    assert asyncio.run(asked()) == (429, 200, 200)


def test_a_strangers_body_is_not_read(small: App) -> None:
    """The 401 comes although no body ever does: `receive` would wait for an hour."""

    async def asked() -> int:
        sent: list[Any] = []

        async def receive() -> Any:
            raise AssertionError("the body was read")

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "headers": [HOST]}
        await build(small)(scope, receive, send)
        return int(sent[0]["status"])

    assert asyncio.run(asked()) == 401


def test_a_body_that_comes_too_slowly_is_given_up(small: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "BODY_S_MAX", 0.05)
    header = (b"authorization", b"Bearer " + token(small).encode())
    slow = ({"type": "http.request", "body": b"{", "more_body": True},)
    assert asyncio.run(raw(build(small), HOST, header, path="/api/stats", parts=slow))[0] == 408


def test_a_client_that_goes_away_is_not_answered(small: App) -> None:
    header = (b"authorization", b"Bearer " + token(small).encode())
    gone = ({"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"})
    assert asyncio.run(raw(build(small), HOST, header, path="/api/stats", parts=gone)) == (0, b"")


def test_who_still_waits_when_the_server_has_to_stop_is_told_so(small: App) -> None:
    header = (b"authorization", b"Bearer " + token(small).encode())
    slow = ({"type": "http.request", "body": b"{", "more_body": True},)

    async def asked() -> tuple[int, bytes]:
        call = asyncio.create_task(raw(build(small), HOST, header, path="/api/stats", parts=slow))
        await asyncio.sleep(0.2)
        call.cancel()
        return await call

    status, body = asyncio.run(asked())
    assert status == 503
    assert json.loads(body)["error"]["code"] == "unavailable"


# --- answers ------------------------------------------------------------------------------------------------------


def test_every_answer_carries_the_security_headers(web: TestClient) -> None:
    for path in [*ROUTES, "/api/stats"]:
        for headers in ({}, {"host": "evil.example"}, {"origin": "null"}):
            answer = web.get(path, headers=headers)
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["x-frame-options"] == "DENY"
            assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert "cache-control" in answer.headers


def test_a_listed_origin_may_call_and_is_named_to_the_browser(configured: Callable[..., Settings], app: App) -> None:
    listed = create_app(configured(allowed_origins="https://app.example, null"))
    with TestClient(build(listed), base_url=BASE, headers=bearer(token(listed))) as client:
        asks = {"origin": "https://app.example", "access-control-request-method": "POST", "authorization": ""}
        preflight = client.options("/mcp", headers=asks)
        assert preflight.status_code == 204
        assert preflight.headers["access-control-allow-origin"] == "https://app.example"
        assert "authorization" in preflight.headers["access-control-allow-headers"]
        answer = client.get("/api/stats", headers={"origin": "https://app.example"})
        assert answer.headers["access-control-allow-origin"] == "https://app.example"
        assert answer.headers["vary"] == "Origin"
        assert client.get("/api/stats", headers={"origin": "null"}).status_code == 403
        assert client.options("/mcp", headers=asks | {"origin": "https://app.example.evil"}).status_code == 403


@pytest.mark.parametrize(
    ("flags", "hosts"),
    [
        ({"base_url": "https://memory.example.com"}, {"memory.example.com", "memory.example.com:443", "localhost:8750"}),
        ({"base_url": "https://memory.example.com:9443"}, {"memory.example.com:9443"}),
        ({"allowed_hosts": "box.lan, other:99"}, {"box.lan", "box.lan:8750", "other:99"}),
        ({"port": 80}, {"localhost", "localhost:80", "127.0.0.1"}),
        ({"host": "::1"}, {"[::1]:8750", "localhost:8750"}),
        ({"host": "0.0.0.0"}, {"localhost:8750", "0.0.0.0:8750"}),
        ({"host": "192.168.1.5"}, {"192.168.1.5:8750"}),
    ],
)
def test_the_settings_say_which_hosts_are_answered(
    configured: Callable[..., Settings], flags: dict[str, Any], hosts: set[str]
) -> None:
    assert hosts <= gate.rules(configured(**flags)).hosts


def test_an_address_of_the_network_does_not_answer_as_localhost(configured: Callable[..., Settings]) -> None:
    assert "localhost:8750" not in gate.rules(configured(host="192.168.1.5")).hosts


@pytest.mark.parametrize(
    ("host", "only_here"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("localhost", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),
        ("::", False),
        ("127.0.0.1.evil.example", False),
        ("127.evil.example", False),
        ("localhost.evil.example", False),
        ("::ffff:192.0.2.1", False),
        ("", False),
    ],
)
def test_loopback_is_told_from_the_network(host: str, only_here: bool) -> None:
    assert gate.is_loopback(host) is only_here


def test_a_stranger_has_one_budget_for_all_addresses_of_its_network() -> None:
    near, beside, far = ({"client": (f"2001:db8:0:{net}::{last}", 4711)} for net, last in ((1, 1), (1, 2), (2, 1)))
    assert gate._asker(near) == gate._asker(beside) != gate._asker(far)
