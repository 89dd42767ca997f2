from __future__ import annotations

import pytest

from muniment.model.stated import Stated
from muniment.text.statements.reading import ANSWER_MAX, find
from muniment.text.statements.wording import worth_reading


def only(text: str, speaker: str | None = None) -> Stated:
    found = find(text, speaker)
    assert len(found) == 1, found
    return found[0]


def test_a_statement_says_what_of_what_is_what() -> None:
    one = only("The API port of staging is 8081.")
    assert (one.subject, one.attribute, one.value) == ("staging", "API port", "8081")
    assert (one.attribute_norm, one.qualifier_norm, one.value_norm, one.keyed) == ("api port", "staging", "8081", True)


def test_its_span_lies_in_the_text() -> None:
    text = "Morning! The port is 8081 now, and the host is db-2.internal."
    assert [text[one.start : one.end] for one in find(text)] == ["The port is 8081 now", "the host is db-2.internal."]


def test_a_first_person_is_the_speaker() -> None:
    assert only("I live in Lisbon.", "Anna").subject_norm == "anna"
    assert only("I live in Lisbon.", "user").subject_norm == "user"
    assert only("We moved from Postgres to MySQL.", "Anna").subject_norm == "we"
    assert only("Her phone number is 555-0142.", "Anna").subject_norm == "they"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("We moved from Postgres to MySQL last week.", "postgres", "mysql"),
        ("The nightly builds use GitHub Actions instead of Jenkins now.", "jenkins", "github actions"),
        ("We replaced SendGrid with Postmark.", "sendgrid", "postmark"),
        ("The meeting is not on Monday but on Tuesday.", "day=0", "day=1"),
        ("max_connections 100 -> 250", "100", "250"),
        ("Wir sind von Postgres auf MySQL umgestiegen.", "postgres", "mysql"),
        ("Die Miete wurde von 800 auf 860 Euro erhöht.", "800", "860"),
        ("数据库从Postgres换成了MySQL。", "postgres", "mysql"),
        ("体检时间不是五月六号，而是五月八号。", "date=05-06", "date=05-08"),
    ],
)
def test_a_change_names_what_held_before(text: str, old: str, new: str) -> None:
    assert [(one.old_value_norm, one.value_norm) for one in find(text) if one.old_value_norm] == [(old, new)]


@pytest.mark.parametrize(
    "text",
    [
        "Maybe we should move from Postgres to MySQL.",
        "If the limit is 200 the tests fail.",
        "I think the port is 8081.",
        "We plan to move from Postgres to MySQL.",
        "Vielleicht ist der Port 8081.",
        "也许端口是8081。",
    ],
)
def test_plans_and_guesses_are_tentative(text: str) -> None:
    assert {one.cue for one in find(text)} <= {"tentative"}


def test_a_question_states_only_what_it_tells_before_it_asks() -> None:
    assert find("Is the port 8081?") == ()
    assert only("I raised the budget to $65, can you find something?").value == "$65"


def test_what_held_once_is_past() -> None:
    assert only("The port was 8080.").past
    assert not only("The port was changed to 8081.").past


def test_what_is_said_to_end_is_denied() -> None:
    one = only("We no longer use Redis.")
    assert (one.polarity, one.value_norm, one.cue) == (-1, "redis", "negation")


def test_one_more_beside_others_is_many() -> None:
    assert only("I also have 3 cats.").many


def test_formulas_and_code_state_nothing() -> None:
    assert find(r"\( P(A) = \frac{1}{6} \)") == ()
    assert find("```\nport = 8080\n```") == ()


def test_a_long_answer_of_a_helper_is_an_explanation() -> None:
    said = "The number of outcomes is 6. " * (ANSWER_MAX // 20)
    assert find(said, "assistant") == ()


def test_a_long_line_takes_no_long_time() -> None:
    assert len(find("from a to " * 20_000)) <= 60


def test_most_of_a_chat_is_not_even_looked_at() -> None:
    assert not worth_reading("Wow, that's so cool! How have you been, and how are the kids doing?")
    assert worth_reading("We don't support Internet Explorer anymore.")
    assert worth_reading("Our office is in Hamburg.")


@pytest.mark.parametrize(
    ("text", "value", "old"),
    [
        ("The port of staging is 8081 now, not 8080.", "8081", "8080"),
        ("The deadline of Horizon is 12 June now, not 3 March.", "date=06-12", "3 march"),
        ("The meeting is on Tuesday, not on Monday.", "day=1", "monday"),
    ],
)
def test_what_a_value_is_not_belongs_to_what_it_is(text: str, value: str, old: str) -> None:
    (one,) = find(text)
    assert (one.value_norm, one.old_value_norm, one.polarity) == (value, old, 1)


def test_a_quality_that_is_denied_is_no_earlier_value() -> None:
    assert all(one.old_value_norm is None for one in find("The new crane is fast, not cheap."))
