"""Pages of other sites in the browser of somebody who works here: what they may make it ask, on every route there is."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from muniment.app import App
from muniment.surfaces.catalogue import OPERATIONS
from muniment.surfaces.oauth import provider
from muniment.surfaces.rest import PATH
from tests.surfaces.browser import Client, Page, Person
from tests.surfaces.conftest import BASE, bearer, token
from tests.surfaces.oauth.test_flow import call
from tests.surfaces.test_gate import BAD_HOSTS, BAD_ORIGINS, HOST, ROUTES, raw

# One of each sort besides those of `test_gate`; that none is forgotten is held below.
NEW_ROUTES = [
    *sorted(provider.OPEN),
    *(below + end for below in provider.OPEN_BELOW for end in ("", "/mcp")),
    "/consent/",
    "/.well-known/none",
    "//authorize",
]
METHODS = ("GET", "POST", "OPTIONS", "HEAD", "DELETE")
SAYS = {"authorization": "Bearer x", "cookie": "muniment=x"}


def answers(machine: TestClient, path: str, **headers: str) -> set[int]:
    return {machine.request(method, path, headers=headers, content=b"").status_code for method in METHODS}


def routes(app: ASGIApp) -> list[Route]:
    """Every route behind the gate."""
    inner: Any = app
    while not isinstance(inner, Starlette):
        inner = inner._app if hasattr(inner, "_app") else inner.app
    return [route for route in inner.routes if isinstance(route, Route)]


def test_no_route_is_left_out_of_these_tests(asgi: ASGIApp) -> None:
    tried = [*ROUTES, *NEW_ROUTES, *(PATH + operation.name for operation in OPERATIONS)]
    assert [route.path for route in routes(asgi) if not any(route.path_regex.match(path) for path in tried)] == []


@pytest.mark.parametrize(
    "host", [*BAD_HOSTS, "127.0.0.1:8750, evil.example", "127.0.0.1:8750\tevil.example", "127.0.0.1:8750."]
)
def test_a_foreign_host_is_refused_on_every_route_that_asks_for_no_token(machine: TestClient, host: str) -> None:
    for path in NEW_ROUTES:
        assert answers(machine, path, host=host) == {421}, path
        assert answers(machine, path, host=host, **SAYS) == {421}, path


@pytest.mark.parametrize("origin", [*BAD_ORIGINS, "http://127.0.0.1:8750, https://evil.example", "HTTPS://EVIL.EXAMPLE"])
def test_a_foreign_origin_is_refused_there_too(machine: TestClient, person: Person, origin: str) -> None:
    person.log_in()
    for path in NEW_ROUTES:
        assert answers(machine, path, origin=origin) == {403}, path
        assert answers(person.http, path, origin=origin) == {403}, path


def test_no_host_and_two_of_them_are_refused_there_too(asgi: ASGIApp) -> None:
    evil, other = (b"host", b"evil.example"), (b"host", b"localhost:8750")
    for path in NEW_ROUTES:
        for hosts in ((), (HOST, HOST), (HOST, evil), (evil, HOST), (HOST, other)):
            assert asyncio.run(raw(asgi, *hosts, path=path))[0] == 400, (path, hosts)


def test_what_a_proxy_may_say_stands_for_no_host(machine: TestClient) -> None:
    for name in ("x-forwarded-host", "forwarded", "x-host", "x-original-host", "x-forwarded-server"):
        hidden = {name: "127.0.0.1:8750" if name != "forwarded" else "host=127.0.0.1:8750"}
        assert machine.get("/login", headers={"host": "evil.example", **hidden}).status_code == 421


def test_no_origin_is_ever_reflected(machine: TestClient, person: Person, app: App) -> None:
    """Neither one that is refused nor our own: a page of ours needs no leave to call us."""
    person.log_in()
    for origin in (*BAD_ORIGINS, BASE, "http://localhost:8750"):
        for path in [*ROUTES, *NEW_ROUTES, "/api/stats"]:
            asks = {"origin": origin, "access-control-request-method": "POST"}
            for answer in (
                machine.get(path, headers={"origin": origin} | bearer(token(app))),
                machine.options(path, headers=asks),
                person.http.get(path, headers={"origin": origin}),
            ):
                told = [name for name in answer.headers if name.startswith("access-control-")]
                assert told == [], (origin, path, told)


def test_a_cookie_opens_nothing_that_a_program_may_ask(person: Person, asgi: ASGIApp, app: App) -> None:
    """What a browser sends along by itself lets no page of another site do anything: the cookie is good for pages alone."""
    person.log_in()
    assert person.http.get("/connections").status_code == 200
    for operation in OPERATIONS:
        assert person.http.post(PATH + operation.name, json={}).status_code == 401, operation.name
        assert person.http.get(PATH + operation.name).status_code == 401, operation.name
    for path in ("/mcp", "/mcp/", "/metrics", "/readyz"):
        assert person.http.post(path, json=call("stats")).status_code == 401
        assert person.http.get(path).status_code == 401
    # Nor does a cookie with a token's text.
    secret = token(app)
    thief = TestClient(asgi, base_url=BASE, cookies={"authorization": f"Bearer {secret}", "muniment": secret, "token": secret})
    assert thief.post("/api/stats", json={}).status_code == 401


FORGED = [
    {"content-type": "text/plain"},
    {"content-type": "application/x-www-form-urlencoded"},
    {"content-type": "multipart/form-data; boundary=x"},
    {"content-type": "application/json", "origin": "https://evil.example"},
    {"content-type": "application/json", "origin": "null"},
    {"content-type": ""},
]


@pytest.mark.parametrize("headers", FORGED, ids=lambda one: "-".join(one.values()) or "none")
def test_a_form_of_another_site_changes_nothing(machine: TestClient, person: Person, app: App, headers: dict[str, str]) -> None:
    """What a page can send without asking first: such a body is no call, with a cookie, and even with a token."""
    person.log_in()
    body = b'{"text": "The crane is sold."}'
    assert person.http.post("/api/remember", content=body, headers=headers).status_code in (401, 403)
    sent = machine.post("/api/remember", content=body, headers=headers | bearer(token(app)))
    assert sent.status_code in (403, 415)
    asked = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember","arguments":{"text":"x"}}}'
    sent = machine.post("/mcp", content=asked, headers=headers | bearer(token(app)))
    assert sent.status_code in (400, 403, 415)
    assert machine.get("/api/stats", headers=bearer(token(app))).json()["records"] == 0


def test_a_get_never_changes_anything(machine: TestClient, app: App) -> None:
    held = bearer(token(app, "admin"))
    for operation in OPERATIONS:
        if not operation.read_only:
            for method in ("GET", "HEAD"):
                assert machine.request(method, PATH + operation.name, headers=held).status_code == 405, operation.name


# --- ids of sessions ----------------------------------------------------------------------------------------------


def test_an_id_of_a_session_is_no_identity(machine: TestClient, app: App) -> None:
    """The server holds no sessions. Whoever brings an id, its own, a stolen or a made-up one, is who its token says."""
    owner, viewer = bearer(token(app, "operator", principal="anna")), bearer(token(app, "viewer", principal="bert"))
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    begun = machine.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}, headers=owner)
    assert begun.status_code == 200
    assert "mcp-session-id" not in begun.headers
    plain = machine.post("/mcp", json=call("stats"), headers=viewer)
    for made_up in ("0" * 32, "anna", "1", "../x", "x" * 4000):
        stolen = {"mcp-session-id": made_up}
        assert machine.post("/mcp", json=call("stats"), headers=stolen).status_code == 401
        assert machine.post("/mcp", json=call("stats"), headers=stolen | bearer("mun_" + "A" * 43)).status_code == 401
        same = machine.post("/mcp", json=call("stats"), headers=viewer | stolen)
        assert same.json()["result"]["structuredContent"]["records"] == 0
        assert same.status_code == plain.status_code
        assert "mcp-session-id" not in same.headers
        refused = machine.post("/mcp", json=call("remember", text="The crane is sold."), headers=viewer | stolen)
        assert refused.json()["result"]["structuredContent"]["error"]["code"] == "insufficient_scope"
        for method in ("GET", "DELETE"):
            assert machine.request(method, "/mcp", headers=viewer | stolen).status_code == 405


def test_who_kept_a_record_is_who_the_token_names_whatever_is_claimed(machine: TestClient, app: App) -> None:
    """Fields and headers that name somebody else are errors or nothing."""
    anna = bearer(token(app, "operator", principal="anna"))
    claims = {"x-principal": "bert", "x-user": "bert", "x-forwarded-user": "bert", "mcp-session-id": "bert", "from": "bert"}
    kept = machine.post("/api/remember", json={"text": "The crane is sold."}, headers=anna | claims)
    assert kept.status_code == 200
    for field in ("principal", "user", "client", "by", "on_behalf_of", "level", "scopes"):
        sent = {"text": "The quay is wet.", field: "bert"}
        assert machine.post("/api/remember", json=sent, headers=anna).status_code == 400, field
    history = {"ref": kept.json()["ref"], "include": ["history"]}
    told = machine.post("/api/read", json=history, headers=anna).json()["records"][0]
    assert [one["by"] for one in told["history"]] == ["anna"]
    assert "bert" not in str(told)


# --- forms --------------------------------------------------------------------------------------------------------


def test_every_form_of_a_page_carries_the_token_of_its_browser_and_is_posted(person: Person, client: Client) -> None:
    pages = [person.open("/login"), person.log_in(), person.open(client.url()), person.open("/connections")]
    forms = [form for page in pages for form in Page(page.text).forms]
    assert len(forms) >= 4
    for form in forms:
        assert form.method == "post"
        assert re.fullmatch(r"/[a-z/]+", form.action), "of our own server"
        assert len(form.hidden()["form"]) >= 32
