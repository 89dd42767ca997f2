"""A whole life of a connection on a server that says all it can: no secret is in its log, its answers or its files."""

from __future__ import annotations

import base64
import logging
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from muniment.access import passphrases, profiles
from muniment.access.profiles import NewProfile
from muniment.app import App
from tests.surfaces.browser import Client, Person, told
from tests.surfaces.conftest import bearer, token
from tests.surfaces.oauth.conftest import NAME, PASSPHRASE
from tests.surfaces.oauth.test_flow import call
from tests.surfaces.test_http import serving


def lived(person: Person, client: Client, machine: Any) -> dict[str, str]:
    """Register, log in, consent, exchange, call, refresh, revoke, log out; answers every secret that was in play."""
    secrets = {"passphrase": PASSPHRASE, "wrong passphrase": "an entirely wrong phrase", "verifier": client.verifier}
    assert client.register(token_endpoint_auth_method="client_secret_post").status_code == 201
    secrets["client secret"] = client.secret
    person.log_in(passphrase=secrets["wrong passphrase"])
    came = told(person.authorize(client.url()))
    secrets["code"] = came["code"]
    secrets["cookie"] = next(iter(person.http.cookies.values()))
    first = client.exchange(came["code"]).json()
    second = client.refresh(first["refresh_token"]).json()
    for number, one in enumerate((first, second)):
        secrets[f"access {number}"], secrets[f"refresh {number}"] = one["access_token"], one["refresh_token"]
    held = bearer(second["access_token"])
    kept = machine.post("/mcp", json=call("remember", text="The crane is green."), headers=held)
    assert kept.status_code == 200, kept.text
    machine.post("/api/recall", json={"query": "crane", "trace": True}, headers=held)
    machine.get(f"/api/stats?access_token={second['access_token']}", headers=held)
    machine.get(f"/api/recall?query={second['access_token'][:9]}&acces_token={second['access_token']}", headers=held)
    machine.post("/api/recall", json={"query": "x", "token": second["access_token"]}, headers=held)
    machine.get(f"/{second['access_token']}", headers=held)
    client.exchange(came["code"])
    client.refresh("mr_" + "A" * 43)
    client.ask("/token", {"grant_type": "password", "username": NAME, "password": secrets["passphrase"]})
    client.revoke(second["refresh_token"])
    person.log_out()
    return secrets


def test_no_secret_is_in_the_log_or_the_files_of_a_whole_life(app: App, tmp_path: Path) -> None:
    with app.store.write() as connection:
        profiles.keep(connection, NewProfile(NAME, "owner", passphrases.hashed(PASSPHRASE)), app.context().now())
    shown = token(app)
    with serving(tmp_path, log_level="debug", stranger_rate_per_minute=0) as served:
        base = f"http://127.0.0.1:{served.port}"
        with httpx.Client(base_url=base, timeout=60) as browser, httpx.Client(base_url=base, timeout=60) as machine:
            client = Client(machine)
            secrets = lived(Person(browser, NAME, PASSPHRASE), client, machine) | {"token": shown}
            basic = base64.b64encode(f"{client.uid}:{client.secret}".encode()).decode()
            machine.post("/token", headers={"authorization": f"Basic {basic}"}, data={"grant_type": "x"})
            machine.get("/api/stats", headers=bearer(shown))
            secrets["basic"] = basic
        assert served.stop() == 0
    said = served.said
    assert said.count(b"POST") > 10, "it says what is asked"
    # The path of a request is part of its line, so a token that somebody makes a path of stands there; nothing else does.
    said = said.replace(f"/{secrets['access 1']}".encode(), b"")
    for name, secret in secrets.items():
        assert secret.encode() not in said, name
    assert b"Traceback" not in said
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "muniment.db" for path in files)
    for path in files:
        held = path.read_bytes()
        for name, secret in secrets.items():
            assert secret.encode() not in held, (name, path.name)
    assert len({secret for secret in secrets.values()}) == len(secrets)


@pytest.mark.parametrize("level", [logging.DEBUG])
def test_no_library_says_one_either(machine: TestClient, person: Person, caplog: pytest.LogCaptureFixture, level: int) -> None:
    """All loggers there are, of others too, at their lowest level."""
    with caplog.at_level(level):
        secrets = lived(person, Client(machine), machine)
    mine = [one for one in caplog.records if not one.name.startswith(("httpx", "httpcore"))]  # those of the client in this test
    assert mine
    text = "\n".join(f"{one.getMessage()} {one.__dict__}" for one in mine).replace(f"/{secrets['access 1']}", "")
    for name, secret in secrets.items():
        assert secret not in text, name


def test_no_answer_repeats_a_secret_that_was_sent(machine: TestClient, person: Person, client: Client) -> None:
    wrong = "mun_" + "Zq9" * 14 + "A"
    for answer in (
        machine.get("/api/stats", headers=bearer(wrong)),
        machine.get(f"/api/stats?access_token={wrong}"),
        client.exchange(wrong),
        client.refresh(wrong),
        client.revoke(wrong),
        client.exchange("x", client_secret=wrong),
        client.exchange("x", code_verifier=wrong),
        person.log_in(passphrase=wrong),
        person.http.get("/login", headers={"cookie": f"muniment={wrong}"}),
        machine.post("/register", json={"redirect_uris": [wrong], "client_secret": wrong}),
    ):
        assert wrong not in answer.text, answer.request.url
        assert wrong not in str(answer.headers), answer.request.url
