"""An identity provider of others in our place: oidc-provider gives out the tokens, the TypeScript clients find and use them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from muniment.access import profiles
from muniment.access.profiles import NewProfile
from muniment.app import App, create_app
from tests.outside import programs
from tests.outside.conftest import UNPACED
from tests.outside.test_typescript import BOTH, SAID, client
from tests.stores import at
from tests.surfaces.browser import REDIRECT, Page, told
from tests.surfaces.conftest import bearer, token
from tests.surfaces.test_http import Served, free_port, serving

pytestmark = pytest.mark.clients
SUBJECT = "maren-at-the-company"
HOPS_MAX = 12


@contextmanager
def provider(home: Path) -> Iterator[str]:
    """An identity provider in a process of its own; its issuer."""
    port = free_port()
    with programs.running(home, str(programs.NODE), str(programs.HERE / "issuer.mjs"), str(port)) as running:
        running.until("listening")
        yield f"http://127.0.0.1:{port}"


def log_in(url: str, name: str = SUBJECT) -> str:
    """Somebody at the identity provider: opens an authorization URL, logs in, agrees; where they are sent back to."""
    with httpx2.Client(timeout=20) as browser:
        answer = browser.get(url)
        for _ in range(HOPS_MAX):
            if where := answer.headers.get("location"):
                where = str(answer.url.join(where))
                if where.startswith(REDIRECT):
                    return where
                answer = browser.get(where)
                continue
            form = Page(answer.text).forms[0]
            values = form.hidden() | {"login": name, "password": "x"}
            answer = browser.post(str(answer.url.join(form.action)), data=values)
    raise AssertionError(f"The identity provider sends the browser around in circles: {answer.text[:500]}")


@dataclass(frozen=True)
class Company:
    """A server, and the identity provider that it takes tokens of. `secret` was made by hand."""

    issuer: str
    served: Served
    store: App
    secret: str

    @property
    def mcp(self) -> str:
        return f"http://127.0.0.1:{self.served.port}/mcp"

    def given(self, *, issuer: str = "", scope: str = "read append", resource: str = "", name: str = "web") -> str:
        """An access token, by registering as a client, asking and exchanging the code."""
        at_issuer = issuer or self.issuer
        described = httpx2.get(f"{at_issuer}/.well-known/openid-configuration").json()
        metadata = {"client_name": name, "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none"}
        registered = httpx2.post(described["registration_endpoint"], json=metadata).json()
        verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        asked = {"client_id": registered["client_id"], "redirect_uri": REDIRECT, "response_type": "code", "scope": scope}
        asked |= {"code_challenge": challenge, "code_challenge_method": "S256", "resource": resource or self.mcp}
        code = told(log_in(f"{described['authorization_endpoint']}?{urlencode(asked)}"))["code"]
        exchange = {"grant_type": "authorization_code", "code": code, "code_verifier": verifier, "redirect_uri": REDIRECT}
        exchange |= {"client_id": registered["client_id"], "resource": resource or self.mcp}
        answer = httpx2.post(described["token_endpoint"], data=exchange)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["access_token"])

    def stats(self, secret: str) -> httpx2.Response:
        return httpx2.post(self.mcp.removesuffix("/mcp") + "/api/stats", json={}, headers=bearer(secret), timeout=20)

    def refuses(self, secret: str, words: str) -> None:
        refused = self.stats(secret)
        assert refused.status_code == 401, refused.text
        assert words in refused.json()["error"]["message"]
        assert f'resource_metadata="{self.mcp.removesuffix("/mcp")}/.well-known/' in refused.headers["www-authenticate"]


@pytest.fixture
def company(home: Path, tmp_path: Path) -> Iterator[Company]:
    with provider(home) as issuer:
        app = create_app(at(str(tmp_path / "muniment.db"), tmp_path, embedder="none"))
        with app.store.write() as connection:
            profiles.keep(connection, NewProfile("maren", "owner", subject=SUBJECT), app.context().now())
        with serving(tmp_path, auth="external", external_issuer=issuer, **UNPACED) as served:
            yield Company(issuer, served, app, token(app))
            served.stop()
            assert b"Traceback" not in served.said, served.said.decode()[-3000:]
            assert SUBJECT.encode() not in served.said
        app.close()


@BOTH
def test_a_client_finds_the_issuer_registers_asks_and_refreshes(company: Company, home: Path, version: str) -> None:
    with client(home, version, "oauth", company.mcp) as one:
        asked = one.tell("connect")
        assert asked["error"] == "UnauthorizedError", asked
        assert asked["authorize"].startswith(company.issuer)
        finished = one.tell(f"finish {log_in(asked['authorize'])}")
        assert finished.get("refresh") is True, finished
        one.works()
        before = one.call("stats")
        assert before["access"].count(".") == 2
        with company.store.store.write() as connection:
            profiles.end(connection, "maren", company.store.context().now())
        refused = one.call("stats")
        assert "result" not in refused, "its issuer goes on renewing its tokens, and they open nothing"
        assert "401" in refused["message"] or refused["error"] == "UnauthorizedError", refused


@BOTH
def test_a_client_renews_what_has_expired(company: Company, home: Path, version: str) -> None:
    with client(home, version, "oauth", company.mcp, CLIENT_NAME="brief") as one:
        one.tell(f"finish {log_in(one.tell('connect')['authorize'])}")
        first = one.call("stats")["access"]
        time.sleep(2.5)
        after = one.call("stats")
        assert after["result"]["memories"] == 0, after
        assert after["access"] != first


def test_a_token_narrows_the_profile_and_is_kept_with_its_program(company: Company) -> None:
    writer = company.given()
    base = company.mcp.removesuffix("/mcp")
    said = httpx2.post(f"{base}/api/remember", json=SAID, headers=bearer(writer), timeout=20)
    assert said.status_code == 200, said.text
    refused = httpx2.post(f"{base}/api/remember", json=SAID, headers=bearer(company.given(scope="read")), timeout=20)
    assert refused.status_code == 403
    assert 'scope="read append"' in refused.headers["www-authenticate"]
    read = httpx2.get(f"{base}/api/read?ref={said.json()['ref']}&include=history", headers=bearer(writer)).text
    who = jwt.decode(writer, options={"verify_signature": False})
    assert who["client_id"] in read
    assert '"maren"' in read
    assert company.stats(company.secret).status_code == 200


def test_what_the_issuer_did_not_sign_for_this_server_and_now_is_refused(company: Company, home: Path) -> None:
    good = company.given()
    assert company.stats(good).status_code == 200
    header, said = jwt.get_unverified_header(good), jwt.decode(good, options={"verify_signature": False})
    assert (header["alg"], header["kid"], header["typ"], said["iss"]) == ("RS256", "first", "at+jwt", company.issuer)
    company.refuses(company.given(resource="https://other.example/mcp"), "another server")
    with provider(home) as other:
        # Both call their key by one name, so it is the signature that tells them apart.
        company.refuses(company.given(issuer=other), "signature")
    brief = company.given(name="brief")
    assert company.stats(brief).status_code == 200
    time.sleep(2.5)
    company.refuses(brief, "expired")
    published = httpx2.get(f"{company.issuer}/jwks").json()["keys"][0]
    pem = jwt.PyJWK(published).key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    company.refuses(_with({"alg": "none", "kid": "first"}, said), "not signed in a way")
    company.refuses(_with({"alg": "HS256", "kid": "first", "typ": "JWT"}, said, pem), "not signed in a way")
    thief = rsa.generate_private_key(65_537, 2_048)
    company.refuses(jwt.encode(said, thief, "RS256", {"kid": "first"}), "signature")
    company.refuses(jwt.encode(said, thief, "RS256", {"kid": "second"}), "does not publish")
    company.refuses(jwt.encode(said | {"iss": "https://other.example"}, thief, "RS256", {"kid": "first"}), "signature")
    assert company.stats(good).status_code == 200


def test_a_profile_that_ended_lets_nobody_in(company: Company) -> None:
    good = company.given()
    assert company.stats(good).status_code == 200
    with company.store.store.write() as connection:
        profiles.end(connection, "maren", company.store.context().now())
    company.refuses(good, "has ended")


def test_a_client_of_the_issuer_without_our_scopes_is_told_what_to_do(company: Company) -> None:
    refused = company.stats(company.given(scope="openid"))
    assert refused.status_code == 403
    assert "external_scopes" in refused.json()["error"]["do_next"]


def _with(header: dict[str, Any], said: dict[str, Any], secret: bytes = b"") -> str:
    start = ".".join(base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in (header, said))
    signature = hmac.new(secret, start.encode(), hashlib.sha256).digest() if secret else b""
    return f"{start}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"
