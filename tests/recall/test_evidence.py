"""Evidence: exact spans, what times meant, and how often a text was confirmed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.index.lexical import Word
from muniment.recall.evidence import spans
from muniment.text import passages
from tests.makers import Memory


def word(term: str, idf: float = 1.0) -> Word:
    import numpy as np

    return Word(term, 1, np.empty(0, np.int32), np.empty(0, np.float32), idf)


def test_the_sentence_that_holds_most_of_the_question_is_the_evidence() -> None:
    text = "The fog came in. The yellow crane stood still. The gate was locked."
    (span,) = spans(text, [word("yellow", 3.0), word("crane"), word("gate")])
    assert span.quote == "The yellow crane stood still."
    assert text[span.start : span.end] == span.quote


@given(st.text(st.sampled_from("ab. \n。?!港é\u0301😀"), min_size=1, max_size=200))
def test_a_span_is_what_stands_at_its_offsets(text: str) -> None:
    for span in spans(text, [word("a"), word("b"), word("港")]):
        assert text[span.start : span.end] == span.quote
        assert 0 <= span.start <= span.end <= len(text)


def test_of_a_long_text_only_the_found_passage_is_searched() -> None:
    text = "A crane. " * 1000 + "The pilot slept. A crane. " + "A crane. " * 1000
    low = text.index("The pilot")
    (span,) = spans(text, [word("pilot"), word("crane", 0.1)], (low, low + 26))
    assert (span.start, span.quote) == (low, "The pilot slept.")
    (span,) = spans(text, [word("nothing")], (low, low + 26))
    assert span.quote == "The pilot slept. A crane. "


@pytest.mark.parametrize("query", ["lighthouse keeper", "Where is the lighthouse keeper now?"])
def test_evidence_of_a_document_lies_where_it_was_found(memory: Memory, query: str) -> None:
    from muniment.ingest import documents
    from muniment.model.writing import DocumentIn

    filler = " ".join(f"Sentence {n} tells of the weather at sea." for n in range(500))
    text = f"{filler} The lighthouse keeper left in May. {filler}"
    documents.keep(memory.context, DocumentIn(text=text))
    (one,) = memory.ask(query).results
    (span,) = one.evidence
    assert "lighthouse keeper" in span.quote
    assert one.span is not None
    low, high = one.span
    assert text[low:high] == one.text
    assert one.length == len(text) > len(one.text)
    assert text[span.start : span.end] == span.quote
    assert low <= span.start < span.end <= high
    assert len(passages.sentences(span.quote)) == 1


def test_what_is_kept_of_a_text_is_asked_for_the_version_that_is_shown(memory: Memory) -> None:
    question = "What colour is the crane?"
    ref = memory.keep("The fog came in. The crane is yellow.")
    assert [span.quote for span in memory.ask(question).results[0].evidence] == ["The crane is yellow."]
    assert [span.quote for span in memory.ask("When was the fog?").results[0].evidence] == ["The fog came in."]
    memory.change(ref, "The old crane is green now. The harbour is shut, and the fog stays.")
    (one,) = memory.ask(question).results
    (span,) = one.evidence
    assert span.quote == one.text[span.start : span.end] == "The old crane is green now."


def test_confirmations_are_counted(memory: Memory) -> None:
    memory.keep("The crane is yellow.")
    memory.keep("The crane is yellow.", source_ref="a letter")
    assert memory.ask("crane").results[0].corroborated == 1


def test_yesterday_is_told_as_the_day_it_meant_when_it_was_said(memory: Memory) -> None:
    memory.say("a", "Ann: The crane broke yesterday.", time="2024-03-01T00:30:00+02:00")
    (one,) = memory.ask("When did the crane break?").results
    (told,) = one.times
    assert one.text[told.start : told.end] == told.surface == "yesterday"
    # The speaker's own zone decides: for the server it was still the last day of February.
    assert (told.begins, told.ends) == ("2024-02-29T00:00:00+02:00", "2024-03-01T00:00:00+02:00")


def test_what_was_said_at_an_unknown_time_means_no_day(memory: Memory) -> None:
    memory.say("a", "Ann: The crane broke yesterday.")
    (one,) = memory.ask("When did the crane break?").results
    assert one.times == ()
