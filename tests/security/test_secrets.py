"""A whole life of a connection on a server that says all it can: no secret is in any log, ours or a library's, or an answer."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.surfaces.browser import Client, Person, told
from tests.surfaces.conftest import bearer
from tests.surfaces.oauth.conftest import NAME, PASSPHRASE
from tests.surfaces.oauth.test_flow import call


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
