"""Strangers behind an address use up what strangers have. Known clients and people behind the same one go on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from muniment.access import tokens as held_tokens
from muniment.access.oauth import clients, exchange
from muniment.app import App, create_app
from muniment.settings import Settings
from muniment.surfaces import gate, rates
from muniment.surfaces.http import build
from tests.surfaces.browser import BROWSES, Client, Person, tokens
from tests.surfaces.conftest import BASE, bearer, token
from tests.surfaces.oauth.conftest import Enrol, another

BURST = 30
WRONG = "mun_" + "A" * 43


@pytest.fixture
def app(configured: Callable[..., Settings]) -> Iterator[App]:
    """With the pace of strangers as it is: everybody here comes from one address."""
    made = create_app(configured())
    yield made
    made.close()


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bucket fills again while a test lasts."""
    monkeypatch.setattr(rates.Rates.__init__, "__defaults__", (lambda: 0.0,))


def flood(web: TestClient) -> None:
    """Somebody tries tokens until nothing is left for strangers."""
    for _ in range(BURST + 1):
        last = web.get("/nothing", headers=bearer(WRONG)).status_code
    assert last == 429


def crowd(web: TestClient) -> None:
    """Somebody opens pages until nothing is left for visitors."""
    for _ in range(BURST + 1):
        last = web.get("/login", headers=BROWSES).status_code
    assert last == 429


def test_a_known_client_refreshes_and_revokes_however_many_strangers_share_its_address(
    machine: TestClient, person: Person, client: Client
) -> None:
    held = tokens(person, client)
    flood(machine)
    for _ in range(3):
        renewed = client.refresh(held["refresh_token"])
        assert renewed.status_code == 200
        held = renewed.json()
        assert machine.get("/api/stats", headers=bearer(held["access_token"])).status_code == 200
    assert client.revoke(held["refresh_token"]).status_code == 200
    assert machine.get("/api/stats", headers=bearer(held["access_token"])).status_code == 401


def test_a_code_is_exchanged_however_many_strangers_share_the_address(
    machine: TestClient, person: Person, client: Client
) -> None:
    place = person.authorize(client.url())
    flood(machine)
    assert client.exchange(place.partition("code=")[2].partition("&")[0]).status_code == 200


def test_what_known_clients_do_costs_strangers_nothing(machine: TestClient, person: Person, client: Client) -> None:
    held = tokens(person, client)
    for _ in range(BURST + 10):
        answer = client.refresh(held["refresh_token"])
        assert answer.status_code == 200
        held = answer.json()
    assert machine.get("/nothing", headers=bearer(WRONG)).status_code == 401


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/token", {"grant_type": "refresh_token", "refresh_token": "mr_" + "A" * 43}),
        ("/token", {"grant_type": "authorization_code", "code": "mcode_" + "A" * 43, "code_verifier": "A" * 43}),
        ("/token", {"grant_type": "authorization_code"}),
        ("/token", {"grant_type": "client_credentials"}),
        ("/revoke", {"token": "mr_" + "A" * 43}),
        ("/revoke", {"token": WRONG}),
    ],
)
def test_whoever_guesses_is_slowed_even_as_a_known_client(client: Client, path: str, asked: dict[str, str]) -> None:
    found = [client.ask(path, asked) for _ in range(BURST + 5)]
    assert 429 not in [one.status_code for one in found[: BURST - 1]]  # one went to the registration
    assert {one.status_code for one in found[BURST:]} == {429}
    assert found[-1].json()["error"] == "temporarily_unavailable"
    assert int(found[-1].headers["retry-after"]) >= 1


def test_a_failed_try_counts_although_it_shows_what_was_issued(machine: TestClient, person: Person, client: Client) -> None:
    held = tokens(person, client)
    for _ in range(BURST):
        assert client.refresh(held["refresh_token"], client_id="mc_" + "A" * 43).status_code == 401
    assert machine.get("/nothing", headers=bearer(WRONG)).status_code == 429
    assert client.refresh(held["refresh_token"]).status_code == 200


def test_who_shows_one_secret_over_and_over_waits_too_and_nobody_else_does(
    machine: TestClient, asgi: ASGIApp, person: Person, client: Client
) -> None:
    """A code that was spent opens nothing, and each try of it takes the store from everybody else for a moment."""
    spent = person.authorize(client.url()).partition("code=")[2].partition("&")[0]
    held = client.exchange(spent).json()
    assert client.exchange(spent).status_code == 400
    other = Client(machine)
    other.register(client_name="Somebody else")
    live = tokens(person, other)
    flood(machine)
    found = [client.exchange(spent).status_code for _ in range(BURST + 5)]
    assert (set(found[:BURST]), set(found[BURST:])) == ({400}, {429})
    guessed = [client.ask("/token", {"refresh_token": held["refresh_token"], "code": spent}).status_code for _ in range(3)]
    assert guessed == [429] * 3, "the same secret beside another one"
    assert other.refresh(live["refresh_token"]).status_code == 200


def test_a_stolen_refresh_token_ends_its_family_while_strangers_are_slowed(
    machine: TestClient, person: Person, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = tokens(person, client)
    second = client.refresh(first["refresh_token"]).json()
    monkeypatch.setattr(exchange, "GRACE_MS", -1)
    flood(machine)
    assert client.refresh(first["refresh_token"]).status_code == 400
    assert machine.get("/api/stats", headers=bearer(second["access_token"])).status_code == 401


def test_a_public_client_registers_again_and_writes_nothing(app: App, machine: TestClient, client: Client) -> None:
    flood(machine)
    before = client.uid
    for _ in range(3):
        assert client.register().status_code == 201
    assert client.uid == before
    assert client.register(client_name="Somebody new").status_code == 429
    assert client.register(token_endpoint_auth_method="client_secret_post").status_code == 429
    with app.store.read() as connection:
        found = clients.find(connection, before, app.context().now())
    assert found is not None
    assert found.expires_at == found.created_at + clients.UNUSED_MS


def test_a_token_that_was_good_once_gets_its_401_and_any_other_one_waits(app: App, machine: TestClient) -> None:
    ended = token(app)
    with app.store.write() as connection:
        held_tokens.revoke(connection, held_tokens.listing(connection)[0].ref, app.context().now())
    flood(machine)
    answer = machine.get("/api/stats", headers=bearer(ended))
    assert answer.status_code == 401
    assert "resource_metadata" in answer.headers["www-authenticate"]
    assert machine.get("/api/stats", headers=bearer(WRONG)).status_code == 429
    assert machine.get("/api/stats").status_code == 429


def test_programs_that_guess_keep_nobody_from_the_login(machine: TestClient, person: Person, client: Client) -> None:
    flood(machine)
    assert tokens(person, client)["access_token"]


def test_who_is_logged_in_opens_pages_however_many_visitors_share_the_address(
    machine: TestClient, asgi: ASGIApp, person: Person, client: Client
) -> None:
    person.log_in()
    crowd(machine)
    assert person.open("/connections").status_code == 200
    assert client.exchange(person.authorize(client.url()).partition("code=")[2].partition("&")[0]).status_code == 200
    stranger = another(asgi)
    assert stranger.open("/login").status_code == 429
    stranger.http.cookies.set("muniment", "A" * 43)
    assert stranger.open("/login").status_code == 429


def test_who_is_logged_in_has_a_pace_of_its_own(configured: Callable[..., Settings], enrol: Enrol) -> None:
    enrol()
    app = create_app(configured(rate_per_minute=40))
    with TestClient(build(app), base_url=BASE, follow_redirects=False) as web:
        maren = Person(web, "maren", "four plain wooden words")
        maren.log_in()
        found = [web.get("/connections", headers=BROWSES).status_code for _ in range(12)]
        other = Person(TestClient(web.app, base_url=BASE, follow_redirects=False), "maren", "").open("/login").status_code
    app.close()
    assert (found[:9], found[-1], other) == ([200] * 9, 429, 200)


def test_what_is_the_same_for_everybody_is_always_answered(machine: TestClient) -> None:
    flood(machine)
    crowd(machine)
    for path in ("/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server", "/pages/muniment.css"):
        assert machine.get(path).status_code == 200
    assert machine.get("/.well-known/openid-configuration").status_code == 404
    assert machine.get("/healthz").status_code == 200
    assert machine.get("/openapi.json").status_code == 429


def test_a_slowed_answer_is_counted_whichever_door_gives_it(machine: TestClient, app: App, client: Client) -> None:
    for _ in range(BURST + 4):
        client.refresh("mr_" + "A" * 43)
    found = machine.get("/metrics", headers=bearer(token(app, "admin"))).text
    assert "muniment_slowed_total 5" in found  # the registration took one


def test_where_nothing_is_left_a_body_is_waited_for_only_briefly(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger who is let in to show who he is keeps no connection by sending nothing."""
    monkeypatch.setattr(gate, "SPENT_BODY_S_MAX", 0.05)
    form = (b"content-type", b"application/x-www-form-urlencoded")

    async def asked() -> list[int]:
        inner, found = build(app), []
        for number in range(BURST + 1):
            left: list[Any] = [{"type": "http.request", "body": b"", "more_body": number == BURST}]
            sent: list[Any] = []

            async def receive(left: list[Any] = left) -> Any:
                return left.pop() if left else await asyncio.sleep(3600)

            async def send(message: Any, sent: list[Any] = sent) -> None:
                sent.append(message)

            scope = {"type": "http", "method": "POST", "path": "/token", "query_string": b"", "scheme": "http"}
            headers = [(b"host", b"127.0.0.1:8750"), form]
            await inner(scope | {"headers": headers, "client": ("192.0.2.7", 1), "root_path": ""}, receive, send)
            found.append(sent[0]["status"])
        return found

    found = asyncio.run(asyncio.wait_for(asked(), 20))
    assert found[-1] == 408
    assert 408 not in found[:-1]
