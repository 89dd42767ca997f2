"""Many clients at once: Muniment's server beside the SDK's own with one trivial tool, the same clients, the same seconds.

    python bench/load.py [--clients 64] [--seconds 60] [--records 2000]

Each client is the SDK's own, over Streamable HTTP on the loopback, and calls one tool after the other without a pause. The
servers run one after the other, each alone. Printed: calls, calls a second, latency p50 and p95 (ms), the server's CPU for each
call (ms, which says most where other work shares the cores), errors, and the resident memory (MiB) of the server after a tenth
of the time, after half of it and at the end. Clients and server share the cores.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

SOURCE = Path(__file__).resolve().parents[1] / "src"
STORE = "load.db"
WAIT_S_MAX = 30
WATCHED_AT = (0.1, 0.5, 0.98)
BARE = """
import sys
import uvicorn
from mcp import types
from mcp.server.lowlevel import Server
async def tools(asked, params):
    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    return types.ListToolsResult(tools=[types.Tool(name="recall", description="Echo.", input_schema=schema)])
async def call(asked, params):
    return types.CallToolResult(content=[types.TextContent(type="text", text='{"results": []}')])
app = Server("bare", on_list_tools=tools, on_call_tool=call).streamable_http_app(stateless_http=True, json_response=True)
uvicorn.run(app, port=int(sys.argv[1]), log_level="error", http="h11")
"""
OURS = """
import sys
from muniment import settings
from muniment.app import open_app
from muniment.surfaces import http
told = {"port": int(sys.argv[1]), "store": sys.argv[2], "embedder": "none", "rate_per_minute": 0, "log_level": "warning"}
loaded = settings.load(told, {})
http.serve(open_app(loaded), loaded)
"""


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--clients", type=int, default=64)
    asked.add_argument("--seconds", type=float, default=60)
    asked.add_argument("--records", type=int, default=2000)
    wanted = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        secret, questions = filled(Path(folder), wanted.records)
        failed = False
        for name in ("bare", "muniment"):
            with server(name, Path(folder)) as (port, process):
                found = asyncio.run(load(port, process, secret, questions, wanted.clients, wanted.seconds))
            failed |= bool(found["errors"])
            sys.stdout.write(json.dumps({"server": name, "clients": wanted.clients, **found}) + "\n")
            sys.stdout.flush()
    if failed:
        raise SystemExit(1)


def filled(folder: Path, records: int) -> tuple[str, list[str]]:
    """Fill a store with invented turns and make a token for it: the token, and questions that the store can answer."""
    sys.path.insert(0, str(SOURCE))
    from muniment import settings
    from muniment.access import tokens
    from muniment.app import open_app
    from muniment.evaluation import stores, synthetic

    plan = stores.Plan("all", records, 100, str(folder / STORE))
    stores.fill(plan, lambda *told: None)
    app = open_app(settings.load({"store": str(folder / STORE), "embedder": "none"}, {}))
    context = app.context()
    with app.store.write() as connection:
        new = tokens.NewToken("load", "operator", read=["bench-1"])
        secret = tokens.add(connection, new, uid=context.uid(), now=context.now())
    app.close()
    return secret, synthetic.questions(plan.asked_sessions(), 200)


@contextlib.contextmanager
def server(name: str, folder: Path) -> Iterator[tuple[int, int]]:
    """A server as a process of its own: its port and its process id."""
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    program = BARE if name == "bare" else OURS
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MUNIMENT_")}
    environment |= {"PYTHONPATH": str(SOURCE), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    with subprocess.Popen([sys.executable, "-c", program, str(port), str(folder / STORE)], env=environment) as child:
        try:
            until = time.monotonic() + WAIT_S_MAX
            while time.monotonic() < until:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                    break
                time.sleep(0.1)
            yield port, child.pid
        finally:
            child.terminate()


async def load(port: int, process: int, secret: str, questions: list[str], clients: int, seconds: float) -> dict[str, Any]:
    """Every client calls until the time is over."""
    times: list[float] = []
    errors: list[str] = []
    began, before = time.perf_counter(), cpu(process)
    until = began + seconds

    async def one(number: int) -> None:
        headers = {"authorization": f"Bearer {secret}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)
            async with Client(transport) as client:
                turn = number
                while time.perf_counter() < until:
                    started = time.perf_counter()
                    found = await client.call_tool("recall", {"query": questions[turn % len(questions)]})
                    times.append(1000 * (time.perf_counter() - started))
                    if found.is_error:
                        errors.append(str(found.content)[:200])
                    turn += clients

    async def watch() -> list[float]:
        found = []
        for share in WATCHED_AT:
            await asyncio.sleep(max(0.0, began + share * seconds - time.perf_counter()))
            found.append(resident(process))
        return found

    watching = asyncio.create_task(watch())
    ended = await asyncio.gather(*(one(number) for number in range(clients)), return_exceptions=True)
    errors += [repr(fault)[:200] for fault in ended if isinstance(fault, BaseException)]
    memory = await watching
    took = time.perf_counter() - began
    return {
        "calls": len(times),
        "calls_per_s": round(len(times) / took, 1),
        "p50_ms": round(statistics.median(times), 1),
        "p95_ms": round(statistics.quantiles(times, n=20)[-1], 1),
        "server_cpu_ms": round(1000 * (cpu(process) - before) / max(1, len(times)), 2),
        "errors": len(errors),
        "first_error": errors[0] if errors else None,
        "resident_mib": memory,
    }


def cpu(process: int) -> float:
    """The CPU seconds that a process has taken, where the system tells them in /proc."""
    try:
        told = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


def resident(process: int) -> float:
    """The resident memory of a process in MiB, where the system tells it in /proc."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    return round(int(status.partition("VmRSS:")[2].split()[0]) / 1024, 1)


if __name__ == "__main__":
    main()
