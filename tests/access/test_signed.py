"""Signed tokens are believed only for what their key is, whoever writes the header (RFC 7515, RFC 7519, RFC 8725)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from muniment.access import signed
from muniment.access.signed import Claims, Fault, Keys, verified

ISSUER, AUDIENCE, NOW = "https://login.example.org/", "https://memory.example.org/mcp", 1_800_000_000
CLAIMS: dict[str, Any] = {"iss": ISSUER, "aud": AUDIENCE, "sub": "auth0|7", "exp": NOW + 600, "iat": NOW}

MAKERS: dict[str, Callable[[], Any]] = {
    "RS256": lambda: rsa.generate_private_key(65_537, 2_048),
    "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "ES384": lambda: ec.generate_private_key(ec.SECP384R1()),
    "ES512": lambda: ec.generate_private_key(ec.SECP521R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate,
    "Ed448": ed448.Ed448PrivateKey.generate,
}


@cache
def key(name: str, which: int = 0) -> Any:
    return MAKERS[name]()


def jwk(private: Any, **members: Any) -> dict[str, Any]:
    """The public half of a key as a set lists it."""
    public = private.public_key()
    writers: list[tuple[type, Any]] = [(rsa.RSAPublicKey, RSAAlgorithm), (ec.EllipticCurvePublicKey, ECAlgorithm)]
    writer = next((made for kind, made in writers if isinstance(public, kind)), OKPAlgorithm)
    return {**json.loads(writer.to_jwk(public)), **members}


def document(*entries: Any) -> bytes:
    return json.dumps({"keys": entries}).encode()


def holding(*entries: Any) -> Keys:
    found = signed.keys(document(*entries))
    assert isinstance(found, Keys), found
    return found


def token(private: Any, algorithm: str, *, header: dict[str, Any] | None = None, **claims: Any) -> str:
    """A token with CLAIMS, but for what is named; a claim that is None is left out."""
    said = {name: value for name, value in {**CLAIMS, **claims}.items() if value is not None}
    return jwt.encode(said, private, algorithm, {"kid": "one"} | (header or {}))


def look(text: str, keys: Keys, **more: Any) -> Claims | Fault:
    return verified(text, keys, **{"issuer": ISSUER, "audience": {AUDIENCE}, "now": NOW} | more)


def rsa_keys() -> Keys:
    return holding(jwk(key("RS256"), kid="one"))


def why(found: Claims | Fault) -> str:
    return found.why if isinstance(found, Fault) else "believed"


def part(value: Any) -> str:
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


@pytest.mark.parametrize(
    ("made", "algorithm"),
    [
        *(("RS256", name) for name in signed.RSA_ALGORITHMS),
        ("ES256", "ES256"),
        ("ES384", "ES384"),
        ("ES512", "ES512"),
        ("EdDSA", "EdDSA"),
        ("Ed448", "EdDSA"),
    ],
)
def test_a_token_of_each_algorithm_is_believed_by_its_own_key(made: str, algorithm: str) -> None:
    private = key(made)
    text = token(private, algorithm)
    found = look(text, holding(jwk(private, kid="one")))
    assert isinstance(found, Claims), found
    assert (found.subject, found.audiences, found.issuer) == ("auth0|7", (AUDIENCE,), ISSUER)
    other = look(text, holding(jwk(MAKERS[made](), kid="one")))
    assert why(other) == "signature"


def test_a_token_without_a_signature_is_never_believed() -> None:
    for name in ("none", "None", "NONE", ""):
        for end in ("", part(b"x")):
            text = f"{part({'alg': name, 'kid': 'one'})}.{part(CLAIMS)}.{end}"
            assert why(look(text, rsa_keys())) in ("algorithm", "malformed"), name
    assert why(look(f"{part({'kid': 'one'})}.{part(CLAIMS)}.", rsa_keys())) == "algorithm"


@pytest.mark.parametrize("form", ["pem", "der", "jwk"])
def test_a_public_key_is_no_shared_secret(form: str) -> None:
    public = key("RS256").public_key()
    encoding = {"pem": serialization.Encoding.PEM, "der": serialization.Encoding.DER}.get(form)
    secret = (
        public.public_bytes(encoding, serialization.PublicFormat.SubjectPublicKeyInfo)
        if encoding
        else json.dumps(jwk(key("RS256"), kid="one")).encode()
    )
    for name, digest in (("HS256", hashlib.sha256), ("HS512", hashlib.sha512)):
        start = f"{part({'alg': name, 'kid': 'one', 'typ': 'JWT'})}.{part(CLAIMS)}"
        text = f"{start}.{part(hmac.new(secret, start.encode(), digest).digest())}"
        assert why(look(text, rsa_keys())) == "algorithm"


def test_a_key_verifies_only_what_it_is_for() -> None:
    private = key("RS256")
    assert why(look(token(private, "PS256"), holding(jwk(private, kid="one", alg="RS256")))) == "unknown_key"
    assert why(look(token(private, "RS256"), holding(jwk(private, kid="one", alg="RS256")))) == "believed"
    # The header names the algorithm of another kind of key.
    crossed = token(key("ES256"), "ES256")
    assert why(look(crossed, rsa_keys())) == "unknown_key"
    assert why(look(crossed, holding(jwk(key("ES384"), kid="one")))) == "unknown_key"


def test_the_key_is_the_one_that_the_token_names() -> None:
    first, second = key("RS256"), key("RS256", 1)
    both = holding(jwk(first, kid="one"), jwk(second, kid="two"))
    assert why(look(token(second, "RS256", header={"kid": "two"}), both)) == "believed"
    assert why(look(token(second, "RS256", header={"kid": "one"}), both)) == "signature"
    assert why(look(token(second, "RS256", header={"kid": "three"}), both)) == "unknown_key"
    twice = holding(jwk(first, kid="one"), jwk(second, kid="one"))
    assert why(look(token(second, "RS256"), twice)) == "believed"


def test_a_token_that_names_no_key_has_to_leave_no_choice() -> None:
    private = key("RS256")
    text = jwt.encode(CLAIMS, private, "RS256")
    assert why(look(text, holding(jwk(private), jwk(key("ES256"), kid="e")))) == "believed"
    assert why(look(text, holding(jwk(private), jwk(key("RS256", 1), kid="two")))) == "unknown_key"


def test_a_token_that_brings_its_own_key_is_not_believed() -> None:
    thief = MAKERS["RS256"]()
    header = {"kid": "one", "jwk": jwk(thief), "jku": "https://thief.example/jwks", "x5u": "https://thief.example/x"}
    assert why(look(token(thief, "RS256", header=header), rsa_keys())) == "signature"


@pytest.mark.parametrize("named", [["exp"], ["b64"], [], "b64", {"a": 1}, None])
def test_an_extension_that_is_said_to_be_critical_is_refused(named: Any) -> None:
    start = f"{part({'alg': 'RS256', 'kid': 'one', 'crit': named})}.{part(CLAIMS)}"
    text = f"{start}.{part(RSAAlgorithm(RSAAlgorithm.SHA256).sign(start.encode(), key('RS256')))}"
    assert why(look(text, rsa_keys())) == "critical"


def test_a_token_of_another_kind_is_refused() -> None:
    private = key("RS256")
    for kind, let in (("JWT", True), ("application/jwt", True), (None, True), ("logout+jwt", False), ("dpop+jwt", False)):
        found = look(token(private, "RS256", header={"typ": kind}), rsa_keys())
        assert why(found) == ("believed" if let else "malformed"), kind
    access = token(private, "RS256", header={"typ": "at+jwt"})
    assert why(look(access, rsa_keys())) == "malformed"
    assert why(look(access, rsa_keys(), types=signed.TYPES | {"at+jwt"})) == "believed"


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ({"exp": NOW + 1}, "believed"),
        ({"exp": NOW}, "time"),
        ({"exp": None}, "time"),
        ({"nbf": NOW + 60}, "believed"),
        ({"nbf": NOW + 61}, "time"),
        ({"iat": NOW + 60}, "believed"),
        ({"iat": NOW + 61}, "time"),
        ({"iat": None}, "believed"),
        ({"exp": str(NOW + 600)}, "malformed"),
        ({"exp": True}, "malformed"),
        ({"exp": float("inf")}, "malformed"),
        ({"exp": 10**400}, "malformed"),
        ({"iss": ISSUER.rstrip("/")}, "issuer"),
        ({"iss": ISSUER.upper()}, "issuer"),
        ({"iss": None}, "issuer"),
        ({"iss": [ISSUER]}, "issuer"),
        ({"aud": AUDIENCE + "/"}, "audience"),
        ({"aud": None}, "audience"),
        ({"aud": []}, "audience"),
        ({"aud": ["https://other.example", AUDIENCE]}, "believed"),
        ({"aud": [AUDIENCE, 7]}, "audience"),
        ({"aud": {AUDIENCE: 1}}, "audience"),
    ],
)
def test_claims_are_judged_to_the_second_and_to_the_byte(claims: dict[str, Any], expected: str) -> None:
    start = f"{part({'alg': 'RS256', 'kid': 'one'})}."
    start += part({name: value for name, value in {**CLAIMS, **claims}.items() if value is not None})
    text = f"{start}.{part(RSAAlgorithm(RSAAlgorithm.SHA256).sign(start.encode(), key('RS256')))}"
    assert why(look(text, rsa_keys())) == expected


def test_claims_are_read_as_what_they_are() -> None:
    found = look(token(key("RS256"), "RS256", scope="read append", scp=["read", 7], azp="cli", sub="", n=5), rsa_keys())
    assert isinstance(found, Claims)
    assert found.subject is None
    assert (found.text("azp"), found.text("n"), found.text("absent")) == ("cli", None, None)
    assert (found.words("scope"), found.words("scp")) == ({"read", "append"}, {"read"})
    assert (found.words("n"), found.words("absent")) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a.b",
        "a.b.c",
        "...",
        "é.é.é",
        "\ud800.a.b",
        f"{part([])}.{part({})}.{part(b'x')}",
        f"{part(b'[' * 9000)}.{part({})}.x",
        f"{part({'alg': ['RS256'], 'kid': 'one'})}.{part(CLAIMS)}.{part(b'x')}",
        f"{part({'alg': 'RS256', 'kid': {'a': 1}})}.{part(CLAIMS)}.{part(b'x')}",
        f"{part({'alg': 'RS256', 'kid': 'one', 'typ': 7})}.{part(CLAIMS)}.{part(b'x')}",
        f"{part({'alg': 'RS256', 'kid': 'one', 'b64': False})}..{part(b'x')}",
    ],
)
def test_what_is_no_token_is_refused_in_words_without_it(text: str) -> None:
    found = look(text, rsa_keys())
    assert isinstance(found, Fault)
    assert found.why in ("malformed", "algorithm", "critical")
    assert not text or len(text) < 6 or text[:6] not in found.words


@pytest.mark.parametrize("payload", [b"", b"[]", b"7", b"{", b"\xff", b"[" * 9_000])
def test_a_payload_without_claims_is_refused_though_it_is_signed(payload: bytes) -> None:
    start = f"{part({'alg': 'RS256', 'kid': 'one'})}.{part(payload)}"
    text = f"{start}.{part(RSAAlgorithm(RSAAlgorithm.SHA256).sign(start.encode(), key('RS256')))}"
    assert why(look(text, rsa_keys())) == "malformed"


def test_a_token_has_a_largest_size() -> None:
    fits = token(key("RS256"), "RS256", pad="x" * 100)
    room = (signed.TOKEN_CHARACTERS_MAX - len(fits)) * 3 // 4
    assert why(look(token(key("RS256"), "RS256", pad="x" * (100 + room)), rsa_keys())) == "believed"
    assert why(look(token(key("RS256"), "RS256", pad="x" * (110 + room)), rsa_keys())) == "malformed"


def test_keys_that_cannot_be_used_are_left_out() -> None:
    weak = rsa.generate_private_key(65_537, 1_024)
    good = jwk(key("RS256"), kid="good")
    found = holding(
        {"kty": "oct", "k": part(b"x" * 32), "kid": "oct", "alg": "HS256"},
        jwk(weak, kid="weak"),
        jwk(key("RS256", 1), kid="encryption", use="enc"),
        jwk(key("RS256", 1), kid="ops", key_ops=["encrypt"]),
        jwk(key("RS256", 1), kid="odd", key_ops=7),
        jwk(key("RS256", 1), kid="hs", alg="HS256"),
        jwk(key("RS256", 1), kid=7),
        jwk(key("RS256", 1), kid="k" * (signed.KID_LENGTH_MAX + 1)),
        {"kty": "AKP", "kid": "later"},
        {"kty": "EC", "crv": "secp256k1", "x": "AA", "y": "AA"},
        {"kty": "EC", "crv": "P-256", "x": part(b"\1" * 32), "y": part(b"\1" * 32)},
        {"kty": "RSA", "n": "!", "e": "AQAB"},
        {"kty": "RSA", "n": "A" * (signed.KEY_MEMBER_CHARACTERS_MAX + 1), "e": "AQAB"},
        {"kty": ["RSA"]},
        {},
        "RSA",
        good,
    )
    assert [one.kid for one in found.held] == ["good"]


def test_of_a_key_with_its_private_half_only_the_public_one_is_held() -> None:
    private = key("RS256")
    found = holding({**json.loads(RSAAlgorithm.to_jwk(private)), "kid": "one", "key_ops": ["sign", "verify"]})
    assert isinstance(found.held[0].material, rsa.RSAPublicKey)
    assert why(look(token(private, "RS256"), found)) == "believed"


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"{}", b'{"keys": {}}', b'{"keys": []}', b"[" * 100_000, b"\xff"])
def test_what_holds_no_usable_key_is_no_key_set(text: bytes) -> None:
    assert isinstance(signed.keys(text), Fault)
    assert isinstance(signed.keys(document({"kty": "oct", "k": part(b"x" * 32)})), Fault)


@pytest.mark.parametrize("coding", ["utf-16", "utf-32", "utf-16-le"])
def test_a_key_set_is_utf_8(coding: str) -> None:
    """RFC 8259, 8.1. Whoever keeps one keeps it as text."""
    whole = document(jwk(key("EdDSA")))
    assert isinstance(signed.keys(whole.decode().encode(coding)), Fault)
    assert isinstance(signed.keys(b"\xef\xbb\xbf" + whole), Keys)
    assert isinstance(signed.keys(whole.replace(b"{", b'{"x": "\xed\xa0\x80", ', 1)), Fault)


def test_a_key_set_is_bounded_in_keys_and_in_bytes() -> None:
    entry = jwk(key("EdDSA"))
    assert len(holding(*[entry] * signed.KEYS_MAX).held) == signed.KEYS_MAX
    assert isinstance(signed.keys(document(*[entry] * (signed.KEYS_MAX + 1))), Fault)
    whole = document(entry)
    assert isinstance(signed.keys(whole + b" " * (signed.SET_BYTES_MAX - len(whole))), Keys)
    assert isinstance(signed.keys(whole + b" " * (signed.SET_BYTES_MAX - len(whole) + 1)), Fault)
