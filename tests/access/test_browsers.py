"""Browsers that are logged in: a cookie that changes, ends, and cannot be made up."""

from __future__ import annotations

from typing import Any

import pytest

from muniment.access import browsers, passphrases, profiles
from muniment.access.profiles import NewProfile
from tests.makers import Entropy, Memory

HASH = passphrases.NOBODY
OTHER = HASH[:-4] + "AAAA"


class Desk:
    def __init__(self, memory: Memory) -> None:
        self.store, self.clock, self.entropy = memory.app.store, memory.clock, Entropy()
        self.principal = self.keep(HASH)

    def keep(self, secret_hash: str) -> int:
        with self.store.write() as connection:
            return profiles.keep(connection, NewProfile("maren", "owner", secret_hash), self.clock.now).principal

    def log_in(self, before: str = "") -> str:
        return browsers.log_in(self.store, self.principal, before, self.clock.now, self.entropy)

    def find(self, cookie: str) -> Any:
        with self.store.read() as connection:
            return browsers.find(connection, cookie, self.clock.now)


@pytest.fixture
def desk(memory: Memory) -> Desk:
    return Desk(memory)


def test_a_login_is_known_by_its_cookie_and_the_store_holds_no_cookie(desk: Desk) -> None:
    cookie = desk.log_in()
    found = desk.find(cookie)
    assert found.principal == desk.principal
    assert cookie not in repr(found)
    for other in ("", "x", cookie[:-1], cookie + "A", "A" * 43):
        assert desk.find(other) is None


def test_a_login_ends_the_cookie_from_before(desk: Desk) -> None:
    planted = desk.log_in()
    fresh = desk.log_in(planted)
    assert fresh != planted
    assert desk.find(planted) is None
    assert desk.find(fresh) is not None


def test_a_cookie_is_dead_after_the_logout(desk: Desk) -> None:
    here, there = desk.log_in(), desk.log_in()
    browsers.log_out(desk.store, here)
    assert desk.find(here) is None
    assert desk.find(there) is not None


def test_all_are_dead_after_another_passphrase(desk: Desk) -> None:
    cookies = [desk.log_in(), desk.log_in()]
    desk.keep(HASH)
    assert all(desk.find(cookie) for cookie in cookies)
    desk.keep(OTHER)
    assert not any(desk.find(cookie) for cookie in cookies)


def test_all_are_dead_when_the_profile_ends(desk: Desk) -> None:
    cookie = desk.log_in()
    with desk.store.write() as connection:
        profiles.end(connection, "maren", desk.clock.now)
    assert desk.find(cookie) is None


def test_a_login_expires(desk: Desk) -> None:
    cookie = desk.log_in()
    desk.clock.move(browsers.LIFETIME_MS - 1)
    assert desk.find(cookie) is not None
    desk.clock.move(1)
    assert desk.find(cookie) is None


def test_a_form_belongs_to_one_cookie(desk: Desk) -> None:
    here, there = desk.log_in(), browsers.cookie(desk.entropy)
    with desk.store.read() as connection:
        token = browsers.form_token(connection, here)
        assert browsers.own_form(connection, here, token)
        assert not browsers.own_form(connection, there, token)
        assert not browsers.own_form(connection, here, "")
        assert not browsers.own_form(connection, "", browsers.form_token(connection, ""))
