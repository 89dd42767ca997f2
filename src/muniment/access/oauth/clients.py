"""Clients: programs that ask for a grant. What a client says of itself is shown as text and gives it nothing.

Unused ones expire and make room; one that somebody granted something stays until nothing is left of that.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from muniment.access import minting
from muniment.access.events import Subject
from muniment.access.oauth import redirects, signing
from muniment.access.oauth.refusals import Refused
from muniment.access.oauth.signing import Signing
from muniment.model.times import HOUR_MS
from muniment.store.connections import Connection, Row
from muniment.text import fence

Kind = Literal["registered", "document", "configured"]
AuthMethod = Literal["none", "client_secret_post", "client_secret_basic", "private_key_jwt"]
METHODS: tuple[AuthMethod, ...] = ("none", "client_secret_post", "client_secret_basic", "private_key_jwt")

CLIENTS_MAX = 1000
NAME_LENGTH_MAX = 80
UNUSED_MS = 24 * HOUR_MS
RENEWED_MS = HOUR_MS
ID_PREFIX = "mc_"
SECRET_PREFIX = "ms_"


@dataclass(frozen=True, slots=True)
class Client:
    """`uid` is its client_id: for a document the address of it. Times are Unix milliseconds.

    `auth_method` is how it has to identify itself, and once it has done so, how it did. One of the method none that has a
    `signing` may sign.
    """

    id: int
    uid: str
    kind: Kind
    name: str
    redirects: tuple[str, ...]
    auth_method: AuthMethod
    secret_hash: str | None = field(repr=False)
    signing: Signing | None
    checked_at: int | None
    created_at: int
    used_at: int | None
    expires_at: int | None


@dataclass(frozen=True, slots=True)
class NewClient:
    """A client to keep. `fingerprint` tells one that registers again; `checked_at` is when its document was read."""

    kind: Kind
    name: str
    redirects: tuple[str, ...]
    auth_method: AuthMethod = "none"
    secret_hash: str | None = field(default=None, repr=False)
    signing: Signing | None = None
    fingerprint: str | None = None
    checked_at: int | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """How a client identified itself at the token endpoint: in the header (`basic`), or in the body."""

    uid: str
    secret: str = field(repr=False)
    basic: bool


def find(connection: Connection, uid: str, now: int) -> Client | None:
    """The client of an id; None for one that is unknown or has expired unused."""
    row = connection.one("oauth_client_by_uid", {"uid": uid})
    found = noun(row) if row else None
    if found is None or (found.used_at is None and found.expires_at is not None and found.expires_at <= now):
        return None
    return found


def of(connection: Connection, number: int) -> Client | None:
    """The client of a row that something else names."""
    row = connection.one("oauth_client_by_id", {"id": number})
    return noun(row) if row else None


def authenticated(connection: Connection, shown: Shown, now: int) -> Client | Refused:
    """The client that shows its id, and its secret where it was given one."""
    client = find(connection, shown.uid, now)
    wrong = Refused("invalid_client", "The client is unknown, or its secret is not the right one.")
    if client is None:
        return wrong
    if client.auth_method == signing.METHOD:
        return Refused("invalid_client", "This client signs: send client_assertion and client_assertion_type.")
    if client.secret_hash is None:
        # A public client that sends a secret mistakes us for another server.
        return wrong if shown.secret else client
    return client if minting.same(client.secret_hash, shown.secret) else wrong


def room(connection: Connection) -> bool:
    """Whether one more client fits; the oldest that was never used goes for it. Clients in use are never touched."""
    row = connection.one("oauth_clients_count")
    if row is None or row[0] < CLIENTS_MAX:
        return True
    return connection.one("oauth_client_evict") is not None


def add(connection: Connection, uid: str, new: NewClient, now: int) -> Client | None:
    """Keep a client, unless its id or fingerprint is taken; answers the client of that id, if there is one now."""
    values = {
        "uid": uid,
        "kind": new.kind,
        "name": new.name,
        "redirects": json.dumps(new.redirects),
        "auth_method": new.auth_method,
        "secret_hash": new.secret_hash,
        "metadata": signing.stored(new.signing),
        "fingerprint": new.fingerprint,
        "checked_at": new.checked_at,
        "now": now,
        "expires_at": now + UNUSED_MS,
    }
    connection.run("oauth_client_add", values)
    row = connection.one("oauth_client_by_uid", {"uid": uid})
    return noun(row) if row else None


def fades(client: Client, now: int) -> bool:
    """Whether a client that nobody used should be renewed: at most once in RENEWED_MS."""
    return client.used_at is None and client.expires_at is not None and client.expires_at - now < UNUSED_MS - RENEWED_MS


def renew(connection: Connection, client: Client, now: int) -> None:
    """Let a client that nobody used stay as long as a new one."""
    connection.run("oauth_client_renew", {"id": client.id, "expires_at": now + UNUSED_MS})


def subject(client: Client) -> Subject:
    """A client as the access log tells of it."""
    return Subject(ref=client.uid, name=client.name)


def named(name: str, uris: Sequence[str]) -> str:
    """A name as a person may be shown it: one line, nothing invisible, nothing that turns its direction."""
    shown = " ".join(fence.visible(name).split())[:NAME_LENGTH_MAX]
    return shown or redirects.shown(uris[0])


def noun(row: Row) -> Client:
    number, uid, kind, name, uris, method, secret_hash, metadata, *times = row
    return Client(number, uid, kind, name, tuple(json.loads(uris)), method, secret_hash, signing.read(metadata), *times)
