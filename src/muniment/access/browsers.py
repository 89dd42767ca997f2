"""Browsers that are logged in. A cookie is random, good for a while, and dead with the logout or another passphrase.

A form carries a token made of its browser's cookie, which no other site can know.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass

from muniment.access import minting
from muniment.access.cursors import CURSOR_KEY
from muniment.model.times import HOUR_MS
from muniment.store.connections import Connection, Store

LIFETIME_MS = 12 * HOUR_MS


@dataclass(frozen=True, slots=True)
class Browser:
    """A login. `hash` names it; the cookie itself is nowhere in the store."""

    hash: str
    principal: int


def cookie(entropy: Callable[[int], bytes]) -> str:
    """A fresh cookie, which stands for nobody yet."""
    return minting.mint("", entropy)[0]


def shaped(secret: str) -> bool:
    """Whether a text can be a cookie of ours."""
    return minting.shaped("", secret)


def log_in(store: Store, principal: int, before: str, now: int, entropy: Callable[[int], bytes]) -> str:
    """The cookie of a new login. The one the browser had before ends, whoever it stood for."""
    secret, key = minting.mint("", entropy)
    with store.write() as connection:
        connection.run("browser_end", {"hash": minting.hashed(before)})
        values = {"hash": key, "principal": principal, "now": now, "expires_at": now + LIFETIME_MS}
        connection.run("browser_add", values)
    return secret


def find(connection: Connection, secret: str, now: int) -> Browser | None:
    """Whose browser sends a cookie; None for one that is unknown, expired or logged out, or whose profile ended."""
    if not shaped(secret):
        return None
    row = connection.one("browser_by_hash", {"hash": minting.hashed(secret), "now": now})
    return Browser(*row) if row else None


def log_out(store: Store, secret: str) -> None:
    with store.write() as connection:
        connection.run("browser_end", {"hash": minting.hashed(secret)})


def form_token(connection: Connection, secret: str) -> str:
    """What a form of this browser has to carry."""
    row = connection.one("meta_get", {"key": CURSOR_KEY})
    assert row is not None, "every store is made with a key"
    return hmac.new(bytes.fromhex(row[0]), b"form\x00" + secret.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def own_form(connection: Connection, secret: str, token: str) -> bool:
    """Whether a form came from a page that was given to this browser."""
    right = form_token(connection, secret).encode()
    return shaped(secret) and hmac.compare_digest(right, token.encode("utf-8", "replace"))
