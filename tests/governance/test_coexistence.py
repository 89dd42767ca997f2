"""Two statements may both be right when they speak of different places, versions or times."""

from __future__ import annotations

import pytest

from muniment.governance import coexistence


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("The dev port is 1.", "The prod port is 2.", "environment"),
        ("The dev port is 1.", "The development port is 2.", None),
        ("The device port is 1.", "The prod port is 2.", None),
        ("In the EU it is 1.", "In the US it is 2.", "region"),
        ("v1 listens on 1.", "v12 listens on 2.", "version"),
        ("v1 listens on 1.", "v1 listens on 2.", None),
        ("The minimum is 1.", "The maximum is 2.", "metric"),
        ("The internal port is 1.", "The external port is 2.", "side"),
        ("It was formerly 1.", "It is 2.", "history"),
        ("In 2023 it was 1.", "In 2024 it was 2.", "year"),
        ("The port is 1.", "The port is 2.", None),
    ],
)
def test_a_veto_needs_whole_words_on_both_sides(one: str, other: str, why: str | None) -> None:
    assert coexistence.veto(one, other, ("1", "2")) == why
    assert coexistence.veto(other, one, ("2", "1")) == why


def test_what_the_values_themselves_say_is_no_veto() -> None:
    assert coexistence.veto("We run in the EU.", "We run in the US.", ("EU", "US")) is None
    assert coexistence.veto("The client is v1.", "The client is v2.", ("v1", "v2")) is None


@pytest.mark.parametrize("text", ["We moved to 2.", "The port is now 2.", "Der Port ist jetzt 2."])
def test_a_change_is_told_from_a_statement(text: str) -> None:
    assert coexistence.marks_change(text)
    assert not coexistence.marks_change("The port is 2.")
