"""The one table from error codes to HTTP statuses and exit codes, and the one place where a surface catches everything.

What a caller sees of an unexpected fault is that it happened; what the log sees never quotes what was asked.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any, TypeVar

from muniment.errors import ConfirmationRequired, MunimentError

Answer = TypeVar("Answer")

# code: (HTTP status, exit code). 1: the answer is no; 2: the call, or the place it runs in, has to change.
TABLE: dict[str, tuple[int, int]] = {
    "invalid_input": (400, 2),
    "invalid_cursor": (400, 2),
    "limit_exceeded": (413, 2),
    "unauthorized": (401, 2),
    "insufficient_scope": (403, 2),
    "forbidden_scope": (403, 2),
    "protected_target": (403, 1),
    "not_found": (404, 1),
    "unknown_project": (404, 2),
    "stale_version": (409, 1),
    "stale_conflict": (409, 1),
    "request_mismatch": (409, 2),
    # Precondition Required: the call is in order, but somebody has to have seen its impact first.
    "confirmation_required": (428, 2),
    "unavailable": (503, 2),
}
CAUSES_LOGGED_MAX = 4


def status(code: str) -> int:
    """The HTTP status of an error code."""
    return TABLE[code][0]


def exit_code(code: str) -> int:
    """The exit code of a command that ended with an error code."""
    return TABLE[code][1]


def shown(error: MunimentError) -> dict[str, Any]:
    """An error as every surface shows it. One that asks for a confirmation brings what it takes to give it."""
    told = {"code": error.code, "message": error.message, "do_next": error.do_next}
    if isinstance(error, ConfirmationRequired):
        told |= {"impact": error.impact, "confirm": error.confirm}
    return {"error": told}


def outcome(name: str, work: Callable[[], Answer]) -> Answer | MunimentError:
    """What some work answered, or the error it ended with. `name` is what the log calls it."""
    try:
        return work()
    except MunimentError as error:
        return error
    except Exception as fault:
        return unexpected(name, fault)


def unexpected(name: str, fault: BaseException) -> MunimentError:
    """Log a fault of ours, without the texts it may quote, and answer what a caller is told."""
    import logging

    logging.getLogger("muniment").error("%s failed: %s", name, _trail(fault))
    return MunimentError(
        f"{name} failed inside Muniment.",
        "Try once more. If it fails again, look at the server's log and run `muniment doctor`.",
    )


def _trail(fault: BaseException) -> str:
    """Where a fault came from: its type and its frames, and those of its causes, but no message of any."""
    parts = []
    for _ in range(CAUSES_LOGGED_MAX):
        frames = "".join(traceback.format_tb(fault.__traceback__))
        parts.append(f"{type(fault).__module__}.{type(fault).__name__}\n{frames}")
        cause = fault.__cause__ or fault.__context__
        if cause is None:
            break
        fault = cause
    return "caused by ".join(parts).rstrip()
