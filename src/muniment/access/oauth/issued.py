"""Whether a secret was issued here, spent and ended ones too. It proves nothing more: nobody gets anything for it.

A secret of 256 random bits that the store knows did not come from who only guesses, so its bearer is no stranger.
"""

from __future__ import annotations

from muniment.access import minting, tokens
from muniment.store.connections import Connection


def token_shaped(secret: str) -> bool:
    """Whether it can be an access token of ours at all."""
    return minting.shaped(tokens.PREFIX, secret)


def token(connection: Connection, secret: str) -> bool:
    """Whether it is or was an access token."""
    return connection.one("token_issued", {"hash": minting.hashed(secret)}) is not None


def grant(connection: Connection, *, code: str, refresh: str, ended: str) -> str:
    """The hash of what a request to the token endpoints brings that a client was given: a code, a refresh token, or a token to
    end. Empty where it brings none of them; an empty one is not asked for.
    """
    asked = ((code, "oauth_code_by_hash"), (refresh, "oauth_refresh_by_hash"), (ended, "oauth_refresh_by_hash"))
    for secret, name in asked:
        if secret and connection.one(name, {"hash": minting.hashed(secret)}) is not None:
            return minting.hashed(secret)
    return minting.hashed(ended) if ended and token(connection, ended) else ""
