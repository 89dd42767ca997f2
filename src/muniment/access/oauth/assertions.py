"""Clients that sign who they are (`private_key_jwt`: RFC 7521 and 7523, as RFC 10070 has them).

An assertion is good once, for one client, for this server alone, and for minutes; a secret beside it is one proof too many.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Collection
from dataclasses import dataclass, field, replace

from muniment.access import minting, signed
from muniment.access.oauth import clients, keyrings, signing
from muniment.access.oauth.clients import Client
from muniment.access.oauth.keyrings import Ways
from muniment.access.oauth.refusals import Refused
from muniment.access.signed import LEEWAY_S, TYPES, Claims, Fault, Keys

TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
# Longer ones are kept for later use, which is what an assertion is not for.
LIFETIME_S_MAX = 300
# An assertion that says that it is one names the issuer and nothing else (RFC 10070).
OWN_TYPES = frozenset({"client-authentication+jwt"})
UNKNOWN = Refused("invalid_client", "The client is unknown, or does not sign.")


@dataclass(frozen=True, slots=True)
class Asserted:
    """What a client sent to be known by. `uid` is empty where the assertion alone names it."""

    uid: str
    assertion: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Audience:
    """Whom an assertion has to be for: the issuer, or as older clients write it, the token endpoint."""

    issuer: str
    endpoint: str


def authenticated(ways: Ways, shown: Asserted, audience: Audience) -> Client | Refused:
    """The client that signed an assertion, which is spent by it."""
    uid = named(shown.assertion)
    if uid is None or shown.uid not in ("", uid):
        return Refused("invalid_client", "The assertion names no client, or another one than client_id.")
    with ways.store.read() as connection:
        client = clients.find(connection, uid, ways.clock())
    if client is None or client.signing is None:
        return UNKNOWN
    claims = _verified(ways, client, shown.assertion, audience)
    if isinstance(claims, Fault):
        return Refused("invalid_client", f"The assertion is not taken. {claims.words}")
    if wrong := _misfit(claims, client, ways.clock() / 1000):
        return Refused("invalid_client", f"The assertion is not taken. {wrong}")
    if not _spent(ways, client, claims):
        return Refused("invalid_client", "The assertion came before. Each is good once.")
    return replace(client, auth_method=signing.METHOD)


def named(assertion: str) -> str | None:
    """The client that an assertion says it is of, which nobody has verified yet."""
    parts = assertion.split(".")
    if len(assertion) > signed.TOKEN_CHARACTERS_MAX or len(parts) != 3 or not assertion.isascii():
        return None
    try:
        said = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        return None
    uid = said.get("sub") if isinstance(said, dict) else None
    return uid if isinstance(uid, str) and uid and "\0" not in uid and uid.isprintable() else None


def _verified(ways: Ways, client: Client, assertion: str, audience: Audience) -> Claims | Fault:
    keys = keyrings.current(ways, client)
    if keys is None:
        return Fault("keys", "The keys of the client are not to be had now.")
    found = _judged(assertion, keys, client, audience, ways.clock() / 1000)
    if isinstance(found, Fault) and found.why == "unknown_key" and (newer := keyrings.renewed(ways, client)):
        return _judged(assertion, newer, client, audience, ways.clock() / 1000)
    return found


def _judged(assertion: str, keys: Keys, client: Client, audience: Audience, now: float) -> Claims | Fault:
    def judged(types: Collection[str], *whom: str) -> Claims | Fault:
        return signed.verified(assertion, keys, issuer=client.uid, audience=whom, now=now, types=types)

    found = judged(TYPES | OWN_TYPES, audience.issuer)
    if isinstance(found, Fault) and found.why == "audience":
        return judged(TYPES, audience.endpoint)
    return found


def _misfit(claims: Claims, client: Client, now: float) -> str:
    """What keeps a token that its client did sign from being an assertion of that client for us alone, or nothing."""
    if claims.subject != client.uid:
        return "iss and sub are both the client_id."
    if len(claims.audiences) != 1:
        return "It is meant for others too."
    if claims.expires_at > now + LIFETIME_S_MAX + LEEWAY_S:
        return f"It lasts for longer than {LIFETIME_S_MAX} seconds."
    return "" if claims.token_id else "It has no jti."


def _spent(ways: Ways, client: Client, claims: Claims) -> bool:
    """Spend an assertion; False for one that was spent before. Of two at once one wins."""
    with ways.store.write() as connection:
        # The clock of another process may be a little behind the one that sweeps.
        ends = math.ceil((claims.expires_at + LEEWAY_S) * 1000)
        values = {"hash": minting.hashed(f"{client.id} {claims.token_id}"), "expires_at": ends}
        return connection.one("oauth_assertion_spend", values) is not None
