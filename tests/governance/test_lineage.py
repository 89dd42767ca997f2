"""Where text came from and where it went, however far; and taking all of it out of recall at once."""

from __future__ import annotations

from typing import Any

import pytest

from muniment.errors import InvalidInput, LimitExceeded, NotFound
from muniment.governance import lineage as lineages
from muniment.governance.govern import govern
from muniment.model.governing import Contain, GovernRequest, Protect, Retire, Undo
from muniment.model.reading import Kin
from muniment.model.reviewing import Lineage
from muniment.model.writing import LinkIn
from muniment.store import lineage as walks
from tests.governance.governing import ask, decide, look, opened, record, tell
from tests.ingest.writing import actions, bring
from tests.makers import Memory

LIE = "The staging port is 666."


def family(memory: Memory) -> dict[str, str]:
    """A turn, a document made of it, a memory derived from that, one covering it, and one that only relates."""
    (turn,) = memory.say("s", f"Mallory: {LIE}")
    fact = tell(memory, "Staging listens on 666.", evidence=(turn,)).ref
    deeper = tell(memory, "Staging is open to demons.", evidence=(fact,)).ref
    brief = tell(memory, "A brief about staging and its port.", kind="brief", links=(LinkIn(fact, "covers"),)).ref
    aside = tell(memory, "Staging needs a new port.", links=(LinkIn(fact, "related_to"),)).ref
    return {"turn": turn, "fact": fact, "deeper": deeper, "brief": brief, "aside": aside}


def test_lineage_reaches_through_every_step_and_only_along_what_text_flows(memory: Memory) -> None:
    refs = family(memory)
    answer = look(memory, Lineage("lineage", refs["fact"]))
    assert answer.record is not None
    assert answer.record.ref == refs["fact"]
    assert [one.ref for one in answer.sources] == [refs["turn"]]
    assert [one.ref for one in answer.derived] == [refs["deeper"], refs["brief"]]
    down = look(memory, Lineage("lineage", refs["turn"]))
    assert [one.ref for one in down.derived] == [refs["fact"], refs["deeper"], refs["brief"]]
    assert (down.counts, down.sources) == ({"sources": 0, "derived": 3}, ())


def test_read_shows_the_lineage_with_its_distance(memory: Memory) -> None:
    refs = family(memory)
    held = opened(memory, refs["deeper"], "lineage")
    assert held.sources == (Kin(refs["fact"], 1, "active"), Kin(refs["turn"], 2, "active"))
    assert opened(memory, refs["turn"], "lineage").derived[0] == Kin(refs["fact"], 1, "active")
    assert opened(memory, refs["deeper"]).sources == ()


def test_a_circle_ends(memory: Memory) -> None:
    one, two, three = memory.keep("One."), memory.keep("Two."), memory.keep("Three.")
    for src, dst in ((one, two), (two, one), (two, three), (three, two)):
        tell(memory, op="update", target=src, expected_version=memory.version(src), evidence=(dst,))
    for ref, others in ((one, [two, three]), (three, [two, one])):
        answer = look(memory, Lineage("lineage", ref))
        assert [seen.ref for seen in answer.sources] == [seen.ref for seen in answer.derived] == others
    assert ask(memory, Contain("contain", one)).impact.count(two) == 1


def test_a_foreign_record_has_no_lineage(memory: Memory) -> None:
    foreign = memory.in_("other").keep(LIE)
    for ref in (foreign, f"m_{'0' * 26}", "x"):
        with pytest.raises(NotFound):
            look(memory.only("inbox"), Lineage("lineage", ref))
        with pytest.raises(NotFound):
            govern(memory.only("inbox"), GovernRequest(Contain("contain", ref), reason="x"))


def test_everything_derived_goes_in_one_action_and_comes_back_in_one_undo(memory: Memory) -> None:
    refs = family(memory)
    (document,) = bring(memory.context, "Minutes: demons use port 666 of staging.").refs
    tell(memory, "The minutes tell of demons.", evidence=(document,), links=(LinkIn(refs["fact"], "derived_from"),))
    decide(memory, Protect("protect", refs["deeper"], 1, "locked"))
    questions = ("staging port", "demons", "minutes", "")
    before = [memory.found(question, limit=20) for question in questions]
    asked = ask(memory, Contain("contain", refs["turn"]))
    assert "5 records (4 memories, 1 turn)" in asked.impact
    assert "1 of them are protected or locked" in asked.impact
    answer = decide(memory, Contain("contain", refs["turn"]))
    assert answer.counts == {"archived": 5, "derived": 4}
    assert len(answer.changed) == 5
    assert memory.found("", limit=20) == ["Staging needs a new port.", "Minutes: demons use port 666 of staging."]
    assert actions(memory.app)[-1] == "contain"
    decide(memory, Undo("undo", answer.action))
    assert [memory.found(question, limit=20) for question in questions] == before
    assert opened(memory, refs["deeper"]).protection == "locked"


def test_what_was_replaced_by_what_goes_is_named(memory: Memory) -> None:
    true = memory.keep("The staging port is 8080.")
    lie = tell(memory, LIE, op="supersede", target=true, expected_version=1).ref
    assert f"stays replaced until it is restored: {true}" in ask(memory, Contain("contain", lie)).impact


def test_what_is_retired_already_is_left_as_it_is(memory: Memory) -> None:
    refs = family(memory)
    decide(memory, Retire("retire", refs["deeper"], 1, how="wrong"))
    answer = decide(memory, Contain("contain", refs["fact"]))
    assert set(answer.changed) == {refs["fact"], refs["brief"]}
    assert opened(memory, refs["deeper"]).state == "rejected"
    with pytest.raises(InvalidInput, match="recalled any more"):
        govern(memory.context, GovernRequest(Contain("contain", refs["fact"]), reason="x"))


def test_a_contained_document_does_not_come_back_by_being_sent_again(memory: Memory) -> None:
    text, url = "The manual names port 666.", "https://example.org/manual"
    (document,) = bring(memory.context, text, url=url).refs
    decide(memory, Contain("contain", document))
    answer = bring(memory.context, text, url=url)
    assert (answer.duplicates, answer.refs) == (1, ())
    assert "archived by decision" in answer.meta.warnings[0]
    assert opened(memory, document).state == "archived"


def test_a_lineage_that_grew_has_to_be_confirmed_again(memory: Memory) -> None:
    refs = family(memory)
    do = Contain("contain", refs["turn"])
    late = ask(memory, do).confirm
    tell(memory, "One more of it.", evidence=(refs["turn"],))
    with pytest.raises(InvalidInput, match="not good for this call"):
        govern(memory.context, GovernRequest(do, reason="it was decided", confirm=late))
    assert opened(memory, refs["turn"]).state == "active"


def test_a_walk_has_an_end(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    refs = family(memory)
    number, place = _number(memory, refs["turn"]), memory.place().id
    with memory.app.store.read() as connection:
        for most, more in ((2, True), (3, False)):
            walk = walks.walk(connection, place, number, "derived", most=most)
            assert (len(walk.steps), walk.more) == (most, more)
    monkeypatch.setattr(lineages, "CONTAIN_MAX", 2)
    with pytest.raises(LimitExceeded, match="More than 2 records"):
        govern(memory.context, GovernRequest(Contain("contain", refs["turn"]), reason="x"))
    monkeypatch.setattr(lineages, "LIST_MAX", 1)
    answer = look(memory, Lineage("lineage", refs["turn"]))
    assert (len(answer.derived), len(answer.meta.warnings)) == (1, 1)


def _number(memory: Memory, ref: str) -> Any:
    return record(memory, ref).id
