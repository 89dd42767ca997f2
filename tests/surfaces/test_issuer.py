"""The keys of a configured issuer: read once for everybody, kept while it is down, and asked for no more often than agreed."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator

import pytest

from muniment.access.oauth.external import Issuer
from muniment.access.signed import Keys
from muniment.errors import InvalidInput
from muniment.surfaces import issuer as issuers
from muniment.surfaces.issuer import Keeper
from tests.issuing import OPENID, Issuing, issuing

AUDIENCE = "https://memory.example.org/mcp"


class Clock:
    """Stands still until a test moves it, in seconds."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def site() -> Iterator[Issuing]:
    with issuing() as made:
        yield made


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keeper(site: Issuing, clock: Clock) -> Iterator[Keeper]:
    made = Keeper(Issuer(site.issuer, AUDIENCE, "sub", True), clock=clock)
    yield made
    made.close()


def until(what: Callable[[], bool], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)


def kids(keeper: Keeper) -> list[str | None]:
    held = keeper.keys()
    return [key.kid for key in held.held] if held else []


def nudge(keeper: Keeper) -> None:
    """Let the thread look at a clock that only a test moves."""
    with keeper._turn:
        keeper._turn.notify_all()


def test_keys_are_there_before_anybody_is_served(site: Issuing, keeper: Keeper) -> None:
    assert keeper.keys() is None
    keeper.first()
    assert kids(keeper) == ["one"]
    assert keeper.seen() == {"issuer": site.issuer, "ready": True, "keys_read_s_ago": 0}


def test_an_issuer_that_is_somebody_else_stops_the_start(site: Issuing, keeper: Keeper) -> None:
    site.documents[OPENID]["issuer"] = site.issuer + "/"
    with pytest.raises(InvalidInput, match="calls itself") as caught:
        keeper.first()
    assert "external_issuer" in caught.value.do_next
    site.documents[OPENID] = {"issuer": site.issuer, "jwks_uri": "http://id.example/jwks"}
    with pytest.raises(InvalidInput, match="jwks_uri"):
        keeper.first()


def test_one_that_does_not_answer_is_a_warning_and_asked_again_ever_more_slowly(
    site: Issuing, keeper: Keeper, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    described, site.documents = site.documents, {}
    with caplog.at_level(logging.WARNING, "muniment"):
        keeper.first()
    assert "cannot be read" in caplog.text
    assert keeper.seen()["ready"] is False
    assert keeper.seen()["why"]
    keeper.start()
    asked = len(site.asked)
    for span in issuers.BACKOFF_S:
        clock.now += span - 0.5
        nudge(keeper)
        time.sleep(0.1)
        assert len(site.asked) == asked, f"it was asked before {span} s had passed"
        clock.now += 0.5
        nudge(keeper)
        asked += 2
        until(lambda wanted=asked: len(site.asked) == wanted)  # type: ignore[misc]
        until(lambda: keeper._tried_at == clock.now)
    site.documents = described
    clock.now += issuers.BACKOFF_S[-1]
    nudge(keeper)
    until(lambda: keeper.seen()["ready"])
    assert "why" not in keeper.seen()


def test_keys_are_read_again_when_they_are_old_and_a_withdrawn_one_goes(site: Issuing, keeper: Keeper, clock: Clock) -> None:
    keeper.first()
    keeper.start()
    site.rotate("two")
    clock.now += issuers.FRESH_S - 1
    nudge(keeper)
    time.sleep(0.1)
    assert (kids(keeper), site.keys_asked) == (["one"], 1)
    clock.now += 1
    nudge(keeper)
    until(lambda: kids(keeper) == ["two"])
    assert site.keys_asked == 2


@pytest.mark.parametrize("left", [[], [{"kty": "oct", "k": "c2VjcmV0"}]])
def test_an_issuer_that_withdraws_its_only_key_is_obeyed(
    site: Issuing, keeper: Keeper, clock: Clock, left: list[dict[str, str]]
) -> None:
    """It answers, and says that nothing is signed with that key any more: somebody may have stolen it."""
    keeper.first()
    keeper.start()
    site.documents["/jwks"] = {"keys": left}
    clock.now += issuers.FRESH_S
    nudge(keeper)
    until(lambda: "why" in keeper.seen())
    assert keeper.keys() is None
    assert keeper.seen()["ready"] is False
    del site.documents["/jwks"]
    clock.now += issuers.BACKOFF_S[0]
    nudge(keeper)
    until(lambda: kids(keeper) == ["one"])


def test_old_keys_serve_while_the_issuer_is_down_and_not_for_ever(site: Issuing, keeper: Keeper, clock: Clock) -> None:
    keeper.first()
    keeper.start()
    site.documents["/jwks"] = b"{"
    site.documents.pop(OPENID)
    clock.now += issuers.FRESH_S
    nudge(keeper)
    until(lambda: "why" in keeper.seen())
    assert keeper.seen()["ready"] is True
    clock.now = 1_000.0 + issuers.STALE_S - 1
    assert kids(keeper) == ["one"]
    clock.now += 1
    assert keeper.keys() is None
    assert keeper.seen()["ready"] is False


def test_however_many_lack_a_key_it_is_fetched_once(site: Issuing, keeper: Keeper, clock: Clock) -> None:
    keeper.first()
    keeper.start()
    site.rotate("one", "two")
    site.slow_s = 0.2
    clock.now += issuers.AGAIN_S

    async def story() -> list[bool]:
        return list(await asyncio.gather(*(keeper.renewed() for _ in range(issuers.WAITING_MAX + 3))))

    found = asyncio.run(story())
    assert found == [True] * issuers.WAITING_MAX + [False] * 3
    assert kids(keeper) == ["one", "two"]
    assert site.keys_asked == 2
    assert site.asked.count(OPENID) == 1, "the place of the keys is known"


def test_an_unknown_key_has_them_read_at_most_every_so_often(site: Issuing, keeper: Keeper, clock: Clock) -> None:
    keeper.first()
    keeper.start()

    async def again() -> bool:
        return await keeper.renewed()

    assert asyncio.run(again()) is False, "they were read a moment ago"
    clock.now += issuers.AGAIN_S - 1
    assert asyncio.run(again()) is False
    clock.now += 1
    assert asyncio.run(again()) is True
    assert asyncio.run(again()) is False
    assert site.keys_asked == 2


def test_keys_that_moved_are_found(site: Issuing, keeper: Keeper, clock: Clock) -> None:
    keeper.first()
    keeper.start()
    moved = site.answer("/jwks")
    site.documents |= {"/jwks": None, "/keys": moved, OPENID: {"issuer": site.issuer, "jwks_uri": f"{site.issuer}/keys"}}
    clock.now += issuers.AGAIN_S

    async def again() -> bool:
        return await keeper.renewed()

    assert asyncio.run(again()) is True
    assert isinstance(keeper.keys(), Keys)
    assert site.asked.count("/keys") == 1
    assert "why" not in keeper.seen()


def test_who_waits_when_the_server_stops_is_let_go(site: Issuing, keeper: Keeper, clock: Clock) -> None:
    async def story() -> bool:
        waiting = asyncio.create_task(keeper.renewed())
        await asyncio.sleep(0.05)
        await asyncio.to_thread(keeper.close)
        return await waiting

    assert asyncio.run(story()) is True
    assert asyncio.run(keeper.renewed()) is False
