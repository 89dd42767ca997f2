"""What is quoted, and what identifies a thing, is looked for as it stands."""

from __future__ import annotations

import pytest

from muniment.recall import phrases
from tests.makers import Memory


@pytest.fixture
def notes(memory: Memory) -> Memory:
    memory.keep("The harbour office closes early, and the red book is missing.")
    memory.keep("He calls it the red harbour book, early and late.")
    memory.keep("Every office has a harbour. Every book is red. The early bird is missing.")
    memory.keep("The blue harbour has an office; a book about early birds is red.")
    return memory


def test_a_quotation_favours_the_text_that_holds_it(notes: Memory) -> None:
    assert notes.found('Which text has "red harbour book" in it?')[0].startswith("He calls it")
    assert notes.found("Which text has “The Early  BIRD is missing” in it?")[0].startswith("Every office")
    assert notes.found("«a book about early birds»")[0].startswith("The blue harbour")


def test_a_quotation_of_another_order_of_words_is_another(notes: Memory) -> None:
    answer = notes.ask('Is there a "book red harbour"?', trace=True)
    assert answer.trace is not None
    assert {one["features"]["phrase"] for one in answer.trace["candidates"]} == {0.0}


def test_without_quotes_or_identifiers_no_text_is_read(notes: Memory) -> None:
    answer = notes.ask("Is there a red harbour book?", trace=True)
    assert answer.trace is not None
    assert all("phrase" not in one["features"] for one in answer.trace["candidates"])


def features(memory: Memory, query: str) -> dict[str, float]:
    answer = memory.ask(query, trace=True, limit=50)
    assert answer.trace is not None
    texts = {one.provenance.source_ref: one.text for one in (*answer.results, *answer.nearest)}
    assert len(texts) == 1
    return {
        one.text: candidate["features"]["phrase"]
        for one, candidate in zip(answer.results, answer.trace["candidates"], strict=True)
    }


def test_an_identifier_counts_half_and_never_as_a_piece_of_another(memory: Memory) -> None:
    memory.keep("See ADR-016 for the choice.")
    memory.keep("See ADR-0161 for the other choice.")
    memory.keep("See ADR 016 for one more choice.")
    found = features(memory, "What does ADR-016 choose?")
    assert {text: value for text, value in found.items() if value} == {"See ADR-016 for the choice.": phrases.IDENTIFIER_WORTH}
    assert memory.found("What does ADR-016 choose?")[0] == "See ADR-016 for the choice."


def test_one_of_two_quotations_is_half_and_both_are_all(memory: Memory) -> None:
    memory.keep("the red book lies here")
    memory.keep("the red book and the blue pen lie here")
    found = features(memory, 'Where are "red book" and "blue pen"?')
    assert found == {"the red book and the blue pen lie here": 1.0, "the red book lies here": 0.5}


@pytest.mark.parametrize("quote", ['"a"', '""', '" "', '"unbalanced red book', "'tis the red book"])
def test_what_is_no_quotation_is_ordinary_text(notes: Memory, quote: str) -> None:
    assert notes.found(f"Where is the red book {quote}?")


def test_a_subject_counts_with_its_first_passage(memory: Memory) -> None:
    memory.keep("It leaks when it is cold.", subject="Old diesel pump")
    memory.keep("An old pump for diesel is no old diesel engine: it leaks.")
    assert memory.found('What of the "old diesel pump"?')[0] == "It leaks when it is cold."


def test_characters_without_spaces_need_no_borders(memory: Memory) -> None:
    memory.keep("我们昨天在港口看见了黄色的起重机。")
    memory.keep("港口的起重机不是黄色，是红色的。")
    assert memory.found("哪里提到“黄色的起重机”？")[0].startswith("我们昨天")


def test_a_quotation_deep_in_a_long_document_is_found_in_its_passage(memory: Memory) -> None:
    from muniment.ingest import documents
    from muniment.model.writing import DocumentIn

    filler = " ".join(f"Sentence number {n} is about the harbour book." for n in range(400))
    text = f"{filler} The keeper wrote: never trust a green gull. {filler}"
    documents.keep(memory.context, DocumentIn(text=text, title="Log"))
    answer = memory.ask('Who wrote "never trust a green gull"?')
    span = answer.results[0].evidence[0]
    assert "never trust a green gull" in span.quote
    assert text[span.start : span.end] == span.quote
