"""Answers of the OAuth endpoints: JSON by the names of the RFCs, redirects back to a client, and pages that say one thing.

Nothing of what was sent stands in an error, and no answer is ever kept by a cache.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode, urlsplit

from starlette.responses import RedirectResponse, Response

from muniment.access.oauth.refusals import Limited, Refused
from muniment.errors import MunimentError, NotFound
from muniment.surfaces import errors, frames
from muniment.surfaces.gate import DESCRIPTION
from muniment.surfaces.oauth.provider import LOGIN, Provider
from muniment.surfaces.oauth.visitors import Visitor, cookie_header
from muniment.surfaces.pages.rendering import page
from muniment.surfaces.replies import JSON, refused

NO_STORE = {"cache-control": "no-store", "pragma": "no-cache"}
METADATA_S = 300


def document(found: dict[str, Any]) -> Response:
    """Metadata, which is the same for everybody."""
    return Response(frames.write(found), media_type=JSON, headers={"cache-control": f"public, max-age={METADATA_S}"})


def issued(found: dict[str, Any], status: int = 200) -> Response:
    return Response(frames.write(found), status, media_type=JSON, headers=NO_STORE)


def failed(refusal: Refused, status: int = 400, headers: dict[str, str] | None = None) -> Response:
    """An error of RFC 6749, 5.2."""
    told = {"error": refusal.error, "error_description": refusal.description}
    return Response(frames.write(told), status, media_type=JSON, headers=NO_STORE | (headers or {}))


def limited(limit: Limited) -> Response:
    told = Refused("temporarily_unavailable", "Too many requests. Wait as long as Retry-After says.")
    return failed(told, 429, retry_after(limit.wait_ms))


def retry_after(wait_ms: int) -> dict[str, str]:
    return {"retry-after": str(seconds(wait_ms))}


def seconds(wait_ms: int) -> int:
    """How long to wait in whole seconds, at least one."""
    return max(1, -(-wait_ms // 1000))


def broken(error: MunimentError) -> Response:
    """A fault of ours at an endpoint that a program asks."""
    name = "temporarily_unavailable" if errors.status(error.code) == 503 else "server_error"
    return failed(Refused(name, error.message), 503)


def absent(held: Provider) -> Response:
    return refused(NotFound("There is nothing at this address.", f"See {held.path(DESCRIPTION)}."), status=404)


def shut(held: Provider) -> Response:
    """What a person is told at the address of a page that this server does not have as it is set up."""
    if held.served.app.settings.read_only:
        text, advice = "This server only reads, so nobody logs in here.", "Programs go on with the tokens that they have."
    else:
        text, advice = "Nobody logs in to this server with a browser.", "Whoever keeps the server can make a profile for you."
    return page("notice", 404, prefix=held.prefix, who="", token="", title="There is no page here", text=text, advice=advice)


def back(redirect: str, issuer: str, parameters: dict[str, str | None], *, after_post: bool = False) -> Response:
    """Send the browser back to the client, with `iss` (RFC 9207) beside what it is told."""
    told = {name: value for name, value in parameters.items() if value is not None} | {"iss": issuer}
    joint = "&" if urlsplit(redirect).query else "" if redirect.endswith("?") else "?"
    return RedirectResponse(f"{redirect}{joint}{urlencode(told)}", 303 if after_post else 302, NO_STORE)


def back_with(redirect: str, issuer: str, refusal: Refused, state: str | None, *, after_post: bool = False) -> Response:
    told = {"error": refusal.error, "error_description": refusal.description, "state": state}
    return back(redirect, issuer, told, after_post=after_post)


def local(held: Provider, path: str, cookie: str = "") -> Response:
    """Send the browser to a page of ours."""
    headers = NO_STORE | ({"set-cookie": cookie} if cookie else {})
    return RedirectResponse(held.path(path), 303, headers)


def to_login(held: Provider, here: str) -> Response:
    """First a login, then the page that was asked for."""
    return local(held, f"{LOGIN}?{urlencode({'next': here})}")


def shown(held: Provider, who: Visitor, name: str, status: int = 200, **values: Any) -> Response:
    """A page for a visitor. `values` are those of the template, and `forms` of `page` where its forms lead elsewhere."""
    return page(
        name,
        status,
        cookie=cookie_header(held, who.cookie) if who.fresh else "",
        prefix=held.prefix,
        who=who.profile.name if who.profile else "",
        token=who.token,
        **values,
    )


def unable(held: Provider, fault: MunimentError) -> Response:
    """A page for a fault of ours. It asks the store for nothing, not even who is here: that may be what fails."""
    values = {"title": "This did not work", "text": fault.message, "advice": fault.do_next}
    return page("notice", errors.status(fault.code), prefix=held.prefix, who="", token="", **values)


def notice(held: Provider, who: Visitor, title: str, text: str, advice: str = "", status: int = 400) -> Response:
    """A page that says one thing."""
    return shown(held, who, "notice", status, title=title, text=text, advice=advice)
