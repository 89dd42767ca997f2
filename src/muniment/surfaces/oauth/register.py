"""The endpoint where a client registers itself (RFC 7591)."""

from __future__ import annotations

import json

from starlette.requests import Request
from starlette.responses import Response

from muniment.access.oauth import registration, signing
from muniment.access.oauth.refusals import Limited, Refused
from muniment.access.oauth.registration import GRANT_TYPES, Registered
from muniment.errors import MunimentError
from muniment.surfaces.oauth import answers
from muniment.surfaces.oauth.provider import Provider
from muniment.surfaces.replies import JSON, media_type, sender


async def register(held: Provider, request: Request) -> Response:
    """Register the client that the body describes."""
    if media_type(request) != JSON:
        return answers.failed(Refused("invalid_client_metadata", f"Send `Content-Type: {JSON}`."))
    try:
        metadata = json.loads(await request.body())
    except (ValueError, RecursionError):
        return answers.failed(Refused("invalid_client_metadata", "The body is no JSON."))
    context = held.served.app.context()
    found = await held.served.threaded(
        "Registering a client",
        lambda: registration.register(
            held.served.app.store,
            metadata,
            sender(request),
            held.apps,
            context.now(),
            context.entropy,
            fetches=held.documents is not None,
        ),
    )
    match found:
        case MunimentError():
            return answers.broken(found)
        case Refused():
            return answers.failed(found)
        case Limited():
            return answers.limited(found)
        case Registered():
            return answers.issued(_told(found), 201)


def _told(found: Registered) -> dict[str, object]:
    client = found.client
    told: dict[str, object] = {
        "client_id": client.uid,
        "client_id_issued_at": client.created_at // 1000,
        "client_name": client.name,
        "redirect_uris": list(client.redirects),
        "grant_types": list(GRANT_TYPES),
        "response_types": ["code"],
        "token_endpoint_auth_method": client.auth_method,
    }
    if client.signing is not None:
        told |= signing.metadata(client.signing)
    return told | ({"client_secret": found.secret, "client_secret_expires_at": 0} if found.secret else {})
