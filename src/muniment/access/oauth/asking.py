"""Requests for authorization: what a client asks a person for. What a request names can only narrow what the person has.

A request is read once, kept in the store behind a ticket while its page is open, and spent with the answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

from muniment.access import minting
from muniment.access.browsers import Browser
from muniment.access.oauth import pkce, redirects
from muniment.access.oauth.clients import Client
from muniment.access.oauth.refusals import Refused
from muniment.model.access import LEVEL_SCOPES
from muniment.model.times import MINUTE_MS
from muniment.store.connections import Connection, Store

# From what changes nothing to what changes everything; the order they are shown in.
SCOPES = ("read", "propose", "append", "write", "curate", "govern", "share", "admin")
assert frozenset(SCOPES) == LEVEL_SCOPES["admin"], "every scope there is can be asked for"
STATE_LENGTH_MAX = 4096
TICKET_MS = 10 * MINUTE_MS
TICKETS_A_BROWSER_MAX = 20


@dataclass(frozen=True, slots=True)
class Target:
    """What tokens are good for: `issuer` and `resource` are addresses of this server."""

    issuer: str
    resource: str

    def is_ours(self, asked: str) -> bool:
        """Whether a `resource` parameter means this server. Scheme and host know no case, and a last slash says nothing."""
        return _plain(asked) in (_plain(self.issuer), _plain(self.resource))

    def foreign(self, resources: Sequence[str]) -> Refused | None:
        """Why tokens for some `resource` parameters are not given out here."""
        if all(self.is_ours(one) for one in resources):
            return None
        return Refused("invalid_target", "The resource is not this server.")


@dataclass(frozen=True, slots=True)
class Ask:
    """A sound request. `scopes` empty: all that the person may give. `redirect_given`: the request named its redirect."""

    client: int
    redirect: str
    redirect_given: bool
    scopes: tuple[str, ...]
    state: str | None
    challenge: str
    audience: str


def redirect_of(client: Client, asked: str | None, apps: Collection[str]) -> str | Refused:
    """Where the client of a request may be answered. Whoever asks for another place is answered nowhere."""
    if asked is None:
        only = client.redirects[0]
        if len(client.redirects) == 1 and not redirects.is_loopback(only):
            return only
        return Refused("invalid_request", "The request names no redirect_uri, and the client has more than one.")
    if redirects.fault(asked, apps) or not redirects.matches(client.redirects, asked):
        return Refused("invalid_request", "The redirect_uri is not one that this client registered.")
    return asked


def read(
    parameters: Mapping[str, str], resources: Sequence[str], client: Client, redirect: str, target: Target
) -> Ask | Refused:
    """The request that some parameters make. The client and its redirect have been found to be sound before."""
    kind = parameters.get("response_type")
    if kind != "code":
        error = "unsupported_response_type" if kind else "invalid_request"
        return Refused(error, "response_type has to be code.")
    if parameters.get("response_mode", "query") != "query":
        return Refused("invalid_request", "response_mode has to be query.")
    if "request" in parameters or "request_uri" in parameters:
        return Refused("invalid_request", "Requests as JWT are not read here.")
    if parameters.get("code_challenge_method") != pkce.METHOD:
        return Refused("invalid_request", f"PKCE is required: code_challenge_method has to be {pkce.METHOD}.")
    challenge = parameters.get("code_challenge", "")
    if not pkce.sound(challenge):
        return Refused("invalid_request", "PKCE is required: code_challenge has 43 to 128 characters of base64url.")
    if foreign := target.foreign(resources):
        return foreign
    scopes = _scopes(parameters.get("scope", ""))
    if isinstance(scopes, Refused):
        return scopes
    state = parameters.get("state")
    if state is not None and len(state) > STATE_LENGTH_MAX:
        return Refused("invalid_request", f"state has at most {STATE_LENGTH_MAX} characters.")
    return Ask(client.id, redirect, "redirect_uri" in parameters, scopes, state, challenge, target.resource)


def _scopes(asked: str) -> tuple[str, ...] | Refused:
    """The scopes of ours that were asked for. Those of other servers are left out; with nothing left the request is refused."""
    named = asked.split()
    known = tuple(scope for scope in SCOPES if scope in named)
    if named and not known:
        return Refused("invalid_scope", "None of these scopes is known here.")
    return known


def keep(store: Store, ask: Ask, browser: Browser, now: int, entropy: Callable[[int], bytes]) -> str:
    """Keep a request while its page is open; answers the ticket that the page carries. It is good once, in this browser."""
    ticket, key = minting.mint("", entropy)
    with store.write() as connection:
        values = {"hash": key, "browser": browser.hash, "request": json.dumps(asdict(ask)), "expires_at": now + TICKET_MS}
        connection.run("oauth_ask_add", values)
        connection.run("oauth_asks_older", {"browser": browser.hash, "keep": TICKETS_A_BROWSER_MAX})
    return ticket


def take(connection: Connection, ticket: str, browser: Browser, now: int) -> Ask | None:
    """The request of a ticket, which is spent by it; None for a ticket of another browser, an old or a spent one."""
    row = connection.one("oauth_ask_take", {"hash": minting.hashed(ticket), "browser": browser.hash, "now": now})
    if row is None:
        return None
    held = json.loads(row[0])
    return Ask(**held | {"scopes": tuple(held["scopes"])})


def _plain(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    if parts.fragment or "#" in address:
        return ""
    rest = parts.path.rstrip("/") + (f"?{parts.query}" if parts.query else "")
    return f"{parts.scheme}://{parts.netloc.lower()}{rest}"
