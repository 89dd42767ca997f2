"""What the HTTP faces share: who sent a request and in what form, and answers in JSON with the one shape of an error.

An error carries its status and its challenge whichever face it comes from.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from muniment.errors import MunimentError, Unauthorized
from muniment.surfaces import errors, frames
from muniment.surfaces.catalogue import Operation

JSON = "application/json"


def media_type(request: Request) -> str:
    """What a body is declared as, without its parameters, lower case; empty where nothing is said."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def sender(request: Request) -> str:
    """The address of whoever is connected to us. What a header says of it is not believed here."""
    return request.client.host if request.client else ""


def reply(found: dict[str, Any], headers: dict[str, str] | None = None, *, status: int = 200) -> Response:
    return Response(frames.write(found), status, media_type=JSON, headers=headers)


def refused(
    error: MunimentError, operation: Operation | None = None, *, status: int | None = None, tried: bool = True
) -> Response:
    """An error. `tried`: a token came with the request; `operation`: what it was for, so that its scopes can be named."""
    headers = {}
    if isinstance(error, Unauthorized):
        headers["www-authenticate"] = 'Bearer error="invalid_token"' if tried else "Bearer"
    elif error.code == "insufficient_scope" and operation is not None:
        headers["www-authenticate"] = (
            f'Bearer error="insufficient_scope", scope="{" ".join((*operation.scopes, *operation.also))}"'
        )
    return Response(
        frames.write(errors.shown(error)), status or errors.status(error.code), media_type=JSON, headers=headers or None
    )
