"""The outside programs, installed once a session, a home for each test that is nobody's, and a server with somebody on it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from muniment.access import passphrases, profiles
from muniment.access.profiles import NewProfile
from muniment.app import App, create_app
from muniment.model.times import DAY_MS
from tests.outside import programs
from tests.stores import at
from tests.surfaces.browser import Page, Person
from tests.surfaces.conftest import token
from tests.surfaces.test_http import Served, serving

# A program asks faster than people do, and what is printed waits in a pipe that nobody reads before the end.
UNPACED: dict[str, Any] = {"rate_per_minute": 0, "stranger_rate_per_minute": 0, "log_level": "warning"}
NAME, PASSPHRASE = "maren", "four plain wooden words"


@pytest.fixture(scope="session", autouse=True)
def outside() -> None:
    programs.install()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


@pytest.fixture
def app(tmp_path: Path) -> App:
    """A store that nobody has open."""
    made = create_app(at(str(tmp_path / "muniment.db"), tmp_path, embedder="none"))
    made.close()
    return made


@dataclass(frozen=True)
class Place:
    """A server in a process of its own, and somebody at a browser who has a profile on it."""

    store: Path
    served: Served
    person: Person
    secret: str

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.served.port}"

    @property
    def mcp(self) -> str:
        return f"{self.base}/mcp"

    def expire(self) -> None:
        """Let the time of every access token that OAuth gave out be over."""
        with closing(sqlite3.connect(self.store, timeout=20)) as connection, connection:
            done = connection.execute("UPDATE token SET expires_at = 1 WHERE oauth_grant IS NOT NULL AND expires_at > 1")
            assert done.rowcount > 0, "no client holds a token"

    def end(self) -> None:
        """End every program's access, as a person does on the page of connections."""
        page = Page(self.person.open("/connections").text)
        forms = [form for form in page.forms if urlsplit(form.action).path.endswith("/connections/revoke")]
        assert forms, page.text
        for form in forms:
            assert self.person.post(form.action, form.hidden()).status_code in (200, 302, 303)

    def send_back(self, url: str) -> None:
        """Open an authorization URL, agree, and go where the server sends the browser: to the client that listens there."""
        where = self.person.authorize(url)
        answer = httpx2.get(where, follow_redirects=True, timeout=20)
        assert answer.status_code == 200, answer.text


@contextmanager
def settled(folder: Path, documents: Mapping[str, Sequence[str]] | None = None, **flags: Any) -> Iterator[Place]:
    """A place with a store of its own. `documents` are clients whose metadata was fetched a moment ago: address, redirects."""
    app = create_app(at(str(folder / "muniment.db"), folder, embedder="none"))
    now = app.context().now()
    with app.store.write() as connection:
        profiles.keep(connection, NewProfile(NAME, "owner", passphrases.hashed(PASSPHRASE)), now)
        for uid, redirects in (documents or {}).items():
            values = {"uid": uid, "kind": "document", "name": urlsplit(uid).hostname, "redirects": json.dumps(redirects)}
            values |= {"auth_method": "none", "secret_hash": None, "fingerprint": None, "metadata": "{}", "now": now}
            connection.run("oauth_client_add", values | {"checked_at": now, "expires_at": now + DAY_MS})
    secret = token(app)
    app.close()
    with serving(folder, **UNPACED | flags) as served:
        with httpx2.Client(base_url=f"http://127.0.0.1:{served.port}", timeout=20) as browser:
            yield Place(folder / "muniment.db", served, Person(browser, NAME, PASSPHRASE), secret)
        served.stop()
        assert b"Traceback" not in served.said, served.said.decode()[-3000:]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with settled(tmp_path) as made:
        yield made
