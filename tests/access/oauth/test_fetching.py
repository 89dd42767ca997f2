"""Fetching a stranger's document: only from the open internet, once, small and in time (server-side request forgery)."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from muniment.access.oauth import documents, fetching
from muniment.access.oauth.clients import Client
from muniment.access.oauth.fetching import Fetcher, fault, fetch
from muniment.access.oauth.refusals import Refused
from tests.access.oauth.conftest import APPS, House
from tests.issuing import issuing

NEAR = [
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "2002:7f00:1::",
    "2001::1",
    "fe80::1",
    "fc00::1",
    "fd12::1",
    "ff02::1",
    "2001:db8::1",
]


@pytest.mark.parametrize("address", NEAR)
def test_no_address_near_us_is_public_in_any_form(address: str) -> None:
    assert not fetching.public(ipaddress.ip_address(address))
    how = Fetcher(resolve=lambda host, port: [address])
    assert isinstance(fetch("https://client.example/client.json", how), Refused)


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8"])
def test_the_open_internet_is(address: str) -> None:
    assert fetching.public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "url",
    [
        "http://client.example/c.json",
        "https://client.example",
        "https://client.example/",
        "https://user@client.example/c.json",
        "https://user:x@client.example/c.json",
        "https://client.example/c.json#x",
        "https://client.example/a/../c.json",
        "https://client.example/./c.json",
        "https://client.example\\@127.0.0.1/c.json",
        "https://client.example/c json",
        "https://client.example/c.json\r\nX: y",
        "https://127.0.0.1/c.json",
        "https://2130706433/c.json",
        "https://0x7f000001/c.json",
        "https://0x7f.1/c.json",
        "https://127.1/c.json",
        "https://0177.0.0.1/c.json",
        "https://[::1]/c.json",
        "https://[::ffff:127.0.0.1]/c.json",
        "https://localhost/c.json",
        "https://localhost./c.json",
        "https://127.0.0.1./c.json",
        "https://client.example:99999/c.json",
        "https://clïent.example/c.json",
        "https:///c.json",
        "file:///etc/passwd",
        "https://client.example/" + "a" * 500,
    ],
)
def test_an_address_that_is_not_plain_is_never_asked(url: str) -> None:
    def resolve(host: str, port: int) -> list[str]:
        raise AssertionError(host)

    assert fault(url)
    found = fetch(url, Fetcher(resolve=resolve))
    assert isinstance(found, Refused)
    assert found.error == "invalid_client"


def test_one_bad_address_among_good_ones_is_enough() -> None:
    how = Fetcher(resolve=lambda host, port: ["8.8.8.8", "127.0.0.1"])
    assert isinstance(fetch("https://client.example/c.json", how), Refused)


def test_a_name_that_is_none_is_refused() -> None:
    def resolve(host: str, port: int) -> list[str]:
        raise socket.gaierror(-2, "unknown")

    assert isinstance(fetch("https://client.example/c.json", Fetcher(resolve=resolve)), Refused)


# --- over the wire ------------------------------------------------------------------------------------------------


class Site:
    """A TLS server for client.example on this machine that answers every connection with some bytes."""

    def __init__(self, tls: ssl.SSLContext) -> None:
        self.tls = tls
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.answer: Callable[[ssl.SSLSocket], None] = lambda sock: None
        self.asked: list[bytes] = []
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def url(self) -> str:
        return f"https://client.example:{self.listener.getsockname()[1]}/client.json"

    def serves(self, body: bytes, head: str = "200 OK", kind: str = "application/json", **headers: str) -> None:
        lines = [f"HTTP/1.1 {head}", f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        sent = "\r\n".join([*lines, "", ""]).encode() + body
        self.answer = lambda sock: sock.sendall(sent)

    def _serve(self) -> None:
        while True:
            try:
                plain, _ = self.listener.accept()
            except OSError:
                return
            try:
                with plain, self.tls.wrap_socket(plain, server_side=True) as sock:
                    self.asked.append(sock.recv(4096))
                    self.answer(sock)
            except OSError:
                continue


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tls")
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    made += ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem"), "-subj", "/CN=client.example"]
    made += ["-addext", "subjectAltName=DNS:client.example"]
    subprocess.run(made, check=True, capture_output=True)
    return folder


@pytest.fixture
def site(certificate: Path) -> Iterator[Site]:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    made = Site(tls)
    yield made
    made.listener.close()


@pytest.fixture
def how(certificate: Path) -> Fetcher:
    """Lets this machine count as the open internet, and knows its certificate; all else is as it always is."""
    tls = ssl.create_default_context(cafile=str(certificate / "cert.pem"))
    return Fetcher(allowed=lambda address: True, resolve=lambda host, port: ["127.0.0.1"], tls=tls, total_s=2.0)


def document(url: str, **changed: Any) -> bytes:
    told = {"client_id": url, "client_name": "Harbour", "redirect_uris": ["https://client.example/cb"]} | changed
    return json.dumps({name: value for name, value in told.items() if value is not None}).encode()


def refused(found: object) -> str:
    assert isinstance(found, Refused), found
    return found.description


def test_a_document_is_fetched_with_its_own_name(site: Site, how: Fetcher) -> None:
    site.serves(b"{}")
    assert fetch(site.url, how) == b"{}"
    head = site.asked[0].decode()
    assert head.startswith("GET /client.json HTTP/1.1\r\nHost: client.example:")
    assert "cookie" not in head.lower()
    assert "authorization" not in head.lower()


def test_what_was_cut_off_for_being_slow_is_no_document(site: Site, how: Fetcher) -> None:
    """Without a length only the end of the connection ends a document, and that end was ours."""

    def dribble(sock: ssl.SSLSocket) -> None:
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{}")
        with contextlib.suppress(OSError):
            while True:
                time.sleep(0.05)
                sock.sendall(b" ")

    site.answer = dribble
    assert "could not be fetched" in refused(fetch(site.url, replace(how, total_s=0.4)))


@pytest.mark.parametrize("host", ["[fd00::beef]", "[fd00::12]", "[fd00::]"])
def test_an_address_of_ipv6_is_asked_by_its_numbers(host: str) -> None:
    with issuing() as made:
        port = int(made.issuer.rpartition(":")[2])
        made.documents = {"/keys": {}}
        how = Fetcher(allowed=lambda address: True, resolve=lambda name, port: ["127.0.0.1"])
        assert fetching.read(f"http://{host}:{port}/keys", how) == b"{}"


def test_the_connection_goes_to_the_address_that_was_checked(site: Site, how: Fetcher) -> None:
    """A name that answers differently the second time (rebinding) is not asked a second time."""
    asked = []

    def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["203.0.113.9"]

    site.serves(b"{}")
    assert fetch(site.url, Fetcher(how.allowed, resolve, how.tls)) == b"{}"
    assert asked == ["client.example"]


def test_no_redirect_is_followed(site: Site, how: Fetcher) -> None:
    for status in ("301 Moved", "302 Found", "307 Temporary", "308 Permanent"):
        site.serves(b"", status, Location=site.url)
        assert "not at its address" in refused(fetch(site.url, how))
    assert len(site.asked) == 4


def test_a_certificate_of_somebody_else_is_refused(site: Site, how: Fetcher) -> None:
    site.serves(b"{}")
    assert isinstance(fetch(site.url, Fetcher(how.allowed, how.resolve)), Refused)
    assert isinstance(fetch(site.url.replace("client.example", "other.example"), how), Refused)


def test_what_is_large_or_is_no_json_is_refused(site: Site, how: Fetcher) -> None:
    site.serves(b"x" * (fetching.BYTES_MAX + 1))
    assert "more than" in refused(fetch(site.url, how))
    site.serves(b"{}", kind="text/html")
    assert "JSON" in refused(fetch(site.url, how))
    site.serves(b"{}", "404 Not Found")
    assert "not at its address" in refused(fetch(site.url, how))


def test_a_server_that_drips_is_hung_up_on(site: Site, how: Fetcher) -> None:
    def drip(sock: ssl.SSLSocket) -> None:
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        for _ in range(100):
            sock.sendall(b" ")
            time.sleep(0.2)

    site.answer = drip
    began = time.monotonic()
    fetch(site.url, how)
    assert time.monotonic() - began < 5


def test_a_server_that_says_nothing_is_left(site: Site, how: Fetcher) -> None:
    site.answer = lambda sock: time.sleep(10)
    began = time.monotonic()
    assert isinstance(fetch(site.url, how), Refused)
    assert time.monotonic() - began < 5


# --- what the document says ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changed",
    [
        {"client_id": "https://client.example/other.json"},
        {"client_id": None},
        {"client_secret": "x"},
        {"token_endpoint_auth_method": "client_secret_post"},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": []}},
        {"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "https://127.0.0.1/keys"},
        {"token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_methods_supported": ["private_key_jwt"]},
    ],
)
def test_a_document_that_is_not_of_its_address_or_wants_a_secret_is_refused(changed: dict[str, Any]) -> None:
    url = "https://client.example/client.json"
    assert documents.faulty(url, json.loads(document(url, **changed)))


def test_a_client_that_prefers_to_sign_may_do_without() -> None:
    url = "https://client.example/client.json"
    method = {
        "token_endpoint_auth_method": "private_key_jwt",
        "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
    }
    assert documents.faulty(url, json.loads(document(url, **method))) == ""
    assert documents.faulty(url, json.loads(document(url))) == ""


def test_a_document_becomes_a_client_that_is_held_for_a_while(house: House, site: Site, how: Fetcher) -> None:
    def resolve() -> Client | Refused:
        return documents.resolve(house.store, site.url, house.maren.principal, APPS, how, lambda: house.now)

    site.serves(document(site.url))
    found = resolve()
    assert isinstance(found, Client)
    assert (found.uid, found.kind, found.auth_method, found.name) == (site.url, "document", "none", "Harbour")
    site.serves(document(site.url, client_name="Harbour 2"))
    assert resolve() == found
    assert len(site.asked) == 1
    house.memory.clock.move(documents.FRESH_MS)
    again = resolve()
    assert isinstance(again, Client)
    assert (again.name, again.id) == ("Harbour 2", found.id)
    site.serves(b"", "500 Oh")
    house.memory.clock.move(documents.FRESH_MS)
    assert isinstance(resolve(), Client), "what is held serves while its address is out of order"
    house.memory.clock.move(documents.STALE_MS)
    assert isinstance(resolve(), Refused)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'"x"', b"[" * 5000, json.dumps({"client_id": "x", "redirect_uris": ["javascript:x"]}).encode()]
)
def test_a_document_that_makes_no_sense_is_refused(house: House, site: Site, how: Fetcher, body: bytes) -> None:
    site.serves(body)
    assert isinstance(documents.resolve(house.store, site.url, 1, APPS, how, lambda: house.now), Refused)


def test_a_document_with_a_redirect_that_is_none_is_refused(house: House, site: Site, how: Fetcher) -> None:
    site.serves(document(site.url, redirect_uris=["http://evil.example/"]))
    found = documents.resolve(house.store, site.url, 1, APPS, how, lambda: house.now)
    assert isinstance(found, Refused)
    assert found.error == "invalid_redirect_uri"


def test_one_person_makes_us_ask_only_so_often(house: House, site: Site, how: Fetcher) -> None:
    site.serves(b"[]")
    for _ in range(documents.FETCHES_MAX + 3):
        documents.resolve(house.store, site.url, 1, APPS, how, lambda: house.now)
    assert len(site.asked) == documents.FETCHES_MAX
