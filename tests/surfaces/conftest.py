"""A store in a temporary folder behind the surfaces, with tokens for it. The embedder is off: no test here needs meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from muniment import settings
from muniment.access import tokens
from muniment.app import App, create_app
from muniment.model.ids import uid
from muniment.settings import Settings
from muniment.store import workspaces
from muniment.surfaces.http import build

BASE = "http://127.0.0.1:8750"


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Settings]:
    """Settings for a store of this test, far from the caller's own, in a folder that is no project."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    def make(**flags: Any) -> Settings:
        return settings.load({"store": str(tmp_path / "muniment.db"), "embedder": "none", **flags}, {})

    return make


@pytest.fixture
def app(configured: Callable[..., Settings]) -> Iterator[App]:
    made = create_app(configured())
    yield made
    made.close()


def token(app: App, level: str = "operator", **limits: Any) -> str:
    """A token for the store, as the command line makes one."""
    new = tokens.NewToken("test", level, **({"principal": "local"} | limits))
    with app.store.write() as connection:
        return tokens.add(connection, new, uid=app.context().uid(), now=app.context().now())


def workspace(app: App, slug: str) -> None:
    with app.store.write() as connection:
        made = uid(app.context().now(), app.context().entropy(10))
        workspaces.add(connection, uid=made, slug=slug, name=slug, kind="project", root=None, now=app.context().now())


def bearer(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


@pytest.fixture
def secret(app: App) -> str:
    return token(app)


@pytest.fixture
def web(app: App, secret: str) -> Iterator[TestClient]:
    """The whole HTTP server in process, with an operator's token on every request."""
    with TestClient(build(app), base_url=BASE, headers=bearer(secret)) as client:
        yield client
