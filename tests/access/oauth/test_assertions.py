"""Clients that sign: with the keys they publish, for this server, for minutes, and each time anew."""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization

from muniment.access.oauth import assertions, clients, exchange, keyrings, sweeping
from muniment.access.oauth.assertions import LIFETIME_S_MAX, Asserted, Audience
from muniment.access.oauth.clients import Client, Shown
from muniment.access.oauth.exchange import Issued
from muniment.access.oauth.fetching import Fetcher
from muniment.access.oauth.keyrings import Ways
from muniment.access.oauth.refusals import Refused
from muniment.access.signed import LEEWAY_S
from tests.access.oauth.conftest import APPS, TARGET, House
from tests.access.oauth.test_exchange import error, together
from tests.access.oauth.test_fetching import Site, certificate, document, how, site  # noqa: F401 - fixtures
from tests.access.oauth.test_signing import SIGNS, keyset
from tests.access.test_signed import jwk, key

AUDIENCE = Audience(TARGET.issuer, f"{TARGET.issuer}/token")
MINE = key("ES256")
NUMBERS = itertools.count()


def sign(house: House, client: Client, private: Any = MINE, algorithm: str = "ES256", **changed: Any) -> str:
    """An assertion of a client; a claim that is None is left out, `kid` and `typ` go to the header."""
    header = {name: changed.pop(name) for name in ("kid", "typ") if name in changed}
    now = house.now // 1000
    claims = {
        "iss": client.uid,
        "sub": client.uid,
        "aud": TARGET.issuer,
        "iat": now,
        "exp": now + 60,
        "jti": f"j{next(NUMBERS)}",
    }
    said = {name: value for name, value in (claims | changed).items() if value is not None}
    return jwt.encode(said, private, algorithm, header)


def show(house: House, assertion: str, uid: str = "", fetcher: Fetcher | None = None) -> Client | Refused:
    ways = Ways(house.store, fetcher, APPS, lambda: house.now)
    return assertions.authenticated(ways, Asserted(uid, assertion), AUDIENCE)


@pytest.fixture
def signer(house: House) -> Client:
    return house.known(**SIGNS, jwks=keyset(jwk(MINE, kid="one")))


def test_a_client_is_known_by_its_signature(house: House, signer: Client) -> None:
    for uid in ("", signer.uid):
        found = show(house, sign(house, signer), uid)
        assert isinstance(found, Client)
        assert found.id == signer.id
    assert isinstance(show(house, sign(house, signer, kid="one", aud=AUDIENCE.endpoint)), Client)
    assert isinstance(show(house, sign(house, signer, aud=[TARGET.issuer], typ="client-authentication+jwt")), Client)
    for name, algorithm in (("RS256", "PS256"), ("EdDSA", "EdDSA")):
        other = house.known(**SIGNS, jwks=keyset(jwk(key(name))))
        assert isinstance(show(house, sign(house, other, key(name), algorithm)), Client)


@pytest.mark.parametrize(
    "changed",
    [
        {"aud": "https://other.example"},
        {"aud": TARGET.issuer + "/"},
        {"aud": TARGET.resource},
        {"aud": AUDIENCE.endpoint + "?x"},
        {"aud": [TARGET.issuer, "https://other.example"]},
        {"aud": [TARGET.issuer, AUDIENCE.endpoint]},
        {"aud": None},
        {"aud": AUDIENCE.endpoint, "typ": "client-authentication+jwt"},
        {"typ": "at+jwt"},
        {"iss": "https://other.example"},
        {"iss": None},
        {"sub": "mc_somebody"},
        {"sub": None},
        {"jti": None},
        {"jti": ""},
        {"jti": 7},
        {"exp": None},
        {"kid": "two"},
    ],
)
def test_an_assertion_of_another_shape_is_refused(house: House, signer: Client, changed: dict[str, Any]) -> None:
    assert error(show(house, sign(house, signer, **changed))) == "invalid_client"


def test_an_assertion_lasts_for_minutes(house: House, signer: Client) -> None:
    now = house.now // 1000
    for late in (now, now - 1, now - 3600, now + LIFETIME_S_MAX + LEEWAY_S + 1, now + 10**9):
        assert error(show(house, sign(house, signer, exp=late))) == "invalid_client"
    for good in (now + 1, now + LIFETIME_S_MAX, now + LIFETIME_S_MAX + LEEWAY_S):
        assert isinstance(show(house, sign(house, signer, exp=good)), Client)


def test_an_assertion_is_good_once_even_after_the_sweep(house: House, signer: Client) -> None:
    said = sign(house, signer, exp=house.now // 1000 + LIFETIME_S_MAX)
    assert isinstance(show(house, said), Client)
    for _ in range(6):
        assert error(show(house, said)) == "invalid_client"
        house.memory.clock.move(LIFETIME_S_MAX * 1000 // 6)
        sweeping.sweep(house.memory.context)
    assert error(show(house, said)) == "invalid_client"
    house.memory.clock.move(LEEWAY_S * 1000)
    assert sweeping.sweep(house.memory.context)
    assert error(show(house, said)) == "invalid_client", "by then it has expired"


def test_of_many_who_bring_an_assertion_at_once_one_is_known(house: House, signer: Client) -> None:
    said = sign(house, signer)
    found = together(*[lambda: show(house, said) for _ in range(6)])
    assert len([one for one in found if isinstance(one, Client)]) == 1


def test_the_number_of_one_client_is_free_for_another(house: House, signer: Client) -> None:
    other = house.known(**SIGNS, jwks=keyset(jwk(key("ES256", 1))))
    assert isinstance(show(house, sign(house, signer, jti="same")), Client)
    assert isinstance(show(house, sign(house, other, key("ES256", 1), jti="same")), Client)
    assert error(show(house, sign(house, signer, jti="same"))) == "invalid_client"


def test_the_key_of_another_client_is_no_key(house: House, signer: Client) -> None:
    other = house.known(**SIGNS, jwks=keyset(jwk(key("ES256", 1), kid="one")))
    for uid in ("", signer.uid, other.uid):
        assert error(show(house, sign(house, signer, key("ES256", 1), kid="one"), uid)) == "invalid_client"
    assert error(show(house, sign(house, signer), other.uid)) == "invalid_client"
    assert error(show(house, sign(house, signer, sub=other.uid))) == "invalid_client"


def test_nobody_signs_with_what_everybody_knows(house: House, signer: Client) -> None:
    public = MINE.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    _, claims, _ = sign(house, signer).split(".")

    def part(value: bytes) -> str:
        return base64.urlsafe_b64encode(value).decode().rstrip("=")

    for algorithm in ("HS256", "none", "None", "ES256"):
        head = part(json.dumps({"alg": algorithm, "kid": "one"}).encode())
        made = part(hmac.digest(public, f"{head}.{claims}".encode(), hashlib.sha256))
        for signature in (made, ""):
            assert error(show(house, f"{head}.{claims}.{signature}")) == "invalid_client"


@pytest.mark.parametrize("text", ["", "x", "a.b.c", "..", "." * 20_000, "é.é.é", "e30.e30.e30", "e30.eyJzdWIiOiJcdTAwMDAifQ.x"])
def test_what_is_no_assertion_is_refused(house: House, text: str) -> None:
    assert error(show(house, text)) == "invalid_client"


def test_only_the_named_algorithm_is_taken(house: House) -> None:
    named = house.known(**SIGNS, jwks=keyset(jwk(key("RS256"))), token_endpoint_auth_signing_alg="PS256")
    assert isinstance(show(house, sign(house, named, key("RS256"), "PS256")), Client)
    assert error(show(house, sign(house, named, key("RS256"), "RS256"))) == "invalid_client"


def test_who_signs_is_not_known_without_and_who_does_not_is_not_known_by_it(house: House, signer: Client) -> None:
    with house.store.read() as connection:
        for secret in ("", "x"):
            assert (
                error(clients.authenticated(connection, Shown(signer.uid, secret, basic=False), house.now)) == "invalid_client"
            )
    assert error(show(house, sign(house, house.client))) == "invalid_client"


# --- keys at an address -------------------------------------------------------------------------------------------


def published(house: House, site: Site) -> Client:  # noqa: F811
    """A client whose keys lie at the site, and that somebody granted something."""
    client = house.known(**SIGNS, jwks_uri=site.url)
    house.code(house.ask(client))
    return client


def test_keys_are_fetched_once_and_held(house: House, site: Site, how: Fetcher) -> None:  # noqa: F811
    site.serves(json.dumps(keyset(jwk(MINE, kid="one"))).encode())
    client = published(house, site)
    for _ in range(3):
        assert isinstance(show(house, sign(house, client, kid="one"), fetcher=how), Client)
    assert len(site.asked) == 1
    house.memory.clock.move(keyrings.FRESH_MS)
    assert isinstance(show(house, sign(house, client, kid="one"), fetcher=how), Client)
    assert len(site.asked) == 2


def test_a_new_key_is_looked_for_and_not_more_often_than_every_half_minute(house: House, site: Site, how: Fetcher) -> None:  # noqa: F811
    site.serves(json.dumps(keyset(jwk(MINE, kid="one"))).encode())
    client = published(house, site)
    assert isinstance(show(house, sign(house, client, kid="one"), fetcher=how), Client)
    site.serves(json.dumps(keyset(jwk(key("ES256", 1), kid="two"))).encode())
    for _ in range(5):
        assert error(show(house, sign(house, client, key("ES256", 1), kid="two"), fetcher=how)) == "invalid_client"
    assert len(site.asked) == 1
    house.memory.clock.move(keyrings.PAUSE_MS)
    assert isinstance(show(house, sign(house, client, key("ES256", 1), kid="two"), fetcher=how), Client)
    assert len(site.asked) == 2
    assert error(show(house, sign(house, client, kid="one"), fetcher=how)) == "invalid_client", "the old one is gone"


def test_keys_serve_for_a_day_while_their_address_is_out_of_order(house: House, site: Site, how: Fetcher) -> None:  # noqa: F811
    site.serves(json.dumps(keyset(jwk(MINE, kid="one"))).encode())
    client = published(house, site)
    assert isinstance(show(house, sign(house, client, kid="one"), fetcher=how), Client)
    for broken in (b"{", b'{"keys": []}', b"x" * 20_000):
        site.serves(broken)
        house.memory.clock.move(keyrings.FRESH_MS)
        assert isinstance(show(house, sign(house, client, kid="one"), fetcher=how), Client)
    assert isinstance(show(house, sign(house, client, kid="one")), Client), "nor where nothing is fetched"
    house.memory.clock.move(keyrings.STALE_MS)
    assert error(show(house, sign(house, client, kid="one"), fetcher=how)) == "invalid_client"


def test_nothing_is_fetched_for_a_client_that_nobody_granted_anything(house: House, site: Site, how: Fetcher) -> None:  # noqa: F811
    site.serves(json.dumps(keyset(jwk(MINE, kid="one"))).encode())
    client = house.known(**SIGNS, jwks_uri=site.url)
    assert error(show(house, sign(house, client, kid="one"), fetcher=how)) == "invalid_client"
    assert site.asked == []


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "fd00::1"])
def test_keys_that_lie_near_us_are_not_fetched(house: House, site: Site, address: str) -> None:  # noqa: F811
    site.serves(json.dumps(keyset(jwk(MINE, kid="one"))).encode())
    client = published(house, site)
    near = Fetcher(resolve=lambda host, port: [address])
    assert error(show(house, sign(house, client, kid="one"), fetcher=near)) == "invalid_client"
    assert site.asked == []


def test_no_transaction_is_open_while_keys_are_fetched(house: House, site: Site, how: Fetcher) -> None:  # noqa: F811
    """The site itself writes to the store before it answers: with a transaction open around it, it would wait for ever."""
    body = json.dumps(keyset(jwk(MINE, kid="one"))).encode()
    client = published(house, site)

    def answer(sock: Any) -> None:
        house.known(client_name="meanwhile")
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/jwk-set+json\r\nContent-Length: {len(body)}\r\n\r\n"
        sock.sendall(head.encode() + body)

    site.answer = answer
    assert isinstance(show(house, sign(house, client, kid="one"), fetcher=how), Client)


# --- documents, and what was signed for ---------------------------------------------------------------------------


def test_a_client_whose_document_holds_its_keys_may_change_them(house: House, site: Site, how: Fetcher) -> None:  # noqa: F811
    from muniment.access.oauth import documents

    site.serves(document(site.url, **SIGNS, jwks=keyset(jwk(MINE, kid="one"))))
    client = documents.resolve(house.store, site.url, 1, APPS, how, lambda: house.now)
    assert isinstance(client, Client)
    assert client.auth_method == "private_key_jwt"
    house.code(house.ask(client))
    assert isinstance(show(house, sign(house, client, kid="one"), fetcher=how), Client)
    site.serves(document(site.url, **SIGNS, jwks=keyset(jwk(key("ES256", 1), kid="two"))))
    assert isinstance(show(house, sign(house, client, key("ES256", 1), kid="two"), fetcher=how), Client)
    assert error(show(house, sign(house, client, kid="one"), fetcher=how)) == "invalid_client"
    assert len(site.asked) == 2


def test_keys_of_an_address_that_a_document_names_no_more_are_forgotten(house: House, site: Site, how: Fetcher) -> None:  # noqa: F811
    from muniment.access.oauth import documents

    elsewhere = site.url.replace("client.json", "keys.json")
    bodies = {
        "client.json": document(site.url, **SIGNS, jwks_uri=elsewhere),
        "keys.json": json.dumps(keyset(jwk(MINE, kid="one"))).encode(),
        "new.json": b"{",
    }

    def answer(sock: Any) -> None:
        body = bodies[site.asked[-1].split(b" ")[1].decode().lstrip("/")]
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        sock.sendall(head.encode() + body)

    site.answer = answer
    client = documents.resolve(house.store, site.url, 1, APPS, how, lambda: house.now)
    assert isinstance(client, Client)
    house.code(house.ask(client))
    assert isinstance(show(house, sign(house, client, kid="one"), fetcher=how), Client)
    bodies["client.json"] = document(site.url, **SIGNS, jwks_uri=site.url.replace("client.json", "new.json"))
    house.memory.clock.move(documents.FRESH_MS - 1)
    assert isinstance(show(house, sign(house, client, kid="one"), fetcher=how), Client)
    house.memory.clock.move(1)
    assert isinstance(documents.resolve(house.store, site.url, 1, APPS, how, lambda: house.now), Client)
    assert error(show(house, sign(house, client, kid="one"), fetcher=how)) == "invalid_client"
    bodies["new.json"] = json.dumps(keyset(jwk(key("ES256", 1), kid="two"))).encode()
    house.memory.clock.move(keyrings.PAUSE_MS)
    assert isinstance(show(house, sign(house, client, key("ES256", 1), kid="two"), fetcher=how), Client)


def test_what_was_begun_signed_goes_on_signed(house: House, site: Site, how: Fetcher) -> None:  # noqa: F811
    """A client that may do without signing and signs all the same: nobody comes with its refresh token and no signature."""
    from muniment.access.oauth import documents

    both = {"token_endpoint_auth_methods_supported": ["none", "private_key_jwt"], "jwks": keyset(jwk(MINE, kid="one"))}
    site.serves(document(site.url, **SIGNS, **both, redirect_uris=["https://client.example/callback"]))
    plain = documents.resolve(house.store, site.url, 1, APPS, how, lambda: house.now)
    assert isinstance(plain, Client)
    assert plain.auth_method == "none"
    unsigned = house.bring(house.code(house.ask(plain)), plain)
    assert isinstance(house.refresh(unsigned.refresh, plain), Issued)
    proven = show(house, sign(house, plain), fetcher=how)
    assert isinstance(proven, Client)
    issued = house.bring(house.code(house.ask(plain)), proven)
    assert isinstance(issued, Issued)
    assert house.refresh(issued.refresh, plain) == exchange.NO_REFRESH
    assert isinstance(house.refresh(issued.refresh, proven), Issued)
