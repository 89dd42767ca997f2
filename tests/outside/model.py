"""A model's endpoint that says what a test wants, so that an agent's own program can be tried without any model.

It speaks the Responses API as far as Codex reads it: each turn is one stream of events, and what was asked is kept.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Model:
    """`turns` are the items of one answer after another; the last one is repeated."""

    def __init__(self, turns: Sequence[dict[str, Any]]) -> None:
        self.turns = list(turns)
        self.asked: list[dict[str, Any]] = []

    def stream(self, asked: dict[str, Any]) -> bytes:
        self.asked.append(asked)
        number = len(self.asked)
        item = self.turns[min(number, len(self.turns)) - 1]
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        events: list[dict[str, Any]] = [
            {"type": "response.created", "response": {"id": f"answer-{number}"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": f"answer-{number}", "usage": usage}},
        ]
        return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode()


def says(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "id": "said", "content": [{"type": "output_text", "text": text}]}


def calls(name: str, namespace: str, **arguments: Any) -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": "called",
        "call_id": "called",
        "name": name,
        "namespace": namespace,
        "arguments": json.dumps(arguments),
    }


@contextmanager
def serving(model: Model) -> Iterator[str]:
    """The address of the endpoint."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
            self._answer("text/event-stream", model.stream(asked))

        def do_GET(self) -> None:
            self._answer("application/json", b'{"data": [], "models": []}')

        def _answer(self, kind: str, content: bytes) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Nothing is logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
