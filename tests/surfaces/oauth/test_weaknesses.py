"""The weaknesses that servers of this kind were found with, each tried on this one. Names are those of the weakness."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from muniment.access import attempts, passphrases, profiles
from muniment.access.oauth import registration
from muniment.access.profiles import NewProfile, Profile
from muniment.app import App, create_app
from muniment.settings import Settings
from muniment.surfaces.http import build
from muniment.surfaces.oauth import login
from tests.surfaces.browser import REDIRECT, Client, Page, Person, tokens, told
from tests.surfaces.conftest import BASE, bearer, token, workspace
from tests.surfaces.oauth.conftest import NAME, PASSPHRASE, another
from tests.surfaces.oauth.test_flow import call

EVIL = "https://evil.example/callback"
STRANGE_REDIRECTS = [
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "http://evil.example/callback",
    "http://127.0.0.1.evil.example/callback",
    "http://127.0.0.1@evil.example/callback",
    "https://client.example/callback#fragment",
    "https://user@client.example/callback",
    "https://client.example.evil.example/callback",
    "https://client.example/callback/../other",
    "https://client.example/Callback",
    "https://client.example\\@evil.example/callback",
    "//client.example/callback",
    "evil://client.example/callback",
]


@pytest.fixture
def web_client(machine: TestClient) -> Client:
    made = Client(machine, redirect="https://client.example/callback")
    assert made.register().status_code == 201
    return made


# --- 1 redirects accepted by prefix or scheme ---------------------------------------------------------------------


@pytest.mark.parametrize("uri", STRANGE_REDIRECTS)
def test_redirect_uri_accepted_by_scheme_or_prefix(person: Person, web_client: Client, uri: str) -> None:
    person.log_in()
    answer = person.open(web_client.url(redirect_uri=uri))
    assert answer.status_code == 400
    assert "location" not in answer.headers
    assert uri not in answer.text


@pytest.mark.parametrize("uri", [uri for uri in STRANGE_REDIRECTS if not uri.startswith("https://client.example")])
def test_redirect_uri_registered_with_a_strange_scheme_or_host(machine: TestClient, uri: str) -> None:
    answer = Client(machine, redirect=uri).register()
    # Any host may be registered over https: it is shown on the page.
    assert answer.status_code == (201 if uri.startswith("https://") and "@" not in uri else 400), uri
    if answer.status_code == 400:
        assert answer.json()["error"] == "invalid_redirect_uri"


def test_an_unknown_client_is_sent_nowhere(person: Person, web_client: Client) -> None:
    for uid in ("mc_" + "A" * 43, "", "x", "https://", None):
        person.log_in()
        answer = person.open(web_client.url(client_id=uid))
        assert answer.status_code == 400
        assert "location" not in answer.headers


@pytest.mark.parametrize(
    "wrong", [{"scope": "nonsense"}, {"code_challenge": None}, {"response_type": "token"}, {"state": "x" * 9000}]
)
def test_a_link_to_us_leads_nobody_elsewhere_before_the_login(
    person: Person, web_client: Client, wrong: dict[str, Any]
) -> None:
    """Anybody may register an address, so an error that goes there at once makes of us a link to anywhere."""
    first = person.http.get(web_client.url(**wrong))
    assert first.status_code == 303
    assert first.headers["location"].startswith("/login?next=")
    came = person.authorize(web_client.url(**wrong))
    assert came.startswith("https://client.example/callback?error=")


def test_a_redirect_may_be_left_out_only_where_there_is_one_and_it_is_fixed(
    machine: TestClient, person: Person, web_client: Client
) -> None:
    came = person.authorize(web_client.url(redirect_uri=None))
    assert came.startswith("https://client.example/callback?")
    assert web_client.exchange(told(came)["code"], redirect_uri=None).status_code == 200
    two = Client(machine, redirect="https://client.example/a")
    two.register(redirect_uris=["https://client.example/a", "https://client.example/b"])
    assert person.open(two.url(redirect_uri=None)).status_code == 400
    native = Client(machine)
    native.register()
    assert person.open(native.url(redirect_uri=None)).status_code == 400


def test_a_parameter_that_comes_twice_is_refused(person: Person, web_client: Client) -> None:
    for twice in ("redirect_uri=" + EVIL, "client_id=x", "state=y", "scope=admin", "code_challenge_method=plain"):
        answer = person.open(web_client.url(scope="read") + "&" + twice)
        assert answer.status_code == 400
        assert "location" not in answer.headers


# --- 2 loopback ports ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost"])
def test_loopback_port_not_ignored_or_ignored_too_widely(machine: TestClient, person: Person, host: str) -> None:
    client = Client(machine, redirect=f"http://{host}/callback")
    client.register()
    other = {"127.0.0.1": "localhost", "[::1]": "127.0.0.1", "localhost": "[::1]"}[host]
    for wrong in (f"http://{host}:5/other", f"http://{other}:5/callback", f"https://{host}:5/callback"):
        assert person.open(client.url(redirect_uri=wrong)).status_code == 400
    client.redirect = f"http://{host}:52011/callback"
    came = person.authorize(client.url())
    assert came.startswith(f"http://{host}:52011/callback?")
    assert client.exchange(told(came)["code"], redirect_uri=f"http://{host}:52012/callback").json()["error"] == "invalid_grant"
    assert client.exchange(told(came)["code"]).status_code == 200


# --- 3 open registration ------------------------------------------------------------------------------------------


def test_open_registration_unbounded_or_locking_out(machine: TestClient, person: Person, client: Client) -> None:
    held = tokens(person, client)
    answers = [Client(machine).register(client_name=f"flood {number}") for number in range(registration.A_WINDOW_MAX + 3)]
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["retry-after"]) > 0
    again = Client(machine)
    assert again.register().status_code == 201
    assert again.uid == client.uid
    assert client.refresh(held["refresh_token"]).status_code == 200
    tokens(person, again)


def test_a_client_name_that_pretends_to_be_a_page(machine: TestClient, person: Person) -> None:
    client = Client(machine)
    name = '<script>alert(1)</script><img src=x onerror=alert(1)>"><h1>Claude</h1>\u202eevil'
    client.register(client_name=name)
    page = person.log_in(client.url())
    assert "<script" not in page.text
    assert "<img" not in page.text
    assert "\u202e" not in page.text
    assert "&lt;script&gt;alert(1)" in page.text
    assert Page(page.text).tags.count("h1") == 1


def test_registration_reads_json_alone(machine: TestClient) -> None:
    for sent in (
        {"data": {"redirect_uris": REDIRECT}},
        {"content": b"{}"},
        {"content": b"{}", "headers": {"content-type": "text/plain"}},
    ):
        answer = machine.post("/register", **sent)
        assert answer.status_code == 400
        assert answer.json()["error"] == "invalid_client_metadata"
    for body in (b"{", b"[" * 5000, b"\xff", b"[]", b"null"):
        answer = machine.post("/register", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 400
        assert answer.json()["error"] == "invalid_client_metadata"
    assert machine.post("/register", content=b" " * 70_000, headers={"content-type": "application/json"}).status_code == 413


# --- 4 consent ----------------------------------------------------------------------------------------------------


def consent_page(person: Person, client: Client, **asked: str) -> Any:
    answer = person.open(client.url(**asked))
    return person.fill_in_login(answer.text) if "/login" in answer.text else answer


def test_consent_missing_or_skipped(person: Person, client: Client, web_client: Client) -> None:
    page = consent_page(person, client)
    assert page.status_code == 200
    assert "A test client" in page.text
    shown = Page(page.text).text
    assert "127.0.0.1:9999" in shown
    assert "A program on this computer asks." in shown
    assert [value for name, value, _ in Page(page.text).form("/consent").boxes if name == "scopes"] == list(
        "read propose append write curate govern share".split()
    )
    ticked = [value for name, value, on in Page(page.text).form("/consent").boxes if name == "scopes" and on]
    assert ticked == ["read", "propose", "append", "write", "curate"]
    shown = Page(person.open(web_client.url()).text).text
    assert "client.example" in shown
    assert "A program on this computer asks." not in shown


def test_consent_posted_from_another_browser_without_token_or_twice(asgi: ASGIApp, person: Person, client: Client) -> None:
    page = consent_page(person, client)
    form = Page(page.text).form("/consent")
    values = form.hidden() | {"decision": "approve", "scopes": ["read"], "reach": "all"}
    thief = another(asgi)
    assert thief.post("/consent", values).status_code == 403, "no login"
    thief.log_in()
    own = Page(thief.open("/connections").text).form("/logout").hidden()["form"]
    assert thief.post("/consent", values).status_code == 403, "the form token of another browser"
    assert thief.post("/consent", values | {"form": own}).status_code == 400, "the ticket of another browser"
    for wrong in ({"form": ""}, {"form": "0" * 64}, {"form": own}):
        assert person.post("/consent", values | wrong).status_code == 403
    assert person.post("/consent", values | {"ticket": ""}).status_code == 400
    assert person.post("/consent", values, origin="https://evil.example").status_code == 403
    first = person.post("/consent", values)
    assert first.status_code == 303
    assert "code" in told(first.headers["location"])
    second = person.post("/consent", values)
    assert second.status_code == 400
    assert "location" not in second.headers


def test_consent_with_swapped_client_redirect_or_scope(machine: TestClient, person: Person, client: Client) -> None:
    other = Client(machine, redirect=EVIL)
    other.register(client_name="Other")
    page = consent_page(person, client, scope="read")
    values = Page(page.text).form("/consent").hidden() | {"decision": "approve", "reach": "all"}
    values |= {"scopes": ["read", "admin", "write"], "client_id": other.uid, "redirect_uri": EVIL, "code_challenge": "x" * 43}
    came = person.post("/consent", values).headers["location"]
    assert came.startswith(REDIRECT)
    assert other.exchange(told(came)["code"]).json()["error"] == "invalid_grant"
    assert client.exchange(told(came)["code"]).json()["scope"] == "read"


def test_consent_is_skipped_for_the_very_same_request_alone(asgi: ASGIApp, person: Person, web_client: Client) -> None:
    def asks(who: Person, **asked: str) -> bool:
        answer = who.open(web_client.url(**asked))
        return answer.status_code == 200 and "/consent" in answer.text

    tokens(person, web_client, scope="read append")
    assert not asks(person, scope="read append")
    assert asks(person, scope="read append write")
    assert asks(person)
    again = told(person.open(web_client.url(scope="read append")).headers["location"])
    assert again["iss"] == BASE
    assert web_client.exchange(again["code"]).json()["scope"] == "read append"
    elsewhere = another(asgi)
    elsewhere.log_in()
    assert asks(elsewhere, scope="read append")
    person.log_out()
    person.log_in()
    assert asks(person, scope="read append"), "another login is another browser"


def test_consent_is_asked_for_again_where_the_program_could_not_work_any_more(
    app: App, machine: TestClient, person: Person, web_client: Client
) -> None:
    workspace(app, "alpha")
    tokens(person, web_client, workspaces=["alpha", "inbox"], current="alpha")
    assert "code" in told(person.open(web_client.url()).headers["location"])
    archive = {"do": {"verb": "archive", "workspace": "alpha"}}
    assert machine.post("/api/workspaces", json=archive, headers=bearer(token(app, "admin"))).status_code == 200
    assert "/consent" in person.open(web_client.url()).text


def test_consent_is_never_skipped_where_any_program_may_listen(person: Person, client: Client) -> None:
    tokens(person, client, scope="read")
    assert "/consent" in person.open(client.url(scope="read")).text


def test_consent_can_leave_out_scopes_and_workspaces(machine: TestClient, person: Person, client: Client, app: App) -> None:
    found = tokens(person, client, scopes=["read"], workspaces=["inbox", "nonsense"])
    assert found["scope"] == "read"
    projects = machine.get("/api/list_projects", headers=bearer(found["access_token"])).json()
    assert [one["project_id"] for one in projects["projects"]] == ["inbox"]
    assert told(person.authorize(client.url(), scopes=[]))["error"] == "access_denied"


# --- 5 clickjacking -----------------------------------------------------------------------------------------------


def test_clickjacking_of_login_consent_and_lists(person: Person, client: Client) -> None:
    login = person.open("/login")
    consent = consent_page(person, client)
    pages = [login, consent, person.open("/connections"), person.open("/r/m_1"), person.open("/authorize")]
    for page in pages:
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "base-uri 'none'" in policy
        assert "script-src" not in policy
        assert "unsafe-inline" not in policy
        assert page.headers["x-frame-options"] == "DENY"
        assert page.headers["cache-control"] == "no-store"
        assert page.headers["referrer-policy"] == "no-referrer"
        assert page.headers["x-content-type-options"] == "nosniff"
        found = Page(page.text)
        assert not {"script", "iframe", "object", "embed", "style", "base"} & set(found.tags)
        assert not re.search(r"\son\w+=|style=", page.text)
    assert "form-action 'self' http://127.0.0.1:9999;" in consent.headers["content-security-policy"]


# --- 6 PKCE -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changed",
    [
        {"code_challenge": None, "code_challenge_method": None},
        {"code_challenge": None},
        {"code_challenge": ""},
        {"code_challenge": "short"},
        {"code_challenge": "a" * 129},
        {"code_challenge_method": None},
        {"code_challenge_method": "plain"},
    ],
)
def test_pkce_optional_plain_or_omitted(person: Person, client: Client, changed: dict[str, str | None]) -> None:
    answer = person.http.get(client.url(**changed))
    assert answer.status_code == 302
    assert answer.headers["location"].startswith(REDIRECT)
    found = told(answer.headers["location"])
    assert (found["error"], found["state"], found["iss"]) == ("invalid_request", client.state, BASE)


def test_pkce_verifier_ignored(person: Person, client: Client) -> None:
    code = told(person.authorize(client.url()))["code"]
    for verifier in ("x" * 43, client.challenge, client.verifier + "x"):
        assert client.exchange(code, code_verifier=verifier).json()["error"] == "invalid_grant"
    for verifier in (None, ""):
        assert client.exchange(code, code_verifier=verifier).json()["error"] == "invalid_request"
    assert client.exchange(code).status_code == 200


# --- 7 audience ---------------------------------------------------------------------------------------------------


def test_audience_not_checked(
    machine: TestClient, person: Person, client: Client, app: App, configured: Callable[..., Settings]
) -> None:
    found = told(person.http.get(client.url(resource="https://other.example/mcp")).headers["location"])
    assert (found["error"], found["iss"]) == ("invalid_target", BASE)
    two = person.http.get(client.url(resource=f"{BASE}/mcp") + "&resource=https%3A%2F%2Fother.example")
    assert told(two.headers["location"])["error"] == "invalid_target"
    code = told(person.authorize(client.url(resource=f"{BASE}/mcp")))["code"]
    assert client.exchange(code, resource="https://other.example/mcp").json()["error"] == "invalid_target"
    held = client.exchange(code, resource=f"{BASE}/mcp").json()
    assert client.refresh(held["refresh_token"], resource="https://other.example/").json()["error"] == "invalid_target"
    fresh = client.refresh(held["refresh_token"]).json()
    # The same store behind another address: its tokens are not good here, nor ours there.
    there = create_app(configured(base_url="https://elsewhere.example"))
    with TestClient(build(there), base_url="https://elsewhere.example") as elsewhere:
        for one in (held, fresh):
            assert machine.get("/api/stats", headers=bearer(one["access_token"])).status_code == 200
            refused = elsewhere.get("/api/stats", headers=bearer(one["access_token"]))
            assert refused.status_code == 401
            assert 'error="invalid_token"' in refused.headers["www-authenticate"]
        assert elsewhere.get("/api/stats", headers=bearer(token(app))).status_code == 200
    there.close()


# --- 8, 9 refresh and code replay ---------------------------------------------------------------------------------


def test_code_replay_revokes_what_the_first_use_issued(machine: TestClient, person: Person, client: Client) -> None:
    code = told(person.authorize(client.url()))["code"]
    held = client.exchange(code).json()
    replayed = client.exchange(code)
    assert (replayed.status_code, replayed.json()["error"]) == (400, "invalid_grant")
    assert machine.get("/api/stats", headers=bearer(held["access_token"])).status_code == 401
    assert client.refresh(held["refresh_token"]).json()["error"] == "invalid_grant"


def test_refresh_detection_kills_honest_clients(machine: TestClient, person: Person, client: Client) -> None:
    held = tokens(person, client)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(client.refresh(held["refresh_token"]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.status_code for one in found] == [200] * 4
    for one in found:
        assert machine.get("/api/stats", headers=bearer(one.json()["access_token"])).status_code == 200


# --- 13 sessions of browsers --------------------------------------------------------------------------------------


def cookies(answer: Any) -> list[str]:
    return [value for name, value in answer.headers.multi_items() if name == "set-cookie"]


def test_session_fixation(asgi: ASGIApp, person: Person) -> None:
    before = cookies(person.http.get("/login"))[0].split(";")[0].partition("=")[2]
    form = Page(person.open("/login").text).form("/login")
    answer = person.post(form.action, form.hidden() | {"name": NAME, "passphrase": PASSPHRASE})
    (after,) = cookies(answer)
    assert after.split(";")[0].partition("=")[2] != before
    assert "HttpOnly" in after
    assert "SameSite=Lax" in after
    thief = another(asgi)
    thief.http.cookies.set("muniment", before)
    assert thief.http.get("/connections").status_code == 303
    # A cookie that somebody planted and is logged in elsewhere ends with the login.
    planted = person.http.cookies["muniment"]
    victim = another(asgi)
    victim.http.cookies.set("muniment", planted)
    victim.log_out()
    assert person.http.get("/connections").status_code == 303


def test_cookie_flags_on_https(app: App, maren: Profile, configured: Callable[..., Settings]) -> None:
    for base, name, path in (
        ("https://memory.example", "__Host-muniment", "/"),
        ("https://memory.example/mem", "__Secure-muniment", "/mem"),
    ):
        there = create_app(configured(base_url=base))
        browser = TestClient(build(there), base_url="https://memory.example", follow_redirects=False)
        (cookie,) = cookies(browser.get(urlsplit(base).path + "/login"))
        assert cookie.startswith(name + "=")
        assert cookie.endswith(f"; Path={path}; HttpOnly; SameSite=Lax; Secure")
        assert "Domain" not in cookie
        there.close()


def test_old_cookie_alive_after_logout_or_another_passphrase(asgi: ASGIApp, app: App, person: Person) -> None:
    person.log_in()
    thief = another(asgi)
    thief.http.cookies.set("muniment", person.http.cookies["muniment"])
    assert thief.http.get("/connections").status_code == 200
    assert person.log_out().status_code == 303
    assert thief.http.get("/connections").status_code == 303
    person.log_in()
    with app.store.write() as connection:
        fresh = NewProfile(NAME, "owner", passphrases.hashed("another plain passphrase"))
        profiles.keep(connection, fresh, app.context().now())
    assert person.http.get("/connections").status_code == 303


def test_login_and_logout_forged_by_another_site(person: Person) -> None:
    values = {"name": NAME, "passphrase": PASSPHRASE, "next": "/connections"}
    person.open("/login")
    assert person.post("/login", values).status_code == 403
    assert person.post("/login", values | {"form": "0" * 64}).status_code == 403
    assert person.http.post("/login", json=values).status_code == 403
    person.log_in()
    assert person.post("/logout", {}).status_code == 403
    assert person.post("/connections/revoke", {"ref": "o_" + "0" * 26}).status_code == 403
    assert person.http.get("/connections").status_code == 200
    for path in ("/logout", "/consent", "/connections/revoke", "/token", "/register", "/revoke"):
        assert person.http.get(path).status_code == 405


@pytest.mark.parametrize(
    "after",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "/r/../../evil",
        "/r/x\r\nSet-Cookie: a=b",
        "javascript:alert(1)",
        "/authorize@evil.example",
        "/api/stats",
        "/logout",
        "",
        "/r/" + "a" * 20_000,
    ],
)
def test_login_leads_to_another_server(person: Person, after: str) -> None:
    form = Page(person.open("/login").text).form("/login")
    answer = person.post("/login", form.hidden() | {"name": NAME, "passphrase": PASSPHRASE, "next": after})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/connections"
    assert len(cookies(answer)) == 1


# --- 14 brute force -----------------------------------------------------------------------------------------------


def test_brute_force_slows_down_and_leaves_other_sessions_alone(
    asgi: ASGIApp, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "SECOND_MS", 60_000)  # a slow machine must not wait it out by being slow
    person.log_in()
    thief = another(asgi)
    found = [thief.log_in(passphrase=f"guess number {number}") for number in range(7)]
    assert [one.status_code for one in found] == [401] * 5 + [429] * 2
    assert int(found[-1].headers["retry-after"]) >= 1
    right = thief.log_in()
    assert right.status_code == 429, "while it waits, the right one tells nothing either"
    assert person.http.get("/connections").status_code == 200
    for number in range(3):
        forged = {"x-forwarded-for": f"198.51.100.{number}", "forwarded": f"for=198.51.100.{number}"}
        form = Page(thief.open("/login").text).form("/login")
        values = form.hidden() | {"name": NAME, "passphrase": "x"}
        assert thief.post("/login", values, **forged).status_code == 429


def test_a_wait_is_told_in_words() -> None:
    assert login.slowed(1000).endswith("Try again in 1 second.")
    assert login.slowed(1001).endswith("Try again in 2 seconds.")


# --- 15 comparing secrets -----------------------------------------------------------------------------------------


def test_secrets_stored_as_they_are_or_told_by_the_answer(asgi: ASGIApp, person: Person) -> None:
    wrong, nobody = person.log_in(passphrase="not the right one"), another(asgi, "nobody at all").log_in()
    assert wrong.status_code == nobody.status_code == 401
    strip = re.compile(r'value="[^"]*"')
    assert strip.sub("", wrong.text) == strip.sub("", nobody.text)


# --- 21 widening --------------------------------------------------------------------------------------------------


def test_scope_widening_by_refresh_or_registration(machine: TestClient, person: Person, client: Client) -> None:
    held = tokens(person, client, scope="read")
    wider = client.refresh(held["refresh_token"], scope="read write")
    assert (wider.status_code, wider.json()["error"]) == (400, "invalid_scope")
    again = Client(machine)
    again.register(scope="read propose append write curate govern share admin")
    assert "/consent" in person.open(again.url(scope="read")).text
    assert again.refresh("mr_" + "A" * 43).json()["error"] == "invalid_grant"


def test_a_viewer_grants_no_more_than_reading(asgi: ASGIApp, machine: TestClient, enrol: Any, client: Client) -> None:
    enrol("jonas", "viewer")
    jonas = another(asgi, "jonas")
    found = tokens(jonas, client)
    assert found["scope"] == "read"
    assert told(jonas.authorize(client.url(scope="write admin")))["error"] == "invalid_scope"
    assert machine.post("/api/remember", json={"text": "x"}, headers=bearer(found["access_token"])).status_code == 403


# --- 22 addresses from headers ------------------------------------------------------------------------------------


def test_issuer_built_from_host_or_forwarded_headers(machine: TestClient, person: Person, client: Client) -> None:
    hostile = {
        "host": "localhost:8750",
        "x-forwarded-host": "evil.example",
        "x-forwarded-proto": "https",
        "x-forwarded-port": "1",
        "x-forwarded-prefix": "/evil",
        "forwarded": "host=evil.example;proto=https",
        "x-original-url": "/evil",
        "x-rewrite-url": "/evil",
    }
    for path in ("/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp"):
        plain, forged = machine.get(path), machine.get(path, headers=hostile)
        assert plain.status_code == forged.status_code == 200
        assert plain.content == forged.content
        assert "evil" not in forged.text
        assert "localhost" not in forged.text
    refused = machine.post("/mcp", json=call("search", query="x"), headers=hostile)
    assert refused.headers["www-authenticate"] == machine.post("/mcp", json={}).headers["www-authenticate"]
    person.log_in()
    for method, path in (("GET", client.url()), ("GET", "/login"), ("GET", "/connections")):
        answer = person.http.request(method, path, headers={name: hostile[name] for name in hostile if name != "host"})
        assert "evil" not in answer.text + answer.headers.get("location", "")
    # The Host of another server is refused before anything is looked at.
    assert machine.get("/.well-known/oauth-authorization-server", headers={"host": "evil.example"}).status_code == 421
    assert person.http.get("/login", headers={"host": "evil.example"}).status_code == 421
