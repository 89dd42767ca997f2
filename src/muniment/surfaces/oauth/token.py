"""The endpoints that only clients ask: tokens for codes and refresh tokens, and revocation (RFC 6749, 7009, 8707).

A client shows its id and secret in the header or the body, or it signs, and never two of these; a public one shows its id only.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from urllib.parse import unquote_plus

from starlette.requests import Request
from starlette.responses import Response

from muniment.access.oauth import assertions, clients, exchange
from muniment.access.oauth.assertions import Asserted, Audience
from muniment.access.oauth.clients import Client, Shown
from muniment.access.oauth.exchange import Issued
from muniment.access.oauth.keyrings import Ways
from muniment.access.oauth.refusals import Refused
from muniment.errors import MunimentError
from muniment.surfaces.oauth import answers, forms
from muniment.surfaces.oauth.forms import Form
from muniment.surfaces.oauth.provider import TOKEN, Provider

BASIC = {"www-authenticate": 'Basic realm="muniment"'}
TWICE = Refused("invalid_request", "The client identifies itself twice.")
NO_FORM = Refused("invalid_request", f"The body is no {forms.FORM}, or a parameter comes twice.")


async def token(held: Provider, request: Request) -> Response:
    """Tokens for a code, or for a refresh token."""
    return await _asked(held, request, _tokens)


async def revoke(held: Provider, request: Request) -> Response:
    """End the family of a token. The answer is the same for one that nobody knows."""
    return await _asked(held, request, _revoked)


async def _asked(
    held: Provider, request: Request, work: Callable[[Provider, Client, Form], Issued | Refused | None]
) -> Response:
    form = await forms.of_body(request)
    shown = NO_FORM if form.faulty else identified(request.headers.get("authorization"), form)
    if isinstance(shown, Refused):
        return _failed(shown, basic="authorization" in request.headers)

    def run() -> Issued | Refused | None:
        client = _authenticated(held, shown)
        return client if isinstance(client, Refused) else work(held, client, form)

    found = await held.served.threaded("A token request", run)
    match found:
        case MunimentError():
            return answers.broken(found)
        case Refused():
            return _failed(found, basic=isinstance(shown, Shown) and shown.basic)
        case Issued():
            return answers.issued(_told(found))
        case None:
            return Response(status_code=200, headers=answers.NO_STORE)


def _authenticated(held: Provider, shown: Shown | Asserted) -> Client | Refused:
    store, now = held.served.app.store, held.served.app.context().now
    if isinstance(shown, Asserted):
        ways = Ways(store, held.documents, held.apps, now)
        return assertions.authenticated(ways, shown, Audience(held.target.issuer, held.url(TOKEN)))
    with store.read() as connection:
        return clients.authenticated(connection, shown, now())


def identified(header: str | None, form: Form) -> Shown | Asserted | Refused:
    """How a client identifies itself."""
    if "client_assertion" in form.values or "client_assertion_type" in form.values:
        return _asserted(header, form)
    uid, secret = form.get("client_id"), form.get("client_secret")
    if header is None:
        if not uid:
            return Refused("invalid_client", "The request names no client.")
        return Shown(uid, secret, basic=False)
    kind, _, encoded = header.partition(" ")
    try:
        text = base64.b64decode(encoded.strip(), validate=True).decode() if kind.lower() == "basic" else ""
    except (binascii.Error, UnicodeDecodeError):
        text = ""
    name, colon, shown = text.partition(":")
    if not colon or not name:
        return Refused("invalid_client", "The Authorization header is no Basic one.")
    name = unquote_plus(name)
    if secret or (uid and uid != name):
        return TWICE
    if "\0" in name + shown:
        return Refused("invalid_client", "The Authorization header is no Basic one.")
    return Shown(name, unquote_plus(shown), basic=True)


def _asserted(header: str | None, form: Form) -> Asserted | Refused:
    if header is not None or form.get("client_secret"):
        return TWICE
    if form.get("client_assertion_type") != assertions.TYPE or not form.get("client_assertion"):
        return Refused("invalid_request", f"client_assertion goes with the client_assertion_type {assertions.TYPE}.")
    return Asserted(form.get("client_id"), form.get("client_assertion"))


def _tokens(held: Provider, client: Client, form: Form) -> Issued | Refused:
    kind = form.get("grant_type")
    if kind not in ("authorization_code", "refresh_token"):
        error = "unsupported_grant_type" if kind else "invalid_request"
        return Refused(error, "grant_type has to be authorization_code or refresh_token.")
    foreign = held.target.foreign(form.each("resource"))
    if foreign is not None:
        return foreign
    context = held.served.app.context()
    if kind == "refresh_token":
        if not form.get("refresh_token"):
            return Refused("invalid_request", "refresh_token is missing.")
        return exchange.by_refresh(
            held.served.app.store, client, form.get("refresh_token"), form.get("scope"), context.now(), context.entropy
        )
    if not form.get("code") or not form.get("code_verifier"):
        return Refused("invalid_request", "code and code_verifier are both needed.")
    return exchange.by_code(
        held.served.app.store,
        client,
        form.get("code"),
        form.values.get("redirect_uri"),
        form.get("code_verifier"),
        context.now(),
        context.entropy,
    )


def _revoked(held: Provider, client: Client, form: Form) -> Refused | None:
    if not form.get("token"):
        return Refused("invalid_request", "token is missing.")
    context = held.served.app.context()
    return exchange.revoke(held.served.app.store, client, form.get("token"), context.now())


def _failed(refusal: Refused, *, basic: bool) -> Response:
    if refusal.error != "invalid_client":
        return answers.failed(refusal)
    return answers.failed(refusal, 401, BASIC if basic else None)


def _told(found: Issued) -> dict[str, object]:
    return {
        "access_token": found.access,
        "token_type": "Bearer",
        "expires_in": found.expires_s,
        "refresh_token": found.refresh,
        "scope": " ".join(found.scopes),
    }
