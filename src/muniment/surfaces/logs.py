"""What a server writes down: one line an event, as text or as JSON, on standard error.

A line tells who called what and how it ended. It never holds a query string, a header, a body or a recalled text.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime
from typing import Any

from muniment.settings import Settings
from muniment.text import redact

# The fields of a request's line, in their order.
FIELDS = ("request_id", "method", "path", "status", "ms", "bytes", "principal", "address")
# Those that the message of a request does not say already.
TOLD = ("ms", "bytes", "principal", "address", "request_id")
TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
PATH_SHOWN_MAX = 200
WORD = re.compile(r"[\w.:@-]+")
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


class TextLines(logging.Formatter):
    """One line for a reader; after what was asked and how it ended, the other fields of a request by their names."""

    def __init__(self) -> None:
        super().__init__(TEXT)

    def formatMessage(self, record: logging.LogRecord) -> str:
        told = [f"{name}={_word(getattr(record, name))}" for name in TOLD if hasattr(record, name)]
        return " ".join((super().formatMessage(record), *told))


def begin(settings: Settings) -> None:
    """Log to standard error from here on. Libraries only warn: at `debug` some of them would write down what was asked."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if settings.log_format == "json" else TextLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    logging.getLogger("muniment").setLevel(settings.log_level.upper())


def request(**fields: Any) -> None:
    """Note a request that was answered: the values of FIELDS."""
    if not ACCESS.isEnabledFor(logging.INFO):
        return
    fields["path"] = _plain(fields["path"])
    ACCESS.info("%s %s %s", fields["method"], fields["path"], fields["status"], extra=fields)


def _word(value: object) -> str:
    """A value as one word: a name with anything else in it than a word's signs stands in quotes, and can forge no field."""
    text = "-" if value is None else str(value)
    return text if WORD.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def _plain(path: str) -> str:
    """A path as one line of a log may show it: somebody may have made a token a part of it."""
    return "".join(sign if sign.isprintable() else "?" for sign in redact.mask(path)[0][:PATH_SHOWN_MAX])
