"""Every page for every reader: axe finds nothing, nothing is cut off or wider than the window, in each light and on paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser import gallery, pictures
from tests.browser.chromium import NARROW, WIDE
from tests.browser.conftest import Open
from tests.browser.gallery import log_in
from tests.browser.sites import Site
from tests.browser.test_hostile import WIDER
from tests.outside import programs

pytestmark = pytest.mark.browser

AXE = """async (tags) => (await axe.run(document, { runOnly: tags, resultTypes: ["violations"] })).violations
    .map(one => `${one.id}: ${one.nodes.map(node => `${node.html.slice(0, 120)} ${node.failureSummary}`).join(" | ")}`)"""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# Text that does not fit into its own box and is cut there.
CUT = """() => [...document.body.querySelectorAll("*")].filter(one => !one.closest(".as")).filter(one => {
    const style = getComputedStyle(one);
    return style.overflow !== "visible" && style.overflowY !== "auto" && one.tagName !== "INPUT"
        && (one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1);
}).map(one => one.outerHTML.slice(0, 80))"""


SIZE_MAX = 200_000


@pytest.fixture(scope="module")
def axe() -> str:
    programs.install()
    return (programs.HERE / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def refs(site: Site) -> dict[str, str]:
    return gallery.furnish(site)


def test_every_page_is_for_everybody(axe: str, site: Site, refs: dict[str, str], window: Open) -> None:
    """One walk through all pages, in both lights and at both widths: logging in anew for each would take minutes."""
    seen, faults = [], []
    for name, page in gallery.pages(site, window(), refs):
        page.evaluate(axe)
        for size in (WIDE, NARROW):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                where = f"{name}, {size['width']} px, {scheme}"
                faults += [f"{where}: {fault}" for fault in page.evaluate(AXE, RULES)]
            faults += [f"{name}, {size['width']} px: wider: {fault}" for fault in page.evaluate(WIDER)]
            faults += [f"{name}, {size['width']} px: cut: {fault}" for fault in page.evaluate(CUT)]
        seen.append(name)
    assert faults == []
    assert len(set(seen)) == gallery.COUNT


COLOURS = "() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"


VERSIONS_SEEN = "() => [...document.querySelectorAll('details pre')].map(one => one.checkVisibility())"


def test_the_dark_is_dark_and_paper_is_white(site: Site, window: Open) -> None:
    ref = site.keep("It was so.", subject="Paper")
    site.ask("/api/remember", {"op": "update", "target": ref, "expected_version": 1, "text": "It is so.", "why": "a change"})
    one = window()
    page = one.open(f"/r/{ref}")
    log_in(one)

    def bright(colour: str) -> float:
        return sum(float(part) for part in colour.strip("rgb()").split(",")) / 3

    page.emulate_media(color_scheme="dark")
    back, text = page.evaluate(COLOURS)
    assert bright(back) < 40
    assert bright(text) > 200
    page.emulate_media(media="print", color_scheme="dark")
    back, text = page.evaluate(COLOURS)
    assert bright(back) == 255
    assert bright(text) == 0
    # What a click opens on the screen, paper shows; what is only to be clicked, it does not.
    expect(page.get_by_role("button", name="Log out")).to_be_hidden()
    assert page.evaluate(VERSIONS_SEEN) == [True, True]
    page.emulate_media(media="screen")
    assert page.evaluate(VERSIONS_SEEN) == [False, False]


# The page's policy lets no style in, so its own sheet is added to.
ENLARGE = """() => ["html { font-size: 200% }", "* { letter-spacing: .12em; word-spacing: .16em; line-height: 1.5 !important }"]
    .forEach(rule => document.styleSheets[0].insertRule(rule, document.styleSheets[0].cssRules.length))"""


def test_text_that_is_enlarged_still_fits(site: Site, refs: dict[str, str], window: Open) -> None:
    """WCAG 1.4.4 and 1.4.12: twice the size, and the spacing that some readers set."""
    one = window(viewport={"width": 640, "height": 800})
    one.open("/connections")
    log_in(one)
    client = site.client(gallery.CHATGPT, "Werkzeug für die Liegeplatzgebührenverordnung")
    site.connect(client)
    for path in ("/connections", *(f"/r/{ref}" for ref in refs.values())):
        one.open(path)
        one.page.evaluate(ENLARGE)
        assert one.page.evaluate(WIDER) == [], path
        assert one.page.evaluate(CUT) == [], path


def test_the_pictures_of_the_docs_can_be_taken_anew(site: Site, browser: Browser, tmp_path: Path) -> None:
    taken = pictures.take(browser, site, tmp_path)
    for path in taken:
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.stat().st_size < SIZE_MAX
    assert {path.name for path in taken} == {path.name for path in pictures.FOLDER.iterdir()}
