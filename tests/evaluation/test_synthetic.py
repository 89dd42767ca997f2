"""Invented conversations are the same everywhere, and cost what real ones cost."""

from __future__ import annotations

import statistics

from muniment.evaluation import synthetic
from muniment.text import terms


def test_a_session_is_the_same_whatever_was_made_before_it() -> None:
    first = synthetic.session(7)
    synthetic.session(3)
    assert synthetic.session(7) == first
    assert first[0].text == synthetic.session(7)[0].text


def test_exactly_as_many_turns_as_wanted_are_made_and_none_twice() -> None:
    made = [turn for _, held in synthetic.turns(333) for turn in held]
    assert len(made) == len({turn.id for turn in made}) == 333


def test_turns_are_as_long_as_spoken_ones_and_the_vocabulary_grows_ever_slower() -> None:
    made = [turn for _, held in synthetic.turns(3000) for turn in held]
    assert 20 < statistics.mean(len(turn.text.split()) for turn in made) < 27
    early = {term for turn in made[:1000] for term in terms.terms(turn.text)}
    late = {term for turn in made for term in terms.terms(turn.text)}
    assert 1200 < len(early) < 2000
    assert 1.4 < len(late) / len(early) < 2.2


def test_questions_are_distinct_and_ask_for_words_that_were_said() -> None:
    asked = synthetic.questions(range(20), 50)
    said = {term for number in range(20) for turn in synthetic.session(number) for term in terms.terms(turn.text)}
    assert len(set(asked)) == 50
    assert all(said & set(terms.asked(question)) for question in asked)
