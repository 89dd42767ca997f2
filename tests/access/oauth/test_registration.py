"""Registration by strangers: bounded, counted, and of no use but to ask a person."""

from __future__ import annotations

from typing import Any

import pytest

from muniment.access.oauth import clients, registration
from muniment.access.oauth.refusals import Limited, Refused
from muniment.access.oauth.registration import Registered
from tests.access.oauth.conftest import LOOPBACK, REDIRECT, House


def find(house: House, uid: str) -> Any:
    with house.store.read() as connection:
        return clients.find(connection, uid, house.now)


@pytest.mark.parametrize(
    "uri", ["javascript:alert(1)", "http://evil.example/", "https://a@b.example/", "https://a.example/#x", 7, None]
)
def test_a_redirect_that_is_none_is_an_invalid_redirect_uri(house: House, uri: Any) -> None:
    found = house.register(redirect_uris=[REDIRECT, uri])
    assert isinstance(found, Refused)
    assert found.error == "invalid_redirect_uri"


@pytest.mark.parametrize("uris", [None, [], "https://a.example/", {}, [REDIRECT] * 11])
def test_so_is_a_list_that_is_none(house: House, uris: Any) -> None:
    found = house.register(redirect_uris=uris)
    assert isinstance(found, Refused)
    assert found.error == "invalid_redirect_uri"


@pytest.mark.parametrize(
    "metadata",
    [
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"token_endpoint_auth_method": ["none"]},
        {"grant_types": ["client_credentials"]},
        {"grant_types": "authorization_code"},
        {"response_types": ["token"]},
        {"client_name": ["x"]},
        {"client_name": "x" * 401},
    ],
)
def test_metadata_that_we_cannot_serve_is_invalid(house: House, metadata: dict[str, Any]) -> None:
    found = house.register(**metadata)
    assert isinstance(found, Refused)
    assert found.error == "invalid_client_metadata"


@pytest.mark.parametrize("metadata", [[], "x", 3, None])
def test_a_body_that_is_no_object_is_invalid(house: House, metadata: Any) -> None:
    found = registration.register(house.store, metadata, "192.0.2.1", (), house.now, house.entropy)
    assert isinstance(found, Refused)


def test_the_same_public_client_is_registered_once(house: House) -> None:
    for _ in range(50):
        assert house.known().uid == house.client.uid
    both = house.known(redirect_uris=[REDIRECT, LOOPBACK])
    assert both.uid != house.client.uid
    assert house.known(redirect_uris=[LOOPBACK, REDIRECT]).uid == both.uid
    assert house.known(client_name="Harbour 2").uid != house.client.uid


def test_a_client_with_a_secret_is_its_own_each_time(house: House) -> None:
    made = [house.register(token_endpoint_auth_method="client_secret_post") for _ in range(2)]
    one, other = [found for found in made if isinstance(found, Registered)]
    assert one.client.uid != other.client.uid
    assert one.secret
    assert one.secret != other.secret
    assert one.secret not in repr(one)
    assert one.client.secret_hash != one.secret


def test_a_name_is_one_line_that_hides_nothing(house: House) -> None:
    name = "Claude\u202e.ai\n\u200b<b>evil</b>\x07" + "x" * 100
    assert house.known(client_name=name).name.startswith("Claude.ai <b>evil</b>xxx")
    assert len(house.known(client_name=name).name) <= clients.NAME_LENGTH_MAX
    assert house.known(client_name="\u200b").name == "client.example"


def test_a_flood_is_slowed_down_by_address_and_in_all(house: House) -> None:
    def one(number: int, sender: str) -> Any:
        return house.register(sender, client_name=f"flood {number}")

    found = [one(number, "192.0.2.66") for number in range(registration.A_WINDOW_MAX + 5)]
    assert [type(each) for each in found].count(Registered) == registration.A_WINDOW_MAX
    assert isinstance(found[-1], Limited)
    assert 0 < found[-1].wait_ms <= registration.WINDOW_MS
    assert isinstance(one(1000, "192.0.2.67"), Registered)
    senders = [f"2001:db8:{number:x}::1" for number in range(registration.A_WINDOW_MAX_ALL + 5)]
    assert isinstance([one(2000 + number, sender) for number, sender in enumerate(senders)][-1], Limited)
    assert house.known().uid == house.client.uid, "who is known already is answered all the same"
    house.memory.clock.move(registration.WINDOW_MS)
    assert isinstance(one(9000, "192.0.2.66"), Registered)


def test_the_cap_evicts_only_who_was_never_used(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "CLIENTS_MAX", 4)
    house.issued()
    unused = [house.known(client_name=f"unused {number}") for number in range(3)]
    fresh = house.known(client_name="fresh")
    assert find(house, unused[0].uid) is None, "the oldest makes room"
    assert find(house, house.client.uid) is not None, "the one in use stays, though it is older"
    assert all(find(house, one.uid) for one in (*unused[1:], fresh))


def test_where_all_are_in_use_the_next_one_waits(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "CLIENTS_MAX", 1)
    house.issued()
    assert isinstance(house.register(client_name="one more"), Limited)
    assert find(house, house.client.uid) is not None


def test_who_is_not_used_expires_and_may_come_again(house: House) -> None:
    house.memory.clock.move(clients.UNUSED_MS)
    assert find(house, house.client.uid) is None
    assert house.known().uid == house.client.uid
    assert find(house, house.client.uid) is not None


def test_who_is_used_does_not_expire(house: House) -> None:
    house.issued()
    house.memory.clock.move(30 * clients.UNUSED_MS)
    assert find(house, house.client.uid) is not None
