"""Logging in and out. The only door that takes a passphrase, and so the one that counts those that are wrong.

A wrong name, a wrong passphrase and an ended profile get one answer, after the same time.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from muniment.access import attempts, browsers, passphrases, profiles
from muniment.surfaces.oauth import answers, visitors
from muniment.surfaces.oauth.forms import Form
from muniment.surfaces.oauth.provider import AUTHORIZE, LOGIN, Provider
from muniment.surfaces.oauth.visitors import Visitor
from muniment.surfaces.pages.rendering import page
from muniment.surfaces.replies import sender
from muniment.text.counts import counted

WRONG = "The profile and the passphrase do not match."
STRANGE = "This form did not come from a page of this server, or it is an old one. Please try again."
NAME_LENGTH_MAX = 200
# Behind a login a client may be answered at once, and a browser holds the form's policy against that address too.
CLIENTS = ("https:", "http:")


def ask(held: Provider, request: Request, form: Form) -> Response:
    """The page with the form; whoever is logged in goes on."""
    who = visitors.visitor(held, request)
    after = visitors.after_login(form.get("next"))
    return answers.local(held, after) if who.profile else _form(held, who, after)


def enter(held: Provider, request: Request, form: Form) -> Response:
    """Try a name and a passphrase."""
    who = visitors.visitor(held, request)
    after = visitors.after_login(form.get("next"))
    if form.faulty or not visitors.owns(held, request, form):
        return _form(held, who, after, STRANGE, 403)
    context = held.served.app.context()
    name, address = form.get("name"), sender(request)
    wait = attempts.reserve(held.served.app.store, name, address, context.now())
    if wait:
        answer = _form(held, who, after, slowed(wait), 429, name)
        answer.headers.update(answers.retry_after(wait))
        return answer
    profile = profiles.login(held.served.app.store, name, form.get("passphrase"), context.now())
    if profile is None:
        return _form(held, who, after, WRONG, 401, name)
    attempts.succeeded(held.served.app.store, name, address, context.now())
    fresh = browsers.log_in(held.served.app.store, profile.principal, who.cookie, context.now(), context.entropy)
    return answers.local(held, after, visitors.cookie_header(held, fresh))


def slowed(wait: int) -> str:
    """What is said to who has to wait so many milliseconds."""
    return f"Too many logins failed. Try again in {counted(answers.seconds(wait), 'second')}."


def leave(held: Provider, request: Request, form: Form) -> Response:
    """End the login of this browser, and give it another cookie."""
    if form.faulty or not visitors.owns(held, request, form):
        return _form(held, visitors.visitor(held, request), visitors.after_login(""), STRANGE, 403)
    context = held.served.app.context()
    browsers.log_out(held.served.app.store, request.cookies.get(held.cookie, ""))
    return answers.local(held, LOGIN, visitors.cookie_header(held, browsers.cookie(context.entropy)))


def _form(held: Provider, who: Visitor, after: str, fault: str = "", status: int = 200, name: str = "") -> Response:
    return page(
        "login",
        status,
        forms=CLIENTS if after.startswith(AUTHORIZE) else (),
        cookie=visitors.cookie_header(held, who.cookie) if who.fresh else "",
        prefix=held.prefix,
        who="",
        token=who.token,
        next=after,
        fault=fault,
        typed=name[:NAME_LENGTH_MAX],
        issuer=held.external.issuer if held.external else "",
        longest=NAME_LENGTH_MAX,
        passphrase_longest=passphrases.BYTES_MAX,
    )
