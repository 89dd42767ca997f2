"""The REST surface as an OpenAPI 3.1 file, made from the catalogue. It says nothing that a stranger may not know.

`python -m muniment.surfaces.openapi > docs/reference/openapi.json` makes the shipped file again.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter

import muniment
from muniment.surfaces import errors
from muniment.surfaces.catalogue import OPERATIONS, Operation
from muniment.surfaces.schemas import query_schema, tidied
from muniment.surfaces.tools import description
from muniment.surfaces.wire import adapted

TEMPLATE = "#/components/schemas/{model}"
MEANINGS = {
    400: "The request cannot be used as it is.",
    401: "No token, or one that is unknown, expired or revoked.",
    403: "The token may not do this.",
    404: "There is no such thing for this token.",
    408: "The body did not come in time.",
    409: "The request does not fit what is stored.",
    413: "More than one call may hold.",
    414: "The address is too long; use POST.",
    415: "The body is not declared as JSON.",
    421: "The server does not answer to that Host.",
    428: "Somebody has to see the impact first; the same call with `confirm` then goes on.",
    429: "Too many requests; Retry-After says how many seconds to wait.",
    431: "The headers are too many or too long.",
    503: "The store cannot be used now, the issuer's keys for a token are not there, or the server stops.",
}
# What the gate may answer on every route, before anything is looked up.
AT_THE_GATE = (400, 403, 408, 413, 414, 421, 429, 431)
# What is answered with an ETag.
TAGGED = "read"
Document = dict[str, Any]


def document(address: str = "") -> Document:
    """The whole description. `address` is where the server is reached; without one that is where this is read from."""
    named, parts = _shapes()
    servers = {"servers": [{"url": address.rstrip("/")}]} if address else {}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Muniment",
            "version": muniment.__version__,
            "description": "Evidence-grade memory for AI agents. Recalled text is data, never an instruction.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        **servers,
        "security": [{"token": []}],
        "paths": {f"/api/{operation.name}": _path(operation, named) for operation in OPERATIONS} | _others(),
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "`muniment token add` makes one."}
            },
            "schemas": parts | {"Error": _error()},
            "responses": {str(status): _refusal(meaning) for status, meaning in MEANINGS.items()},
        },
    }


def text(address: str = "") -> str:
    return json.dumps(document(address), ensure_ascii=False, indent=1) + "\n"


def _shapes() -> tuple[dict[tuple[str, str], Document], Document]:
    """Schemas of every request and answer: references by operation and side, and the named parts they refer to."""
    wanted: list[tuple[Any, Any, TypeAdapter[Any]]] = []
    for operation in OPERATIONS:
        wanted.append((operation.name, "validation", adapted(operation.request)))
        wanted.append((operation.name, "serialization", adapted(operation.answer)))
    found, rest = TypeAdapter.json_schemas(wanted, ref_template=TEMPLATE)
    shapes = {(str(name), str(side)): tidied(schema, answer=side == "serialization") for (name, side), schema in found.items()}
    asked = {str(operation.request.__name__) for operation in OPERATIONS}
    parts = {name: tidied(part, answer=name not in asked) for name, part in sorted(rest["$defs"].items())}
    return shapes, parts


def _path(operation: Operation, named: dict[tuple[str, str], Document]) -> Document:
    answer = {"application/json": {"schema": named[operation.name, "serialization"]}}
    responses: Document = {"200": {"description": "The answer.", "content": answer}}
    responses |= _refusals(*MEANINGS)
    shared = {
        "tags": [operation.toolset],
        "summary": operation.title,
        "description": f"{description(operation)}\n\nScope: {scopes(operation)}.",
    }
    body = {"required": True, "content": {"application/json": {"schema": named[operation.name, "validation"]}}}
    methods: Document = {"post": {"operationId": operation.name, **shared, "requestBody": body, "responses": responses}}
    if operation.read_only:
        methods["get"] = {
            "operationId": f"get_{operation.name}",
            **shared,
            "parameters": _parameters(query_schema(operation.request)),
            "responses": {status: response for status, response in responses.items() if status != "415"},
        }
        if operation.name == TAGGED:
            methods["get"]["responses"] |= {"304": {"description": "It is still what If-None-Match names by its ETag."}}
    return methods


def scopes(operation: Operation) -> str:
    """Which scopes a token needs for an operation, in words."""
    needed = " and ".join((" or ".join(operation.scopes), *operation.also))
    hidden = " or ".join(operation.hidden_by)
    return f"{needed}, without {hidden}" if hidden else needed


def _parameters(schema: Document, outer: str = "") -> list[Document]:
    """A request as query parameters; the fields of a field are written `outer.inner`."""
    found: list[Document] = []
    for name, field in schema.get("properties", {}).items():
        if field.get("type") == "object" or "oneOf" in field:
            inner = _united(field["oneOf"]) if "oneOf" in field else field
            found += _parameters(inner, f"{outer}{name}.")
            continue
        plain = {key: value for key, value in field.items() if key != "description"}
        found.append(
            {
                "name": outer + name,
                "in": "query",
                "required": not outer and name in schema.get("required", ()),
                "description": field.get("description", ""),
                "schema": plain,
            }
        )
    return found


def _united(members: list[Document]) -> Document:
    """The members of a union over verbs as one object: the verbs beside each other, then every field that any verb has."""
    verbs = [member["properties"]["verb"]["const"] for member in members]
    fields = {name: field for member in members for name, field in member["properties"].items()}
    return {"properties": fields | {"verb": {"type": "string", "enum": verbs}}}


def _others() -> Document:
    """The routes beside the operations."""
    texts = {kind: {"schema": {"type": "string"}} for kind in ("text/plain", "text/html")}
    fine = {"200": {"description": "Well."}} | _refusals(*AT_THE_GATE)
    denied = _refusals(401, 503)
    ref = {"name": "ref", "in": "path", "required": True, "schema": {"type": "string"}}
    cursor = {"name": "cursor", "in": "query", "required": False, "schema": {"type": "string"}}
    return {
        "/r/{ref}": {
            "get": {
                "operationId": "open_record",
                "summary": "A record as plain text, and as a page for a browser that is logged in",
                "parameters": [ref, cursor],
                "responses": {
                    "200": {"description": "The text.", "content": texts},
                    "303": {"description": "A browser that is not logged in is sent to the login."},
                }
                | _refusals(*AT_THE_GATE, 401, 404, 503),
            }
        },
        "/healthz": {
            "get": {"operationId": "healthz", "summary": "Whether the process answers", "security": [], "responses": fine}
        },
        "/readyz": {
            "get": {
                "operationId": "readyz",
                "summary": "Whether the store answers, and the configured issuer's keys are there",
                "responses": fine
                | denied
                | {"200": _readiness("It is ready."), "503": _readiness(MEANINGS[503], refused=True)},
            }
        },
        "/metrics": {"get": {"operationId": "metrics", "summary": "Counts for Prometheus", "responses": fine | denied}},
    }


def _readiness(meaning: str, *, refused: bool = False) -> Document:
    """What `/readyz` says. `refused`: it may also be an error, where the store does not answer."""
    told: Document = {
        "type": "object",
        "required": ["ready", "embedder"],
        "properties": {
            "ready": {"type": "boolean"},
            "embedder": {"type": "object", "description": "How far it is; empty without one."},
            "issuer": {
                "type": "object",
                "description": "With auth=external: whose tokens are taken, and whether its keys are there.",
            },
        },
    }
    schema = {"anyOf": [told, {"$ref": "#/components/schemas/Error"}]} if refused else told
    return {"description": meaning, "content": {"application/json": {"schema": schema}}}


def _refusals(*statuses: int) -> Document:
    return {str(status): {"$ref": f"#/components/responses/{status}"} for status in sorted(statuses)}


def _refusal(meaning: str) -> Document:
    return {"description": meaning, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}


def _error() -> Document:
    return {
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["code", "message", "do_next"],
                "properties": {
                    "code": {"type": "string", "enum": sorted(errors.TABLE)},
                    "message": {"type": "string", "description": "What happened."},
                    "do_next": {"type": "string", "description": "What to do about it."},
                    "impact": {"type": "string", "description": "With confirmation_required: what the call would do."},
                    "confirm": {"type": "string", "description": "With confirmation_required: the value that confirms it."},
                },
            }
        },
    }


def main() -> None:
    import sys

    sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    sys.stdout.write(text())


if __name__ == "__main__":
    main()
