"""A server in a process of its own with people and memories on it, and a program that waits to be called back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2

from muniment.access import passphrases, profiles
from muniment.access.profiles import NewProfile
from muniment.app import create_app
from tests.stores import at
from tests.surfaces.browser import Client, Person, tokens
from tests.surfaces.conftest import bearer, token, workspace
from tests.surfaces.test_http import serving

NAME, PASSPHRASE = "maren", "four plain wooden words"
OTHER = "torben"
# A browser's worth of requests comes from one address, and what is printed waits in a pipe that nobody reads before the end.
UNPACED: dict[str, Any] = {"rate_per_minute": 0, "stranger_rate_per_minute": 0, "log_level": "warning"}
WORKSPACES = ("harbour", "atelier", "winter-berths")


@dataclass(frozen=True)
class Site:
    """`secret` is an operator's token; `machine` is what programs ask with."""

    base: str
    store: Path
    secret: str
    machine: httpx2.Client

    def keep(self, text: str, **more: Any) -> str:
        """Remember something; answers its ref."""
        return str(self.ask("/api/remember", {"text": text} | more)["ref"])

    def document(self, text: str, **more: Any) -> str:
        """Take in a document of one piece; answers its ref."""
        (ref,) = self.ask("/api/ingest", {"document": {"text": text} | more, "workspace": "harbour"})["refs"]
        return str(ref)

    def talk(self, session: str, title: str, *turns: tuple[str, str]) -> str:
        """Keep a conversation; answers its ref."""
        said = [{"speaker": speaker, "text": text} for speaker, text in turns]
        refs = self.ask("/api/ingest", {"session": session, "title": title, "turns": said, "workspace": "harbour"})["refs"]
        found = self.machine.get("/api/read", params={"ref": refs[0]}, headers=bearer(self.secret)).json()
        return str(found["records"][0]["provenance"]["session_ref"])

    def of(self, secret: str) -> Site:
        """The same place for whoever has another token."""
        return replace(self, secret=secret)

    def ask(self, path: str, body: Any) -> Any:
        answer = self.machine.post(path, json=body, headers=bearer(self.secret))
        assert answer.status_code == 200, answer.text
        return answer.json()

    def client(self, redirect: str, name: str = "A test client") -> Client:
        """A program that has registered."""
        made = Client(self.machine, redirect)
        answer = made.register(client_name=name)
        assert answer.status_code == 201, answer.text
        return made

    def connect(self, client: Client, **options: Any) -> dict[str, Any]:
        """Let Maren give a client access without a screen; answers its tokens."""
        with httpx2.Client(base_url=self.base, timeout=20) as web:
            return tokens(Person(web, NAME, PASSPHRASE), client, **options)


@contextmanager
def site(folder: Path) -> Iterator[Site]:
    app = create_app(at(str(folder / "muniment.db"), folder, embedder="none"))
    secret_hash = passphrases.hashed(PASSPHRASE)
    with app.store.write() as connection:
        for name, level in ((NAME, "owner"), (OTHER, "admin")):
            profiles.keep(connection, NewProfile(name, level, secret_hash), app.context().now())
    for slug in WORKSPACES:
        workspace(app, slug)
    secret = token(app)
    app.close()
    with serving(folder, **UNPACED) as served:
        base = f"http://127.0.0.1:{served.port}"
        with httpx2.Client(base_url=base, timeout=20) as machine:
            yield Site(base, folder / "muniment.db", secret, machine)
        served.stop()
        assert b"Traceback" not in served.said, served.said.decode()[-3000:]


DONE = "<!doctype html><html lang=en><title>Done</title><p>You can close this window."


@dataclass
class Listener:
    """A web server of somebody else. `asked` are the paths it was asked for, `html` what it answers."""

    port: int
    asked: list[str] = field(default_factory=list)
    html: str = DONE

    def forget(self) -> None:
        self.asked.clear()
        self.html = DONE

    @property
    def callback(self) -> str:
        return f"http://127.0.0.1:{self.port}/callback"

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @property
    def called(self) -> list[str]:
        """How often and with what the client was called back."""
        return [path for path in self.asked if path.startswith("/callback")]


@contextmanager
def listener() -> Iterator[Listener]:
    made = Listener(0)

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.asked.append(self.path)
            body = made.html.encode()
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *said: Any) -> None:
            """Nobody reads it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        server.daemon_threads = True
        made.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield made
        server.shutdown()
        thread.join()
