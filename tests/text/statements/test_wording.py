"""Signs of what a text may do: what shows none never outdates anything, so that it need not be read."""

from __future__ import annotations

import pytest

from muniment.model.stated import READ_MAX
from muniment.text.statements import updates, wording
from muniment.text.statements.wording import Wording


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We walked along the quay.", Wording(moves=False, denies=False, states=False)),
        ("The port is 8080.", Wording(moves=False, denies=False, states=True)),
        ("Guests may not park here.", Wording(moves=False, denies=True, states=False)),
        ("The port is 8081 now.", Wording(moves=True, denies=False, states=True)),
        ("We no longer use Redis.", Wording(moves=True, denies=True, states=True)),
        ("Since Monday the gate is green", Wording(moves=True, denies=False, states=True)),
        ("Sorry, I meant the quay", Wording(moves=True, denies=False, states=False)),
        ("I don't like it, wait's over", Wording(moves=False, denies=True, states=False)),
        ("Wir nutzen jetzt MySQL", Wording(moves=True, denies=False, states=True)),
        ("It went down because of the storm", Wording(moves=False, denies=False, states=False)),
        ("staging → production", Wording(moves=True, denies=False, states=True)),
        ("我们改用 MySQL 了。", Wording(moves=True, denies=False, states=True)),
    ],
)
def test_a_text_shows_what_it_may_do(text: str, expected: Wording) -> None:
    assert wording.signs(text) == expected
    assert (wording.moves(text), wording.denies(text)) == (expected.moves, expected.denies)


def test_only_the_beginning_of_a_text_is_looked_at() -> None:
    assert not wording.signs("word " * (READ_MAX // 5) + "The port is 8081 now.").states


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("We no longer use Redis for sessions.", "Our sessions use Redis."),
        ("We switched to Discord.", "We use Slack."),
        ("We don't use Jira anymore.", "We use Jira for the board."),
    ],
)
def test_whatever_ends_what_a_text_only_mentions_may_end(newer: str, older: str) -> None:
    assert wording.may_end(newer)
    assert updates.replaces(updates.told(newer, at=2), updates.told(older, at=1)) is not None


@pytest.mark.parametrize("text", ["The port is 8081.", "Anna lives in Graz.", "My budget from May is 300 EUR."])
def test_what_only_states_something_ends_nothing(text: str) -> None:
    assert not wording.may_end(text)
