"""Filters: what they leave may be returned, nothing else may, by any view and however it is asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.errors import ForbiddenScope, InvalidInput
from muniment.ingest import documents
from muniment.model.recalling import Filter, RecallRequest
from muniment.model.writing import DocumentIn, Labels
from muniment.recall.recall import recall
from tests.makers import HashedWords, Memory

EVERYTHING = {"turn one", "turn two", "turn three", "decided", "preferred", "page", "note"}


@pytest.fixture
def mixed(memory: Memory) -> Memory:
    """Every sort of record, all about the crane, told apart by their last words."""
    memory = memory.embed_with(HashedWords())
    memory.say("monday", "Ann: The crane now: turn one", "Bob: The crane now: turn two", time="2024-03-04T10:00:00Z")
    memory.say("friday", "Ann: The crane of Mara Quill now: turn three", time="2024-03-08T10:00:00Z")
    memory.keep(
        "The crane now: decided",
        "decision",
        labels=Labels(topics=("Cranes",), tags=("red",), people=("Mara Quill",)),
        event_time="2024-03-06",
    )
    memory.keep("The crane now: preferred", "preference", labels=Labels(topics=("cranes", "Taste")))
    documents.keep(memory.context, DocumentIn(text="The crane now: page", url="https://example.org/crane"))
    documents.keep(memory.context, DocumentIn(text="The crane now: note", source_ref="notes/crane.md"))
    memory.work()
    return memory


def left(memory: Memory, where: Filter | None, **more: object) -> set[str]:
    """What a question and browsing leave: always the same."""
    asked = {text.split(": ")[1] for text in memory.found("What about the crane now?", where=where, limit=50, **more)}
    browsed = {text.split(": ")[1] for text in memory.found(where=where, limit=50, **more)}
    assert asked == browsed
    return asked


@pytest.mark.parametrize(
    ("where", "texts"),
    [
        (None, EVERYTHING),
        (Filter(), EVERYTHING),
        (Filter(kind=("turn",)), {"turn one", "turn two", "turn three"}),
        (Filter(kind=("decision", "document")), {"decided", "page", "note"}),
        (Filter(kind=("goal",)), set()),
        (Filter(tier=("preferences",)), {"preferred"}),
        (Filter(tier=("project-context",)), {"decided", "page", "note"}),
        (Filter(topics=("CRANES",)), {"decided", "preferred"}),
        (Filter(topics=("taste", "nothing")), {"preferred"}),
        (Filter(topics=("nothing",)), set()),
        (Filter(tags=("Red",)), {"decided"}),
        (Filter(tags=("cranes",)), set()),
        (Filter(people=("mara quill",)), {"decided"}),
        (Filter(people=("ANN",)), {"turn one", "turn three"}),
        (Filter(people=("Ann", "Mara Quill")), {"turn one", "turn three", "decided"}),
        (Filter(entity="Mara Quill"), {"turn three"}),
        (Filter(entity="mara quill"), {"turn three"}),
        (Filter(entity="Zephyr"), set()),
        (Filter(entity="x" * 500), set()),
        (Filter(origin="collected"), {"page"}),
        (Filter(origin="own"), EVERYTHING - {"page"}),
        (Filter(source_type="document_extracted"), {"page", "note"}),
        (Filter(source_type="agent_generated"), {"decided", "preferred"}),
        (Filter(source_type="document_extracted", origin="own"), {"note"}),
        (Filter(session="monday"), {"turn one", "turn two"}),
        (Filter(session="sunday"), set()),
        (Filter(exclude_session="monday"), EVERYTHING - {"turn one", "turn two"}),
        (Filter(after="2024-03-06", before="2024-03-09"), {"decided", "turn three"}),
        (Filter(after="2024-03-08T10:00:00Z", kind=("turn",)), {"turn three"}),
        (Filter(before="2024-03-08T10:00:00Z", kind=("turn",)), {"turn one", "turn two"}),
        (Filter(kind=("turn",), people=("Bob",), session="monday"), {"turn two"}),
        (Filter(kind=("decision",), people=("Bob",)), set()),
    ],
)
def test_a_filter_leaves_what_it_says(mixed: Memory, where: Filter | None, texts: set[str]) -> None:
    assert left(mixed, where) == texts


def test_a_session_is_named_by_its_ref_too(mixed: Memory) -> None:
    (ref,) = {one.provenance.session_ref for one in mixed.ask(where=Filter(session="friday")).results}
    assert left(mixed, Filter(session=ref)) == {"turn three"}
    assert left(mixed, Filter(exclude_session=ref)) == EVERYTHING - {"turn three"}
    assert left(mixed, Filter(session="s_" + "0" * 26)) == set()


def test_as_of_leaves_what_was_said_up_to_then(mixed: Memory) -> None:
    assert left(mixed, None, as_of="2024-03-06T12:00:00Z") == {"turn one", "turn two", "decided"}
    assert left(mixed, None, as_of="2000-01-01") == set()


def test_the_running_conversation_is_left_out(mixed: Memory) -> None:
    running = replace(mixed.context, session="monday")

    def texts(where: Filter | None) -> set[str]:
        answer = recall(running, RecallRequest(query="What about the crane now?", limit=50, filter=where))
        return {one.text.split(": ")[1] for one in (*answer.results, *answer.nearest)}

    assert texts(None) == EVERYTHING - {"turn one", "turn two"}
    assert texts(Filter(exclude_session="friday")) == EVERYTHING - {"turn one", "turn two", "turn three"}
    assert texts(Filter(session="monday")) == {"turn one", "turn two"}  # who asks for it gets it


@pytest.mark.parametrize("where", [Filter(after="soon"), Filter(before="32.13.2024")])
def test_a_time_that_is_none_is_refused(mixed: Memory, where: Filter) -> None:
    with pytest.raises(InvalidInput):
        mixed.ask("crane", where=where)
    with pytest.raises(InvalidInput):
        mixed.ask("crane", as_of="yesterday-ish")


def test_it_is_said_whether_an_entity_is_known(mixed: Memory) -> None:
    assert mixed.ask("crane").entity_resolved is None
    for query in ("crane", ""):
        assert mixed.ask(query, where=Filter(entity="Mara Quill")).entity_resolved is True
        assert mixed.ask(query, where=Filter(entity="Zephyr")).entity_resolved is False


def test_an_entity_stands_for_the_whole_record_that_mentions_it(memory: Memory) -> None:
    filler = " ".join(f"Sentence {n} tells of the weather." for n in range(60))
    documents.keep(memory.context, DocumentIn(text=f"Mara Quill wrote this. {filler} The winch is broken."))
    memory.keep("Another winch is broken.")
    assert len(memory.ask("Which winch is broken?", where=Filter(entity="Mara Quill")).results) == 1


def test_what_a_filter_leaves_out_is_counted_in_records(mixed: Memory) -> None:
    filler = " ".join(f"Sentence {n} tells of the weather." for n in range(60))
    documents.keep(mixed.context, DocumentIn(text=f"The crane. {filler}"))
    for query in ("What about the crane?", ""):
        assert mixed.ask(query, where=Filter(kind=("turn",))).filtered_out == 5
        assert mixed.ask(query).filtered_out == 0


def test_workspaces_are_the_current_one_and_global_unless_named(memory: Memory) -> None:
    other, shared = memory.in_("other"), memory.in_("global")
    memory.keep("crane of inbox")
    other.keep("crane of other")
    shared.keep("crane of global")
    assert set(memory.found("crane")) == {"crane of inbox", "crane of global"}
    assert set(memory.found("crane", workspace=())) == {"crane of inbox", "crane of global"}
    assert set(memory.found("crane", workspace="other")) == {"crane of other"}
    assert set(memory.found("crane", workspace=(" Other ", "default", "other"))) == {"crane of other", "crane of inbox"}
    assert set(memory.found("crane", workspace="*")) == {"crane of inbox", "crane of global", "crane of other"}
    with pytest.raises(ForbiddenScope):
        memory.ask("crane", workspace="nowhere")


def test_who_may_read_nothing_is_told_nothing(memory: Memory) -> None:
    memory.keep("crane of inbox")
    context = memory.only()
    for query in ("crane", ""):
        answer = recall(context, RecallRequest(query=query))
        assert (answer.results, answer.nearest, answer.filtered_out) == ((), (), 0)
    with pytest.raises(ForbiddenScope) as foreign:
        recall(context, RecallRequest(query="crane", workspace="inbox"))
    with pytest.raises(ForbiddenScope) as absent:
        recall(context, RecallRequest(query="crane", workspace="outbox"))
    assert str(foreign.value).replace("inbox", "X") == str(absent.value).replace("outbox", "X")
