"""Passages join back to their text: ordered, apart, and only white space between them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.text import passages


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in passages.sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Mr. Smith paid $3.50 for v1.2.3. Fine.", ["Mr. Smith paid $3.50 for v1.2.3.", "Fine."]),
        ("J. R. R. Tolkien wrote it.", ["J. R. R. Tolkien wrote it."]),
        ("See e.g. this at 5 p.m. today.", ["See e.g. this at 5 p.m. today."]),
        ("Read https://a.b/c.html?d=e. Then go.", ["Read https://a.b/c.html?d=e.", "Then go."]),
        ("Am 5. Mai war es schön. Ja.", ["Am 5. Mai war es schön.", "Ja."]),
        ("今天很好。我去了北京！真的吗？", ["今天很好。", "我去了北京！", "真的吗？"]),
        ("「行った。」と言った。", ["「行った。」", "と言った。"]),
        ("Well... maybe?! Yes.", ["Well...", "maybe?!", "Yes."]),
        ("यह घर है। वह पेड़ है।", ["यह घर है।", "वह पेड़ है।"]),
        ("# Head\ntext here\n- one\n- two", ["# Head", "text here", "- one", "- two"]),
        ("```\na. b\nc\n```\nafter", ["```\na. b\nc\n```", "after"]),
        ("First line.\n\nSecond paragraph", ["First line.", "Second paragraph"]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_a_short_text_is_one_passage() -> None:
    assert passages.split("Hello. World.") == [(0, 13)]
    assert passages.split("a" * passages.WHOLE_MAX) == [(0, passages.WHOLE_MAX)]
    assert len(passages.split("word " * 400)) > 1


def test_blank_text_has_no_passage() -> None:
    assert passages.split("") == passages.split(" \n ") == passages.sentences(" \n ") == []


def test_a_heading_begins_a_passage() -> None:
    text = "Intro sentence. " * 30 + "\n\n# Second part\n\n" + "More of it. " * 60
    assert any(text[start:end].startswith("# Second part") for start, end in passages.split(text))


def test_a_sentence_is_cut_only_when_it_is_too_long() -> None:
    sentence = "word " * 60
    text = (sentence.strip() + ". ") * 12
    assert all(text[end - 1] == "." for _, end in passages.split(text))
    long = "word " * 500
    sizes = [end - start for start, end in passages.split(long)]
    assert max(sizes) <= passages.SENTENCE_MAX
    assert all(long[start:end].strip("word ") == "" and long[start] == "w" for start, end in passages.split(long))


def test_groups_have_the_size_that_the_index_wants() -> None:
    text = "This sentence has about forty characters. " * 200
    sizes = [end - start for start, end in passages.split(text)]
    assert all(passages.GROUP_MIN <= size <= passages.GROUP_MAX for size in sizes[:-1])


def test_a_short_rest_joins_the_passage_before_it() -> None:
    text = "This sentence has about forty characters. " * 36 + "Thanks!"
    start, end = passages.split(text)[-1]
    assert text[start:end].endswith("Thanks!")
    assert end - start > passages.GROUP_MIN


PIECES = st.sampled_from(
    [
        "Word",
        " ",
        ". ",
        ".\n",
        "\n\n",
        "# H",
        "\n# H\n",
        "- item\n",
        "```\n",
        "。",
        "！",
        "e.g. ",
        "3.5",
        "\u3000",
        "é",
        "x" * 700,
        "😀",
        "? ",
        "1. a\n",
        "ก็",
    ]
)


def holds(text: str, spans: list[tuple[int, int]]) -> None:
    last = 0
    for start, end in spans:
        assert last <= start < end <= len(text)
        assert not text[last:start].strip()
        assert text[start:end].strip()
        last = end
    assert not text[last:].strip()


@settings(max_examples=120, deadline=None)
@given(st.lists(PIECES, max_size=60).map("".join), st.sampled_from([0, 40, 1200]))
def test_passages_join_back_to_their_text(text: str, whole_max: int) -> None:
    holds(text, passages.split(text, whole_max=whole_max))
    holds(text, passages.sentences(text))


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_covered(text: str) -> None:
    holds(text, passages.split(text, whole_max=0))


@pytest.mark.parametrize("unit", ["a", ".", "!", ". ", "\n", " ", "# a\n", "```\n", "- a\n", "。", "a.b ", "\u0301", "「"])
def test_endless_input_takes_linear_time(unit: str) -> None:
    text = "a " + unit * (500_000 // len(unit)) + "b"
    start = time.process_time()
    passages.split(text)
    assert time.process_time() - start < 6


def test_a_megabyte_in_one_line() -> None:
    start = time.process_time()
    holds_count = len(passages.split("lorem ipsum dolor. " * 54_000))
    assert holds_count > 2_000
    assert time.process_time() - start < 5
