"""Quotes: found only where the text says them, and always as an exact span."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.graph import quotes

LETTERS = st.text(st.sampled_from("ab éü\u0301\u0308\u1100\u1161\u11a8 \n\t한 中a"), max_size=30)


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("The port is 8081.", "port is 8081", "port is 8081"),
        ("The port\n  is 8081.", "port is 8081", "port\n  is 8081"),
        ("The port is 8081.", " port \n is ", "port is"),
        ("Cafe\u0301 Zoe\u0308 opens.", "Café Zoë", "Cafe\u0301 Zoe\u0308"),
        ("Café opens.", "Cafe\u0301 opens", "Café opens"),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8 vs 中国", "한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"),
        ("The port is 8081.", "Port is 8081", None),
        ("The port is 8081.", "port was 8081", None),
        ("The port is 8081.", "   ", None),
        ("a+b (c)", "a+b (c)", "a+b (c)"),
    ],
)
def test_a_quote_is_found_word_for_word_or_not_at_all(text: str, quote: str, found: str | None) -> None:
    span = quotes.find(text, quote)
    assert (None if span is None else text[slice(*span)]) == found


@given(text=LETTERS, start=st.integers(0, 30), length=st.integers(1, 30), form=st.sampled_from(("NFC", "NFD")))
def test_what_a_text_holds_is_found_however_it_is_composed(text: str, start: int, length: int, form: str) -> None:
    quote = unicodedata.normalize(form, text)[start : start + length]
    span = quotes.find(text, quote)
    if span is None:
        return
    said = text[slice(*span)]
    assert unicodedata.normalize("NFC", " ".join(quote.split())) in unicodedata.normalize("NFC", " ".join(said.split()))


@given(text=LETTERS)
def test_a_whole_text_is_found_in_itself(text: str) -> None:
    for form in ("NFC", "NFD"):
        quote = unicodedata.normalize(form, text)
        assert (quotes.find(text, quote) is None) == (not text.split())


@pytest.mark.parametrize(
    ("text", "words", "held"),
    [
        ("The port is 8081.", "8081", True),
        ("The port is 18081.", "8081", False),
        ("It runs 1.2.3 now", "1.2", False),
        ("It runs 1.2.", "1.2", True),
        ("Wir fahren nach MÜNCHEN.", "München", True),
        ("Wir fahren nach Münchenstein.", "München", False),
        ("我们从北京搬到上海。", "上海", True),
        ("nothing", "", False),
    ],
)
def test_names_and_values_stand_as_whole_words(text: str, words: str, held: bool) -> None:
    assert quotes.holds(text, words) is held
