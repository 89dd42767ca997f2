"""What the shape of a question says: whom, whose words, which quotes, identifiers and names."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.text import questions

NAMES = ["Melanie", "Caroline Smith", "田中", "Robert"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("When did Melanie go?", ["Melanie"]),
        ("what is melanie's dog called", ["Melanie"]),
        ("What did Mel paint?", ["Melanie"]),
        ("Is Caroline here?", ["Caroline Smith"]),
        ("What does Smith want?", ["Caroline Smith"]),
        ("Where did Bob go?", ["Robert"]),
        ("where is the car parked", []),
        ("she will bob her head", []),
        ("田中さんは何が好き？", ["田中"]),
        ("Who is Melaniesson?", []),
    ],
)
def test_the_names_in_a_question(query: str, expected: list[str]) -> None:
    assert questions.named(query, NAMES) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("When did Melanie go to Rome?", "When did go to Rome?"),
        ("What is Melanie’s dog's name?", "What is dog's name?"),
        ("What did caroline smith say?", "What did say?"),
        ("田中は何が好き？", "は何が好き？"),
        ("Melanie?", "Melanie?"),
        ("Melaniesson", "Melaniesson"),
    ],
)
def test_a_question_without_its_names(query: str, expected: str) -> None:
    assert questions.without_names(query, NAMES) == expected


def test_without_names_leaves_small_words_of_a_name() -> None:
    assert questions.without_names("What is the plan of de Vries?", ["Jan the Man"]) == "What is the plan of de Vries?"


@pytest.mark.parametrize(
    ("text", "share"), [("Really? Yes. Sure! Why?", 0.5), ("No.", 0.0), ("真的吗？好。", 0.5), ("", 0.0), ("a?!? b", 0.5)]
)
def test_the_share_of_questions(text: str, share: float) -> None:
    assert questions.question_share(text) == share


@pytest.mark.parametrize(
    ("query", "role"),
    [
        ("What restaurant did you recommend?", "assistant"),
        ("Which book did I tell you about?", "user"),
        ("What is my dog's name?", "user"),
        ("What is the capital?", None),
        ("你推荐了什么？", "assistant"),
        ("我跟你说过什么？", "user"),
        ("Was hast du mir empfohlen?", "assistant"),
        ("How are you?", None),
    ],
)
def test_whose_words_are_asked_for(query: str, role: str | None) -> None:
    assert questions.asked_role(query) == role
    assert "user" in questions.ROLES


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('who said "hello there"?', ["hello there"]),
        ("“one” and 「二」 and «три» and 'four five'", ["one", "二", "три", "four five"]),
        ('an "unbalanced quote', []),
        ("it's Alice's dog", []),
        ("", []),
    ],
)
def test_quoted_phrases(query: str, expected: list[str]) -> None:
    assert questions.quoted(query) == expected


def test_identifiers_are_what_only_an_exact_match_finds() -> None:
    query = (
        "Fix snake_case and CamelCase in v1.2.3 of a/b_c.py, /usr/bin/x, E1234, ADR-016, C++, getName, std::vector, main.rs, "
        "--no-cache and #42, but e.g. not well-known words and/or this. Visit https://a.b/c?d now."
    )
    assert questions.identifiers(query) == [
        "snake_case", "CamelCase", "v1.2.3", "a/b_c.py", "/usr/bin/x", "E1234", "ADR-016",
        "C++", "getName", "std::vector", "main.rs",
        "--no-cache", "#42", "https://a.b/c?d",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("When did Melanie visit the Louvre in Paris?", ["Melanie", "Louvre", "Paris"]),
        ("Who is Anna van der Berg?", ["Anna van der Berg"]),
        ("Melanie's dog?", ["Melanie"]),
        ("What is this?", []),
        ("Painting is what?", []),
        ("Did we meet on Monday in May?", []),
        ("WHAT IS THE PLAN FOR TODAY", []),
        ("What Is The Plan For Today", []),
        ("Где живёт Анна Каренина?", ["Анна Каренина"]),
        ("Wo ist der Hund und das Auto?", []),
        ("Wo wohnt die Anna Schmidt und ist das gut?", ["Anna Schmidt"]),
        ("where is paris", []),
    ],
)
def test_proper_names_of_a_question(query: str, expected: list[str]) -> None:
    assert questions.proper_names(query) == expected


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=80), st.lists(st.text(max_size=10), max_size=4))
def test_no_text_breaks_a_question(text: str, names: list[str]) -> None:
    assert set(questions.named(text, names)) <= set(names)
    assert questions.without_names(text, names) is not None
    assert all(found in text for found in (*questions.identifiers(text), *questions.quoted(text)))
    assert 0 <= questions.question_share(text) <= 1
    questions.proper_names(text)
    questions.asked_role(text)


@pytest.mark.parametrize("unit", ["a.", "a/", "-a", "A ", "'", '"', "_a", "a@", "aA", "? ", "::a", "/", "A'"])
def test_endless_input_takes_linear_time(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    start = time.process_time()
    questions.identifiers(text)
    questions.quoted(text)
    questions.proper_names(text)
    questions.question_share(text)
    assert time.process_time() - start < 6
