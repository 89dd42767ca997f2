"""A stand-in for a pooler: it hands everything on, and gives out a number of its own for the server, as poolers do."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from psycopg.conninfo import conninfo_to_dict, make_conninfo

# The message with the server's number and the key to cancel by: its sort, its length, four bytes and four bytes.
KEY = b"K\x00\x00\x00\x0c"
CHUNK = 65_536


@contextmanager
def pooled(address: str) -> Iterator[str]:
    """The address of a pooler before the server of an address."""
    parts = conninfo_to_dict(address)
    with socket.create_server(("127.0.0.1", 0)) as door:
        threading.Thread(target=_serve, args=(door, parts), daemon=True).start()
        host, port = door.getsockname()
        yield make_conninfo(address, host=host, port=port, sslmode="disable", gssencmode="disable")
        door.shutdown(socket.SHUT_RDWR)


def _serve(door: socket.socket, parts: dict[str, Any]) -> None:
    with suppress(OSError):
        while True:
            client, _ = door.accept()
            server = _server(str(parts.get("host", "")), int(parts.get("port") or 5432))
            threading.Thread(target=_between, args=(client, server), daemon=True).start()


def _between(client: socket.socket, server: socket.socket) -> None:
    with client, server:
        back = threading.Thread(target=_hand_on, args=(server, client, True), daemon=True)
        back.start()
        _hand_on(client, server, False)
        back.join()


def _server(host: str, port: int) -> socket.socket:
    if not host.startswith("/"):
        return socket.create_connection((host, port))
    server = socket.socket(socket.AF_UNIX)
    server.connect(f"{host}/.s.PGSQL.{port}")
    return server


def _hand_on(one: socket.socket, other: socket.socket, renumber: bool) -> None:
    with suppress(OSError):
        while data := one.recv(CHUNK):
            at = data.find(KEY) if renumber else -1
            if at >= 0:
                start = at + len(KEY)
                data, renumber = data[:start] + bytes(4) + data[start + 4 :], False
            other.sendall(data)
    for end in (one, other):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
