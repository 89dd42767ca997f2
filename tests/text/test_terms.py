"""A question's words meet a text's words, in every script; identifiers are found whole and in parts."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.text import terms
from muniment.text.scripts import fold


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What did she buy?", "Yesterday I bought two lamps."),
        ("Which children sang?", "The child sings every day."),
        ("favorite colour", "My favourite colors are green and blue."),
        ("Where is the cafe?", "We met in the Café Müller."),
        ("Was hat die Straße gekostet?", "Die Strasse war teuer."),
        ("größere Häuser", "Die GRÖSSERE Wohnung gefiel uns."),
        ("Где книга?", "Я купил книги вчера."),
        ("елка", "Ёлка стоит в углу."),
        ("какой чай", "Мы пили чай."),
        ("北京什么时候去", "我们下周去北京出差。"),
        ("東京タワー", "昨日、東京タワーに行きました。"),
        ("ｶﾀｶﾅ", "カタカナで書く"),
        ("학교", "어제 학교에서 만났어요."),
        ("أين الكتاب", "هذا كِتَابٌ جميل"),
        ("שלום", "אמר שָׁלוֹם לכולם"),
        ("किताब कहाँ है", "मैंने दो किताबें खरीदीं"),
        ("ร้านกาแฟ", "เมื่อวานไปร้านกาแฟใหม่"),
        ("ＡＢＣ", "the abc of it"),
        ("don't", "I don’t know, and do not care"),
        ("O'Brien", "obrien called"),
        ("le café de l'homme", "un homme"),
        ("3rd", "on May 3"),
        ("5 km", "ran 5km today"),
        ("1000 users", "1,000 users signed up"),
    ],
)
def test_the_words_of_a_question_meet_those_of_the_text(question: str, text: str) -> None:
    assert set(terms.asked(question)) & set(terms.terms(text))


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("ADR-016", {"adr-016", "adr", "016"}),
        ("C++", {"c++", "c"}),
        ("C#", {"c#", "c"}),
        (".NET", {".net", "net"}),
        ("a/b_c.py", {"a/b_c.py", "a", "b", "c", "py"}),
        ("v1.2.3", {"1.2.3", "1", "2", "3"}),
        ("1.2.3", {"1.2.3"}),
        ("getUserName", {"get", "user", "name"}),
        ("HTTPServer", {"http", "server"}),
        ("snake_case", {"snake_case", "snake", "case"}),
        ("user@host.com", {"user@host.com", "user", "host", "com"}),
        ("sha256", {"sha256", "sha", "256"}),
        ("__init__.py", {"init", "py"}),
        ("std::vector", {"std::vector", "std", "vector"}),
        ("U.S.A.", {"usa"}),
        ("APIs", {"api"}),
        ("rock'n'roll", {"rock", "roll"}),
    ],
)
def test_an_identifier_is_found_whole_and_in_parts(identifier: str, expected: set[str]) -> None:
    assert expected <= set(terms.terms(f"see {identifier}, please"))


def test_a_hyphen_between_plain_words_makes_no_identifier() -> None:
    assert terms.terms("well-known and/or") == terms.terms("well known and or")


def test_stop_words_are_terms_but_are_not_asked() -> None:
    assert "the" in terms.terms("the cat")
    assert terms.asked("What is the cat?") == {"cat": 1}


def test_a_question_of_stop_words_alone_asks_for_all_of_them() -> None:
    assert set(terms.asked("who are you")) == {"who", "are", "you"}


def test_small_words_of_another_language_are_dropped_only_in_that_language() -> None:
    assert "war" in terms.asked("Who won the war?")
    assert "war" not in terms.asked("Wann war Anna in der Stadt?")
    assert "car" in terms.asked("Where is my car?")
    assert terms.language("Wann war das und wer ist der Mann?") == "german"
    assert terms.language("When was that?") == ""


def test_counts_are_those_of_the_terms_and_fit_one_byte() -> None:
    assert terms.counts("cat cats dog") == {"cat": 2, "dog": 1}
    assert terms.counts("cat " * 300) == {"cat": terms.COUNT_MAX}


def test_marks_stay_with_their_character_in_thai() -> None:
    assert all(not 0x0E47 <= ord(term[0]) <= 0x0E4E for term in terms.terms("ไปที่ร้านกาแฟ"))


def test_a_single_character_stands_alone() -> None:
    assert terms.terms("茶 and 茶") == ["茶", "and", "茶"]


def test_control_characters_part_words() -> None:
    assert terms.terms("one\x00two\x07three") == ["one", "two", "three"]


def test_length_counts_two_characters_a_word_where_nothing_is_written_between_words() -> None:
    assert terms.length("three plain words") == 3
    assert terms.length("東京京都") == 2


def test_a_long_text_ends_at_the_limit() -> None:
    assert len(terms.terms("word " * (terms.TERMS_MAX + 5))) == terms.TERMS_MAX
    assert len(terms.terms("字" * (terms.TERMS_MAX + 5))) == terms.TERMS_MAX
    assert max(map(len, terms.terms("x" * 500 + " " + "y_" * 500))) == terms.TERM_LENGTH_MAX


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_terms_are_folded_short_and_never_empty(text: str) -> None:
    listed = terms.terms(text)
    assert all(0 < len(term) <= terms.TERM_LENGTH_MAX for term in listed)
    assert sum(terms.counts(text).values()) == len(listed)
    assert terms.terms(text) == listed


@settings(max_examples=60, deadline=None)
@given(st.lists(st.from_regex(r"[a-z]{2,12}", fullmatch=True), max_size=20))
def test_case_and_punctuation_change_no_plain_word(words: list[str]) -> None:
    assert terms.terms(" ".join(words)) == terms.terms(", ".join(word.upper() for word in words) + "!")


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40))
def test_folding_twice_changes_nothing_more(word: str) -> None:
    assert fold(fold(word)) == fold(word)


@pytest.mark.parametrize("unit", ["a", ".", "_", "a.", "a_", "'", "a'", "字", "ก็", "aA", "1,", "://", "é", "\u0301", "ﷺ", "/a"])
def test_endless_input_takes_linear_time(unit: str) -> None:
    text = unit * (500_000 // len(unit))
    start = time.process_time()
    assert len(terms.terms(text)) <= terms.TERMS_MAX
    assert time.process_time() - start < 4


def test_threads_stem_alike() -> None:
    wanted, seen = terms.terms("running книги كتابها किताबें"), []
    threads = [threading.Thread(target=lambda: seen.append(terms.terms("running книги كتابها किताबें"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [wanted] * 8


def test_an_ordinary_sentence_is_fast() -> None:
    sentence = (
        "Yesterday I finally bought the new running shoes that Melanie recommended, and they feel great on the old trail."
    )
    terms.terms(sentence)
    start = time.process_time()
    for _ in range(2000):
        terms.terms(sentence)
    assert (time.process_time() - start) / 2000 < 50e-6  # measured: 4 µs
