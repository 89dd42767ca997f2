"""The plan of a question, over the names that the memory knows."""

from __future__ import annotations

from muniment.index import corpus as corpora
from muniment.model.times import Moment
from muniment.recall.question import Question, understand
from tests.makers import DAY, Memory

NOW = Moment(1_710_244_800_000, 0)  # 12 March 2024, noon


def plan(memory: Memory, text: str) -> Question:
    with memory.app.store.read() as connection:
        corpus = corpora.load(memory.context, connection, [memory.place().id])
    return understand(text, corpus, NOW)


def test_participants_are_whom_a_question_is_about_and_no_words_of_it(memory: Memory) -> None:
    memory.say("a", "Caroline: hello", "Melanie: hello")
    found = plan(memory, "What did Caroline paint?")
    assert found.speakers == ("Caroline",)
    assert found.bare == "What did paint?"
    assert list(found.words) == ["paint"]
    assert plan(memory, "What did Mel paint?").speakers == ("Melanie",)


def test_a_question_of_nothing_but_a_name_keeps_it(memory: Memory) -> None:
    memory.say("a", "Caroline: hello")
    assert list(plan(memory, "Caroline").words) == ["carolin"]


def test_in_a_chat_with_an_assistant_roles_speak(memory: Memory) -> None:
    memory.say("a", "user: I like tea", "assistant: Noted")
    assert plan(memory, "Which tea do I like?").speakers == ("user",)
    assert plan(memory, "Which tea did you recommend?").speakers == ("assistant",)
    assert plan(memory, "Which tea is best?").speakers == ()


def test_only_stop_words_are_kept_when_nothing_else_is_asked(memory: Memory) -> None:
    assert plan(memory, "What is it?").words
    assert plan(memory, "What is the crane?").words == {"crane": 1}


def test_quotes_identifiers_names_and_times_are_seen(memory: Memory) -> None:
    found = plan(memory, 'When did Mara Quill say "full ahead" about load_cargo() two days ago?')
    assert found.phrases == ("full ahead",)
    assert "load_cargo" in found.identifiers
    assert found.names == ("Mara Quill",)
    assert found.asks_when
    midnight = NOW.ms - NOW.ms % DAY
    assert found.interval == (midnight - 2 * DAY, midnight - DAY)


def test_now_and_the_past_are_told_apart(memory: Memory) -> None:
    assert plan(memory, "Which crane do we use now?").asks_now
    assert plan(memory, "Which crane did we use before?").asks_past
    plain = plan(memory, "Which crane?")
    assert (plain.asks_now, plain.asks_past, plain.asks_when, plain.interval) == (False, False, False, None)


def test_a_question_without_any_word_has_an_empty_plan(memory: Memory) -> None:
    found = plan(memory, "😀 ?!")
    assert (found.words, found.speakers, found.names) == ({}, (), ())
    assert plan(memory, "").empty
