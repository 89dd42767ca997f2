"""Clients that sign at the endpoints that only clients ask. What signs here is the protocol's own package, not ours."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from mcp.client.auth.extensions.client_credentials import SignedJWTParameters
from starlette.testclient import TestClient

from muniment.access.oauth.assertions import TYPE
from tests.access.oauth.test_signing import SIGNS, keyset
from tests.access.test_signed import jwk, key
from tests.surfaces.browser import Client, Person, told
from tests.surfaces.conftest import BASE, bearer

MINE = key("ES256", 0)


def assertion(uid: str, audience: str = BASE, which: int = 0) -> str:
    pem = key("ES256", which).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    made = SignedJWTParameters(issuer=uid, subject=uid, signing_key=pem.decode(), signing_algorithm="ES256")
    return asyncio.run(made.create_assertion_provider()(audience))


def signed(client: Client, **options: Any) -> dict[str, str | None]:
    return {"client_assertion_type": TYPE, "client_assertion": assertion(client.uid, **options), "client_id": None}


@pytest.fixture
def signer(machine: TestClient) -> Client:
    made = Client(machine)
    answer = made.register(client_name="A signer", **SIGNS, jwks=keyset(jwk(MINE, kid="one")))
    assert answer.status_code == 201, answer.text
    told_ = answer.json()
    assert told_["token_endpoint_auth_method"] == "private_key_jwt"
    assert told_["jwks"] == keyset(jwk(MINE, kid="one"))
    assert "client_secret" not in told_
    return made


def test_a_client_that_signs_gets_refreshes_and_ends_its_tokens(machine: TestClient, person: Person, signer: Client) -> None:
    code = told(person.authorize(signer.url()))["code"]
    first = signer.exchange(code, **signed(signer))
    assert first.status_code == 200, first.text
    second = signer.refresh(first.json()["refresh_token"], **signed(signer) | {"client_id": signer.uid})
    assert second.status_code == 200, second.text
    held = bearer(second.json()["access_token"])
    assert machine.get("/api/stats", headers=held).status_code == 200
    assert signer.revoke(second.json()["access_token"]).status_code == 401
    assert machine.get("/api/stats", headers=held).status_code == 200
    assert signer.revoke(second.json()["access_token"], **signed(signer, audience=f"{BASE}/token")).status_code == 200
    assert machine.get("/api/stats", headers=held).status_code == 401


def test_without_its_signature_or_with_another_nobody_is_the_client(person: Person, signer: Client) -> None:
    code = told(person.authorize(signer.url()))["code"]
    other = Client(signer.http)
    other.register(client_name="Another", **SIGNS, jwks=keyset(jwk(key("ES256", 1))))
    said = signed(signer)
    for wrong in (
        {},
        {"client_secret": "x"},
        signed(signer, which=1),
        signed(other, which=1) | {"client_id": signer.uid},
        signed(signer, audience="https://evil.example"),
        signed(signer, audience=f"{BASE}/revoke"),
    ):
        answer = signer.exchange(code, **wrong)
        assert answer.status_code == 401, wrong
        assert answer.json()["error"] == "invalid_client"
        assert "www-authenticate" not in answer.headers
    assert signer.exchange(code, **signed(other, which=1)).json()["error"] == "invalid_grant", "the code is not that one's"
    assert signer.exchange(code, **said).status_code == 200
    assert signer.exchange(code, **said).json()["error"] == "invalid_client", "an assertion is good once"


def test_two_proofs_are_one_too_many(signer: Client) -> None:
    code = {"grant_type": "refresh_token", "refresh_token": "x"}
    both = signer.ask("/token", code | signed(signer) | {"client_secret": "x"})
    header = signer.ask("/token", code | signed(signer), authorization="Basic eDp5")
    for kind in (None, "urn:ietf:params:oauth:client-assertion-type:saml2-bearer"):
        half = signer.ask("/token", code | signed(signer) | {"client_assertion_type": kind})
        assert (half.status_code, half.json()["error"]) == (400, "invalid_request")
    none = signer.ask("/token", code | {"client_assertion_type": TYPE})
    for answer in (both, header, none):
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
    assert signer.ask("/token", code | signed(signer)).json()["error"] == "invalid_grant"


def test_registration_says_what_is_wrong_with_keys(machine: TestClient) -> None:
    for metadata in ({}, {"jwks_uri": "https://10.0.0.1/k"}, {"jwks": keyset(jwk(MINE) | {"d": "x"})}):
        answer = Client(machine).register(**SIGNS, **metadata)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_client_metadata")
