"""Protection holds on every way a record can change: whoever comes, by whatever door, and whatever is taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from muniment.context import Context
from muniment.errors import ConfirmationRequired, InsufficientScope, ProtectedTarget
from muniment.governance.govern import govern
from muniment.model.governing import Confirm, Contain, GovernRequest, Protect, Restore, Retire, Undo
from muniment.model.records import Protection
from muniment.model.writing import Labels, LinkIn
from tests.governance.governing import as_level, decide, opened, record, tell
from tests.ingest.writing import bring
from tests.makers import Memory

TEXT = "The staging port is 8080."
URL = "https://example.org/port"
Way = Callable[[Context, str, int], Any]

REMEMBERED: dict[str, Way] = {
    "update": lambda context, ref, version: tell(context, "Other.", op="update", target=ref, expected_version=version),
    "labels": lambda context, ref, version: tell(
        context, op="update", target=ref, expected_version=version, labels=Labels(("x",))
    ),
    "links": lambda context, ref, version: tell(
        context, op="update", target=ref, expected_version=version, links=(LinkIn(ref, "supports"),)
    ),
    "supersede": lambda context, ref, version: tell(context, "Other.", op="supersede", target=ref, expected_version=version),
    "correct": lambda context, ref, version: tell(
        context, "Other.", op="supersede", target=ref, expected_version=version, correction=True
    ),
    "archive": lambda context, ref, version: tell(context, op="archive", target=ref, expected_version=version),
    "reject": lambda context, ref, version: tell(context, op="reject", target=ref, expected_version=version),
    "close_thread": lambda context, ref, version: tell(context, op="close_thread", target=ref, expected_version=version),
}
GOVERNED: dict[str, Way] = {
    "confirm": lambda context, ref, version: _govern(replace(context, door="cli"), Confirm("confirm", ref, version)),
    "retire": lambda context, ref, version: _govern(context, Retire("retire", ref, version, how="wrong")),
    "protect": lambda context, ref, version: _govern(context, Protect("protect", ref, version, "normal")),
    "contain": lambda context, ref, version: _govern(context, Contain("contain", ref)),
    "undo": lambda context, ref, version: _govern(context, Undo("undo", _first_action(context, ref))),
}


def _govern(context: Context, do: Any) -> Any:
    return govern(context, GovernRequest(do, reason="x"))


def _first_action(context: Context, ref: str) -> str:
    from muniment.governance.review import review
    from muniment.model.reviewing import Audit, ReviewRequest

    return review(context, ReviewRequest(Audit("audit", ref))).actions[-1].ref


def guarded(memory: Memory, level: Protection) -> str:
    ref = memory.keep(TEXT, "thread")
    decide(memory, Protect("protect", ref, 1, level))
    return ref


@pytest.mark.parametrize("way", [*REMEMBERED, *GOVERNED])
@pytest.mark.parametrize("level", ["protected", "locked"])
def test_nothing_a_writer_does_changes_a_protected_record(memory: Memory, level: Protection, way: str) -> None:
    ref = guarded(memory, level)
    before = record(memory, ref)
    for caller in (as_level(memory, "operator"), as_level(memory, "operator", door="cli")):
        with pytest.raises((ProtectedTarget, InsufficientScope)):
            (REMEMBERED | GOVERNED)[way](caller, ref, 1)
    assert record(memory, ref) == before


@pytest.mark.parametrize("way", REMEMBERED)
def test_who_governs_changes_what_is_protected_but_what_is_locked_only_as_a_person(memory: Memory, way: str) -> None:
    owner = as_level(memory, "owner")
    locked = guarded(memory, "locked")
    before = record(memory, locked)
    with pytest.raises(ProtectedTarget, match="locked"):
        REMEMBERED[way](owner, locked, 1)
    assert record(memory, locked) == before
    if way == "links":
        return  # a record cannot be linked to itself, whoever asks
    decide(memory, Protect("protect", locked, 1, "protected"))
    REMEMBERED[way](owner, locked, 1)
    assert record(memory, locked) != before


@pytest.mark.parametrize("way", [way for way in REMEMBERED if way != "links"])
def test_a_person_who_governs_may_change_what_is_locked(memory: Memory, way: str) -> None:
    ref = guarded(memory, "locked")
    before = record(memory, ref)
    REMEMBERED[way](as_level(memory, "owner", door="cli"), ref, 1)
    assert record(memory, ref) != before


@pytest.mark.parametrize("way", GOVERNED)
def test_even_who_governs_changes_what_is_locked_only_after_confirming_it(memory: Memory, way: str) -> None:
    ref = guarded(memory, "locked")
    before = record(memory, ref)
    with pytest.raises(ConfirmationRequired) as asked:
        GOVERNED[way](memory.context, ref, 1)
    assert record(memory, ref) == before
    do = {
        "confirm": Confirm("confirm", ref, 1),
        "retire": Retire("retire", ref, 1, how="wrong"),
        "protect": Protect("protect", ref, 1, "normal"),
        "contain": Contain("contain", ref),
        "undo": Undo("undo", _first_action(memory.context, ref)),
    }[way]
    caller = replace(memory.context, door="cli") if way == "confirm" else memory.context
    govern(caller, GovernRequest(do, reason="x", confirm=asked.value.confirm))
    assert record(memory, ref) != before


@pytest.mark.parametrize("level", ["protected", "locked"])
def test_a_restored_record_was_unprotected_by_nobody(memory: Memory, level: Protection) -> None:
    ref = memory.keep(TEXT)
    memory.archive(ref)
    decide(memory, Protect("protect", ref, 1, level))
    with pytest.raises(ProtectedTarget):
        tell(as_level(memory, "operator"), op="restore", target=ref, expected_version=1)
    with pytest.raises(InsufficientScope):
        _govern(as_level(memory, "operator"), Restore("restore", ref, 1))
    decide(memory, Restore("restore", ref, 1))
    assert opened(memory, ref).protection == level


@pytest.mark.parametrize("level", ["protected", "locked"])
def test_a_protected_document_is_not_replaced_by_another_text_of_its_address(memory: Memory, level: Protection) -> None:
    (first,) = bring(memory.context, "The port is 8080.", url=URL).refs
    agent = as_level(memory, "agent")
    (second,) = bring(agent, "The port is 8081.", url=URL).refs
    decide(memory, Protect("protect", second, 1, level))
    for text in ("The port is 8082.", "The port is 8080."):
        with pytest.raises(ProtectedTarget):
            bring(agent, text, url=URL)
    assert (opened(memory, first).state, opened(memory, second).state) == ("archived", "active")
    decide(memory, Protect("protect", second, 1, "normal"))
    decide(memory, Protect("protect", first, 1, level))
    with pytest.raises(ProtectedTarget):
        bring(agent, "The port is 8080.", url=URL)
    assert opened(memory, second).state == "active"


def test_what_a_person_says_at_the_command_line_is_locked_and_an_agent_changes_it_no_more(memory: Memory) -> None:
    person = replace(memory.context, door="cli")
    ref = tell(person, TEXT).ref
    assert (record(memory, ref).protection, record(memory, ref).trust) == ("locked", 0.95)
    for level in ("agent", "operator", "owner"):
        with pytest.raises((ProtectedTarget, InsufficientScope)):
            tell(as_level(memory, level), op="archive", target=ref, expected_version=1)
    edited = memory.keep("The crane is blue.")
    tell(person, "The crane is red.", op="update", target=edited, expected_version=1)
    assert (record(memory, edited).protection, record(memory, edited).trust) == ("locked", 0.95)
