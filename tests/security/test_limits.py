"""Too much, too deep and too slow: refused at once, in little memory, and while others are served."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from muniment.access import passphrases, profiles
from muniment.access.profiles import NewProfile
from muniment.app import App
from muniment.surfaces import gate
from tests.surfaces.conftest import bearer, token
from tests.surfaces.test_http import Served, serving

SOON_S = 15.0
GROWTH_BYTES_MAX = 96_000_000
OPEN_FORMS = ("/register", "/token", "/revoke", "/login", "/consent", "/logout", "/connections/revoke")
JSON_TYPE = {"content-type": "application/json"}
DEEP = [
    b"[" * 60_000,
    b"[" * 30_000 + b"]" * 30_000,
    b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":' + b"[" * 500 + b"]" * 500 + b"}}",
    b'{"redirect_uris":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
]
BATCH = json.dumps([{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in range(500)]).encode()


@pytest.fixture
def served(app: App, tmp_path: Path) -> Iterator[Served]:
    """The server as a process, with somebody who could log in, so that OAuth is on."""
    with app.store.write() as connection:
        profiles.keep(
            connection, NewProfile("maren", "owner", passphrases.hashed("four plain wooden words")), app.context().now()
        )
    with serving(tmp_path, log_level="info", stranger_rate_per_minute=0) as found:
        assert found.ask("/healthz") == (200, "ok")
        yield found


def memory(served: Served) -> int:
    """The most bytes that the server ever held."""
    status = Path(f"/proc/{served.child.pid}/status")
    if not status.exists():
        pytest.skip("this system does not tell how much memory a process holds")
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def head(served: Served, path: str, *lines: str, secret: str = "") -> bytes:
    said = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{served.port}", "Content-Type: application/json", *lines]
    said += [f"Authorization: Bearer {secret}"] if secret else []
    return ("\r\n".join(said) + "\r\n\r\n").encode()


def opened(served: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", served.port), timeout=30)


def status(connection: socket.socket) -> int:
    """The status of the next answer; 0 when the server hung up instead."""
    said = connection.recv(4096)
    return int(said.split()[1]) if said.startswith(b"HTTP/1.1 ") else 0


def test_a_body_that_is_announced_too_large_is_refused_before_it_comes(served: Served, app: App) -> None:
    secret = token(app)
    for path, size, held in (
        ("/mcp", app.settings.body_bytes_max + 1, secret),
        ("/api/recall", 10**12, secret),
        ("/nothing", 10**12, secret),
        *((path, gate.OPEN_BODY_BYTES_MAX + 1, "") for path in OPEN_FORMS),
    ):
        with opened(served) as connection:
            began = time.monotonic()
            connection.sendall(head(served, path, f"Content-Length: {size}", secret=held))
            assert status(connection) == 413, path
            assert time.monotonic() - began < SOON_S


def test_a_strangers_body_is_never_waited_for(served: Served) -> None:
    for path in ("/mcp", "/api/remember", "/nothing"):
        with opened(served) as connection:
            began = time.monotonic()
            connection.sendall(head(served, path, "Content-Length: 1000000"))
            assert status(connection) == 401, path
            assert time.monotonic() - began < SOON_S


def test_a_body_that_does_not_end_is_refused_when_it_is_too_large(served: Served) -> None:
    for path in OPEN_FORMS:
        with opened(served) as connection:
            connection.sendall(head(served, path, "Transfer-Encoding: chunked"))
            with contextlib.suppress(OSError):
                for _ in range(40):
                    connection.sendall(b"1000\r\n" + b"a" * 4096 + b"\r\n")
            assert status(connection) == 413, path


@pytest.mark.parametrize("content", [*DEEP, BATCH], ids=["open", "list", "object", "argument", "redirects", "batch"])
def test_what_is_deep_or_a_batch_is_a_fault_of_the_caller_at_once(machine: TestClient, app: App, content: bytes) -> None:
    held = bearer(token(app)) | JSON_TYPE
    began = time.monotonic()
    for path in ("/mcp", "/api/recall", "/api/remember", "/register"):
        answer = machine.post(path, content=content, headers=held if path != "/register" else JSON_TYPE)
        told = answer.json()
        refused = answer.status_code in (400, 413) or (answer.status_code == 200 and "error" in json.dumps(told))
        assert refused, (path, answer.status_code, told)
    assert time.monotonic() - began < SOON_S
    assert machine.get("/healthz").text == "ok"


@pytest.mark.parametrize(
    "line",
    [
        "GET /" + "a" * 70_000 + " HTTP/1.1\r\nHost: {host}\r\n\r\n",
        "GET /healthz?" + "a=1&" * 20_000 + " HTTP/1.1\r\nHost: {host}\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: {host}\r\n" + "X-A: 1\r\n" * 5_000 + "\r\n",
        "GET /healthz HTTP/1.1\r\nHost: {host}\r\nCookie: " + "a=b; " * 10_000 + "\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: {host}\r\nX-A: " + "\r\n a" * 15_000 + "\r\n\r\n",
    ],
    ids=["path", "query", "headers", "cookie", "folded"],
)
def test_a_head_that_is_too_large_is_refused(served: Served, line: str) -> None:
    with opened(served) as connection:
        with contextlib.suppress(OSError):
            connection.sendall(line.format(host=f"127.0.0.1:{served.port}").encode())
        try:
            found = status(connection)
        except ConnectionError:
            found = 0  # hung up on while it was still talking
    assert found in (0, 400, 414, 431)
    assert served.ask("/healthz") == (200, "ok")


def test_a_request_that_hides_another_one_ends_its_connection(served: Served, app: App) -> None:
    """Of two lengths a proxy may believe the other one, and send somebody else's request after ours."""
    hidden = f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode()
    for lines in (
        ("Content-Length: 4", "Transfer-Encoding: chunked"),
        ("Content-Length: 4", "Content-Length: 5"),
        ("Transfer-Encoding: xchunked",),
    ):
        with opened(served) as connection:
            connection.sendall(head(served, "/api/stats", *lines, secret=token(app)) + b"0\r\n\r\n" + hidden)
            said = b""
            with contextlib.suppress(ConnectionError):
                while part := connection.recv(65_536):
                    said += part
        assert said.count(b"HTTP/1.1 ") == 1, lines
        assert said.startswith((b"HTTP/1.1 400", b"HTTP/1.1 501")), lines


SLOW: list[tuple[str, Callable[[Served, str], bytes]]] = [
    ("heads", lambda served, secret: b"POST /api/stats HTTP/1.1\r\nHost: "),
    ("bodies of strangers", lambda served, secret: head(served, "/register", "Content-Length: 60000") + b'{"a'),
    ("bodies of callers", lambda served, secret: head(served, "/api/recall", "Content-Length: 60000", secret=secret) + b'{"a'),
    ("chunks", lambda served, secret: head(served, "/token", "Transfer-Encoding: chunked") + b"5\r\nab"),
]


def test_others_are_served_while_many_are_slow(served: Served, app: App) -> None:
    secret = token(app)
    with contextlib.ExitStack() as held:
        slow = []
        for _, first in SLOW:
            for _ in range(15):
                connection = held.enter_context(opened(served))
                connection.sendall(first(served, secret))
                slow.append(connection)
        for connection in slow:
            connection.sendall(b"x")
        began = time.monotonic()
        assert served.ask("/api/remember", secret, {"text": "The crane is green."})[0] == 200
        assert "green" in served.ask("/api/recall", secret, {"query": "crane"})[1]
        assert served.ask("/login")[0] == 200
        assert time.monotonic() - began < SOON_S


def test_what_is_refused_is_not_held_in_memory(served: Served, app: App) -> None:
    secret = token(app)
    assert served.ask("/api/recall", secret, {"query": "crane"})[0] == 200
    before = memory(served)
    for content in (*DEEP, BATCH):
        for path in ("/mcp", "/register"):
            with opened(served) as connection:
                held = secret if path == "/mcp" else ""
                connection.sendall(head(served, path, f"Content-Length: {len(content)}", secret=held) + content)
                assert status(connection) in (400, 413)
    for _ in range(20):
        for path, held in (("/register", ""), ("/mcp", secret)):
            with opened(served) as connection, contextlib.suppress(OSError):
                connection.sendall(head(served, path, f"Content-Length: {10**9}", secret=held))
                connection.sendall(b" " * 3_000_000)
    assert served.ask("/healthz") == (200, "ok")
    assert memory(served) - before < GROWTH_BYTES_MAX
