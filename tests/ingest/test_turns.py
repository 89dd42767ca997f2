"""Turns are kept once, whole and in order; what cannot be kept is named, and the rest does not suffer for it."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from muniment.app import App
from muniment.errors import ForbiddenScope, InsufficientScope, InvalidInput, LimitExceeded, StoreFull, UnknownWorkspace
from muniment.governance import ledger
from muniment.ingest import turns
from muniment.ingest.importers.reading import Reading
from muniment.model.times import Moment
from muniment.model.turns import Incoming, IncomingTurn, Rejected, SessionInfo
from muniment.model.writing import TEXT_LENGTH_MAX, TURNS_MAX, IngestAnswer, TurnIn
from muniment.store import sessions
from muniment.text import fence
from tests.ingest.writing import (
    SECRET,
    actions,
    add_workspace,
    found,
    inconsistencies,
    lines,
    opened,
    place,
    say,
    session,
    texts,
    token,
)


def line(text: str = "Hello there.", **fields: Any) -> dict[str, Any]:
    return {"session": "s", "speaker": "Ann", "text": text} | fields


def keep(app: App, *incoming: Incoming, **options: Any) -> turns.Kept:
    *_, kept = turns.keep(app.context(), incoming, **options)
    return kept


def counted(answer: IngestAnswer) -> tuple[int, int, int]:
    return answer.added, answer.duplicates, answer.rejected_total


# --- what is new ----------------------------------------------------------------------------------------------------


def test_the_same_lines_again_add_nothing(app: App) -> None:
    rows = [line("One.", id="1"), line("Two.", time="2024-01-02T03:04:05Z"), line("Three.")]
    assert counted(lines(app, *rows)) == (3, 0, 0)
    assert counted(lines(app, *rows)) == (0, 3, 0)
    assert texts(app, "s") == ["One.", "Two.", "Three."]


def test_a_file_that_grew_was_renamed_or_forked_adds_only_what_is_new(app: App) -> None:
    rows = [line(f"Turn {number}.") for number in range(5)]
    lines(app, *rows[:3])
    assert counted(lines(app, *rows)) == (2, 3, 0)
    fork = [*rows[:2], line("Another way.")]
    assert counted(lines(app, *fork)) == (1, 2, 0)
    assert texts(app, "s") == [*(f"Turn {number}." for number in range(5)), "Another way."]


def test_two_honest_yes_stay_two_however_often_they_come(app: App) -> None:
    rows = [line("Coming?"), line("Yes.", speaker="Bob"), line("Sure?"), line("Yes.", speaker="Bob")]
    assert counted(lines(app, *rows)) == (4, 0, 0)
    assert counted(lines(app, *rows, line("Yes.", speaker="Bob"))) == (1, 4, 0)


def test_the_same_words_in_another_session_by_another_speaker_or_at_another_time_are_new(app: App) -> None:
    rows = [
        line(),
        line(session="t"),
        line(speaker="Bob"),
        line(time="2024-01-01T10:00:00Z"),
        line(time="2024-01-01T10:00:01Z"),
    ]
    assert counted(lines(app, *rows)) == (5, 0, 0)


def test_no_two_different_turns_look_the_same(app: App) -> None:
    rows = [
        line("d", session="a", speaker="b\x1fc"),
        line("c\x1fd", session="a", speaker="b"),
        line("d", session="a\x1fb", speaker="c"),
        line("c", session="ab", speaker="d"),
        line("c", session="a", speaker="bd"),
        line("x", session="a\x1f", id="b"),
        line("x", session="a", id="\x1fb"),
        line("yes\x1f2", session="a", speaker="b"),
        line("yes", session="a", speaker="b"),
        line("yes", session="a", speaker="b"),
    ]
    assert counted(lines(app, *rows)) == (len(rows), 0, 0)


def test_the_same_id_with_another_text_is_rejected_and_the_rest_is_kept(app: App) -> None:
    lines(app, line("First.", id="1"))
    answer = lines(app, line("Changed.", id="1"), line("Second.", id="2"))
    assert counted(answer) == (1, 0, 1)
    assert (answer.rejected[0].line, answer.rejected[0].why) == (1, "the id '1' was stored before with another text")
    assert texts(app, "s") == ["First.", "Second."]
    within = lines(app, line("A.", id="9"), line("B.", id="9"), line("A.", id="9"))
    assert counted(within) == (1, 1, 1)


def test_a_plain_id_counts_in_its_session_and_a_global_one_everywhere(app: App) -> None:
    own = [IncomingTurn(name, "Ann", f"Said in {name}.", id="1") for name in ("a", "b")]
    assert keep(app, *own).added == 2
    forked = [IncomingTurn(name, "Ann", "Said once.", id="u", id_is_global=True) for name in ("a", "b")]
    kept = keep(app, *forked)
    assert (kept.added, kept.duplicates) == (1, 1)


def test_each_workspace_counts_for_itself(app: App) -> None:
    add_workspace(app, "other")
    assert counted(lines(app, line("Yes."), line("Yes.", workspace="other"))) == (2, 0, 0)
    assert counted(lines(app, line("Yes.", workspace="other"))) == (0, 1, 0)


# --- where it goes --------------------------------------------------------------------------------------------------


def test_a_line_may_name_its_workspace(app: App) -> None:
    add_workspace(app, "other")
    answer = lines(app, line("Here."), line("There.", workspace=" Other "), line("Here too."))
    assert answer.workspaces == ("inbox", "other")
    assert texts(app, "s") == ["Here.", "Here too."]
    assert texts(app, "s", workspace="other") == ["There."]
    assert (actions(app), actions(app, "other")) == (["ingest"], ["ingest"])


def test_a_line_for_an_unknown_workspace_is_rejected_and_the_rest_is_kept(app: App) -> None:
    answer = lines(app, line("Kept."), line("Lost.", workspace="nowhere"), line("Kept too."))
    assert counted(answer) == (2, 0, 1)
    assert answer.rejected[0].line == 2
    assert "nowhere" in answer.rejected[0].why
    assert "muniment workspace add" in answer.rejected[0].why


def test_a_foreign_workspace_is_refused_alike_whether_it_exists_or_not(app: App) -> None:
    add_workspace(app, "theirs")
    agent = token(app, "append", write=["inbox"])
    said = [lines(agent, line(workspace=name), line("Mine.")).rejected[0].why for name in ("theirs", "absent")]
    assert said[0].replace("theirs", "X") == said[1].replace("absent", "X")
    errors = []
    for name in ("theirs", "absent"):
        with pytest.raises(ForbiddenScope) as caught:
            say(agent, "s", "Hello.", workspace=name)
        errors.append(str(caught.value).replace(name, "X"))
    assert errors[0] == errors[1]


def test_an_unknown_workspace_of_the_call_itself_is_an_error(app: App) -> None:
    for name in ("nowhere", "no\ud800where", "a\x00b"):
        with pytest.raises(UnknownWorkspace):
            say(app, "s", "Hello.", workspace=name)
    assert actions(app) == []


def test_who_only_reads_stores_nothing(app: App) -> None:
    for context in (token(app, "read"), replace(app.context(), read_only=True)):
        with pytest.raises(InsufficientScope):
            say(context, "s", "Hello.")
        with pytest.raises(InsufficientScope):
            lines(context, line(workspace="inbox"))


def test_sessions_may_be_interleaved(app: App) -> None:
    rows = [line(f"{name} says {number}.", session=name) for number in range(30) for name in "abc"]
    answer = lines(app, *rows)
    assert (answer.added, answer.sessions) == (90, 3)
    for name in "abc":
        assert texts(app, name) == [f"{name} says {number}." for number in range(30)]


# --- times ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("2024-05-01T10:00:00+02:00", "2024-05-01T10:00:00+02:00"),
        ("2024-05-01T10:00:00Z", "2024-05-01T10:00:00+00:00"),
        ("2024-05-01T10:00:00-09:30", "2024-05-01T10:00:00-09:30"),
        ("2024-05-01T10:00:00", "2024-05-01T10:00:00"),
        ("2024-05-01", "2024-05-01T00:00:00"),
        ("2024-02-29T23:59:59.999+14:00", "2024-02-29T23:59:59.999+14:00"),
        ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59+00:00"),
    ],
)
def test_a_time_keeps_its_zone_and_a_naive_one_gets_none(app: App, written: str, shown: str) -> None:
    answer = say(app, "s", TurnIn("Ann", "The quorum met.", written))
    assert answer.added == 1
    assert opened(app, answer.refs[0]).provenance.at == shown


@pytest.mark.parametrize(
    "written",
    ["yesterday", "2024-13-01", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2024-05-01T10:00:00+99:00"],
)
def test_a_time_that_cannot_be_understood_rejects_its_turn_only(app: App, written: str) -> None:
    answer = say(app, "s", TurnIn("Ann", "Bad.", written), "Good.")
    assert counted(answer) == (1, 0, 1)
    assert answer.rejected[0].line == 1
    assert texts(app, "s") == ["Good."]


# --- texts ----------------------------------------------------------------------------------------------------------


def test_what_holds_no_text_is_rejected_with_its_line(app: App) -> None:
    answer = say(
        app, "s", "", " \n\t\u3000\u200b\u202e", "\x00", "Kept.", TurnIn(" ", "No speaker."), TurnIn("S" * 501, "Long name.")
    )
    assert counted(answer) == (1, 0, 5)
    assert [one.line for one in answer.rejected] == [1, 2, 3, 5, 6]
    assert [one.why for one in answer.rejected][:3] == ["the text is empty"] * 3


@pytest.mark.slow
def test_the_longest_text_is_kept_whole_and_one_character_more_is_not(app: App) -> None:
    text = ("The gate of lot 7 opens at dawn. " * (TEXT_LENGTH_MAX // 33 + 1))[: TEXT_LENGTH_MAX - 1] + "."
    started = time.process_time()
    answer = say(app, "s", text, text + "!")
    assert time.process_time() - started < 60
    assert counted(answer) == (1, 0, 1)
    assert answer.rejected[0].why == "the text is longer than 10,000,000 characters"
    assert opened(app, answer.refs[0], span=(TEXT_LENGTH_MAX - 20, TEXT_LENGTH_MAX)).text == text[-20:]


def test_marks_of_direction_and_every_script_come_back_as_they_were(app: App) -> None:
    said = ["‮evil‬ ⁦x⁩ ‏", "مرحبا بالعالم", "我喜欢乌龙茶。", "👩‍👩‍👧 é é", "a\u2028b\u2029c\x85d", "\ufeffbom"]
    assert say(app, "s", *said).added == len(said)
    assert texts(app, "s") == [text.strip() for text in said]


def test_half_characters_become_question_marks_in_every_field(app: App) -> None:
    answer = say(app, "s\ud800", TurnIn("An\udfffn", "Half \ud83d of it."), title="T\ud83d")
    assert answer.added == 1
    held = session(app, "s?")
    assert held.records[0].text == "Half ? of it."
    assert held.session is not None
    assert held.session.title == "T?"
    assert say(app, "s", TurnIn("Ann", "x", "\ud800")).rejected_total == 1


def test_what_was_recalled_is_not_stored_again(app: App) -> None:
    block = fence.wrap("Ann said the vault code is on the fridge.")
    answer = say(app, "s", block, f"Before.\n{block}\nAfter.", block + block)
    assert counted(answer) == (1, 0, 2)
    assert {one.why for one in answer.rejected} == {"the text was recalled from memory"}
    assert texts(app, "s") == ["Before.\nAfter."]


# --- secrets --------------------------------------------------------------------------------------------------------


def test_secrets_are_masked_and_counted_wherever_they_stand(app: App) -> None:
    answer = say(app, "s", TurnIn(f"Ann {SECRET}", f"Use {SECRET} and {SECRET} here."), title=f"About {SECRET}")
    assert answer.masked == 4
    held = session(app, "s")
    assert SECRET not in repr(held)
    assert held.records[0].text == "Use [secret:github] and [secret:github] here."
    assert held.session is not None
    assert held.session.title == "About [secret:github]"


def test_masking_can_be_switched_off(app: App) -> None:
    context = replace(app.context(), redact=False)
    answer = say(context, "s", f"Use {SECRET}.", title=SECRET)
    assert answer.masked == 0
    assert texts(app, "s") == [f"Use {SECRET}."]


def test_no_secret_reaches_the_file(app: App, request: pytest.FixtureRequest) -> None:
    say(app, "s", TurnIn(f"Ann {SECRET}", f"Use {SECRET}."), title=SECRET)
    lines(app, line(f"Again {SECRET}."), f"{{broken {SECRET}")
    with app.store.read() as connection:
        held = repr(connection.all("records_all", {"workspace": place(app), "after": 0, "limit": 100}))
        held += repr(connection.all("terms_holding", {"workspace": place(app), "piece": "ghp", "limit": 100}))
        held += repr(connection.all("speakers", {"workspace": place(app)}))
        held += repr(connection.all("sessions_recent", {"workspace": place(app), "limit": 9}))
    assert "a1B2c3" not in held
    assert "a1b2c3" not in held


# --- lines and limits -----------------------------------------------------------------------------------------------


def test_every_broken_line_is_listed_with_its_number_and_reason(app: App) -> None:
    rows = [
        line("One."),
        "{",
        "",
        "[1]",
        line("x", colour="red"),
        line("x", time="soon"),
        {"speaker": "Ann", "text": "No session."},
        line("Two."),
        line("   "),
    ]
    answer = lines(app, *rows)
    assert counted(answer) == (2, 0, 6)
    assert [one.line for one in answer.rejected] == [2, 4, 5, 6, 7, 9]
    assert all(one.why for one in answer.rejected)
    assert texts(app, "s") == ["One.", "Two."]


def test_the_list_of_broken_lines_is_cut_and_their_count_is_not(app: App) -> None:
    answer = lines(app, *["{"] * 2500, line("Kept."))
    assert (answer.added, answer.rejected_total, len(answer.rejected)) == (1, 2500, 1000)
    assert answer.rejected[-1].line == 1000


def test_a_call_holds_exactly_one_thing_and_no_more_than_its_limit(app: App) -> None:
    with pytest.raises(InvalidInput, match="exactly one"):
        say(app, "s", "x", jsonl="{}")
    with pytest.raises(InvalidInput, match="session"):
        say(app, "", "x")
    with pytest.raises(LimitExceeded):
        say(app, "s", *["x"] * (TURNS_MAX + 1))
    with pytest.raises(LimitExceeded):
        lines(app, " " * (TEXT_LENGTH_MAX + 1))
    assert say(app, "s").added == 0
    assert actions(app) == []


def test_an_empty_id_is_no_id(app: App) -> None:
    assert counted(say(app, "s", TurnIn("Ann", "One.", id=""), TurnIn("Ann", "Two.", id=""))) == (2, 0, 0)


# --- dry runs -------------------------------------------------------------------------------------------------------


def test_a_dry_run_predicts_exactly_what_the_call_then_does(app: App) -> None:
    add_workspace(app, "other")
    lines(app, line("Known.", id="k"), line("Was there."))
    rows = [
        line("Known.", id="k"),
        line("Was there."),
        line("Was there."),
        line("Other text.", id="k"),
        line("Twice.", id="t"),
        *[line(f"Filler {number}.", session="f") for number in range(1200)],
        line("Twice.", id="t"),
        line("Thrice.", id="t"),
        line("There.", workspace="other"),
        line("Nowhere.", workspace="nowhere"),
        line(f"The key is {SECRET}."),
        "{",
    ]
    before = actions(app), texts(app, "s")
    said = lines(app, *rows, dry_run=True)
    assert (actions(app), texts(app, "s")) == before
    done = lines(app, *rows)
    assert replace(said, dry_run=False, refs=done.refs) == done
    assert counted(done) == (1204, 3, 4)


def test_a_dry_run_learns_nothing_about_sessions(app: App) -> None:
    say(app, "s", "Hello.", title="First")
    say(app, "s", "More.", title="Second", dry_run=True)
    held = session(app, "s").session
    assert held is not None
    assert held.title == "First"


# --- what is known of a session -------------------------------------------------------------------------------------


def test_a_title_that_comes_after_its_turns_is_learnt(app: App) -> None:
    talk = [IncomingTurn("s", "Ann", f"Turn {number}.") for number in range(turns.BATCH)]
    keep(app, SessionInfo("s", "claude-code", "Early"), *talk, SessionInfo("s", "claude-code", "Late", "/home/ann"))
    held = session(app, "s").session
    assert held is not None
    assert (held.title, held.client, held.cwd) == ("Late", "claude-code", "/home/ann")
    assert actions(app) == ["ingest", "learn"]


def test_a_title_that_comes_alone_is_learnt_once(app: App) -> None:
    say(app, "s", "Hello.")
    assert say(app, "s", title="Now it has a name").added == 0
    say(app, "s", title="Now it has a name")
    say(app, "s", "Hello.", title="Now it has a name")
    held = session(app, "s").session
    assert held is not None
    assert held.title == "Now it has a name"
    assert actions(app) == ["ingest", "learn"]
    with app.store.read() as connection:
        assert ledger.broken(connection, place(app)) is None


def test_an_empty_title_takes_none_away(app: App) -> None:
    say(app, "s", "Hello.", title="Named")
    say(app, "s", "More.", title="")
    keep(app, SessionInfo("s"), IncomingTurn("s", "Ann", "And more."))
    held = session(app, "s").session
    assert held is not None
    assert held.title == "Named"


def test_a_session_of_which_only_a_title_is_known_is_not_made(app: App) -> None:
    assert say(app, "s", title="Empty").added == 0
    with app.store.read() as connection:
        assert sessions.by_external(connection, place(app), "s") is None
    assert actions(app) == []


def test_a_title_goes_where_the_turns_of_its_session_went(app: App) -> None:
    add_workspace(app, "other")
    keep(app, IncomingTurn("s", "Ann", "Hello.", workspace="other"), SessionInfo("s", title="Theirs"))
    held = session(app, "s", workspace="other").session
    assert held is not None
    assert held.title == "Theirs"


def test_a_title_given_by_a_person_beats_one_that_a_model_made(app: App, tmp_path: Any) -> None:
    file = tmp_path / "s.jsonl"
    rows = [
        {"type": "user", "sessionId": "s", "uuid": "u1", "message": {"role": "user", "content": "Plan the move."}},
        {"type": "custom-title", "sessionId": "s", "customTitle": "Moving house"},
        {"type": "ai-title", "sessionId": "s", "aiTitle": "A chat about plans"},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    keep(app, *Reading(file, "claude-code"))
    held = session(app, "s").session
    assert held is not None
    assert held.title == "Moving house"


def test_a_guessed_title_fills_a_gap_and_replaces_none(app: App) -> None:
    turns_and_titles = [
        (SessionInfo("s"), None),
        (SessionInfo("s", title="A chat", title_guessed=True), "A chat"),
        (SessionInfo("s", title="Another chat", title_guessed=True), "A chat"),
        (SessionInfo("s", title="Moving house"), "Moving house"),
        (SessionInfo("s", title="A chat about plans", title_guessed=True), "Moving house"),
        (SessionInfo("s", title="Moved"), "Moved"),
    ]
    for number, (info, title) in enumerate(turns_and_titles):
        for incoming in ([info, IncomingTurn("s", "Ann", f"Turn {number}.")], [info]):
            keep(app, *incoming)
            held = session(app, "s").session
            assert held is not None
            assert held.title == title


def test_a_title_without_turns_is_looked_up_where_it_says(app: App) -> None:
    add_workspace(app, "other")
    say(app, "s", "Hello.", workspace="other")
    keep(app, SessionInfo("s", title="Elsewhere", workspace="nowhere"), SessionInfo("t", title="None"))
    keep(app, SessionInfo("s", title="Theirs", workspace="other"))
    held = session(app, "s", workspace="other").session
    assert held is not None
    assert held.title == "Theirs"


def test_a_turn_names_the_client_that_brought_it(app: App) -> None:
    context = replace(app.context(), grant=app.grant("admin", client="cursor"))
    *_, kept = turns.keep(context, [SessionInfo("s", title="T"), IncomingTurn("s", "Ann", "Hello.")])
    assert opened(app, kept.refs[0]).provenance.client == "cursor"


# --- room and time --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["sqlite"])
@pytest.mark.slow
def test_a_long_file_streams_in_bounded_memory(app: App) -> None:
    def told(count: int) -> Iterator[Incoming]:
        for number in range(count):
            if number % 10 == 9:
                yield Rejected(number, "it is not JSON")
            else:
                yield IncomingTurn(
                    f"s{number % 7}", "Ann", f"Line {number % 2000} of the long log was read.", Moment(number * 1000)
                )

    def peak(count: int) -> int:
        tracemalloc.reset_peak()
        kept = turns.Kept()
        for _ in turns.keep(app.context(), told(count), kept=kept):
            kept.rejected.clear()
        return tracemalloc.get_traced_memory()[1]

    peak(2000)
    tracemalloc.start()
    try:
        low, high = peak(5000), peak(50_000)
    finally:
        tracemalloc.stop()
    # 45,000 marks of 100 bytes, and what SQLite and the caches of words keep.
    assert high - low < 12_000_000


def test_nothing_but_broken_lines_are_handed_over_in_batches(app: App) -> None:
    told = (Rejected(number, "it is not JSON") for number in range(10_000))
    held = turns.Kept()
    most = 0
    for kept in turns.keep(app.context(), told, kept=held):
        most = max(most, len(kept.rejected))
        kept.rejected.clear()
    assert most == turns.BATCH


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_when_the_room_ends_a_call_stores_nothing_or_says_how_much(app: App) -> None:
    store: Any = app.store
    say(app, "before", "This was kept before.")

    def limit(pages: int) -> None:
        store._writer.pragma("max_page_count", pages)

    full = [TurnIn("Ann", f"Turn {number} fills the disk with words {number * 7919}.") for number in range(TURNS_MAX)]
    limit(store._writer.pragma("page_count") + 20)
    with pytest.raises(StoreFull, match="Nothing of this call was stored"):
        say(app, "full", *full)
    limit(store._writer.pragma("page_count") + 600)
    rows = [line(one.text, session="long") for one in full] + [
        line(f"More {number} words.", session="long") for number in range(9000)
    ]
    with pytest.raises(StoreFull, match=r"Before that, [1-9],000 turns of this call were stored\. Remove the cause"):
        lines(app, *rows)
    limit(1 << 30)
    assert inconsistencies(app) == []
    with app.store.read() as connection:
        stored = connection.all("workspace_counts", {"workspace": place(app)})[0][1] - 1
        assert sessions.by_external(connection, place(app), "full") is None
    assert counted(lines(app, *rows)) == (10_000 - stored, stored, 0)
    assert found(app, "what was kept before")
    assert inconsistencies(app) == []
