"""A store on which maren has a profile and a client has registered: on SQLite and on PostgreSQL."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from muniment.access import browsers, passphrases, profiles
from muniment.access.browsers import Browser
from muniment.access.oauth import asking, exchange, grants, registration
from muniment.access.oauth.asking import Ask, Target
from muniment.access.oauth.clients import Client
from muniment.access.oauth.exchange import Issued
from muniment.access.oauth.grants import Choice
from muniment.access.oauth.refusals import Limited, Refused
from muniment.access.oauth.registration import Registered
from muniment.access.profiles import NewProfile, Profile
from tests.makers import Entropy, Memory

APPS = frozenset({"cursor"})
REDIRECT = "https://client.example/callback"
LOOPBACK = "http://127.0.0.1/callback"
TARGET = Target("https://memory.example", "https://memory.example/mcp")
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
EVERYTHING = frozenset({"read", "propose", "append", "write", "curate", "govern", "share", "admin"})


@dataclass
class House:
    """What a test of the logic needs at hand. Time stands still until a test moves `memory.clock`."""

    memory: Memory
    entropy: Entropy
    maren: Profile
    browser: Browser
    client: Client

    @property
    def store(self) -> Any:
        return self.memory.app.store

    @property
    def now(self) -> int:
        return self.memory.clock.now

    def register(self, sender: str = "192.0.2.7", **metadata: Any) -> Registered | Refused | Limited:
        described = {"client_name": "Harbour", "redirect_uris": [REDIRECT]} | metadata
        return registration.register(self.store, described, sender, APPS, self.now, self.entropy)

    def known(self, **metadata: Any) -> Client:
        found = self.register(**metadata)
        assert isinstance(found, Registered), found
        return found.client

    def ask(self, client: Client | None = None, **changed: Any) -> Ask:
        client = client or self.client
        asked = {"response_type": "code", "code_challenge": CHALLENGE, "code_challenge_method": "S256", "redirect_uri": "given"}
        found = asking.read(asked | changed, (), client, client.redirects[0], TARGET)
        assert isinstance(found, Ask), found
        return found

    def code(self, ask: Ask | None = None, choice: Choice | None = None, browser: Browser | None = None) -> str:
        with self.store.write() as connection:
            return grants.give(
                connection,
                ask or self.ask(),
                self.maren,
                choice or Choice(EVERYTHING),
                browser or self.browser,
                self.now,
                self.entropy,
            )

    def bring(self, code: str, client: Client | None = None, redirect: str | None = REDIRECT, verifier: str = VERIFIER) -> Any:
        return exchange.by_code(self.store, client or self.client, code, redirect, verifier, self.now, self.entropy)

    def issued(self, **options: Any) -> Issued:
        found = self.bring(self.code(**options))
        assert isinstance(found, Issued), found
        return found

    def refresh(self, token: str, client: Client | None = None, scope: str = "") -> Any:
        return exchange.by_refresh(self.store, client or self.client, token, scope, self.now, self.entropy)

    def grant_of(self, access: str) -> Any:
        """What the bearer of an access token may do now."""
        from muniment.access import tokens

        with self.store.read() as connection:
            found = tokens.find(connection, access, self.now)
            return grants.bound(connection, found, TARGET.resource) if found else None

    def log_in(self, before: str = "") -> tuple[str, Browser]:
        secret = browsers.log_in(self.store, self.maren.principal, before, self.now, self.entropy)
        with self.store.read() as connection:
            found = browsers.find(connection, secret, self.now)
        assert found is not None
        return secret, found

    def count(self, statement: str) -> int:
        with self.store.read() as connection:
            return len(connection.all(statement))


@pytest.fixture(scope="session")
def secret_hash() -> str:
    return passphrases.hashed("four plain wooden words")


@pytest.fixture
def keep(memory: Memory, secret_hash: str) -> Callable[..., Profile]:
    def make(name: str = "maren", level: str = "owner", **limits: Any) -> Profile:
        with memory.app.store.write() as connection:
            return profiles.keep(connection, NewProfile(name, level, secret_hash, **limits), memory.clock.now)

    return make


@pytest.fixture
def house(memory: Memory, keep: Callable[..., Profile]) -> House:
    maren = keep()
    entropy = Entropy()
    secret = browsers.log_in(memory.app.store, maren.principal, "", memory.clock.now, entropy)
    with memory.app.store.read() as connection:
        browser = browsers.find(connection, secret, memory.clock.now)
    assert browser is not None
    described = {"client_name": "Harbour", "redirect_uris": [REDIRECT]}
    found = registration.register(memory.app.store, described, "192.0.2.7", APPS, memory.clock.now, entropy)
    assert isinstance(found, Registered)
    return House(memory, entropy, maren, browser, found.client)
