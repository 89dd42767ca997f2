"""Words are compared whole: letters that happen to stand side by side ground nothing."""

from __future__ import annotations

import pytest

from muniment.governance import grounding


@pytest.mark.parametrize(
    ("text", "value", "held"),
    [
        ("The timeout is 15 seconds.", "1.5", False),
        ("The timeout is 1.5 seconds.", "15", False),
        ("The timeout is 1.5 seconds.", "1.5", True),
        ("It runs on the device.", "dev", False),
        ("It runs on dev.", "dev", True),
        ("Clients use v12.", "v1", False),
        ("Clients use v1.", "V1", True),
        ("It costs 1,500 a month.", "1500", True),
        ("The host is 10.0.0.12", "10.0.0.1", False),
        ("We meet at 10:30.", "10:30", True),
        ("Anna Weber owns it.", "Weber Anna", False),
        ("Die Straße heißt Ｇroßweg.", "STRASSE", True),
        ("It is here.", "", False),
    ],
)
def test_a_value_stands_in_a_text_only_word_by_word(text: str, value: str, held: bool) -> None:
    assert grounding.holds(text, value) is held


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The port is 8081.", True),
        ("The port is not 8081.", False),
        ("It isn't on 8081.", False),
        ("The port is not 8080 but 8081.", True),
        ("Der Port ist nicht 8081.", False),
        ("The port is 8081, not 8080.", True),
        ("The port is 8080.", False),
    ],
)
def test_what_is_only_denied_is_not_said(text: str, said: bool) -> None:
    assert grounding.says(text, "8081") is said


@pytest.mark.parametrize(("value", "good"), [("8080", True), ("unknown", False), ("n/a", False), ("", False), ("?", False)])
def test_a_word_for_not_knowing_is_no_value(value: str, good: bool) -> None:
    assert grounding.usable(value) is good


def test_a_value_is_short() -> None:
    assert grounding.usable("a" * grounding.VALUE_LENGTH_MAX)
    assert not grounding.usable("a" * (grounding.VALUE_LENGTH_MAX + 1))
    assert grounding.usable("a " * grounding.VALUE_WORDS_MAX)
    assert not grounding.usable("a " * (grounding.VALUE_WORDS_MAX + 1))
