"""OAuth over real sockets and several processes: nothing secret is written down anywhere, and all state is in the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from muniment.access import passphrases, profiles
from muniment.access.profiles import NewProfile
from muniment.app import App, create_app, open_app
from muniment.surfaces.http import build
from tests.stores import at
from tests.surfaces.browser import Client, Page, Person, tokens, told
from tests.surfaces.conftest import BASE, bearer
from tests.surfaces.oauth.conftest import NAME, PASSPHRASE
from tests.surfaces.test_http import serving

SAID = "The combination of the harbour safe is seventeen."


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_tokens_in_logs_files_and_addresses(app: App, maren: Any, tmp_path: Path, log_format: str) -> None:
    """A whole flow at the level debug, then a search for each of its secrets in all that was written."""
    with serving(tmp_path, log_format=log_format, stranger_rate_per_minute=0) as served:
        base = f"http://127.0.0.1:{served.port}"
        with httpx2.Client(base_url=base) as web, httpx2.Client(base_url=base) as machine:
            person = Person(web, NAME, PASSPHRASE)
            client = Client(machine)
            client.register(token_endpoint_auth_method="client_secret_post")
            wrong = "a wrong passphrase of somebody"
            person.log_in(passphrase=wrong)
            came = person.authorize(client.url())
            code = told(came)["code"]
            held = client.exchange(code).json()
            fresh = client.refresh(held["refresh_token"]).json()
            for access in (held["access_token"], fresh["access_token"]):
                assert machine.post("/api/remember", json={"text": SAID}, headers=bearer(access)).status_code == 200
            assert machine.get("/metrics", headers=bearer(fresh["access_token"])).status_code == 200
            assert machine.get(f"/api/stats?access_token={fresh['access_token']}").status_code == 400
            assert machine.get(f"/?token={fresh['access_token']}").status_code == 400
            client.exchange(code)
            client.revoke(fresh["refresh_token"])
            secrets = {
                "code": code,
                "verifier": client.verifier,
                "client secret": client.secret,
                "passphrase": PASSPHRASE,
                "wrong passphrase": wrong,
                "cookie": web.cookies["muniment"],
            }
            secrets |= {f"first {name}": held[name] for name in ("access_token", "refresh_token")}
            secrets |= {f"second {name}": fresh[name] for name in ("access_token", "refresh_token")}
        assert served.stop() == 0
        written = {"the log": served.said}
    written |= {str(path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert any(name.endswith("muniment.db") for name in written)
    assert b"/token" in written["the log"]
    for what, secret in secrets.items():
        assert len(secret) > 12, what
        for place, content in written.items():
            assert secret.encode() not in content, f"the {what} stands in {place}"


@contextmanager
def process(address: str, folder: Path) -> Iterator[TestClient]:
    """The server as one more process over the same store has it."""
    app = open_app(at(address, folder, embedder="none", stranger_rate_per_minute=0))
    with TestClient(build(app), base_url=BASE, follow_redirects=False) as web:
        yield web
    app.close()


@pytest.fixture
def shared(address: str, tmp_path: Path) -> Callable[[], Any]:
    """Makes processes over one store, on SQLite and on PostgreSQL."""
    made = create_app(at(address, tmp_path, embedder="none"))
    with made.store.write() as connection:
        new = NewProfile(NAME, "owner", passphrases.hashed(PASSPHRASE))
        profiles.keep(connection, new, made.context().now())
    made.close()
    return lambda: process(address, tmp_path)


def test_each_step_may_come_to_another_process(shared: Callable[[], Any]) -> None:
    """Registered here, logged in there, consented at a third, and so on: all that is known is in the store."""
    with shared() as one, shared() as two, shared() as three:
        client = Client(one)
        client.register()
        page = two.get(client.url())
        person = Person(two, NAME, PASSPHRASE)
        consent = person.fill_in_login(two.get(page.headers["location"]).text)
        assert "/consent" in consent.text
        three.cookies.set("muniment", two.cookies["muniment"])
        came = Person(three, NAME, PASSPHRASE).decide(consent.text)
        code = told(came.headers["location"])["code"]
        held = client.exchange(code).json()
        client.http = two
        fresh = client.refresh(held["refresh_token"]).json()
        assert three.get("/api/stats", headers=bearer(fresh["access_token"])).status_code == 200
        client.http = three
        client.revoke(fresh["access_token"])
        assert one.get("/api/stats", headers=bearer(fresh["access_token"])).status_code == 401


def test_a_restart_loses_nothing(shared: Callable[[], Any]) -> None:
    with shared() as before:
        client = Client(before)
        held = tokens(Person(before, NAME, PASSPHRASE), client)
        cookie = before.cookies["muniment"]
    with shared() as after:
        client.http = after
        assert after.get("/api/stats", headers=bearer(held["access_token"])).status_code == 200
        assert client.refresh(held["refresh_token"]).status_code == 200
        again = Client(after)
        again.register()
        assert again.uid == client.uid
        after.cookies.set("muniment", cookie)
        page = after.get("/connections")
        assert page.status_code == 200
        assert "A test client" in Page(page.text).text
