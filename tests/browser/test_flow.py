"""The whole way as a person sees it: from a client's link over login and consent back to the client, and out again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any

import pytest
from playwright.sync_api import Error, expect

from tests.browser.chromium import Window
from tests.browser.conftest import Open
from tests.browser.gallery import log_in
from tests.browser.sites import PASSPHRASE, Listener, Site
from tests.surfaces.browser import Client, told
from tests.surfaces.conftest import bearer

pytestmark = pytest.mark.browser

both = pytest.mark.parametrize("javascript", [True, False], ids=["scripts", "no-scripts"])


def called_back(window: Window, listener: Listener) -> dict[str, str]:
    """What the client was told; the browser has to stand on the client's page."""
    window.page.wait_for_url(f"{listener.callback}?**")
    (path,) = listener.called
    return told(path)


def status(site: Site, access: str, path: str = "/api/stats", body: Any = None) -> int:
    return int(site.machine.request("POST" if body else "GET", path, json=body, headers=bearer(access)).status_code)


@both
def test_a_client_gets_what_a_person_leaves_it(site: Site, listener: Listener, window: Open, javascript: bool) -> None:
    client, one = site.client(listener.callback), window(javascript=javascript)
    page = one.open(client.url())
    expect(page).to_have_title("Log in · Muniment")
    log_in(one, passphrase="four plain wooden birds")
    expect(page.get_by_role("alert")).to_have_text("The profile and the passphrase do not match.")
    assert page.get_by_label("Profile").input_value() == "maren"
    assert page.get_by_label("Passphrase").input_value() == ""
    log_in(one)
    expect(page.get_by_role("heading", level=1)).to_have_text("Give access to your memory?")
    assert "A test client" in one.text()
    assert f"127.0.0.1:{listener.port}" in one.text()
    assert "A program on this computer asks." in one.text()
    for scope in ("govern", "share"):
        expect(page.locator(f"#scope-{scope}")).not_to_be_checked()
    for scope in ("write", "curate", "propose"):
        page.locator(f"#scope-{scope}").uncheck()
    expect(page.get_by_label("harbour")).to_be_hidden()
    page.get_by_label("Only these:").check()
    page.get_by_label("harbour").check()
    page.get_by_role("button", name="Give access").click()
    answer = called_back(one, listener)
    assert answer["state"] == client.state
    assert answer["iss"] == site.base
    held = client.exchange(answer["code"]).json()
    assert held["scope"] == "read append"
    access = held["access_token"]
    assert status(site, access, "/api/remember", {"text": "The berth is free.", "workspace": "harbour"}) == 200
    assert status(site, access, "/api/remember", {"text": "The berth is free.", "workspace": "atelier"}) == 403
    assert status(site, access, "/api/recall", {"query": "berth", "workspace": "harbour"}) == 200


@both
def test_who_refuses_sends_the_client_away(site: Site, listener: Listener, window: Open, javascript: bool) -> None:
    client, one = site.client(listener.callback), window(javascript=javascript)
    one.open(client.url(scope="read"))
    log_in(one)
    one.page.get_by_role("button", name="Refuse").click()
    answer = called_back(one, listener)
    assert answer["error"] == "access_denied"
    assert "code" not in answer


def test_who_unticks_everything_gives_nothing(site: Site, listener: Listener, window: Open) -> None:
    client, one = site.client(listener.callback), window()
    one.open(client.url(scope="read append"))
    log_in(one)
    for scope in ("read", "append"):
        one.page.locator(f"#scope-{scope}").uncheck()
    one.page.get_by_role("button", name="Give access").click()
    assert called_back(one, listener)["error"] == "access_denied"


@both
def test_a_request_that_cannot_be_trusted_leads_nowhere(site: Site, listener: Listener, window: Open, javascript: bool) -> None:
    client, one = site.client(listener.callback), window(javascript=javascript)
    foreign = f"{listener.origin}elsewhere"
    for url in (client.url(client_id="mc_nobody"), client.url(redirect_uri=foreign), client.url(client_id=None)):
        page = one.open(url)
        expect(page.get_by_role("heading", level=1)).to_have_text("This request cannot be answered")
        assert page.get_by_role("link").count() == 0
    assert listener.asked == []


def test_a_page_that_waited_too_long_gives_nothing(site: Site, listener: Listener, window: Open) -> None:
    client, one = site.client(listener.callback), window()
    one.open(client.url(scope="read"))
    log_in(one)
    give = one.page.get_by_role("button", name="Give access")
    expect(give).to_be_visible()
    with closing(sqlite3.connect(site.store, timeout=20)) as connection, connection:
        assert connection.execute("UPDATE oauth_ask SET expires_at = 1").rowcount > 0
    give.click()
    expect(one.page.get_by_role("alert")).to_contain_text("This page is too old")
    assert listener.asked == []


def test_a_page_that_was_answered_is_not_answered_again(site: Site, listener: Listener, window: Open) -> None:
    client, one = site.client(listener.callback), window()
    one.open(client.url(scope="read"))
    log_in(one)
    one.page.get_by_role("button", name="Refuse").click()
    called_back(one, listener)
    one.page.go_back()
    # The page was not kept, so the browser asks for it anew, and gets another ticket.
    expect(one.page.get_by_role("heading", level=1)).to_have_text("Give access to your memory?")
    one.page.get_by_role("button", name="Refuse").click()
    one.page.wait_for_url(f"{listener.callback}?**")
    assert len(listener.called) == 2


@both
def test_a_person_ends_a_connection(site: Site, window: Open, javascript: bool) -> None:
    client = site.client("http://127.0.0.1:9999/callback", f"Client {javascript}")
    held = site.connect(client, scopes=["read"])
    assert status(site, held["access_token"]) == 200
    one = window(javascript=javascript)
    page = one.open("/connections")
    log_in(one)
    card = page.get_by_role("listitem").filter(has_text=client_name(javascript))
    assert "127.0.0.1:9999" in card.inner_text()
    card.get_by_role("button", name=f"End the access of {client_name(javascript)}").click()
    expect(card).to_contain_text("revoked by its owner")
    expect(card.get_by_role("button")).to_have_count(0)
    assert status(site, held["access_token"]) == 401


def client_name(javascript: bool) -> str:
    return f"Client {javascript}"


@both
def test_what_search_cites_opens_behind_the_login_until_the_logout(site: Site, window: Open, javascript: bool) -> None:
    site.keep("The key of the boathouse hangs behind the barometer.", subject="Boathouse key")
    found = site.machine.get("/api/search?query=boathouse", headers=bearer(site.secret)).json()["results"][0]
    one = window(javascript=javascript)
    page = one.open(found["url"])
    assert "barometer" not in page.content()
    log_in(one)
    expect(page).to_have_url(found["url"])
    expect(page.get_by_role("heading", level=1)).to_have_text("Boathouse key")
    assert "The key of the boathouse hangs behind the barometer." in one.text()
    page.get_by_text("Version 1 ·").click()
    expect(page.locator("details pre")).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    expect(page).to_have_title("Log in · Muniment")
    one.open(found["url"])
    expect(page).to_have_title("Log in · Muniment")


def test_a_hosted_client_gets_its_answer_at_its_own_address(site: Site, window: Open) -> None:
    """Nobody is there, but the browser goes: the page's policy lets it follow our answers to a form out of this server."""
    hosted = "https://client.example/callback"
    client, one = site.client(hosted, "A hosted client"), window()
    one.friends += ("https://client.example/",)

    def led(act: Callable[[], Any]) -> dict[str, str]:
        with one.page.expect_request(f"{hosted}?**") as asked, suppress(Error):
            act()
        # What comes next must not wait for the page that nobody serves.
        one.page = one.tab()
        return told(asked.value.url)

    one.open(client.url(scope="read"))
    log_in(one)
    came = led(one.page.get_by_role("button", name="Give access").click)
    assert client.exchange(came["code"]).status_code == 200
    # The very same request in the same login is answered at once.
    again = led(lambda: one.open(client.url(scope="read")))
    assert client.exchange(again["code"]).status_code == 200
    # Behind a login it is the form of the login whose answer leads to the client.
    one.context.clear_cookies()
    one.open(client.url(scope="nonsense"))
    assert led(lambda: log_in(one))["error"] == "invalid_scope"


# --- without a mouse ----------------------------------------------------------------------------------------------


FOCUSED = """() => {
    const one = document.activeElement, style = getComputedStyle(one);
    return {
        name: one.labels?.[0]?.innerText || one.getAttribute("aria-label") || one.innerText,
        ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
    };
}"""
# The browser scrolls to it a moment later.
SEEN = """() => {
    const box = document.activeElement.getBoundingClientRect();
    return box.width > 0 && box.top >= 0 && box.bottom <= innerHeight;
}"""


def tabbed(window: Window, most: int = 30) -> list[str]:
    """The names of what Tab leads to on a page, in order; each has to be in sight, with a ring around it."""
    names: list[str] = []
    for _ in range(most):
        window.page.keyboard.press("Tab")
        found = window.page.evaluate(FOCUSED)
        if window.page.evaluate("() => document.activeElement === document.body"):
            break
        assert found["ring"], found
        window.page.wait_for_function(SEEN)
        names.append(found["name"].partition(":")[0])
    return names


def test_the_whole_way_goes_without_a_mouse(site: Site, listener: Listener, window: Open) -> None:
    client, one = site.client(listener.callback, "Keyboard"), window()
    page, keys = one.open(client.url(scope="read append")), one.page.keyboard
    assert tabbed(one) == ["Profile", "Passphrase", "Log in"]
    page.reload()
    keys.press("Tab")
    keys.type("maren")
    keys.press("Tab")
    keys.type(PASSPHRASE)
    keys.press("Enter")
    expect(page).to_have_title("Give access · Muniment")
    everything = ["Muniment, your connections", "Log out", "read", "append", "All that maren may see, and those to come"]
    place = "Where it works when it names no workspace"
    assert tabbed(one) == [*everything, place, "connections", "Refuse", "Give access"]
    page.reload()
    for _ in range(4):
        keys.press("Tab")
    keys.press("Space")  # append is off
    keys.press("Tab")
    keys.press("ArrowDown")  # only these
    for _ in range(3):
        keys.press("Tab")
    keys.press("Space")  # atelier, global, harbour
    assert page.evaluate("() => document.activeElement.value") == "harbour"
    while page.evaluate("() => document.activeElement.value") != "approve":
        keys.press("Tab")
    keys.press("Enter")
    held = client.exchange(called_back(one, listener)["code"]).json()
    assert held["scope"] == "read"
    one.open("/connections")
    card = page.get_by_role("listitem").filter(has_text="Keyboard")
    assert "read" in card.inner_text()
    assert "harbour" in card.inner_text()
    assert "append" not in card.inner_text()
    keys.press("Tab")
    keys.press("Tab")
    keys.press("Tab")
    assert page.evaluate("() => document.activeElement.innerText") == "End"
    keys.press("Enter")
    expect(card).to_contain_text("revoked by its owner")


def test_enter_in_a_box_gives_nothing_by_mistake(site: Site, listener: Listener, window: Open) -> None:
    client, one = site.client(listener.callback), window()
    one.open(client.url(scope="read"))
    log_in(one)
    one.page.locator("#scope-read").press("Enter")
    assert called_back(one, listener)["error"] == "access_denied"


def test_a_client_of_another_origin_sees_no_referrer(site: Site, listener: Listener, window: Open) -> None:
    client: Client = site.client(listener.callback)
    one = window()
    one.open(client.url(scope="read"))
    log_in(one)
    with one.page.expect_request(f"{listener.callback}?**") as asked:
        one.page.get_by_role("button", name="Refuse").click()
    assert "referer" not in asked.value.all_headers()
