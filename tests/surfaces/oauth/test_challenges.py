"""What a refusal tells a client: where to get a token, and which scopes the next one needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from muniment.app import App, create_app
from muniment.settings import Settings
from muniment.surfaces.http import build
from tests.surfaces.browser import BROWSES, Client, Page, Person, tokens
from tests.surfaces.conftest import BASE, bearer, token
from tests.surfaces.oauth.conftest import another
from tests.surfaces.oauth.test_flow import call

METADATA = f'resource_metadata="{BASE}/.well-known/oauth-protected-resource/mcp"'
ALL = 'scope="read propose append write curate govern share admin"'
OAUTH_PATHS = ("/authorize", "/login", "/connections", "/.well-known/oauth-authorization-server")


def test_a_401_names_the_metadata_and_an_error_only_for_a_token_that_came(machine: TestClient) -> None:
    for path in ("/mcp", "/api/stats", "/readyz", "/nothing/at/all"):
        without = machine.post(path, json={})
        assert without.status_code == 401
        assert without.headers["www-authenticate"] == f"Bearer {METADATA}, {ALL}"
    for wrong in ("mun_" + "A" * 43, "x", "mun_" + "A" * 42):
        refused = machine.post("/mcp", json={}, headers=bearer(wrong))
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == f'Bearer error="invalid_token", {METADATA}, {ALL}'
    assert machine.get("/mcp?access_token=x").status_code == 400


def test_a_call_beyond_the_token_gets_a_403_with_all_scopes_at_once(
    machine: TestClient, person: Person, client: Client
) -> None:
    held = bearer(tokens(person, client, scope="read")["access_token"])
    for path in ("/mcp", "/mcp/"):
        refused = machine.post(path, json=call("remember", text="The berth is free."), headers=held)
        assert refused.status_code == 403
        challenge = refused.headers["www-authenticate"]
        assert challenge == f'Bearer error="insufficient_scope", scope="read append", {METADATA}'
        body = refused.json()
        assert body["id"] == 7
        assert body["result"]["isError"] is True
        assert body["result"]["_meta"]["mcp/www_authenticate"] == [challenge]
        assert body["result"]["structuredContent"]["error"]["code"] == "insufficient_scope"
    refused = machine.post("/api/remember", json={"text": "The berth is free."}, headers=held)
    assert refused.status_code == 403
    assert refused.headers["www-authenticate"] == f'Bearer error="insufficient_scope", scope="read append", {METADATA}'
    assert refused.json()["error"]["code"] == "insufficient_scope"
    assert machine.post("/mcp", json=call("search", query="berth"), headers=held).status_code == 200


def test_stepping_up_gets_what_was_missing(machine: TestClient, person: Person, client: Client) -> None:
    tokens(person, client, scope="read")
    wider = tokens(person, client, scope="read append")
    said = machine.post("/mcp", json=call("remember", text="The berth is free."), headers=bearer(wider["access_token"]))
    assert said.status_code == 200
    assert said.json()["result"]["isError"] is False


def test_nobody_is_sent_for_what_the_profile_does_not_have(
    asgi: ASGIApp, machine: TestClient, enrol: Any, client: Client
) -> None:
    enrol("jonas", "viewer")
    held = bearer(tokens(another(asgi, "jonas"), client)["access_token"])
    said = machine.post("/mcp", json=call("remember", text="x"), headers=held)
    assert said.status_code == 200
    assert said.json()["result"]["isError"] is True
    assert "insufficient_scope" in said.text
    assert "_meta" not in said.json()["result"]
    assert METADATA not in machine.post("/api/remember", json={"text": "x"}, headers=held).headers["www-authenticate"]


def test_a_token_from_the_command_line_is_not_sent_anywhere(machine: TestClient, app: App) -> None:
    held = bearer(token(app, "viewer"))
    said = machine.post("/mcp", json=call("remember", text="x"), headers=held)
    assert said.status_code == 200
    assert "insufficient_scope" in said.text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"3",
        b'{"method": "tools/call"}',
        b'{"id": 1, "method": "tools/call"}',
        b'{"id": 1, "method": "tools/call", "params": []}',
        b'{"id": 1, "method": "tools/call", "params": {"name": ["remember"]}}',
        b'{"id": 1, "method": "tools/call", "params": {"name": "nothing"}}',
        b'[{"id": 1, "method": "tools/call", "params": {"name": "remember"}}]',
    ],
)
def test_what_is_no_single_call_is_left_to_the_protocol(
    machine: TestClient, person: Person, client: Client, body: bytes
) -> None:
    held = bearer(tokens(person, client, scope="read")["access_token"]) | {"content-type": "application/json"}
    assert machine.post("/mcp", content=body, headers=held).status_code != 403


def test_a_tool_names_its_scopes_where_oauth_is_on(machine: TestClient, person: Person, client: Client, app: App) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    held = bearer(tokens(person, client)["access_token"])
    listed = machine.post("/mcp", json=asked, headers=held).json()["result"]["tools"]
    schemes = {tool["name"]: tool["_meta"]["securitySchemes"] for tool in listed}
    assert schemes["search"] == [{"type": "oauth2", "scopes": ["read"]}]
    assert schemes["remember"] == [{"type": "oauth2", "scopes": ["append"]}]
    reading = bearer(tokens(person, client, scope="read")["access_token"])
    fewer = [tool["name"] for tool in machine.post("/mcp", json=asked, headers=reading).json()["result"]["tools"]]
    assert "remember" not in fewer
    assert "search" in fewer


# --- on and off ---------------------------------------------------------------------------------------------------


@pytest.fixture
def serving(configured: Callable[..., Settings]) -> Iterator[Callable[..., TestClient]]:
    made: list[App] = []

    def make(**flags: Any) -> TestClient:
        made.append(create_app(configured(**flags)))
        base = flags.get("base_url", BASE)
        return TestClient(build(made[-1]), base_url=base, follow_redirects=False)

    yield make
    for app in made:
        app.close()


def test_without_a_profile_there_is_no_oauth(app: App, serving: Callable[..., TestClient], enrol: Any) -> None:
    web = serving()
    for path in OAUTH_PATHS:
        assert web.get(path).status_code == 404
    assert web.post("/token").status_code == 404
    assert web.post("/mcp").headers["www-authenticate"] == "Bearer"
    assert web.get("/r/m_1", headers={"accept": "text/html"}).status_code == 401
    enrol()
    for path in OAUTH_PATHS:
        assert web.get(path).status_code in (200, 303, 400), "no restart is needed for the first profile"
    assert METADATA in web.post("/mcp").headers["www-authenticate"]


def test_a_setting_switches_it_on_and_off(app: App, serving: Callable[..., TestClient], enrol: Any) -> None:
    assert serving(auth="oauth").get("/.well-known/oauth-authorization-server").status_code == 200
    enrol()
    off = serving(auth="tokens")
    for path in OAUTH_PATHS:
        assert off.get(path).status_code == 404
    assert off.post("/mcp").headers["www-authenticate"] == "Bearer"
    assert off.get("/api/stats", headers=bearer(token(app))).status_code == 200


def test_a_server_that_only_reads_grants_nothing_and_knows_what_was_granted(
    machine: TestClient, person: Person, client: Client, serving: Callable[..., TestClient]
) -> None:
    held = bearer(tokens(person, client)["access_token"])
    reading = serving(read_only=True)
    for path in OAUTH_PATHS:
        assert reading.get(path).status_code == 404
    for path in ("/login", "/connections", "/authorize"):
        page = reading.get(path, headers=BROWSES)
        assert page.status_code == 404
        assert "This server only reads, so nobody logs in here." in Page(page.text).text
    assert reading.get("/api/stats", headers=held).status_code == 200
    narrow = bearer(tokens(person, client, scope="read")["access_token"])
    refused = reading.post("/api/tokens", json={"do": {"verb": "list"}}, headers=narrow)
    assert refused.status_code == 403
    assert METADATA not in refused.headers["www-authenticate"], "nobody is sent for more to where nothing is granted"


def test_metadata_says_what_connectors_look_for(machine: TestClient) -> None:
    server = machine.get("/.well-known/oauth-authorization-server").json()
    assert server["issuer"] == BASE
    assert server["authorization_endpoint"] == f"{BASE}/authorize"
    methods = ["none", "client_secret_post", "client_secret_basic", "private_key_jwt"]
    assert server["token_endpoint_auth_methods_supported"] == server["revocation_endpoint_auth_methods_supported"] == methods
    assert {"RS256", "ES256", "EdDSA"} <= set(server["token_endpoint_auth_signing_alg_values_supported"])
    assert not {"none", "HS256"} & set(server["token_endpoint_auth_signing_alg_values_supported"])
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["client_id_metadata_document_supported"] is True
    assert server["authorization_response_iss_parameter_supported"] is True
    assert server["revocation_endpoint"] == f"{BASE}/revoke"
    assert len(server["scopes_supported"]) == 8
    for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
        resource = machine.get(path).json()
        assert resource["resource"] == f"{BASE}/mcp"
        assert resource["authorization_servers"] == [server["issuer"]]
        assert resource["scopes_supported"] == server["scopes_supported"]
    for path in ("/.well-known/openid-configuration", "/.well-known/openid-configuration/mcp", "/.well-known/nothing"):
        answer = machine.get(path)
        assert answer.status_code in (401, 404)
        assert answer.headers["content-type"].startswith("application/json")
    assert machine.get("/.well-known/openid-configuration").status_code == 404


def test_below_a_path_everything_stands_below_it(app: App, maren: Any, serving: Callable[..., TestClient]) -> None:
    base = "https://memory.example/mem"
    web = serving(base_url=base)
    issuer = web.get("https://memory.example/.well-known/oauth-authorization-server/mem").json()["issuer"]
    assert issuer == base
    found = web.get("https://memory.example/.well-known/oauth-protected-resource/mem/mcp").json()
    assert (found["resource"], found["authorization_servers"]) == (f"{base}/mcp", [base])
    assert web.get("https://memory.example/.well-known/openid-configuration/mem").status_code == 404
    refused = web.post("https://memory.example/mem/mcp", json={})
    assert f'resource_metadata="{base}/.well-known/oauth-protected-resource/mcp"' in refused.headers["www-authenticate"]
    assert web.get(f"{base}/.well-known/oauth-protected-resource/mcp").json() == found
    http = TestClient(web.app, base_url="https://memory.example", follow_redirects=False)
    login = http.get("/mem/connections", headers={"accept": "text/html"})
    assert login.headers["location"] == "/mem/login?next=%2Fconnections"
    page = http.get("/mem/login")
    assert 'action="/mem/login"' in page.text
    assert 'href="/mem/pages/muniment.css"' in page.text
    assert http.get("/mem/pages/muniment.css").headers["content-type"].startswith("text/css")
    client = Client(TestClient(web.app, base_url="https://memory.example"))
    client.uid = client.http.post("/mem/register", json={"redirect_uris": [client.redirect]}).json()["client_id"]
    person = Person(http, "maren", "four plain wooden words")
    came = person.authorize(client.url("/mem/authorize", resource=f"{base}/mcp"))
    assert came.startswith(client.redirect)
    assert "iss=https%3A%2F%2Fmemory.example%2Fmem" in came


def test_metadata_documents_can_be_switched_off(app: App, maren: Any, serving: Callable[..., TestClient]) -> None:
    web = serving(oauth_metadata_documents=False)
    metadata = web.get("/.well-known/oauth-authorization-server").json()
    assert metadata["client_id_metadata_document_supported"] is False
    person = Person(web, "maren", "four plain wooden words")
    client = Client(web, uid="https://client.example/client.json")
    page = person.log_in(client.url())
    assert page.status_code == 400
    assert "fetches no metadata" in page.text
