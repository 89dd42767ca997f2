"""The baseline ranks as BM25 does, over who said it and what was said."""

from __future__ import annotations

from muniment.evaluation.bm25 import Bm25
from muniment.evaluation.collections import Collection, Item, Question


def asked(text: str, *texts: str, speaker: str | None = None) -> tuple[str, ...]:
    system = Bm25()
    items = tuple(Item(str(place), said, speaker) for place, said in enumerate(texts))
    system.keep(Collection("c", "f", "", items, ()))
    return system.ask(Question("q", text, (), ""), 10).ids


def test_a_rare_word_beats_a_common_one_and_what_holds_no_word_is_left_out() -> None:
    assert asked("the boat Seeadler", "a boat", "a boat, a boat", "the Seeadler", "nothing") == ("2", "1", "0")


def test_words_meet_by_their_stems() -> None:
    assert asked("booking", "She booked it.", "A letter.") == ("0",)


def test_the_speaker_is_a_word_of_the_text() -> None:
    assert asked("What did Maren say?", "Good morning.", speaker="Maren") == ("0",)


def test_an_empty_collection_answers_nothing() -> None:
    assert asked("anything") == ()
