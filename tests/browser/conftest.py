"""One browser and one server for the tests of a file, and a fresh window for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser import chromium, sites
from tests.browser.chromium import Window
from tests.browser.sites import Listener, Site

Open = Callable[..., Window]


# Playwright keeps the thread's event loop to itself while it runs, so it must be gone before the tests of another file come.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium.chromium() as made:
        yield made


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with sites.site(tmp_path_factory.mktemp("site")) as made:
        yield made


# One port, so that clients of one name are one registration: an address gets few of them in ten minutes.
@pytest.fixture(scope="module")
def listening() -> Iterator[Listener]:
    with sites.listener() as made:
        yield made


@pytest.fixture
def listener(listening: Listener) -> Listener:
    """The client's own web server, which was asked for nothing yet."""
    listening.forget()
    return listening


@pytest.fixture
def window(browser: Browser, site: Site, listener: Listener) -> Iterator[Open]:
    """Opens a window; `javascript=False` switches scripts off. At the end of the test nothing bad may have been heard."""
    with ExitStack() as stack:

        def make(*, javascript: bool = True, **options: Any) -> Window:
            told = {"java_script_enabled": javascript} | options
            return stack.enter_context(chromium.window(browser, site.base, (listener.origin,), **told))

        yield make
