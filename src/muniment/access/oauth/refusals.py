"""How a request is refused: the name that the RFCs give it, and words for whoever builds the client.

A refusal is returned and not raised, so that what was found out on the way to it (a replay) is stored all the same.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refused:
    """`error` is a code of RFC 6749, 7591, 8707 or 7009; `description` holds nothing that was sent."""

    error: str
    description: str


@dataclass(frozen=True, slots=True)
class Limited:
    """Too many of these at the moment. `wait_ms` says when the next one may come."""

    wait_ms: int
