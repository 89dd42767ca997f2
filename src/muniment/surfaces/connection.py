"""One client's connection to the HTTP server: who takes too long to say what they want is hung up on.

The server below limits idle connections and the size of a request's head, but not how long the head may take.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S_MAX = 15.0


class Connection(H11Protocol):
    """Closes when the head of a request has not come whole HEAD_S_MAX seconds after its first byte, or its opening."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        if self._between_requests():
            self._wait()
        super().data_received(data)
        if not self._between_requests():
            self._waited()

    def connection_lost(self, exc: Exception | None) -> None:
        self._waited()
        super().connection_lost(exc)

    def _between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        if self._head is None:
            self._head = self.loop.call_later(HEAD_S_MAX, self._hang_up)

    def _waited(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _hang_up(self) -> None:
        self._head = None
        if self._between_requests() and not self.transport.is_closing():
            self.transport.close()
