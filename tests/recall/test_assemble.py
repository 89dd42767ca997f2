"""Evidence: exact spans, budgets that bind, and equal texts shown once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.index.lexical import Word
from muniment.model.records import Record
from muniment.recall.assemble import Found, budget
from muniment.recall.candidates import Candidate
from muniment.recall.evidence import spans
from muniment.text import estimate, passages
from tests.makers import Memory


def word(term: str, idf: float = 1.0) -> Word:
    import numpy as np

    return Word(term, 1, np.empty(0, np.int32), np.empty(0, np.float32), idf)


def found(*texts: str, scores: tuple[float, ...] = ()) -> list[Found]:
    out = []
    for number, text in enumerate(texts):
        record = Record(
            1,
            number,
            f"{number}",
            "fact",
            "conversations",
            "active",
            1,
            text,
            None,
            None,
            None,
            None,
            None,
            0,
            "unknown",
            None,
            None,
            "own",
            0.5,
            0,
            1,
            None,
        )
        score = scores[number] if scores else 1 - number / 100
        out.append(Found(Candidate(0, number, number, number, score, score), record))
    return out


TEXTS = st.lists(st.text("ab 港😀", min_size=0, max_size=60), max_size=12)


@given(TEXTS, st.integers(1, 12), st.one_of(st.none(), st.integers(1, 60)))
def test_limit_and_tokens_both_bind(texts: list[str], limit: int, tokens: int | None) -> None:
    kept, skipped, used = budget(found(*texts), limit, tokens)
    assert len(kept) <= limit
    assert used == sum(estimate.tokens(one.record.text) for one in kept)
    if tokens is not None:
        assert used <= tokens
    assert len(kept) + skipped <= len(texts)
    assert tokens is not None or skipped == 0
    assert len(kept) == limit or len(kept) + skipped == len(texts)


def test_what_does_not_fit_is_skipped_and_what_follows_still_comes() -> None:
    kept, skipped, _ = budget(found("word " * 100, "short", "word " * 100, "brief"), 8, 10)
    assert ([one.record.text for one in kept], skipped) == (["short", "brief"], 2)


def test_a_budget_for_nothing_returns_nothing_and_says_so(memory: Memory) -> None:
    memory.keep("The crane is yellow and old and tall.")
    answer = memory.ask("crane", max_tokens=1)
    assert (answer.results, answer.skipped_for_budget, answer.tokens_used, answer.abstained) == ((), 1, 0, False)


def test_tokens_without_a_limit_return_up_to_a_hundred(memory: Memory) -> None:
    memory.say("a", *(f"Ann: The crane {n}." for n in range(120)))
    assert len(memory.ask("crane", max_tokens=100_000).results) == 100
    assert len(memory.ask("crane").results) == 8


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


def test_equal_texts_of_one_speaker_are_shown_once(memory: Memory) -> None:
    refs = memory.say("a", "Ann: The crane is yellow.", "Bob: The crane is yellow.", "Ann: the  CRANE is yellow.")
    answer = memory.ask("Which crane is yellow?")
    shown = {one.provenance.speaker: one for one in answer.results}
    assert set(shown) == {"Ann", "Bob"}
    assert set(shown["Ann"].also) | {shown["Ann"].ref} == {refs[0], refs[2]}
    assert shown["Bob"].also == ()


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
