"""Client-ID metadata documents: a client whose id is the https address of what it says of itself.

A document is only fetched for a person who is logged in and asked for it, and then held for a while.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any

from muniment.access import attempts, events
from muniment.access.events import CLIENT, Actor
from muniment.access.oauth import clients, registration, signing
from muniment.access.oauth.clients import AuthMethod, Client, NewClient
from muniment.access.oauth.fetching import Fetcher, fault, fetch
from muniment.access.oauth.refusals import Refused
from muniment.access.oauth.signing import Signing
from muniment.model.times import HOUR_MS, MINUTE_MS
from muniment.store.connections import Store

NOTHING = "none"
FRESH_MS = HOUR_MS
# What is held serves so long while its address does not answer.
STALE_MS = 24 * HOUR_MS
FETCHES_MAX = 30
FETCHES_WINDOW_MS = 10 * MINUTE_MS


def is_address(uid: str) -> bool:
    """Whether a client_id is the address of a document, and no id that we gave."""
    return uid.startswith("https://")


def resolve(
    store: Store, url: str, principal: int, apps: Collection[str], how: Fetcher, clock: Callable[[], int]
) -> Client | Refused:
    """The client of a document, fetched when what is held is too old. `principal` is who asks for it."""
    wrong = fault(url)
    if wrong:
        return Refused("invalid_client", wrong)
    now = clock()
    with store.read() as connection:
        held = clients.find(connection, url, now)
    if held is not None and held.checked_at is not None and now - held.checked_at < FRESH_MS:
        return held
    with store.write() as connection:
        if attempts.within(connection, f"document:{principal}", FETCHES_MAX, FETCHES_WINDOW_MS, now):
            return Refused("invalid_client", "Too many clients were asked for. Wait some minutes.")
    body = fetch(url, how)
    if isinstance(body, Refused):
        usable = held is not None and held.checked_at is not None and now - held.checked_at < STALE_MS
        return held if usable and held is not None else body
    return _kept(store, url, body, apps, clock(), Actor(principal, "web"))


def reread(store: Store, url: str, apps: Collection[str], how: Fetcher, clock: Callable[[], int]) -> Client | Refused:
    """The client of a document as it lies at its address now. Whoever calls this counts how often."""
    body = fetch(url, how)
    return body if isinstance(body, Refused) else _kept(store, url, body, apps, clock(), CLIENT)


def _kept(store: Store, url: str, body: bytes, apps: Collection[str], now: int, by: Actor) -> Client | Refused:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return Refused("invalid_client", "The client's metadata is no JSON.")
    wrong = faulty(url, document)
    if wrong:
        return Refused("invalid_client", wrong)
    uris = registration.uris_of(document, apps)
    if isinstance(uris, Refused):
        return uris
    name = registration.name_of(document, uris)
    if isinstance(name, Refused):
        return name
    way = signs(document)
    assert not isinstance(way, Refused), "faulty has looked"
    method: AuthMethod = "none" if NOTHING in methods(document) else signing.METHOD
    with store.write() as connection:
        known = clients.find(connection, url, now) is not None
        if not known and not clients.room(connection):
            return Refused("invalid_client", "This server has no room for another client now.")
        made = clients.add(connection, url, NewClient("document", name, uris, method, signing=way, checked_at=now), now)
        assert made is not None, "it is there now, by us or by somebody else"
        values = {"id": made.id, "name": name, "redirects": json.dumps(uris), "auth_method": method, "now": now}
        connection.run("oauth_client_read", values | {"metadata": signing.stored(way)})
        clients.renew(connection, made, now)
        row = connection.one("oauth_client_by_uid", {"uid": url})
        assert row is not None, "it was there a moment ago"
        client = clients.noun(row)
        if not known:
            events.enter_stranger(connection, by, "client_registered", clients.subject(client), now, {"sort": client.kind})
        return client


def faulty(url: str, document: Any) -> str:
    """What makes a document none of the client of this address, or nothing."""
    if not isinstance(document, dict):
        return "The client's metadata is no JSON object."
    if document.get("client_id") != url:
        return "The client_id in the metadata is not its address."
    if "client_secret" in document:
        return "Metadata that everybody can read holds no secret."
    if not methods(document) & {NOTHING, signing.METHOD}:
        return f"A client of this kind signs, or shows nothing but PKCE: token_endpoint_auth_method {signing.METHOD} or none."
    way = signs(document)
    return way.description if isinstance(way, Refused) else ""


def methods(document: dict[str, Any]) -> frozenset[str]:
    """How a client may identify itself: as it prefers, or as it says in a list that it can as well (RP Metadata Choices)."""
    can = document.get("token_endpoint_auth_methods_supported")
    preferred = document.get("token_endpoint_auth_method", NOTHING)
    return frozenset(one for one in (preferred, *(can if isinstance(can, list) else ())) if isinstance(one, str))


def signs(document: dict[str, Any]) -> Signing | Refused | None:
    """How the client of a document signs. One that can do without is not refused for keys that are of no use."""
    able = methods(document)
    if signing.METHOD not in able:
        return None
    found = signing.of(document, fetches=True)
    return None if isinstance(found, Refused) and NOTHING in able else found
