"""What a server writes down: one line an event, as text or as JSON, on standard error.

A line tells who called what and how it ended. It never holds a query string, a header, a body or a recalled text.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

from muniment.settings import Settings
from muniment.text import redact

# The fields of a request's line, in their order.
FIELDS = ("request_id", "method", "path", "status", "ms", "bytes", "principal", "address")
TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
PATH_SHOWN_MAX = 200
ACCESS = logging.getLogger("muniment.access")


class JsonLines(logging.Formatter):
    """One JSON object a line: at (UTC, RFC 3339), level, logger, message, and the fields of a request."""

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        told |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        return json.dumps(told, ensure_ascii=False)


def begin(settings: Settings) -> None:
    """Log to standard error from here on. Libraries only warn: at `debug` some of them would write down what was asked."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if settings.log_format == "json" else logging.Formatter(TEXT))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    logging.getLogger("muniment").setLevel(settings.log_level.upper())


def request(**fields: Any) -> None:
    """Note a request that was answered: the values of FIELDS."""
    if not ACCESS.isEnabledFor(logging.INFO):
        return
    fields["path"] = _plain(fields["path"])
    ACCESS.info("%s %s %s", fields["method"], fields["path"], fields["status"], extra=fields)


def _plain(path: str) -> str:
    """A path as one line of a log may show it: somebody may have made a token a part of it."""
    return "".join(sign if sign.isprintable() else "?" for sign in redact.mask(path)[0][:PATH_SHOWN_MAX])
