"""What one workspace lets others see: by its isolation, by its class, and while it waits. One table of every way of asking."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from muniment.context import Context
from muniment.errors import MunimentError
from muniment.governance import notices
from muniment.insight.brief import brief
from muniment.model import governing, reading
from muniment.model.access import DATA_CLASSES
from muniment.model.workspaces import Candidates, ListWorkspaces, Redirects, SetWorkspace
from muniment.surfaces import wire
from muniment.surfaces.catalogue import OPERATIONS, named
from tests.governance.placing import confirmed, manages
from tests.makers import Memory, new_memory

UNKNOWN = "m_01k742sg00zzzzzzzzzzzzzzzz"


@dataclass(frozen=True, slots=True)
class Hidden:
    """A memory in `open_` and one in `closed`, which only who may find it finds."""

    memory: Memory
    refs: dict[str, str]
    session: str
    proposal: str


@pytest.fixture
def hidden(memory: Memory) -> Hidden:
    memory.in_("open")
    closed = memory.in_("closed")
    closed.say("talk-zanzibar", "Quillfeather: The crane in Zanzibar caused the outage.", "Ben: Zanzibar has a new crane.")
    refs = {
        kind: closed.keep(f"Zanzibar is the {kind} of Quillfeather.", kind=kind)
        for kind in ("fact", "policy", "decision", "thread", "preference", "procedure")
    }
    refs["port"] = closed.keep("The port of Zanzibar is 8080.")
    refs["other"] = closed.keep("The port of Zanzibar is 8081.")
    retired = closed.keep("Zanzibar was reached by Quillfeather's ferry.")
    closed.archive(retired)
    from muniment.governance.detect import scan
    from muniment.governance.proposals import propose

    scan(closed.context, closed.place())
    change = governing.Change("add_fact", "Quillfeather leaves Zanzibar.")
    filed = propose(closed.context, governing.ProposeRequest("closed", "r1", change))
    found = closed.ask("Zanzibar crane")
    talk = next(one.provenance.session_ref for one in found.results if one.provenance.session_ref)
    assert talk is not None
    return Hidden(replace(memory, workspace="open"), refs | {"retired": retired}, talk, filed.proposal_id)


# Every way to ask something without naming the workspace; `here` is the current one.
ASKED: dict[str, Callable[[Hidden], dict[str, Any]]] = {
    "recall": lambda h: {"query": "Zanzibar Quillfeather crane", "trace": True},
    "recall everything": lambda h: {"query": "Zanzibar Quillfeather crane", "workspace": "*"},
    "recall browsing": lambda h: {"workspace": "*"},
    "recall an entity": lambda h: {"query": "crane", "workspace": "*", "filter": {"entity": "Zanzibar"}},
    "recall a session": lambda h: {"query": "crane", "workspace": "*", "filter": {"session": h.session}},
    "search": lambda h: {"query": "Zanzibar Quillfeather"},
    "search_memory": lambda h: {"query": "Zanzibar Quillfeather", "project_id": "default"},
    "get_context": lambda h: {"task": "repair the crane in Zanzibar"},
    "near": lambda h: {"entity": "Zanzibar"},
    "near everywhere": lambda h: {"entity": "Zanzibar", "workspace": "*"},
    "why": lambda h: {"from": "crane", "to": "outage"},
    "why everywhere": lambda h: {"from": "crane", "to": "outage", "workspace": "*"},
    "stats": lambda h: {"sessions": 10},
    "stats everywhere": lambda h: {"sessions": 10, "workspace": "*"},
    "list_projects": lambda h: {},
    "read a session": lambda h: {"session": "talk-zanzibar"},
    **{
        f"review {verb}": partial(lambda verb, h: {"do": {"verb": verb}}, verb)
        for verb in ("overview", "conflicts", "proposals", "audit", "notices", "expired", "entities", "queue")
    },
}


def said(context: Context, what: str, values: dict[str, Any]) -> str:
    """Everything that an answer, or a refusal, says."""
    operation = named(what.split(" ")[0])
    assert operation is not None
    try:
        return str(wire.call(context, operation, values))
    except MunimentError as fault:
        return f"{fault.code} {fault} {fault.do_next}"


def count(context: Context, what: str, hidden: Hidden) -> str:
    """An answer without what differs from call to call, and from store to store."""
    text = said(context, what, ASKED[what](hidden))
    return re.sub(r"'(took_ms|context_id|replica_at|compiled_at|bytes|ref|cursor|at)': [^,}]+", "", text)


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Memory]:
    """A store in which the hidden workspace was never made."""
    made = new_memory(tmp_path / "bare")
    made.in_("open")
    yield replace(made, workspace="open")
    made.app.store.close()


def test_every_reading_operation_is_asked() -> None:
    reading_ones = {one.name for one in OPERATIONS if one.read_only}
    assert reading_ones - {what.split(" ")[0] for what in ASKED} <= {"fetch"}, "fetch opens a ref, as read does"


@pytest.mark.parametrize("what", ASKED)
def test_a_strict_workspace_is_seen_from_no_other_one(hidden: Hidden, bare: Memory, what: str) -> None:
    """The same answer, to the letter, as where the workspace was never made."""
    manages(hidden.memory, SetWorkspace("set", "closed", isolation="strict"))
    assert count(hidden.memory.context, what, hidden) == count(bare.context, what, hidden)


@pytest.mark.parametrize("what", ASKED)
def test_a_strict_workspace_sees_no_other_one_and_not_even_global(hidden: Hidden, bare: Memory, what: str) -> None:
    hidden.memory.in_("global").keep("Zanzibar is known to all as Quillfeather's port.")
    for one in (hidden.memory, bare):
        manages(one, SetWorkspace("set", "open", isolation="strict"))
    assert count(hidden.memory.context, what, hidden) == count(bare.context, what, hidden)


@pytest.mark.parametrize("what", ASKED)
def test_a_class_that_a_caller_lacks_is_nowhere(hidden: Hidden, bare: Memory, what: str) -> None:
    manages(hidden.memory, SetWorkspace("set", "closed", data_class="restricted"))
    context = hidden.memory.context
    below = replace(context, grant=replace(context.grant, classes=DATA_CLASSES - {"restricted"}))
    there = replace(bare.context, grant=replace(bare.context.grant, classes=DATA_CLASSES - {"restricted"}))
    assert count(below, what, hidden) == count(there, what, hidden)


def test_what_a_caller_of_a_lower_class_names_is_refused_like_what_is_not_there(hidden: Hidden) -> None:
    manages(hidden.memory, SetWorkspace("set", "closed", data_class="restricted"))
    context = hidden.memory.context
    below = replace(context, grant=replace(context.grant, classes=DATA_CLASSES - {"restricted"}))
    gone = "m_01k742sg00yyyyyyyyyyyyyyyy"
    calls: list[tuple[str, Callable[[str, str], dict[str, Any]]]] = [
        ("recall", lambda place, ref: {"query": "crane", "workspace": place}),
        ("recall", lambda place, ref: {"workspace": place}),
        ("get_context", lambda place, ref: {"project_id": place}),
        ("near", lambda place, ref: {"entity": "crane", "workspace": place}),
        ("stats", lambda place, ref: {"workspace": place}),
        ("read", lambda place, ref: {"ref": ref}),
        ("fetch", lambda place, ref: {"id": ref}),
        ("remember", lambda place, ref: {"text": "The gate is open.", "workspace": place}),
        ("remember", lambda place, ref: {"text": "The gate is open.", "workspace": "open", "evidence": [ref]}),
        ("remember", lambda place, ref: {"op": "archive", "target": ref, "expected_version": 1}),
        ("review", lambda place, ref: {"do": {"verb": "history", "ref": ref}}),
        ("review", lambda place, ref: {"do": {"verb": "lineage", "ref": ref}}),
        ("govern", lambda place, ref: {"do": {"verb": "contain", "target": ref}, "reason": "r"}),
        ("forget", lambda place, ref: {"ref": ref}),
        ("workspaces", lambda place, ref: {"do": {"verb": "show", "workspace": place}}),
        ("workspaces", lambda place, ref: {"do": {"verb": "archive", "workspace": place}}),
        ("workspaces", lambda place, ref: {"do": {"verb": "merge", "workspace": place, "into": "open"}}),
        ("workspaces", lambda place, ref: {"do": {"verb": "move", "into": place, "records": [UNKNOWN]}}),
        ("workspaces", lambda place, ref: {"do": {"verb": "add", "slug": place}}),
        ("workspaces", lambda place, ref: {"do": {"verb": "rename", "workspace": "open", "to": place}}),
        ("workspaces", lambda place, ref: {"do": {"verb": "candidates", "name": place}}),
        (
            "propose_memory",
            lambda place, ref: {"project_id": place, "request_id": "r9", "change": {"op": "add_fact", "text": "x y z"}},
        ),
        (
            "propose_memory",
            lambda place, ref: {
                "project_id": "open",
                "request_id": "r8",
                "change": {"op": "update_fact", "text": "x", "target": ref},
            },
        ),
    ]
    for ref in (hidden.refs["fact"], hidden.refs["retired"]):
        for what, values in calls:
            there = said(below, what, values("closed", ref)).replace("closed", "NAME").replace(ref, "REF")
            absent = said(below, what, values("elsewhere", gone)).replace("elsewhere", "NAME").replace(gone, "REF")
            assert there == absent, what


def test_neither_a_former_name_nor_a_slip_tells_of_what_is_hidden(hidden: Hidden) -> None:
    from muniment.model.workspaces import RenameWorkspace

    manages(hidden.memory, RenameWorkspace("rename", "closed", "shuttered"))
    manages(hidden.memory, SetWorkspace("set", "shuttered", data_class="restricted"))
    context = hidden.memory.context
    below = replace(context, grant=replace(context.grant, classes=DATA_CLASSES - {"restricted"}))
    for name in ("closed", "shuttered", "Shut-Tered", "shuttred", "closde"):
        answer = (
            said(below, "recall", {"query": "crane", "workspace": name}).replace(name, "NAME").replace(name.lower(), "NAME")
        )
        absent = said(below, "recall", {"query": "crane", "workspace": "elsewhere"}).replace("elsewhere", "NAME")
        assert answer == absent
        write = said(below, "remember", {"text": "The gate is open.", "workspace": name})
        assert "shuttered'" not in write.replace(f"'{name.lower()}'", "")
    slips = (Candidates("candidates", "shuttred"), Candidates("candidates", "closde"))
    assert manages(hidden.memory, slips[1]).candidates == ("shuttered",), "who sees it is told"
    for do in (*slips, Redirects("redirects"), ListWorkspaces("list", archived=True)):
        assert "shuttered" not in str(wire.plain(manages(below, do)))


def test_a_strict_workspace_is_found_by_its_name_and_when_it_is_the_current_one(hidden: Hidden) -> None:
    manages(hidden.memory, SetWorkspace("set", "closed", isolation="strict"))
    assert hidden.memory.ask("Zanzibar", workspace="closed").results
    inside = hidden.memory.in_("closed")
    assert inside.ask("Zanzibar").results
    assert [one.project_id for one in _projects(inside.context)] == ["closed"]
    ref = inside.ask("Zanzibar").results[0].ref
    assert said(hidden.memory.context, "read", {"ref": ref}).count("Zanzibar")  # what was found can be opened


def test_a_strict_workspace_may_admit_those_of_nearly_its_name(memory: Memory) -> None:
    memory.in_("harbuor").keep("The old crane is red.")
    memory.in_("yard").keep("The yard crane is blue.")
    harbour = memory.in_("harbour")
    harbour.keep("The new crane is green.")
    manages(harbour, SetWorkspace("set", "harbour", isolation="strict"))
    assert harbour.found("crane") == ["The new crane is green."]
    manages(harbour, SetWorkspace("set", "harbour", admits_similar=True))
    assert set(harbour.found("crane")) == {"The new crane is green.", "The old crane is red."}
    assert set(memory.in_("harbuor").found("crane", workspace="*")) == {"The old crane is red.", "The yard crane is blue."}


def test_a_weak_workspace_asks_everywhere_and_prefers_its_own(memory: Memory) -> None:
    memory.in_("yard").keep("The winter berth costs 240 euros.")
    quay = memory.in_("quay")
    quay.keep("The winter berth costs 260 euros.")
    assert quay.found("What does the winter berth cost?") == ["The winter berth costs 260 euros."]
    manages(quay, SetWorkspace("set", "quay", isolation="weak"))
    found = quay.ask("What does the winter berth cost?").results
    assert [one.provenance.workspace for one in found] == ["quay", "yard"]
    manages(quay, SetWorkspace("set", "quay", isolation="none"))
    manages(memory.in_("yard"), SetWorkspace("set", "yard", isolation="weak"))
    there = memory.in_("yard").ask("What does the winter berth cost?").results
    assert [one.provenance.workspace for one in there] == ["yard", "quay"]


def test_a_workspace_that_waits_is_found_by_its_name_alone(hidden: Hidden) -> None:
    from muniment.governance import workspaces
    from muniment.model.workspaces import ConfirmWorkspace

    strict = replace(hidden.memory.context, isolation="strict")
    assert workspaces.ensure(strict, "newcomer")
    assert hidden.memory.place("newcomer").state == "pending"
    newcomer = replace(hidden.memory, workspace="newcomer")
    newcomer.keep("The newcomer has a lantern.")
    assert hidden.memory.found("lantern", workspace="*") == []
    assert hidden.memory.found("lantern", workspace="newcomer") == ["The newcomer has a lantern."]
    told = notices.due(newcomer.context, "newcomer")
    assert told is not None
    assert "waits" in told
    manages(hidden.memory, ConfirmWorkspace("confirm", "newcomer"))
    confirmed(hidden.memory, SetWorkspace("set", "newcomer", isolation="none"))
    assert hidden.memory.found("lantern", workspace="*") == ["The newcomer has a lantern."]


def test_the_first_write_to_a_new_name_is_told_once(memory: Memory) -> None:
    from muniment.governance import workspaces

    workspaces.ensure(memory.context, "newcomer")
    newcomer = replace(memory, workspace="newcomer")
    assert "is new" in (notices.due(newcomer.context, None) or "")
    assert notices.due(newcomer.context, None) is None
    assert notices.due(memory.context, None) is None


def test_opening_a_class_is_confirmed_and_closing_one_is_not(hidden: Hidden) -> None:
    assert (
        manages(hidden.memory, SetWorkspace("set", "closed", data_class="confidential")).workspaces[0].data_class
        == "confidential"
    )
    answer = confirmed(hidden.memory, SetWorkspace("set", "closed", data_class="public"))
    assert answer.workspaces[0].data_class == "public"
    found = hidden.memory.ask("Zanzibar", workspace="closed").results
    assert {one.data_class for one in found} == {"public"}


def test_the_class_stands_in_every_answer_that_shows_a_record(hidden: Hidden) -> None:
    manages(hidden.memory, SetWorkspace("set", "closed", data_class="confidential"))
    for what, values in (
        ("recall", {"query": "Zanzibar", "workspace": "closed"}),
        ("get_context", {"project_id": "closed"}),
        ("search_memory", {"project_id": "closed", "query": "Zanzibar"}),
        ("list_projects", {}),
    ):
        assert "'data_class': 'confidential'" in said(hidden.memory.context, what, values), what


def test_the_brief_of_a_strict_or_weak_workspace_tells_of_itself(hidden: Hidden) -> None:
    assert "Zanzibar" in brief(replace(hidden.memory.context, workspace="closed"))
    manages(hidden.memory, SetWorkspace("set", "open", isolation="weak"))
    assert "Zanzibar" not in brief(hidden.memory.context)


def _projects(context: Context) -> tuple[reading.Project, ...]:
    from muniment.insight.overview import list_projects

    return list_projects(context, reading.ProjectsRequest()).projects
