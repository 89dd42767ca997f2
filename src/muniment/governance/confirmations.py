"""Confirming what cannot be taken lightly: the call says first what it would do, and is repeated with a value good for it once.

The value is bound to the caller, to everything the call says, and to the versions of what it would change.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from typing import Any

from muniment.context import Context
from muniment.errors import ConfirmationRequired, InvalidInput
from muniment.model.times import MINUTE_MS
from muniment.store.connections import Connection

GOOD_FOR_MS = 10 * MINUTE_MS
PREFIX = "ok_"


@dataclass(frozen=True, slots=True)
class Ticket:
    """A confirmation as a caller sent it, with what it has to be bound to."""

    uid: str
    principal: int
    payload: str


def require(context: Context, request: Any, versions: Sequence[object], impact: str) -> Ticket:
    """The confirmation that came with a request. Without one, makes one and raises ConfirmationRequired.

    `request` has a field `confirm`; `versions` are the versions of everything the call would change. Not to be called
    inside of a write.
    """
    payload = _payload(request, versions)
    if request.confirm:
        return Ticket(request.confirm.removeprefix(PREFIX), context.grant.principal, payload)
    uid = context.uid()
    with context.store.write() as connection:
        connection.run("confirmations_expire", {"now": context.now()})
        values = {"uid": uid, "principal": context.grant.principal, "payload": payload}
        connection.run("confirmation_add", values | {"expires_at": context.now() + GOOD_FOR_MS})
    raise ConfirmationRequired(impact, f"{PREFIX}{uid}")


def spend(context: Context, connection: Connection, ticket: Ticket) -> None:
    """Use a confirmation up, in the transaction of its effect. Raises InvalidInput for one that does not fit."""
    values = {"uid": ticket.uid, "principal": ticket.principal, "payload": ticket.payload, "now": context.now()}
    if connection.one("confirmation_spend", values) is None:
        raise InvalidInput(
            "This confirm value is not good for this call: it was used, is too old, or something changed meanwhile.",
            "Repeat the call without confirm and read its impact again.",
        )


def _payload(request: Any, versions: Sequence[object]) -> str:
    assert is_dataclass(request)
    assert not isinstance(request, type)
    said = asdict(replace(request, confirm=None))
    text = json.dumps([type(request).__name__, said, list(versions)], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
