"""What is refused where nothing is changed at once, in the same words on every way in.

It loads nothing but the errors, so that a list of tools is still answered before anything else is loaded.
"""

from __future__ import annotations

from muniment.errors import InsufficientScope


def only_reads() -> InsufficientScope:
    """For a change asked of a server that is only read from."""
    return InsufficientScope("This server only reads.", "Write through another server, or switch read_only off.")


def only_proposes(what: str) -> InsufficientScope:
    """For what a caller whose changes are all proposed may not ask for, since it cannot be one proposal."""
    advice = "Keep single statements with remember, or use a token with another write mode."
    return InsufficientScope(f"This token only proposes, and {what} cannot wait for a decision.", advice)
