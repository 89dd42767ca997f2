"""How a client that signs is known: by public keys that its metadata holds, or that lie at an address which its metadata names.

What everybody may read holds no secret, and one kind of key at a time says whose a signature is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from muniment.access import signed
from muniment.access.oauth import fetching
from muniment.access.oauth.refusals import Refused
from muniment.access.signed import Fault, Keys

METHOD: Literal["private_key_jwt"] = "private_key_jwt"
INLINE_BYTES_MAX = fetching.BYTES_MAX
# What only the owner of a key has, and what is a key by itself (RFC 7518, 6).
PRIVATE_MEMBERS = frozenset({"d", "k", "p", "q", "dp", "dq", "qi", "oth"})
ALGORITHMS = tuple(sorted({one for able in signed.ALGORITHMS.values() for one in able}))
INLINE, ADDRESS, ALGORITHM = "jwks", "jwks_uri", "token_endpoint_auth_signing_alg"


@dataclass(frozen=True, slots=True)
class Signing:
    """Either `inline`, a key set as JSON, or `address`, where one lies. `algorithm`: the only one it signs with, if any."""

    inline: str | None
    address: str | None
    algorithm: str | None = None

    def keys(self, document: bytes) -> Keys | Fault:
        """The keys of a set, as far as they may sign in the one way that was named."""
        found = signed.keys(document)
        if isinstance(found, Fault) or self.algorithm is None:
            return found
        only = frozenset({self.algorithm})
        left = tuple(replace(key, algorithms=key.algorithms & only) for key in found.held if key.algorithms & only)
        return Keys(left) if left else Fault("keys", f"No key of the set can sign with {self.algorithm}.")


def of(metadata: Mapping[str, Any], *, fetches: bool) -> Signing | Refused:
    """How the client of some metadata signs. `fetches`: this server opens connections to addresses that clients name."""
    inline, address, algorithm = metadata.get(INLINE), metadata.get(ADDRESS), metadata.get(ALGORITHM)
    if algorithm is not None and algorithm not in ALGORITHMS:
        return _wrong(f"{ALGORITHM} is one of {', '.join(ALGORITHMS)}.")
    if (inline is None) is (address is None):
        return _wrong(f"A client that signs has either {INLINE} or {ADDRESS}.")
    if address is not None:
        return _lying_at(address, algorithm, fetches=fetches)
    try:
        text = json.dumps(inline, allow_nan=False)
    except ValueError:  # Python reads numbers that JSON does not have, and could not answer with them
        return _wrong(f"{INLINE} is no JSON.")
    if len(text) > INLINE_BYTES_MAX:
        return _wrong(f"{INLINE} has at most {INLINE_BYTES_MAX:,} bytes.")
    if any(PRIVATE_MEMBERS & one.keys() for one in _listed(inline)):
        return _wrong(f"{INLINE} holds a private key. Take it out, and make another: this one is known now.")
    made = Signing(text, None, algorithm)
    found = made.keys(text.encode())
    return _wrong(found.words) if isinstance(found, Fault) else made


def _lying_at(address: Any, algorithm: str | None, *, fetches: bool) -> Signing | Refused:
    if not fetches:
        return _wrong(f"This server fetches nothing of clients. Send {INLINE}.")
    wrong = fetching.fault(address, "a client's keys") if isinstance(address, str) else f"{ADDRESS} is a text."
    return _wrong(wrong) if wrong else Signing(None, address, algorithm)


def _listed(inline: Any) -> list[dict[str, Any]]:
    keys = inline.get("keys") if isinstance(inline, dict) else None
    return [one for one in keys if isinstance(one, dict)] if isinstance(keys, list) else []


def metadata(signing: Signing) -> dict[str, object]:
    """A client's way to sign as its metadata names it."""
    told: dict[str, object] = json.loads(stored(signing))
    return told | ({INLINE: json.loads(signing.inline)} if signing.inline is not None else {})


def stored(signing: Signing | None) -> str:
    """A client's way to sign as a row holds it."""
    if signing is None:
        return "{}"
    said = {INLINE: signing.inline, ADDRESS: signing.address, ALGORITHM: signing.algorithm}
    return json.dumps({name: value for name, value in said.items() if value is not None})


def read(held: str) -> Signing | None:
    """A client's way to sign, from its row."""
    said = json.loads(held)
    return Signing(said.get(INLINE), said.get(ADDRESS), said.get(ALGORITHM)) if said else None


def _wrong(words: str) -> Refused:
    return Refused("invalid_client_metadata", words)
