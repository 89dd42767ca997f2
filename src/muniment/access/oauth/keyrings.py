"""The keys of clients that sign: inline ones from their rows, others fetched from where their owners publish them, and kept.

Nothing is fetched for a client that nobody granted anything, nor more often than once in PAUSE_MS, nor inside a transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from muniment.access.oauth import documents, signing
from muniment.access.oauth.clients import Client
from muniment.access.oauth.fetching import Fetcher, fetch
from muniment.access.oauth.refusals import Refused
from muniment.access.signed import Fault, Keys
from muniment.model.times import HOUR_MS, SECOND_MS
from muniment.store.connections import Store

FRESH_MS = HOUR_MS
# What is held serves so long while its address does not answer.
STALE_MS = 24 * HOUR_MS
# Anybody can send a signature with a key that is not known, and so make us look for newer ones.
PAUSE_MS = 30 * SECOND_MS


@dataclass(frozen=True, slots=True)
class Ways:
    """How keys are reached: the store, a fetcher (None: nothing is fetched), the schemes of apps, and the time."""

    store: Store
    fetcher: Fetcher | None
    apps: Collection[str]
    clock: Callable[[], int]


def current(ways: Ways, client: Client) -> Keys | None:
    """The keys of a client, newer ones where what is held is old; None where there are none that can be trusted."""
    found, at = _held(ways, client)
    if not _published(client):
        return found
    age = STALE_MS if found is None or at is None else ways.clock() - at
    if age >= FRESH_MS and (newer := renewed(ways, client)):
        return newer
    return found if age < STALE_MS else None


def renewed(ways: Ways, client: Client) -> Keys | None:
    """The keys that a client publishes now; None where that cannot be asked for, or was asked for a moment ago."""
    if ways.fetcher is None or client.used_at is None or not _published(client):
        return None
    now = ways.clock()
    with ways.store.write() as connection:
        if connection.one("oauth_client_keys_try", {"id": client.id, "now": now, "before": now - PAUSE_MS}) is None:
            return None
    if client.signing is not None and client.signing.address is None:
        return _of_document(ways, ways.fetcher, client)
    return _fetched(ways, ways.fetcher, client)


def _published(client: Client) -> bool:
    """Whether there is an address where newer keys may lie."""
    return client.signing is not None and (client.signing.address is not None or client.kind == "document")


def _held(ways: Ways, client: Client) -> tuple[Keys | None, int | None]:
    """The keys that are held, and when they were read."""
    assert client.signing is not None, "only clients that sign have keys"
    document, at = client.signing.inline, client.checked_at
    if document is None:
        with ways.store.read() as connection:
            row = connection.one("oauth_client_keys", {"id": client.id})
        document, at = row if row else (None, None)
    found = client.signing.keys(document.encode()) if document else None
    return (None if isinstance(found, Fault) else found), at


def _fetched(ways: Ways, fetcher: Fetcher, client: Client) -> Keys | None:
    way = client.signing
    body = fetch(way.address, fetcher) if way is not None and way.address is not None else None
    if way is None or body is None or isinstance(body, Refused):
        return None
    found = way.keys(body)
    if isinstance(found, Fault):
        return None
    with ways.store.write() as connection:
        values = {"id": client.id, "keys": body.decode(), "now": ways.clock(), "metadata": signing.stored(way)}
        connection.run("oauth_client_keys_keep", values)
    return found


def _of_document(ways: Ways, fetcher: Fetcher, client: Client) -> Keys | None:
    """The keys in a client's document, read again."""
    fresh = documents.reread(ways.store, client.uid, ways.apps, fetcher, ways.clock)
    if isinstance(fresh, Refused) or fresh.signing is None:
        return None
    return _held(ways, fresh)[0] if fresh.signing.address is None else _fetched(ways, fetcher, fresh)
