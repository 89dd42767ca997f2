"""REST: `POST /api/<operation>` with a JSON object, and a `GET` twin with query parameters for what only reads.

A body is JSON and says so, which no form of a foreign page can; answers are those of every other surface. A record read alone
has an ETag that begins with its version, and `If-Match` with it stands for `expected_version`.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from typing import Any

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from muniment.errors import InvalidInput, MunimentError
from muniment.surfaces import frames
from muniment.surfaces.catalogue import OPERATIONS, Operation
from muniment.surfaces.replies import JSON, media_type, refused, reply
from muniment.surfaces.schemas import Schema, request_schema
from muniment.surfaces.served import CLIENT_HEADER, Served, labelled

PATH = "/api/"
PARAMETERS_MAX = 200
DEPTH_MAX = 4


def routes(served: Served) -> list[Route]:
    """A route for every operation."""
    return [route(served, operation) for operation in OPERATIONS]


def route(served: Served, operation: Operation) -> Route:
    async def endpoint(request: Request) -> Response:
        if request.method == "POST" and media_type(request) != JSON:
            return refused(InvalidInput("The body is not declared as JSON.", f"Send `Content-Type: {JSON}`."), status=415)
        try:
            values = _expecting(await _values(operation, request), request.headers.get("if-match"))
        except InvalidInput as error:
            return refused(error)
        grant = labelled(request.state.grant, request.headers.get(CLIENT_HEADER))
        found = await served.call(grant, operation, values)
        if isinstance(found, MunimentError):
            return refused(found, operation)
        tag = etag(operation, found)
        if tag and request.method in ("GET", "HEAD") and tag in _tags(request.headers.get("if-none-match", "")):
            return Response(status_code=304, headers=_cached(tag))
        return reply(found, _cached(tag) if tag else None)

    methods = ["POST", "GET"] if operation.read_only else ["POST"]
    return Route(PATH + operation.name, endpoint, methods=methods)


async def _values(operation: Operation, request: Request) -> Any:
    if request.method in ("GET", "HEAD"):
        return from_query(operation, request.query_params)
    if request.query_params:
        raise InvalidInput("A POST takes its values from the body.", "Leave the query string out.")
    return frames.read(await request.body() or b"{}")


def from_query(operation: Operation, query: QueryParams) -> dict[str, Any]:
    """The values a query string holds: `a=1`, lists as repeated parameters, `filter.kind=fact` for fields in fields."""
    if len(query.multi_items()) > PARAMETERS_MAX:
        raise InvalidInput(f"There are more than {PARAMETERS_MAX} parameters.", "Use POST.")
    values: dict[str, Any] = {}
    for name in query:
        given = query.getlist(name)
        *outer, last = name.split(".")
        if len(outer) >= DEPTH_MAX:
            raise InvalidInput("A parameter names fields too deep inside each other.", "Use POST.")
        schema, place = _schema(operation), values
        for part in outer:
            schema = schema.get("properties", {}).get(part, {})
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise InvalidInput(f"{part} is given as a value and as an object.")
        field = schema.get("properties", {}).get(last, {})
        if isinstance(place.get(last), dict):
            raise InvalidInput(f"{last} is given as a value and as an object.")
        place[last] = given if len(given) > 1 or field.get("type") == "array" else given[0]
    return values


def _expecting(values: Any, header: str | None) -> Any:
    """The values with the version that an If-Match header expects, where the call has not named one itself."""
    if header is None or header.strip() == "*" or not isinstance(values, dict):
        return values
    version = re.match(r'\s*(?:W/)?"(\d{1,18})(?:-[0-9a-f]+)?"\s*$', header)
    if version is None:
        raise InvalidInput("If-Match does not hold one ETag of a record.", 'Send the ETag of its read, such as "3-ab12…".')
    place = values.get("do", values)
    if not isinstance(place, dict) or "target" not in place:
        raise InvalidInput("If-Match has no meaning for a call that changes no record.", "Leave the header out.")
    expected = int(version[1])
    if place.setdefault("expected_version", expected) != expected:
        raise InvalidInput("If-Match and expected_version name different versions.", "Send one of them.")
    return values


@cache
def _schema(operation: Operation) -> Schema:
    return request_schema(operation.request)


def etag(operation: Operation, found: dict[str, Any]) -> str | None:
    """A tag for one record read alone: its version, and a digest of what else may change (state, confirmations)."""
    records = found.get("records", ())
    if operation.name != "read" or len(records) != 1 or found.get("cursor"):
        return None
    digest = hashlib.sha256(frames.write(found | {"meta": None})).hexdigest()[:16]
    return f'"{records[0]["version"]}-{digest}"'


def _tags(header: str) -> list[str]:
    return [tag.strip().removeprefix("W/") for tag in header.split(",")]


def _cached(tag: str) -> dict[str, str]:
    return {"etag": tag, "cache-control": "private, no-cache"}
