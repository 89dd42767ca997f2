"""The server on the open network: pace, proxies, a mounted path, slow clients, the log, and several processes on one store."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from muniment.access import tokens
from muniment.app import App, create_app
from muniment.errors import InvalidInput, StoreError
from muniment.settings import Settings
from muniment.surfaces import connection, http, logs, rates
from muniment.surfaces.gate import UNKNOWN
from tests.stores import at
from tests.surfaces.conftest import BASE, bearer, token
from tests.surfaces.test_http import serving


@pytest.fixture
def made(configured: Callable[..., Settings]) -> Callable[..., TestClient]:
    """A client of a server with some settings; its `secret` is a token of that server."""
    create_app(configured()).close()

    def client(address: str = "192.0.2.7", **flags: Any) -> TestClient:
        app = create_app(configured(**flags))
        web = TestClient(http.build(app), BASE, client=(address, 4711))
        web.secret = token(app)  # type: ignore[attr-defined]
        return web

    return client


def statuses(web: TestClient, count: int, headers: dict[str, str]) -> list[int]:
    return [web.post("/api/stats", json={}, headers=headers).status_code for _ in range(count)]


class Hands:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_empties_and_fills_again() -> None:
    clock = Hands()
    kept = rates.Rates(60, clock)
    assert [kept.wait("a") for _ in range(16)] == [0] * 15 + [1]
    assert kept.wait("b") == 0
    clock.now += 2
    assert [kept.wait("a") for _ in range(3)] == [0, 0, 1]
    clock.now += 3600
    assert [kept.wait("a") for _ in range(16)][-2:] == [0, 1]


def test_no_limit_is_no_limit() -> None:
    assert {rates.Rates(0).wait("a") for _ in range(1000)} == {0}


def test_a_flood_of_keys_is_forgotten_and_locks_nobody_out() -> None:
    kept = rates.Rates(60, Hands())
    for number in range(rates.KEYS_MAX + 50):
        assert kept.wait(str(number)) == 0
    assert len(kept._left) == rates.KEYS_MAX


def test_a_token_that_asks_too_often_waits_and_no_other_one_does(made: Callable[..., TestClient]) -> None:
    with made(rate_per_minute=20) as web:
        mine = bearer(web.secret)  # type: ignore[attr-defined]
        assert statuses(web, 7, mine) == [200] * 5 + [429] * 2
        refused = web.post("/api/stats", json={}, headers=mine)
        assert refused.json()["error"]["code"] == "limit_exceeded"
        assert 1 <= int(refused.headers["retry-after"]) <= 3


def test_strangers_use_up_nobody_elses_budget(made: Callable[..., TestClient]) -> None:
    with made(stranger_rate_per_minute=12) as web:
        assert statuses(web, 5, bearer("mun_" + "A" * 43)) == [401] * 3 + [429] * 2
        assert web.get("/openapi.json").status_code == 429
        assert web.get("/healthz").status_code == 200
        assert statuses(web, 2, bearer(web.secret)) == [200, 200]  # type: ignore[attr-defined]


def test_a_network_that_one_stranger_holds_is_one_stranger(made: Callable[..., TestClient]) -> None:
    with made("10.1.2.3", stranger_rate_per_minute=12, trusted_proxies="10.1.2.3") as web:
        found = [
            web.post("/api/stats", json={}, headers={"x-forwarded-for": f"2001:db8:0:1::{number}"}).status_code
            for number in range(4)
        ]
        other = web.post("/api/stats", json={}, headers={"x-forwarded-for": "2001:db8:0:2::1"}).status_code
    assert (found, other) == ([401, 401, 401, 429], 401)


def test_what_a_client_says_of_its_address_is_not_believed(made: Callable[..., TestClient]) -> None:
    with made(stranger_rate_per_minute=12) as web:
        found = [
            web.post("/api/stats", json={}, headers={"x-forwarded-for": f"198.51.100.{number}"}).status_code
            for number in range(4)
        ]
    assert found == [401, 401, 401, 429]


def test_what_a_trusted_proxy_says_of_it_is(made: Callable[..., TestClient]) -> None:
    with made("10.1.2.3", stranger_rate_per_minute=12, trusted_proxies="10.0.0.0/8") as web:
        found = [
            web.post("/api/stats", json={}, headers={"x-forwarded-for": f"198.51.100.{number}"}).status_code
            for number in range(6)
        ]
        # What a client wrote into the header itself stands to the left of what the proxy added.
        forged = [
            web.post("/api/stats", json={}, headers={"x-forwarded-for": f"8.8.8.{number}, 203.0.113.9"}).status_code
            for number in range(4)
        ]
    assert (found, forged) == ([401] * 6, [401, 401, 401, 429])


@pytest.mark.parametrize("named", ["*", "proxy.example", "10.0.0.0/33", "10.0.0.1/8"])
def test_a_proxy_is_trusted_by_its_address_alone(named: str) -> None:
    with pytest.raises(InvalidInput, match="neither an address nor a network"):
        http.trusted_proxies(f"10.0.0.5, {named}")


@pytest.mark.parametrize("path", ["/memory/api/stats", "/api/stats"])
def test_a_server_below_a_path_answers_with_and_without_it(made: Callable[..., TestClient], path: str) -> None:
    with made(base_url="https://example.com/memory") as web:
        headers = bearer(web.secret) | {"host": "example.com"}  # type: ignore[attr-defined]
        assert web.post(path, json={}, headers=headers).status_code == 200
        assert web.post("/memoryapi/stats", json={}, headers=headers).status_code == 404
        assert web.get("/memory/healthz", headers={"host": "example.com"}).text == "ok"


@pytest.mark.parametrize("kept", ["/memory", ""])
def test_every_path_that_a_server_below_a_path_tells_is_below_it(made: Callable[..., TestClient], kept: str) -> None:
    """Whether the proxy takes the path off before it passes a request on, or not."""
    turns = [{"speaker": "Ann", "text": f"Line {number}."} for number in range(60)]
    with made(base_url="https://example.com/memory", auth="oauth") as web:
        open_ = {"host": "example.com"}
        headers = bearer(web.secret) | open_  # type: ignore[attr-defined]
        web.post(f"{kept}/api/ingest", json={"session": "s", "turns": turns}, headers=headers)
        ref = web.get(f"{kept}/api/stats?sessions=1", headers=headers).json()["recent_sessions"][0]["ref"]
        more = web.get(f"{kept}/r/{ref}", headers=headers).text.rpartition("Goes on: ")[2].strip()
        assert more.startswith(f"/memory/r/{ref}?cursor=")
        assert "Line 59." in web.get(more, headers=headers).text
        assert web.get(f"{kept}/openapi.json", headers=headers).json()["servers"] == [{"url": "https://example.com/memory"}]
        for method, path in (("GET", "/nothing"), ("DELETE", "/mcp"), ("GET", "/api/nothing")):
            told = web.request(method, kept + path, headers=headers).json()["error"]["do_next"]
            assert told == "See /memory/openapi.json."
        openid = web.get(f"{kept}/.well-known/openid-configuration", headers=open_).json()["error"]["do_next"]
        assert openid == "Ask https://example.com/memory/.well-known/oauth-protected-resource/mcp."
        browses = open_ | {"accept": "text/html"}
        for path in ("/", "/connections", f"/r/{ref}"):
            led = web.get(kept + path, headers=browses, follow_redirects=False)
            assert (led.status_code, led.headers["location"][:8]) == (303, "/memory/")
        page = web.get(f"{kept}/login", headers=browses)
        assert "; Path=/memory;" in page.headers["set-cookie"]
        for told in re.findall(r'(?:href|action|src)="([^"]+)"', page.text):
            assert told.startswith("/memory/")


def test_a_request_may_name_the_whole_address(made: Callable[..., TestClient]) -> None:
    """As a proxy is asked (RFC 9112, 3.2.2): the Host header counts, whatever the address says."""
    with made() as web:
        gate = web.app
        for target, status in (("http://127.0.0.1:8750/healthz", 200), ("HTTP://evil.example/healthz", 200), ("http://x", 401)):
            assert answered(gate, target) == status


def answered(app: Any, path: str) -> int:
    """The status of a GET whose path a client library would not send."""
    said: list[int] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            said.append(message["status"])

    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": [(b"host", b"127.0.0.1:8750")]}
    asyncio.run(app(scope | {"client": ("192.0.2.7", 1), "scheme": "http", "http_version": "1.1"}, receive, send))
    return said[0]


def test_nobody_is_told_where_the_store_lies(made: Callable[..., TestClient], monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: Any) -> Any:
        raise StoreError("The connection to postgresql://rt@/mu was lost.")

    with made() as web:
        monkeypatch.setattr("muniment.insight.overview.stats", lost)
        found = web.post("/api/stats", json={}, headers=bearer(web.secret))  # type: ignore[attr-defined]
    assert found.status_code == 503
    assert "postgresql" not in found.text


def test_every_answer_names_its_request(made: Callable[..., TestClient]) -> None:
    with made() as web:
        assert web.get("/healthz", headers={"x-request-id": "trace-1.a"}).headers["x-request-id"] == "trace-1.a"
        for given in ("", "a b", "x" * 65, "<b>", "é"):
            other = web.get("/healthz", headers={"x-request-id": given.encode()}).headers["x-request-id"]
            assert other != given
            assert len(other) == 32


def test_a_request_is_one_line_without_what_was_asked(
    made: Callable[..., TestClient], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "muniment.access"), made() as web:
        secret = web.secret  # type: ignore[attr-defined]
        web.get("/api/recall?query=zanzibar", headers=bearer(secret))
        web.post("/api/recall", json={"query": "zanzibar"}, headers=bearer(secret))
        web.get("/nothing%0aforged%20line", headers=bearer(secret))
    lines = [json.loads(logs.JsonLines().format(one)) for one in caplog.records if one.name == "muniment.access"]
    assert [(one["method"], one["status"], one["principal"]) for one in lines] == [
        ("GET", 200, "local"),
        ("POST", 200, "local"),
        ("GET", 404, "local"),
    ]
    assert lines[0]["path"] == "/api/recall"
    assert lines[0]["bytes"] > 0
    told = json.dumps(lines)
    assert "zanzibar" not in told
    assert secret not in told
    assert "\n" not in lines[2]["path"]


def test_a_line_for_readers_tells_as_much_as_one_for_machines(
    made: Callable[..., TestClient], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "muniment.access"), made() as web:
        answer = web.get("/api/stats", headers=bearer(web.secret))  # type: ignore[attr-defined]
        web.get("/healthz")
    known, open_ = (one for one in caplog.records if one.name == "muniment.access")
    line = logs.TextLines().format(known)
    assert "INFO muniment.access: GET /api/stats 200 ms=" in line
    assert f" principal=local address={known.address} request_id={answer.headers['x-request-id']}" in line  # type: ignore[attr-defined]
    assert " principal=- " in logs.TextLines().format(open_)
    known.principal = "mallory address=10.0.0.1"
    assert ' principal="mallory address=10.0.0.1" ' in logs.TextLines().format(known)


def test_an_address_that_is_none_is_not_written_down(made: Callable[..., TestClient], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "muniment.access"), made("10.1.2.3", trusted_proxies="10.1.2.3") as web:
        web.get("/healthz", headers={"x-forwarded-for": "mallory"})
    assert [one.address for one in caplog.records if one.name == "muniment.access"] == [UNKNOWN]  # type: ignore[attr-defined]


def test_the_counts_of_all_routes_are_shown(made: Callable[..., TestClient]) -> None:
    with made() as web:
        headers = bearer(web.secret)  # type: ignore[attr-defined]
        web.get("/nothing", headers=headers)
        web.request("BREW", "/api/stats", headers=headers)
        found = web.get("/metrics", headers=headers).text
    assert 'muniment_http_requests_total{method="GET",status="404"} 1' in found
    assert 'muniment_http_requests_total{method="other",status="405"} 1' in found


def test_who_takes_too_long_to_ask_is_hung_up_on(tmp_path: Path) -> None:
    create_app(at(str(tmp_path / "muniment.db"), tmp_path, embedder="none")).close()
    with serving(tmp_path) as served:
        began = time.monotonic()
        with socket.create_connection(("127.0.0.1", served.port), timeout=connection.HEAD_S_MAX + 10) as slow:
            slow.sendall(b"POST /api/stats HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            assert served.ask("/healthz")[0] == 200
            assert slow.recv(100) == b""
        assert connection.HEAD_S_MAX - 2 < time.monotonic() - began < connection.HEAD_S_MAX + 8


def test_connections_that_say_nothing_make_room_for_those_that_ask(tmp_path: Path) -> None:
    create_app(at(str(tmp_path / "muniment.db"), tmp_path, embedder="none")).close()
    silent: list[socket.socket] = []
    with serving(tmp_path) as served:
        try:
            for _ in range(http.CONNECTIONS_MAX + 40):
                silent.append(socket.create_connection(("127.0.0.1", served.port), timeout=10))
            for one in silent[-5:]:
                one.sendall(b"GET / HTTP/1.1\r\n")
            began = time.monotonic()
            assert [served.ask("/healthz")[0] for _ in range(5)] == [200] * 5
            assert time.monotonic() - began < connection.HEAD_S_MAX / 2
            # The one that had waited longest was hung up on, and the last one still may ask.
            assert silent[0].recv(100) == b""
            silent[-1].sendall(f"Host: 127.0.0.1:{served.port}\r\n\r\n".encode())
            assert silent[-1].recv(100).startswith(b"HTTP/1.1 401")
        finally:
            for one in silent:
                one.close()


@pytest.mark.parametrize("dialect", ["postgres"], indirect=True)
def test_several_servers_share_one_store(address: str, tmp_path: Path) -> None:
    """What one process keeps another one finds at once, and a token that is revoked ends at all of them."""
    app = create_app(at(address, tmp_path))
    secret, admin = token(app), token(app, "admin")
    with serving(tmp_path, store=address) as one, serving(tmp_path, store=address) as two:
        assert one.port != two.port
        kept = json.loads(one.ask("/api/remember", secret, {"text": "The crane is serviced in May."})[1])
        assert "serviced in May" in two.ask("/api/recall", admin, {"query": "When is the crane serviced?"})[1]
        assert two.ask(f"/api/read?ref={kept['ref']}", secret)[0] == 200
        revoke_all(app)
        assert (one.ask("/api/stats", secret)[0], two.ask("/api/stats", secret)[0]) == (401, 401)
        assert (one.stop(), two.stop()) == (0, 0)
    app.close()


def revoke_all(app: App) -> None:
    with app.store.write() as connection:
        for held in tokens.listing(connection):
            tokens.revoke(connection, held.ref, app.context().now())
