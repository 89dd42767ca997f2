"""Another issuer in our place: where it publishes its keys, whom its tokens speak for, and what of a profile they may do.

Its word is taken for who somebody is. What they may do here is said by their profile here, and a token can only narrow it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from muniment.access import limits, profiles, signed
from muniment.access.oauth import fetching
from muniment.access.oauth.asking import SCOPES
from muniment.access.oauth.fetching import Fetcher
from muniment.access.oauth.redirects import LOOPBACK, split
from muniment.access.oauth.refusals import Refused
from muniment.access.signed import Claims, Fault, Keys
from muniment.errors import InsufficientScope, Unauthorized
from muniment.model.access import LEVEL_SCOPES, Grant
from muniment.settings import EXTERNAL, Settings
from muniment.store.connections import Connection
from muniment.text import plain

SERVER_METADATA = "/.well-known/oauth-authorization-server"
OPENID = "/.well-known/openid-configuration"
URL_LENGTH_MAX = 2_000
CLIENT_LENGTH_MAX = 200
# The year 9999. Some issuers write milliseconds where seconds belong, and no calendar shows what is later.
END_S_MAX = 253_370_764_800
# Those that RFC 9068 names for access tokens, beside plain ones. An ID token is meant for its client, and never for us.
TYPES = signed.TYPES | {"at+jwt", "application/at+jwt"}
# Where issuers write what a token may do (RFC 9068, 2.2.3; the second one is Microsoft's and Okta's).
SCOPE_CLAIMS = ("scope", "scp")
# Where issuers write which program asked for it.
CLIENT_CLAIMS = ("client_id", "azp")

# OpenID Connect Core, 5.1. Where an issuer says that it does not know whose an address is, nobody is believed for it.
EMAIL, EMAIL_VERIFIED = "email", "email_verified"


@dataclass(frozen=True, slots=True)
class Issuer:
    """Whose tokens are taken. `issuer` and `audience` hold to the byte; `claim` says who it is.

    `by_token`: the token says what of the profile it may do; else it may do all of it.
    """

    issuer: str
    audience: str
    claim: str
    by_token: bool


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why an issuer's keys cannot be had. `disagrees`: it answers, but is not who the settings say; else it may come back.
    `withdrawn`: it publishes none that can be used, so those that it did publish are none any more."""

    words: str
    disagrees: bool = False
    withdrawn: bool = False


def configured(settings: Settings, resource: str) -> Issuer | None:
    """The issuer of the settings; None where this server gives out its own tokens. `resource`: the address of MCP."""
    if settings.auth != EXTERNAL:
        return None
    audience = settings.external_audience or resource
    return Issuer(settings.external_issuer, audience, settings.external_claim, settings.external_scopes == "token")


def fetcher(what: str) -> Fetcher:
    """How documents of the issuer are fetched. It may lie anywhere: the operator named it."""
    return Fetcher(allowed=lambda address: True, bytes_max=signed.SET_BYTES_MAX, what=what)


def places(issuer: str) -> tuple[str, ...]:
    """Where an issuer describes itself: RFC 8414, then OpenID Connect Discovery in both of its forms."""
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    found = (f"{origin}{SERVER_METADATA}{path}", f"{origin}{path}{OPENID}", f"{origin}{OPENID}{path}")
    return tuple(dict.fromkeys(found))


def discover(issuer: str, how: Callable[[str], Fetcher] = fetcher) -> str | Unusable:
    """The address of an issuer's keys, out of the first description that is its own. Blocks for some seconds."""
    disagrees, words = "", ""
    for place in places(issuer):
        body = fetching.read(place, how("The description of the issuer"))
        found = body.description if isinstance(body, Refused) else _keys_of(issuer, body)
        if isinstance(found, Unusable):
            disagrees = disagrees or found.words
        elif isinstance(body, Refused):
            words = found
        else:
            return found
    return Unusable(disagrees, disagrees=True) if disagrees else Unusable(words)


def _keys_of(issuer: str, body: bytes) -> str | Unusable:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return Unusable("The description of the issuer is no JSON object.", disagrees=True)
    if document.get("issuer") != issuer:
        # What it calls itself is the operator's to compare, and nobody's secret.
        named = plain.clean(str(document.get("issuer")))[:URL_LENGTH_MAX]
        said = f"The issuer calls itself {named!r} and not {issuer!r}, which external_issuer says."
        return Unusable(said, disagrees=True)
    url = document.get("jwks_uri")
    if not isinstance(url, str) or not _sound(url, issuer):
        return Unusable("The issuer names no https address of its keys (jwks_uri).", disagrees=True)
    return url


def _sound(url: str, issuer: str) -> bool:
    """Whether keys may be fetched from an address: https, or this machine where the issuer itself is on it."""
    parts = split(url)
    if parts is None or not parts.hostname or len(url) > URL_LENGTH_MAX or "@" in parts.netloc or "#" in url:
        return False
    if not url.isascii() or any(sign <= " " or sign in "\\\x7f" for sign in url):
        return False
    return parts.scheme == "https" or (
        parts.scheme == "http" and parts.hostname in LOOPBACK and not issuer.startswith("https:")
    )


def published(url: str, how: Callable[[str], Fetcher] = fetcher) -> Keys | Unusable:
    """The keys at an address. Blocks for some seconds."""
    body = fetching.read(url, how("The key set of the issuer"))
    if isinstance(body, Refused):
        return Unusable(body.description)
    found = signed.keys(body)
    return Unusable(found.words, withdrawn=found.why == "no_keys") if isinstance(found, Fault) else found


def read(token: str, keys: Keys, issuer: Issuer, now: int) -> Claims | Fault:
    """What a token says, if the issuer signed it for this server. `now`: Unix milliseconds."""
    return signed.verified(token, keys, issuer=issuer.issuer, audience={issuer.audience}, now=now / 1000, types=TYPES)


def grant(connection: Connection, issuer: Issuer, claims: Claims) -> Grant:
    """What the bearer of a token may do now. Raises Unauthorized or InsufficientScope; neither repeats who it is."""
    subject = claims.text(issuer.claim)
    if subject is None:
        raise Unauthorized(
            f"The token does not say who it is: it has no text in the claim {issuer.claim}.",
            "The owner of the server sets `external_claim` to a claim that the issuer writes into access tokens.",
        )
    if issuer.claim == EMAIL and str(claims.said.get(EMAIL_VERIFIED, True)).lower() not in ("true", "1"):
        raise Unauthorized(
            "The issuer has not verified the address that the token says it is of.",
            "Verify it at the issuer, and log in again there.",
        )
    profile = profiles.of_subject(connection, subject) if profiles.is_subject(subject) else None
    if profile is None or profile.ended_at is not None:
        ended = "has ended" if profile else "is not there"
        raise Unauthorized(
            f"The issuer knows who you are, but the profile that you would act as on this server {ended}.",
            "Its owner makes one with `muniment profile add NAME --subject …`, "
            f"with what the issuer writes into the claim {issuer.claim}.",
        )
    whole = Grant(
        principal=profile.principal,
        principal_name=profile.name,
        scopes=_scopes(issuer, claims),
        client=_client(claims),
        foreign_until=int(min(claims.expires_at, END_S_MAX) * 1000),
    )
    return limits.narrowed(whole, profile.limits)


def _scopes(issuer: Issuer, claims: Claims) -> frozenset[str]:
    """What a token leaves of a profile."""
    if not issuer.by_token:
        return LEVEL_SCOPES["admin"]
    said = frozenset[str]().union(*(claims.words(name) or () for name in SCOPE_CLAIMS))
    ours = said & LEVEL_SCOPES["admin"]
    if not ours:
        raise InsufficientScope(
            f"The token names no scope of this server: {', '.join(SCOPES)}.",
            "Ask the issuer for some of them. Where it does not know them, the owner of the server defines them there, "
            "or sets `external_scopes` to profile.",
        )
    return ours


def _client(claims: Claims) -> str | None:
    """The program that asked for a token, as the issuer names it."""
    named = next((one for name in CLIENT_CLAIMS if (one := claims.text(name))), None)
    return plain.clean(named or "").strip()[:CLIENT_LENGTH_MAX] or None
