"""A whole life of a connection on a server that says all it can: no secret is in any log, ours or a library's, or an answer."""

from __future__ import annotations

import ast
import base64
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import muniment
from tests.surfaces.browser import Client, Person, told
from tests.surfaces.conftest import bearer
from tests.surfaces.oauth.conftest import NAME, PASSPHRASE
from tests.surfaces.oauth.test_flow import call

PACKAGE = Path(muniment.__file__).parent


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
    text = "\n".join(f"{one.getMessage()} {one.__dict__}" for one in mine)
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


def test_no_other_door_takes_a_passphrase(machine: TestClient, person: Person, client: Client) -> None:
    """There is one door for it, with one budget, so there is no other one where guessing would cost nothing."""
    basic = base64.b64encode(f"{NAME}:{PASSPHRASE}".encode()).decode()
    for headers in (
        {"authorization": f"Basic {basic}"},
        bearer(PASSPHRASE),
        bearer(f"{NAME}:{PASSPHRASE}"),
        {"x-passphrase": PASSPHRASE},
    ):
        for path in ("/api/stats", "/mcp", "/metrics", "/r/m_1"):
            assert machine.post(path, json={}, headers=headers).status_code == 401, path
    asked = {"grant_type": "password", "username": NAME, "password": PASSPHRASE}
    assert client.ask("/token", asked).json()["error"] == "unsupported_grant_type"
    refused = client.ask("/token", asked | {"client_id": None}, authorization=f"Basic {basic}")
    assert refused.json()["error"] == "invalid_client"
    doors = [
        path.relative_to(PACKAGE).as_posix()
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "profiles.login"
    ]
    assert doors == ["surfaces/oauth/login.py"]


SECRETS = re.compile(r"\b(secret|passphrase|verifier|challenge|password|cookie|bearer|digest)s?\b", re.IGNORECASE)


def test_secrets_are_compared_in_constant_time() -> None:
    """Nowhere by `==`, which ends at the first letter that differs. A hash that an index finds is compared by no one."""
    # Two hashes, of the settings and of the store, when the server starts and nobody asks yet.
    at_start = {"access/configured.py"}
    found = []
    for path in sorted([*(PACKAGE / "access").rglob("*.py"), *(PACKAGE / "surfaces").rglob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Compare) or not any(isinstance(one, ast.Eq | ast.NotEq) for one in node.ops):
                continue
            sides = [node.left, *node.comparators]
            if any(isinstance(side, ast.Constant) or ast.unparse(side).rpartition(".")[2].isupper() for side in sides):
                continue  # with a word of ours, such as the name of a method
            if any(SECRETS.search(ast.unparse(side).replace("_", " ")) for side in sides):
                found.append(f"{path.relative_to(PACKAGE)}:{node.lineno} {ast.unparse(node)}")
    assert [one for one in found if one.partition(":")[0] not in at_start] == []
