"""Cursors: where a list goes on. A cursor is signed and bound to who asked and what for; it opens nothing by itself."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Sequence

from muniment.context import Context
from muniment.errors import InvalidCursor
from muniment.store.connections import Connection

CURSOR_KEY = "cursor_key"
TAG_BYTES = 12


def seal(context: Context, connection: Connection, place: Sequence[int], bound: object) -> str:
    """A cursor that stands at `place`, good only for this caller and the request described by `bound`."""
    body = json.dumps(list(place)).encode()
    return base64.urlsafe_b64encode(_tag(context, connection, body, bound) + body).decode().rstrip("=")


def unseal(context: Context, connection: Connection, cursor: str, bound: object) -> list[int]:
    """The place a cursor stands at. Raises InvalidCursor for any that is not ours, or was given for another request."""
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (binascii.Error, ValueError) as fault:
        raise InvalidCursor("This is no cursor of ours.") from fault
    tag, body = raw[:TAG_BYTES], raw[TAG_BYTES:]
    # What we did not sign is not even parsed.
    if not hmac.compare_digest(tag, _tag(context, connection, body, bound)):
        raise InvalidCursor("This is no cursor of ours, or it belongs to another request.")
    return [int(number) for number in json.loads(body)]


def _tag(context: Context, connection: Connection, body: bytes, bound: object) -> bytes:
    row = connection.one("meta_get", {"key": CURSOR_KEY})
    assert row is not None, "every store is made with a cursor key"
    message = json.dumps([context.grant.principal, context.grant.token, bound], sort_keys=True, default=str).encode()
    return hmac.new(bytes.fromhex(row[0]), body + b"\x00" + message, hashlib.sha256).digest()[:TAG_BYTES]
