"""BM25 with neighbours, held against a slow implementation that reads like the formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.index import corpus as corpora
from muniment.index import lexical
from muniment.index.corpus import AFTER, BEFORE, LONG_WORDS, REACH, SHORT_WORDS
from muniment.index.lexical import K1, UNSEEN_IDF, B, Lexical
from muniment.model.recalling import RecallRequest
from muniment.recall.recall import recall
from muniment.text import terms
from muniment.worker import _Job, _merge
from tests.makers import WORDS, Memory

SAID = st.lists(st.sampled_from([*WORDS[:8], "the"]), min_size=1, max_size=6).map(" ".join)
LONG = st.integers(31, 90).map(lambda count: " ".join([WORDS[9]] * count))
SESSIONS = st.lists(st.lists(st.one_of(SAID, SAID, LONG), min_size=1, max_size=7), min_size=1, max_size=3)


@dataclass
class Turn:
    session: int
    counts: dict[str, int]
    words: int
    length: int

    @property
    def short(self) -> float:
        return min(1.0, max(0.0, (LONG_WORDS - self.length) / (LONG_WORDS - SHORT_WORDS)))


def reference(sessions: Sequence[Sequence[str]], asked: dict[str, int]) -> list[float]:
    """Robertson's BM25, frequencies and lengths summed over a window of neighbours, in plain Python."""
    turns = [
        Turn(
            number,
            terms.counts(text),
            sum(count for term, count in terms.counts(text).items() if not terms.is_stop(term)),
            len(text.split()),
        )
        for number, texts in enumerate(sessions)
        for text in texts
    ]

    def window(at: int, value: Callable[[Turn], float]) -> float:
        total = value(turns[at])
        for step in range(1, REACH + 1):
            for other, weight in ((at - step, BEFORE[step]), (at + step, AFTER[step])):
                if 0 <= other < len(turns) and turns[other].session == turns[at].session:
                    total += weight * turns[other].short * turns[at].short * value(turns[other])
        return total

    heard = [window(at, lambda turn: turn.words) for at in range(len(turns))]
    mean = sum(heard) / len(heard) or 1.0
    scores = [0.0] * len(turns)
    for term, times in asked.items():
        tf = [window(at, lambda turn, term=term: turn.counts.get(term, 0)) for at in range(len(turns))]  # type: ignore[misc]
        held = sum(one > 0 for one in tf)
        idf = math.log(1 + (len(turns) - held + 0.5) / (held + 0.5)) if held else UNSEEN_IDF
        for at, one in enumerate(tf):
            scores[at] += times * idf * (K1 + 1) * one / (one + K1 * (1 - B + B / mean * heard[at])) if one else 0.0
    return scores


def score(memory: Memory, asked: dict[str, int], *slugs: str) -> Lexical:
    places = [memory.place(slug).id for slug in (slugs or (memory.workspace,))]
    with memory.app.store.read() as connection:
        return lexical.score(connection, corpora.load(memory.context, connection, places), asked)


def fill(memory: Memory, sessions: Sequence[Sequence[str]]) -> None:
    for number, texts in enumerate(sessions):
        memory.say(f"s{number}", *(f"Ann: {text}" for text in texts))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sessions=SESSIONS, asked=st.dictionaries(st.sampled_from([*WORDS[:6], WORDS[9]]), st.integers(1, 3), min_size=1, max_size=4)
)
def test_scores_equal_the_formula(fresh: Callable[[], Memory], sessions: list[list[str]], asked: dict[str, int]) -> None:
    memory = fresh()
    fill(memory, sessions)
    stemmed = {terms.terms(word)[0]: times for word, times in asked.items()}
    found = score(memory, stemmed)
    assert found.scores.tolist() == pytest.approx(reference(sessions, stemmed), rel=1e-4, abs=1e-5)


def test_several_workspaces_are_scored_as_one(memory: Memory) -> None:
    first, second = [["anchor crane", "the crane"], ["fog"]], [["crane crane"], ["anchor", "gate"]]
    fill(memory, first)
    other = memory.in_("other")
    fill(other, second)
    asked = {"anchor": 1, "crane": 2}
    assert score(memory, asked, "inbox", "other").scores.tolist() == pytest.approx(
        reference([*first, *second], asked), rel=1e-4
    )


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sessions=SESSIONS)
def test_a_merge_never_changes_an_answer(fresh: Callable[[], Memory], sessions: list[list[str]]) -> None:
    memory = fresh()
    for _ in range(9):  # every batch of turns is a block of its own
        for number, texts in enumerate(sessions):
            for text in texts:
                memory.say(f"s{number}", f"Ann: {text}")
    asked = {terms.terms(word)[0]: 1 for word in WORDS[:8]}
    before = score(memory, asked).scores
    _merge(memory.context, _Job(0, memory.place().id, "merge", 1, 1, 0))
    assert np.array_equal(score(memory, asked).scores, before)
    assert np.array_equal(score(memory.elsewhere(), asked).scores, before)


def test_a_neighbour_lends_its_words(memory: Memory) -> None:
    memory.say("a", "Ann: nothing", "Ann: anchor", "Ann: nothing", *["Ann: nothing"] * 9)
    scores = score(memory, {"anchor": 1}).scores
    assert scores.argmax() == 1
    assert scores[2] > scores[0] > 0  # what was said before explains more than what came after
    assert scores[1 + REACH] > 0
    assert scores[2 + REACH] == 0


def test_neighbours_never_cross_sessions_or_workspaces(memory: Memory) -> None:
    memory.say("a", "Ann: nothing", "Ann: anchor")
    memory.say("b", "Ann: nothing")
    memory.in_("other").say("a", "Ann: nothing")
    assert (score(memory, {"anchor": 1}, "inbox", "other").scores > 0).tolist() == [True, True, False, False]


def test_a_long_message_stands_alone(memory: Memory) -> None:
    memory.say("a", "Ann: anchor", "Ann: " + "word " * 80, "Ann: quiet")
    assert (score(memory, {"anchor": 1}).scores > 0).tolist() == [True, False, True]
    assert (score(memory, {"word": 1}).scores > 0).tolist() == [False, True, False]


def test_a_word_nobody_holds_counts_as_a_rare_one(memory: Memory) -> None:
    memory.say("a", "Ann: anchor")
    found = score(memory, {"anchor": 1, "xylophon": 1})
    assert [(word.term, len(word.ranks)) for word in found.words] == [("anchor", 1), ("xylophon", 0)]
    assert found.words[1].idf == UNSEEN_IDF


def test_cover_is_the_share_of_the_asked_rarity_near_a_turn(memory: Memory) -> None:
    memory.say("a", "Ann: anchor", "Ann: crane", "Ann: nothing", "Ann: nothing", *["Ann: nothing"] * 4)
    with memory.app.store.read() as connection:
        corpus = corpora.load(memory.context, connection, [memory.place().id])
        found = lexical.score(connection, corpus, {"anchor": 1, "crane": 1})
        cover = lexical.cover(corpus, found, np.arange(8, dtype=np.int32))
        weights = [word.idf / sum(word.idf for word in found.words) for word in found.words]
    assert cover.tolist() == pytest.approx([1, 1, 1, 1, weights[1], 0, 0, 0], abs=1e-5)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(own=SESSIONS, foreign=SESSIONS)
def test_what_a_foreign_workspace_holds_changes_nothing(
    fresh: Callable[[], Memory], own: list[list[str]], foreign: list[list[str]]
) -> None:
    memory = fresh()
    fill(memory, own)
    request = RecallRequest(query="Where is the anchor, the berth and the xcrane?", limit=50, trace=True)
    context = memory.only("inbox", "global")
    before = recall(context, request)
    other = memory.in_("other")
    fill(other, foreign)
    other.keep("The anchor is at the berth.")
    after = recall(context, request)
    assert after.trace == before.trace
    assert (after.results, after.nearest, after.filtered_out) == (before.results, before.nearest, before.filtered_out)
    assert recall(memory.only("inbox", "global"), RecallRequest(workspace="*")).total == sum(map(len, own))
