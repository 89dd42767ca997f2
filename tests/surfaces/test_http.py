"""The server as a process: what it binds, what it prints and logs, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from muniment.app import App, create_app
from muniment.errors import InvalidInput, StoreError
from muniment.settings import Settings
from muniment.surfaces import http
from muniment.surfaces.metrics import Metrics
from tests.places import ROOT
from tests.surfaces.conftest import token

PROGRAM = """
import json, sys
from muniment import settings
from muniment.app import open_app
from muniment.surfaces import http
loaded = settings.load(json.loads(sys.argv[1]), {})
http.serve(open_app(loaded), loaded)
"""


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Served:
    def __init__(self, port: int, child: subprocess.Popen[bytes]) -> None:
        self.port = port
        self.child = child
        self.said = b""

    def ask(self, path: str, secret: str | None = None, body: Any = None) -> tuple[int, str]:
        data = json.dumps(body).encode() if body is not None else None
        sent = {"content-type": "application/json"} | ({"authorization": f"Bearer {secret}"} if secret else {})
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, sent)
        try:
            with urllib.request.urlopen(asked, timeout=20) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.read().decode()

    def stop(self) -> int:
        self.child.send_signal(signal.SIGTERM)
        self.said += self.child.communicate(timeout=20)[1]
        return self.child.returncode


@contextmanager
def serving(tmp_path: Path, **flags: Any) -> Iterator[Served]:
    port = free_port()
    settings = json.dumps(
        {"store": str(tmp_path / "muniment.db"), "embedder": "none", "port": port, "log_level": "debug", **flags}
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
    environment |= {"PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", PROGRAM, settings]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=tmp_path) as child:
        served = Served(port, child)
        try:
            until = time.monotonic() + 30
            while time.monotonic() < until and child.poll() is None:
                try:
                    served.ask("/healthz")
                    break
                except OSError:
                    time.sleep(0.05)
            yield served
        finally:
            if child.poll() is None:
                child.kill()


def test_a_server_answers_logs_no_secret_and_stops_with_a_signal(app: App, secret: str, tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        said = "The combination of the harbour safe is seventeen."
        assert served.ask("/api/remember", secret, {"text": said})[0] == 200
        assert "seventeen" in served.ask("/api/recall", secret, {"query": "combination of the harbour safe"})[1]
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"} | {
            "params": {"name": "search", "arguments": {"query": "harbour safe"}}
        }
        assert "seventeen" in served.ask("/mcp", secret, asked)[1]
        assert served.ask(f"/api/stats?access_token={secret}", secret)[0] == 400
        assert served.ask("/api/recall", secret[:-1] + "x", {"query": "safe"})[0] == 401
        assert (
            served.ask("/mcp", secret, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "seventeen"}})[0]
            == 200
        )
        assert served.stop() == 0
        assert b"/mcp" in served.said
        for hidden in (secret, secret[:-1] + "x", "seventeen", "harbour safe"):
            assert hidden.encode() not in served.said
        assert b"Traceback" not in served.said


def test_requests_that_break_off_or_are_malformed_do_not_harm_others(app: App, secret: str, tmp_path: Path) -> None:
    head = f"POST /api/stats HTTP/1.1\r\nHost: 127.0.0.1:{{}}\r\nAuthorization: Bearer {secret}\r\n"
    with serving(tmp_path) as served:
        head = head.format(served.port)
        broken = [
            head + "Content-Length: 1000\r\n\r\n{",
            head + "Transfer-Encoding: chunked\r\n\r\n5\r\n{",
            head + "X-A: " + "a" * 100_000,
            "GARBAGE\r\n\r\n",
            "GET / HTTP/1.0\r\n\r\n",
            head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
            "\r\n" * 1000,
        ]
        held = []
        for text in broken:
            one = socket.create_connection(("127.0.0.1", served.port), timeout=10)
            held.append(one)
            try:
                one.sendall(text.encode())
            except OSError:
                continue
        assert served.ask("/api/stats", secret, {})[0] == 200
        for one in held:
            one.close()
        assert served.ask("/healthz") == (200, "ok")
        assert served.stop() == 0
        assert b"Traceback" not in served.said


def test_without_a_token_it_says_how_to_make_one(app: App, tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        assert served.ask("/healthz") == (200, "ok")
        assert served.ask("/api/stats", None, {})[0] == 401
        served.stop()
        assert b"muniment token add" in served.said


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.com"])
def test_without_a_token_only_this_machine_is_served(app: App, configured: Callable[..., Settings], host: str) -> None:
    with pytest.raises(InvalidInput, match="nobody may come in") as raised:
        http.serve(app, configured(host=host))
    assert "muniment profile add" in raised.value.do_next
    assert "muniment token add" in raised.value.do_next


def test_a_port_that_is_taken_is_an_error_with_advice(app: App, configured: Callable[..., Settings]) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken, pytest.raises(StoreError, match="cannot be bound") as raised:
        http.serve(app, configured(port=taken.getsockname()[1]))
    assert "--port" in raised.value.do_next


def test_readiness_tells_of_the_store(web: TestClient) -> None:
    found = web.get("/readyz").json()
    assert found["ready"] is True
    assert "backlog" in found["embedder"]


def test_metrics_count_calls_errors_and_durations(web: TestClient) -> None:
    web.post("/api/recall", json={"query": "x"})
    web.post("/api/recall", json={"limt": 1})
    web.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "recall", "arguments": {}}})
    lines = web.get("/metrics").text.splitlines()
    assert 'muniment_requests_total{operation="recall",code="ok"} 2' in lines
    assert 'muniment_requests_total{operation="recall",code="invalid_input"} 1' in lines
    assert 'muniment_errors_total{operation="recall"} 1' in lines
    assert 'muniment_request_seconds_bucket{operation="recall",le="+Inf"} 3' in lines
    assert any(line.startswith("muniment_backlog ") for line in lines)


def test_buckets_only_grow() -> None:
    metrics = Metrics()
    for seconds in (0.001, 0.02, 0.3, 60.0):
        metrics.observe("recall", "ok", seconds)
    counts = [int(line.split()[-1]) for line in metrics.text(None).splitlines() if "_bucket" in line]
    assert counts == sorted(counts)
    assert counts[-1] == 4
    assert "backlog" not in metrics.text(None)


def test_a_record_opens_as_plain_text_where_search_points(web: TestClient) -> None:
    web.post("/api/remember", json={"text": "<script>alert(1)</script> The berth is free."})
    url = web.get("/api/search?query=berth").json()["results"][0]["url"]
    assert url.startswith("http://127.0.0.1:8750/r/")
    page = web.get(url)
    assert page.headers["content-type"] == "text/plain; charset=utf-8"
    assert "<script>alert(1)</script> The berth is free." in page.text
    assert "workspace: inbox" in page.text
    assert web.get(url, headers={"authorization": ""}).status_code == 401
    assert web.get("/r/m_nothing").status_code == 404


def test_a_session_opens_page_by_page(web: TestClient) -> None:
    turns = [{"speaker": "Ann", "text": f"Line {number}."} for number in range(60)]
    web.post("/api/ingest", json={"session": "s", "turns": turns})
    ref = web.get("/api/stats?sessions=1").json()["recent_sessions"][0]["ref"]
    first = web.get(f"/r/{ref}").text
    assert "Line 0." in first
    assert "Line 59." not in first
    following = first.rpartition("Goes on: ")[2].strip()
    assert "Line 59." in web.get(following).text


def test_links_stay_on_the_configured_address_whatever_a_request_says(configured: Callable[..., Settings], app: App) -> None:
    public = create_app(configured(base_url="https://memory.example.com", allowed_hosts="other.example.com"))
    headers = {"authorization": f"Bearer {token(public)}", "x-forwarded-host": "evil.example", "x-forwarded-proto": "ftp"}
    with TestClient(http.build(public), base_url="http://other.example.com", headers=headers) as web:
        web.post("/api/remember", json={"text": "The berth is free."})
        url = web.get("/api/search?query=berth").json()["results"][0]["url"]
    assert url.startswith("https://memory.example.com/r/")
