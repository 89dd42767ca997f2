"""Confirming, retiring, restoring and protecting: each is asked about first, and done exactly as it was confirmed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from muniment.errors import (
    ConfirmationRequired,
    InsufficientScope,
    InvalidInput,
    NotFound,
    ProtectedTarget,
    StaleVersion,
)
from muniment.governance import confirmations
from muniment.governance.govern import govern
from muniment.model.governing import Confirm, GovernRequest, Protect, Restore, Retire
from muniment.model.reviewing import Audit
from muniment.model.writing import LinkIn
from tests.governance.forgetting import done
from tests.governance.governing import as_level, ask, decide, look, opened, person, record, tell
from tests.ingest.writing import actions, bring
from tests.makers import Memory

PORT = "The staging port is 8080."
NEW = "The staging port is 8081."


def test_nothing_is_done_before_it_is_confirmed_and_the_impact_says_what_follows(memory: Memory) -> None:
    ref = memory.keep(PORT)
    other = tell(memory, "Tests listen there.", links=(LinkIn(ref, "depends_on"),))
    before = actions(memory.app)
    asked = ask(memory, Retire("retire", ref, 1, how="wrong"))
    assert PORT in asked.impact
    assert f"{other.ref} depends_on {ref}" in asked.impact
    assert "not found any more" in asked.impact
    assert actions(memory.app) == before
    assert opened(memory, ref).state == "active"


def test_a_confirmed_memory_is_a_locked_version_that_a_person_stands_for(memory: Memory) -> None:
    ref = memory.keep(PORT)
    answer = decide(person(memory), Confirm("confirm", ref, 1), run="evening")
    held = record(memory, ref)
    assert (held.version, held.text, held.protection, held.source_type, held.trust) == (
        2,
        PORT,
        "locked",
        "user_confirmed",
        0.95,
    )
    assert answer.changed == (ref,)
    assert memory.found("Which port is staging?")[:1] == [PORT]
    (entry, _) = look(memory, Audit("audit")).actions
    assert (entry.ref, entry.kind, entry.reason, entry.run) == (answer.action, "confirm", "it was decided", "evening")
    with pytest.raises(InvalidInput, match="confirmed and locked already"):
        govern(person(memory), GovernRequest(Confirm("confirm", ref, 2), reason="again"))


@pytest.mark.parametrize("door", ["bearer", "stdio"])
@pytest.mark.parametrize("level", ["owner", "admin"])
def test_no_authority_lets_a_program_confirm_in_the_name_of_a_person(memory: Memory, level: str, door: Any) -> None:
    ref = memory.keep(PORT)
    before = actions(memory.app), record(memory, ref)
    caller = as_level(memory, level, door=door)
    with pytest.raises(ProtectedTarget, match="command line") as refused:
        govern(caller, GovernRequest(Confirm("confirm", ref, 1), reason="I am sure"))
    assert "`muniment govern confirm`" in refused.value.do_next
    person_s = ask(person(memory), Confirm("confirm", ref, 1), reason="I am sure").confirm
    with pytest.raises(ProtectedTarget):
        govern(caller, GovernRequest(Confirm("confirm", ref, 1), reason="I am sure", confirm=person_s))
    assert (actions(memory.app), record(memory, ref)) == before


@pytest.mark.parametrize("door", ["cli", "web"])
def test_a_person_confirms_at_the_command_line_and_on_the_web(memory: Memory, door: Any) -> None:
    ref = memory.keep(PORT)
    decide(as_level(memory, "owner", door=door), Confirm("confirm", ref, 1))
    assert (record(memory, ref).source_type, record(memory, ref).protection) == ("user_confirmed", "locked")


def test_confirming_never_makes_a_text_cleaner(memory: Memory) -> None:
    context = replace(memory.context, grant=replace(memory.context.grant, zone="untrusted"))
    ref = tell(context, PORT).ref
    assert record(memory, ref).taint == 2
    decide(person(memory), Confirm("confirm", ref, 1))
    assert (record(memory, ref).taint, record(memory, ref).trust) == (2, 0.95)


@pytest.mark.parametrize("how", ["change", "correction"])
def test_a_retired_record_names_its_heir_and_why(memory: Memory, how: Any) -> None:
    old, heir = memory.keep(PORT), memory.keep(NEW)
    asked = ask(memory, Retire("retire", old, 1, heir, how))
    assert NEW in asked.impact
    decide(memory, Retire("retire", old, 1, heir, how))
    held = opened(memory, old)
    assert (held.state, held.superseded_by, held.supersede_why) == ("superseded", heir, how)
    assert (held.retired_at is not None) == (how == "correction")
    assert (held.valid is not None) == (how == "change")
    assert [(one.relation, one.direction, one.ref) for one in opened(memory, heir, "links").links] == [
        ("supersedes", "out", old)
    ]


@pytest.mark.parametrize(("how", "state"), [("wrong", "rejected"), ("archive", "archived")])
def test_what_goes_without_an_heir_is_not_found_any_more(memory: Memory, how: Any, state: str) -> None:
    ref = memory.keep(PORT)
    decide(memory, Retire("retire", ref, 1, how=how))
    assert opened(memory, ref).state == state
    assert memory.found("Which port is staging?") == []
    decide(memory, Restore("restore", ref, 1))
    assert memory.found("Which port is staging?") == [PORT]


def test_an_heir_is_named_exactly_where_there_is_one(memory: Memory) -> None:
    old, heir = memory.keep(PORT), memory.keep(NEW)
    for do in (Retire("retire", old, 1), Retire("retire", old, 1, heir, "wrong")):
        with pytest.raises(InvalidInput, match="heir"):
            govern(memory.context, GovernRequest(do, reason="x"))


def test_an_heir_stands_in_the_same_workspace_is_active_and_no_ancestor(memory: Memory) -> None:
    old, heir = memory.keep(PORT), memory.keep(NEW)
    foreign = memory.in_("other").keep(NEW)
    gone = memory.keep("Nobody knows the port.")
    memory.archive(gone)
    decide(memory, Retire("retire", heir, 1, old))
    for target, wrong, said in ((old, foreign, "another workspace"), (old, gone, "archived"), (old, old, "itself")):
        with pytest.raises(InvalidInput, match=said):
            govern(memory.context, GovernRequest(Retire("retire", target, 1, wrong), reason="x"))
    with pytest.raises(InvalidInput, match="itself"):
        govern(memory.context, GovernRequest(Retire("retire", old, 1, heir), reason="x"))


def test_turns_and_documents_are_retired_and_brought_back_too(memory: Memory) -> None:
    (turn,) = memory.say("s", f"Ann: {PORT}")
    (document,) = bring(memory.context, "The manual says that the berth fee is 40 euros.").refs
    for ref, question in ((turn, "Which port is staging?"), (document, "What is the berth fee?")):
        found = memory.found(question)
        decide(memory, Retire("retire", ref, 1, how="wrong"))
        assert memory.found(question) == []
        decide(memory, Restore("restore", ref, 1))
        assert memory.found(question) == found
        with pytest.raises(InvalidInput, match="never edited"):
            govern(person(memory), GovernRequest(Confirm("confirm", ref, 1), reason="x"))


def test_a_restored_record_has_no_heir(memory: Memory) -> None:
    ref = memory.keep(PORT, valid_from="2026-01-01")
    heir = tell(memory, NEW, op="supersede", target=ref, expected_version=1, event_time="2026-05-01").ref
    assert "no longer counts as its heir" in ask(memory, Restore("restore", ref, 1)).impact
    decide(memory, Restore("restore", ref, 1))
    held = opened(memory, ref)
    assert (held.state, held.superseded_by, held.valid) == ("active", None, ("2026-01-01T00:00:00+00:00", None))
    assert opened(memory, heir).state == "active"


@pytest.mark.parametrize("correction", [True, False])
def test_a_restored_record_whose_heir_was_forgotten_holds_as_if_never_replaced(memory: Memory, correction: bool) -> None:
    ref = memory.keep(PORT)
    before = record(memory, ref)
    memory.clock.move(1)
    heir = tell(memory, NEW, op="supersede", target=ref, expected_version=1, correction=correction).ref
    done(memory, ref=heir)
    decide(memory, Restore("restore", ref, 1))
    assert record(memory, ref) == before


def test_protection_is_set_and_taken_away_again(memory: Memory) -> None:
    ref = memory.keep(PORT)
    assert "can change it" in ask(memory, Protect("protect", ref, 1, "locked")).impact
    for level in ("locked", "protected", "normal"):
        decide(memory, Protect("protect", ref, 1, level))
        assert opened(memory, ref).protection == level
    with pytest.raises(InvalidInput, match="normal already"):
        govern(memory.context, GovernRequest(Protect("protect", ref, 1, "normal"), reason="x"))


VERBS = (
    lambda ref, version: Confirm("confirm", ref, version),
    lambda ref, version: Retire("retire", ref, version, how="wrong"),
    lambda ref, version: Protect("protect", ref, version, "locked"),
)


@pytest.mark.parametrize("verb", VERBS)
def test_a_stale_version_a_missing_reason_or_right_writes_nothing(memory: Memory, verb: Any) -> None:
    ref = memory.keep(PORT)
    memory.change(ref, NEW)
    before = actions(memory.app)
    with pytest.raises(StaleVersion):
        govern(person(memory), GovernRequest(verb(ref, 1), reason="x"))
    for reason in (None, "", "  "):
        with pytest.raises(InvalidInput, match="needs a reason"):
            govern(person(memory), GovernRequest(verb(ref, 2), reason=reason))
    for level in ("viewer", "agent", "operator", "curator"):
        with pytest.raises(InsufficientScope):
            govern(as_level(memory, level), GovernRequest(verb(ref, 2), reason="x"))
    with pytest.raises(InsufficientScope):
        govern(replace(memory.context, read_only=True), GovernRequest(verb(ref, 2), reason="x"))
    assert actions(memory.app) == before


@pytest.mark.parametrize("verb", VERBS)
def test_a_foreign_record_looks_like_an_absent_one(memory: Memory, verb: Any) -> None:
    foreign = memory.in_("other").keep(PORT)
    said = set()
    for ref in (foreign, f"m_{'0' * 26}"):
        with pytest.raises(NotFound) as caught:
            govern(replace(memory.only("inbox"), door="cli"), GovernRequest(verb(ref, 1), reason="x"))
        said.add(str(caught.value).replace(ref, "X"))
    assert len(said) == 1


def test_a_confirmation_is_good_for_one_call_of_one_caller_on_what_was_seen(memory: Memory) -> None:
    ref = memory.keep(PORT)
    do = Retire("retire", ref, 1, how="wrong")
    good = ask(memory, do).confirm
    request = GovernRequest(do, reason="it was decided", confirm=good)
    other = replace(memory.context, grant=replace(memory.context.grant, principal=_bob(memory)))
    for context, changed in (
        (memory.context, replace(request, reason="another")),
        (memory.context, replace(request, do=replace(do, how="archive"))),
        (memory.context, replace(request, confirm="ok_" + "0" * 26)),
        (other, request),
    ):
        with pytest.raises(InvalidInput, match="not good for this call"):
            govern(context, changed)
    # Somebody protects it meanwhile: what was confirmed is not what would be done.
    decide(memory, Protect("protect", ref, 1, "protected"))
    with pytest.raises(InvalidInput, match="not good for this call"):
        govern(memory.context, request)
    late = GovernRequest(do, reason="it was decided", confirm=ask(memory, do).confirm)
    memory.clock.move(confirmations.GOOD_FOR_MS)
    with pytest.raises(InvalidInput, match="not good for this call"):
        govern(memory.context, late)
    last = replace(request, confirm=ask(memory, do).confirm)
    assert govern(memory.context, last).changed == (ref,)
    with pytest.raises(InvalidInput):
        govern(memory.context, last)
    assert actions(memory.app) == ["remember", "protect", "retire"]


def test_a_text_in_an_impact_steers_nobody(memory: Memory) -> None:
    ref = memory.keep("The port\u202e is\n\n8080.\u2066" + " and so on" * 100)
    impact = ask(memory, Retire("retire", ref, 1, how="wrong")).impact
    assert "“The port is 8080." in impact
    assert not set("\u202e\u2066\n").intersection(impact)
    assert len(impact) < 500


def test_a_protected_record_is_changed_by_who_governs_and_a_locked_one_only_confirmed(memory: Memory) -> None:
    ref = memory.keep(PORT)
    decide(memory, Protect("protect", ref, 1, "locked"))
    with pytest.raises(ProtectedTarget):
        tell(memory, op="reject", target=ref, expected_version=1)
    with pytest.raises(ConfirmationRequired):
        govern(memory.context, GovernRequest(Retire("retire", ref, 1, how="wrong"), reason="x"))
    decide(memory, Retire("retire", ref, 1, how="wrong"))
    assert opened(memory, ref).state == "rejected"


def _bob(memory: Memory) -> int:
    with memory.app.store.write() as connection:
        connection.run("principal_add", {"uid": "p", "name": "bob", "kind": "agent", "level": "owner", "now": 0})
        row = connection.one("principal_by_name", {"name": "bob"})
    assert row is not None
    return int(row[0])
