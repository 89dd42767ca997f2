"""Merging workspaces and moving records: all goes along, nothing is found twice, and one undo brings it back."""

from __future__ import annotations

import random
from typing import Any

import pytest

from muniment.errors import ForbiddenScope, InvalidInput, NotFound, ProtectedTarget, StaleVersion, UnknownWorkspace
from muniment.governance import ledger
from muniment.governance.govern import govern
from muniment.governance.review import review
from muniment.index import rebuild
from muniment.model.governing import GovernRequest, Protect, Undo
from muniment.model.reading import ReadRequest
from muniment.model.reviewing import Audit, History, ReviewRequest
from muniment.model.times import Moment
from muniment.model.workspaces import MergeWorkspace, MoveRecords, Redirects, SetWorkspace
from muniment.model.writing import Labels, LinkIn
from muniment.recall.read import read
from tests.governance.disagreeing import NEW, OLD, Bench
from tests.governance.governing import ask, decide, look, opened, record, tell
from tests.governance.placing import confirmed, held, manages, told
from tests.makers import Memory

PORT = "The booking service listens on port 8081."
FEE = "The winter berth costs 240 euros."


@pytest.fixture
def yard(memory: Memory) -> Memory:
    """A workspace with a conversation and memories that replaced one another, with links and labels; `quay` beside it."""
    memory.in_("quay").keep("The quay is closed in winter.")
    yard = memory.in_("yard")
    yard.say(
        "talk", "Ada: The crane of the Nordhafen is broken.", "Ben: Torben repairs it on Monday.", time="2026-03-02T10:00Z"
    )
    old = yard.keep("The booking service listens on port 8080.", labels=Labels(tags=("ports",)))
    tell(yard, PORT, op="supersede", target=old, expected_version=1)
    fee = yard.keep(FEE)
    yard.change(fee, "The winter berth costs 260 euros.")
    yard.keep("Winter berths are paid in advance.", links=(LinkIn(fee, "depends_on"),))
    return yard


def test_merging_what_is_empty_says_so(yard: Memory) -> None:
    yard.in_("slip")
    assert "Merge slip into quay: there is nothing to move." in told(yard, MergeWorkspace("merge", "slip", "quay")).impact


def everywhere(memory: Memory, query: str, slug: str) -> list[tuple[str, str]]:
    answer = memory.ask(query, workspace=slug)
    return [(one.ref, one.text) for one in answer.results]


QUESTIONS = ("Which port does the booking service listen on?", "What does the winter berth cost?", "Who repairs the crane?")


def answers(memory: Memory, slug: str) -> list[Any]:
    return [everywhere(memory, question, slug) for question in QUESTIONS]


def test_a_merge_takes_everything_along_and_search_finds_it_once(yard: Memory) -> None:
    before, rows = answers(yard, "yard"), held(yard, "yard")
    merged = confirmed(yard, MergeWorkspace("merge", "yard", "quay"), reason="one place")
    assert merged.counts == {"records": 6, "sessions": 1, "versions": 4, "links": 3, "claims": rows["claim"]} | (
        merged.counts or {}
    )
    assert held(yard, "yard") == {}
    for found, wanted in zip(answers(yard, "quay"), before, strict=True):
        assert found[0] == wanted[0]
        assert len({ref for ref, _ in found}) == len(found)
    quay = held(yard, "quay")
    assert all(
        quay[name] >= rows[name] for name in ("record", "record_version", "label", "link", "claim", "session", "speaker")
    )
    assert answers(yard.elsewhere(), "quay") == answers(yard, "quay")  # a process that holds nothing says the same
    with yard.app.store.read() as connection:
        for slug in ("yard", "quay"):
            assert ledger.broken(connection, yard.place(slug).id) is None


def test_what_was_merged_has_its_history_labels_and_links(yard: Memory) -> None:
    fee = next(ref for ref, text in everywhere(yard, QUESTIONS[1], "yard") if "260" in text)
    links = opened(yard, fee, "links").links
    confirmed(yard, MergeWorkspace("merge", "yard", "quay"))
    quay = Memory(yard.app, yard.clock, yard.entropy, yard.engines, "quay", yard.numbers)
    assert [one.version for one in look(quay, History("history", fee)).versions] == [2, 1]
    assert opened(quay, fee, "links").links == links
    old = next(ref for ref, _ in everywhere(quay, "port 8080 8081", "quay") if "8081" in record(quay, ref).text)
    retired = opened(quay, old, "lineage", "links")
    assert retired.provenance.workspace == "quay"
    talk = read(quay.context, ReadRequest(session="talk"))
    assert [one.provenance.speaker for one in talk.records] == ["Ada", "Ben"]
    assert quay.found("", where=None, workspace="quay")


def test_a_merged_name_leads_to_where_its_records_are(yard: Memory) -> None:
    confirmed(yard, MergeWorkspace("merge", "yard", "quay"))
    assert yard.place("yard").state == "archived"
    assert everywhere(yard, QUESTIONS[0], "yard") == everywhere(yard, QUESTIONS[0], "quay")
    assert tell(yard, "The gate closes at nine.", workspace="yard").workspace == "quay"
    assert [(one.name, one.workspace) for one in manages(yard, Redirects("redirects")).redirects] == [("yard", "quay")]


def test_a_token_walled_to_what_was_merged_sees_nothing_by_it(yard: Memory) -> None:
    guest = yard.only("yard")
    confirmed(yard, MergeWorkspace("merge", "yard", "quay"))
    said = set()
    for name in ("yard", "quay", "nowhere"):
        with pytest.raises((ForbiddenScope, UnknownWorkspace)) as fault:
            read(guest, ReadRequest(session="talk", workspace=name))
        said.add(type(fault.value))
    assert ForbiddenScope in said
    fee = next(ref for ref, text in everywhere(yard, QUESTIONS[1], "quay") if "260" in text)
    with pytest.raises(NotFound):
        read(guest, ReadRequest(ref=fee))


def test_undoing_a_merge_brings_everything_back_as_it_was(yard: Memory) -> None:
    before, rows = answers(yard, "yard"), held(yard, "yard")
    quay = held(yard, "quay")
    merged = confirmed(yard, MergeWorkspace("merge", "yard", "quay"))
    undone = decide(yard, Undo("undo", merged.action))
    assert undone.counts is not None
    assert undone.counts["records"] == 6
    assert answers(yard, "yard") == before
    assert answers(yard.elsewhere(), "yard") == before
    assert held(yard, "yard") == rows
    assert held(yard, "quay") == quay
    assert yard.place("yard").state == "active"
    with pytest.raises(InvalidInput, match="undone already"):
        decide(yard, Undo("undo", merged.action))


def test_what_was_done_before_a_move_can_be_undone_once_that_is_undone(yard: Memory) -> None:
    fee = next(ref for ref, text in everywhere(yard, QUESTIONS[1], "yard") if "260" in text)
    edit = next(one for one in look(yard, Audit("audit")).actions if one.kind == "update")
    moved = confirmed(yard, MoveRecords("move", "quay", (fee,)))
    with pytest.raises(InvalidInput, match="moved to another workspace"):
        decide(yard, Undo("undo", edit.ref))
    decide(yard, Undo("undo", moved.action))
    decide(yard, Undo("undo", edit.ref))
    assert opened(yard, fee).text == FEE


def test_moving_one_record_cuts_what_would_cross_the_wall_and_undo_ties_it_again(yard: Memory) -> None:
    fee = next(ref for ref, text in everywhere(yard, QUESTIONS[1], "yard") if "260" in text)
    links, rows, before = opened(yard, fee, "links").links, held(yard, "yard"), answers(yard, "yard")
    assert "1 link to what stays" in told(yard, MoveRecords("move", "quay", (fee,))).impact
    moved = confirmed(yard, MoveRecords("move", "quay", (fee,)))
    assert moved.counts is not None
    assert (moved.counts["records"], moved.counts["links_cut"], moved.counts["versions"]) == (1, 1, 2)
    assert everywhere(yard, QUESTIONS[1], "quay")[0][0] == fee
    assert fee not in [ref for ref, _ in everywhere(yard, QUESTIONS[1], "yard")]
    assert [ref for ref, _ in everywhere(yard, QUESTIONS[1], "*")].count(fee) == 1
    assert opened(yard, fee).provenance.workspace == "quay"
    decide(yard, Undo("undo", moved.action))
    assert answers(yard, "yard") == before
    assert opened(yard, fee, "links").links == links
    assert held(yard, "yard") == rows


def test_a_day_before_a_move_is_answered_by_the_standing_that_the_record_came_with(yard: Memory) -> None:
    fee = next(ref for ref, text in everywhere(yard, QUESTIONS[1], "yard") if "260" in text)
    then = Moment(yard.clock.now, 0).iso()
    yard.clock.move(86_400_000)
    yard.archive(fee)

    def known(slug: str) -> bool:
        return fee in [one.ref for one in yard.ask(QUESTIONS[1], workspace=slug, known_at=then).results]

    assert known("yard")
    moved = confirmed(yard, MoveRecords("move", "quay", (fee,)))
    assert (known("yard"), known("quay")) == (False, False)
    decide(yard, Undo("undo", moved.action))
    assert known("yard")


def test_an_heir_that_moves_away_leaves_what_it_replaced_and_comes_back_to_it(yard: Memory) -> None:
    new = next(ref for ref, text in everywhere(yard, QUESTIONS[0], "yard") if "8081" in text)
    before = answers(yard, "yard")
    moved = confirmed(yard, MoveRecords("move", "quay", (new,)))
    assert all("8080" not in text for _, text in everywhere(yard, QUESTIONS[0], "yard"))
    decide(yard, Undo("undo", moved.action))
    assert answers(yard, "yard") == before


def test_a_session_moves_whole_and_a_turn_never_alone(yard: Memory) -> None:
    turn = next(ref for ref, _ in everywhere(yard, QUESTIONS[2], "yard") if ref.startswith("t_"))
    with pytest.raises(InvalidInput, match="with its session"):
        manages(yard, MoveRecords("move", "quay", (turn,)))
    talk = read(yard.context, ReadRequest(session="talk")).session
    assert talk is not None
    before = answers(yard, "yard")
    moved = confirmed(yard, MoveRecords("move", "quay", session=talk.ref))
    assert moved.counts is not None
    assert (moved.counts["records"], moved.counts["sessions"]) == (2, 1)
    assert everywhere(yard, QUESTIONS[2], "quay")[0][0] == turn
    assert not [ref for ref, _ in everywhere(yard, QUESTIONS[2], "yard") if ref == turn]
    shown = read(yard.context, ReadRequest(ref=turn, around=True))
    assert [one.provenance.workspace for one in shown.records] == ["quay", "quay"]
    decide(yard, Undo("undo", moved.action))
    assert answers(yard, "yard") == before


def test_a_conversation_that_both_have_stays_two(yard: Memory) -> None:
    yard.in_("quay").say("talk", "Eve: The quay has its own talk.")
    merged = confirmed(yard, MergeWorkspace("merge", "yard", "quay"))
    assert held(yard, "quay")["session"] == 2
    decide(yard, Undo("undo", merged.action))
    assert len(read(yard.context, ReadRequest(session="talk", workspace="yard")).records) == 2
    assert len(read(yard.context, ReadRequest(session="talk", workspace="quay")).records) == 1


def test_what_changed_after_a_merge_goes_back_as_it_is(yard: Memory) -> None:
    merged = confirmed(yard, MergeWorkspace("merge", "yard", "quay"))
    quay = yard.in_("quay")
    fee = next(ref for ref, text in everywhere(yard, QUESTIONS[1], "quay") if "260" in text)
    quay.change(fee, "The winter berth costs 280 euros.", version=2)
    quay.say("talk", "Ada: The crane works again.")
    decide(yard, Undo("undo", merged.action))
    assert opened(yard, fee).text == "The winter berth costs 280 euros."
    assert opened(yard, fee).provenance.workspace == "yard"
    assert len(read(yard.context, ReadRequest(session="talk", workspace="yard")).records) == 3
    assert yard.found("", workspace="quay") == ["The quay is closed in winter."]


def test_the_index_of_what_was_moved_is_what_a_rebuild_makes(yard: Memory) -> None:
    fee = next(ref for ref, text in everywhere(yard, QUESTIONS[1], "yard") if "260" in text)
    confirmed(yard, MoveRecords("move", "quay", (fee,)))
    for slug in ("yard", "quay"):
        found = answers(yard, slug)
        rebuild.rebuild(yard.context, yard.place(slug))
        assert answers(yard, slug) == found


def test_vectors_are_made_for_what_came(yard: Memory) -> None:
    from tests.makers import HashedWords

    memory = yard.embed_with(HashedWords())
    memory.work()
    confirmed(memory, MergeWorkspace("merge", "yard", "quay"))
    memory.work()
    answer = memory.ask(QUESTIONS[0], workspace="quay")
    assert not answer.meta.degraded
    assert "8081" in answer.results[0].text


def test_a_move_into_a_looser_class_says_what_it_opens(yard: Memory) -> None:
    manages(yard, SetWorkspace("set", "yard", data_class="confidential"))
    impact = told(yard, MergeWorkspace("merge", "yard", "quay")).impact
    assert "What is confidential becomes internal" in impact
    assert "6 records" in impact
    assert "1 conversation" in impact
    assert "confidential" not in told(yard, MergeWorkspace("merge", "quay", "yard")).impact.replace("yard", "")


def test_protected_records_move_only_with_authority(yard: Memory) -> None:
    from dataclasses import replace

    fee = next(ref for ref, text in everywhere(yard, QUESTIONS[1], "yard") if "260" in text)
    decide(yard, Protect("protect", fee, 2, "protected"))
    weak = replace(yard.context, grant=replace(yard.context.grant, scopes=frozenset({"admin", "read", "append", "write"})))
    for do in (MoveRecords("move", "quay", (fee,)), MergeWorkspace("merge", "yard", "quay")):
        with pytest.raises(ProtectedTarget):
            manages(weak, do)
    assert confirmed(yard, MoveRecords("move", "quay", (fee,))).counts


def test_what_changed_since_it_was_confirmed_is_not_moved(yard: Memory) -> None:
    talk = read(yard.context, ReadRequest(session="talk")).session
    assert talk is not None
    asked = told(yard, MoveRecords("move", "quay", session=talk.ref))
    yard.say("talk", "Ada: A gull sits on the crane.")
    with pytest.raises((StaleVersion, InvalidInput)):
        manages(yard, MoveRecords("move", "quay", session=talk.ref), confirm=asked.confirm)
    assert held(yard, "quay").get("session") is None


def test_a_workspace_in_use_is_merged_and_taken_back_with_what_was_written_meanwhile(yard: Memory) -> None:
    quay = yard.in_("quay")
    asked = told(yard, MergeWorkspace("merge", "yard", "quay"))
    yard.keep("A gull sits on the crane.")
    fee = next(ref for ref, text in everywhere(yard, QUESTIONS[1], "yard") if "260" in text)
    yard.change(fee, "The winter berth costs 270 euros.", version=2)
    quay.keep("The quay has a new lamp.")
    merged = manages(yard, MergeWorkspace("merge", "yard", "quay"), confirm=asked.confirm)
    assert merged.counts is not None
    assert (merged.counts["records"], held(yard, "quay")["record"]) == (7, 9)
    assert opened(quay, fee).text == "The winter berth costs 270 euros."
    back = ask(quay, Undo("undo", str(merged.action)))
    quay.change(fee, "The winter berth costs 280 euros.", version=3)
    quay.say("talk", "Ada: The crane works again.")
    request = GovernRequest(Undo("undo", str(merged.action)), reason="it was decided", confirm=back.confirm)
    undone = govern(quay.context, request)
    assert undone.counts is not None
    assert undone.counts["records"] == 8
    assert opened(yard, fee).text == "The winter berth costs 280 euros."
    assert (held(yard, "yard")["record"], held(yard, "quay")["record"]) == (8, 2)


@pytest.mark.parametrize("data_class", ["public", "restricted"])
def test_a_merge_is_confirmed_for_the_walls_and_names_that_were_told(yard: Memory, data_class: Any) -> None:
    asked = told(yard, MergeWorkspace("merge", "yard", "quay"))
    confirmed_class = SetWorkspace("set", "quay", data_class=data_class)
    (confirmed if data_class == "public" else manages)(yard, confirmed_class)
    with pytest.raises(InvalidInput):
        manages(yard, MergeWorkspace("merge", "yard", "quay"), confirm=asked.confirm)
    assert held(yard, "yard")["record"] == 6


def test_a_conflict_goes_with_all_its_records_or_not_at_all(memory: Memory) -> None:
    memory.in_("quay")
    yard = memory.in_("yard")
    first, second = yard.keep(OLD), yard.keep(NEW)
    Bench(yard).scan()
    conflict = Bench(yard).only().ref
    with pytest.raises(InvalidInput, match="together"):
        manages(memory, MoveRecords("move", "quay", (first,)))
    moved = confirmed(memory, MoveRecords("move", "quay", (first, second)))
    assert moved.counts is not None
    assert moved.counts["conflicts"] == 1
    quay = memory.in_("quay")
    from muniment.model.reviewing import OneConflict

    seen = look(quay, OneConflict("conflict", conflict)).conflict
    assert seen is not None
    assert {one.ref for one in seen.members} == {first, second}
    decide(quay, Undo("undo", moved.action))
    again = look(memory.in_("yard"), OneConflict("conflict", conflict)).conflict
    assert again is not None
    assert again.status == "open"


def test_a_workspace_is_not_merged_into_itself_nor_a_part_of_every_store_away(yard: Memory) -> None:
    for one, other in (("yard", "yard"), ("inbox", "yard"), ("global", "yard")):
        with pytest.raises(InvalidInput):
            manages(yard, MergeWorkspace("merge", one, other))
    with pytest.raises(UnknownWorkspace):
        manages(yard, MergeWorkspace("merge", "yard", "nowhere"))


def test_what_went_on_from_where_a_merge_brought_it_is_brought_back_first(yard: Memory) -> None:
    yard.in_("pier")
    before = answers(yard, "yard")
    first = confirmed(yard, MergeWorkspace("merge", "yard", "quay"))
    second = confirmed(yard, MergeWorkspace("merge", "quay", "pier"))
    assert everywhere(yard, QUESTIONS[0], "yard") == everywhere(yard, QUESTIONS[0], "pier")  # the name follows both
    with pytest.raises(InvalidInput, match="Take that back first"):
        decide(yard, Undo("undo", first.action))
    decide(yard, Undo("undo", second.action))
    decide(yard, Undo("undo", first.action))
    assert answers(yard, "yard") == before


@pytest.mark.parametrize("seed", range(4))
def test_moves_and_their_undoing_in_any_possible_order_leave_every_answer_as_it_was(fresh: Any, seed: int) -> None:
    """Random moves among three workspaces; each is undone as soon as what it brought is still where it was brought."""
    draw = random.Random(seed)
    memory = fresh()
    places = [memory.in_(slug) for slug in ("yard", "quay", "pier")]
    refs = []
    for number in range(12):
        one = draw.choice(places)
        link = (LinkIn(draw.choice(refs)[1], "related_to"),) if refs and draw.random() < 0.5 else None
        link = link if link and record(memory, link[0].ref).workspace == one.place().id else None
        refs.append((one, one.keep(f"The berth {number} of Nordhafen costs {number * 10} euros.", links=link)))
    questions = [f"What does the berth {number} of Nordhafen cost?" for number in range(12)]

    def all_answers() -> list[Any]:
        return [everywhere(memory, question, slug) for question in questions for slug in ("yard", "quay", "pier", "*")]

    before = all_answers()
    rows = [held(memory, slug) for slug in ("yard", "quay", "pier")]
    moves: list[str] = []
    for _ in range(8):
        ref = draw.choice(refs)[1]
        here = opened(memory, ref).provenance.workspace
        there = draw.choice([one.workspace for one in places if one.workspace != here])
        action = confirmed(memory, MoveRecords("move", there, (ref,))).action
        assert action is not None
        moves.append(action)
    for action in reversed(moves):
        decide(memory, Undo("undo", action))
    assert all_answers() == before
    assert [held(memory, slug) for slug in ("yard", "quay", "pier")] == rows


def test_an_admin_of_both_workspaces_moves_and_merges_behind_its_walls(yard: Memory) -> None:
    guest = yard.only("yard", "quay")
    before = answers(yard, "yard")
    fee = next(ref for ref, text in everywhere(yard, QUESTIONS[1], "yard") if "260" in text)
    moved = confirmed(guest, MoveRecords("move", "quay", (fee,)))
    decide(guest, Undo("undo", moved.action))
    merged = confirmed(guest, MergeWorkspace("merge", "yard", "quay"))
    decide(yard, Undo("undo", merged.action))
    assert answers(yard, "yard") == before
    with pytest.raises(UnknownWorkspace):
        manages(yard.only("yard"), MergeWorkspace("merge", "yard", "quay"))


def test_who_reaches_only_one_of_two_workspaces_sees_nothing_of_the_other_in_the_ledger(yard: Memory) -> None:
    quay = yard.in_("quay")
    source, target = yard.place("yard"), yard.place("quay")
    kept = yard.keep("The keeper stays in the yard.")
    mover = yard.keep("The mover is brown.", links=(LinkIn(kept, "supports"),))
    moved = confirmed(yard, MoveRecords("move", "quay", (mover,)), reason="the yard is closed")
    here, there, both = quay.only("quay"), yard.only("yard"), quay.only("quay", "yard")

    def tells(context: Any, do: Any, slug: str) -> str:
        return str(review(context, ReviewRequest(do, workspace=slug)).actions)

    for do in (Audit("audit"), Audit("audit", mover), History("history", mover)):
        said = tells(here, do, "quay")
        assert mover in said
        for secret in (source.uid, kept[2:], "supports", "closed", "'as'", "'out'", "'cut'"):
            assert secret not in said
        assert source.uid in tells(both, do, "quay")
        assert "closed" in tells(both, do, "quay")
        assert source.uid in tells(quay.context, do, "quay")
    entry = next(one for one in review(here, ReviewRequest(Audit("audit"), workspace="quay")).actions if one.kind == "move")
    assert (entry.targets, entry.reason, entry.undoable) == ({"records": [mover], "other": "elsewhere"}, None, False)
    assert target.uid not in tells(there, Audit("audit"), "yard")
    assert "closed" not in tells(there, Audit("audit"), "yard")
    assert target.uid in tells(both, Audit("audit"), "yard")
    assert "closed" in tells(both, Audit("audit"), "yard")
    decide(quay, Undo("undo", moved.action), reason="the yard is open")
    merged = confirmed(yard, MergeWorkspace("merge", "yard", "quay"), reason="the yard is full")
    for secret in (source.uid, "open", "full", kept[2:]):
        assert secret not in tells(here, Audit("audit"), "quay")
    assert "full" in tells(quay.context, Audit("audit"), "quay")
    decide(quay, Undo("undo", merged.action), reason="the quay is shut")
    assert target.uid not in tells(there, Audit("audit"), "yard")
    assert "shut" not in tells(there, Audit("audit"), "yard")
