"""A server with a profile on it, a person at a browser, and a client that wants a token. SQLite, but for `stored` tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from muniment.access import passphrases, profiles
from muniment.access.profiles import NewProfile, Profile
from muniment.app import App, create_app
from muniment.settings import Settings
from muniment.surfaces.http import build
from tests.surfaces.browser import Client, Person
from tests.surfaces.conftest import BASE

NAME = "maren"
PASSPHRASE = "four plain wooden words"


@pytest.fixture(scope="session")
def secret_hash() -> str:
    return passphrases.hashed(PASSPHRASE)


Enrol = Callable[..., Profile]


@pytest.fixture
def enrol(app: App, secret_hash: str) -> Enrol:
    """Make a profile with the one passphrase of these tests."""

    def make(name: str = NAME, level: str = "owner", **limits: Any) -> Profile:
        with app.store.write() as connection:
            return profiles.keep(connection, NewProfile(name, level, secret_hash, **limits), app.context().now())

    return make


@pytest.fixture
def maren(enrol: Enrol) -> Profile:
    return enrol()


@pytest.fixture
def app(configured: Callable[..., Settings]) -> Iterator[App]:
    """Without the pace of strangers, which has tests of its own: here all programs and people come from one address."""
    made = create_app(configured(stranger_rate_per_minute=0))
    yield made
    made.close()


@pytest.fixture
def asgi(app: App) -> ASGIApp:
    return build(app)


@pytest.fixture
def machine(asgi: ASGIApp, maren: Profile) -> Iterator[TestClient]:
    """What programs use: no cookies of a person, and MCP runs."""
    with TestClient(asgi, base_url=BASE, follow_redirects=False) as client:
        yield client


@pytest.fixture
def person(asgi: ASGIApp, machine: TestClient) -> Person:
    return Person(TestClient(asgi, base_url=BASE, follow_redirects=False), NAME, PASSPHRASE)


@pytest.fixture
def client(machine: TestClient) -> Client:
    """A public client that has registered."""
    made = Client(machine)
    assert made.register().status_code == 201
    return made


def another(asgi: ASGIApp, name: str = NAME, passphrase: str = PASSPHRASE) -> Person:
    """Somebody else at another browser."""
    return Person(TestClient(asgi, base_url=BASE, follow_redirects=False), name, passphrase)
