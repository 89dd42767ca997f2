"""Fusion: scores are added, so neither the order of the views nor a column that says nothing changes an answer."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from muniment.access import policy
from muniment.index.nearest import Near
from muniment.model.recalling import RecallRequest
from muniment.recall import tuning
from muniment.recall.candidates import fold
from muniment.recall.fusion import calibrated, fuse, standard
from muniment.recall.look import Hits, Look, near
from muniment.recall.recall import find, see
from tests.makers import HashedWords, Memory

LINES = [
    f"Ann: The {word} of the harbour is number {n}." for n, word in enumerate("anchor berth crane diesel fog gate".split())
]


@contextmanager
def looking(memory: Memory, query: str) -> Iterator[tuple[Look, Near | None, list[Hits]]]:
    context = memory.context
    with context.store.read() as connection:
        look = see(context, connection, RecallRequest(query=query), policy.asked(context, connection, None))
        close = near(look)
        yield look, close, find(look, close)


def test_the_order_of_the_views_makes_no_difference(memory: Memory) -> None:
    memory = memory.embed_with(HashedWords())
    memory.say("a", *LINES, "Ann: Mara Quill came by.", time="2024-03-01")
    memory.work()
    with looking(memory, "Which xanchors and crane has Mara Quill now, in March 2024?") as (look, close, hits):
        assert [one.view for one in hits] == ["lexical", "dense", "substring", "entity", "about", "time", "recent"]
        wanted = fold(look.corpus, fuse(look, hits, close))
        assert wanted
        for mixed in itertools.permutations(hits):
            assert fold(look.corpus, fuse(look, mixed, close)) == wanted


def test_a_view_that_found_nothing_changes_nothing(memory: Memory) -> None:
    memory.say("a", *LINES)
    with looking(memory, "crane") as (look, close, hits):
        nothing = Hits("empty", np.empty(0, np.int32), np.empty(0, np.float32))
        assert fold(look.corpus, fuse(look, [*hits, nothing], close)) == fold(look.corpus, fuse(look, hits, close))
        assert fold(look.corpus, fuse(look, [nothing], close)) == []
        assert fold(look.corpus, fuse(look, [], close)) == []


def test_while_no_passage_has_a_vector_words_are_weighed_as_words(memory: Memory) -> None:
    memory.say("a", *LINES)
    wanted = [(one.text, one.score) for one in memory.ask("Where is the crane?").results]
    answer = memory.embed_with(HashedWords()).elsewhere().ask("Where is the crane?")
    assert [(one.text, one.score) for one in answer.results] == wanted


def test_a_statement_about_the_future_makes_nothing_older(memory: Memory) -> None:
    memory.say("a", "Ann: The harbour fee is 40.", time="2023-01-01")
    memory.say("b", "Ann: The harbour fee is 55.", time="2024-01-01")
    with looking(memory, "What is the harbour fee now?") as (look, close, hits):
        before = fuse(look, hits, close).columns["recent"].tolist()
    memory.keep("The new pier opens.", event_time="2090-01-01")
    with looking(memory, "What is the harbour fee now?") as (look, close, hits):
        pool = fuse(look, hits, close)
        assert [
            value for rank, value in zip(pool.ranks, pool.columns["recent"], strict=True) if look.corpus.seq[rank]
        ] == before


@pytest.mark.parametrize(("other", "counted"), [("assistant", True), ("Bob", False)])
def test_a_message_s_own_words_count_where_an_assistant_takes_part(memory: Memory, other: str, counted: bool) -> None:
    memory.say("a", f"{other}: The booking service listens on port 8080.", "Ann: I know no ports.")
    with looking(memory, "Which port does the booking service listen on?") as (look, close, hits):
        pool = fuse(look, hits, close)
        own = dict(zip(look.corpus.seq[pool.ranks].tolist(), pool.columns["own"].tolist(), strict=True))
    assert tuning.WEIGHTS["own"] > 0
    assert tuning.WEIGHTS_OF_WORDS["own"] > 0
    assert (own[1] > own[2]) == counted
    assert counted or own == {1: 0.0, 2: 0.0}


FULL = tuning.POOL_LEAST


def test_a_constant_column_says_nothing() -> None:
    assert standard(np.full(FULL, 3.5, np.float32)).tolist() == [0.0] * FULL
    assert standard(np.zeros(3, np.float32)).tolist() == [0.0] * 3
    assert standard(np.empty(0, np.float32)).tolist() == []


def test_columns_are_standardised_over_the_pool() -> None:
    column = standard(np.arange(FULL, dtype=np.float32))
    assert float(column.mean()) == pytest.approx(0, abs=1e-6)
    assert float(column.std()) == pytest.approx(1, abs=1e-6)


def test_what_has_no_value_counts_as_the_mean() -> None:
    column = standard(np.array([*range(FULL), np.nan], np.float32))
    assert column[FULL] == 0
    assert standard(np.full(6, np.nan, np.float32)).tolist() == [0.0] * 6


def test_in_a_small_pool_the_right_one_stands_out_as_in_a_large_one() -> None:
    alone = standard(np.array([5], np.float32))
    large = standard(np.array([5, *[0] * (FULL - 1)], np.float32))
    assert float(alone[0]) == pytest.approx(float(large[0]))
    clear = standard(np.array([5, 1, 1], np.float32))
    assert clear[0] > 2 * clear[1] > 0
    close = standard(np.array([0.51, 0.50], np.float32))
    assert abs(float(close[0] - close[1])) < 0.1


def test_the_score_grows_with_the_sum_and_stays_between_0_and_1() -> None:
    scores = calibrated(np.array([-1000.0, -5.0, tuning.CENTRE, 20.0, 1000.0]))
    assert scores.tolist() == sorted(scores.tolist())
    assert scores[2] == pytest.approx(0.5)
    assert (scores >= 0).all()
    assert (scores <= 1).all()


def test_of_three_turns_the_one_that_says_it_comes_first(memory: Memory) -> None:
    memory.say("a", "Ann: The anchor is heavy.", "Bob: Yes.", "Ann: The diesel is cheap.")
    assert memory.found("Is the diesel cheap?")[0] == "The diesel is cheap."
    assert memory.found("Is the anchor heavy?")[0] == "The anchor is heavy."


def test_a_speaker_who_is_asked_about_is_favoured(memory: Memory) -> None:
    memory.say("a", "Ann: I like the green boat.", "Bob: I like the green boat too.", *LINES)
    assert memory.ask("What boat does Bob like?").results[0].provenance.speaker == "Bob"
    assert memory.ask("What boat does Ann like?").results[0].provenance.speaker == "Ann"


def test_an_asked_month_is_favoured(memory: Memory) -> None:
    for month in range(1, 7):
        memory.say(f"s{month}", "Ann: We painted the boat again.", time=f"2024-0{month}-10")
    first = memory.ask("When did we paint the boat in April 2024?", diversity=1.0)
    assert first.results[0].provenance.at == "2024-04-10T00:00:00"
