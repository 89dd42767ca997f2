"""Text of an HTML page: what a reader sees, with line breaks, and headings, lists and code marked as in Markdown.

Always true here: nothing of scripts, styles, navigation or hidden parts comes through; the page is read as a stream of
events, so malformed, endless or deeply nested markup ends in text and not in an error or in recursion.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from lxml import etree

FEED = 65_536  # characters handed to the parser at a time
LIST_DEPTH_MAX = 8  # deeper lists are indented no further

_DROPPED = frozenset(
    "script style noscript template nav svg math canvas iframe object embed button select textarea datalist".split()
)
_BLOCKS = frozenset(
    """
    address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer form header hgroup
    hr html legend li main menu ol optgroup p pre section summary table tbody tfoot thead tr ul h1 h2 h3 h4 h5 h6
    """.split()
)
_APART = frozenset("p pre blockquote table ul ol dl h1 h2 h3 h4 h5 h6 hr figure section article".split())
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


def to_text(html: str) -> tuple[str, str | None]:
    """The page's text, and its title when it has one."""
    reader = _Reader()
    parser = etree.HTMLParser(target=reader, recover=True, huge_tree=True, remove_comments=True, remove_pis=True)
    # Lone surrogates are no characters, and a NUL would end the text in some parsers.
    source = html.encode("utf-8", "replace").decode("utf-8").replace("\0", " ").removeprefix("\ufeff")
    source = _declaration().sub("", source, count=1)
    if not source.strip():
        return "", None
    for start in range(0, len(source), FEED):
        parser.feed(source[start : start + FEED])
    parser.close()
    return reader.text(), reader.title()


@cache
def _declaration() -> re.Pattern[str]:
    return re.compile(r"^\s*<\?xml[^>]{0,200}>")  # its encoding is that of bytes which we no longer have


class _Reader:
    """Collects text from the parser's events; the methods' names are lxml's parser target interface."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._title: list[str] = []
        self._dropping = 0  # open elements inside a dropped one, itself included
        self._titling = False
        self._pre = 0
        self._lists: list[tuple[str, int]] = []
        self._breaks = 0  # line breaks due before the next text
        self._mark = ""  # heading or list mark due before the next text
        self._gap = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self._dropping or tag in _DROPPED or _hidden(attributes):
            self._dropping += 1
        elif tag == "title":
            self._titling = True
        elif tag == "br":
            self._broken(1)
        elif tag in ("td", "th"):
            self._gap = True
        elif tag in _BLOCKS:
            self._open(tag)
        elif tag == "img" and attributes.get("alt"):
            self.data(f" {attributes['alt']} ")

    def _open(self, tag: str) -> None:
        self._broken(2 if tag in _APART and not self._lists else 1)
        if tag in _HEADINGS:
            self._mark = "#" * int(tag[1]) + " "
        elif tag in ("ul", "ol", "menu"):
            self._lists.append((tag, 0))
        elif tag == "li":
            kind, count = self._lists.pop() if self._lists else ("ul", 0)
            indent = "  " * min(len(self._lists), LIST_DEPTH_MAX)
            self._lists.append((kind, count + 1))
            self._mark = f"{indent}{count + 1}. " if kind == "ol" else f"{indent}- "
        elif tag == "pre":
            self._write("```\n")
            self._pre += 1

    def end(self, tag: str) -> None:
        if self._dropping:
            self._dropping -= 1
        elif tag == "title":
            self._titling = False
        elif tag in _BLOCKS:
            self._close(tag)

    def _close(self, tag: str) -> None:
        if tag == "pre" and self._pre:
            self._pre -= 1
            self._breaks = max(0 if self._out and self._out[-1].endswith("\n") else 1, self._breaks)
            self._write("```")
        elif tag in ("ul", "ol", "menu") and self._lists:
            self._lists.pop()
        self._mark = ""
        self._broken(2 if tag in _APART and not self._lists else 1)

    def data(self, data: str) -> None:
        if self._dropping:
            return
        if self._titling:
            self._title.append(data)
        elif self._pre:
            self._write(data)
        else:
            words = " ".join(data.split())
            self._gap = self._gap or data[:1].isspace()
            if words:
                self._write(words)
                self._gap = data[-1].isspace()

    def _broken(self, lines: int) -> None:
        self._breaks, self._gap = max(self._breaks, lines), False

    def _write(self, text: str) -> None:
        if self._out:
            self._out.append("\n" * self._breaks or (" " if self._gap and not self._out[-1].endswith("\n") else ""))
        self._out.append(self._mark + text)
        self._breaks, self._mark, self._gap = 0, "", False

    def comment(self, text: str) -> None:
        """Comments are not read."""

    def close(self) -> None:
        """The parser's end of the page; the text is taken with `text`."""

    def text(self) -> str:
        return "".join(self._out).strip("\n")

    def title(self) -> str | None:
        return " ".join("".join(self._title).split()) or None


def _hidden(attributes: Mapping[str, str]) -> bool:
    if not attributes:
        return False
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    if attributes.get("role") in ("navigation", "search", "menu", "menubar"):
        return True
    style = attributes.get("style", "").replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style
