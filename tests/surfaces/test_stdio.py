"""MCP over stdio: the loop in this process, and the program as clients start it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from muniment.app import App
from muniment.errors import InvalidInput
from muniment.settings import Settings
from muniment.surfaces import rpc, stdio
from muniment.surfaces.stdio import Lines, Server
from tests.places import ROOT

SOURCE = ROOT / "src"
HEAVY = ("numpy", "pydantic", "click", "mcp", "mcp_types", "apsw", "starlette", "rich", "anyio")
PROGRAM = "from muniment.surfaces.entry import main; main()"


def request(number: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(number: Any, name: str, **arguments: Any) -> dict[str, Any]:
    return request(number, "tools/call", name=name, arguments=arguments)


START = request(0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "tester", "version": "1"})
DONE = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Client:
    """A client of a server in this process."""

    def __init__(self, settings: Settings) -> None:
        self._arrived = threading.Condition()
        self.frames: list[Any] = []
        self.server = Server(settings, self._take)

    def _take(self, frame: Any) -> None:
        with self._arrived:
            self.frames.append(frame)
            self._arrived.notify_all()

    def ask(self, message: Any, *, raw: bytes | None = None) -> Any:
        """Send one message and wait for one more frame."""
        before = len(self.frames)
        self.server.receive(raw if raw is not None else json.dumps(message).encode())
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.frames) > before, 20)
            return self.frames[before]


@pytest.fixture
def client(configured: Callable[..., Settings], app: App) -> Iterator[Client]:
    made = Client(configured())
    yield made
    made.server.finish(10)


# --- the protocol -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "answered"),
    [(version, version) for version in rpc.HANDSHAKE] + [("2026-07-28", "2025-11-25"), ("1999-01-01", "2025-11-25")],
)
def test_the_handshake_agrees_on_a_known_revision(client: Client, asked: str, answered: str) -> None:
    result = client.ask(request(1, "initialize", protocolVersion=asked, capabilities={}, clientInfo={"name": "x"}))["result"]
    assert result["protocolVersion"] == answered
    assert result["serverInfo"]["name"] == "muniment"
    assert result["capabilities"]["tools"] == {"listChanged": False}
    assert "recall" in result["instructions"]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe\xfa", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 100_000, -32700),
        (b"1", -32600),
        (b'"ping"', -32600),
        (b"{}", -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing"}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"stats","arguments":[]}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/nothing"}', -32601),
        (b"[]", -32600),
    ],
)
def test_a_frame_that_cannot_be_used_gets_the_right_error(client: Client, raw: bytes, code: int) -> None:
    assert client.ask(None, raw=raw)["error"]["code"] == code
    assert client.ask(request(9, "ping")) == {"jsonrpc": "2.0", "id": 9, "result": {}}


def test_notifications_and_stray_responses_are_not_answered(client: Client) -> None:
    for message in (
        DONE,
        {"jsonrpc": "2.0", "method": "notifications/nothing", "params": {}},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "stats"}},
        {"jsonrpc": "2.0", "id": 4, "result": {}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled"},
    ):
        client.server.receive(json.dumps(message).encode())
    assert client.ask(request(1, "ping"))["id"] == 1
    assert len(client.frames) == 1


def test_a_list_of_messages_is_answered_where_the_revision_knows_it(client: Client) -> None:
    messages = [request("a", "ping"), DONE, request("b", "nothing"), call("c", "stats")]
    assert client.ask(messages)["error"]["code"] == rpc.INVALID_REQUEST
    client.ask(START | {"params": START["params"] | {"protocolVersion": "2025-03-26"}})
    answered = client.ask(messages)
    assert [one["id"] for one in answered] == ["a", "b", "c"]
    assert answered[2]["result"]["isError"] is False
    assert client.ask([request(n, "ping") for n in range(rpc.BATCH_MAX + 1)])["error"]["code"] == rpc.INVALID_REQUEST


def stateless(number: Any, method: str, version: Any = "2026-07-28", **params: Any) -> dict[str, Any]:
    meta = {rpc.KEY + "protocolVersion": version, rpc.KEY + "clientCapabilities": {}, rpc.KEY + "clientInfo": {"name": "new"}}
    return request(number, method, _meta=meta, **params)


def test_the_stateless_core_needs_no_handshake(client: Client) -> None:
    found = client.ask(stateless(1, "server/discover"))["result"]
    assert found["supportedVersions"] == ["2026-07-28"]
    listed = client.ask(stateless(2, "tools/list"))["result"]
    for result in (found, listed):
        assert result["resultType"] == "complete"
        assert result["cacheScope"] == "private"
        assert result["ttlMs"] > 0
        assert result["_meta"][rpc.KEY + "serverInfo"]["name"] == "muniment"
    result = client.ask(stateless(3, "tools/call", name="stats", arguments={}))["result"]
    assert result["resultType"] == "complete"
    assert "ttlMs" not in result


def test_the_stateless_core_refuses_what_it_does_not_know(client: Client) -> None:
    refused = client.ask(stateless(1, "tools/list", version="2031-01-01"))["error"]
    assert refused["code"] == rpc.UNSUPPORTED_VERSION
    assert refused["data"] == {"supported": ["2026-07-28"], "requested": "2031-01-01"}
    assert client.ask(stateless(2, "ping"))["error"]["code"] == rpc.METHOD_NOT_FOUND
    assert client.ask(stateless(3, "initialize"))["error"]["code"] == rpc.METHOD_NOT_FOUND
    lacking = request(4, "tools/list", _meta={rpc.KEY + "protocolVersion": "2026-07-28"})
    assert "clientCapabilities" in client.ask(lacking)["error"]["message"]
    assert client.ask(stateless(5, "tools/list", version=3))["error"]["code"] == rpc.INVALID_PARAMS


# --- calls --------------------------------------------------------------------------------------------------------


def test_a_call_answers_the_object_and_the_same_object_as_text(client: Client) -> None:
    kept = client.ask(call(1, "remember", text="The pilot boat lies at berth 12."))["result"]
    assert kept["isError"] is False
    assert [item["type"] for item in kept["content"]] == ["text"]
    assert json.loads(kept["content"][0]["text"]) == kept["structuredContent"]
    found = client.ask(call(2, "recall", query="pilot boat berth"))["result"]["structuredContent"]
    assert found["results"][0]["ref"] == kept["structuredContent"]["ref"]


def test_the_client_is_noted_with_what_it_keeps(client: Client) -> None:
    client.ask(START)
    ref = client.ask(call(1, "remember", text="x is y"))["result"]["structuredContent"]["ref"]
    read = client.ask(call(2, "read", ref=ref))["result"]["structuredContent"]
    assert read["records"][0]["provenance"]["client"] == "tester"
    assert read["records"][0]["provenance"]["source_type"] == "agent_generated"


def test_an_error_of_an_operation_is_a_result(client: Client) -> None:
    result = client.ask(call(1, "recall", limt=3))["result"]
    assert result["isError"] is True
    assert result["structuredContent"]["error"]["code"] == "invalid_input"
    assert "did you mean limit?" in result["structuredContent"]["error"]["message"]


def test_a_project_gets_its_workspace_with_the_first_thing_kept(client: Client, tmp_path: Path) -> None:
    (tmp_path / "here" / ".git").mkdir()
    assert client.ask(call(1, "stats"))["result"]["structuredContent"]["workspaces"] == ["inbox", "global"]
    dry = client.ask(call(2, "ingest", document={"text": "x"}, dry_run=True))["result"]["structuredContent"]
    assert dry["workspaces"] == ["inbox"]
    assert client.ask(call(3, "remember", text="x is y"))["result"]["structuredContent"]["workspace"] == "here"
    assert client.ask(call(4, "stats"))["result"]["structuredContent"]["workspaces"] == ["here", "global"]


def test_a_bad_request_claims_no_workspace(client: Client, tmp_path: Path) -> None:
    (tmp_path / "here" / ".git").mkdir()
    client.ask(call(1, "remember", txt="x"))
    listed = client.ask(call(2, "list_projects"))["result"]["structuredContent"]["projects"]
    assert {one["project_id"] for one in listed} == {"inbox", "global"}


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        ({"toolsets": "connect"}, {"search", "fetch"}),
        ({"read_only": True}, {"search", "fetch", "recall", "read", "get_context", "near", "why", "list_projects", "stats"}),
        ({"toolsets": "write", "read_only": True}, set()),
        ({"toolsets": "govern"}, set()),
        ({"toolsets": "govern", "stdio_toolsets": "connect,govern"}, {"review", "judge", "govern", "forget"}),
        ({"toolsets": "propose", "stdio_toolsets": "propose"}, set()),
    ],
)
def test_what_is_not_listed_cannot_be_called(
    configured: Callable[..., Settings], app: App, flags: dict[str, Any], names: set[str]
) -> None:
    client = Client(configured(**flags))
    assert {tool["name"] for tool in client.ask(request(1, "tools/list"))["result"]["tools"]} == names
    refused = client.ask(call(2, "remember", text="x is y"))["result"]
    assert refused["structuredContent"]["error"]["code"] == "insufficient_scope"
    client.server.finish(10)


def test_a_slow_call_blocks_neither_a_ping_nor_other_calls(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()
    real = client.server._desk.call

    def slow(name: str, values: Any, who: Any) -> Any:
        if values.get("query") == "slow":
            assert gate.wait(20)
        return real(name, values, who)

    monkeypatch.setattr(client.server._desk, "call", slow)
    client.server.receive(json.dumps(call("slow", "search", query="slow")).encode())
    assert client.ask(request("ping", "ping"))["id"] == "ping"
    assert client.ask(call("quick", "search", query="quick"))["id"] == "quick"
    gate.set()
    client.server.finish(20)
    assert [frame["id"] for frame in client.frames] == ["ping", "quick", "slow"]


def test_a_cancelled_call_is_not_answered(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, ran = threading.Event(), []

    def held(name: str, values: Any, who: Any) -> Any:
        ran.append(values["query"])
        assert gate.wait(20)
        return {}

    monkeypatch.setattr(client.server._desk, "call", held)
    for number in range(6):
        client.server.receive(json.dumps(call(number, "search", query=str(number))).encode())
    for number in (1, 5):
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
        client.server.receive(json.dumps(cancel).encode())
    gate.set()
    client.server.finish(20)
    assert {frame["id"] for frame in client.frames} == {0, 2, 3, 4}
    assert "5" not in ran


def test_too_many_waiting_calls_are_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()
    monkeypatch.setattr(stdio, "CALLS_WAITING_MAX", 5)
    monkeypatch.setattr(client.server._desk, "call", lambda *_: {"ok": gate.wait(20)})
    for number in range(6):
        client.server.receive(json.dumps(call(number, "search", query="x")).encode())
    assert client.frames[0]["id"] == 5
    assert "error" in client.frames[0]
    gate.set()


def test_twenty_calls_at_once_are_all_answered(client: Client) -> None:
    for number in range(20):
        client.server.receive(
            json.dumps(call(number, "remember", text=f"Buoy {number} is painted in colour {number}.")).encode()
        )
    client.server.finish(30)
    assert {frame["id"] for frame in client.frames} == set(range(20))
    assert not any(frame["result"]["isError"] for frame in client.frames)


# --- the program --------------------------------------------------------------------------------------------------


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
    home = {name: str(tmp_path) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    return kept | home | {"PYTHONPATH": str(SOURCE), "MUNIMENT_EMBEDDER": "none", "LC_ALL": "C"} | more


def run(tmp_path: Path, *frames: Any, program: str = PROGRAM, arguments: tuple[str, ...] = ("stdio",), **more: str) -> Any:
    """The program with these frames as its whole input; what it wrote and how it ended."""
    sent = b"".join((frame if isinstance(frame, bytes) else json.dumps(frame).encode()) + b"\n" for frame in frames)
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, input=sent, capture_output=True, cwd=tmp_path, env=environment(tmp_path, **more), timeout=60)


def answers(ended: Any) -> list[Any]:
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_listing_the_tools_loads_nothing_heavy(tmp_path: Path) -> None:
    program = (
        "import sys; from muniment.surfaces import stdio; stdio.main([]); "
        f"sys.stderr.write('LOADED ' + ' '.join(name for name in {HEAVY!r} if name in sys.modules))"
    )
    ended = run(tmp_path, START, DONE, request(1, "tools/list"), request(2, "resources/list"), program=program)
    assert [one["id"] for one in answers(ended)] == [0, 1, 2]
    assert ended.stderr.decode().strip().endswith("LOADED")
    assert not (tmp_path / "muniment").exists()


def test_the_program_answers_and_ends_with_its_input(tmp_path: Path) -> None:
    text = "Die Boje hält 100 €. 日本 🚢"
    ended = run(tmp_path, START, DONE, call(1, "remember", text=text), b"", b"   ")
    assert ended.returncode == 0
    ref = answers(ended)[1]["result"]["structuredContent"]["ref"]
    again = answers(run(tmp_path, START, call(1, "read", ref=ref)))
    assert again[1]["result"]["structuredContent"]["records"][0]["text"] == text


def test_nothing_but_frames_reaches_standard_output(tmp_path: Path) -> None:
    program = (
        "import os, sys; from muniment.surfaces import stdio; real = stdio.Server.receive\n"
        "def noisy(self, line):\n"
        "    print('noise from python'); os.write(1, b'noise from C'); os.system('echo noise from a child')\n"
        "    sys.stdout.flush(); real(self, line)\n"
        "stdio.Server.receive = noisy; stdio.main([])"
    )
    ended = run(tmp_path, request(1, "ping"), program=program)
    assert answers(ended) == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
    assert ended.stderr.decode().count("noise") == 3


def test_a_frame_of_ten_megabytes_is_read_and_one_over_the_limit_is_refused(tmp_path: Path) -> None:
    text = "berth " * (stdio.FRAME_BYTES_MAX // 6)
    ended = run(tmp_path, call(1, "search", query=text[:10_000_000]), call(2, "search", query=text), request(3, "ping"))
    found = {one["id"]: one for one in answers(ended)}
    assert found[1]["result"]["structuredContent"]["error"]["code"] == "limit_exceeded"
    assert found[None]["error"]["code"] == rpc.INVALID_REQUEST
    assert found[3]["result"] == {}


def test_a_store_that_cannot_be_opened_is_told_by_each_call_and_not_before(tmp_path: Path) -> None:
    ended = run(tmp_path, START, request(1, "tools/list"), call(2, "stats"), MUNIMENT_STORE=str(tmp_path / "missing.db"))
    found = {one["id"]: one["result"] for one in answers(ended)}
    assert found[1]["tools"]
    assert "no store at" in found[2]["structuredContent"]["error"]["message"]
    assert not (tmp_path / "missing.db").exists()


@pytest.mark.parametrize(
    ("name", "value"), [("MUNIMENT_PORT", "many"), ("MUNIMENT_TOOLSETS", "recal"), ("MUNIMENT_CONFIG", "/nowhere")]
)
def test_settings_that_cannot_be_used_are_told_by_each_call(tmp_path: Path, name: str, value: str) -> None:
    found = answers(run(tmp_path, START, request(1, "tools/list"), call(2, "stats"), **{name: value}))
    error = found[-1]["result"]["structuredContent"]["error"]
    assert error["code"] == "invalid_input"


@pytest.mark.parametrize(
    "arguments",
    [("--store", "{}", "stdio"), ("stdio", "--store", "{}"), ("stdio", "--store={}"), ("--read-only", "--store={}", "stdio")],
)
def test_options_may_stand_on_either_side_of_the_command(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    path = str(tmp_path / "named.db")
    ended = run(tmp_path, call(1, "stats"), arguments=tuple(argument.format(path) for argument in arguments))
    assert path in answers(ended)[0]["result"]["structuredContent"]["error"]["message"]


def test_an_option_that_is_none_is_named() -> None:
    assert stdio.flags(["--toolsets", "recall", "--read-only"]) == {"toolsets": "recall", "read_only": "true"}
    for wrong in (["--sotre", "x"], ["--store"], ["extra"]):
        with pytest.raises(InvalidInput):
            stdio.flags(wrong)


def test_a_signal_ends_it_cleanly(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, "stdio"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=environment(tmp_path)
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps(call(1, "stats")).encode() + b"\n")
        child.stdin.flush()
        assert json.loads(child.stdout.readline())["id"] == 1
        child.send_signal(signal.SIGTERM)
        assert child.wait(15) == 0
        assert b"Traceback" not in child.stderr.read() if child.stderr else True


@pytest.mark.skipif(not hasattr(os, "fork"), reason="parents are told apart by POSIX process ids")
def test_it_ends_when_its_parent_dies_although_its_input_stays_open(tmp_path: Path) -> None:
    """The parent starts the server on a pipe that this test holds open, sees it answer, then dies."""
    reading, writing = os.pipe()
    os.write(writing, json.dumps(request(1, "ping")).encode() + b"\n")
    starter = (
        "import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', sys.argv[1], 'stdio'], "
        "stdin=int(sys.argv[2]), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL); "
        "child.stdout.readline(); print(child.pid, flush=True)"
    )
    made = subprocess.run(
        [sys.executable, "-c", starter, PROGRAM, str(reading)],
        capture_output=True,
        pass_fds=(reading,),
        cwd=tmp_path,
        env=environment(tmp_path),
        check=True,
    )
    pid = int(made.stdout)
    try:
        until = time.monotonic() + stdio.PARENT_POLL_S * 5
        while alive(pid) and time.monotonic() < until:
            time.sleep(0.1)
        assert not alive(pid)
    finally:
        os.close(reading)
        os.close(writing)


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and was not collected by its parent does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_a_client_that_takes_no_answer_is_no_crash() -> None:
    with open("/dev/full", "wb", buffering=0) as full:
        Lines(full).send({"jsonrpc": "2.0"})
