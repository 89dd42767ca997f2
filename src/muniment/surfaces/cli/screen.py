"""How answers look on a terminal: one console, texts that cannot steer it, and dates as people read them.

Stored text is never trusted here: control characters and direction marks are replaced before anything is shown.
"""

from __future__ import annotations

import os
import re
import sys
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

# C0 and C1 controls steer a terminal, direction marks make a text read as another one. Tabs and line ends stay.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

SIGNED_MAX = 100
# As wide as a terminal is that nobody made wider.
WIDTH = 80


def safe(text: str) -> str:
    """A stored text as a terminal may show it."""
    return _STEERING.sub("�", text.replace("\r\n", "\n"))


def line(text: str, most: int) -> str:
    """A stored text as one line of at most `most` characters."""
    short = " ".join(safe(text[: most * 4]).split())
    return short if len(short) <= most else f"{short[: most - 1]}…"


def row(*parts: str) -> str:
    """What belongs together, two spaces apart; what does not fit a terminal's width goes on in indented lines.

    A part is broken at its commas alone.
    """
    first, *others = [piece for part in parts if part for piece in _pieces(part)]
    lines = [first]
    for piece in others:
        if len(lines[-1]) + 2 + len(piece) <= WIDTH:
            lines[-1] += f"  {piece}"
        else:
            lines.append(f"  {piece}")
    return "\n".join(lines)


def _pieces(part: str) -> list[str]:
    """A part in pieces that fit a line of their own."""
    pieces = [""]
    for word in re.findall("[^,]+,?", part):
        if pieces[-1] and len(pieces[-1]) + len(word) > WIDTH - 2:
            pieces.append("")
        pieces[-1] += word
    return pieces


def signed(by: str, client: str | None) -> str:
    """Who it was, and with which client where that says more: `local (codex)`."""
    return line(by if client in (None, "", by) else f"{by} ({client})", SIGNED_MAX)


def console() -> Console:
    """Where answers go: wrapped for a terminal, left alone for a pipe."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, soft_wrap=not sys.stdout.isatty())


def coloured() -> bool:
    """Whether marks may be shown as colour; else they are written."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def day_and_time(iso: str | None, *, zone_known: bool) -> str:
    """`2026-03-12 14:30 +01:00`, or `… zone unknown`; `undated` for nothing."""
    if not iso:
        return "undated"
    try:
        at = datetime.fromisoformat(iso)
    except ValueError:
        return line(iso, 40)
    offset = at.strftime("%z")
    if not offset:
        shown = "" if zone_known else " zone unknown"
    else:
        shown = " UTC" if offset == "+0000" else f" {offset[:3]}:{offset[3:5]}"
    return f"{at:%Y-%m-%d %H:%M}{shown}"
