"""Nearness in meaning: codes choose nearly what an exact scan finds, and nothing is compared across generations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from muniment.engines import codes
from muniment.index import corpus as corpora
from muniment.index import generations, nearest
from muniment.index.corpus import Corpus, Flags, Floats
from muniment.index.nearest import EXACT_MAX, Near
from muniment.store import generations as stored
from muniment.store.connections import Connection
from muniment.worker import _Job, _merge
from tests.makers import WORDS, HashedWords, Memory

MANY = 3000
DIMENSION = 128


def clustered(count: int, start: int = 0) -> list[str]:
    """Texts about thirty things, each with words of its own."""
    return [
        f"Ann: {WORDS[n % 6]} {WORDS[6 + n % 5]} topic{n % 30} topic{n % 30} word{n * 7 % 997} word{n * 13 % 991}"
        for n in range(start, start + count)
    ]


def fill(memory: Memory, count: int) -> Memory:
    embedder = HashedWords(dimension=DIMENSION)
    memory = memory.embed_with(embedder)
    for batch in chunks(clustered(count), 500):
        memory.say(f"s{batch[0][-5:]}", *batch)
    assert memory.work().left == 0
    return memory


def chunks(texts: list[str], size: int) -> list[list[str]]:
    return [texts[start : start + size] for start in range(0, len(texts), size)]


def look(memory: Memory, connection: Connection) -> tuple[Corpus, int]:
    live = stored.live(connection)
    assert live is not None
    return corpora.load(memory.context, connection, [memory.place().id]), live.id


def find(memory: Memory, connection: Connection, text: str, may: Flags | None = None, most: int = 10) -> Near:
    corpus, live = look(memory, connection)
    may = np.ones(len(corpus), bool) if may is None else may
    return nearest.find(memory.context, connection, corpus, live, vector(text), may, most)


def vector(text: str) -> Floats:
    return HashedWords(dimension=DIMENSION).encode([text], query=True)[0]


def exact(memory: Memory, connection: Connection, text: str, may: Flags, most: int = 10) -> set[int]:
    corpus, live = look(memory, connection)
    rows = connection.all("vectors_all", {"workspace": memory.place().id, "generation": live, "after": 0, "limit": 10**6})
    ranks = corpus.ranks(memory.place().id, np.array([row[0] for row in rows], np.int32))
    cosine = codes.dequantise(b"".join(row[1] for row in rows), DIMENSION) @ vector(text)
    kept = may[ranks] & (ranks >= 0)
    order = np.lexsort((ranks[kept], -np.round(cosine[kept], 6)))[:most]
    return set(ranks[kept][order].tolist())


@pytest.fixture
def many(memory: Memory) -> Memory:
    return fill(memory, MANY)


def test_codes_find_what_an_exact_scan_finds(many: Memory) -> None:
    with many.app.store.read() as connection:
        assert stored.space(connection, many.place().id, look(many, connection)[1]) is not None
        everything = np.ones(MANY, bool)
        shares = []
        for question in clustered(20, start=5000):
            found = set(find(many, connection, question).ranks.tolist())
            shares.append(len(found & exact(many, connection, question, everything)) / 10)
        assert sum(shares) / len(shares) >= 0.95

        # The filter comes before the cut: one passage in a hundred still fills the list, and rightly.
        few = np.arange(MANY) % 100 == 7
        for question in clustered(5, start=6000):
            found = find(many, connection, question, few)
            assert len(found.ranks) == 10
            assert set(found.ranks.tolist()) == exact(many, connection, question, few)


def test_joined_codes_are_read_once_and_answer_the_same(many: Memory) -> None:
    question = clustered(1, start=7000)[0]
    with many.app.store.read() as connection:
        before = find(many, connection, question)
    _merge(many.context, _Job(0, many.place().id, "merge", 1, 1, 0))
    many.say("late", *clustered(3, start=8000))
    many.work()
    for memory in (many, many.elsewhere()):
        with memory.app.store.read() as connection:
            _, live = look(memory, connection)
            assert find(memory, connection, question).ranks.tolist() == before.ranks.tolist()
            held = nearest._load(memory.context, connection, memory.place().id, live, DIMENSION)
            assert len(held.ordinals) == len(set(held.ordinals.tolist())) == MANY + 3


def test_vectors_made_anew_take_the_place_of_the_old_ones(many: Memory) -> None:
    question = clustered(1, start=7000)[0]
    with many.app.store.read() as connection:
        before = find(many, connection, question)
    generations.remake(many.context)
    with many.app.store.read() as connection:
        assert len(find(many, connection, question).ranks) == 0
    many.work()
    with many.app.store.read() as connection:
        assert find(many, connection, question).ranks.tolist() == before.ranks.tolist()


def test_a_small_workspace_is_compared_exactly(memory: Memory) -> None:
    memory = fill(memory, 60)
    assert EXACT_MAX > 60
    with memory.app.store.read() as connection:
        question = clustered(1, start=90)[0]
        found = find(memory, connection, question)
        assert set(found.ranks.tolist()) == exact(memory, connection, question, np.ones(60, bool))
        best = found.cosines[found.ranks].tolist()
        assert best == sorted(best, reverse=True)
        assert found.exact.all()
        assert found.known == 60
        assert found.floor == 0.0


def test_what_is_dead_is_not_near(memory: Memory) -> None:
    memory = memory.embed_with(HashedWords(dimension=DIMENSION))
    memory.keep("The crane is old.")
    gone = memory.keep("The crane is yellow.")
    memory.work()
    memory.archive(gone)
    with memory.app.store.read() as connection:
        assert find(memory, connection, "yellow crane").ranks.tolist() == [0]


def test_a_passage_without_a_vector_has_no_cosine(memory: Memory) -> None:
    memory = fill(memory, 5)
    memory.say("late", "Ann: not embedded yet")
    with memory.app.store.read() as connection:
        corpus, live = look(memory, connection)
        wanted = np.arange(6, dtype=np.int32)
        near = nearest.find(memory.context, connection, corpus, live, vector("topic1"), np.ones(6, bool), 5)
        found = nearest.settle(connection, corpus, live, vector("topic1"), near, wanted)
        assert np.isnan(found).tolist() == [False] * 5 + [True]
        assert find(memory, connection, "topic1").known == 5


def test_other_generations_are_never_compared(memory: Memory) -> None:
    memory = fill(memory, 8)
    other = replace(memory).embed_with(HashedWords("other", DIMENSION))  # begins to build
    with other.app.store.read() as connection:
        corpus, live = look(other, connection)
        building = next(one.id for one in stored.all_of(connection) if one.state == "building")
        assert live != building
        nothing = nearest.find(other.context, connection, corpus, building, vector("topic1"), np.ones(8, bool), 5)
        assert len(nothing.ranks) == 0
        assert len(find(other, connection, "topic1").ranks) == 8
