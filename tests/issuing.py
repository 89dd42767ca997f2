"""Another issuer on this machine: a small HTTP server that describes itself, publishes keys, and signs what a test tells it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

OPENID = "/.well-known/openid-configuration"
SERVER = "/.well-known/oauth-authorization-server"
LIFE_S = 600


class Issuing:
    """`documents` are what it answers, by path; `asked` the paths it was asked for; `slow_s` what each answer takes."""

    def __init__(self, port: int, path: str = "") -> None:
        self.issuer = f"http://127.0.0.1:{port}{path}"
        self.keys = {"one": ec.generate_private_key(ec.SECP256R1())}
        self.asked: list[str] = []
        self.slow_s = 0.0
        self.documents: dict[str, Any] = {f"{path}{OPENID}": {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/jwks"}}
        self.path = path

    @property
    def keys_asked(self) -> int:
        return self.asked.count(f"{self.path}/jwks")

    def rotate(self, *names: str) -> None:
        """Publish keys of these names and no others."""
        self.keys = {name: self.keys.get(name) or ec.generate_private_key(ec.SECP256R1()) for name in names}

    def answer(self, path: str) -> Any:
        if path == f"{self.path}/jwks" and path not in self.documents:
            return {"keys": [json.loads(ECAlgorithm.to_jwk(key.public_key())) | {"kid": kid} for kid, key in self.keys.items()]}
        return self.documents.get(path)

    def token(
        self, subject: str | None, audience: str, *, kid: str = "one", header: dict[str, Any] | None = None, **claims: Any
    ) -> str:
        """An access token; a claim that is None is left out."""
        now = int(time.time())
        said = {"iss": self.issuer, "aud": audience, "sub": subject, "iat": now, "exp": now + LIFE_S} | claims
        said = {name: value for name, value in said.items() if value is not None}
        return jwt.encode(said, self.keys[kid], "ES256", {"kid": kid, "typ": "at+jwt"} | (header or {}))


@contextmanager
def issuing(path: str = "", port: int = 0) -> Iterator[Issuing]:
    held: list[Issuing] = []

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made = held[0]
            made.asked.append(self.path)
            time.sleep(made.slow_s)
            found = made.answer(self.path)
            body = found if isinstance(found, bytes) else json.dumps(found).encode()
            self.send_response(404 if found is None else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

    with Server(("127.0.0.1", port), Answers) as server:
        held.append(Issuing(server.server_address[1], path))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield held[0]
        finally:
            server.shutdown()
            thread.join()
