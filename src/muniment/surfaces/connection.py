"""One client's connection to the HTTP server: who takes too long to say what they want is hung up on.

The server below limits idle connections and the size of a request's head, but not how long the head may take; and where all
connections are taken it refuses whoever comes next. Here the one that has said nothing for longest makes room.
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
        self._since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._since = self.loop.time()
        self._make_room()
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

    def _make_room(self) -> None:
        """Where all connections are taken, hang up on one that asks nothing: before others on one that never has."""
        if self.limit_concurrency is None or len(self.connections) < self.limit_concurrency:
            return
        idle = [one for one in self.connections if isinstance(one, Connection) and one is not self and one._between_requests()]
        if idle:
            longest = min(idle, key=lambda one: (one.cycle is not None, one._since))
            self.connections.discard(longest)
            longest._hang_up()

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
