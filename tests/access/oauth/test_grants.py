"""Grants: never more than the profile has or the client asked for; listed and ended by their owner."""

from __future__ import annotations

from typing import Any

import pytest

from muniment.access import events, profiles
from muniment.access.events import Actor
from muniment.access.oauth import asking, exchange, grants
from muniment.access.oauth.asking import Ask
from muniment.access.oauth.exchange import Issued
from muniment.access.oauth.grants import Choice
from muniment.access.oauth.refusals import Refused
from muniment.errors import NotFound
from tests.access.oauth.conftest import CHALLENGE, EVERYTHING, REDIRECT, TARGET, House


def listed(house: House, principal: int | None = None) -> list[grants.Given]:
    with house.store.read() as connection:
        return grants.listing(connection, principal)


def again(house: House, ask: Ask, browser: Any = None) -> Choice | None:
    with house.store.read() as connection:
        return grants.again(connection, ask, house.maren, browser or house.browser)


def test_a_request_gets_what_it_asks_for_of_what_the_profile_has(house: House, keep: Any) -> None:
    assert grants.most(house.maren, house.ask()) == ("read", "propose", "append", "write", "curate", "govern", "share")
    assert grants.most(house.maren, house.ask(scope="admin write read other")) == ("read", "write")
    assert grants.most(keep("guest", "viewer"), house.ask(scope="write")) == ()


def test_a_choice_cannot_give_more_than_was_asked_for(house: House) -> None:
    issued = house.issued(ask=house.ask(scope="read append"), choice=Choice(EVERYTHING))
    assert issued.scopes == ("read", "append")
    assert house.issued(choice=Choice(frozenset({"read", "admin"}))).scopes == ("read",)


def test_the_owner_lists_and_ends_own_grants(house: House, keep: Any) -> None:
    issued = house.issued()
    (one,) = listed(house, house.maren.principal)
    assert (one.client, one.client_id, one.principal_name, one.redirect) == ("Harbour", house.client.uid, "maren", REDIRECT)
    assert one.ref.startswith("o_")
    stranger = keep("guest", "viewer")
    assert listed(house, stranger.principal) == []
    with pytest.raises(NotFound), house.store.write() as connection:
        grants.revoke(connection, one.ref, house.now, principal=stranger.principal)
    assert house.grant_of(issued.access) is not None
    with house.store.write() as connection:
        grants.revoke(connection, one.ref, house.now, principal=house.maren.principal)
    assert house.grant_of(issued.access) is None
    assert listed(house)[0].revoked_why == grants.BY_OWNER
    for ref in (one.ref, "o_" + "0" * 26, "k_" + one.ref[2:], "", "x"):
        with pytest.raises(NotFound), house.store.write() as connection:
            grants.revoke(connection, ref, house.now)


def test_what_was_never_fetched_is_not_listed(house: House) -> None:
    house.code()
    assert listed(house) == []


def test_only_the_same_browser_client_redirect_and_scopes_are_known_again(house: House) -> None:
    choice = Choice(frozenset({"read", "append"}))
    ask = house.ask(scope="read append")
    assert again(house, ask) is None
    house.issued(ask=ask, choice=choice)
    assert again(house, ask) == choice
    assert again(house, house.ask(scope="append read")) == choice
    assert again(house, house.ask(scope="read append write")) is None
    assert again(house, house.ask(scope="read")) is None
    assert again(house, house.ask()) is None
    assert again(house, ask, house.log_in()[1]) is None
    other = house.known(client_name="Somebody else")
    assert again(house, house.ask(other, scope="read append")) is None


def settled(house: House, choice: Choice, home: str = "inbox") -> Choice | None:
    with house.store.read() as connection:
        return grants.settled(connection, house.maren, choice, home)


def test_a_client_works_where_the_person_says_and_only_where_it_may_read(house: House, keep: Any) -> None:
    for slug in ("alpha", "beta", "gamma"):
        house.memory.in_(slug)
    read = frozenset({"read"})
    assert settled(house, Choice(read, None, "beta")) == Choice(read, None, "beta")
    assert settled(house, Choice(read, frozenset({"alpha"}), "beta")) is None
    assert settled(house, Choice(read, None, "nowhere")) is None
    house.maren = keep(read=["alpha", "beta"])
    assert settled(house, Choice(read, None, "gamma")) is None
    assert settled(house, Choice(read, None, "beta")) == Choice(read, None, "beta")


def test_a_client_whose_place_nobody_named_works_where_the_server_does_or_where_it_may_write(house: House, keep: Any) -> None:
    for slug in ("alpha", "beta"):
        house.memory.in_(slug)
    read = frozenset({"read"})
    assert settled(house, Choice(read)) == Choice(read), "it follows the server"
    assert settled(house, Choice(read), "not-made-yet") == Choice(read)
    for chosen, where in (
        ({"inbox", "alpha"}, "inbox"),
        ({"beta", "alpha"}, "alpha"),
        ({"global", "beta"}, "beta"),
    ):
        assert settled(house, Choice(read, frozenset(chosen))) == Choice(read, frozenset(chosen), where)
    assert settled(house, Choice(read, frozenset())) is None, "a client that is to see nothing is a slip"
    house.maren = keep(read=["alpha", "beta"], write=["beta"])
    assert settled(house, Choice(read)) == Choice(read, None, "beta")


def test_the_place_of_a_grant_is_the_place_of_its_tokens_until_its_profile_loses_it(house: House, keep: Any) -> None:
    for slug in ("alpha", "beta", "gamma"):
        house.memory.in_(slug)
    choice = Choice(frozenset({"read", "append"}), frozenset({"alpha", "beta", "gamma"}), "beta")
    ask = house.ask(scope="read append")
    issued = house.issued(ask=ask, choice=choice)
    assert house.grant_of(issued.access).default_workspace == "beta"
    assert again(house, ask) == choice
    assert [one.current for one in listed(house)] == ["beta"]
    issued = house.refresh(issued.refresh)
    assert house.grant_of(issued.access).default_workspace == "beta"
    keep(read=["alpha", "gamma"])
    assert house.grant_of(issued.access).default_workspace is None
    assert house.grant_of(house.refresh(issued.refresh).access).default_workspace is None
    keep(read=["alpha"])
    assert house.grant_of(issued.access).default_workspace == "alpha"


def test_a_grant_that_was_narrowed_is_asked_for_again(house: House) -> None:
    house.issued(ask=house.ask(scope="read write"), choice=Choice(frozenset({"read"})))
    assert again(house, house.ask(scope="read write")) is None
    assert again(house, house.ask(scope="read")) == Choice(frozenset({"read"}))


def test_a_grant_that_ended_is_asked_for_again(house: House) -> None:
    house.issued(ask=house.ask(scope="read"), choice=Choice(frozenset({"read"})))
    with house.store.write() as connection:
        grants.revoke(connection, grants.listing(connection)[0].ref, house.now)
    assert again(house, house.ask(scope="read")) is None


def test_a_ticket_is_good_once_and_in_its_own_browser(house: House) -> None:
    def keep() -> str:
        return asking.keep(house.store, house.ask(scope="read"), house.browser, house.now, house.entropy)

    def take(ticket: str, browser: Any = None) -> Ask | None:
        with house.store.write() as connection:
            return asking.take(connection, ticket, browser or house.browser, house.now)

    ticket = keep()
    assert take(ticket, house.log_in()[1]) is None
    assert take(ticket) == house.ask(scope="read")
    assert take(ticket) is None
    assert take("") is None
    old = keep()
    house.memory.clock.move(asking.TICKET_MS)
    assert take(old) is None
    first = keep()
    for _ in range(asking.TICKETS_A_BROWSER_MAX):
        house.memory.clock.move(1)
        keep()
    assert take(first) is None, "pages without end are not kept"


GOOD = {"response_type": "code", "code_challenge": CHALLENGE, "code_challenge_method": "S256"}


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"response_type": ""}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": "code token"}, "unsupported_response_type"),
        ({"response_mode": "fragment"}, "invalid_request"),
        ({"request": "eyJ"}, "invalid_request"),
        ({"request_uri": "https://x.example/"}, "invalid_request"),
        ({"code_challenge_method": ""}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": "s256"}, "invalid_request"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge": "a" * 42}, "invalid_request"),
        ({"code_challenge": "a" * 129}, "invalid_request"),
        ({"scope": "offline_access openid"}, "invalid_scope"),
        ({"state": "x" * (asking.STATE_LENGTH_MAX + 1)}, "invalid_request"),
    ],
)
def test_a_request_that_is_not_sound_is_refused(house: House, changed: dict[str, str], error: str) -> None:
    given = {name: value for name, value in (GOOD | changed).items() if value}
    found = asking.read(given, (), house.client, REDIRECT, TARGET)
    assert isinstance(found, Refused)
    assert found.error == error


@pytest.mark.parametrize(
    ("resource", "ours"),
    [
        ("https://memory.example/mcp", True),
        ("https://memory.example/mcp/", True),
        ("HTTPS://Memory.Example/mcp", True),
        ("https://memory.example", True),
        ("https://memory.example/", True),
        ("https://memory.example/other", False),
        ("https://memory.example/mcp#x", False),
        ("https://memory.example/mcp?x=1", False),
        ("http://memory.example/mcp", False),
        ("https://memory.example:8443/mcp", False),
        ("https://memory.example.evil.example/mcp", False),
        ("https://user@memory.example/mcp", False),
        ("", False),
        ("https://[", False),
    ],
)
def test_a_resource_is_this_server_or_an_invalid_target(house: House, resource: str, ours: bool) -> None:
    assert TARGET.is_ours(resource) is ours
    found = asking.read(GOOD, (resource,), house.client, REDIRECT, TARGET)
    assert isinstance(found, Ask) is ours
    if isinstance(found, Refused):
        assert found.error == "invalid_target"


def happened(house: House) -> list[events.Event]:
    """What the access log says of clients and grants, oldest first."""
    with house.store.read() as connection:
        found = events.back(connection, before=2**53, since=0, who=None, limit=1000)
    return [one for one in reversed(found) if one.kind in ("client_registered", "grant_given", "grant_ended", "token_ended")]


def test_the_log_tells_of_a_client_and_what_was_given_and_held_back(house: House) -> None:
    house.memory.in_("alpha")
    house.issued(choice=Choice(frozenset({"read"}), frozenset({"alpha"})))
    registered, given = happened(house)
    assert (registered.kind, registered.door, registered.target, registered.by) == (
        "client_registered",
        "client",
        house.client.uid,
        None,
    )
    assert (given.kind, given.door, given.by, given.principal, given.name) == (
        "grant_given",
        "web",
        "maren",
        "maren",
        house.client.name,
    )
    assert given.limits is not None
    assert (given.limits.scopes, given.limits.read) == ({"read"}, {"alpha"})
    assert (given.told["host"], given.told["client"]) == ("client.example", house.client.uid)
    assert "write" in given.told["withheld"].split()
    # Registered again, it is the same.
    house.register()
    assert len(happened(house)) == 2


def test_the_log_tells_who_ended_a_grant_and_why(house: House) -> None:
    def ended() -> tuple[str, str | None, str]:
        last = happened(house)[-1]
        assert (last.kind, last.principal) == ("grant_ended", "maren")
        return last.door, last.by, last.told["why"]

    code = house.code()
    assert isinstance(house.bring(code), Issued)
    house.bring(code)
    assert ended() == ("client", None, exchange.REPLAYED)
    issued = house.issued()
    house.refresh(issued.refresh)
    house.memory.clock.move(exchange.GRACE_MS + 1)
    house.refresh(issued.refresh)
    assert ended() == ("client", None, exchange.REUSED)
    exchange.revoke(house.store, house.client, house.issued().refresh, house.now)
    assert ended() == ("client", None, exchange.BY_CLIENT)
    house.issued()
    with house.store.write() as connection:
        ref = grants.listing(connection)[-1].ref
        grants.revoke(connection, ref, house.now, principal=house.maren.principal)
    assert ended() == ("web", "maren", grants.BY_OWNER)
    for who, why in ((None, grants.BY_MANAGER), (house.maren.principal, grants.BY_OWNER)):
        house.issued()
        with house.store.write() as connection:
            grants.revoke(connection, grants.listing(connection)[-1].ref, house.now, actor=Actor(who, "cli"))
            assert grants.listing(connection)[-1].revoked_why == why
        assert ended() == ("cli", "maren" if who else None, why)
    house.issued()
    with house.store.write() as connection:
        profiles.end(connection, "maren", house.now)
    assert ended() == ("system", None, profiles.ENDED)
    given = [one for one in happened(house) if one.kind == "grant_given"]
    assert len(given) == len(happened(house)) - len(given) - 1
    with house.store.read() as connection:
        assert events.broken(connection) is None


def test_ending_a_grant_twice_is_told_once(house: House) -> None:
    code = house.code()
    house.bring(code)
    house.bring(code)
    house.bring(code)
    assert [one.kind for one in happened(house)].count("grant_ended") == 1
