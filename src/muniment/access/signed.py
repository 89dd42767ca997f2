"""Signed tokens (JWS of RFC 7515 with claims of RFC 7519) and the key sets that they are verified with (RFC 7517).

A key fixes the algorithms that it may verify, by what it is: what a token's header says only chooses among them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from cryptography.exceptions import UnsupportedAlgorithm
from jwt import PyJWK
from jwt.api_jws import PyJWS
from jwt.exceptions import PyJWTError
from jwt.utils import base64url_decode

# A header of HTTP holds no more.
TOKEN_CHARACTERS_MAX = 16_384
SET_BYTES_MAX = 131_072
KEYS_MAX = 64
KEY_MEMBER_CHARACTERS_MAX = 1_400
KID_LENGTH_MAX = 500
RSA_BITS_MIN = 2_048
RSA_BITS_MAX = 8_192
# How far the clock of an honest signer may be ahead of ours. The end of a token is its end.
LEEWAY_S = 60
# What a token may call itself. Those of other kinds, such as a logout, are signed with the same keys.
TYPES = frozenset({"", "jwt", "application/jwt"})

RSA_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
# By the kind of key and its curve (RFC 7518, 3.4 and RFC 8037).
ALGORITHMS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("RSA", ""): RSA_ALGORITHMS,
    ("EC", "P-256"): ("ES256",),
    ("EC", "P-384"): ("ES384",),
    ("EC", "P-521"): ("ES512",),
    ("OKP", "Ed25519"): ("EdDSA",),
    ("OKP", "Ed448"): ("EdDSA",),
}
# Of a key that came with its private half, only this is looked at.
PUBLIC_MEMBERS = ("kty", "crv", "n", "e", "x", "y")

Why = Literal["keys", "no_keys", "malformed", "algorithm", "critical", "unknown_key", "signature", "time", "issuer", "audience"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a key set or a token is not believed. `words` hold nothing that was sent; `unknown_key` may pass with newer keys, and
    `no_keys` says of a sound set that no key of it can be used."""

    why: Why
    words: str


@dataclass(frozen=True, slots=True)
class Key:
    """A public key, by the name that its owner gives it; `material` is an object of `cryptography`."""

    kid: str | None
    algorithms: frozenset[str]
    material: Any


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one owner that can be used: at least one, KEYS_MAX at most."""

    held: tuple[Key, ...]

    def fitting(self, kid: str | None, algorithm: str) -> tuple[Key, ...]:
        """The keys that a token may be signed with. One that names no key has to leave no choice."""
        able = tuple(key for key in self.held if algorithm in key.algorithms)
        return able[: len(able) == 1] if kid is None else tuple(key for key in able if key.kid == kid)


@dataclass(frozen=True, slots=True)
class Claims:
    """What a verified token says. Times are Unix seconds; `said` holds every claim as it came, for those without a field."""

    issuer: str
    subject: str | None
    audiences: tuple[str, ...]
    expires_at: float
    issued_at: float | None
    token_id: str | None
    said: Mapping[str, Any]

    def text(self, name: str) -> str | None:
        """A claim that is a text and not empty."""
        value = self.said.get(name)
        return value if isinstance(value, str) and value else None

    def words(self, name: str) -> frozenset[str] | None:
        """A claim that lists words, as an array or with spaces between them; None where the token does not have it."""
        value = self.said.get(name)
        if isinstance(value, str):
            return frozenset(value.split())
        return frozenset(one for one in value if isinstance(one, str)) if isinstance(value, list) else None


def keys(document: bytes) -> Keys | Fault:
    """The usable keys of a JWKS document.

    Kinds that are unknown are left out (RFC 7517, 5), and so are symmetric keys, RSA keys of fewer than RSA_BITS_MIN bits, and
    keys that are for something else than signatures. A set of which nothing is left is a fault.
    """
    if len(document) > SET_BYTES_MAX:
        return Fault("keys", f"The key set has more than {SET_BYTES_MAX:,} bytes.")
    try:
        # As UTF-8 and nothing else (RFC 8259, 8.1): left to itself, the reader takes UTF-16 too.
        parsed = json.loads(document.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return Fault("keys", "The key set is no JSON.")
    listed = parsed.get("keys") if isinstance(parsed, dict) else None
    if not isinstance(listed, list):
        return Fault("keys", "The key set has no list of keys.")
    if len(listed) > KEYS_MAX:
        return Fault("keys", f"The key set has more than {KEYS_MAX} keys.")
    usable = tuple(key for one in listed if (key := _key(one)) is not None)
    if not usable:
        advice = f"RSA of {RSA_BITS_MIN} bits or more, P-256, P-384, P-521, Ed25519 and Ed448 can be."
        return Fault("no_keys", f"No key of the set can be used: {advice}")
    return Keys(usable)


def _key(entry: Any) -> Key | None:
    """One key of a set, if it is one that may verify a signature."""
    if not isinstance(entry, dict) or entry.get("use", "sig") != "sig":
        return None
    if "key_ops" in entry and not (isinstance(entry["key_ops"], list) and "verify" in entry["key_ops"]):
        return None
    kid, named = entry.get("kid"), entry.get("alg")
    members = {name: entry[name] for name in PUBLIC_MEMBERS if name in entry}
    if any(not isinstance(one, str) or len(one) > KEY_MEMBER_CHARACTERS_MAX for one in members.values()):
        return None
    if kid is not None and not (isinstance(kid, str) and len(kid) <= KID_LENGTH_MAX):
        return None
    able = ALGORITHMS.get((members.get("kty", ""), members.get("crv", "")), ())
    if named is not None:
        able = tuple(one for one in able if one == named)
    if not able:
        return None
    try:
        material = PyJWK(members, able[0]).key
    except (PyJWTError, UnsupportedAlgorithm, ValueError, KeyError):
        return None
    if members["kty"] == "RSA" and not RSA_BITS_MIN <= material.key_size <= RSA_BITS_MAX:
        return None
    return Key(kid, frozenset(able), material)


def verified(
    token: str,
    keys: Keys,
    *,
    issuer: str,
    audience: Collection[str],
    now: float,
    types: Collection[str] = TYPES,
) -> Claims | Fault:
    """What a token says, if its owner signed it, it is meant for one of `audience`, and it is good at `now` (Unix seconds).

    `types` are the values of `typ` that are let through, lower case; an empty one stands for a header without it.
    """
    if len(token) > TOKEN_CHARACTERS_MAX:
        return Fault("malformed", f"The token has more than {TOKEN_CHARACTERS_MAX:,} characters.")
    payload = _signed(token, keys, types)
    if isinstance(payload, Fault):
        return payload
    try:
        said = json.loads(payload)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        return Fault("malformed", "The token holds no claims.")
    return _judged(said, issuer, audience, now)


def _signed(token: str, keys: Keys, types: Collection[str]) -> bytes | Fault:
    """The payload of a token that one of the keys signed."""
    header = _header(token)
    if header is None:
        return Fault("malformed", "The token is no signed one.")
    algorithm, kid, kind = header.get("alg"), header.get("kid"), header.get("typ", "")
    if not any(algorithm in able for able in ALGORITHMS.values()):
        return Fault("algorithm", "The token is not signed in a way that is taken: RS, PS and ES with 256 to 512, or EdDSA.")
    if "crit" in header or "b64" in header:
        return Fault("critical", "The token asks for an extension that is not known here.")
    if not isinstance(kind, str) or kind.lower() not in types or not isinstance(kid, str | None):
        return Fault("malformed", "The token is one of another kind.")
    fitting = keys.fitting(kid, str(algorithm))
    if not fitting:
        return Fault("unknown_key", "The token is signed with a key that its issuer does not publish.")
    for key in fitting:
        try:
            payload: bytes = PyJWS().decode_complete(token, key.material, [str(algorithm)])["payload"]
        except (PyJWTError, ValueError):
            continue  # two keys may have one name while the older one is on its way out
        return payload
    return Fault("signature", "The signature of the token is not its issuer's.")


def _header(token: str) -> dict[str, Any] | None:
    """What a token says of itself, which nobody has signed yet; None for what has not the form of one."""
    parts = token.split(".")
    if len(parts) != 3 or not token.isascii():
        return None
    try:
        header = json.loads(base64url_decode(parts[0]))
    except (ValueError, RecursionError):
        return None
    return header if isinstance(header, dict) else None


def _judged(said: Mapping[str, Any], issuer: str, audience: Collection[str], now: float) -> Claims | Fault:
    """The claims, if they say that the token is meant for us and now."""
    times = {name: said[name] for name in ("exp", "nbf", "iat") if name in said}
    if not all(isinstance(at, int | float) and not isinstance(at, bool) and _finite(at) for at in times.values()):
        return Fault("malformed", "The times of the token are no numbers.")
    if "exp" not in times:
        return Fault("time", "The token never expires.")
    if times["exp"] <= now:
        return Fault("time", "The token has expired.")
    if max(times.get("nbf", now), times.get("iat", now)) - LEEWAY_S > now:
        return Fault("time", "The token is not good yet.")
    if said.get("iss") != issuer:
        return Fault("issuer", "The token is of another issuer.")
    listed = said.get("aud")
    audiences = (listed,) if isinstance(listed, str) else tuple(listed) if isinstance(listed, list) else ()
    if not all(isinstance(one, str) for one in audiences) or not set(audiences) & set(audience):
        return Fault("audience", "The token is meant for another server.")
    subject, token_id = said.get("sub"), said.get("jti")
    return Claims(
        issuer=issuer,
        subject=subject if isinstance(subject, str) and subject else None,
        audiences=audiences,
        expires_at=times["exp"],
        issued_at=times.get("iat"),
        token_id=token_id if isinstance(token_id, str) and token_id else None,
        said=said,
    )


def _finite(at: int | float) -> bool:
    try:
        return math.isfinite(at)
    except OverflowError:  # a whole number with more digits than a float has room for
        return False
