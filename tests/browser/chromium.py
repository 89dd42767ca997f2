"""A real Chromium without a window, and ears beside it: whatever a page of ours should never cause is heard and kept.

Nothing is downloaded: the browser is the one that `dev.py` finds on the machine, each time with a fresh folder of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    Request,
    Response,
    expect,
    sync_playwright,
)

import dev

MISSING = (
    "No Chromium was found. On Debian `apt install chromium` brings one, Google Chrome does as well; "
    f"{dev.CHROMIUM_VARIABLE} names one that lies elsewhere."
)
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WAIT_MS, STEP_MS = 15_000, 50
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 360, "height": 740}
# What Chromium says of every page that comes with such a status; the tests know which do.
OF_A_STATUS = "Failed to load resource: the server responded with a status of"


@contextmanager
def chromium(*more: str) -> Iterator[Browser]:
    """One browser process, for as many windows as one likes; `more` are flags beside ours."""
    found = dev.chromium()
    if not found:
        pytest.skip(MISSING)
    # Its sandbox cannot be had by root.
    sandbox = not (hasattr(os, "geteuid") and os.geteuid() == 0)
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=[*FLAGS, *more], chromium_sandbox=sandbox, timeout=60_000)
        yield browser
        browser.close()


@dataclass
class Window:
    """A window with cookies of its own. `heard`: dialogs, messages of the console, faults of scripts, foreign requests."""

    context: BrowserContext
    page: Page
    base: str
    friends: tuple[str, ...] = ()
    heard: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        """Go to a path of the server, or to an address."""
        self.page.goto(path if path.startswith("http") else self.base + path)
        return self.page

    def tab(self) -> Page:
        """Another page of the same window, listened to as well."""
        page = self.context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("dialog", self._dialog)
        page.on("console", self._console)
        page.on("pageerror", lambda fault: self.heard.append(f"script: {fault}"))
        page.on("request", self._request)
        page.on("response", self._response)
        return page

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds that no page says of itself."""
        for _ in range(WAIT_MS // STEP_MS):
            if holds():
                return
            self.page.wait_for_timeout(STEP_MS)
        raise AssertionError(f"It did not come to hold within {WAIT_MS} ms; heard: {self.heard}")

    def text(self) -> str:
        return self.page.locator("body").inner_text()

    def cookie(self) -> dict[str, Any]:
        """The one cookie that the server has set."""
        (found,) = self.context.cookies(self.base)
        return dict(found)

    def _dialog(self, dialog: Dialog) -> None:
        self.heard.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _console(self, message: ConsoleMessage) -> None:
        if not message.text.startswith(OF_A_STATUS):
            self.heard.append(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if not request.url.startswith((self.base + "/", *self.friends)):
            self.heard.append(f"request to {parts.scheme}://{parts.netloc}")

    def _response(self, response: Response) -> None:
        # A page may be refused; what a page loads has to be there.
        if response.status >= 400 and not response.request.is_navigation_request():
            self.heard.append(f"status {response.status} of {response.url}")


@contextmanager
def window(browser: Browser, base: str, friends: tuple[str, ...] = (), **options: Any) -> Iterator[Window]:
    """A window as somebody has it who was never here; at its end nothing bad may have been heard."""
    context = browser.new_context(**{"viewport": WIDE, "locale": "en-GB", "reduced_motion": "reduce"} | options)
    made = Window(context, None, base, friends)  # type: ignore[arg-type]
    made.page = made.tab()
    try:
        yield made
    finally:
        context.close()
    assert made.heard == [], f"The window heard {made.heard}"
