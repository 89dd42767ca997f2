"""PKCE (RFC 7636), S256 only: a code is worth nothing without the verifier that its challenge was made of."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re

METHOD = "S256"
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43,128}")
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")


def sound(challenge: str) -> bool:
    """Whether a text can be a challenge: 43 to 128 characters of base64url."""
    return _CHALLENGE.fullmatch(challenge) is not None


def proves(verifier: str, challenge: str) -> bool:
    """Whether a verifier is the one that a challenge was made of."""
    if not _VERIFIER.fullmatch(verifier):
        return False
    made = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=")
    return hmac.compare_digest(made, challenge.encode())
