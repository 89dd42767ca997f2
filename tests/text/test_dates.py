"""Which dates a question asks for, and how well a moment fits them."""

from __future__ import annotations

import pytest

from muniment.text.dates import (
    AskedDates,
    asked_dates,
    asks_now,
    asks_past,
    asks_when,
    date_match,
    mentions_time,
    parse,
)


def asked(
    months: set[int] = frozenset(), years: set[int] = frozenset(), days: set[tuple[int, int]] = frozenset()
) -> AskedDates:  # type: ignore[assignment]
    return AskedDates(frozenset(months), frozenset(years), frozenset(days))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What happened in May 2023?", asked({5}, {2023})),
        ("What did we do on March 15th?", asked({3}, days={(3, 15)})),
        ("8th of June", asked({6}, days={(6, 8)})),
        ("in march we rested", asked({3})),
        ("May I go?", asked()),
        ("You may know that they march", asked()),
        ("Is Mars far? The Mayo clinic?", asked()),
        ("Jan said so in Jan 2022", asked({1}, {2022})),
        ("8. Mai", asked({5}, days={(5, 8)})),
        ("im März 2021", asked({3}, {2021})),
        ("le 8 février", asked({2}, days={(2, 8)})),
        ("el 8 de mayo de 2022", asked({5}, {2022}, {(5, 8)})),
        ("8 мая 2021", asked({5}, {2021}, {(5, 8)})),
        ("2023年5月8日", asked({5}, {2023}, {(5, 8)})),
        ("五月八日", asked({5}, days={(5, 8)})),
        ("2023년 5월", asked({5}, {2023})),
        ("on 2023-05-08", asked({5}, {2023}, {(5, 8)})),
        ("8.5.2023", asked({5}, {2023}, {(5, 8)})),
        ("5/8/2023", asked({5, 8}, {2023}, {(5, 8), (8, 5)})),
        ("in 1999 for $2000", asked(years={1999})),
        ("2023年", asked(years={2023})),
        ("version 2.2019 of it", asked()),
    ],
)
def test_calendar_words_are_read_in_every_language(query: str, expected: AskedDates) -> None:
    assert asked_dates(query) == expected


@pytest.mark.parametrize(
    ("when", "query", "fit"),
    [
        ("2023-05-20", "in May", 1.0),
        ("2023-06-10", "in May", 0.4),
        ("2023-06-25", "in May", 0.0),
        ("2023-07-01", "in May", 0.0),
        ("2022-05-20", "in May 2023", 0.0),
        ("2023-01-05", "in December 2022", 0.4),
        ("2023-12-05", "in December 2022", 0.0),
        ("2023-05-08T23:00:00", "on May 8", 1.0),
        ("2023-05-10", "on May 8", 0.7),
        ("2023-05-20", "on May 8", 0.4),
        ("2023-05-02", "on May 8", 0.2),
        ("2023-05-28", "on May 8", 0.2),
        ("2023-01-02", "on December 31", 0.7),
        ("2023-03-01", "on February 30", 0.0),
        ("2023-11-11", "in 2023", 0.5),
        ("2022-11-11", "in 2023", 0.0),
        ("2023-11-11", "who?", 0.0),
    ],
)
def test_a_moment_fits_the_asked_date(when: str, query: str, fit: float) -> None:
    assert date_match(parse(when), asked_dates(query)) == fit


def test_the_day_is_that_of_the_moments_own_zone() -> None:
    assert date_match(parse("2023-05-08T01:00:00+09:00"), asked_dates("on May 8")) == 1.0


def test_what_has_no_time_fits_nothing() -> None:
    assert date_match(None, asked_dates("in May")) == 0.0


@pytest.mark.parametrize(
    "query",
    [
        "When did she go?", "how long was it", "What year was that?", "And since when?",
        "In which month did it start?", "Wann war das?",
        "Seit wann?", "Quand est-il venu ?", "¿Cuándo fue?", "Когда это было?", "你什么时候去的？",
        "哪天", "いつ行きましたか", "언제 갔어?", "متى",
    ],
)  # fmt: skip
def test_a_question_for_a_time_is_known(query: str) -> None:
    assert asks_when(query)


@pytest.mark.parametrize("query", ["Who came when I called?", "What is it?", "Wer war das?", "谁去了？"])
def test_other_questions_ask_for_no_time(query: str) -> None:
    assert not asks_when(query)


@pytest.mark.parametrize(
    "text",
    [
        "Yesterday, I ran.", "See you next Friday", "in May we go", "back in 2019",
        "this morning", "letzte Woche", "la semana pasada", "вчера",
        "昨天去了", "3月に", "지난주에",
    ],
)  # fmt: skip
def test_an_expression_of_time_is_seen(text: str) -> None:
    assert mentions_time(text)


@pytest.mark.parametrize("text", ["I may go", "They march on", "this thing costs 1900.50 each", "Hallo du", "好的", ""])
def test_text_without_time_mentions_none(text: str) -> None:
    assert not mentions_time(text)


@pytest.mark.parametrize(
    "query",
    [
        "What did we use before Postgres?",
        "He used to live where?",
        "the original plan",
        "Was galt früher?",
        "以前用什么？",
        "以前は？",
        "раньше",
        "예전에",
    ],
)
def test_a_question_for_what_held_before_is_known(query: str) -> None:
    assert asks_past(query)


@pytest.mark.parametrize(
    "query", ["What is the plan?", "What do I eat before bed?", "the day before", "What is our database now?"]
)
def test_other_questions_ask_for_no_history(query: str) -> None:
    assert not asks_past(query)


@pytest.mark.parametrize(
    "query", ["Where does she live now?", "the current address", "derzeit", "现在住哪里", "сейчас", "지금"]
)
def test_a_question_for_what_holds_now_is_known(query: str) -> None:
    assert asks_now(query)
    assert not asks_now("Where was she born?")
