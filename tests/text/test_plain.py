"""What comes in is made fit for every store, and is otherwise left alone."""

from __future__ import annotations

import pytest

from muniment.model.times import Moment
from muniment.model.turns import IncomingTurn, Rejected
from muniment.model.writing import Labels, RememberRequest
from muniment.text import plain


@pytest.mark.parametrize(
    ("text", "clean"),
    [("", ""), ("a\x00b\x00", "ab"), ("\x00", ""), ("é\ud800", "é?"), ("\ud83d\ude00", "??"), ("a\x00\udfff", "a?")],
)
def test_what_no_store_can_keep_is_taken_out(text: str, clean: str) -> None:
    assert plain.clean(text) == clean


@pytest.mark.parametrize("text", ["plain", "größe", "👩‍👩‍👧", "\x01\x7f\u200b\ufeff\uffff\U0010ffff", "e\u0301"])
def test_everything_else_is_the_very_same_text(text: str) -> None:
    assert plain.clean(text) is text


def test_a_clean_noun_is_passed_on_as_it_is() -> None:
    for noun in (IncomingTurn("s", "Ann", "text", Moment(1, None), line=3), RememberRequest(text="a", labels=Labels(("x",)))):
        assert plain.clean_all(noun) is noun


def test_every_text_of_a_noun_is_cleaned_however_deep() -> None:
    turn = IncomingTurn("s\x00", "A\x00nn", "te\x00xt", Moment(5, 60), id="i\x00", source_ref="r\ud800", line=4)
    assert plain.clean_all(turn) == IncomingTurn("s", "Ann", "text", Moment(5, 60), id="i", source_ref="r?", line=4)
    request = RememberRequest(text="a\x00", subject="b\x00", labels=Labels(topics=("c\x00", "d"), people=("e\ud800",)))
    assert plain.clean_all(request) == RememberRequest(text="a", subject="b", labels=Labels(topics=("c", "d"), people=("e?",)))
    assert plain.clean_all(Rejected(1, "w\x00")) == Rejected(1, "w")


@pytest.mark.parametrize(
    ("text", "blank"),
    [
        ("", True),
        (" \t\n\u00a0\u3000", True),
        ("\u200b\u200d\u202e\u2066\ufeff\x07", True),
        ("\u200b.", False),
        ("\u0301", False),
        ("\ue000", False),
        ("\U0001f469\u200d\U0001f467", False),
    ],
)
def test_a_text_of_which_nothing_can_be_seen_is_blank(text: str, blank: bool) -> None:
    assert plain.blank(text) is blank
