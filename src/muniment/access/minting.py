"""Secrets that are shown once: codes, refresh tokens, client secrets, tickets, and the cookie of a browser.

The store holds hashes only, and looks a secret up by its hash; where two hashes are compared, it takes constant time.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Callable

SECRET_BYTES = 32
_SHAPE = re.compile(r"[A-Za-z0-9_-]{43}")


def mint(prefix: str, entropy: Callable[[int], bytes]) -> tuple[str, str]:
    """A new secret and its hash. 256 random bits need no slow hash."""
    secret = prefix + base64.urlsafe_b64encode(entropy(SECRET_BYTES)).decode().rstrip("=")
    return secret, hashed(secret)


def hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def shaped(prefix: str, secret: str) -> bool:
    """Whether a text can be a secret of ours at all."""
    return secret.startswith(prefix) and _SHAPE.fullmatch(secret[len(prefix) :]) is not None


def same(held: str, secret: str) -> bool:
    """Whether a secret is the one of a hash."""
    return hmac.compare_digest(held.encode(), hashed(secret).encode())
