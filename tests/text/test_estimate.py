"""Token estimates: near four characters a token in Latin script, near one in Chinese, never falling as text grows."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.text.estimate import tokens


def test_scripts_have_their_own_rate() -> None:
    assert tokens("") == 0
    assert tokens("a") == 1
    assert tokens("word " * 8) == 10
    assert tokens("今天天气很好") == 6
    assert 3 <= tokens("Привет, мир") <= 6


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=60), st.text(max_size=20))
def test_more_text_never_costs_less(text: str, more: str) -> None:
    assert tokens(text) <= tokens(text + more)
    assert (tokens(text) == 0) == (text == "")
