"""What is shown of what was found: budgets that bind, and equal texts once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from muniment.model.records import Record
from muniment.recall.assemble import Found, budget
from muniment.recall.candidates import Candidate
from muniment.text import estimate
from tests.makers import Memory


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


def test_equal_texts_of_one_speaker_are_shown_once(memory: Memory) -> None:
    refs = memory.say("a", "Ann: The crane is yellow.", "Bob: The crane is yellow.", "Ann: the  CRANE is yellow.")
    answer = memory.ask("Which crane is yellow?")
    shown = {one.provenance.speaker: one for one in answer.results}
    assert set(shown) == {"Ann", "Bob"}
    assert set(shown["Ann"].also) | {shown["Ann"].ref} == {refs[0], refs[2]}
    assert shown["Bob"].also == ()
