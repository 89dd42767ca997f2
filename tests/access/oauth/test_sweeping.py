"""Sweeping: what has expired goes, and nothing that somebody may still come with."""

from __future__ import annotations

from typing import Any

from muniment import worker
from muniment.access import attempts, browsers
from muniment.access.oauth import asking, clients, exchange, sweeping
from muniment.access.oauth.exchange import Issued
from tests.access.oauth.conftest import House


def sweep(house: House) -> bool:
    return sweeping.sweep(house.memory.context)


def find(house: House, uid: str) -> Any:
    with house.store.read() as connection:
        return connection.one("oauth_client_by_uid", {"uid": uid})


def test_where_nothing_has_expired_nothing_is_written(house: House) -> None:
    house.issued()
    assert sweep(house) is False


def test_a_code_stays_a_day_to_be_known_again(house: House) -> None:
    code = house.code()
    issued = house.bring(code)
    house.memory.clock.move(sweeping.CODES_MS - 1)
    sweep(house)
    house.bring(code)
    assert house.grant_of(issued.access) is None
    with house.store.read() as connection:
        assert connection.all("oauth_grants")[0][15] == exchange.REPLAYED


def test_a_grant_in_use_outlives_its_code_and_its_first_tokens(house: House) -> None:
    issued = house.issued()
    for _ in range(5):
        house.memory.clock.move(exchange.REFRESH_MS - 1)
        sweep(house)
        issued = house.refresh(issued.refresh)
        assert isinstance(issued, Issued)
    assert house.grant_of(issued.access) is not None


def test_in_the_end_everything_is_gone(house: House) -> None:
    house.issued()
    house.code()
    house.refresh(house.issued().refresh)
    asking.keep(house.store, house.ask(), house.browser, house.now, house.entropy)
    attempts.reserve(house.store, "maren", "192.0.2.1", house.now)
    unused = house.known(client_name="never used")
    house.memory.clock.move(clients.UNUSED_MS + browsers.LIFETIME_MS + sweeping.ATTEMPTS_MS)
    assert sweep(house)
    assert find(house, unused.uid) is None
    assert find(house, house.client.uid) is not None
    assert house.count("oauth_grants") == 2, "the one whose code nobody fetched is gone"
    house.memory.clock.move(exchange.REFRESH_MS)
    assert sweep(house)
    assert house.count("oauth_grants") == 0
    # Another one comes and goes, long after the first client was used last.
    house.memory.clock.move(sweeping.CLIENTS_MS)
    house.known(client_name="a later one")
    house.memory.clock.move(clients.UNUSED_MS)
    assert sweep(house)
    assert find(house, house.client.uid) is None


def test_the_worker_sweeps(house: House) -> None:
    cookie, _ = house.log_in()
    house.memory.clock.move(browsers.LIFETIME_MS)
    worker.drain(house.memory.context)
    assert sweep(house) is False
    with house.store.read() as connection:
        assert browsers.find(connection, cookie, 0) is None
