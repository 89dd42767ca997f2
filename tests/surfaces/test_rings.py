"""Rings: what a server refuses to start with, all of it at once, and that none of them changes what a token may do."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from muniment.access import tokens
from muniment.app import App
from muniment.errors import InvalidInput
from muniment.model.access import LEVEL_SCOPES
from muniment.settings import Settings
from muniment.surfaces import rings
from muniment.surfaces.catalogue import OPERATIONS
from muniment.surfaces.http import build, serve
from tests.surfaces.conftest import BASE, bearer, token

STATIC = "0123456789abcdef0123456789abcdef"
KEPT = str(Path.home() / "muniment.db")


@pytest.fixture
def set_(app: App) -> Callable[..., App]:
    return lambda **flags: replace(app, settings=replace(app.settings, **flags))


def fault(app: App) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        rings.check(app, app.settings)
    return caught.value


def refused(app: App) -> str:
    return fault(app).message


def test_alpha_starts_with_anything_but_a_short_shared_token(set_: Callable[..., App]) -> None:
    for token_ in ("", STATIC):
        rings.check(set_(static_token=token_), set_(static_token=token_).settings)
    assert "32 characters" in refused(set_(static_token=STATIC[1:]))


def test_a_looser_ring_is_advised_only_where_there_is_one(set_: Callable[..., App]) -> None:
    assert "ring=alpha" in (fault(set_(ring="beta", static_token=STATIC)).do_next or "")
    assert "alpha" not in (fault(set_(static_token=STATIC[1:])).do_next or "")


def test_beta_wants_a_store_that_lasts_and_no_shared_token(set_: Callable[..., App]) -> None:
    kept = set_(ring="beta", store=KEPT)
    rings.check(kept, kept.settings)
    told = refused(set_(ring="beta", static_token=STATIC))
    assert "takes no static_token" in told
    assert "does not last" in told
    assert STATIC not in told
    for store in ("/dev/shm/muniment.db", ":memory:"):
        assert "does not last" in refused(set_(ring="beta", store=store))


def test_prod_wants_postgresql_https_and_a_label_for_each_token(app: App, set_: Callable[..., App]) -> None:
    token(app)
    token(app)
    told = refused(set_(ring="prod", store=KEPT, static_token=STATIC))
    for fault in ("takes no static_token", "PostgreSQL", "https", "'test'"):
        assert fault in told
    with app.store.write() as connection:
        tokens.revoke(connection, tokens.listing(connection)[0].ref, app.context().now())
    ready = set_(ring="prod", store="postgresql://x/y", base_url="https://memory.example")
    rings.check(ready, ready.settings)


def test_serve_asks_its_ring_before_it_binds(set_: Callable[..., App]) -> None:
    made = set_(ring="prod")
    with pytest.raises(InvalidInput, match="ring prod"):
        serve(made, made.settings)


@pytest.fixture
def shared(set_: Callable[..., App]) -> Iterator[TestClient]:
    with TestClient(build(set_(static_token=STATIC, static_token_level="agent")), base_url=BASE) as client:
        yield client


def test_the_shared_token_does_what_its_level_may(shared: TestClient) -> None:
    kept = shared.post("/api/remember", json={"text": "The harbour fee is 40 crowns."}, headers=bearer(STATIC))
    assert kept.status_code == 200
    asked = shared.post("/api/govern", json={}, headers=bearer(STATIC))
    assert asked.status_code == 403
    for wrong in (STATIC[:-1], STATIC + "0", STATIC.upper(), "x" * 32):
        assert shared.post("/api/stats", json={}, headers=bearer(wrong)).status_code == 401


@pytest.mark.parametrize("flags", [{"ring": "beta"}, {"ring": "prod"}, {"static_token": STATIC[1:]}])
def test_the_shared_token_opens_nothing_elsewhere(set_: Callable[..., App], flags: dict[str, Any]) -> None:
    made = set_(**({"static_token": STATIC} | flags))
    with TestClient(build(made), base_url=BASE) as client:
        for secret in (STATIC, STATIC[1:]):
            assert client.post("/api/stats", json={}, headers=bearer(secret)).status_code == 401


def test_the_shared_token_stands_in_no_log_and_no_setting_that_is_shown(
    shared: TestClient, caplog: pytest.LogCaptureFixture, configured: Callable[..., Settings]
) -> None:
    from muniment.settings import shown

    caplog.set_level(logging.DEBUG)
    shared.post("/api/stats", json={}, headers=bearer(STATIC))
    assert STATIC not in caplog.text
    settings = configured(static_token=STATIC, profiles='{"x": 1}')
    assert STATIC not in repr(settings) + repr(shown(settings))
    assert '{"x": 1}' not in repr(settings) + repr(shown(settings))


@pytest.mark.parametrize("level", LEVEL_SCOPES)
def test_a_token_may_do_the_same_in_every_ring(app: App, set_: Callable[..., App], level: str) -> None:
    secret = token(app, level)
    answers = {}
    for ring in ("alpha", "beta", "prod"):
        with TestClient(build(set_(ring=ring)), base_url=BASE, headers=bearer(secret)) as client:
            answers[ring] = [client.post(f"/api/{one.name}", json={"no such field": 1}).status_code for one in OPERATIONS]
    assert answers["alpha"] == answers["beta"] == answers["prod"]
    assert set(answers["alpha"]) <= {400, 403, 422}
