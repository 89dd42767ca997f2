"""Answers of the HTTP faces: JSON, and the one shape of an error with its status and its challenge."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from muniment.errors import MunimentError, Unauthorized
from muniment.surfaces import errors, frames
from muniment.surfaces.catalogue import Operation

JSON = "application/json"


def reply(found: dict[str, Any], headers: dict[str, str] | None = None) -> Response:
    return Response(frames.write(found), media_type=JSON, headers=headers)


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
