"""Changing the embedder: the old one answers until the new one is complete, then one transaction changes over."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from muniment.context import Engines
from muniment.errors import InvalidInput
from muniment.index import embedding, generations
from muniment.model.embedders import EmbedderSpec
from muniment.store import generations as stored
from tests.makers import HashedWords, Memory

OLD, NEW = HashedWords("old", 32), HashedWords("new", 48)
BY_SPEC = {embedder.spec.hash(): embedder for embedder in (OLD, NEW)}


def states(memory: Memory) -> dict[str, str]:
    with memory.app.store.read() as connection:
        return {str(one.spec["model"]): one.state for one in stored.all_of(connection) if one.spec["provider"] == "hashed"}


@pytest.fixture
def old(memory: Memory) -> Memory:
    memory = replace(memory.embed_with(OLD), engines=Engines(lambda spec, key: BY_SPEC[spec.hash()]))
    memory.say("a", "Ann: The crane is yellow.", "Ann: The nets are old.", "Ann: The fog was thick.")
    memory.work()
    return memory


def test_an_empty_store_changes_over_at_once(memory: Memory) -> None:
    generations.start(memory.context, OLD.spec)
    assert states(memory) == {"old": "live"}


def test_the_old_one_answers_while_the_new_one_builds(old: Memory) -> None:
    generations.start(old.context, NEW.spec)
    assert states(old) == {"old": "live", "new": "building"}
    answer = old.ask("Which crane is yellow?")
    assert "dense" in answer.route
    assert answer.meta.degraded == ()
    assert answer.results[0].text == "The crane is yellow."


def test_they_change_over_when_every_passage_is_covered(old: Memory) -> None:
    generations.start(old.context, NEW.spec)
    assert not generations.flip_if_complete(old.context)
    old.work()
    assert states(old) == {"old": "retired", "new": "live"}
    with old.app.store.read() as connection:
        counts = {
            one.spec["model"]: connection.one("vectors_count", {"workspace": old.place().id, "generation": one.id})
            for one in stored.all_of(connection)
        }
    assert (counts["old"], counts["new"]) == ((0,), (3,))
    assert "dense" in old.ask("Which crane is yellow?").route


def test_what_is_stored_meanwhile_is_embedded_for_both(old: Memory) -> None:
    generations.start(old.context, NEW.spec)
    old.keep("The quay is long.")
    old.work()
    assert states(old)["new"] == "live"
    assert old.found("How long is the quay?")[0] == "The quay is long."


def test_what_is_archived_and_restored_holds_no_change_up(old: Memory) -> None:
    ref = old.keep("The quay is long.")
    old.archive(ref)
    generations.start(old.context, NEW.spec)
    old.restore(ref)
    old.work()
    assert states(old)["new"] == "live"


def test_another_start_gives_up_the_one_that_was_building(old: Memory) -> None:
    generations.start(old.context, NEW.spec)
    generations.start(old.context, HashedWords("third", 16).spec)
    assert states(old) == {"old": "live", "new": "retired", "third": "building"}


def test_what_was_given_up_at_the_last_moment_does_not_take_over(old: Memory) -> None:
    class Meanwhile:
        """The store, in which something happens right before the next write."""

        dialect, where = old.app.store.dialect, old.app.store.where
        read = staticmethod(old.app.store.read)

        def write(self) -> Any:
            generations.switch_off(old.context)
            return old.app.store.write()

    generations.start(old.context, NEW.spec)
    with old.app.store.read() as connection:
        building = next(one.id for one in stored.all_of(connection) if one.state == "building")
    embedding.embed(old.context, NEW, old.place().id, building, 1, 3)
    assert not generations.flip_if_complete(replace(old.context, store=Meanwhile()))  # type: ignore[arg-type]
    assert states(old) == {"old": "retired", "new": "retired"}


def test_the_embedder_in_use_is_not_started_again(old: Memory) -> None:
    with pytest.raises(InvalidInput, match="already"):
        generations.start(old.context, OLD.spec)


def test_switched_off_the_store_answers_from_words_and_says_so(old: Memory) -> None:
    generations.switch_off(old.context)
    answer = old.ask("Which crane is yellow?")
    assert answer.results[0].text == "The crane is yellow."
    assert answer.meta.degraded == ("dense: the store has no embedder",)
    with pytest.raises(InvalidInput):
        generations.remake(old.context)
    generations.start(old.context, NEW.spec)
    old.work()
    assert old.ask("Which crane is yellow?").meta.degraded == ()


def test_a_process_without_that_embedder_answers_from_words_and_says_so(old: Memory) -> None:
    from muniment.engines import choose

    elsewhere = replace(old, engines=Engines(lambda spec, key: choose.build(spec, api_key=key)))
    answer = elsewhere.ask("Which crane is yellow?")
    assert answer.results[0].text == "The crane is yellow."
    assert "hashed" in answer.meta.degraded[0]
    elsewhere.keep("The quay is long.")
    assert "hashed" in elsewhere.work().why  # and its worker leaves the vectors to a process that can make them


def test_coverage_counts_what_is_alive(old: Memory) -> None:
    gone = old.keep("The quay is long.")
    with old.app.store.read() as connection:
        live = stored.live(connection)
        assert live is not None
        found = generations.coverage(connection, live, [old.place().id])
        assert (found.done, found.wanted) == (3, 4)
    old.archive(gone)
    with old.app.store.read() as connection:
        found = generations.coverage(connection, live, [old.place().id])
        assert (found.done, found.wanted) == (3, 3)


def test_two_specs_that_differ_only_in_their_address_are_one(old: Memory) -> None:
    spec = EmbedderSpec("openai", "m", 8, url="http://a")
    assert spec.hash() == replace(spec, url="http://b").hash()
    assert spec.hash() != replace(spec, document_prefix="passage: ").hash()
