"""What somebody else managed to store or to register, in a real browser: words, of a width that fits, and nothing happens.

The window itself listens: a dialog, a message of the console or a request to another server fails each test here.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import chromium
from tests.browser.chromium import NARROW
from tests.browser.conftest import Open
from tests.browser.gallery import log_in
from tests.browser.sites import Listener, Site

pytestmark = pytest.mark.browser

MARKUP = (
    "<script>alert(1)</script><img src=x onerror=alert(2)><svg/onload=alert(3)>"
    "\"><iframe src=https://evil.example></iframe>' autofocus onfocus=alert(4) x='"
    "</title></pre></dd></bdi></article><form action=https://evil.example><input name=passphrase autofocus>"
    "<base href=https://evil.example/><meta http-equiv=refresh content='0;url=https://evil.example'>"
    "<style>body{display:none;background:url(https://evil.example)}</style><link rel=stylesheet href=https://evil.example/x.css>"
    "<a href=javascript:alert(5)>here</a> [there](javascript:alert(6)) {{ 7 * 191 }}"
)
HIDDEN = "Pay \u202e0004\u202c euros\u2066 to\u200b\u2060 \U000e0041\U000e0042the \ufeffharbour\u00ad master."
SHOWN = "Pay 0004 euros to the harbour master."
WORD = "Winterliegeplatzgebührenverordnung" * 3000
ARABIC = "Two berths.\nالمرسى الشمالي شاغر ابتداءً من شهر مايو.\nThe end."
CHINESE = "冬季泊位的押金为一百八十欧元请在星期五之前付款北码头从五月起空出" * 400
EMOJI = "👩‍👩‍👧‍👦" * 2000 + "Z̸̢͎͒͌a̷͓͂l̵̨̛g̸͈̎o̵͙͝" * 200
TEXTS = {"markup": MARKUP, "hidden": HIDDEN, "word": WORD, "arabic": ARABIC, "chinese": CHINESE, "emoji": EMOJI}
NAMES = (MARKUP[:390], HIDDEN, "W" * 390, "المرسى" * 30, "冬季泊位" * 30, "javascript:alert(1)//", "\u202eTPGtahC")
OURS = """() => ({
    strangers: [...document.querySelectorAll("script,style,img,iframe,svg,object,embed,base,[onload],[onerror],[onfocus]")]
        .map(one => one.outerHTML.slice(0, 80)),
    forms: [...document.forms].map(one => new URL(one.action).origin === location.origin),
    links: [...document.links].map(one => new URL(one.href).origin === location.origin),
    headings: document.querySelectorAll("h1").length,
})"""
WIDER = """() => [document.scrollingElement, ...document.body.querySelectorAll("*")]
    .filter(one => !["INPUT", "SPAN"].includes(one.tagName))
    .map(one => [one, one.getBoundingClientRect().right])
    .filter(([one, right]) => one.clientWidth && one.scrollWidth > one.clientWidth + 1 || right > innerWidth + 1)
    .map(([one, right]) => `${one.tagName}.${one.className} ${one.scrollWidth} ${one.clientWidth} ${right}`)"""


def assert_ours(page: Page) -> None:
    """Nothing of a page is anybody else's, and all of it fits into the window."""
    found = page.evaluate(OURS)
    assert found["strangers"] == []
    assert all(found["forms"])
    assert all(found["links"])
    assert found["headings"] == 1
    assert page.evaluate(WIDER) == []


def kept(site: Site, text: str) -> list[str]:
    """A text as a memory, a document and a turn, with everything beside it that takes words; answers what can be opened."""
    short = text[:90]
    said: dict[str, Any] = {"subject": text[:300], "why": text[:300], "labels": {"topics": [text[:60]], "people": [text[:60]]}}
    # What could be meant to deceive an agent waits for a decision, and has no page before.
    memory = site.keep(f"{text[:4000]} The berth is free.", workspace="harbour", **said)
    document = {"text": f"{text}\n\nThe crane is green.", "title": text[:200], "url": f"javascript:alert(1)//{short}"}
    refs = site.ask("/api/ingest", {"document": document, "workspace": "harbour"})["refs"]
    talk = site.talk(short, text[:200], (short, f"{text[:4000]} The quay is wet."), (short, "The gull is loud."))
    return [*([memory] if memory.startswith("m_") else []), *refs, talk]


@pytest.fixture(scope="module")
def refs(site: Site) -> dict[str, list[str]]:
    return {sort: kept(site, text) for sort, text in TEXTS.items()}


@pytest.mark.parametrize(("sort", "javascript"), [*((sort, True) for sort in TEXTS), ("markup", False)])
def test_a_hostile_record_is_words_that_fit(refs: dict[str, list[str]], window: Open, sort: str, javascript: bool) -> None:
    one = window(javascript=javascript, viewport=NARROW)
    page = one.open("/login")
    log_in(one)
    for ref in refs[sort]:
        one.open(f"/r/{ref}")
        for summary in page.locator("summary").all():
            summary.click()
        assert_ours(page)
        expect(page).not_to_have_url("https://evil.example/")
        assert "1337" not in one.text().replace(ref, "")


def test_what_nobody_can_see_is_not_shown(site: Site, window: Open) -> None:
    one = window()
    one.open(f"/r/{site.document(HIDDEN)}")
    log_in(one)
    assert one.page.locator("article > pre").inner_text() == SHOWN


LINES = """() => {
    const box = document.querySelector("article > pre"), text = box.firstChild, range = document.createRange();
    const frame = box.getBoundingClientRect();
    let at = 0;
    return text.data.split("\\n").map(line => {
        range.setStart(text, at), range.setEnd(text, at + 1);
        at += line.length + 1;
        const first = range.getBoundingClientRect();
        return first.left - frame.left < frame.right - first.right ? "left" : "right";
    });
}"""


def test_every_line_of_a_record_runs_in_its_own_direction(site: Site, window: Open) -> None:
    ref = site.keep(ARABIC, workspace="harbour")
    one = window()
    one.open(f"/r/{ref}")
    log_in(one)
    assert one.page.evaluate(LINES) == ["left", "right", "left"]


def test_the_hostile_name_of_a_client_is_words_that_fit(site: Site, listener: Listener, window: Open) -> None:
    one = window(viewport=NARROW)
    page = one.open("/login")
    log_in(one)
    for name in NAMES:
        client = site.client(listener.callback, name)
        one.open(client.url(scope="read append"))
        assert_ours(page)
        # What a name says about itself stands in a box of its own, and cannot turn what stands around it.
        assert "asks for access. The name is its own; nobody has checked it." in one.text()
        assert page.locator(".asks dd").inner_text() == f"127.0.0.1:{listener.port}"
        site.connect(client)
    one.open("/connections")
    assert_ours(page)
    assert page.get_by_role("listitem").count() == len(NAMES)


def test_a_request_with_everything_in_its_address_is_words(site: Site, listener: Listener, window: Open) -> None:
    one = window(viewport=NARROW)
    client = site.client(listener.callback)
    for url in (
        client.url(client_id=MARKUP[:400]),
        client.url(redirect_uri="javascript:alert(1)"),
        client.url(redirect_uri=f"https://evil.example/{'x' * 2000}"),
        client.url(path="/login", next="//evil.example/"),
        client.url(path="/login", next="javascript:alert(1)"),
        client.url(path="/login", next=MARKUP[:400]),
    ):
        assert_ours(one.open(url))
        assert one.page.url.startswith(site.base)
    one.open("/login?next=https://evil.example/")
    log_in(one)
    expect(one.page).to_have_url(f"{site.base}/connections")


def test_the_ears_hear(site: Site, browser: Browser, listener: Listener) -> None:
    """A page of somebody else does all that ours must not: else the tests here would prove nothing."""
    listener.html = (
        "<!doctype html><meta http-equiv=content-security-policy content=\"img-src 'none'\">"
        "<img src=/x.png><script>console.error('said'); alert('asked'); fetch('https://evil.example/').catch(() => 0);"
        "setTimeout(() => { throw Error('thrown') })</script>"
    )
    heard = ("console: said", "dialog: asked", "request to https://evil.example", "thrown", "Content Security Policy")
    held = ExitStack()
    one = held.enter_context(chromium.window(browser, site.base, (listener.origin,)))
    one.open(listener.origin)
    one.until(lambda: all(said in " ".join(one.heard) for said in heard))
    with pytest.raises(AssertionError, match="dialog: asked"):
        held.close()
