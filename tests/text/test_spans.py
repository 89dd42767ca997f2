"""Spans are found by shape in any script, in order and apart."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.text import spans


def found(text: str) -> list[tuple[str, str]]:
    return [(span.sort, span.surface) for span in spans.find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I met Dr. John Smith in New York.", [("name", "Dr. John Smith"), ("name", "New York")]),
        (
            "Anna van der Berg lives in New York's Soho.",
            [("name", "Anna van der Berg"), ("name", "New York"), ("name", "Soho")],
        ),
        ("Гарри Поттер живёт здесь", [("name", "Гарри Поттер")]),
        ("ο Νίκος είναι εδώ", [("name", "Νίκος")]),
        ("We met on 8 May 2023 and May 9, 2023.", [("date", "8 May 2023"), ("date", "May 9, 2023")]),
        ("am 2023-05-08 um acht", [("date", "2023-05-08")]),
        ("2023年5月8日に行った", [("date", "2023年5月8日")]),
        ("wait 30 seconds, pay $5.50 or 42 %", [("quantity", "30 seconds"), ("quantity", "$5.50"), ("quantity", "42 %")]),
        ("花了30元", [("quantity", "30元")]),
        ("see src/app/main.py and /etc/hosts", [("path", "src/app/main.py"), ("path", "/etc/hosts")]),
        ("call getUserName() or os_path_join", [("symbol", "getUserName()"), ("symbol", "os_path_join")]),
        ("as ADR-016 says", [("symbol", "ADR-016")]),
        ("set $HOME and DB_URL", [("env", "$HOME"), ("env", "DB_URL")]),
        ("go to https://x.org/a?b=c.", [("url", "https://x.org/a?b=c")]),
        ("mail me@x.org", [("url", "me@x.org")]),
        ('read "The Great Gatsby" and "Emma" now', [("title", "The Great Gatsby"), ("title", "Emma")]),
        ("我看了《三体》和「雪国」", [("title", "三体"), ("title", "雪国")]),
        ("lui a lu «Les Misérables»", [("title", "Les Misérables")]),
    ],
)
def test_a_span_is_found_by_its_shape(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Painting is fun. Yes, it is. The end.",
        "I LOVE THIS SO MUCH",
        "Yesterday was nice. See you on Monday in May.",
        "Der Hund und die Katze sind im Haus. Das ist nicht das Auto.",
        "nothing here at all",
        "",
    ],
)
def test_ordinary_words_name_nothing(text: str) -> None:
    assert found(text) == []


def test_a_word_that_opens_a_sentence_is_a_name_when_it_acts_like_one() -> None:
    assert ("name", "Melanie") in found("Melanie painted a sunrise.")
    assert ("name", "Melanie") in found("Melanie, come here. I like Melanie a lot.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Louvre", "Louvre's"),
        ("“Café  Müller”", "cafe muller"),
        ("JOHN Smith", "John Smith"),
        ("ＡＢＣ", "abc"),
        ("O’Brien", "O'Brien"),
    ],
)
def test_spellings_of_a_name_have_one_norm(one: str, other: str) -> None:
    assert spans.norm(one) == spans.norm(other)


def test_no_more_spans_than_the_limit() -> None:
    assert len(spans.find("5 km and " * 3000)) == spans.SPANS_MAX


PIECES = st.sampled_from(
    [
        "John ",
        "Smith",
        "'s ",
        "van der ",
        "5",
        " km ",
        "$",
        "/a/b",
        ".py ",
        "“",
        "”",
        '"',
        "`",
        "x_y",
        "()",
        "2023-05-08",
        "《",
        "》",
        "https://a.b/c",
        ". ",
        "\n",
        "Ä",
        "@",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=100))
def test_spans_are_ordered_apart_and_exact(text: str) -> None:
    last = 0
    for span in spans.find(text):
        assert last <= span.start < span.end <= len(text)
        assert text[span.start : span.end] == span.surface
        last = span.end


@pytest.mark.parametrize(
    "unit",
    [
        "A ",
        "a.",
        "a/",
        '"',
        '" ',
        "1",
        "1.",
        "_a",
        "$A",
        "://a",
        "A-",
        "@a",
        "`",
        "A. ",
        "`a",
        "May ",
        "\\a",
        "Ab\n",
        "a(",
        "A'",
    ],
)
def test_endless_input_takes_linear_time(unit: str) -> None:
    start = time.process_time()
    spans.find("x " + unit * (200_000 // len(unit)))
    assert time.process_time() - start < 6


PIECES = [
    *"May march Sept. sep 5 2024 12th 1. $ €3k 年 5月 日 2024-05-06 of de janv декабря ٣ 20% km".split(),
    ", ",
    " ",
    "\n",
    "/",
    "(",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_looking_only_where_figures_are_finds_what_looking_everywhere_does(text: str) -> None:
    assert [found.span() for found in spans._dated(text)] == [found.span() for found in spans._dates().finditer(text)]
    assert [found.span() for found in spans._counted(text)] == [found.span() for found in spans._quantities().finditer(text)]
