"""A server whose tokens are another issuer's: what it says of itself, whom it lets in, and what of its own is gone."""

from __future__ import annotations

import base64
import json
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from muniment.access import passphrases, profiles
from muniment.access.profiles import NewProfile, Profile
from muniment.app import App, create_app
from muniment.errors import InvalidInput
from muniment.settings import Settings
from muniment.surfaces import http, openapi, rates
from muniment.surfaces import issuer as issuers
from muniment.surfaces.http import build
from tests.issuing import OPENID, Issuing, issuing
from tests.surfaces.browser import BROWSES, Page
from tests.surfaces.conftest import BASE, bearer, token
from tests.surfaces.oauth.conftest import another
from tests.surfaces.oauth.test_flow import call
from tests.surfaces.test_issuer import until

MCP = f"{BASE}/mcp"
SUBJECT = "auth0|maren-7"
METADATA = f'resource_metadata="{BASE}/.well-known/oauth-protected-resource/mcp"'
ALL = 'scope="read propose append write curate govern share admin"'
PASSPHRASE = "four plain wooden words"
Enrol = Callable[..., Profile]
Serving = Callable[..., TestClient]


@pytest.fixture
def site() -> Iterator[Issuing]:
    with issuing("/realms/harbour") as made:
        yield made


@pytest.fixture
def app(configured: Callable[..., Settings], site: Issuing) -> Iterator[App]:
    made = create_app(configured(auth="external", external_issuer=site.issuer, stranger_rate_per_minute=0))
    yield made
    made.close()


@pytest.fixture
def enrol(app: App) -> Enrol:
    def make(name: str = "maren", level: str = "owner", subject: str | None = SUBJECT, **more: Any) -> Profile:
        with app.store.write() as connection:
            return profiles.keep(connection, NewProfile(name, level, subject=subject, **more), app.context().now())

    return make


def served(asgi: ASGIApp) -> TestClient:
    return TestClient(asgi, base_url=BASE, follow_redirects=False)


@pytest.fixture
def machine(app: App, enrol: Enrol) -> Iterator[TestClient]:
    enrol()
    with served(build(app)) as client:
        until(lambda: client.get("/readyz", headers=bearer(token(app))).status_code == 200)
        yield client


def described_as(ready: Any) -> bool:
    """Whether the body of `/readyz` is one that the description of the server names for its status."""
    document = openapi.document()
    said = document["paths"]["/readyz"]["get"]["responses"][str(ready.status_code)]["content"]["application/json"]["schema"]
    jsonschema.validate(ready.json(), said | {"components": document["components"]})
    return True


def stats(machine: TestClient, secret: str) -> Any:
    return machine.post("/api/stats", json={}, headers=bearer(secret))


def ours(site: Issuing, scope: str | None = "read append", **more: Any) -> str:
    return site.token(more.pop("subject", SUBJECT), more.pop("audience", MCP), scope=scope, **more)


# --- what it says of itself ----------------------------------------------------------------------------------------


def test_its_metadata_names_the_issuer_to_the_byte(machine: TestClient, site: Issuing) -> None:
    told = machine.get("/.well-known/oauth-protected-resource/mcp").json()
    assert told["authorization_servers"] == [site.issuer]
    assert told["resource"] == MCP
    assert told["scopes_supported"][:2] == ["read", "propose"]


def test_its_own_endpoints_are_gone_though_somebody_could_log_in(machine: TestClient, enrol: Enrol) -> None:
    enrol(secret_hash=passphrases.hashed(PASSPHRASE))
    assert machine.get("/login").status_code == 200
    for path in ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration", "/authorize"):
        assert machine.get(path).status_code == 404, path
    for path in ("/token", "/register", "/revoke", "/consent"):
        assert machine.post(path, data={"grant_type": "authorization_code"}).status_code == 404, path


def test_a_401_leads_to_the_metadata(machine: TestClient, site: Issuing) -> None:
    without = machine.post("/mcp", json={})
    assert without.headers["www-authenticate"] == f"Bearer {METADATA}, {ALL}"
    wrong = machine.post("/mcp", json={}, headers=bearer(ours(site, exp=int(time.time()) - 1)))
    assert wrong.status_code == 401
    assert wrong.headers["www-authenticate"] == f'Bearer error="invalid_token", {METADATA}, {ALL}'
    assert "expired" in wrong.json()["error"]["message"]


def test_scopes_that_the_issuer_does_not_know_are_not_asked_for(
    configured: Callable[..., Settings], site: Issuing, app: App, enrol: Enrol
) -> None:
    enrol(level="viewer")
    told = configured(auth="external", external_issuer=site.issuer, external_scopes="profile")
    with served(build(App(told, app.store, app.engines, app.shelf, app.principal))) as client:
        assert "scopes_supported" not in client.get("/.well-known/oauth-protected-resource").json()
        assert client.post("/mcp", json={}).headers["www-authenticate"] == f"Bearer {METADATA}"
        until(lambda: stats(client, ours(site, scope=None)).status_code == 200)
        refused = client.post("/mcp", json=call("remember", text="x"), headers=bearer(ours(site, scope="openid append")))
        assert refused.status_code == 200
        assert "insufficient_scope" in refused.text, "the level of the profile counts alone"
        offered = client.post("/mcp", json=listed(), headers=bearer(ours(site))).json()["result"]["tools"]
        assert offered
        assert not any("securitySchemes" in one.get("_meta", {}) for one in offered)


# --- whom it lets in -----------------------------------------------------------------------------------------------


def listed() -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


def test_a_token_of_the_issuer_lists_and_calls_what_it_may(machine: TestClient, site: Issuing, app: App) -> None:
    reader, writer = ours(site, "read"), ours(site, "read append", client_id="the-chat")
    names = {
        secret: [one["name"] for one in machine.post("/mcp", json=listed(), headers=bearer(secret)).json()["result"]["tools"]]
        for secret in (reader, writer)
    }
    assert "remember" in names[writer]
    assert "remember" not in names[reader]
    said = machine.post("/api/remember", json={"text": "The berth is free."}, headers=bearer(writer))
    assert said.status_code == 200
    read = machine.get(f"/api/read?ref={said.json()['ref']}&include=history", headers=bearer(reader)).json()
    assert "maren" in json.dumps(read)
    assert "the-chat" in json.dumps(read)


def test_what_a_token_lacks_and_its_profile_has_is_a_step_up(machine: TestClient, site: Issuing, enrol: Enrol) -> None:
    refused = machine.post("/mcp", json=call("remember", text="x"), headers=bearer(ours(site, "read")))
    assert refused.status_code == 403
    assert refused.headers["www-authenticate"] == f'Bearer error="insufficient_scope", scope="read append", {METADATA}'
    enrol(level="viewer")
    refused = machine.post("/mcp", json=call("remember", text="x"), headers=bearer(ours(site, "read append")))
    assert refused.status_code == 200, "nobody is sent for what the profile does not have"
    assert "insufficient_scope" in refused.text


def test_a_token_without_our_scopes_is_told_which_to_ask_for(machine: TestClient, site: Issuing) -> None:
    for scope in (None, "openid profile"):
        refused = stats(machine, ours(site, scope))
        assert refused.status_code == 403
        assert refused.headers["www-authenticate"] == f'Bearer error="insufficient_scope", {ALL}, {METADATA}'
        assert "external_scopes" in refused.json()["error"]["do_next"]


def confused(site: Issuing) -> str:
    """A token that is signed with the bytes of the public key, as if they were a shared secret."""
    pem = (
        site.keys["one"].public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    said = jwt.decode(ours(site), options={"verify_signature": False})
    import hashlib
    import hmac

    start = ".".join(_part(one) for one in ({"alg": "HS256", "kid": "one", "typ": "JWT"}, said))
    return f"{start}.{_encoded(hmac.new(pem, start.encode(), hashlib.sha256).digest())}"


def _part(value: Any) -> str:
    return _encoded(json.dumps(value).encode())


def _encoded(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def unsigned(site: Issuing) -> str:
    said = jwt.decode(ours(site), options={"verify_signature": False})
    return f"{_part({'alg': 'none', 'kid': 'one'})}.{_part(said)}."


def foreign(site: Issuing) -> str:
    """A token that somebody else signed under the issuer's name and the name of its key."""
    said = jwt.decode(ours(site), options={"verify_signature": False})
    return jwt.encode(said, ec.generate_private_key(ec.SECP256R1()), "ES256", {"kid": "one"})


def another_family(site: Issuing) -> str:
    said = jwt.decode(ours(site), options={"verify_signature": False})
    return jwt.encode(said, rsa.generate_private_key(65_537, 2_048), "RS256", {"kid": "one"})


FORGED: dict[str, Callable[[Issuing], str]] = {
    "another audience": lambda site: ours(site, audience="https://other.example/mcp"),
    "the issuer's client as audience": lambda site: ours(site, audience="the-chat"),
    "another issuer": lambda site: ours(site, iss="https://other.example"),
    "a slash more in the issuer": lambda site: ours(site, iss=site.issuer + "/"),
    "expired": lambda site: ours(site, exp=int(time.time())),
    "never ending": lambda site: ours(site, exp=None),
    "not yet": lambda site: ours(site, nbf=int(time.time()) + 120),
    "of tomorrow": lambda site: ours(site, iat=int(time.time()) + 120),
    "no signature": unsigned,
    "signed with the public key": confused,
    "signed by somebody else": foreign,
    "signed with another family": another_family,
    "a logout": lambda site: ours(site, header={"typ": "logout+jwt"}),
    "critical": lambda site: ours(site, header={"crit": ["exp"]}),
    "cut": lambda site: ours(site)[:-4],
    "another subject": lambda site: ours(site, subject="auth0|kai"),
    "no subject": lambda site: ours(site, subject=None),
    "three words": lambda site: "a.b.c",
}


@pytest.mark.parametrize("kind", FORGED)
def test_what_is_not_for_us_of_our_issuer_and_good_now_gets_nothing(
    machine: TestClient, site: Issuing, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    secret = FORGED[kind](site)
    asked = len(site.asked)
    with caplog.at_level(logging.DEBUG, "muniment"):
        for refused in (stats(machine, secret), machine.post("/mcp", json=listed(), headers=bearer(secret))):
            assert refused.status_code == 401, refused.text
            assert refused.headers["www-authenticate"].startswith('Bearer error="invalid_token"')
            assert refused.json()["error"]["do_next"]
            assert "auth0|" not in refused.text
    assert "auth0|" not in caplog.text
    assert secret not in caplog.text
    assert len(site.asked) == asked, "nothing is fetched for it"
    assert stats(machine, ours(site)).status_code == 200, "its good brother is let in"


def test_a_key_that_is_unknown_is_looked_for_once_in_a_while(
    app: App, site: Issuing, enrol: Enrol, monkeypatch: pytest.MonkeyPatch
) -> None:
    enrol()
    now = [time.monotonic()]
    keeper = http.kept(app)
    assert keeper is not None
    keeper._clock = lambda: now[0]
    keeper.first()
    with served(build(app, keeper)) as client:
        site.rotate("one", "two")
        assert stats(client, ours(site, kid="two")).status_code == 401
        assert site.keys_asked == 1
        now[0] += issuers.AGAIN_S
        assert stats(client, ours(site, kid="two")).status_code == 200
        assert site.keys_asked == 2
        site.rotate("one", "two", "three")
        for _ in range(5):
            refused = stats(client, ours(site, kid="three"))
            assert refused.status_code == 401
            assert "does not publish" in refused.json()["error"]["message"]
        assert site.keys_asked == 2


def test_a_profile_that_ends_or_shrinks_does_so_at_once(machine: TestClient, site: Issuing, app: App, enrol: Enrol) -> None:
    secret = ours(site, "read append write")
    said = {"text": "The berth is free."}
    assert machine.post("/api/remember", json=said, headers=bearer(secret)).status_code == 200
    enrol(level="viewer")
    assert machine.post("/api/remember", json=said, headers=bearer(secret)).status_code == 403
    assert stats(machine, secret).status_code == 200
    with app.store.write() as connection:
        profiles.end(connection, "maren", app.context().now())
    refused = stats(machine, secret)
    assert refused.status_code == 401
    assert "has ended" in refused.json()["error"]["message"]
    enrol()
    assert stats(machine, secret).status_code == 200


def test_without_keys_it_is_not_ready_and_says_why(
    configured: Callable[..., Settings], app: App, site: Issuing, enrol: Enrol
) -> None:
    enrol()
    described, site.documents = site.documents, {}
    keeper = http.kept(app)
    assert keeper is not None
    keeper.first()
    by_hand = token(app)
    with served(build(app, keeper)) as client:
        refused = stats(client, ours(site))
        assert refused.status_code == 503
        assert "www-authenticate" not in refused.headers
        ready = client.get("/readyz", headers=bearer(by_hand))
        assert ready.status_code == 503
        assert ready.json()["issuer"]["ready"] is False
        assert ready.json()["issuer"]["why"]
        assert described_as(ready)
        assert stats(client, by_hand).status_code == 200, "tokens made by hand go on"
        site.documents = described
        keeper._tried_at = 0.0
        assert stats(client, ours(site)).status_code == 200
        ready = client.get("/readyz", headers=bearer(by_hand))
        assert (ready.status_code, ready.json()["issuer"]["ready"]) == (200, True)
        assert described_as(ready)


def test_a_server_that_only_reads_lets_such_callers_read(
    configured: Callable[..., Settings], app: App, site: Issuing, enrol: Enrol, caplog: pytest.LogCaptureFixture
) -> None:
    enrol()
    told = configured(auth="external", external_issuer=site.issuer, read_only=True)
    keeper = http.kept(app)
    assert keeper is not None
    keeper.first()
    with (
        caplog.at_level(logging.INFO, "muniment"),
        served(build(App(told, app.store, app.engines, app.shelf, app.principal), keeper)) as client,
    ):
        assert stats(client, ours(site)).status_code == 200
        assert client.post("/api/remember", json={"text": "x"}, headers=bearer(ours(site))).status_code == 403
        assert client.get("/.well-known/oauth-protected-resource").json()["authorization_servers"] == [site.issuer]
    line = next(one for one in caplog.records if one.name == "muniment.access")
    assert (line.principal, line.status) == ("maren", 200)  # type: ignore[attr-defined]
    assert SUBJECT not in caplog.text


def test_a_server_does_not_start_with_an_issuer_that_is_somebody_else(app: App, site: Issuing) -> None:
    site.documents[f"{site.path}{OPENID}"]["issuer"] = "https://other.example"
    with pytest.raises(InvalidInput, match="calls itself"):
        http.serve(app, app.settings)


def test_the_pace_of_such_callers_is_counted_by_person(
    configured: Callable[..., Settings], app: App, site: Issuing, enrol: Enrol
) -> None:
    enrol()
    enrol("kai", "viewer", "auth0|kai")
    told = configured(auth="external", external_issuer=site.issuer, rate_per_minute=8, stranger_rate_per_minute=0)
    keeper = http.kept(app)
    assert keeper is not None
    keeper.first()
    with served(build(App(told, app.store, app.engines, app.shelf, app.principal), keeper)) as client:
        found = [stats(client, ours(site, jti=str(number))).status_code for number in range(4)]
        assert 429 in found, "another token of the same person has no budget of its own"
        assert stats(client, ours(site, subject="auth0|kai")).status_code == 200


# --- what stays ----------------------------------------------------------------------------------------------------


def test_people_with_a_passphrase_still_open_records(machine: TestClient, site: Issuing, app: App, enrol: Enrol) -> None:
    said = machine.post("/api/remember", json={"text": "The berth is free."}, headers=bearer(ours(site))).json()
    page = machine.get(f"/r/{said['ref']}", headers=BROWSES)
    assert page.status_code == 401, "nobody has a passphrase"
    enrol(secret_hash=passphrases.hashed(PASSPHRASE))
    person = another(build(app), "maren", PASSPHRASE)
    asked = Page(person.open("/login").text).text
    assert f"not with that of {site.issuer}" in " ".join(asked.split())
    shown = person.log_in(f"/r/{said['ref']}")
    assert shown.status_code == 200
    assert "The berth is free." in Page(shown.text).text


def test_tokens_that_were_given_out_here_before_are_good_no_more(
    app: App, machine: TestClient, configured: Callable[..., Settings], enrol: Enrol, site: Issuing
) -> None:
    from tests.surfaces.browser import Client, tokens

    enrol(secret_hash=passphrases.hashed(PASSPHRASE))
    own = build(App(configured(stranger_rate_per_minute=0), app.store, app.engines, app.shelf, app.principal))
    with served(own) as before:
        client = Client(before)
        assert client.register().status_code == 201
        held = tokens(another(own, "maren", PASSPHRASE), client)["access_token"]
        assert stats(before, held).status_code == 200
    assert stats(machine, held).status_code == 401
    assert stats(machine, token(app)).status_code == 200


# --- what such a caller may manage ---------------------------------------------------------------------------------


def manage(machine: TestClient, secret: str, verb: str, **more: Any) -> Any:
    return machine.post("/api/tokens", json={"do": {"verb": verb, **more}}, headers=bearer(secret))


def test_what_such_a_caller_makes_ends_with_its_profile_and_its_token(
    machine: TestClient, site: Issuing, app: App, enrol: Enrol
) -> None:
    end = int(time.time()) + 300
    secret = ours(site, "read append share", exp=end, client_id="the-chat")
    made = manage(machine, secret, "create", name="berths", level="viewer")
    assert made.status_code == 200, made.text
    (event, *_) = manage(machine, secret, "history").json()["events"]
    assert (event["by"], event["door"], event["told"]) == ("maren", "bearer", ["program: the-chat"])
    assert manage(machine, secret, "create", name="b", level="viewer", expires="1h").status_code == 403
    (seen,) = made.json()["tokens"]
    assert seen["expires_at"] == time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(end)) + seen["expires_at"][19:]
    assert stats(machine, made.json()["token"]).status_code == 200
    assert manage(machine, secret, "rotate", token=seen["ref"]).status_code == 403
    with app.store.write() as connection:
        profiles.end(connection, "maren", app.context().now())
    assert stats(machine, made.json()["token"]).status_code == 401


def test_a_token_that_never_ends_leaves_no_time_that_cannot_be_shown(
    machine: TestClient, site: Issuing, app: App, enrol: Enrol
) -> None:
    """Some issuers write milliseconds for seconds. The access log never ends, so that one row of it would break it for good."""
    enrol("kai", level="admin", subject="auth0|kai")
    for number, end in enumerate((253_402_300_800, 1_800_000_000_000, 10**300)):
        secret = ours(site, "read share admin", subject="auth0|kai", exp=end)
        assert manage(machine, secret, "create", name=f"berth-{number}", level="viewer").status_code == 200
        for verb in ("list", "history"):
            assert manage(machine, secret, verb).status_code == 200


def test_an_expired_token_of_the_issuer_is_told_to_be_renewed_however_many_strangers_share_its_address(
    configured: Callable[..., Settings], app: App, site: Issuing, enrol: Enrol, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rates.Rates.__init__, "__defaults__", (lambda: 0.0,))
    enrol()
    told = configured(auth="external", external_issuer=site.issuer, stranger_rate_per_minute=4)
    with served(build(App(told, app.store, app.engines, app.shelf, app.principal))) as client:
        until(lambda: client.get("/readyz", headers=bearer(token(app))).status_code == 200)
        while stats(client, "mun_" + "A" * 43).status_code != 429:
            pass
        expired = stats(client, ours(site, exp=int(time.time()) - 1))
        assert expired.status_code == 401
        assert "resource_metadata" in expired.headers["www-authenticate"]
        forged = ours(site, exp=int(time.time()) - 1)[:-8] + "AAAAAAAA"
        for other in (forged, "a.b.c"):
            assert stats(client, other).status_code == 429


def test_such_a_caller_makes_no_way_in_that_outlasts_it(machine: TestClient, site: Issuing) -> None:
    secret = ours(site, "read propose append write curate govern share")
    held = passphrases.hashed(PASSPHRASE)
    for more in ({"subject": "auth0|kai"}, {"secret_hash": held}, {"subject": ""}):
        refused = manage(machine, secret, "set_profile", name="kai", level="viewer", **more)
        assert refused.status_code == 403, more


def test_a_token_made_by_hand_manages_subjects(machine: TestClient, site: Issuing, app: App) -> None:
    secret = token(app, "admin")
    made = manage(machine, secret, "set_profile", name="kai", level="viewer", subject="auth0|kai")
    assert made.status_code == 200, made.text
    (seen,) = made.json()["profiles"]
    assert (seen["subject"], seen["passphrase"]) == ("auth0|kai", False)
    assert stats(machine, ours(site, subject="auth0|kai")).status_code == 200
    assert manage(machine, secret, "set_profile", name="kai", subject="").status_code == 400, "it would have no way in"
    assert manage(machine, secret, "set_profile", name="ines", level="viewer", subject=SUBJECT).status_code == 400
    assert manage(machine, secret, "set_profile", name="kai", level="operator").json()["profiles"][0]["subject"] == "auth0|kai"
    assert manage(machine, secret, "set_profile", name="kai", subject="auth0|kai-2").status_code == 200
    assert stats(machine, ours(site, subject="auth0|kai")).status_code == 401
