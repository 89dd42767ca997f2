"""Vectors for what was stored: each once, for what is alive, and in the generation they were made for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from muniment.index import embedding, generations
from muniment.index.nearest import EXACT_MAX
from muniment.store import generations as stored
from tests.makers import HashedWords, Memory


def live(memory: Memory) -> stored.Generation:
    with memory.app.store.read() as connection:
        found = stored.live(connection)
    assert found is not None
    return found


def held(memory: Memory) -> list[int]:
    values = {"workspace": memory.place().id, "generation": live(memory).id, "first": 0, "last": 10**6}
    with memory.app.store.read() as connection:
        return sorted(row[0] for row in connection.all("vectors_held", values))


def test_embedding_again_does_nothing(memory: Memory) -> None:
    embedder = HashedWords()
    memory = memory.embed_with(embedder)
    memory.say("a", "Ann: one thing", "Ann: another thing")
    run = (memory.place().id, live(memory).id, 1, 2)
    assert embedding.embed(memory.context, embedder, *run) == 2
    assert embedding.embed(memory.context, embedder, *run) == 0
    assert held(memory) == [1, 2]


def test_equal_passages_are_embedded_once(memory: Memory) -> None:
    embedder = HashedWords()
    memory = memory.embed_with(embedder)
    memory.say("a", *["Ann: yes"] * 7, "Ann: no")
    assert memory.work().done == 8
    assert embedder.encoded == 2


def test_what_is_buried_is_not_embedded_until_it_is_restored(memory: Memory) -> None:
    memory = memory.embed_with(HashedWords())
    memory.keep("One thing.")
    gone = memory.keep("Another thing.")
    memory.archive(gone)
    memory.work()
    assert held(memory) == [1]
    memory.restore(gone)
    assert memory.work().left == 0
    assert held(memory) == [1, 2]


def test_vectors_for_a_generation_that_was_given_up_are_not_kept(memory: Memory) -> None:
    class Interrupted(HashedWords):
        def encode(self, texts, *, query=False):  # type: ignore[no-untyped-def]
            generations.switch_off(memory.context)
            return super().encode(texts, query=query)

    embedder = Interrupted()
    memory = memory.embed_with(embedder)
    memory.say("a", "Ann: one thing")
    old = live(memory)
    assert embedding.embed(memory.context, embedder, memory.place().id, old.id, 1, 1) == 0
    with memory.app.store.read() as connection:
        assert connection.one("vectors_count", {"workspace": memory.place().id, "generation": old.id}) == (0,)


def test_a_workspace_gets_its_mean_and_floor_when_it_outgrows_the_exact_scan(memory: Memory) -> None:
    memory = memory.embed_with(HashedWords(dimension=64))
    for part in range(9):
        memory.say(f"s{part}", *(f"Ann: word{n} word{n + 1} and {part}" for n in range(part * 250, part * 250 + 250)))
    with memory.app.store.read() as connection:
        assert stored.space(connection, memory.place().id, live(memory).id) is None
    memory.work()
    with memory.app.store.read() as connection:
        space = stored.space(connection, memory.place().id, live(memory).id)
    assert space is not None
    assert space.measured > EXACT_MAX
    assert 0 < space.floor < 0.9
    assert np.frombuffer(space.mean, np.float32).shape == (64,)


def test_the_floor_is_what_unrelated_passages_seldom_reach() -> None:
    rows = np.random.default_rng(1).standard_normal((500, 64)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    floor = embedding.floor(rows)
    similar = rows @ rows.T
    share = float((similar[np.triu_indices(500, 1)] > floor).mean())
    assert share == pytest.approx(0.05, abs=0.02)
    assert embedding.floor(rows) == floor
    assert embedding.floor(rows[:1]) == 0.0


def test_the_spec_of_a_generation_is_the_one_it_was_started_with(memory: Memory) -> None:
    embedder = HashedWords("special", 32)
    memory = replace(memory.embed_with(embedder))
    assert embedding.spec_of(live(memory)) == embedder.spec
