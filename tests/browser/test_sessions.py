"""What a browser keeps of a login and what it lets others do with it: cookies, frames, copies of pages, tabs, second clicks."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import Window
from tests.browser.conftest import Open
from tests.browser.gallery import log_in
from tests.browser.sites import OTHER, Listener, Site
from tests.surfaces.browser import told
from tests.surfaces.conftest import bearer

pytestmark = pytest.mark.browser


def test_no_script_and_no_other_site_gets_at_the_cookie(site: Site, listener: Listener, window: Open) -> None:
    one = window()
    one.open("/connections")
    log_in(one)
    held = one.cookie()
    assert (held["httpOnly"], held["sameSite"], held["path"]) == (True, "Lax", "/")
    assert held["expires"] == -1, "it ends with the browser"
    assert one.page.evaluate("() => document.cookie") == ""
    # Another site posts a form to us: the browser leaves the cookie out, and nobody is logged out.
    listener.html = f"<form method=post action={site.base}/logout><button>Win a boat</button></form>"
    one.friends += (f"http://localhost:{listener.port}/",)
    one.open(f"http://localhost:{listener.port}/")
    with one.page.expect_request("**/logout") as posted, one.page.expect_navigation():
        one.page.get_by_role("button").click()
    assert "cookie" not in posted.value.all_headers()
    assert posted.value.response().status == 403
    one.open("/connections")
    expect(one.page).to_have_title("Connections · Muniment")


def test_a_cookie_that_was_there_before_the_login_is_worth_nothing_after(site: Site, window: Open) -> None:
    """Session fixation: whoever plants a cookie in a browser is not logged in with its owner."""
    attacker, victim = window(), window()
    attacker.open("/login")
    planted = attacker.cookie()
    victim.context.add_cookies([{"name": planted["name"], "value": planted["value"], "url": site.base}])
    victim.open("/connections")
    log_in(victim)
    expect(victim.page).to_have_title("Connections · Muniment")
    assert victim.cookie()["value"] != planted["value"]
    attacker.open("/connections")
    expect(attacker.page).to_have_title("Log in · Muniment")


def test_a_logout_ends_the_cookie_itself(site: Site, window: Open) -> None:
    one = window()
    one.open("/connections")
    log_in(one)
    kept = one.cookie()
    with one.page.expect_navigation():
        one.page.get_by_role("button", name="Log out").click()
    assert one.cookie()["value"] != kept["value"]
    thief = window()
    thief.context.add_cookies([{"name": kept["name"], "value": kept["value"], "url": site.base}])
    thief.open("/connections")
    expect(thief.page).to_have_title("Log in · Muniment")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_no_page_is_shown_inside_of_another(site: Site, listener: Listener, window: Open, host: str) -> None:
    """Not even beside us on this machine, where the cookie is sent along."""
    ref = site.keep(f"Nobody frames this, said {host}.")
    client, one = site.client(listener.callback), window()
    one.open("/connections")
    log_in(one)
    for path in ("/login", "/connections", f"/r/{ref}", client.url(scope="read")):
        listener.html = f"<!doctype html><title>Free boats</title><iframe src='{site.base}{path}'></iframe>"
        one.friends += (f"http://{host}:{listener.port}/",)
        one.open(f"http://{host}:{listener.port}/")
        frame = one.page.frames[1]
        one.until(lambda held=frame: held.url.startswith("chrome-error:"))  # type: ignore[misc]
        assert "Muniment" not in frame.content()
        # The browser says so, which is what was to be heard.
        assert one.heard
        assert [said for said in one.heard if "frame-ancestors" not in said] == []
        one.heard.clear()


def test_the_back_button_shows_nothing_after_the_logout(site: Site, window: Open) -> None:
    ref = site.keep("The safe stands behind the chart of the North Sea.")
    one = window()
    one.open(f"/r/{ref}")
    log_in(one)
    assert "North Sea" in one.text()
    one.open("/connections")
    with one.page.expect_navigation():
        one.page.get_by_role("button", name="Log out").click()
    for _ in range(2):
        one.page.go_back()
        expect(one.page).to_have_title("Log in · Muniment")
        assert "North Sea" not in one.page.content()
    one.page.go_forward()
    expect(one.page).to_have_title("Log in · Muniment")


def test_a_second_click_gives_no_second_grant(site: Site, listener: Listener, window: Open) -> None:
    """The second may overtake the answer to the first, or come too late to be one. There is one code, and one grant."""
    client, one = site.client(listener.callback, "Twice"), window()
    one.open(client.url(scope="read"))
    log_in(one)
    one.page.get_by_role("button", name="Give access").dblclick(no_wait_after=True)
    one.until(lambda: one.page.title() in ("Done", "This request cannot be answered · Muniment"))
    codes = {told(path)["code"] for path in listener.called}
    assert len(codes) <= 1
    for code in codes:
        assert client.exchange(code).status_code == 200
    with closing(sqlite3.connect(site.store, timeout=20)) as connection:
        (given,) = connection.execute(
            "SELECT count(*) FROM oauth_grant JOIN oauth_client ON oauth_client.id = client WHERE name = 'Twice'"
        ).fetchone()
    assert given == 1


def test_the_same_page_sent_twice_gives_one_grant(site: Site, listener: Listener, window: Open) -> None:
    """Two clicks that both arrive: the second finds its page answered."""
    client, one = site.client(listener.callback, "Both"), window()
    one.open(client.url(scope="read"))
    log_in(one)
    values = one.page.evaluate("() => new URLSearchParams(new FormData(document.forms[1])).toString() + '&decision=approve'")
    sent = {"content-type": "application/x-www-form-urlencoded", "origin": site.base, "accept": "text/html"}
    answers = [one.context.request.post(f"{site.base}/consent", data=values, headers=sent, max_redirects=0) for _ in range(2)]
    assert [answer.status for answer in answers] == [303, 400]
    assert "answered already" in answers[1].text()
    assert client.exchange(told(answers[0].headers["location"])["code"]).status_code == 200
    one.open("/connections")
    assert one.page.get_by_role("listitem").filter(has_text="Both").count() == 1


def test_two_tabs_log_in_one_after_the_other(site: Site, listener: Listener, window: Open) -> None:
    """Both were asked to log in. The second tab's form is an old one by then, and says so."""
    client, one = site.client(listener.callback), window()
    first, second = one.page, one.tab()
    first.goto(site.base + client.url(scope="read"))
    second.goto(f"{site.base}/connections")
    assert {page.title() for page in (first, second)} == {"Log in · Muniment"}
    log_in(one)
    expect(first).to_have_title("Give access · Muniment")
    other = Window(one.context, second, site.base)
    log_in(other)
    expect(second.get_by_role("alert")).to_contain_text("Please try again.")
    log_in(other)
    expect(second).to_have_title("Connections · Muniment")
    # The consent page of the first tab belongs to a login that has ended with the second one.
    with first.expect_navigation():
        first.get_by_role("button", name="Give access").click()
    expect(first.get_by_role("alert")).to_contain_text("belongs to another browser")
    assert listener.called == []
    first.goto(site.base + client.url(scope="read"))
    first.get_by_role("button", name="Refuse").click()
    first.wait_for_url(f"{listener.callback}?**")


def test_two_people_at_one_browser_do_not_see_each_other(site: Site, window: Open) -> None:
    client = site.client("http://127.0.0.1:9999/callback", "Of Maren")
    site.connect(client)
    one = window()
    one.open("/connections")
    log_in(one)
    assert "Of Maren" in one.text()
    with one.page.expect_navigation():
        one.page.get_by_role("button", name="Log out").click()
    log_in(one, OTHER)
    assert f"Logged in as {OTHER}" in one.text().replace("\n", " ")
    assert "Of Maren" not in one.page.content()


def test_what_is_remembered_is_kept_by_no_cache(site: Site, window: Open) -> None:
    ref = site.keep("The pilot boat leaves at six.")
    one = window()
    one.open(f"/r/{ref}")
    log_in(one)
    found = one.context.request.get(f"{site.base}/r/{ref}", headers={"accept": "text/html"})
    assert found.headers["cache-control"] == "no-store"
    assert site.machine.get(f"/r/{ref}", headers=bearer(site.secret)).status_code == 200


def test_a_fault_of_ours_is_told_on_a_page(site: Site, window: Open) -> None:
    """Whoever has a browser cannot read JSON. The page says what to do, and nothing of what went wrong inside."""
    one = window()
    one.open("/connections")
    log_in(one)
    with closing(sqlite3.connect(site.store, timeout=20)) as connection:
        connection.execute("ALTER TABLE oauth_grant RENAME TO oauth_grant_away")
        connection.commit()
        one.open("/connections")
        connection.execute("ALTER TABLE oauth_grant_away RENAME TO oauth_grant")
        connection.commit()
    expect(one.page.get_by_role("heading", level=1)).to_have_text("This did not work")
    assert "Try once more." in one.text()
    assert "oauth_grant" not in one.page.content()
    one.page.reload()
    expect(one.page).to_have_title("Connections · Muniment")
