"""Makes the pictures of the documentation from the pages themselves: `python3 dev.py pictures`.

They are what somebody sees who follows docs/howto; nothing in them is drawn or changed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser

from tests.browser import chromium, gallery, sites
from tests.browser.chromium import Window
from tests.browser.sites import Site
from tests.places import ROOT

FOLDER = ROOT / "docs" / "images"
SIZE = {"width": 720, "height": 400}
# Letters whose edges have no colours of their own make a third of the file.
GREY = "--disable-lcd-text"
BEFORE = "The winter berth at the north quay costs 450 euros; the deposit is 180 euros."
NOW = "From May on the winter berth at the north quay costs 480 euros; the deposit stays at 180 euros."


def consent(site: Site, window: Window) -> None:
    window.open(site.client(gallery.CHATGPT, "ChatGPT").url())
    for scope in ("write", "curate"):
        window.page.locator(f"#scope-{scope}").uncheck()
    window.page.get_by_label("Only these:").check()
    for slug in ("harbour", "winter-berths"):
        window.page.get_by_label(slug).check()


def record(site: Site, window: Window) -> None:
    made = site.connect(site.client(gallery.CHATGPT, "ChatGPT"))
    hers = site.of(made["access_token"])
    ref = hers.keep(BEFORE, workspace="harbour", subject="Price of a winter berth")
    changed = {"op": "update", "target": ref, "expected_version": 1, "text": NOW, "why": "the tariff of May"}
    hers.ask("/api/remember", changed)
    window.open(f"/r/{ref}")
    window.page.get_by_text("Version 1 ·").click()


PICTURES = {"consent": consent, "record": record}


def take(browser: Browser, site: Site, folder: Path) -> list[Path]:
    """Write them all into a folder; answers where they lie."""
    written = []
    with chromium.window(browser, site.base, viewport=SIZE) as window:
        window.open("/login")
        gallery.log_in(window)
        for name, shows in PICTURES.items():
            shows(site, window)
            window.page.evaluate("() => document.activeElement.blur()")
            written.append(folder / f"{name}.png")
            window.page.screenshot(path=written[-1], full_page=True)
    return written


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sites.site(Path(place)) as site, chromium.chromium(GREY) as browser:
        for path in take(browser, site, FOLDER):
            sys.stdout.write(f"{path.relative_to(ROOT).as_posix()}: {path.stat().st_size // 1000} kB\n")


if __name__ == "__main__":
    main()
