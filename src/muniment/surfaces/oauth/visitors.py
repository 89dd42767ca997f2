"""Who sits at a browser: its cookie, the login behind it, and the token that its forms carry.

A cookie is only ever set by us, and changes with every login; a form without the token of its browser does nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from starlette.requests import Request

from muniment.access import browsers, profiles
from muniment.access.browsers import Browser
from muniment.access.profiles import Profile
from muniment.model.access import Grant
from muniment.surfaces.oauth.forms import Form
from muniment.surfaces.oauth.provider import AUTHORIZE, CONNECTIONS, RECORD, Provider

CLIENT = "web"
NEXT_LENGTH_MAX = 12_000
_LOCAL = re.compile(r"/[A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*")


@dataclass(frozen=True, slots=True)
class Visitor:
    """`token` goes into every form. `browser` and `profile` None: nobody is logged in. `fresh`: the cookie has to be set."""

    cookie: str = field(repr=False)
    token: str = field(repr=False)
    fresh: bool = False
    browser: Browser | None = None
    profile: Profile | None = None


def visitor(held: Provider, request: Request) -> Visitor:
    """Who sent a request, by its cookie. Reads the store, so it is not for the event loop."""
    context = held.served.app.context()
    given = request.cookies.get(held.cookie, "")
    with held.served.app.store.read() as connection:
        found = browsers.find(connection, given, context.now())
        profile = profiles.profile(connection, found.principal) if found else None
        shaped = browsers.shaped(given)
        cookie = given if shaped else browsers.cookie(context.entropy)
        token = browsers.form_token(connection, cookie)
    return Visitor(cookie, token, not shaped, found if profile else None, profile)


def owns(held: Provider, request: Request, form: Form) -> bool:
    """Whether a form comes from a page of ours in this very browser."""
    with held.served.app.store.read() as connection:
        return browsers.own_form(connection, request.cookies.get(held.cookie, ""), form.get("form"))


def cookie_header(held: Provider, value: str) -> str:
    """The Set-Cookie header: for this server alone, unseen by scripts, and sent along when another page links to us."""
    secure = "; Secure" if held.secure else ""
    return f"{held.cookie}={value}; Path={held.prefix or '/'}; HttpOnly; SameSite=Lax{secure}"


def after_login(asked: str) -> str:
    """A page of ours that wants a login; the list of connections where none, or another address, was asked for."""
    path = asked.partition("?")[0]
    known = path in (AUTHORIZE, CONNECTIONS) or path.startswith(RECORD)
    sound = _LOCAL.fullmatch(asked) and not asked.startswith("//") and ".." not in path and len(asked) <= NEXT_LENGTH_MAX
    return asked if known and sound else CONNECTIONS


def reading(profile: Profile) -> Grant:
    """What a page shows somebody: what the profile may read, and nothing to write."""
    return Grant(
        principal=profile.principal,
        principal_name=profile.name,
        scopes=frozenset({"read"}) & profile.scopes,
        read=profile.read,
        write=frozenset(),
        client=CLIENT,
        zone=profile.zone,
        classes=profile.classes,
        write_mode=profile.write_mode,
    )
