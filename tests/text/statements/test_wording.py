"""Signs of what a text may do: what shows none never outdates anything, so that it need not be read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from muniment.model.stated import READ_MAX
from muniment.text.statements import updates, wording
from muniment.text.statements.nouns import SINGLE
from muniment.text.statements.reading import find
from muniment.text.statements.wording import Wording
from muniment.text.statements.words import ENGLISH, GERMAN, Lexicon
from tests.places import ROOT


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


@pytest.mark.parametrize("known", [ENGLISH, GERMAN], ids=["english", "german"])
def test_every_word_of_change_or_denial_shows_its_sign(known: Lexicon) -> None:
    moving = known.corrects | known.now | known.ends | known.changes
    assert [word for word in sorted(moving - wording.USUAL) if not wording.moves(f"Then {word}")] == []
    assert [word for word in sorted(known.denies) if not wording.denies(f"Then {word}")] == []


def test_every_noun_of_which_there_is_one_gives_a_reason_to_read() -> None:
    assert [noun for noun in sorted(SINGLE) if not wording.worth_reading(f"The {noun} of it is Ada")] == []


@pytest.mark.parametrize("name", ["corrections", "corrections-held"])
def test_what_is_worded_as_a_change_in_the_battery_shows_it(name: str) -> None:
    texts = {item["text"] for case in cases(name) for item in case["items"]}
    worded = {text for text in texts if {one.cue for one in find(text)} & {"change", "correction", "negation"}}
    silent = {text for text in worded if not wording.moves(text) and not wording.denies(text)}
    # Words that move nothing as often as not are no sign by themselves.
    assert {text for text in silent if wording.USUAL.isdisjoint(text.lower().split())} == set()
    assert len(silent) <= 1 < len(worded)


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((ROOT / "evals" / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    return found
