"""What is forgotten leaves no byte, no answer and no way back; everything else answers as if it had never been there."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.access import tokens
from muniment.app import App
from muniment.errors import (
    ConfirmationRequired,
    InsufficientScope,
    InvalidInput,
    MunimentError,
    NotFound,
    StaleVersion,
    UnknownWorkspace,
)
from muniment.governance import changes, consolidation, ledger
from muniment.governance import proposals as filing
from muniment.governance.forget import clean_up, forget
from muniment.index import rosters
from muniment.index.rebuild import rebuild
from muniment.ingest.remember import remember
from muniment.ingest.turns import keep
from muniment.insight.health import examine
from muniment.model.access import LEVEL_SCOPES, Grant
from muniment.model.governing import ForgetRequest
from muniment.model.recalling import RecallRequest
from muniment.model.reviewing import Audit
from muniment.model.turns import SessionInfo
from muniment.model.writing import RememberRequest
from muniment.recall.recall import recall
from muniment.store import generations, proposals, records, sessions, workspaces
from tests.governance.forgetting import (
    MEMORY_WORDS,
    SESSION,
    TURN_WORDS,
    administered,
    analysed,
    done,
    holding,
    sql,
    statement,
    talk,
    turn,
)
from tests.governance.governing import look
from tests.governance.proposing import agent, approve, ask, reject
from tests.ingest import processes
from tests.ingest.writing import place
from tests.makers import WORDS, HashedWords, Memory, new_memory

PLAIN = ("Ann: The crane is green.", "Bob: No, the crane is blue, says Ann.", "Ann: The harbour has two cranes.")
KILLS = 12
QUESTIONS = ("Which colour is the crane?", "harbour", "What did Bob say?", "Where do boats wait?", "")


@pytest.fixture
def kept(memory: Memory) -> Iterator[Memory]:
    """A memory with an embedder, on a server that keeps no old log."""
    administered(memory, True)
    yield memory.embed_with(HashedWords())
    administered(memory, False)


def sound(memory: Memory) -> None:
    """Nothing is wrong with the store, and every chain holds."""
    # The server of the tests does not wait for the disk, and says so.
    bad = [one for one in examine(memory.context, deep=True).findings if one.level == "fail"]
    assert [one for one in bad if "fsync" not in one.why] == []
    with memory.app.store.read() as connection:
        for place in workspaces.all_of(connection):
            assert ledger.broken(connection, place.id) is None
            assert changes.altered(connection, place.id) is None


def answers(memory: Memory, questions: tuple[str, ...] = QUESTIONS) -> list[list[tuple[Any, ...]]]:
    return [
        [
            (one.text, one.score, one.kind, one.role, [near.text for near in one.before], [near.text for near in one.after])
            for one in (found.results or found.nearest)
        ]
        for found in (recall(memory.context, RecallRequest(query=question, limit=50, around=2)) for question in questions)
    ]


def generation(memory: Memory) -> int:
    with memory.app.store.read() as connection:
        live = generations.live(connection)
    assert live
    return live.id


# --- nothing is left ----------------------------------------------------------------------------------------------


def test_no_byte_of_a_memory_is_left(kept: Memory) -> None:
    kept.say("plain", *PLAIN, time="2024-05-01T10:00:00Z")
    ref = statement(kept)
    kept.work()
    analysed(kept)
    answer = done(kept, ref=ref, reason="Whyglimmer wants it gone.")
    assert answer.cleaned
    assert answer.counts == {
        "record": 1, "record_version": 2, "label": 2, "passage": 2, "vector": 2, "mention": 4, "entity": 3, "alias": 1,
        "claim": 1, "link": 1, "conflict": 1, "candidate": 1, "notice": 1, "proposal": 2, "request": 1,
    }  # fmt: skip
    sound(kept)
    assert kept.ask("Where do boats wait?").results[0].text == "The plain pier is where boats wait."
    assert holding(kept, MEMORY_WORDS) == []


def test_no_byte_of_a_session_is_left(kept: Memory) -> None:
    kept.say("plain", *PLAIN, time="2024-05-01T10:00:00Z")
    talk(kept)
    kept.work()
    analysed(kept)
    with kept.app.store.read() as connection:
        session = sessions.by_external(connection, kept.place().id, SESSION)
    assert session
    answer = done(kept, ref=f"s_{session.uid}")
    assert answer.cleaned
    assert (answer.counts["record"], answer.counts["session"]) == (2, 1)
    sound(kept)
    assert holding(kept, TURN_WORDS) == []


def test_no_byte_of_a_turn_is_left_while_its_session_stays(kept: Memory) -> None:
    first, second = talk(kept)
    kept.take([turn(SESSION, "Ann", "The crane is green.", 3, "t3")])
    kept.work()
    done(kept, ref=first)
    assert done(kept, ref=second).cleaned
    sound(kept)
    assert kept.found("crane") == ["The crane is green."]
    left = ("grumbletitle", "quuxbarn0001", "snorkpath", "quuxfile")  # these are the session's, which goes on
    assert {word for _, word in holding(kept, TURN_WORDS)} <= set(left)


def test_no_byte_of_a_workspace_is_left(kept: Memory) -> None:
    secret = kept.in_("zibberdock-project")
    kept.say("plain", *PLAIN, time="2024-05-01T10:00:00Z")
    talk(secret)
    statement(secret)
    secret.work()
    analysed(kept)
    with kept.app.store.write() as connection:
        bearer = tokens.add(
            connection,
            tokens.NewToken("x", "agent", "local", read=["zibberdock-project", "inbox"]),
            uid=kept.context.uid(),
            now=0,
        )
    dry = forget(secret.context, ForgetRequest(workspace="zibberdock-project", dry_run=True))
    answer = done(kept, workspace="zibberdock-project")
    assert answer.cleaned
    assert answer.counts == dry.counts
    sound(kept)
    with kept.app.store.read() as connection:
        (place,) = (one for one in workspaces.all_of(connection) if one.slug not in ("inbox", "global"))
        assert (place.slug, place.name, place.state, place.root) == (f"forgotten-{place.uid}", "forgotten", "archived", None)
        grant = tokens.find(connection, bearer, 0)
    assert grant
    assert grant.read == {"inbox", place.slug}  # the wall stays what it is, under a name that says nothing
    assert set(kept.found("crane")) == {line.partition(": ")[2] for line in PLAIN}
    assert holding(kept, (*TURN_WORDS, *MEMORY_WORDS, "zibberdock")) == []


def test_no_byte_of_a_principal_is_left(kept: Memory) -> None:
    with kept.app.store.write() as connection:
        bearer = tokens.add(connection, tokens.NewToken("Quilllabel", "owner", "Quillfeather"), uid=kept.context.uid(), now=0)
        row = connection.one("principal_by_name", {"name": "Quillfeather"})
        assert row
    grant = Grant(row[0], "Quillfeather", LEVEL_SCOPES["owner"], client="Quilllabel")
    plain = kept.keep("The plain pier is where boats wait.")
    theirs = replace(kept.context, grant=grant)
    own = remember(
        theirs, RememberRequest(text="Wobblegong is at Vortigaunt.", why="Whyglimmer.", request_id="requestzeta")
    ).ref
    remember(
        theirs, RememberRequest(op="archive", target=plain, why="Grixelsubject.", expected_version=1, request_id="quillrequest")
    )
    scout = agent(kept, "scout")
    asked = [ask(scout, f"r{number}", f"The plain mast is {number} feet.").proposal_id for number in range(2)]
    approve(theirs, asked[0], reason="Grixelsubject.")
    berth = kept.keep("The plain berth is number 8.")
    moved = ask(scout, "r2", "The plain berth is number 9.", "update_fact", target=berth).proposal_id
    with kept.app.store.write() as connection:  # whoever comes to it carries it out
        workspaces.hold(connection, kept.place().id)
        one = proposals.by_uid(connection, moved[2:])
        assert one
        consolidation.accept(theirs, connection, one, "Quillfeather", "Grixelsubject.")
        filing.ask_for_work(theirs, connection, kept.place(), one.id)
    reject(theirs, asked[1], "Grixelsubject.")
    kept.work()
    answer = done(kept, principal="Quillfeather")
    assert answer.cleaned
    assert answer.counts["record"] == answer.counts["token"] == 1
    sound(kept)
    with kept.app.store.read() as connection:
        assert tokens.find(connection, bearer, 0) is None
        assert records.by_uid(connection, own[2:]) is None
        stays = records.by_uid(connection, plain[2:])
    assert stays
    assert stays.state == "archived"  # what it did to others' records stands
    words = (
        "quillfeather",
        "quilllabel",
        "wobblegong",
        "vortigaunt",
        "whyglimmer",
        "grixelsubject",
        "requestzeta",
        "quillrequest",
    )
    assert holding(kept, words) == []


def test_an_admin_of_some_workspaces_forgets_nobody_in_the_others(memory: Memory) -> None:
    other = memory.in_("other")
    with memory.app.store.write() as connection:
        bearer = tokens.add(connection, tokens.NewToken("Quillfeather", "owner"), uid=memory.context.uid(), now=0)
        row = connection.one("principal_by_name", {"name": "Quillfeather"})
    assert row
    theirs = Grant(row[0], "Quillfeather", LEVEL_SCOPES["owner"], client="Quillfeather")
    here = remember(replace(memory.context, grant=theirs), RememberRequest(text="The crane is green.")).ref
    there = remember(
        replace(other.context, grant=theirs), RememberRequest(text="The quay is dry.", why="I saw it.", request_id="r")
    ).ref
    guest = memory.only("inbox")
    before = look(other, Audit("audit")).actions
    dry = forget(guest, ForgetRequest(principal="Quillfeather", dry_run=True))
    answer = done(memory, guest, principal="Quillfeather")
    assert answer.counts == dry.counts
    assert (answer.counts["record"], answer.counts.get("token"), answer.counts.get("request")) == (1, None, None)
    assert "only the workspaces that it names" in answer.meta.warnings[0]
    with memory.app.store.read() as connection:
        assert records.by_uid(connection, here[2:]) is None
        assert records.by_uid(connection, there[2:]) is not None
        assert connection.one("principal_by_name", {"name": "Quillfeather"}) == row
        assert tokens.find(connection, bearer, 0) is not None
    assert look(other, Audit("audit")).actions == before
    assert before[0].by == "Quillfeather"
    # Who did something elsewhere alone is nobody here.
    stranger = agent(memory, "Stranger", level="owner")
    remember(replace(stranger, workspace="other"), RememberRequest(text="The mast is high."))
    said = set()
    for name in ("Stranger", "Nobody"):
        with pytest.raises(NotFound) as absent:
            forget(guest, ForgetRequest(principal=name))
        said.add(str(absent.value).replace(name, "X"))
    assert len(said) == 1
    assert done(memory, principal="Quillfeather").counts["token"] == 1


def test_a_title_that_repeats_a_turn_goes_with_it(kept: Memory) -> None:
    title = SessionInfo("s", title="Why is the Zanzibarquux  Hall…", client="claude-code")
    turns = [
        turn("s", "Ann", "Why is the zanzibarquux hall so cold?", 1, "t1"),
        turn("s", "Ann", "The crane is green.", 2, "t2"),
    ]
    first, _ = kept.take([title, *turns])
    done(kept, ref=first)
    with kept.app.store.read() as connection:
        session = sessions.by_external(connection, kept.place().id, "s")
    assert session
    assert (session.title, session.turns, session.first) == (None, 1, session.last)
    assert holding(kept, ("zanzibarquux",)) == []


def test_windows_name_only_what_is_still_said(memory: Memory) -> None:
    texts = ("We met at Zanzibarquux Hall.", "The Zephyr Pump is old.", "Ask the people at Marjorie Dock.")
    refs = memory.take([turn("s", "Ann", text, n, f"t{n}") for n, text in enumerate(texts)])
    done(memory, ref=refs[0])
    with memory.app.store.read() as connection:
        rows = connection.all("episodes_last", {"workspace": memory.place().id, "session": 1})
    assert [row[2:4] for row in rows] == [(1, 2)]
    assert rows[0][6] == '["marjorie dock", "zephyr pump"]'


def test_the_place_of_a_passage_says_nothing_of_it(memory: Memory) -> None:
    ref = memory.take([turn("s", "Ann", "We met at Zanzibarquux Hall?", 1, "t1"), turn("s", "Ann", "Yes.", 2, "t2")])[0]
    done(memory, ref=ref)
    with memory.app.store.read() as connection:
        data = b"".join(row[2] for row in connection.all("rosters_from", {"workspace": memory.place().id, "have": 0}))
        assert rosters.gone(connection, memory.place().id) == 1
    size = rosters.ROW.size
    assert len(data) == 2 * size
    assert data[:20] + data[21:size] == bytes(size - 1)


def test_what_was_deleted_before_deleting_overwrote_is_cleaned_too(small: Memory) -> None:
    small.app.store._writer.pragma("secure_delete", 0)  # type: ignore[attr-defined]
    ref = small.keep("Wobblegong lives at the Vortigaunt Tower.")
    for number in range(1, 30):
        small.change(ref, f"Wobblegong moved {number} times from the Vortigaunt Tower.", number)
    assert done(small, ref=ref).cleaned
    assert holding(small, ("wobblegong", "vortigaunt")) == []


def test_a_name_that_others_use_stays_as_they_spell_it(kept: Memory) -> None:
    ref = kept.keep("ZEPHYR PUMP is what I call it.")
    kept.keep("The Zephyr Pump is old.")
    done(kept, ref=ref)
    sound(kept)
    with kept.app.store.read() as connection:
        rows = connection.all("entities_by_norm", {"workspace": kept.place().id, "norms": '["zephyr pump"]'})
        assert len(rows) == 1
    assert {word for _, word in holding_exactly(kept, "ZEPHYR PUMP")} == set()


def holding_exactly(memory: Memory, words: str) -> list[tuple[str, str]]:
    from tests.governance.forgetting import files

    return [(path.name, words) for path in files(memory) if path.is_file() and words.encode() in path.read_bytes()]


# --- the rest answers as before -----------------------------------------------------------------------------------


def test_the_rest_answers_as_if_it_had_never_been(kept: Memory, tmp_path: Any) -> None:
    never = new_memory(tmp_path / "never").embed_with(HashedWords())
    names = [f"n{number}" for number in range(8)]
    texts = [
        "The crane is green.", "Zanzibarquux hides the crane.", "The harbour has two cranes, says Bob.", "Yes.",
        "Where is the diesel? Ask Zanzibarquux.", "The diesel is in the shed.", "Good night.",
        "The fog is thick in the harbour.",
    ]  # fmt: skip
    gone = {1, 4}
    refs = []
    for memory, left_out in ((kept, set()), (never, gone)):
        turns = [turn("s", ("Ann", "Bob")[n % 2], texts[n], n, names[n]) for n in range(8) if n not in left_out]
        refs.append(memory.take(turns))
        memory.keep("The plain pier is where boats wait.")
        if not left_out:
            refs.append([memory.keep("The crane of Zanzibarquux is red.")])
        memory.work()
    kept.ask("crane")  # what this process holds of the index must not outlive it
    other = kept.elsewhere()
    other.ask("crane")
    for ref in (refs[0][1], refs[0][4], refs[1][0]):
        done(kept, ref=ref)
    for memory in (kept, never):
        memory.take([turn("s", "Ann", "The crane is sold.", 9, "n9")])
        memory.work()
    wanted = answers(never)
    assert answers(kept) == wanted
    assert answers(other) == wanted
    rebuild(kept.context, kept.place())
    kept.work()
    assert answers(kept) == wanted
    sound(kept)
    never.app.store.close()


SAID = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 40), st.booleans(), st.booleans()), min_size=1, max_size=14)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=SAID, later=st.booleans())
def test_whatever_is_forgotten_the_rest_answers_as_if_it_had_never_been(
    fresh: Callable[[], Memory], said: list[tuple[int, int, bool, bool]], later: bool
) -> None:
    """Each of `said`: session (0: a statement), words, whether it is forgotten, whether at once or at the end."""
    one, never = fresh(), fresh()
    for memory, all_of_it in ((one, True), (never, False)):
        left = []
        for number, (session, words, gone, at_once) in enumerate(said):
            if gone and not all_of_it:
                continue
            text = " ".join(WORDS[(words * step + step) % len(WORDS)] for step in range(1, 3 + words % 5)).capitalize()
            if session:
                (ref,) = memory.take([turn(f"s{session}", ("Ann", "Bob")[words % 2], f"{text}.", number, f"n{number}")])
            else:
                ref = memory.keep(f"{text} {number}.")
            if gone and at_once:
                done(memory, ref=ref)
            elif gone:
                left.append(ref)
        for ref in left:
            done(memory, ref=ref)
        if later:
            memory.take([turn("s1", "Ann", "The anchor is sold.", 90, "later")])
    asked = ("Where is the anchor?", "crane diesel", "What did Bob say?", "")
    wanted = answers(never, asked)
    assert answers(one, asked) == wanted
    assert answers(one.elsewhere(), asked) == wanted
    rebuild(one.context, one.place())
    assert answers(one, asked) == wanted
    sound(one)


def test_sign_codes_are_made_again_without_it(small: Memory) -> None:
    memory = small.embed_with(HashedWords())
    refs = memory.take([turn(f"s{n // 60}", "Ann", f"Item {n} is on shelf {n % 37}.", n, f"n{n}") for n in range(2100)])
    memory.work()
    memory.ask("shelf")
    asked = {"workspace": memory.place().id, "generation": generation(memory), "have": 0}

    def coded() -> set[int]:
        with memory.app.store.read() as connection:
            rows = connection.all("codes_from", asked)
        return {int(one) for _, data in rows for one in np.frombuffer(data, "<u4", len(data) // (4 + 8))}

    assert len(coded()) == 2100
    done(memory, ref=refs[0])
    assert coded() == set(range(2, 2101))
    assert memory.ask("Item 77").results[0].text == "Item 77 is on shelf 3."
    with memory.app.store.read() as connection:
        session = sessions.by_external(connection, memory.place().id, "s0")
    assert session
    done(memory, ref=f"s_{session.uid}")
    assert coded() == set()  # few enough to be compared exactly again
    assert memory.ask("Item 77").results[0].text == "Item 77 is on shelf 3."
    sound(memory)


def test_a_vector_that_is_made_meanwhile_is_not_kept(memory: Memory) -> None:
    class Slow(HashedWords):
        hook: Any = None

        def encode(self, texts: Any, *, query: bool = False) -> Any:
            if self.hook and not query:
                hook, self.hook = self.hook, None
                hook()
            return super().encode(texts, query=query)

    slow = Slow()
    memory = memory.embed_with(slow)
    ref = memory.keep("Wobblegong lives here.")
    memory.keep("The crane is green.")
    slow.hook = lambda: done(memory, ref=ref)
    memory.work()
    with memory.app.store.read() as connection:
        rows = connection.all(
            "vectors_all", {"workspace": memory.place().id, "generation": generation(memory), "after": 0, "limit": 9}
        )
    assert [row[0] for row in rows] == [2]


def test_recall_goes_on_while_others_forget(memory: Memory) -> None:
    refs = memory.take([turn("s", "Ann", f"Item {n} is on the green shelf.", n, f"n{n}") for n in range(30)])
    faults: list[BaseException] = []
    stop = threading.Event()

    def ask(own: Memory) -> None:
        try:
            while not stop.is_set():
                for one in own.ask("green shelf", limit=50, around=1).results:
                    assert one.text.startswith("Item")
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=ask, args=(one,)) for one in (memory, memory, memory.elsewhere())]
    for one in threads:
        one.start()
    for ref in refs[::5]:
        done(memory, ref=ref)
    stop.set()
    for one in threads:
        one.join()
    assert faults == []
    assert len(memory.found("green shelf", limit=100)) == 24


# --- no way back --------------------------------------------------------------------------------------------------


def test_a_forgotten_conversation_does_not_come_back_by_importing_it(memory: Memory) -> None:
    talk(memory)
    with memory.app.store.read() as connection:
        session = sessions.by_external(connection, memory.place().id, SESSION)
    assert session
    done(memory, ref=f"s_{session.uid}")
    again = [turn(SESSION, "Ann", "Once more.", 5, "t5"), turn("another", "Ann", "The crane is green.", 6, "t6")]
    for dry_run in (True, False):
        *_, kept = keep(memory.context, again, dry_run=dry_run)
        assert [one.why for one in kept.rejected] == ["this conversation was forgotten"]
        assert kept.added == 1
    other = memory.in_("elsewhere")
    *_, kept = keep(other.context, again)
    assert kept.added == 2  # no workspace tells another one what it has forgotten


def test_a_forgotten_workspace_keeps_random_ids_away_everywhere(memory: Memory) -> None:
    secret, other = memory.in_("secret"), memory.in_("other")
    random, plain = "5f2b9a1c-77aa-4c3e-9d10-0123456789ab", "monday"
    turns = [turn(random, "Ann", "One.", 1, "a"), turn(plain, "Ann", "Two.", 2, "b")]
    secret.take(turns)
    done(memory, workspace="secret")
    *_, kept = keep(other.context, turns)
    assert [one.why for one in kept.rejected] == ["this conversation was forgotten"]
    assert kept.added == 1


def test_a_forgotten_turn_comes_back_only_if_it_had_no_id(memory: Memory) -> None:
    turns = [turn("s", "Ann", "The crane is green.", 1, "t1"), turn("s", "Ann", "The fog is thick.", 2, None)]
    first, second = memory.take(turns)
    assert not any("without an id" in one for one in done(memory, ref=first).meta.warnings)
    *_, kept = keep(memory.context, turns)
    assert [one.why for one in kept.rejected] == ["this turn was forgotten"]
    assert any("without an id" in one for one in done(memory, ref=second).meta.warnings)
    *_, kept = keep(memory.context, turns)
    assert kept.added == 1


def test_what_was_done_to_it_cannot_be_undone(memory: Memory) -> None:
    old = memory.keep("The port is 8080.")
    heir = remember(memory.context, RememberRequest(op="supersede", target=old, text="The port is 8081.", expected_version=1))
    other = remember(memory.context, RememberRequest(text="The crane is green."))
    answer = done(memory, ref=heir.ref)
    assert any("no heir" in one for one in answer.meta.warnings)
    for action in (heir.action, answer.receipt):
        with memory.app.store.write() as connection:
            found = changes.by_uid(connection, str(action)[2:])
            assert found
            workspaces.hold(connection, found.workspace)
            with pytest.raises(InvalidInput, match="cannot be undone"):
                changes.undo(memory.context, connection, [found])
    with memory.app.store.write() as connection:
        found = changes.by_uid(connection, str(other.action)[2:])
        assert found
        workspaces.hold(connection, found.workspace)
        changes.undo(memory.context, connection, [found])
    with memory.app.store.read() as connection:
        left = records.by_uid(connection, old[2:])
    assert left
    assert (left.state, left.superseded_by) == ("superseded", None)
    memory.restore(old)
    assert memory.found("Which port?") == ["The port is 8080."]
    sound(memory)


def test_a_replayed_request_is_not_answered_with_it(memory: Memory) -> None:
    request = RememberRequest(text="Wobblegong lives here.", request_id="r1")
    ref = remember(memory.context, request).ref
    done(memory, ref=ref)
    again = remember(memory.context, request)
    assert (again.outcome, again.replayed) == ("applied", False)
    assert again.ref != ref


# --- who may, and what is told ------------------------------------------------------------------------------------


def test_a_dry_run_counts_and_destroys_nothing(memory: Memory) -> None:
    ref = statement(memory)
    summary = memory.keep("Somebody moved out of a tower.", evidence=(ref,))
    again = memory.keep("A tower is empty.", evidence=(summary,))
    dry = forget(memory.context, ForgetRequest(ref=ref, dry_run=True))
    assert dry.derived == (summary, again)
    assert memory.found("Wobblegong")[0].startswith("Wobblegong")
    real = done(memory, ref=ref)
    assert (real.counts, real.derived) == (dry.counts, dry.derived)
    assert real.receipt
    assert set(memory.found("tower")) == {"Somebody moved out of a tower.", "A tower is empty."}
    with pytest.raises(NotFound):
        forget(memory.context, ForgetRequest(ref=ref, dry_run=True))


def test_a_confirmation_is_for_what_it_was_asked_for(memory: Memory) -> None:
    ref = memory.keep("Wobblegong lives here.")
    with pytest.raises(ConfirmationRequired, match="1 record") as asked:
        forget(memory.context, ForgetRequest(ref=ref))
    memory.change(ref, "Wobblegong lives there.")
    with pytest.raises(MunimentError, match="changed meanwhile"):
        forget(memory.context, ForgetRequest(ref=ref, confirm=asked.value.confirm))
    assert memory.found("Wobblegong") == ["Wobblegong lives there."]
    with pytest.raises(ConfirmationRequired) as asked:
        forget(memory.context, ForgetRequest(ref=ref))
    assert forget(memory.context, ForgetRequest(ref=ref, confirm=asked.value.confirm)).receipt
    with pytest.raises(NotFound):
        forget(memory.context, ForgetRequest(ref=ref, confirm=asked.value.confirm))


def test_what_changes_between_reading_and_writing_stops_it(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    from muniment.index import erasure

    ref = memory.keep("Wobblegong lives here.")
    words = erasure.words

    def late(*given: Any) -> list[str]:
        monkeypatch.undo()
        memory.change(ref, "Wobblegong lives there.")
        return words(*given)

    with pytest.raises(ConfirmationRequired) as asked:
        forget(memory.context, ForgetRequest(ref=ref))
    monkeypatch.setattr(erasure, "words", late)
    with pytest.raises(StaleVersion):
        forget(memory.context, ForgetRequest(ref=ref, confirm=asked.value.confirm))


def test_only_who_governs_forgets(memory: Memory) -> None:
    ref = memory.keep("Wobblegong lives here.")
    for scopes, asked, fault in (
        (LEVEL_SCOPES["operator"], ForgetRequest(ref=ref), InsufficientScope),
        (LEVEL_SCOPES["owner"], ForgetRequest(workspace="inbox"), InsufficientScope),
        (LEVEL_SCOPES["owner"], ForgetRequest(principal="x"), InsufficientScope),
        (LEVEL_SCOPES["admin"], ForgetRequest(workspace="nowhere"), UnknownWorkspace),
        (LEVEL_SCOPES["admin"], ForgetRequest(principal="nobody"), NotFound),
        (LEVEL_SCOPES["admin"], ForgetRequest(principal="local"), InvalidInput),
        (LEVEL_SCOPES["admin"], ForgetRequest(), InvalidInput),
        (LEVEL_SCOPES["admin"], ForgetRequest(ref=ref, workspace="inbox"), InvalidInput),
        (LEVEL_SCOPES["admin"], ForgetRequest(ref="nonsense"), InvalidInput),
        (LEVEL_SCOPES["admin"], ForgetRequest(ref=f"s_{ref[2:]}"), NotFound),
    ):
        grant = replace(memory.context.grant, scopes=scopes)
        with pytest.raises(fault):
            forget(replace(memory.context, grant=grant), asked)
    with pytest.raises(NotFound):
        forget(memory.only("global"), ForgetRequest(ref=ref))
    with pytest.raises(MunimentError):
        forget(memory.only("inbox", write=()), ForgetRequest(ref=ref))
    assert memory.found("Wobblegong")


def test_the_inbox_is_emptied_and_stays(memory: Memory) -> None:
    talk(memory)
    done(memory, workspace="inbox")
    assert memory.ask("").total == 0
    memory.say("new", "Ann: The crane is green.")
    assert memory.found("crane") == ["The crane is green."]
    sound(memory)


# --- the ledger and the files -------------------------------------------------------------------------------------


def test_hashes_without_a_salt_go_and_the_chain_still_holds(memory: Memory) -> None:
    ref = memory.keep("Wobblegong lives here.")
    memory.keep("The crane is green.")
    sql(memory, "UPDATE action SET salt = NULL")  # as the first Muniment wrote them; the chain does not cover it
    done(memory, ref=ref)
    here = memory.place().id
    with memory.app.store.read() as connection:
        rows = connection.all("actions", {"workspace": here, "after": 0, "limit": 9})
    assert [row[5] is None for row in rows] == [True, False, True]
    sound(memory)
    sql(memory, "UPDATE action SET after_hash = NULL WHERE seq = 2")
    with memory.app.store.read() as connection:
        assert ledger.broken(connection, here) == 2  # no forgetting accounts for that one


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM effect WHERE action = 2",
        "UPDATE effect SET after = '\"rejected\"' WHERE action = 2",
        "UPDATE action SET targets = replace(targets, '[[1, 1]]', '[[1, 2]]') WHERE kind = 'forget'",
    ],
)
def test_no_effect_can_go_without_a_forgetting(memory: Memory, damage: str) -> None:
    ref = memory.keep("Wobblegong lives here.")
    memory.keep("The crane is green.")
    done(memory, ref=ref)
    sql(memory, damage)
    with memory.app.store.read() as connection:
        here = memory.place().id
        assert (ledger.broken(connection, here), changes.altered(connection, here)) != (None, None)


def test_while_somebody_reads_the_file_is_not_clean_and_doctor_says_so(small: Memory) -> None:
    from muniment.store import sqlite

    ref = small.keep("Wobblegong lives here.")
    reader = sqlite.SqliteStore(small.app.store.path)  # type: ignore[arg-type]
    copy = small.app.store.path.with_name("muniment.db.before-upgrade-17")  # type: ignore[union-attr]
    copy.touch()
    with pytest.MonkeyPatch.context() as patch, reader.read() as connection:
        patch.setattr(sqlite, "CLEAN_WAIT_MS", 50)
        connection.one("workspaces")
        answer = done(small, ref=ref)
        assert not answer.cleaned
        assert not clean_up(small.context)
    assert any("repair cleanup" in one for one in answer.meta.warnings)
    assert any(str(copy) in one for one in answer.meta.warnings)
    reader.close()
    assert "forgotten" in " ".join(one.what for one in examine(small.context).findings if one.level == "warn")
    assert clean_up(small.context)
    assert "forgotten" not in " ".join(one.what for one in examine(small.context).findings if one.level == "warn")
    assert holding(small, ("wobblegong",)) == []


@pytest.mark.parametrize("dialect", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
def test_a_server_that_keeps_its_log_is_not_called_clean(memory: Memory) -> None:
    ref = memory.keep("Wobblegong lives here.")
    answer = done(memory, ref=ref)
    assert not answer.cleaned
    assert any("docs/howto/forget.md" in one for one in answer.meta.warnings)
    administered(memory, True)
    try:
        assert clean_up(memory.context)
    finally:
        administered(memory, False)
    assert holding(memory, ("wobblegong",)) == []


FORGETS = """
from muniment.errors import ConfirmationRequired
from muniment.governance.forget import forget
from muniment.model.governing import ForgetRequest
try:
    forget(app.context(), ForgetRequest(ref=name))
except ConfirmationRequired as fault:
    print("confirmed", flush=True)
    print(forget(app.context(), ForgetRequest(ref=name, confirm=fault.confirm)).receipt, flush=True)
"""


@pytest.mark.slow
def test_a_kill_in_the_middle_leaves_all_or_nothing(app: App, address: str, tmp_path: Path) -> None:
    chance = random.Random(7)
    ended, longest = set(), 0.4
    for number in range(KILLS):
        turns = [
            turn(f"s{number}", "Ann", f"Wobblegong {n} of {number} is at Vortigaunt.", n, f"{number}-{n}") for n in range(150)
        ]
        *_, kept = keep(app.context(), turns)
        assert kept.added == 150
        with app.store.read() as connection:
            session = sessions.by_external(connection, place(app), f"s{number}")
        assert session
        program = processes.start(FORGETS, address, tmp_path, f"s_{session.uid}", 0)
        processes.go([program])
        assert program.stdout
        assert program.stdout.readline() == "confirmed\n"
        time.sleep(chance.uniform(0, longest))
        program.send_signal(signal.SIGKILL)
        out, _ = program.communicate(timeout=30)
        with app.store.read() as connection:
            left = connection.all("session_record_ids", {"workspace": place(app), "session": session.id})
            gone = sessions.by_uid(connection, session.uid) is None
            assert ledger.broken(connection, place(app)) is None
            assert changes.altered(connection, place(app)) is None
        assert (len(left), gone) in ((150, False), (0, True))
        assert not out.startswith("a_") or gone  # what was acknowledged is done
        ended.add(gone)
        longest *= 1 / 2 if gone else 2  # so that some are killed early and some late, however quick the machine is
        bad = [one for one in examine(app.context(), deep=True).findings if one.level == "fail"]
        assert [one for one in bad if "fsync" not in one.why] == []
    assert ended == {True, False}
