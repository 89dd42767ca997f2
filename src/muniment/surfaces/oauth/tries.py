"""The pace of the endpoints that only clients ask: who is known never waits for what strangers of the same address used up.

Each request takes one of what the strangers of its address share. Who shows what was issued here gets it back when it succeeds;
where nothing is left only such a request is worked on, each of these things as often as one stranger. So whoever guesses, with
something spent in hand or without, is answered no more often than before.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from muniment.access.oauth import issued, registration
from muniment.access.oauth.refusals import Limited
from muniment.errors import MunimentError
from muniment.store.connections import Connection
from muniment.surfaces.oauth import answers, forms
from muniment.surfaces.oauth.provider import Provider
from muniment.surfaces.rates import Try

Endpoint = Callable[[Provider, Request], Awaitable[Response]]
Known = Callable[[Provider, Request], Awaitable[str | MunimentError]]


def paced(endpoint: Endpoint, known: Known) -> Endpoint:
    """An endpoint that asks `known` what a request shows of a client that was here before; nothing, where it shows nothing."""

    async def asked(held: Provider, request: Request) -> Response:
        tried: Try | None = getattr(request.state, "tried", None)
        if tried is None:  # no gate stands before these routes, so nobody counts
            return await endpoint(held, request)
        found = await known(held, request)
        if isinstance(found, MunimentError):
            return answers.broken(found)
        wait = tried.shown(found) if found else tried.wait
        if wait:
            return answers.limited(Limited(wait * 1000))
        answer = await endpoint(held, request)
        if found and answer.status_code < 400:
            tried.known()
        return answer

    return asked


async def by_secret(held: Provider, request: Request) -> str | MunimentError:
    """The hash of a secret in a form that was issued here."""
    form = await forms.of_body(request)
    code, refresh, ended = form.get("code"), form.get("refresh_token"), form.get("token")
    if form.faulty or not (code or refresh or ended):
        return ""
    return await _looked(held, lambda connection: issued.grant(connection, code=code, refresh=refresh, ended=ended))


async def by_metadata(held: Provider, request: Request) -> str | MunimentError:
    """The fingerprint of a public client that registers and has done so before, as some do at every start."""
    try:
        metadata = json.loads(await request.body())
    except (ValueError, RecursionError):
        return ""
    fetches = held.documents is not None
    return await _looked(held, lambda connection: registration.familiar(connection, metadata, held.apps, fetches=fetches))


async def _looked(held: Provider, look: Callable[[Connection], str]) -> str | MunimentError:
    def run() -> str:
        with held.served.app.store.read() as connection:
            return look(connection)

    return await held.served.checked("Looking for a client", run)
