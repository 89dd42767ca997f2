"""What the threads of a server are for: who asks is found out however busy its operations are, and the other way round."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from muniment.app import App, create_app
from muniment.context import Context
from muniment.insight import overview
from muniment.surfaces import served
from muniment.surfaces.http import build
from muniment.surfaces.served import Served
from tests.stores import at
from tests.surfaces.conftest import BASE, bearer, token

WAIT_S_MAX = 20


class Held:
    """Work that does not end before a test says so. It holds a moment of the store, as a long recall does."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.go = threading.Event()

    def work(self, app: App) -> None:
        with app.store.read() as connection:
            connection.one("meta_get", {"key": "nothing"})
            self.begun.release()
            assert self.go.wait(2 * WAIT_S_MAX)

    def wait(self, count: int) -> None:
        for _ in range(count):
            assert self.begun.acquire(timeout=WAIT_S_MAX)


@pytest.fixture
def held() -> Iterator[Held]:
    made = Held()
    yield made
    made.go.set()


@pytest.fixture
def stored(address: str, tmp_path: Path) -> Iterator[App]:
    """A store of either kind."""
    app = create_app(at(address, tmp_path, embedder="none", auth="oauth", stranger_rate_per_minute=0))
    yield app
    app.close()


def test_while_every_thread_of_the_operations_is_busy_callers_are_let_in_or_not(
    stored: App, held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    stats = overview.stats

    def slow(context: Context, request: Any) -> Any:
        held.work(stored)
        return stats(context, request)

    monkeypatch.setattr(overview, "stats", slow)
    mine, other = bearer(token(stored)), bearer(token(stored, "admin"))
    count = served.CALLS_AT_ONCE_MAX
    with TestClient(build(stored), base_url=BASE) as web, ThreadPoolExecutor(count) as callers:
        asked = [callers.submit(web.post, "/api/stats", json={}, headers=mine) for _ in range(count)]
        held.wait(count)
        assert web.get("/healthz").text == "ok"
        assert web.get("/readyz", headers=other).json()["ready"] is True
        assert "muniment_http_requests_total" in web.get("/metrics", headers=other).text
        assert web.get("/nothing", headers=other).status_code == 404
        assert web.get("/nothing", headers=bearer("mun_" + "A" * 43)).status_code == 401
        assert web.get("/.well-known/oauth-protected-resource").status_code == 200
        assert not any(one.done() for one in asked)
        held.go.set()
        assert [one.result().status_code for one in asked] == [200] * count


@pytest.mark.parametrize("busy", ["threads", "checks", "watches"])
def test_no_kind_of_work_waits_for_another_kind(stored: App, held: Held, busy: str) -> None:
    of: dict[str, Callable[[Served], Any]] = {
        "threads": lambda one: one.threaded,
        "checks": lambda one: one.checked,
        "watches": lambda one: one.watched,
    }
    most = {
        "threads": served.CALLS_AT_ONCE_MAX,
        "checks": served.CHECKS_AT_ONCE_MAX,
        "watches": served.WATCHES_AT_ONCE_MAX,
    }

    async def asked() -> list[Any]:
        server = Served(stored, None)
        slow = [asyncio.ensure_future(of[busy](server)("slow", lambda: held.work(stored))) for _ in range(most[busy])]
        await asyncio.to_thread(held.wait, most[busy])
        async with asyncio.timeout(WAIT_S_MAX):
            found = [await run(server)("quick", lambda: reads(stored)) for name, run in of.items() if name != busy]
        held.go.set()
        await asyncio.gather(*slow)
        await asyncio.to_thread(server.close)
        return found

    assert asyncio.run(asked()) == [True, True]


def reads(app: App) -> bool:
    with app.store.read() as connection:
        return connection.one("meta_get", {"key": "nothing"}) is None


def test_every_thread_of_a_server_has_a_connection_of_the_pool() -> None:
    pool = pytest.importorskip("muniment.store.pool")
    uses, worker = 1, 1
    kinds = served.CALLS_AT_ONCE_MAX, served.CHECKS_AT_ONCE_MAX, served.WATCHES_AT_ONCE_MAX
    assert sum(kinds) + uses + worker <= pool.POOL_MAX
