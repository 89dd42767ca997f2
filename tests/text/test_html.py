"""A page's text as a reader sees it, whatever the markup is like."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.text.html import to_text


def test_a_page_keeps_its_shape() -> None:
    page = """<!doctype html><html><head><title>A &amp; B</title><style>p {}</style></head><body>
    <nav>menu</nav><h1>Head</h1><p>One <b>bo</b>ld
    line<br>two</p><ul><li>x<li>y<ol><li>n</ol></ul><pre>code
  more</pre><table><tr><td>1<td>2</table><p hidden>no</p><script>bad()</script>
    <div style="display: none">no</div><p aria-hidden="true">no</p>end</body></html>"""
    assert to_text(page) == (
        "# Head\n\nOne bold line\ntwo\n\n- x\n- y\n  1. n\n\n```\ncode\n  more\n```\n\n1 2\n\nend",
        "A & B",
    )


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("", ""),
        ("plain text", "plain text"),
        ("<p>unclosed <b>bold", "unclosed bold"),
        ("a < b &amp; c &lt; d", "a < b & c < d"),
        ("<p>日本語&nbsp;と é</p>", "日本語 と é"),
        ("a\x00b", "a b"),
        ("<?xml version='1.0' encoding='latin-1'?><p>é</p>", "é"),
        ("<input hidden>after", "after"),
        ("<p>x</p><!-- no --><p>y</p>", "x\n\ny"),
        ("<img alt='A dog' src=x>", "A dog"),
    ],
)
def test_malformed_markup_ends_in_text(page: str, text: str) -> None:
    assert to_text(page)[0] == text


def test_a_lone_surrogate_is_no_error() -> None:
    assert to_text("a\ud800b")[0] == "a?b"


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "<p>",
                "</p>",
                "<ul>",
                "<li>",
                "</ul>",
                "<pre>",
                "</pre>",
                "<script>",
                "</script>",
                "<b>",
                "x",
                " ",
                "<",
                "&",
                "<td>",
                "<nav>",
                "</nav>",
                "<!--",
            ]
        ),
        max_size=25,
    ).map("".join)
)
def test_any_markup_is_read(page: str) -> None:
    text, title = to_text(page)
    assert title is None
    assert "<nav>" not in text


@pytest.mark.parametrize(
    "unit", ["<div>", "<b><i>", "<", "&", "<!--", "<p>word</p>\n", "<li>", "<table><td>", "<a x=1 ", "<pre>", "</p>"]
)
def test_endless_markup_takes_linear_time(unit: str) -> None:
    start = time.process_time()
    to_text(unit * (1_000_000 // len(unit)) + "x")
    assert time.process_time() - start < 10
