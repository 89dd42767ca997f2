"""What all OAuth routes share: the server's own addresses, the names of its cookie and paths, and what of OAuth is on.

The issuer is the configured address byte for byte, without a slash at its end, whatever Host or forwarding headers say.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from muniment.access import profiles
from muniment.access.oauth import redirects
from muniment.access.oauth.asking import SCOPES, Target
from muniment.access.oauth.external import OPENID, SERVER_METADATA, Issuer
from muniment.access.oauth.fetching import Fetcher
from muniment.app import App
from muniment.errors import MunimentError
from muniment.surfaces.gate import Counted
from muniment.surfaces.served import MCP_PATH, Served

RESOURCE_METADATA = "/.well-known/oauth-protected-resource"
AUTHORIZE, TOKEN, REGISTER, REVOKE = "/authorize", "/token", "/register", "/revoke"
CONSENT, LOGIN, LOGOUT, CONNECTIONS, END = "/consent", "/login", "/logout", "/connections", "/connections/revoke"
STYLE = "/pages/muniment.css"
ROOT, RECORD = "/", "/r/"
# Whoever comes here brings no token: some come for one, and the others are people with a browser.
OPEN = frozenset({AUTHORIZE, TOKEN, REGISTER, REVOKE, CONSENT, LOGIN, LOGOUT, CONNECTIONS, END, STYLE})
# Of these, where clients come that may be known already.
PROVING = frozenset({TOKEN, REGISTER, REVOKE})
# The server may be mounted under a path, which stands behind the well-known one then.
OPEN_BELOW = (RESOURCE_METADATA, SERVER_METADATA, OPENID)
COOKIE = "muniment"


@dataclass(frozen=True, slots=True)
class Provider:
    """`prefix`: the path that the server is mounted under, mostly none. `documents` None: no client's metadata is fetched.

    `external`: whose tokens are taken in place of our own.
    """

    served: Served
    target: Target
    prefix: str
    secure: bool
    apps: frozenset[str]
    documents: Fetcher | None
    external: Issuer | None = None

    @property
    def scopes(self) -> tuple[str, ...]:
        """What clients are told to ask for: nothing where the issuer's tokens do not say what they may do."""
        return SCOPES if self.external is None or self.external.by_token else ()

    @property
    def cookie(self) -> str:
        """The cookie's name. A browser lets nobody else set one of the first kind."""
        if not self.secure:
            return COOKIE
        return f"__Secure-{COOKIE}" if self.prefix else f"__Host-{COOKIE}"

    def path(self, own: str) -> str:
        """A path of ours as a browser has to ask for it."""
        return self.prefix + own

    def url(self, own: str) -> str:
        """A path of ours as an absolute address."""
        return self.target.issuer + own


def provider(served: Served) -> Provider:
    """The provider that the settings make."""
    settings = served.app.settings
    issuer = served.app.context().base_url.rstrip("/")
    parts = urlsplit(issuer)
    return Provider(
        served=served,
        target=Target(issuer, issuer + MCP_PATH),
        prefix=parts.path,
        secure=parts.scheme == "https",
        apps=redirects.schemes(settings.oauth_app_schemes),
        documents=Fetcher() if settings.oauth_metadata_documents else None,
        external=served.keeper.issuer if served.keeper else None,
    )


def is_open(path: str, method: str, *, shows: bool) -> bool:
    """Whether a path is answered without a token. `shows`: the request has something to show in its Authorization header."""
    if path in OPEN or path.startswith(OPEN_BELOW):
        return True
    return (path == ROOT or path.startswith(RECORD)) and method in ("GET", "HEAD") and not shows


def counted(path: str) -> Counted:
    """What a request to an open path costs its sender."""
    if path == STYLE or path.startswith(OPEN_BELOW):
        return "not"
    if path in PROVING:
        return "unless_known"
    return "people" if path in OPEN or path == ROOT or path.startswith(RECORD) else "programs"


async def is_on(held: Provider) -> bool:
    """Whether tokens are given out here: when a setting says so, else as soon as anybody can log in.

    A server that only reads cannot write down what it grants, so it grants nothing; tokens that there are go on working.
    """
    if held.external is not None:
        return False
    return await has_pages(held)


async def has_pages(held: Provider) -> bool:
    """Whether people can log in here with a browser, to look at records and at what they granted."""
    settings = held.served.app.settings
    if settings.read_only:
        return False
    if settings.auth in ("oauth", "tokens"):
        return settings.auth == "oauth"
    found = await held.served.checked("Looking for profiles", lambda: anybody(held.served.app))
    return not isinstance(found, MunimentError) and found


async def is_told(held: Provider) -> bool:
    """Whether clients are told where to get a token: here, or at another issuer, who asks nobody here."""
    return held.external is not None or await is_on(held)


async def is_scoped(held: Provider) -> bool:
    """Whether a client can ask for scopes, and get others than those it has."""
    return bool(held.scopes) and await is_told(held)


def anybody(app: App) -> bool:
    """Whether anybody could log in here."""
    if app.settings.auth == "tokens":
        return False
    with app.store.read() as connection:
        return profiles.anybody(connection)


def challenge(held: Provider, *, tried: bool) -> str:
    """The WWW-Authenticate header of a 401: where to learn how to get a token, and for which scopes.

    All scopes are named, since clients ask for no more than they were told, and the person narrows them.
    """
    fault = 'error="invalid_token", ' if tried else ""
    scopes = f', scope="{" ".join(held.scopes)}"' if held.scopes else ""
    return f'Bearer {fault}resource_metadata="{metadata_url(held)}"{scopes}'


def step_up(held: Provider, scopes: frozenset[str]) -> str:
    """The WWW-Authenticate header of a 403: every scope that the next token has to have."""
    named = " ".join(scope for scope in SCOPES if scope in scopes)
    return f'Bearer error="insufficient_scope", scope="{named}", resource_metadata="{metadata_url(held)}"'


def metadata_url(held: Provider) -> str:
    return held.url(RESOURCE_METADATA + MCP_PATH)
