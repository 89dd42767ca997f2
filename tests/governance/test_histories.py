"""What was changed and done, by whom and why: complete, newest first, and only for who may read it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.errors import InvalidCursor, InvalidInput, LimitExceeded, NotFound
from muniment.governance import consolidation, difference
from muniment.governance import histories as told
from muniment.governance import proposals as filing
from muniment.ingest.remember import remember
from muniment.model.governing import Contain, Protect, Retire, Undo
from muniment.model.reviewing import Audit, Diff, Expired, History
from muniment.model.writing import Labels, LinkIn, RememberRequest
from muniment.store import proposals, workspaces
from muniment.store.histories import Kept
from tests.governance.governing import decide, look, opened, tell
from tests.governance.proposing import agent, ask, listed, rule
from tests.ingest.writing import bring
from tests.makers import Memory

PORT = "The staging port is 8080.\nIt listens on all addresses."
NEW = "The staging port is 8081.\nIt listens on all addresses."


def test_every_version_is_told_with_who_why_and_labels_newest_first(memory: Memory) -> None:
    made = tell(memory, PORT, why="first look", labels=Labels(topics=("ports",)))
    tell(memory, NEW, op="update", target=made.ref, expected_version=1, why="it moved", subject="Ports")
    tell(memory, op="update", target=made.ref, expected_version=2, labels=Labels(tags=("checked",)), why="looked at it")
    answer = look(memory, History("history", made.ref))
    shown = [(one.version, one.text, one.by, one.reason, one.subject, one.labels, one.current) for one in answer.versions]
    assert shown == [
        (3, NEW, "local", "looked at it", "Ports", ("tag:checked",), True),
        (2, NEW, "local", "it moved", "Ports", ("topic:ports",), False),
        (1, PORT, "local", "first look", None, ("topic:ports",), False),
    ]
    assert [one.kind for one in answer.actions] == ["update", "update", "remember"]
    assert answer.actions[0].targets == {"record": made.ref, "version": 3, "from": 2}
    assert all(one.undoable for one in answer.actions)
    assert len(opened(memory, made.ref, "history").history) == 3


def test_a_record_that_never_changed_has_one_version(memory: Memory) -> None:
    (turn,) = memory.say("s", "Ann: Hello.")
    for ref in (turn, memory.keep(PORT)):
        (one,) = look(memory, History("history", ref)).versions
        assert (one.version, one.current, one.by) == (1, True, "local")
        assert len(opened(memory, ref, "history").history) == 1


def test_everything_that_concerned_a_record_is_told_and_nothing_else(memory: Memory) -> None:
    one, two = memory.keep(PORT), memory.keep("Tests listen there.")
    memory.keep("Cats sleep.")
    tell(memory, op="update", target=two, expected_version=1, links=(LinkIn(one, "depends_on"),))
    retired = decide(memory, Retire("retire", one, 1, two), run="tidy")
    undone = decide(memory, Undo("undo", retired.action))
    kinds = [entry.kind for entry in look(memory, History("history", one)).actions]
    assert kinds == ["undo", "retire", "update", "remember"]
    shown = {entry.ref: entry for entry in look(memory, Audit("audit", one)).actions}
    assert (shown[str(retired.action)].undone, shown[str(retired.action)].undoable) == (True, False)
    assert shown[str(undone.action)].targets == {"undone": [retired.action]}
    assert shown[str(retired.action)].targets == {"record": one, "how": "change", "heir": two}
    assert [entry.kind for entry in look(memory, Audit("audit", run="tidy")).actions] == ["retire"]


def test_the_ledger_is_paged_newest_first_to_its_end(memory: Memory) -> None:
    for number in range(5):
        memory.keep(f"Fact {number} of the quay.")
    memory.in_("other").keep("Elsewhere.")
    pages, cursor = [], None
    while True:
        answer = look(memory, Audit("audit", limit=2, cursor=cursor))
        pages.append(len(answer.actions))
        cursor = answer.cursor
        if cursor is None:
            break
        with pytest.raises(InvalidCursor):
            look(memory, Audit("audit", run="x", cursor=cursor))
    assert pages == [2, 2, 1]


def test_what_recall_no_longer_shows_is_listed_with_its_heir(memory: Memory) -> None:
    old = memory.keep(PORT)
    heir = tell(memory, NEW, op="supersede", target=old, expected_version=1, correction=True).ref
    wrong, away = memory.keep("The crane is blue."), memory.keep("The crane is at the quay.")
    tell(memory, op="reject", target=wrong, expected_version=1)
    memory.archive(away)
    answer = look(memory, Expired("expired"))
    assert [(one.ref, one.state) for one in answer.records] == [(away, "archived"), (wrong, "rejected"), (old, "superseded")]
    assert (answer.records[-1].superseded_by, answer.records[-1].why) == (heir, "correction")
    assert [one.ref for one in look(memory, Expired("expired", "CRANE blue")).records] == [wrong]
    assert [one.ref for one in look(memory, Expired("expired", state="archived")).records] == [away]
    first = look(memory, Expired("expired", limit=2))
    rest = look(memory, Expired("expired", limit=2, cursor=first.cursor))
    assert [one.ref for one in (*first.records, *rest.records)] == [away, wrong, old]
    assert rest.cursor is None


def test_words_are_looked_for_in_part_and_the_cursor_goes_on(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told, "PAGE", 2)
    monkeypatch.setattr(told, "EXPIRED_READ_MAX", 2)
    for number in range(5):
        memory.archive(memory.keep(f"Fact {number} of the {'quay' if number else 'lonely crane'}."))
    found, cursor, calls = [], None, 0
    while calls == 0 or cursor:
        answer = look(memory, Expired("expired", "crane", cursor=cursor))
        found += [one.text for one in answer.records]
        cursor, calls = answer.cursor, calls + 1
    assert (found, calls) == (["Fact 0 of the lonely crane."], 3)


def test_a_difference_marks_the_words_that_changed(memory: Memory) -> None:
    ref = memory.keep(PORT)
    tell(memory, NEW, op="update", target=ref, expected_version=1, subject="Ports", labels=Labels(("a",)))
    assert (look(memory, Diff("diff", ref)).diff or "").split("\n") == [
        f"{ref} version 1 → 2",
        "subject: (none) → Ports",
        "labels: {+topic:a+}",
        "- The staging port is [-8080-].",
        "+ The staging port is {+8081+}.",
        "  It listens on all addresses.",
    ]
    tell(memory, f"{NEW}\nAnd so on.", op="update", target=ref, expected_version=2)
    assert (look(memory, Diff("diff", ref)).diff or "").endswith("  It listens on all addresses.\n+ And so on.")
    back = look(memory, Diff("diff", ref, old=3, new=1)).diff or ""
    assert "- And so on." in back
    assert "+ The staging port is {+8080+}." in back


def test_labels_alone_are_a_difference_too(memory: Memory) -> None:
    ref = memory.keep(PORT, labels=Labels(("a", "b")))
    tell(memory, op="update", target=ref, expected_version=1, labels=Labels(("b",), people=("Ann",)))
    assert (look(memory, Diff("diff", ref)).diff or "").split("\n")[1:] == [
        "labels: [-topic:a-] {+person:Ann+}",
        "The text is the same.",
    ]


def test_a_difference_needs_two_versions_that_are_there(memory: Memory) -> None:
    ref = memory.keep(PORT)
    with pytest.raises(InvalidInput, match="no version before 1"):
        look(memory, Diff("diff", ref))
    memory.change(ref, NEW)
    with pytest.raises(NotFound, match="no version 9"):
        look(memory, Diff("diff", ref, new=9))


def test_a_difference_of_long_texts_is_refused_or_cheap() -> None:
    def kept(version: int, text: str) -> Kept:
        return Kept(version, text, None, (), None, 0, "unknown", "conversations", "local")

    words = " ".join(str(number) for number in range(3000))
    assert difference.tell("m_x", kept(1, f"a {words}"), kept(2, f"b {words}")).count("[-") == 0
    for text in ("x" * (difference.CHARS_MAX + 1), "\n" * (difference.LINES_MAX + 1)):
        with pytest.raises(LimitExceeded):
            difference.tell("m_x", kept(1, "y"), kept(2, text))


@pytest.mark.parametrize("verb", [History, Diff, lambda verb, ref: Audit("audit", ref)])
def test_a_foreign_record_has_no_history(memory: Memory, verb: object) -> None:
    foreign = memory.in_("other").keep(PORT)
    said = set()
    for ref in (foreign, f"m_{'0' * 26}"):
        name = getattr(verb, "__name__", "").lower()
        with pytest.raises(NotFound) as caught:
            look(memory.only("inbox"), verb(name, ref))  # type: ignore[operator]
        said.add(str(caught.value).replace(ref, "X"))
    assert len(said) == 1


def test_a_long_text_is_shown_in_part_where_records_are_listed(memory: Memory) -> None:
    ref = memory.keep("quay " * 1000)
    memory.archive(ref)
    (one,) = look(memory, Expired("expired")).records
    assert len(one.text) == told.TEXT_SHOWN_MAX
    assert one.text.endswith("…")


def test_every_ref_in_a_history_opens(memory: Memory) -> None:
    (document,) = bring(memory.context, "The manual names port 8080.").refs
    ref = tell(memory, PORT, evidence=(document,)).ref
    decide(memory, Protect("protect", ref, 1, "locked"))
    decide(memory, Contain("contain", document))
    for entry in look(memory, Audit("audit")).actions:
        for value in entry.targets.values():
            if isinstance(value, str) and len(value) == 28:
                assert opened(memory, value).ref == value
    assert replace(look(memory, History("history", ref)).versions[0], at="").text == PORT


def test_versions_are_shown_without_what_no_reader_sees(memory: Memory) -> None:
    ref = memory.keep("The crane\u202e is\u200b yellow.")
    memory.change(ref, "The crane\u202e is\u200b green.")
    assert [one.text for one in look(memory, History("history", ref)).versions] == [
        "The crane is green.",
        "The crane is yellow.",
    ]
    assert "\u202e" not in str(look(memory, Diff("diff", ref)).diff)


def test_every_history_says_which_principal_it_was(memory: Memory) -> None:
    one, two = (agent(memory, name, level="operator") for name in ("scout", "Zofia"))
    ref = remember(one, RememberRequest(text="The crane is yellow.", request_id="1")).ref
    other = remember(two, RememberRequest(text="The mast is tall.", request_id="1")).ref
    assert ref != other
    changed = replace(two, grant=replace(two.grant, client="codex"))
    remember(changed, RememberRequest(op="update", target=ref, text="The crane is red.", expected_version=1))
    found = look(memory, History("history", ref))
    assert [(kept.by, kept.client) for kept in found.versions] == [("Zofia", "codex"), ("scout", "scout")]
    assert [(act.by, act.client) for act in found.actions] == [("Zofia", "codex"), ("scout", "scout")]
    whole = opened(memory, ref, "history")
    assert (whole.by, [kept.by for kept in whole.history]) == ("Zofia", ["Zofia", "scout"])


def test_what_a_rule_accepted_says_so_beside_who_proposed_it(memory: Memory) -> None:
    scout = agent(memory)
    ref = ask(scout, "1", "The crane is yellow.").proposal_id
    assert rule(memory).rule == "on"  # what waits is taken at once
    (made,) = (one for one in listed(memory.context, "applied") if one.ref == ref)
    assert (made.by, made.client, made.decider) == ("scout", "scout", "rule:auto_accept_clean")
    found = look(memory, History("history", made.result or ""))
    (act,) = found.actions
    assert (act.kind, act.by, act.author, act.targets["decider"]) == ("remember", made.decider, "scout", made.decider)
    assert (act.reason or "").startswith("rule:auto_accept_clean")
    assert [kept.by for kept in found.versions] == ["scout"]
    kinds = {act.kind: (act.by, act.author) for act in look(memory, Audit("audit")).actions}
    assert kinds["approve"] == (made.decider, "scout")
    assert kinds["propose"] == ("scout", None)
    assert kinds["rule"] == ("local", None)
    assert rule(memory, on=False).rule == "off"


def test_what_a_person_accepted_names_the_person_whoever_applies_it(memory: Memory) -> None:
    scout, owner = agent(memory), agent(memory, "maren", level="owner")
    ref = ask(scout, "1", "The crane is yellow.").proposal_id
    with owner.store.write() as connection:
        workspaces.hold(connection, memory.place().id)
        one = proposals.by_uid(connection, ref[2:])
        assert one
        consolidation.accept(owner, connection, one, "maren", "seen on the plate")
        filing.ask_for_work(owner, connection, memory.place(), one.id)
    memory.work()
    acts = look(memory, Audit("audit")).actions
    assert [(act.kind, act.by, act.author) for act in acts] == [
        ("remember", "maren", "scout"),
        ("approve", "maren", "scout"),
        ("propose", "scout", None),
    ]
    assert "maren" not in str([act.targets for act in acts])  # the chain names people by their number alone
