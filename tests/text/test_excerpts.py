"""A text that is cut says so, and is never longer than it may be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.text.excerpts import cut, line


@pytest.mark.parametrize(
    ("text", "most", "shown"), [("crane", 5, "crane"), ("cranes", 5, "cran…"), ("", 5, ""), ("ab", 1, "…")]
)
def test_what_does_not_fit_ends_in_dots(text: str, most: int, shown: str) -> None:
    assert cut(text, most) == shown


def test_a_line_holds_no_breaks_and_nothing_that_turns_it_around() -> None:
    assert line("The crane\n  is\u202e safe.", 40) == "The crane is safe."


@given(st.text(), st.integers(1, 50))
def test_no_excerpt_is_longer_than_it_may_be(text: str, most: int) -> None:
    assert len(cut(text, most)) <= most
    assert len(line(text, most)) <= most
