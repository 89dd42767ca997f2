"""Failed logins: one budget for a name and one for an address, taken before the try and shared by all doors and processes."""

from __future__ import annotations

import threading

import pytest

from muniment.access import attempts
from muniment.access.attempts import FREE_OF_ADDRESS, FREE_OF_NAME, SECOND_MS, WAIT_MS_MAX
from tests.makers import Memory


class Door:
    def __init__(self, memory: Memory) -> None:
        self.store, self.clock = memory.app.store, memory.clock

    def fail(self, name: str = "maren", address: str = "192.0.2.1") -> int:
        return attempts.reserve(self.store, name, address, self.clock.now)

    def succeed(self, name: str = "maren", address: str = "192.0.2.1") -> int:
        wait = self.fail(name, address)
        if not wait:
            attempts.succeeded(self.store, name, address, self.clock.now)
        return wait


@pytest.fixture
def door(memory: Memory) -> Door:
    return Door(memory)


def test_a_few_failures_are_free_and_then_each_doubles_the_wait(door: Door) -> None:
    assert [door.fail() for _ in range(FREE_OF_NAME)] == [0] * FREE_OF_NAME
    for doubling in range(4):
        assert door.fail() == SECOND_MS << doubling
        door.clock.move(SECOND_MS << doubling)
        assert door.fail() == 0
    for _ in range(30):
        door.clock.move(door.fail())
        door.fail()
    assert door.fail() == WAIT_MS_MAX


def test_being_turned_away_costs_nothing(door: Door) -> None:
    for _ in range(FREE_OF_NAME):
        door.fail()
    assert [door.fail() for _ in range(50)] == [SECOND_MS] * 50


def test_another_name_has_its_own_budget_and_other_ways_to_write_it_have_not(door: Door) -> None:
    for _ in range(FREE_OF_NAME):
        door.fail("maren", "192.0.2.1")
    assert door.fail("  MAREN ", "192.0.2.2") > 0
    assert door.fail("jonas", "192.0.2.2") == 0


def test_one_address_cannot_try_many_names(door: Door) -> None:
    found = [door.fail(f"name {number}") for number in range(FREE_OF_ADDRESS + 1)]
    assert found == [0] * FREE_OF_ADDRESS + [SECOND_MS]
    assert door.fail("yet another", "192.0.2.2") == 0


def test_a_login_clears_its_name_and_gives_the_address_back_only_its_own_try(door: Door) -> None:
    for _ in range(FREE_OF_NAME - 1):
        door.fail()
    assert door.succeed() == 0
    assert [door.fail() for _ in range(FREE_OF_NAME)] == [0] * FREE_OF_NAME
    # Whoever has a profile cannot buy guesses at others by logging in between.
    for number in range(FREE_OF_ADDRESS):
        door.succeed("jonas")
        door.fail(f"name {number}")
    assert door.fail("one more") > 0


def test_what_was_long_ago_is_forgotten(door: Door) -> None:
    for _ in range(FREE_OF_NAME):
        door.fail()
    door.clock.move(attempts.FORGOTTEN_MS + 1)
    assert [door.fail() for _ in range(FREE_OF_NAME)] == [0] * FREE_OF_NAME


def test_many_tries_at_once_are_no_more_than_one_after_another(door: Door) -> None:
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(door.fail())) for _ in range(4 * FREE_OF_NAME)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found.count(0) == FREE_OF_NAME


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("fe80::1%eth0", "fe80::1%eth1", True),
        ("", "192.0.2.1", False),
        ("testclient", "testclient", True),
    ],
)
def test_a_network_that_one_caller_holds_is_one_origin(one: str, other: str, same: bool) -> None:
    assert (attempts.origin(one) == attempts.origin(other)) is same


def test_no_name_is_stored_as_it_was_typed(door: Door) -> None:
    door.fail("my passphrase in the wrong field")
    with door.store.write() as connection:
        row = connection.one("attempt_hold", {"key": attempts._digest("name:my passphrase in the wrong field"), "now": 0})
    assert row is not None
    assert row[0] == 1
