"""The page where a person sees which programs have access through the own profile, and ends it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from muniment.access import walls
from muniment.access.oauth import grants, redirects
from muniment.access.oauth.grants import Given
from muniment.errors import NotFound
from muniment.model.times import Moment
from muniment.surfaces.oauth import answers, visitors
from muniment.surfaces.oauth.forms import Form
from muniment.surfaces.oauth.provider import CONNECTIONS, Provider
from muniment.surfaces.pages import facts
from muniment.surfaces.pages.facts import Fact

TITLE = "Nothing was changed"
EVERYTHING = "all that you may see, and those to come"
NONE = "none"
AS_SERVER = "where the server does"


def listed(held: Provider, request: Request, form: Form) -> Response:
    """The page."""
    who = visitors.visitor(held, request)
    if who.profile is None:
        return answers.to_login(held, CONNECTIONS)
    with held.served.app.store.read() as connection:
        given = grants.listing(connection, who.profile.principal)
        seen = frozenset(one.slug for one in grants.reachable(connection, who.profile, archived=True))
    return answers.shown(held, who, "connections", grants=_sorted(given, seen))


def end(held: Provider, request: Request, form: Form) -> Response:
    """End one of the own grants."""
    who = visitors.visitor(held, request)
    if form.faulty or who.profile is None or not visitors.owns(held, request, form):
        return answers.notice(held, who, TITLE, "This form belongs to another browser, or is an old one.", status=403)
    context = held.served.app.context()
    try:
        with held.served.app.store.write() as connection:
            grants.revoke(connection, form.get("ref"), context.now(), principal=who.profile.principal)
    except NotFound as fault:
        return answers.notice(held, who, TITLE, fault.message, status=404)
    return answers.local(held, CONNECTIONS)


def _sorted(given: Iterable[Given], seen: frozenset[str]) -> list[dict[str, Any]]:
    """The newest first, and behind them those that have ended."""
    rows = [_row(one, seen) for one in given][::-1]
    return sorted(rows, key=lambda row: row["ended"] is not None)


def _row(one: Given, seen: frozenset[str]) -> dict[str, Any]:
    """A grant as the page shows it, with the names that the profile sees today."""
    read = None if one.read is None else one.read & seen
    place = one.current or walls.only(one.read, one.write)
    return {
        "ref": one.ref,
        "client": one.client,
        "host": redirects.shown(one.redirect),
        "scopes": " ".join(one.scopes),
        "workspaces": EVERYTHING if read is None else ", ".join(sorted(read)) or NONE,
        "current": AS_SERVER if place is None else place if place in seen else NONE,
        "since": _time(one.created_at),
        "used": _time(one.used_at),
        "ended": _time(one.revoked_at),
        "why": one.revoked_why or "",
    }


def _time(at: int | None) -> Fact | None:
    return facts.time("", Moment(at, 0).iso()) if at is not None else None
