"""Dynamic registration (RFC 7591), open to strangers: so it is counted, capped, and gives nothing but a name to ask under.

The same public client registered again is the same row, whatever the limits say, since some clients register at every start.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from muniment.access import attempts, events, minting
from muniment.access.events import CLIENT
from muniment.access.oauth import clients, redirects, signing
from muniment.access.oauth.clients import METHODS, AuthMethod, Client, NewClient
from muniment.access.oauth.refusals import Limited, Refused
from muniment.access.oauth.signing import Signing
from muniment.model.times import MINUTE_MS
from muniment.store.connections import Connection, Store
from muniment.text import plain

REDIRECTS_MAX = 10
NAME_BYTES_MAX = 400
WINDOW_MS = 10 * MINUTE_MS
# One address may be a hosted service's that registers for many people.
A_WINDOW_MAX = 20
A_WINDOW_MAX_ALL = 200
SECRET_METHODS = ("client_secret_post", "client_secret_basic")
GRANT_TYPES = ("authorization_code", "refresh_token")


@dataclass(frozen=True, slots=True)
class Registered:
    """`secret` is empty for a public client, and shown this once."""

    client: Client
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Wanted:
    name: str
    redirects: tuple[str, ...]
    method: AuthMethod
    signing: Signing | None

    @property
    def fingerprint(self) -> str | None:
        """Only a client without a secret can be the same again: another one is told by that. Keys are public."""
        if self.method in SECRET_METHODS:
            return None
        own = [self.name, sorted(self.redirects), *([signing.stored(self.signing)] if self.signing else [])]
        return hashlib.sha256(json.dumps(own).encode()).hexdigest()


def register(
    store: Store,
    metadata: Any,
    sender: str,
    apps: Collection[str],
    now: int,
    entropy: Callable[[int], bytes],
    *,
    fetches: bool = True,
) -> Registered | Refused | Limited:
    """Register a client from the metadata that it sent. `sender` is the address that the request came from.

    `fetches`: keys may lie at an address; nothing is fetched here.
    """
    wanted = _wanted(metadata, apps, fetches=fetches)
    if isinstance(wanted, Refused):
        return wanted
    with store.read() as connection:
        held = _known(connection, wanted)
    if held is not None and not clients.fades(held, now):
        return Registered(held, "")  # nothing is written, however often it comes
    with store.write() as connection:
        known = _known(connection, wanted)
        if known is not None:
            clients.renew(connection, known, now)
            return Registered(known, "")
        wait = _wait(connection, sender, now)
        if wait:
            return Limited(wait)
        if not clients.room(connection):
            return Limited(WINDOW_MS)
        return _new(connection, wanted, now, entropy)


def familiar(connection: Connection, metadata: Any, apps: Collection[str], *, fetches: bool) -> str:
    """The fingerprint of the client without a secret that metadata describes, if it is registered, else nothing."""
    wanted = _wanted(metadata, apps, fetches=fetches)
    if isinstance(wanted, Refused) or wanted.fingerprint is None or _known(connection, wanted) is None:
        return ""
    return wanted.fingerprint


def _wait(connection: Connection, sender: str, now: int) -> int:
    own = attempts.within(connection, f"register:{attempts.origin(sender)}", A_WINDOW_MAX, WINDOW_MS, now)
    return own or attempts.within(connection, "register", A_WINDOW_MAX_ALL, WINDOW_MS, now)


def _new(connection: Connection, wanted: _Wanted, now: int, entropy: Callable[[int], bytes]) -> Registered:
    uid, _ = minting.mint(clients.ID_PREFIX, entropy)
    secret, key = ("", None) if wanted.method not in SECRET_METHODS else minting.mint(clients.SECRET_PREFIX, entropy)
    new = NewClient("registered", wanted.name, wanted.redirects, wanted.method, key, wanted.signing, wanted.fingerprint)
    made = clients.add(connection, uid, new, now)
    if made is None:  # another process registered the same at this moment
        made = _known(connection, wanted)
    assert made is not None, "one of the two is there"
    events.enter_stranger(connection, CLIENT, "client_registered", clients.subject(made), now, {"sort": made.kind})
    return Registered(made, secret)


def _known(connection: Connection, wanted: _Wanted) -> Client | None:
    if wanted.fingerprint is None:
        return None
    row = connection.one("oauth_client_by_fingerprint", {"fingerprint": wanted.fingerprint})
    return clients.noun(row) if row else None


def _wanted(metadata: Any, apps: Collection[str], *, fetches: bool) -> _Wanted | Refused:
    if not isinstance(metadata, dict):
        return Refused("invalid_client_metadata", "The body is no JSON object.")
    uris = uris_of(metadata, apps)
    if isinstance(uris, Refused):
        return uris
    method = metadata.get("token_endpoint_auth_method") or "none"
    if method not in METHODS:
        return Refused("invalid_client_metadata", f"token_endpoint_auth_method is one of {', '.join(METHODS)}.")
    for field_name, needed in (("grant_types", GRANT_TYPES[0]), ("response_types", "code")):
        given = metadata.get(field_name)
        if given is not None and (not isinstance(given, list) or needed not in given):
            return Refused("invalid_client_metadata", f"{field_name} has to hold {needed}: there is no other way in here.")
    name = name_of(metadata, uris)
    way = signing.of(metadata, fetches=fetches) if method == signing.METHOD else None
    if isinstance(name, Refused):
        return name
    if isinstance(way, Refused):
        return way
    return _Wanted(name, uris, method, way)


def uris_of(metadata: dict[str, Any], apps: Collection[str]) -> tuple[str, ...] | Refused:
    """The redirects of some metadata, each of which a client may be answered at."""
    given = metadata.get("redirect_uris")
    if not isinstance(given, list) or not 1 <= len(given) <= REDIRECTS_MAX:
        return Refused("invalid_redirect_uri", f"redirect_uris is a list of 1 to {REDIRECTS_MAX} addresses.")
    for uri in given:
        fault = redirects.fault(uri, apps) if isinstance(uri, str) else "A redirect is a text."
        if fault:
            return Refused("invalid_redirect_uri", fault)
    return tuple(dict.fromkeys(given))


def name_of(metadata: dict[str, Any], uris: tuple[str, ...]) -> str | Refused:
    """The name of a client as it is shown, by default the host that it is answered at."""
    name = metadata.get("client_name")
    if name is None:
        name = ""
    if not isinstance(name, str) or len(name.encode("utf-8", "replace")) > NAME_BYTES_MAX:
        return Refused("invalid_client_metadata", f"client_name is a text of at most {NAME_BYTES_MAX} bytes.")
    return clients.named(plain.clean(name), uris)
