"""Claims: every one is quoted from its text, and reading again, in whatever order and however often, changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.graph import claims, resolve
from muniment.index.rebuild import rebuild
from muniment.ingest import documents
from muniment.ingest.remember import remember
from muniment.model.reading import ReadRequest
from muniment.model.writing import ClaimIn, DocumentIn, RememberAnswer, RememberRequest
from muniment.recall.read import read
from muniment.store import claims as stored
from muniment.store import entities, records
from tests.makers import Memory

SENTENCES = (
    "I live in Berlin.",
    "I moved to Munich last week.",
    "I love hiking.",
    "The port of billing is 8081.",
    "The outage was caused by the disk.",
    "Anna wohnt in Köln.",
    "我住在上海。",
    "Nothing to see.",
    "Is the port 8080?",
)
TEXTS = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4).map(" ".join)
GUESSES = st.tuples(st.sampled_from(("Berlin", "billing", "I", "8081", "上海", "x")), st.integers(0, 60), st.integers(1, 30))


def all_claims(memory: Memory) -> list[stored.Seen]:
    with memory.app.store.read() as connection:
        place = memory.place()
        known = stored.there(connection, place.id, 1, 1_000_000)
        return stored.seen(connection, place.id, stored.of_records(connection, place.id, known))


def told(memory: Memory) -> set[tuple[str, str, str, str, int]]:
    """What is claimed, in words: subject, property, value, quote, sign."""
    found = all_claims(memory)
    with memory.app.store.read() as connection:
        names = entities.by_id(connection, memory.place().id, {one.subject for one in found})
    return {(names[one.subject].canonical, one.said, one.value, one.quote, one.polarity) for one in found}


def tell(memory: Memory, text: str, *claims_told: ClaimIn, **more: Any) -> RememberAnswer:
    return remember(memory.context, RememberRequest(text=text, claims=claims_told or None, **more))


def test_turns_and_documents_are_read_by_the_worker(memory: Memory) -> None:
    memory.say("a", "Ann: I live in Berlin. It is big.", "assistant: I live in a data centre.", "Li: 我住在上海。")
    documents.keep(memory.context, DocumentIn(text="# Billing\n\nThe port of billing is 8081.", title="Billing"))
    assert told(memory) == set()
    memory.work()
    assert told(memory) == {
        ("Ann", "lives in", "Berlin", "I live in Berlin.", 1),
        ("Li", "住在", "上海", "我住在上海", 1),
        ("billing", "port", "8081", "The port of billing is 8081.", 1),
    }


def test_a_memory_is_read_when_it_is_remembered_and_so_is_every_version(memory: Memory) -> None:
    answer = tell(memory, "The port of billing is 8080.")
    assert (answer.claims, answer.dropped) == (1, 0)
    memory.change(answer.ref, "The port of billing is 8081.")
    heir = tell(memory, "The port of billing is 8082.", op="supersede", target=answer.ref, expected_version=2)
    assert heir.claims == 1
    assert {(one[2], one[3]) for one in told(memory)} == {
        (port, f"The port of billing is {port}.") for port in ("8080", "8081", "8082")
    }


def test_what_an_agent_tells_is_kept_only_with_words_of_the_text(memory: Memory) -> None:
    text = "Since May the cafe\u0301 of  Mara\nQuill opens at nine."
    good = ClaimIn("Mara Quill", "opens at", "nine", quote="the café of Mara Quill opens at nine")
    answer = tell(
        memory,
        text,
        good,
        ClaimIn("Mara Quill", "opens at", "ten"),  # the value is not there
        ClaimIn("Tom Berg", "opens at", "nine"),  # the subject is not there
        ClaimIn("Mara Quill", "opens at", "nine", quote="Mara Quill always opens at nine"),  # nor are the words
        ClaimIn("Mara Quill", "opens at", "May", quote="opens at nine"),  # the value is not in the words
    )
    assert (answer.claims, answer.dropped) == (1, 4)
    (one,) = all_claims(memory)
    assert one.quote == text[one.starts : one.ends] == "the cafe\u0301 of  Mara\nQuill opens at nine"
    assert one.method == "agent"


def test_an_agent_that_tells_what_a_rule_reads_is_believed_before_the_rule(memory: Memory) -> None:
    answer = tell(memory, "The port of billing is 8081.", ClaimIn("billing", "port", "8081"))
    assert answer.claims == 1
    assert [one.method for one in all_claims(memory)] == ["agent"]
    rebuild(memory.context, memory.place())
    claims.again(memory.context, memory.place().id)
    memory.work()
    assert [one.method for one in all_claims(memory)] == ["agent"]


def test_secrets_are_no_values(memory: Memory) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    answer = tell(
        memory, f"The key of billing is {key}.", ClaimIn("billing", f"key {key}", key), ClaimIn("billing", key, "key")
    )
    assert (answer.masked, answer.dropped) == (1, 1)
    assert key not in str(all_claims(memory))


def test_a_subject_may_be_what_the_record_is_about(memory: Memory) -> None:
    answer = tell(memory, "The port is 8081.", subject="billing")
    assert answer.claims == 1
    assert {one[:3] for one in told(memory)} == {("billing", "port", "8081")}


def test_entities_look_like_what_they_are_until_somebody_says_otherwise(memory: Memory) -> None:
    memory.say("a", "Ann: I live in Berlin.")
    tell(memory, "The billing service uses Postgres.")
    memory.work()
    with memory.app.store.read() as connection:
        place = memory.place().id
        norms = ("ann", "berlin", "postgres", "billing service")
        meant = resolve.many(connection, place, norms)
        held = entities.by_id(connection, place, {one.thing.root for one in meant.values() if one.thing})
        types = {name: held[one.thing.root].type for name, one in meant.items() if one.thing}
    assert types == {"ann": "person", "berlin": "place", "postgres": "tool", "billing service": "other"}


def test_reading_again_changes_nothing(memory: Memory) -> None:
    memory.say("a", *(f"Ann: {text}" for text in SENTENCES))
    tell(memory, "The port of billing is 8082.", ClaimIn("billing", "port", "8082"))
    memory.work()
    before = {(one.id, one.uid) for one in all_claims(memory)}
    claims.again(memory.context, memory.place().id)
    memory.work()
    assert {(one.id, one.uid) for one in all_claims(memory)} == before
    rebuild(memory.context, memory.place())
    memory.work()
    assert {(one.id, one.uid) for one in all_claims(memory)} == before


def test_a_worker_that_is_killed_between_reading_and_writing_leaves_nothing_half_done(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.say("a", *(f"Ann: {text}" for text in SENTENCES))

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(claims.workspaces, "hold", killed)
        with pytest.raises(KeyboardInterrupt):
            memory.work()
    with monkeypatch.context() as patched:
        patched.setattr(stored, "add", killed)  # entities are written by now
        with pytest.raises(KeyboardInterrupt):
            memory.work()
    assert told(memory) == set()
    memory.work()
    once = told(memory)
    assert len(once) == len(all_claims(memory)) == 7


def test_a_newer_detector_has_everything_read_again_and_drops_what_it_finds_no_more(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.say("a", "Ann: I live in Berlin.", "Ann: I love hiking.")
    kept = tell(memory, "Paul works for Acme Corp.", ClaimIn("Paul", "employer", "Acme Corp"))
    memory.work()
    assert len(told(memory)) == 3
    monkeypatch.setattr(claims, "DETECTOR", claims.DETECTOR + 1)
    monkeypatch.setattr(claims, "read", lambda source: [])
    memory.work()
    assert {one[0] for one in told(memory)} == {"Paul"}
    assert kept.claims == 1


def test_a_store_that_was_never_read_is_read_once(memory: Memory) -> None:
    memory.say("a", "Ann: I live in Berlin.")
    with memory.app.store.write() as connection:  # as an older Muniment left it
        for row in connection.all("jobs_due", {"now": memory.clock.now, "but": "embed", "limit": 9}):
            connection.run("job_done", {"id": row[0]})
    memory.say("a", "Ann: I love hiking.")
    memory.work()
    assert {one[2] for one in told(memory)} == {"Berlin", "hiking"}


def test_a_long_memory_is_left_to_the_worker(memory: Memory) -> None:
    text = "Nothing here. " * (claims.READ_AT_ONCE_MAX // 14 + 1) + "\n\nThe port of billing is 8081."
    answer = tell(memory, text, ClaimIn("billing", "port", "8081", quote="The port of billing is 8081."))
    assert (answer.claims, answer.dropped) == (1, 0)
    memory.work()
    assert len(all_claims(memory)) == 1


def test_a_record_shows_what_it_claims_and_who_says_the_same(memory: Memory) -> None:
    first = tell(memory, "The port of billing is 8081.")
    memory.clock.move(1000)
    other = tell(memory, "Agreed today. The port of billing is 8081.", evidence=(first.ref,))
    (opened,) = read(memory.context, ReadRequest(ref=other.ref, include=("claims", "evidence"))).records
    assert [(one.subject, one.attribute, one.value, one.standing) for one in opened.claims] == [
        ("billing", "port", "8081", "current")
    ]
    assert {one.ref for one in opened.evidence} == {first.ref}
    memory.clock.move(1000)
    tell(memory, "The port of billing is 9000.")
    (opened,) = read(memory.context, ReadRequest(ref=first.ref, include=("claims",))).records
    assert [one.standing for one in opened.claims] == ["past"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(TEXTS, min_size=1, max_size=4, unique=True),
    guesses=st.lists(GUESSES, max_size=4),
)
def test_every_quote_is_exactly_a_span_of_the_version_it_names(
    fresh: Callable[[], Memory], texts: list[str], guesses: list[tuple[str, int, int]]
) -> None:
    memory = fresh()
    for text in texts:
        agent = [ClaimIn(name, "is", name, quote=text[at : at + size] or None) for name, at, size in guesses]
        answer = tell(memory, text, *agent)
        assert answer.dropped <= len(agent)
    memory.say("a", *(f"Ann: {text}" for text in texts))
    memory.work()
    for one in all_claims(memory):
        with memory.app.store.read() as connection:
            record = records.by_id(connection, memory.place().id, [one.record])[one.record]
        assert record.version == one.version
        assert record.text[one.starts : one.ends] == one.quote
        assert one.value in one.quote or one.method == "agent"


def test_claims_of_one_workspace_name_nothing_of_another(memory: Memory) -> None:
    other = memory.in_("other")
    other.say("b", "Ann: I live in Rome.")
    memory.say("a", "Ann: I live in Berlin.")
    memory.work()
    assert {one[2] for one in told(memory)} == {"Berlin"}
    assert {one[2] for one in told(replace(memory, workspace="other"))} == {"Rome"}
