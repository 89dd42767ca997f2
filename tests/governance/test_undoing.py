"""Taking back: one action or a run, once, by who may, and never what was done by others since."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.errors import InsufficientScope, InvalidInput, NotFound
from muniment.governance.govern import govern
from muniment.index.rebuild import rebuild
from muniment.model.governing import Contain, GovernRequest, Protect, Restore, Retire, Undo
from muniment.model.reviewing import Audit
from muniment.model.writing import LinkIn
from tests.governance.governing import as_level, ask, decide, look, opened, record, tell
from tests.ingest.writing import actions, bring
from tests.makers import Memory

PORT = "The staging port is 8080."
NEW = "The staging port is 8081."
QUESTION = "Which port is staging?"


def test_an_undone_edit_leaves_the_text_labels_and_provenance_of_before(memory: Memory) -> None:
    made = tell(memory, PORT, subject="Ports")
    before = record(memory, made.ref)
    changed = tell(memory, NEW, op="update", target=made.ref, expected_version=1, subject="Other")
    asked = ask(memory, Undo("undo", changed.action))
    assert "1 action (update" in asked.impact
    assert NEW in asked.impact
    answer = decide(memory, Undo("undo", changed.action))
    assert (answer.changed, answer.counts) == ((made.ref,), {"actions": 1, "records": 1})
    assert record(memory, made.ref) == replace(before, versions=2)
    assert memory.found(QUESTION) == [PORT]
    # The number of a version that was taken back is not given again.
    assert tell(memory, "None.", op="update", target=made.ref, expected_version=1).version == 3


def test_taking_back_one_action_keeps_what_was_done_since(memory: Memory) -> None:
    ref = memory.keep(PORT)
    first = tell(memory, NEW, op="update", target=ref, expected_version=1)
    second = tell(memory, "The staging port is 9000.", op="update", target=ref, expected_version=2)
    decide(memory, Undo("undo", first.action))
    assert memory.found(QUESTION) == ["The staging port is 9000."]
    decide(memory, Undo("undo", second.action))
    assert memory.found(QUESTION) == [PORT]


def test_an_undone_addition_is_archived_and_found_no_more(memory: Memory) -> None:
    made = tell(memory, PORT)
    decide(memory, Undo("undo", made.action))
    assert opened(memory, made.ref).state == "archived"
    assert memory.found(QUESTION) == []


def test_an_undone_replacement_takes_the_heir_away_and_brings_the_old_one_back(memory: Memory) -> None:
    old = memory.keep(PORT)
    made = tell(memory, NEW, op="supersede", target=old, expected_version=1)
    assert made.superseded == old
    decide(memory, Undo("undo", made.action))
    assert memory.found(QUESTION) == [PORT]
    assert (opened(memory, old).superseded_by, opened(memory, old).valid) == (None, None)
    assert opened(memory, made.ref, "links").links == ()


def test_a_run_is_taken_back_as_one(memory: Memory) -> None:
    refs = [memory.keep(f"Fact number {number} of the quay.") for number in range(3)]
    found = memory.found("fact quay")
    for ref in refs[:2]:
        decide(memory, Retire("retire", ref, 1, how="archive"), run="tidy")
    decide(memory, Retire("retire", refs[2], 1, memory.keep("The quay has facts.")), run="other")
    decide(memory, Protect("protect", refs[0], 1, "locked"), run="tidy")
    answer = decide(memory, Undo("undo", run="tidy"))
    assert answer.counts == {"actions": 3, "records": 2}
    assert set(answer.changed) == set(refs[:2])
    assert opened(memory, refs[0]).protection == "normal"
    assert opened(memory, refs[2]).state == "superseded"
    assert set(found) - {"Fact number 2 of the quay."} <= set(memory.found("fact quay"))
    with pytest.raises(NotFound, match="No action of the run 'tidy'"):
        govern(memory.context, GovernRequest(Undo("undo", run="tidy"), reason="x"))


def test_a_run_is_that_of_one_workspace(memory: Memory) -> None:
    other = memory.in_("other")
    mine, theirs = memory.keep(PORT), other.keep(PORT)
    decide(memory, Retire("retire", mine, 1, how="wrong"), run="tidy")
    decide(other, Retire("retire", theirs, 1, how="wrong"), run="tidy")
    decide(memory, Undo("undo", run="tidy"))
    assert (opened(memory, mine).state, opened(memory, theirs).state) == ("active", "rejected")
    decide(memory, Undo("undo", run="tidy"), workspace="other")
    assert opened(memory, theirs).state == "active"


def test_nothing_is_undone_twice_and_an_undo_is_not_undone(memory: Memory) -> None:
    made = tell(memory, PORT)
    undone = decide(memory, Undo("undo", made.action))
    before = actions(memory.app)
    for ref, said in ((made.action, "undone already"), (undone.action, "cannot be undone")):
        with pytest.raises(InvalidInput, match=said):
            govern(memory.context, GovernRequest(Undo("undo", ref), reason="x"))
    assert actions(memory.app) == before == ["remember", "undo"]


def test_a_confirmed_undo_is_refused_when_somebody_else_was_faster(memory: Memory) -> None:
    made = tell(memory, PORT)
    request = GovernRequest(Undo("undo", made.action), reason="it was decided")
    late = ask(memory, request.do).confirm
    decide(memory, Undo("undo", made.action))
    with pytest.raises(InvalidInput, match="undone already"):
        govern(memory.context, replace(request, confirm=late))


def test_a_run_that_grew_has_to_be_confirmed_again(memory: Memory) -> None:
    refs = [memory.keep(text) for text in (PORT, NEW)]
    decide(memory, Retire("retire", refs[0], 1, how="wrong"), run="tidy")
    late = ask(memory, Undo("undo", run="tidy")).confirm
    decide(memory, Retire("retire", refs[1], 1, how="wrong"), run="tidy")
    with pytest.raises(InvalidInput, match="not good for this call"):
        govern(memory.context, GovernRequest(Undo("undo", run="tidy"), reason="it was decided", confirm=late))
    assert opened(memory, refs[0]).state == "rejected"


def test_what_cannot_be_undone_says_so(memory: Memory) -> None:
    memory.say("s", "Ann: The quay is wet.")
    made = tell(memory, PORT)
    tell(memory, PORT, source_ref="elsewhere")
    newest, _, oldest = look(memory, Audit("audit")).actions
    assert [one.undoable for one in (newest, oldest)] == [False, False]
    for one in (newest, oldest):
        with pytest.raises(InvalidInput, match="cannot be undone"):
            govern(memory.context, GovernRequest(Undo("undo", one.ref), reason="x"))
    for do in (Undo("undo"), Undo("undo", made.action, "run")):
        with pytest.raises(InvalidInput, match="one of both"):
            govern(memory.context, GovernRequest(do, reason="x"))


def test_a_foreign_action_looks_like_an_absent_one_and_needs_the_right_to_write(memory: Memory) -> None:
    foreign = tell(memory.in_("other"), PORT).action
    said = set()
    for ref in (foreign, f"a_{'0' * 26}", "nonsense", f"m_{'0' * 26}"):
        with pytest.raises(NotFound) as caught:
            govern(memory.only("inbox"), GovernRequest(Undo("undo", ref), reason="x"))
        said.add(str(caught.value).replace(str(ref), "X"))
    assert len(said) == 1
    with pytest.raises(InsufficientScope, match="may read 'other' and not change it"):
        govern(memory.only("inbox", "other", write=["inbox"]), GovernRequest(Undo("undo", foreign), reason="x"))
    with pytest.raises(InsufficientScope):
        govern(as_level(memory, "operator"), GovernRequest(Undo("undo", foreign), reason="x"))


def test_a_document_that_replaced_another_is_taken_back(memory: Memory) -> None:
    (old,) = bring(memory.context, "The fee is 40 euros a night.", url="https://example.org/fee").refs
    (new,) = bring(memory.context, "The fee is 45 euros a night.", url="https://example.org/fee").refs
    assert memory.found("What is the fee?") == ["The fee is 45 euros a night."]
    decide(memory, Undo("undo", look(memory, Audit("audit")).actions[0].ref))
    assert memory.found("What is the fee?") == ["The fee is 40 euros a night."]
    assert (opened(memory, old).state, opened(memory, new).state) == ("active", "archived")


def test_an_edit_is_taken_back_although_the_index_was_rebuilt_since(memory: Memory) -> None:
    memory.keep("The crane stands at the quay.")
    ref = memory.keep(PORT)
    asked = (QUESTION, "crane quay", "")
    before = [_told(memory, question) for question in asked]
    changed = tell(memory, NEW, op="update", target=ref, expected_version=1)
    rebuild(memory.context, memory.place())
    decide(memory, Undo("undo", changed.action))
    assert [_told(memory, question) for question in asked] == before
    rebuild(memory.context, memory.place())
    assert [_told(memory, question) for question in asked] == before


def test_a_link_is_taken_back_and_made_again(memory: Memory) -> None:
    one, two = memory.keep(PORT), memory.keep("Tests listen there.")
    made = tell(memory, op="update", target=two, expected_version=1, links=(LinkIn(one, "depends_on"),))
    asked = ask(memory, Undo("undo", made.action))
    assert "2 records" in asked.impact
    decide(memory, Undo("undo", made.action))
    assert opened(memory, one, "links").links == ()
    again = tell(memory, op="update", target=two, expected_version=1, links=(LinkIn(one, "depends_on"),))
    assert [link.ref for link in opened(memory, one, "links").links] == [two]
    assert again.version == 3


def test_containing_and_restoring_are_undone_in_any_order(memory: Memory) -> None:
    root = memory.keep(PORT)
    child = tell(memory, "Staging listens there.", evidence=(root,)).ref
    contained = decide(memory, Contain("contain", root))
    restored = decide(memory, Restore("restore", child, 1))
    decide(memory, Undo("undo", contained.action))
    assert (opened(memory, root).state, opened(memory, child).state) == ("active", "active")
    decide(memory, Undo("undo", restored.action))
    assert (opened(memory, root).state, opened(memory, child).state) == ("active", "active")


def _told(memory: Memory, question: str) -> object:
    answer = memory.ask(question, limit=20)
    return replace(answer, meta=replace(answer.meta, took_ms=None))
