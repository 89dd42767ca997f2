"""What there is: counts of what the caller may read, and nothing about the rest."""

from __future__ import annotations

from dataclasses import replace

from muniment.ingest import documents
from muniment.insight.overview import list_projects, stats
from muniment.model.access import LEVEL_SCOPES
from muniment.model.reading import ProjectsRequest, StatsRequest
from muniment.model.writing import DocumentIn
from tests.makers import HashedWords, Memory


def test_projects_are_those_that_may_be_read(memory: Memory) -> None:
    other = memory.in_("other")
    memory.say("a", "Ann: one", "Ann: two", time="2024-03-01T10:00:00Z")
    other.keep("A fact.")
    every = {one.project_id: one for one in list_projects(memory.context, ProjectsRequest()).projects}
    assert sorted(every) == ["global", "inbox", "other"]
    assert (every["inbox"].records, every["inbox"].sessions, every["inbox"].current) == (2, 1, True)
    assert (every["other"].records, every["other"].sessions, every["other"].current) == (1, 0, False)
    assert all(one.writable for one in every.values())
    guest = memory.only("inbox", "other", write=["other"])
    assert {one.project_id: one.writable for one in list_projects(guest, ProjectsRequest()).projects} == {
        "inbox": False,
        "other": True,
    }


def test_who_only_reads_may_write_nowhere(memory: Memory) -> None:
    context = memory.context
    for changed in (
        replace(context, read_only=True),
        replace(context, grant=replace(context.grant, scopes=LEVEL_SCOPES["viewer"])),
    ):
        assert not any(one.writable for one in list_projects(changed, ProjectsRequest()).projects)


def test_counts_are_of_what_is_active_and_readable(memory: Memory) -> None:
    other = memory.in_("other")
    memory.say("a", "Ann: one of Mara Quill", "Ann: two")
    memory.keep("A fact.")
    gone = memory.keep("Another fact.")
    memory.archive(gone)
    documents.keep(memory.context, DocumentIn(text="A page."))
    other.say("b", "Ann: three")
    found = stats(memory.context, StatsRequest())
    assert (found.records, found.turns, found.documents, found.memories, found.sessions, found.passages) == (4, 2, 1, 1, 1, 4)
    assert found.workspaces == ("inbox", "global")
    assert stats(memory.context, StatsRequest(workspace="*")).turns == 3
    guest = stats(memory.only("inbox"), StatsRequest(workspace="*"))
    assert (guest.turns, guest.bytes) == (2, None)  # the size of the file tells of others


def test_coverage_is_how_far_the_embedder_has_come(memory: Memory) -> None:
    memory = memory.embed_with(HashedWords())
    memory.keep("A fact.")
    memory.work()
    memory.keep("Another fact.")
    state = stats(memory.context, StatsRequest()).embedder
    assert state is not None
    assert (state.name, state.coverage, state.backlog) == ("hashed:words", 0.5, 1)


def test_the_latest_sessions_come_first(memory: Memory) -> None:
    other = memory.in_("other")
    memory.say("old", "Ann: one", time="2023-01-01")
    other.say("newest", "Ann: one", time="2025-01-01")
    memory.say("new", "Ann: one", time="2024-01-01")
    found = stats(memory.context, StatsRequest(workspace="*", sessions=2)).recent_sessions
    assert [one.external_id for one in found] == ["newest", "new"]
    assert stats(memory.context, StatsRequest(sessions=0)).recent_sessions == ()
