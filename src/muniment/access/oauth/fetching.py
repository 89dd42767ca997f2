"""Fetches one small JSON document of a stranger's choosing without becoming that stranger's hand in our network.

The name is resolved once, every address of it has to be allowed, and the connection goes to one of those very addresses.
"""

from __future__ import annotations

import http.client
import ipaddress
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from muniment.access.oauth.redirects import split
from muniment.access.oauth.refusals import Refused

URL_LENGTH_MAX = 500
BYTES_MAX = 16_384
CONNECT_S_MAX = 3.0
TOTAL_S_MAX = 6.0
ADDRESSES_MAX = 16
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], list[str]]
# IPv6 networks that carry an IPv4 address inside, so that a public prefix leads into a private network.
CARRIERS = tuple(ipaddress.IPv6Network(net) for net in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96"))


def public(address: Address) -> bool:
    """Whether an address is one of the open internet, and nothing near us in any way of writing it."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return public(address.ipv4_mapped)
        if any(address in net for net in CARRIERS):
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def resolved(host: str, port: int) -> list[str]:
    """The addresses of a name, as this machine's resolver knows them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


@dataclass(frozen=True, slots=True)
class Fetcher:
    """How documents are fetched. `allowed` judges an address, `resolve` asks for those of a name, `what` names the document."""

    allowed: Callable[[Address], bool] = public
    resolve: Resolve = resolved
    tls: ssl.SSLContext | None = None
    total_s: float = TOTAL_S_MAX
    bytes_max: int = BYTES_MAX
    what: str = "The client's metadata"


def fault(url: str, what: str = "a client's metadata") -> str:
    """What is wrong with the address of a document, or nothing. `what` names the document."""
    parts = split(url)
    if len(url) > URL_LENGTH_MAX or parts is None or parts.scheme != "https" or not parts.hostname:
        return f"The address of {what} is https and has at most {URL_LENGTH_MAX} characters."
    if "@" in parts.netloc or "#" in url or "\\" in url or not url.isascii() or any(c <= " " or c == "\x7f" for c in url):
        return f"The address of {what} names no user, has no fragment, and nothing in it is hidden."
    segments = parts.path.split("/")
    if parts.path in ("", "/") or "." in segments or ".." in segments:
        return f"The address of {what} has a path, without dots in it."
    # A number in any form is an address and no name: 127.1, 2130706433, 0x7f000001, [::1].
    if ":" in parts.hostname or not re.fullmatch(r"[^.].*\.[a-z][^.]*", parts.hostname):
        return f"The address of {what} names a host of the open internet."
    return ""


def fetch(url: str, how: Fetcher) -> bytes | Refused:
    """The bytes of a client's JSON document. Blocks for at most `how.total_s` seconds and the time of the resolver."""
    wrong = fault(url)
    return Refused("invalid_client", wrong) if wrong else read(url, how)


def read(url: str, how: Fetcher) -> bytes | Refused:
    """The bytes of a JSON document at an address that somebody has judged, over http if it says so; blocks like `fetch`."""
    parts = urlsplit(url)
    assert parts.hostname is not None, "it was judged"
    addresses = _addresses(parts.hostname, _port(parts), how)
    if isinstance(addresses, Refused):
        return addresses
    until = time.monotonic() + how.total_s
    for address in addresses:
        left = until - time.monotonic()
        if left <= 0:
            break
        try:
            return _read(parts, address, how, left)
        except (OSError, http.client.HTTPException, ValueError):
            continue  # one of its other addresses may answer
    return Refused("invalid_client", f"{how.what} could not be fetched.")


def _port(parts: SplitResult) -> int:
    return parts.port or (80 if parts.scheme == "http" else 443)


def _addresses(host: str, port: int, how: Fetcher) -> list[str] | Refused:
    try:
        found = how.resolve(host, port)
    except (OSError, UnicodeError):
        return Refused("invalid_client", f"The host of {_inside(how.what)} is not known.")
    addresses = [ipaddress.ip_address(one.partition("%")[0]) for one in found[:ADDRESSES_MAX]]
    if not addresses or not all(how.allowed(one) for one in addresses):
        return Refused("invalid_client", f"{how.what} does not lie on the open internet.")
    return [str(one) for one in addresses]


def _inside(what: str) -> str:
    """The name of a document in the middle of a sentence."""
    return what[0].lower() + what[1:]


def _read(parts: SplitResult, address: str, how: Fetcher, total_s: float) -> bytes | Refused:
    until = time.monotonic() + total_s
    found = _talked(parts, address, how, total_s)
    if time.monotonic() >= until:
        # Without a length the end of the connection ends a document, and this end was ours.
        raise TimeoutError(f"{how.what} did not come in time")
    return found


def _talked(parts: SplitResult, address: str, how: Fetcher, total_s: float) -> bytes | Refused:
    with socket.create_connection((address, _port(parts)), timeout=min(CONNECT_S_MAX, total_s)) as plain:
        # A server that sends a byte now and then never runs into the timeout of one reading.
        watch = threading.Timer(total_s, _hang_up, (plain,))
        watch.start()
        try:
            if parts.scheme == "http":
                return _asked(plain, parts, how)
            tls = how.tls or ssl.create_default_context()
            with tls.wrap_socket(plain, server_hostname=parts.hostname, do_handshake_on_connect=False) as sock:
                sock.settimeout(CONNECT_S_MAX)
                watch.cancel()
                watch = threading.Timer(total_s, _hang_up, (sock,))
                watch.start()
                sock.do_handshake()
                return _asked(sock, parts, how)
        finally:
            watch.cancel()


def _hang_up(sock: socket.socket) -> None:
    try:
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
    except OSError:
        return  # it is closed already


def _asked(sock: socket.socket, parts: SplitResult, how: Fetcher) -> bytes | Refused:
    # Of a name it would read what stands behind the last colon as a port; it only speaks, the connection is there.
    connection = http.client.HTTPConnection("localhost")
    connection.sock = sock
    connection.putrequest(
        "GET", (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), skip_host=True, skip_accept_encoding=True
    )
    for name, value in (("Host", parts.netloc), ("Accept", "application/json"), ("User-Agent", "muniment")):
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    if answer.status != 200:
        # Another address would have to be checked like the first one, and nobody has to move this document.
        return Refused("invalid_client", f"{how.what} is not at its address.")
    kind = answer.headers.get_content_type()
    if kind != "application/json" and not kind.endswith("+json"):
        return Refused("invalid_client", f"{how.what} is not declared as JSON.")
    body = answer.read(how.bytes_max + 1)
    if len(body) > how.bytes_max:
        return Refused("invalid_client", f"{how.what} has more than {how.bytes_max:,} bytes.")
    return body
