"""Where a client may be answered. A redirect matches exactly; only the port of a loopback address is left open (RFC 8252, 7.3).

Allowed are https, http on this machine, and the schemes of listed apps. Nothing else is ever sent a code.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from urllib.parse import SplitResult, urlsplit

LENGTH_MAX = 2000
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
# Schemes that a browser runs or opens itself; no setting can list them.
NEVER = frozenset(
    {"javascript", "data", "file", "vbscript", "blob", "about", "view-source", "ws", "wss", "ftp", "http", "https"}
)
# RFC 3986 without fragments: no space, control, quote, backslash or letter beyond ASCII.
_CHARACTERS = re.compile(r"[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=%]+")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")


def schemes(setting: str) -> frozenset[str]:
    """The app schemes that a setting lists, without those that are never one."""
    named = {name.strip().lower() for name in setting.split(",")}
    return frozenset(name for name in named if _SCHEME.fullmatch(name)) - NEVER


def fault(uri: str, apps: Collection[str]) -> str:
    """What is wrong with a redirect, or nothing."""
    if len(uri) > LENGTH_MAX:
        return f"A redirect has at most {LENGTH_MAX} characters."
    if not _CHARACTERS.fullmatch(uri):
        return "A redirect is an absolute address without a fragment, spaces or backslashes."
    parts = split(uri)
    if parts is None:
        return "A redirect has to be an absolute address."
    if "@" in parts.netloc:
        return "A redirect names no user."
    if parts.scheme == "https" and parts.hostname:
        return ""
    if parts.scheme == "http":
        return (
            ""
            if parts.hostname in LOOPBACK
            else "A redirect over http goes to this machine only: 127.0.0.1, [::1] or localhost."
        )
    if parts.scheme in apps and uri[len(parts.scheme) :].startswith("://") and len(uri) > len(parts.scheme) + 3:
        return ""
    return "A redirect is https, http on this machine, or an app's scheme that this server lists."


def matches(registered: Iterable[str], asked: str) -> bool:
    """Whether a redirect is one of those registered."""
    return any(asked == one or _same_but_port(one, asked) for one in registered)


def _same_but_port(registered: str, asked: str) -> bool:
    if not (is_loopback(registered) and is_loopback(asked)):
        return False
    one, other = split(registered), split(asked)
    if one is None or other is None:
        return False
    return (one.hostname, one.path, one.query) == (other.hostname, other.path, other.query)


def is_loopback(uri: str) -> bool:
    """Whether a redirect stays on the person's machine, where any program may listen."""
    parts = split(uri)
    return parts is not None and parts.scheme == "http" and parts.hostname in LOOPBACK and "@" not in parts.netloc


def shown(uri: str) -> str:
    """The host that a person is shown, with its port where it has one; for an app its scheme."""
    parts = split(uri)
    if parts is None:
        return uri
    return parts.netloc if parts.scheme in ("http", "https") else f"{parts.scheme}://"


def source(uri: str) -> str:
    """The redirect as a source of a Content-Security-Policy, which a browser also holds against the answer to a form."""
    parts = split(uri)
    if parts is None or parts.scheme not in ("http", "https"):
        return f"{parts.scheme}:" if parts else "'none'"
    # The grammar of sources has no place for an IPv6 address.
    return f"{parts.scheme}:" if ":" in (parts.hostname or "") else f"{parts.scheme}://{parts.netloc}"


def split(uri: str) -> SplitResult | None:
    """The parts of an absolute address; None for what is none, such as one whose port is no number."""
    try:
        parts = urlsplit(uri)
        _ = parts.port
    except ValueError:
        return None
    return parts if parts.scheme else None
