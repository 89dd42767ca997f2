"""The whole way from a 401 to a token and back, as connectors go it."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient

from muniment.access.oauth.asking import SCOPES
from muniment.access.profiles import Profile
from tests.surfaces.browser import Client, Person, tokens, told
from tests.surfaces.conftest import BASE, bearer

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def test_a_client_finds_its_way_from_a_401_to_an_answer(machine: TestClient, person: Person, client: Client) -> None:
    refused = machine.post("/mcp", json=INITIALIZE)
    assert refused.status_code == 401
    challenge = refused.headers["www-authenticate"]
    assert f'resource_metadata="{BASE}/.well-known/oauth-protected-resource/mcp"' in challenge
    resource = machine.get("/.well-known/oauth-protected-resource/mcp").json()
    assert resource["resource"] == f"{BASE}/mcp"
    assert resource["authorization_servers"] == [BASE]
    server = machine.get("/.well-known/oauth-authorization-server").json()
    assert server["issuer"] == BASE
    answer = told(person.authorize(client.url(resource=resource["resource"], scope=" ".join(resource["scopes_supported"]))))
    assert answer["state"] == client.state
    assert answer["iss"] == BASE
    issued = client.exchange(answer["code"], resource=resource["resource"])
    assert issued.status_code == 200
    assert issued.headers["cache-control"] == "no-store"
    found = issued.json()
    assert found["token_type"] == "Bearer"
    assert found["expires_in"] == 12 * 3600
    assert found["scope"] == "read propose append write curate govern share"
    assert machine.post("/mcp", json=INITIALIZE, headers=bearer(found["access_token"])).status_code == 200
    said = machine.post("/mcp", json=call("search", query="berth"), headers=bearer(found["access_token"]))
    assert said.json()["result"]["structuredContent"] == {"results": []}


def test_a_refresh_gives_new_tokens_and_a_revocation_ends_them_all(machine: TestClient, person: Person, client: Client) -> None:
    first = tokens(person, client)
    second = client.refresh(first["refresh_token"]).json()
    assert second["access_token"] != first["access_token"]
    assert second["refresh_token"] != first["refresh_token"]
    for held in (first, second):
        assert machine.get("/api/stats", headers=bearer(held["access_token"])).status_code == 200
    assert client.revoke(second["access_token"]).status_code == 200
    for held in (first, second):
        assert machine.get("/api/stats", headers=bearer(held["access_token"])).status_code == 401
    assert client.refresh(second["refresh_token"]).json()["error"] == "invalid_grant"


def test_the_person_may_refuse(person: Person, client: Client) -> None:
    answer = told(person.authorize(client.url(), decision="deny"))
    assert answer["error"] == "access_denied"
    assert answer["iss"] == BASE
    assert answer["state"] == client.state
    assert "code" not in answer


def test_every_way_of_client_authentication_works(machine: TestClient, person: Person) -> None:
    import base64

    for method in ("none", "client_secret_post", "client_secret_basic"):
        one = Client(machine)
        registered = one.register(client_name=method, token_endpoint_auth_method=method).json()
        assert registered["token_endpoint_auth_method"] == method
        assert bool(registered.get("client_secret")) is (method != "none")
        code = told(person.authorize(one.url()))["code"]
        if method == "client_secret_basic":
            shown = base64.b64encode(f"{one.uid}:{one.secret}".encode()).decode()
            asked = {"grant_type": "authorization_code", "code": code, "redirect_uri": one.redirect}
            asked |= {"code_verifier": one.verifier, "client_id": None, "client_secret": None}
            answer = one.ask("/token", asked, authorization=f"Basic {shown}")
        else:
            answer = one.exchange(code)
        assert answer.status_code == 200, (method, answer.text)


def test_a_wrong_client_secret_is_invalid_client(machine: TestClient, person: Person) -> None:
    one = Client(machine)
    one.register(token_endpoint_auth_method="client_secret_post")
    code = told(person.authorize(one.url()))["code"]
    for wrong in (None, "", one.secret[:-1] + "x", "ms_"):
        answer = one.exchange(code, client_secret=wrong)
        assert answer.status_code == 401
        assert answer.json()["error"] == "invalid_client"
    basic = one.ask(
        "/token", {"grant_type": "refresh_token", "client_id": None, "client_secret": None}, authorization="Basic eDp5"
    )
    assert basic.status_code == 401
    assert basic.headers["www-authenticate"].startswith("Basic")
    assert one.exchange(code).status_code == 200


def test_what_is_granted_is_what_the_profile_holds_of_what_was_asked(person: Person, client: Client, maren: Profile) -> None:
    assert "admin" not in maren.scopes
    found = tokens(person, client, scope="read admin offline_access unknown:scope")
    assert found["scope"] == "read"
    assert set(SCOPES) - maren.scopes == {"admin"}


def test_what_no_database_can_hold_is_an_error_of_the_client(machine: TestClient, client: Client) -> None:
    asked = {"grant_type": "authorization_code", "code": "x", "client_id": "a\0b"}
    for path in ("/token", "/revoke"):
        assert machine.post(path, data=asked | {"token": "x"}).status_code in (400, 401), path
        basic = machine.post(path, data={"grant_type": "refresh_token", "token": "x"}, auth=("a\0", "b"))
        assert basic.status_code in (400, 401), path
    assert machine.get("/authorize", params={"client_id": "\0"}, follow_redirects=False).status_code == 400
    body = b'{"client_name": "Half \\ud800", "redirect_uris": ["http://127.0.0.1/done"]}'
    found = machine.post("/register", content=body, headers={"content-type": "application/json"})
    assert found.status_code == 201
