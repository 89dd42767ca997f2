"""Codes and refresh tokens: good once, for one client, and deadly for their family when they come again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from muniment.access import profiles
from muniment.access.oauth import exchange, grants
from muniment.access.oauth.exchange import Issued
from muniment.access.oauth.grants import CODE_MS, Choice
from muniment.access.oauth.refusals import Refused
from tests.access.oauth.conftest import LOOPBACK, REDIRECT, VERIFIER, House

DAY = 86_400_000


def error(found: Any) -> str:
    assert isinstance(found, Refused), found
    return found.error


def together(*works: Callable[[], Any]) -> list[Any]:
    """What some calls answered that began at one moment, each in a thread of its own."""
    start = threading.Barrier(len(works))
    found: list[Any] = [None] * len(works)

    def run(place: int, work: Callable[[], Any]) -> None:
        start.wait()
        found[place] = work()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_a_code_gives_tokens_that_act_as_its_profile(house: House) -> None:
    issued = house.issued()
    grant = house.grant_of(issued.access)
    assert grant.principal_name == "maren"
    assert grant.scopes == house.maren.scopes
    assert grant.client == "Harbour"
    assert grant.oauth is not None
    assert issued.expires_s == 12 * 3600
    assert issued.access not in repr(issued)
    assert issued.refresh not in repr(issued)


def test_a_code_that_comes_again_takes_back_what_the_first_got(house: House) -> None:
    code = house.code()
    issued = house.bring(code)
    assert house.grant_of(issued.access) is not None
    assert error(house.bring(code)) == "invalid_grant"
    assert house.grant_of(issued.access) is None
    assert error(house.refresh(issued.refresh)) == "invalid_grant"


def test_of_two_who_bring_a_code_at_once_nobody_keeps_a_token(house: House) -> None:
    for _ in range(5):
        code = house.code()
        found = together(lambda: house.bring(code), lambda: house.bring(code))  # noqa: B023 - it runs within this turn
        won = [one for one in found if isinstance(one, Issued)]
        assert len(won) <= 1
        assert all(house.grant_of(one.access) is None for one in won)


def test_a_code_lasts_a_minute(house: House) -> None:
    early, late = house.code(), house.code()
    house.memory.clock.move(CODE_MS - 1)
    assert isinstance(house.bring(early), Issued)
    house.memory.clock.move(1)
    assert error(house.bring(late)) == "invalid_grant"


@pytest.mark.parametrize("redirect", [None, "", REDIRECT + "/", "https://evil.example/callback", LOOPBACK])
def test_a_code_is_bound_to_its_redirect(house: House, redirect: str | None) -> None:
    code = house.code()
    assert error(house.bring(code, redirect=redirect)) == "invalid_grant"
    assert isinstance(house.bring(code), Issued), "a stranger's try does not spend it"


def test_a_code_is_bound_to_its_client(house: House) -> None:
    other = house.known(client_name="Somebody else")
    code = house.code()
    assert error(house.bring(code, client=other)) == "invalid_grant"
    assert isinstance(house.bring(code), Issued)


@pytest.mark.parametrize("verifier", ["", "x", "w" * 64, VERIFIER + "v", VERIFIER[:43]])
def test_a_code_wants_its_verifier(house: House, verifier: str) -> None:
    code = house.code()
    assert error(house.bring(code, verifier=verifier)) == "invalid_grant"


def test_a_code_nobody_gave_is_refused(house: House) -> None:
    for code in ("", "x", "mcode_" + "A" * 43):
        assert error(house.bring(code)) == "invalid_grant"


# --- refreshing ---------------------------------------------------------------------------------------------------


def test_a_refresh_token_rotates(house: House) -> None:
    first = house.issued()
    second = house.refresh(first.refresh)
    third = house.refresh(second.refresh)
    assert len({first.refresh, second.refresh, third.refresh}) == 3
    assert len({first.access, second.access, third.access}) == 3
    assert third.scopes == first.scopes


def test_two_honest_refreshes_at_once_both_end_with_tokens_that_work(house: House) -> None:
    issued = house.issued()
    found = together(*[lambda: house.refresh(issued.refresh) for _ in range(4)])
    for one in found:
        assert isinstance(one, Issued)
        assert house.grant_of(one.access) is not None
        assert isinstance(house.refresh(one.refresh), Issued)


def test_of_twenty_who_bring_one_refresh_token_at_once_a_few_are_answered(house: House) -> None:
    issued = house.issued()
    found = together(*[lambda: house.refresh(issued.refresh) for _ in range(20)])
    answered = [one for one in found if isinstance(one, Issued)]
    assert len(answered) == exchange.ANSWERS_MAX
    assert {error(one) for one in found if not isinstance(one, Issued)} == {"invalid_grant"}
    for one in answered:
        assert house.grant_of(one.access) is not None, "too many uses are no theft: the family lives on"
        assert isinstance(house.refresh(one.refresh), Issued)


def test_a_family_never_has_more_than_a_few_refresh_tokens_that_work(house: House) -> None:
    issued = [house.issued()]
    for _ in range(3):
        # Each is brought as often as it is answered: without a bound these were 5, 25, 125.
        found = [house.refresh(one.refresh) for one in issued for _ in range(exchange.ANSWERS_MAX)]
        issued = [one for one in found if isinstance(one, Issued)]
        assert issued
    alive = [one for one in issued if isinstance(house.refresh(one.refresh), Issued)]
    assert len(alive) <= exchange.LIVE_MAX
    assert house.grant_of(issued[-1].access) is not None


def test_the_newest_refresh_token_always_works_however_many_answers_were_lost(house: House) -> None:
    first = issued = house.issued()
    for _ in range(3 * exchange.LIVE_MAX):
        lost = house.refresh(issued.refresh)
        assert isinstance(lost, Issued)
        issued = house.refresh(issued.refresh)
        assert isinstance(issued, Issued)
    house.memory.clock.move(exchange.GRACE_MS + 1)
    assert error(house.refresh(first.refresh)) == "invalid_grant"
    assert house.grant_of(issued.access) is None, "a spent one is still known, and ends its family"


def test_within_the_grace_a_lost_answer_is_given_again(house: House) -> None:
    issued = house.issued()
    first = house.refresh(issued.refresh)
    house.memory.clock.move(exchange.GRACE_MS)
    again = house.refresh(issued.refresh)
    assert isinstance(again, Issued)
    assert house.grant_of(first.access) is not None


def test_the_grace_counts_from_the_first_use_and_not_from_the_last(house: House) -> None:
    issued = house.issued()
    for _ in range(2):
        assert isinstance(house.refresh(issued.refresh), Issued)
        house.memory.clock.move(exchange.GRACE_MS // 2)
    assert isinstance(house.refresh(issued.refresh), Issued)
    house.memory.clock.move(1)
    assert error(house.refresh(issued.refresh)) == "invalid_grant"


def test_a_refresh_token_that_comes_after_the_grace_ends_its_family(house: House) -> None:
    issued = house.issued()
    fresh = house.refresh(issued.refresh)
    house.memory.clock.move(exchange.GRACE_MS + 1)
    assert error(house.refresh(issued.refresh)) == "invalid_grant"
    for one in (issued, fresh):
        assert house.grant_of(one.access) is None
    assert error(house.refresh(fresh.refresh)) == "invalid_grant"
    with house.store.read() as connection:
        assert [one.revoked_why for one in grants.listing(connection)] == [exchange.REUSED]


def test_another_family_of_the_same_client_lives_on(house: House) -> None:
    code, other = house.code(), house.issued()
    house.bring(code)
    house.bring(code)
    assert house.grant_of(other.access) is not None
    assert isinstance(house.refresh(other.refresh), Issued)


def test_more_scope_is_refused_and_less_is_given_for_once(house: House) -> None:
    issued = house.issued(choice=Choice(frozenset({"read", "append"})))
    assert issued.scopes == ("read", "append")
    for scope in ("read write", "admin", "read append unknown"):
        assert error(house.refresh(issued.refresh, scope=scope)) == "invalid_scope"
    less = house.refresh(issued.refresh, scope="read")
    assert less.scopes == ("read",)
    assert house.grant_of(less.access).scopes == {"read"}
    assert house.refresh(less.refresh).scopes == ("read", "append")


def test_a_refresh_token_is_bound_to_its_client(house: House) -> None:
    issued = house.issued()
    other = house.known(client_name="Somebody else")
    assert error(house.refresh(issued.refresh, client=other)) == "invalid_grant"
    assert isinstance(house.refresh(issued.refresh), Issued)


def test_a_refresh_token_slides_and_one_that_rests_expires(house: House) -> None:
    issued = house.issued()
    for _ in range(4):
        house.memory.clock.move(exchange.REFRESH_MS - 1)
        issued = house.refresh(issued.refresh)
        assert isinstance(issued, Issued)
    house.memory.clock.move(exchange.REFRESH_MS)
    assert error(house.refresh(issued.refresh)) == "invalid_grant"


def test_an_access_token_lasts_twelve_hours(house: House) -> None:
    issued = house.issued()
    house.memory.clock.move(exchange.ACCESS_MS - 1)
    assert house.grant_of(issued.access) is not None
    house.memory.clock.move(1)
    assert house.grant_of(issued.access) is None


def test_what_is_not_trusted_cannot_be_refreshed_for_ever(house: House, keep: Any) -> None:
    house.maren = keep("guest", "agent", zone="untrusted")
    issued = house.issued()
    assert house.grant_of(issued.access).zone == "untrusted"
    for _ in range(2):
        house.memory.clock.move(14 * DAY)
        issued = house.refresh(issued.refresh)
        assert isinstance(issued, Issued)
    house.memory.clock.move(2 * DAY)
    assert error(house.refresh(issued.refresh)) == "invalid_grant"


# --- the profile behind it ----------------------------------------------------------------------------------------


def test_a_profile_that_shrinks_takes_its_tokens_along(house: House, keep: Any) -> None:
    issued = house.issued()
    keep(level="viewer")
    assert house.grant_of(issued.access).scopes == {"read"}
    assert house.refresh(issued.refresh).scopes == ("read",)


def test_a_profile_that_ended_gives_nothing(house: House) -> None:
    issued = house.issued()
    code = house.code()
    with house.store.write() as connection:
        profiles.end(connection, "maren", house.now)
    assert house.grant_of(issued.access) is None
    assert error(house.refresh(issued.refresh)) == "invalid_grant"
    assert error(house.bring(code)) == "invalid_grant"


def test_a_token_reaches_the_workspaces_that_were_chosen(house: House, keep: Any) -> None:
    for slug in ("alpha", "beta", "gamma"):
        house.memory.in_(slug)
    house.maren = keep(read=["alpha", "beta"], write=["alpha"])
    grant = house.grant_of(house.issued(choice=Choice(frozenset({"read", "append"}), frozenset({"alpha", "gamma"}))).access)
    assert grant.read == {"alpha"}
    assert grant.write == {"alpha"}
    assert grant.default_workspace == "alpha"
    grant = house.grant_of(house.issued().access)
    assert grant.read == {"alpha", "beta"}
    assert grant.write == {"alpha"}
    grant = house.grant_of(house.issued(choice=Choice(frozenset({"read"}), frozenset())).access)
    assert grant.read == frozenset()


# --- revoking -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["access", "refresh"])
def test_revoking_either_token_ends_the_family(house: House, part: str) -> None:
    issued = house.issued()
    fresh = house.refresh(issued.refresh)
    assert exchange.revoke(house.store, house.client, getattr(issued, part), house.now) is None
    assert house.grant_of(issued.access) is None
    assert house.grant_of(fresh.access) is None
    assert error(house.refresh(fresh.refresh)) == "invalid_grant"


def test_a_token_nobody_knows_is_as_good_as_revoked(house: House) -> None:
    for token in ("", "x", "mun_" + "A" * 43):
        assert exchange.revoke(house.store, house.client, token, house.now) is None


def test_another_client_revokes_nothing(house: House) -> None:
    issued = house.issued()
    other = house.known(client_name="Somebody else")
    assert error(exchange.revoke(house.store, other, issued.refresh, house.now)) == "invalid_grant"
    assert house.grant_of(issued.access) is not None


def test_a_revocation_wins_over_a_refresh_that_races_it(house: House) -> None:
    for _ in range(5):
        issued = house.issued()
        found = together(
            lambda: house.refresh(issued.refresh),  # noqa: B023 - it runs within this turn
            lambda: exchange.revoke(house.store, house.client, issued.refresh, house.now),  # noqa: B023
            lambda: house.refresh(issued.refresh),  # noqa: B023
        )
        for one in (issued, *(one for one in found if isinstance(one, Issued))):
            assert house.grant_of(one.access) is None
            assert error(house.refresh(one.refresh)) == "invalid_grant"
