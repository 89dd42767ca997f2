"""What a client says of how it signs: public keys, in its metadata or at an address of the open internet."""

from __future__ import annotations

from typing import Any

import pytest

from muniment.access.oauth import signing
from muniment.access.oauth.refusals import Refused
from muniment.access.oauth.registration import Registered
from muniment.access.oauth.signing import Signing
from muniment.access.signed import Keys
from tests.access.oauth.conftest import House
from tests.access.test_signed import jwk, key

SIGNS = {"token_endpoint_auth_method": "private_key_jwt"}
ADDRESS = "https://client.example/keys.json"


def keyset(*entries: Any) -> dict[str, Any]:
    return {"keys": [*(entries or (jwk(key("ES256"), kid="one"),))]}


def test_keys_lie_in_the_metadata_or_at_an_address() -> None:
    inline = signing.of({"jwks": keyset()}, fetches=True)
    assert isinstance(inline, Signing)
    assert inline.inline is not None
    assert isinstance(inline.keys(inline.inline.encode()), Keys)
    assert signing.of({"jwks_uri": ADDRESS}, fetches=True) == Signing(None, ADDRESS)
    for one in (inline, Signing(None, ADDRESS, "ES256")):
        assert signing.read(signing.stored(one)) == one
    assert signing.read(signing.stored(None)) is None


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"jwks": keyset(), "jwks_uri": ADDRESS},
        {"jwks": {"keys": []}},
        {"jwks": []},
        {"jwks": keyset({"kty": "oct", "k": "c2VjcmV0"})},
        {"jwks": keyset(jwk(key("ES256")) | {"d": "x"})},
        {"jwks": keyset(*[jwk(key("ES256"), kid="x" * 400) for _ in range(40)])},
        {"jwks": keyset(jwk(key("ES256")) | {"x5t": float("nan")})},
        {"jwks": keyset() | {"until": float("inf")}},
        {"jwks": keyset(), "token_endpoint_auth_signing_alg": "HS256"},
        {"jwks": keyset(), "token_endpoint_auth_signing_alg": "none"},
        {"jwks": keyset(), "token_endpoint_auth_signing_alg": "RS256"},
        {"jwks_uri": "http://client.example/keys"},
        {"jwks_uri": "https://127.0.0.1/keys"},
        {"jwks_uri": "https://localhost/keys"},
        {"jwks_uri": "https://169.254.169.254/keys"},
        {"jwks_uri": 7},
    ],
)
def test_metadata_that_nobody_can_sign_by_is_refused(house: House, metadata: dict[str, Any]) -> None:
    found = signing.of(metadata, fetches=True)
    assert isinstance(found, Refused)
    assert found.error == "invalid_client_metadata"
    assert house.register(**SIGNS, **metadata) == found


def test_the_same_keys_are_the_same_client_and_others_another_one(house: House) -> None:
    first = house.register(**SIGNS, jwks=keyset())
    assert isinstance(first, Registered)
    assert first.secret == ""
    assert first.client.auth_method == "private_key_jwt"
    assert house.known(**SIGNS, jwks=keyset()) == first.client
    assert house.known(**SIGNS, jwks=keyset(jwk(key("ES256", 1)))).id != first.client.id
    assert house.known(**SIGNS, jwks_uri=ADDRESS).id != first.client.id
    assert house.known().id == house.client.id, "who does not sign is known as before"


def test_a_server_that_fetches_nothing_wants_the_keys_themselves() -> None:
    assert isinstance(signing.of({"jwks_uri": ADDRESS}, fetches=False), Refused)
    assert isinstance(signing.of({"jwks": keyset()}, fetches=False), Signing)


def test_an_address_that_keys_cannot_lie_at_is_told_as_that_of_keys() -> None:
    found = signing.of({"jwks_uri": "http://client.example/keys"}, fetches=True)
    assert isinstance(found, Refused)
    assert found.description.startswith("The address of a client's keys is https")
