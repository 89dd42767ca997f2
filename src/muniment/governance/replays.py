"""Answers kept for repeated requests: the same request_id gives the first answer again, with another payload it is an error.

The answer is stored in the transaction of its effect, and holds refs instead of texts.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any

from muniment.context import Context
from muniment.errors import RequestMismatch, StoreBusy
from muniment.store.connections import Connection


def payload(request: Any) -> str:
    """A hash of everything a request says."""
    return hashlib.sha256(json.dumps(asdict(request), sort_keys=True, default=str).encode()).hexdigest()


def find(context: Context, connection: Connection, request_id: str | None, request: Any) -> dict[str, Any] | None:
    """The first answer to this request_id of this caller, or None. Raises RequestMismatch."""
    if not request_id:
        return None
    row = connection.one("request_get", {"principal": context.grant.principal, "request_id": request_id})
    if row is None:
        return None
    if row[0] != payload(request):
        raise RequestMismatch(f"request_id {request_id!r} came with another request before.")
    held: dict[str, Any] = json.loads(row[1])
    return held


def keep(context: Context, connection: Connection, request_id: str | None, request: Any, held: dict[str, Any]) -> None:
    """Keep an answer, in the transaction of its effect."""
    if not request_id:
        return
    row = connection.one(
        "request_put",
        {
            "principal": context.grant.principal,
            "request_id": request_id,
            "payload_hash": payload(request),
            "answer": json.dumps(held),
            "at": context.now(),
        },
    )
    if row is None:
        raise StoreBusy(f"request_id {request_id!r} is being stored in another workspace at this moment.")
