"""Clients whose id is an address: their document is fetched for a person who is logged in, and for nobody else."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from muniment.access.oauth.fetching import Fetcher
from muniment.app import App
from muniment.surfaces.oauth.provider import provider
from muniment.surfaces.oauth.routes import routes
from muniment.surfaces.served import Served
from tests.access.oauth.test_fetching import Site, certificate, document  # noqa: F401 - a fixture
from tests.access.oauth.test_signing import keyset
from tests.access.test_signed import jwk, key
from tests.surfaces.browser import Client, Page, Person, told
from tests.surfaces.conftest import BASE
from tests.surfaces.oauth.conftest import NAME, PASSPHRASE
from tests.surfaces.oauth.test_token import signed


@pytest.fixture
def site(certificate: Path) -> Iterator[Site]:  # noqa: F811
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    made = Site(tls)
    yield made
    made.listener.close()


@pytest.fixture
def web(app: App, maren: Any, certificate: Path) -> TestClient:  # noqa: F811
    """The OAuth routes with a fetcher to which this machine is the open internet."""
    tls = ssl.create_default_context(cafile=str(certificate / "cert.pem"))
    near = Fetcher(allowed=lambda address: True, resolve=lambda host, port: ["127.0.0.1"], tls=tls, total_s=3.0)
    held = replace(provider(Served(app, None)), documents=near)
    return TestClient(Starlette(routes=routes(held)), base_url=BASE, follow_redirects=False)


def test_a_document_is_not_fetched_before_the_login(web: TestClient, site: Site) -> None:
    site.serves(document(site.url))
    client = Client(web, redirect="https://client.example/cb", uid=site.url)
    first = web.get(client.url())
    assert first.status_code == 303
    assert first.headers["location"].startswith("/login?next=%2Fauthorize%3F")
    assert client.exchange("mcode_" + "A" * 43).json()["error"] == "invalid_client"
    assert site.asked == []


def test_a_client_with_a_document_gets_its_tokens(web: TestClient, site: Site) -> None:
    site.serves(document(site.url, redirect_uris=["https://client.example/cb", "http://localhost/callback"]))
    client = Client(web, redirect="http://localhost:3118/callback", uid=site.url)
    person = Person(web, NAME, PASSPHRASE)
    page = person.log_in(client.url())
    shown = Page(page.text).text
    assert site.url in shown
    assert "localhost:3118" in shown
    assert "A program on this computer asks." not in shown, "it has another redirect too"
    came = person.decide(page.text).headers["location"]
    assert came.startswith("http://localhost:3118/callback?")
    assert client.exchange(told(came)["code"]).status_code == 200
    assert len(site.asked) == 1
    assert person.open(client.url(redirect_uri="https://evil.example/cb")).status_code == 400


def test_a_document_that_is_somebody_elses_sends_nobody_anywhere(web: TestClient, site: Site) -> None:
    site.serves(document(site.url, client_id="https://client.example/other.json"))
    client = Client(web, redirect="https://client.example/cb", uid=site.url)
    person = Person(web, NAME, PASSPHRASE)
    page = person.log_in(client.url())
    assert page.status_code == 400
    assert "location" not in page.headers
    for url in ("https://127.0.0.1/c.json", "https://[::1]/c.json", "https://localhost/c.json", "https://client.example/"):
        client.uid = url
        assert person.open(client.url()).status_code == 400
    assert len(site.asked) == 1


def test_a_client_signs_with_the_keys_that_its_document_leads_to(web: TestClient, site: Site) -> None:
    """As a chat connector publishes itself: it prefers to sign, with keys at an address of its own."""
    described = document(
        site.url,
        token_endpoint_auth_method="private_key_jwt",
        token_endpoint_auth_signing_alg="ES256",
        jwks_uri=site.url.replace("client.json", "keys.json"),
        redirect_uris=["https://client.example/cb"],
    )
    bodies = {b"/client.json": described, b"/keys.json": json.dumps(keyset(jwk(key("ES256", 0), kid="one"))).encode()}

    def answer(sock: Any) -> None:
        body = bodies[site.asked[-1].split(b" ")[1]]
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    site.answer = answer
    client = Client(web, redirect="https://client.example/cb", uid=site.url)
    assert client.refresh("x", **signed(client)).json()["error"] == "invalid_client"
    assert site.asked == [], "nobody has granted it anything"
    person = Person(web, NAME, PASSPHRASE)
    came = person.decide(person.log_in(client.url()).text).headers["location"]
    assert client.exchange(told(came)["code"]).json()["error"] == "invalid_client"
    found = client.exchange(told(came)["code"], **signed(client))
    assert found.status_code == 200, found.text
    assert client.refresh(found.json()["refresh_token"], **signed(client)).status_code == 200
    assert len(site.asked) == 2
