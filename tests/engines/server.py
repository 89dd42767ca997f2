"""A real embeddings endpoint on this machine, which answers as each test scripts it and notes what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Script:
    """`steps` are used up one a request, then the endpoint embeds honestly. A step: (status, headers, body) or a wait in s."""

    dimension: int = 4
    steps: list[Any] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    hurry: threading.Event = field(default_factory=threading.Event)
    url: str = ""


def embedded(texts: list[str], dimension: int) -> dict[str, Any]:
    """An honest answer: the first value tells the length of the text, so that tests can see the order."""
    vectors = [[float(len(text)), 1.0, *[0.0] * (dimension - 2)] for text in texts]
    return {"data": [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]}


@contextmanager
def running(script: Script) -> Iterator[Script]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script.bodies.append(body)
            script.headers.append(dict(self.headers))
            script.paths.append(self.path)
            step = script.steps.pop(0) if script.steps else None
            if isinstance(step, float):
                script.hurry.wait(step)
                step = None
            status, headers, answer = step or (200, {}, embedded(body["input"], script.dimension))
            raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response_only(status)
            for name, value in {"Content-Length": str(len(raw)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep the test's output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    # A client that has given up closes its side: nothing to report.
    server.handle_error = lambda request, client_address: None  # type: ignore[method-assign]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield script
    finally:
        script.hurry.set()
        server.shutdown()
        server.server_close()
        thread.join()
