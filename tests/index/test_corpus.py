"""The corpus: passages in reading order, never more than was named, and the same however it came to be loaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from muniment.index import corpus as corpora
from muniment.index.corpus import Corpus
from tests.makers import Deed, Doer, Memory, histories


def load(memory: Memory, *slugs: str) -> Corpus:
    wanted = [memory.place(slug).id for slug in (slugs or (memory.workspace,))]
    with memory.app.store.read() as connection:
        return corpora.load(memory.context, connection, wanted)


def order(corpus: Corpus) -> list[tuple[int, int]]:
    return [(int(session) & 0xFFFF, int(seq)) for session, seq in zip(corpus.session, corpus.seq, strict=True)]


def same(one: Corpus, other: Corpus) -> bool:
    for column in fields(Corpus):
        left, right = getattr(one, column.name), getattr(other, column.name)
        if column.name in ("near", "rank_of"):
            equal = len(left) == len(right) and all(map(np.array_equal, left, right))
        elif isinstance(left, np.ndarray):
            equal = np.array_equal(left, right)
        else:
            equal = left == right
        if not equal:
            return False
    return True


def test_turns_stand_in_spoken_order_whatever_the_order_they_came_in(memory: Memory) -> None:
    for number in range(3):
        memory.say("a", f"Ann: a{number}")
        memory.say("b", f"Bob: b{number}", f"Bob: b{number} again")
    assert order(load(memory)) == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (2, 6)]


def test_late_turns_of_an_older_session_join_it(memory: Memory) -> None:
    memory.say("a", "Ann: one")
    memory.say("b", "Bob: one", "Bob: two")
    load(memory)
    memory.say("a", "Ann: two")
    corpus = load(memory)
    assert order(corpus) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert corpus.near[1].tolist() == [1, 0, 1, 0]


def test_workspaces_stand_one_after_the_other_and_keep_no_company(memory: Memory) -> None:
    other = memory.in_("other")
    memory.say("a", "Ann: one", "Ann: two")
    other.say("a", "Ann: three", "Bob: four")
    corpus = load(memory, "other", "inbox")
    assert corpus.place.tolist() == [0, 0, 1, 1]
    assert corpus.near[1].tolist() == [1, 0, 1, 0]
    assert [corpus.names[number] for number in corpus.speaker] == ["Ann", "Bob", "Ann", "Ann"]


def test_a_corpus_holds_only_the_workspaces_it_was_asked_for(memory: Memory) -> None:
    memory.in_("other").say("a", "Ann: three")
    assert len(load(memory)) == 0
    assert len(load(memory, "other")) == 1


def test_more_workspaces_than_a_byte_counts_are_told_apart(small: Memory) -> None:
    places = [small.in_(f"w{number}") for number in range(258)]
    for number in (0, 256, 257):
        places[number].say("s", f"Ann: number {number}")
    corpus = load(small, *(place.workspace for place in places))
    assert corpus.place.tolist() == [0, 256, 257]


def test_no_workspace_at_all_is_an_empty_corpus(memory: Memory) -> None:
    with memory.app.store.read() as connection:
        assert len(corpora.load(memory.context, connection, [])) == 0


def test_what_was_archived_has_no_rank_until_it_is_restored(memory: Memory) -> None:
    refs = [memory.keep(text) for text in ("One thing.", "Another thing.", "A third thing.")]
    memory.archive(refs[1])
    corpus = load(memory)
    assert corpus.ordinal.tolist() == [1, 3]
    assert corpus.ranks(memory.place().id, np.array([1, 2, 3, 99])).tolist() == [0, -1, 1, -1]
    memory.restore(refs[1])
    assert load(memory).ordinal.tolist() == [1, 2, 3]


def test_an_older_version_of_a_memory_has_no_rank(memory: Memory) -> None:
    ref = memory.keep("The gate opens at six.")
    memory.change(ref, "The gate opens at seven.")
    assert load(memory).ordinal.tolist() == [2]


def test_statements_and_documents_have_no_neighbours(memory: Memory) -> None:
    memory.keep("One short thing.")
    memory.keep("Another short thing.")
    assert load(memory).near[1].tolist() == [0, 0]


@pytest.mark.parametrize(("words", "short"), [(5, 1.0), (30, 1.0), (55, 0.5), (80, 0.0), (200, 0.0)])
def test_a_message_keeps_company_by_its_shortness(memory: Memory, words: int, short: float) -> None:
    memory.say("a", "Ann: " + " ".join(["word"] * words), "Bob: yes")
    assert load(memory).near[1].tolist() == [pytest.approx(short), 0]


def test_people_are_peers_where_nobody_in_the_session_is_a_role(memory: Memory) -> None:
    memory.say("people", "Ann: one", "Bob: two")
    memory.say("chat", "Ann: one", "assistant: two")
    memory.keep("A statement.")
    assert load(memory).peer.tolist() == [True, True, False, False, False]


def test_one_name_is_one_speaker_in_every_workspace(memory: Memory) -> None:
    other = memory.in_("other")
    memory.say("a", "Ann: one", "Bob: two")
    other.say("a", "Bob: one", "Zoe: two")
    corpus = load(memory, "inbox", "other")
    assert corpus.names == ("", "Ann", "Bob", "Zoe")
    assert corpus.speaker.tolist() == [1, 2, 2, 3]


def test_a_change_that_concerns_no_passage_costs_no_new_arrangement(memory: Memory) -> None:
    memory.keep("A statement.")
    before = load(memory)
    memory.keep("A statement.")  # only counts as confirmed once more
    with memory.app.store.write() as connection:
        from muniment.store import workspaces

        workspaces.take(connection, memory.place().id, blocks=1)
    assert load(memory) is before


def test_a_thread_that_looks_at_an_earlier_moment_sees_that_moment(memory: Memory) -> None:
    memory.say("a", "Ann: one")
    place = memory.place().id
    with memory.app.store.read() as connection:
        corpora.load(memory.context, connection, [place])  # the transaction begins to see here

        import threading

        def later() -> None:
            memory.say("a", "Ann: two")
            assert len(load(memory)) == 2

        thread = threading.Thread(target=later)
        thread.start()
        thread.join()
        assert len(corpora.load(memory.context, connection, [place])) == 1
    assert len(load(memory)) == 2


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=histories(), split=histories(3))
def test_what_was_refreshed_equals_what_is_loaded_anew(
    fresh: Callable[[], Memory], deeds: list[Deed], split: list[Deed]
) -> None:
    memory = fresh()
    doer = Doer(memory)
    for deed in (*deeds, *split):
        doer.do([deed])
        load(memory)  # step by step in this process
    assert same(load(memory), load(memory.elsewhere()))
