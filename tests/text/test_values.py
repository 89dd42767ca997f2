from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.text import values as reading
from muniment.text.values import comparable, norm, same, values


def read(text: str, *, german: bool = False) -> list[tuple[str, str, str]]:
    return [(text[one.start : one.end], one.sort, one.norm) for one in values(text, german=german)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the threshold is 1.5", ("1.5", "number", "1.5")),
        ("the threshold is 15", ("15", "number", "15")),
        ("8,080 rows", ("8,080", "number", "8080")),
        ("90 minutes", ("90 minutes", "number:time", "5400")),
        ("1.5 hours", ("1.5 hours", "number:time", "5400")),
        ("two weeks", ("two weeks", "number:time", "1209600")),
        ("it costs $1.5k", ("$1.5k", "money:usd", "1500")),
        ("20 % off", ("20 %", "number:share", "20")),
        ("at 9", ("9", "when", "clock=09:00")),
        ("9:30 pm", ("9:30 pm", "when", "clock=21:30")),
        ("on Tuesday", ("Tuesday", "when", "day=1")),
        ("May 5th, 2024", ("May 5th, 2024", "when", "date=2024-05-05")),
        ("2024-05-12", ("2024-05-12", "when", "date=2024-05-12")),
        ("Python 3.11", ("3.11", "version", "3.11")),
        ("We run Django 4.10", ("4.10", "version", "4.10")),
        ("v2.1.0", ("v2.1.0", "version", "2.1.0")),
        ("db-2.internal", ("db-2.internal", "identifier", "db-2.internal")),
        ("it is disabled", ("disabled", "state:switch", "off")),
        ("the flag is on", ("on", "state:switch", "on")),
    ],
)
def test_a_value_is_read_with_its_sort_and_what_it_comes_to(text: str, expected: tuple[str, str, str]) -> None:
    assert read(text)[0] == expected


def test_german_groups_its_digits_with_stops_and_marks_fractions_with_commas() -> None:
    assert read("1.500 Euro", german=True) == [("1.500 Euro", "money:eur", "1500")]
    assert read("1,5 Stunden", german=True) == [("1,5 Stunden", "number:time", "5400")]
    assert read("am 3.4. um 19 Uhr", german=True)[0] == ("3.4.", "when", "date=04-03")


def test_small_words_are_states_only_at_the_end_of_what_is() -> None:
    assert read("we sat on the roof and went up") == []


def test_a_day_without_its_year_is_the_same_day() -> None:
    assert same("when", "date=05-12", "date=2024-05-12")
    assert not same("when", "day=1;clock=10:00", "day=2;clock=10:00")
    assert not same("number", "1.5", "15")


def test_a_day_and_an_hour_do_not_compete() -> None:
    assert not comparable("when", "day=1", "when", "clock=10:00")
    assert comparable("when", "day=1", "when", "date=05-12")
    assert not comparable("number", "5", "number:time", "5")


def test_a_name_is_compared_without_its_article() -> None:
    assert norm("the Falcon Team.") == "falcon team"


PIECES = "May 5|3rd of June|septiembre 4, 2024|v 5|v2.3.1|$ 5 million|12:30 pm|at 9|db-2|m5.large|foo_bar|a@b.de"
MORE = "https://x.y/z|/etc/a|`a b`|+49 123 45678|555-1234|ABC-12|1.500|am 3.4.|2024-05-06|x.json|foo.dev."
LEAST = "9 Uhr|20%|5 GB|word|the|\t|,|.|-|(|port:8080|５"


@given(
    st.lists(
        st.tuples(st.sampled_from(f"{PIECES}|{MORE}|{LEAST}".split("|")), st.sampled_from((" ", "", "\n", ". "))), max_size=8
    )
)
def test_values_are_found_wherever_they_stand(parts: list[tuple[str, str]]) -> None:
    text = "".join(piece + joint for piece, joint in parts)
    assert [one.span() for one in reading._identifiers(text)] == [one.span() for one in reading._exact().finditer(text)]
    assert [one.span() for one in reading._with_digit(text)] == [one.span() for one in reading._figures().finditer(text)]
