"""Authorization: a client asks, a person who is logged in decides, and the browser takes the answer back.

Until client and redirect are known to belong together, nobody is sent anywhere; after that every answer goes to the redirect,
and out of this machine only with somebody who is logged in: anybody may register, so a link to us would else lead anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from muniment.access import policy
from muniment.access.oauth import asking, clients, documents, grants, redirects
from muniment.access.oauth.asking import Ask
from muniment.access.oauth.clients import Client
from muniment.access.oauth.grants import Choice
from muniment.access.oauth.refusals import Refused
from muniment.access.profiles import Profile
from muniment.surfaces.oauth import answers, visitors
from muniment.surfaces.oauth.forms import Form
from muniment.surfaces.oauth.provider import AUTHORIZE, Provider
from muniment.surfaces.oauth.visitors import Visitor

WORDS = {
    "read": "search and read what is remembered",
    "propose": "suggest changes, which wait for your decision",
    "append": "keep new memories, conversations and documents",
    "write": "change what is remembered, and replace what is outdated",
    "curate": "see what others propose, and tidy up in ways that can be undone",
    "govern": "decide proposals and conflicts, lift protection, and destroy records",
    "share": "manage tokens, grants and profiles within your own limits",
    "admin": "manage workspaces, profiles and tokens, and repair the store",
}
# These reach so far that nobody gives them by just going on.
UNTICKED = frozenset({"govern", "share", "admin"})
WORKSPACES_SHOWN_MAX = 300
NOTHING_LEFT = Refused("invalid_scope", "The profile holds none of these scopes.")
REFUSED = Refused("access_denied", "The request was refused.")
NO_WORKSPACE = "Choose the workspaces that it may see, or all of them."
TORN = "All workspaces were chosen, and some were ticked besides. Choose all of them, or tick those that it may see."
ELSEWHERE = "The workspace where it is to work has to be one of those that it may see."
TITLE = "This request cannot be answered"
ADVICE = "Go back to the program that sent you here and start again. If that does not help, tell whoever makes it."
OLD_PAGE = "This page is too old, was answered already, or belongs to another browser. This time nothing was given."
# A second click overtakes the answer to the first one, which may have reached the program all the same.
LOOK = "Look at the program that sent you here. Where it has not gone on, start again there."


@dataclass(frozen=True, slots=True)
class _Found:
    """A sound request, and the client that it is of."""

    client: Client
    ask: Ask


def authorize(held: Provider, request: Request, form: Form) -> Response:
    """Ask the person at the browser, or answer what can be answered without."""
    who = visitors.visitor(held, request)
    if form.faulty or not form.get("client_id"):
        return answers.notice(held, who, TITLE, "It names no client, or a parameter comes twice.", ADVICE)
    here = f"{AUTHORIZE}?{request.url.query}"
    if documents.is_address(form.get("client_id")) and who.profile is None:
        # Nothing is fetched for somebody we do not know.
        return answers.to_login(held, here)
    found = _found(held, who, form, here)
    if isinstance(found, Response):
        return found
    if who.profile is None:
        return answers.to_login(held, here)
    if not grants.most(who.profile, found.ask):
        return answers.back_with(found.ask.redirect, held.target.issuer, NOTHING_LEFT, found.ask.state)
    return _repeated(held, who, found) or _page(held, who, who.profile, found)


def consent(held: Provider, request: Request, form: Form) -> Response:
    """What the person decided. What was asked for comes from the store; the form brings the ticket and the choice."""
    who = visitors.visitor(held, request)
    if form.faulty or who.browser is None or who.profile is None or not visitors.owns(held, request, form):
        return answers.notice(held, who, TITLE, OLD_PAGE, LOOK, 403)
    context = held.served.app.context()
    now = context.now()
    with held.served.app.store.write() as connection:
        ask = asking.take(connection, form.get("ticket"), who.browser, now)
        client = clients.of(connection, ask.client) if ask else None
        if ask is None or client is None:
            return answers.notice(held, who, TITLE, OLD_PAGE, LOOK)
        choice = _choice(form, {place.slug for place in grants.reachable(connection, who.profile)})
        left = choice.scopes & frozenset(grants.most(who.profile, ask))
        if form.get("decision") != "approve" or not left:
            return answers.back_with(ask.redirect, held.target.issuer, REFUSED, ask.state, after_post=True)
        settled = grants.settled(connection, who.profile, choice, policy.canonical(connection, context.workspace))
        if settled is not None:
            code = grants.give(connection, ask, who.profile, settled, who.browser, now, context.entropy)
            return answers.back(ask.redirect, held.target.issuer, {"code": code, "state": ask.state}, after_post=True)
    return _page(held, who, who.profile, _Found(client, ask), choice)


def _found(held: Provider, who: Visitor, form: Form, here: str) -> _Found | Response:
    """The request, or the answer to one that cannot be granted."""
    client = _client(held, who, form.get("client_id"))
    if isinstance(client, Refused):
        return answers.notice(held, who, TITLE, client.description, ADVICE)
    redirect = asking.redirect_of(client, form.values.get("redirect_uri"), held.apps)
    if isinstance(redirect, Refused):
        return answers.notice(held, who, TITLE, redirect.description, ADVICE)
    ask = asking.read(form.values, form.each("resource"), client, redirect, held.target)
    if isinstance(ask, Refused) and who.profile is None and not redirects.is_loopback(redirect):
        return answers.to_login(held, here)
    if isinstance(ask, Refused):
        state = form.values.get("state", "")[: asking.STATE_LENGTH_MAX]
        return answers.back_with(redirect, held.target.issuer, ask, state or None)
    return _Found(client, ask)


def _client(held: Provider, who: Visitor, uid: str) -> Client | Refused:
    context = held.served.app.context()
    if documents.is_address(uid):
        if held.documents is None:
            return Refused("invalid_client", "This server fetches no metadata of clients. Register the client instead.")
        assert who.profile is not None, "a document is only looked for behind the login"
        return documents.resolve(held.served.app.store, uid, who.profile.principal, held.apps, held.documents, context.now)
    with held.served.app.store.read() as connection:
        found = clients.find(connection, uid, context.now())
    return found or Refused("invalid_client", "The client is not known here, or its registration has expired.")


def _repeated(held: Provider, who: Visitor, found: _Found) -> Response | None:
    """The answer to what this very browser has granted before, where it can still be given. At a loopback redirect anybody may
    listen, so there is none."""
    if who.browser is None or who.profile is None or not found.ask.redirect.startswith("https://"):
        return None
    context = held.served.app.context()
    with held.served.app.store.write() as connection:
        choice = grants.again(connection, found.ask, who.profile, who.browser)
        home = policy.canonical(connection, context.workspace)
        if choice is None or grants.settled(connection, who.profile, choice, home) is None:
            return None
        code = grants.give(connection, found.ask, who.profile, choice, who.browser, context.now(), context.entropy)
    return answers.back(found.ask.redirect, held.target.issuer, {"code": code, "state": found.ask.state})


def _page(held: Provider, who: Visitor, profile: Profile, found: _Found, said: Choice | None = None) -> Response:
    """The page that asks; once more, with what was `said`, where that was at odds with itself."""
    context = held.served.app.context()
    assert who.browser is not None, "a profile comes with its browser"
    ticket = asking.keep(held.served.app.store, found.ask, who.browser, context.now(), context.entropy)
    with held.served.app.store.read() as connection:
        places = [place.slug for place in grants.reachable(connection, profile)]
        settled = grants.settled(connection, profile, Choice(frozenset()), policy.canonical(connection, context.workspace))
    if len(places) > WORKSPACES_SHOWN_MAX:
        places = []
    scopes = grants.most(profile, found.ask)
    ticked = (frozenset(scopes) - UNTICKED) if said is None else said.scopes
    assert settled is not None, "a choice that names nothing is at odds with nothing"
    return answers.shown(
        held,
        who,
        "consent",
        forms=(redirects.source(found.ask.redirect),),
        ticket=ticket,
        client=found.client.name,
        document=found.client.uid if found.client.kind == "document" else "",
        host=redirects.shown(found.ask.redirect),
        loopback=all(redirects.is_loopback(one) for one in found.client.redirects),
        scopes=[{"name": one, "words": WORDS[one], "ticked": one in ticked} for one in scopes],
        workspaces=[{"slug": one, "ticked": said is not None and one in (said.workspaces or ())} for one in places],
        some=said is not None and said.workspaces is not None,
        usual=settled.current or context.workspace,
        current=said.current if said else "",
        fault=_fault(said) if said else "",
    )


def _fault(said: Choice) -> str:
    """What is wrong with a choice that cannot be given."""
    if said.torn:
        return TORN
    return ELSEWHERE if said.workspaces is None or said.workspaces else NO_WORKSPACE


def _choice(form: Form, reachable: set[str]) -> Choice:
    scopes, current = frozenset(form.each("scopes")), form.get("current") or None
    ticked = frozenset(form.each("workspaces"))
    if form.get("reach") == "all":
        return Choice(scopes, None, current, torn=bool(ticked))
    return Choice(scopes, ticked & frozenset(reachable), current)
