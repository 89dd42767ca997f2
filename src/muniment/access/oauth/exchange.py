"""What a code and a refresh token are exchanged for. Each is good once, for the client it was given to.

A code that comes twice, or a refresh token that comes again too late, was stolen: it ends its whole family.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from muniment.access import limits, minting, profiles, tokens, walls
from muniment.access.limits import Limits
from muniment.access.oauth import grants, pkce, signing
from muniment.access.oauth.asking import SCOPES
from muniment.access.oauth.clients import Client
from muniment.access.oauth.refusals import Refused
from muniment.access.walls import Names
from muniment.access.zones import LIFETIME_MS_MAX
from muniment.model import ids
from muniment.model.access import DataClass
from muniment.model.times import DAY_MS, HOUR_MS, MINUTE_MS
from muniment.store.connections import Connection, Store

ACCESS_MS = 12 * HOUR_MS
REFRESH_MS = 60 * DAY_MS
# Two windows of one program refresh at once, or an answer is lost: so long a spent refresh token still gets new ones,
GRACE_MS = MINUTE_MS
# and not for ever more. Whoever asks too often is refused, and the family lives on: a busy program is no thief.
ANSWERS_MAX = 5
# Of a family, however its tokens came about. The oldest make room: they are the ones whose answer was lost.
LIVE_MAX = 10
REFRESH_PREFIX = "mr_"
REPLAYED = "its code came twice"
REUSED = "its refresh token came again"
BY_CLIENT = "revoked by its client"
NO_CODE = Refused("invalid_grant", "The code is unknown, expired, spent, or was given to another client, redirect or verifier.")
NO_REFRESH = Refused("invalid_grant", "The refresh token is unknown, expired, spent or revoked.")


@dataclass(frozen=True, slots=True)
class Issued:
    """New tokens, which nobody can show again."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)
    expires_s: int
    scopes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Held:
    """The row of a grant that this transaction holds."""

    id: int
    client: int
    principal: int
    scopes: tuple[str, ...]
    read: str | None
    write: str | None
    current: int | None
    classes: frozenset[DataClass]
    audience: str
    created_at: int
    signed: bool


def by_code(
    store: Store,
    client: Client,
    code: str,
    redirect: str | None,
    verifier: str,
    now: int,
    entropy: Callable[[int], bytes],
) -> Issued | Refused:
    """The tokens of a code. The second who brings it gets nothing, and takes from the first what that one got."""
    with store.write() as connection:
        row = connection.one("oauth_code_by_hash", {"hash": minting.hashed(code)})
        if row is None:
            return NO_CODE
        number, owner, where, given, challenge, expires_at, spent_at = row
        if spent_at is not None:
            grants.end(connection, number, now, REPLAYED)
            return NO_CODE
        fits = redirect == where or (redirect is None and not given)
        if owner != client.id or expires_at <= now or not fits or not pkce.proves(verifier, challenge):
            return NO_CODE
        # Of two at once the second waits here, and then finds it spent.
        if connection.one("oauth_code_spend", {"hash": minting.hashed(code), "now": now}) is None:
            grants.end(connection, number, now, REPLAYED)
            return NO_CODE
        held = _hold(connection, number, now)
        if client.auth_method == signing.METHOD:
            connection.run("oauth_grant_signed", {"id": number})
        return NO_CODE if held is None else _issue(connection, held, client, held.scopes, now, entropy)


def by_refresh(
    store: Store, client: Client, refresh: str, scope: str, now: int, entropy: Callable[[int], bytes]
) -> Issued | Refused:
    """New tokens for a refresh token. `scope` may ask for less this time, never for more."""
    key = {"hash": minting.hashed(refresh)}
    with store.write() as connection:
        row = connection.one("oauth_refresh_by_hash", key)
        if row is None:
            return NO_REFRESH
        number, owner, _, expires_at, _, _ = row
        if owner != client.id or expires_at <= now:
            return NO_REFRESH
        held = _hold(connection, number, now)
        # Read again: whoever held the grant before us may have spent it.
        row = connection.one("oauth_refresh_by_hash", key)
        if held is None or row is None or (held.signed and client.auth_method != signing.METHOD):
            return NO_REFRESH
        _, _, scopes, _, spent_at, answers = row
        if spent_at is not None and now - spent_at > GRACE_MS:
            grants.end(connection, held.id, now, REUSED)
            return NO_REFRESH
        if answers >= ANSWERS_MAX:
            return NO_REFRESH
        wanted = _narrowed(scope, scopes)
        if isinstance(wanted, Refused):
            return wanted
        issued = _issue(connection, held, client, wanted, now, entropy)
        if isinstance(issued, Issued):
            connection.run("oauth_refresh_spend", key | {"now": now})
            made = minting.hashed(issued.refresh)
            connection.run("oauth_refresh_older", {"grant": held.id, "made": made, "keep": LIVE_MAX - 1})
        return issued


def revoke(store: Store, client: Client, token: str, now: int) -> Refused | None:
    """End the family of an access or refresh token (RFC 7009). One that nobody knows is as good as revoked."""
    key = {"hash": minting.hashed(token)}
    with store.write() as connection:
        row = connection.one("oauth_refresh_by_hash", key) or connection.one("oauth_token_family", key)
        if row is None:
            return None
        if row[1] != client.id:
            return Refused("invalid_grant", "The token was given to another client.")
        grants.end(connection, int(row[0]), now, BY_CLIENT)
        return None


def _narrowed(scope: str, granted: str) -> tuple[str, ...] | Refused:
    held = tuple(granted.split())
    asked = scope.split()
    if not asked:
        return held
    if not frozenset(asked) <= frozenset(held):
        return Refused("invalid_scope", "A refresh token gives no more than was granted.")
    return tuple(one for one in held if one in asked)


def _hold(connection: Connection, number: int, now: int) -> _Held | None:
    """The grant, which nobody can end before this transaction does; None when it has ended."""
    row = connection.one("oauth_grant_hold", {"id": number, "now": now})
    if row is None:
        return None
    client, principal, scopes, read, write, current, classes, audience, created_at, signed = row
    held = frozenset(classes.split())
    return _Held(
        number, client, principal, tuple(scopes.split()), read, write, current, held, audience, created_at, bool(signed)
    )


def _issue(
    connection: Connection, held: _Held, client: Client, wanted: tuple[str, ...], now: int, entropy: Callable[[int], bytes]
) -> Issued | Refused:
    """Tokens of a grant, as far as its profile allows today."""
    profile = profiles.profile(connection, held.principal)
    if profile is None:
        return Refused("invalid_grant", "The profile that granted this has ended.")
    names = Names(connection, (held.read, held.write, held.current))
    asked = Limits(frozenset(wanted), names.wall(held.read), names.wall(held.write), held.classes)
    left = limits.meet(profile.limits, asked)
    scopes = tuple(scope for scope in SCOPES if scope in left.scopes)
    if not scopes:
        return Refused("invalid_grant", "The profile that granted this holds none of its scopes any more.")
    access = _access(connection, held, client, left, names.one(held.current), now, entropy)
    ends = min(now + REFRESH_MS, held.created_at + LIFETIME_MS_MAX.get(profile.zone, now + REFRESH_MS))
    refresh, key = minting.mint(REFRESH_PREFIX, entropy)
    values = {"hash": key, "grant": held.id, "scopes": " ".join(held.scopes), "now": now, "expires_at": ends}
    connection.run("oauth_refresh_add", values)
    return Issued(access, refresh, ACCESS_MS // 1000, scopes)


def _access(
    connection: Connection,
    held: _Held,
    client: Client,
    left: Limits,
    current: str | None,
    now: int,
    entropy: Callable[[int], bytes],
) -> str:
    if current is None or not walls.within(current, left.read):
        current = walls.only(left.read, left.write)
    numbers = walls.numbers(connection, walls.named(left.read, left.write, frozenset({current} if current else ())))
    secret, key = tokens.mint(entropy)
    connection.run(
        "oauth_token_add",
        {
            "uid": ids.uid(now, entropy(10)),
            "principal": held.principal,
            "hash": key,
            "label": client.name,
            "scopes": " ".join(sorted(left.scopes)),
            "read": walls.held(left.read, numbers),
            "write": walls.held(left.write, numbers),
            "default_workspace": numbers[current] if current else None,
            "now": now,
            "expires_at": now + ACCESS_MS,
            "zone": left.zone,
            "classes": " ".join(sorted(left.classes)),
            "mode": left.write_mode,
            "grant": held.id,
            "audience": held.audience,
        },
    )
    return secret
