"""Deciding and changing at the command line: what stands is shown, what has an impact is confirmed, and all of it goes back."""

from __future__ import annotations

import json
import shlex
from types import SimpleNamespace
from typing import Any

import pytest

from muniment.surfaces.cli import deciding
from tests.surfaces.cli.calling import Home

OLD, NEW = "The booking service listens on port 8080.", "The booking service listens on port 8471."
ASKED = "Which port does the booking service listen on?"


def kept(home: Home, text: str, *more: str) -> str:
    return str(home.answer("remember", text, *more)["ref"])


def found(home: Home, *words: str) -> list[str]:
    return [one["text"] for one in json.loads(home.run("recall", ASKED, *words, "--json").stdout)["results"]]


def refused(home: Home, *words: str, code: int) -> dict[str, Any]:
    result = home.run(*words, "--json")
    assert result.exit_code == code, result.output
    return dict(json.loads(result.stderr.splitlines()[-1])["error"])


@pytest.fixture
def somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sits at the terminal."""
    monkeypatch.setattr(deciding, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))


# --- superseding --------------------------------------------------------------------------------------------------


def test_a_new_statement_takes_the_place_of_an_old_one_and_undo_gives_it_back(home: Home) -> None:
    old = kept(home, OLD)
    before = found(home)
    done = home.run("supersede", old, NEW, "--why", "moved")
    assert done.exit_code == 0
    assert f"{old} stands at version 1, active: {OLD}" in done.stderr
    assert f"it takes the place of {old}" in done.stdout
    assert found(home)[0] == NEW
    action = done.stderr.split("`muniment undo ")[1].partition("`")[0]
    assert "Done: undo." in home.ok("undo", action, "--why", "too early", "--yes")
    assert found(home) == before
    assert refused(home, "undo", action, "--yes", code=2)["code"] == "invalid_input"


def test_a_memory_that_is_kept_takes_the_place_too(home: Home) -> None:
    old, new = kept(home, OLD), kept(home, NEW)
    assert home.answer("supersede", old, "--by", new, "--correction", "--why", "a typing error", "--yes")["changed"]
    seen = home.answer("read", old)["records"][0]
    assert (seen["superseded_by"], seen["supersede_why"]) == (new, "correction")
    shown = home.ok("read", old)
    assert f"replaced by {new}, it was never so" in shown


def test_a_superseded_hit_is_marked_where_the_past_is_asked_for(home: Home) -> None:
    old = kept(home, OLD, "--valid-from", "2026-02-01")
    home.ok("supersede", old, NEW, "--at", "2026-03-12")
    shown = home.ok("recall", ASKED, "--superseded")
    assert "superseded, replaced by m_" in shown
    assert "held from 2026-02-01 until 2026-03-12" in shown
    assert found(home, "--as-of", "2026-02-15") == [OLD]


@pytest.mark.parametrize(
    "words", [("m_x",), ("m_x", "text", "--by", "m_y"), ("m_x", "--by", "m_y", "--at", "2026-01-01"), ("m_x", "--by", "m_y")]
)
def test_superseding_needs_one_heir(home: Home, words: tuple[str, ...]) -> None:
    assert home.run("supersede", *words).exit_code == 2


def test_a_version_that_was_named_is_not_looked_up_again(home: Home) -> None:
    ref = kept(home, OLD)
    home.ok("remember", NEW, "--update", ref, "--why", "moved")
    error = refused(home, "supersede", ref, "Port 1.", "--expected-version", "1", code=1)
    assert error["code"] == "stale_version"
    assert home.answer("read", ref)["records"][0]["version"] == 2


# --- remember -----------------------------------------------------------------------------------------------------


def test_a_statement_may_bring_its_claims_links_and_sources(home: Home) -> None:
    source = kept(home, "The harbour office closes at six.")
    claim = {"subject": "harbour office", "attribute": "opens", "value": "eight", "quote": "opens at eight"}
    told = ("--claim", json.dumps(claim), "--evidence", source, "--link", f"related_to={source}")
    ref = kept(home, "The harbour office opens at eight.", *told)
    seen = home.answer("read", ref, "--links", "--lineage", "--claims")["records"][0]
    assert {link["relation"] for link in seen["links"]} == {"derived_from", "related_to"}
    assert [one["ref"] for one in seen["sources"]] == [source]
    assert f"derived from {source}" in home.ok("read", ref, "--lineage")
    assert f"related to {source}" in home.ok("read", ref, "--links")


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("x", "--claim", "port 80"), "--claim takes JSON"),
        (("x", "--link", "m_1"), "RELATION=REF"),
        (("x", "--correction"), "--correction goes with --supersede"),
        (("--reject", "m_1", "--archive", "m_2"), "Choose one of --reject and --archive."),
        (("x", "--reject", "m_1"), "--reject takes no TEXT"),
        (("--supersede", "m_1"), "There is no TEXT"),
    ],
)
def test_what_cannot_be_said_is_refused_in_words(home: Home, words: tuple[str, ...], advice: str) -> None:
    result = home.run("remember", *words)
    assert result.exit_code == 2
    assert advice in result.stderr


def test_a_thread_is_opened_and_closed(home: Home) -> None:
    ref = kept(home, "Ask the yard about the crane.", "--open-thread")
    assert home.answer("read", ref)["records"][0]["kind"] == "thread"
    assert "Closed" in home.ok("remember", "--close-thread", ref, "--why", "answered")
    assert home.answer("read", ref)["records"][0]["state"] == "archived"


# --- confirmation -------------------------------------------------------------------------------------------------


def test_without_somebody_to_ask_a_call_with_an_impact_changes_nothing(home: Home) -> None:
    ref = kept(home, OLD)
    error = refused(home, "govern", "contain", ref, "--why", "made up", code=2)
    assert error["code"] == "confirmation_required"
    assert ref in error["impact"]
    assert error["confirm"].startswith("ok_")
    assert "--yes" in error["do_next"]
    assert home.answer("read", ref)["records"][0]["state"] == "active"
    result = home.run("govern", "contain", ref, "--why", "made up")
    assert result.exit_code == 2
    assert "--yes" in result.stderr


def test_yes_answers_for_the_impact_that_is_shown(home: Home) -> None:
    ref = kept(home, OLD)
    done = home.run("govern", "contain", ref, "--why", "made up", "--yes")
    assert done.exit_code == 0
    assert "Archive" in done.stderr
    assert "Done: contain. 1 record changed" in done.stdout
    assert home.answer("read", ref)["records"][0]["state"] == "archived"


@pytest.mark.parametrize(("typed", "code", "state"), [("y\n", 0, "archived"), ("n\n", 1, "active"), ("\n", 1, "active")])
def test_somebody_at_the_terminal_is_asked(home: Home, somebody: None, typed: str, code: int, state: str) -> None:
    ref = kept(home, OLD)
    result = home.run("govern", "contain", ref, "--why", "made up", feed=typed)
    assert result.exit_code == code
    assert "Go on? [y/N]" in result.stderr
    assert ("Nothing was changed." in result.stderr) is (code == 1)
    assert home.answer("read", ref)["records"][0]["state"] == state


# --- review -------------------------------------------------------------------------------------------------------


def test_what_happened_to_a_memory_is_shown(home: Home) -> None:
    ref = kept(home, OLD)
    home.ok("remember", NEW, "--update", ref, "--why", "moved")
    shown = home.ok("review", "history", ref)
    assert "version 1" in shown
    assert "version 2 (in force)" in shown
    assert "moved" in shown
    diff = home.ok("review", "diff", ref)
    assert any(row.startswith("-") and "8080" in row for row in diff.splitlines())
    assert any(row.startswith("+") and "8471" in row for row in diff.splitlines())
    audit = home.answer("review", "audit", ref)["actions"]
    assert [one["kind"] for one in audit] == ["update", "remember"]
    assert audit[0]["ref"] in home.ok("review", "audit", ref)


def test_the_history_of_what_was_replaced_says_by_what_and_why(home: Home) -> None:
    old = kept(home, OLD)
    heir = str(home.answer("supersede", old, NEW, "--why", "8080 is taken")["ref"])
    rows = home.ok("review", "history", old).splitlines()
    assert rows[0] == f"{old} is superseded, replaced by {heir} (it has changed since): 8080 is taken"
    (version,) = [row for row in rows if row.startswith("version 1")]
    assert "(superseded)" in version
    assert "8080 is taken" not in version
    assert f"{heir} took its place" in refused(home, "review", "diff", old, code=2)["do_next"]
    own = home.ok("review", "history", heir).splitlines()
    assert own[0] == f"{heir} is active"
    assert any(row.startswith("version 1 (in force)") and "8080 is taken" in row for row in own)


def test_a_confirmation_is_asked_for_and_is_no_error(home: Home) -> None:
    ref = kept(home, OLD)
    asked = home.run("govern", "contain", ref, "--why", "made up")
    assert asked.exit_code != 0
    assert "Error" not in asked.stderr
    assert asked.stderr.startswith("Archive ")
    assert "--yes" in asked.stderr


def test_what_stays_retired_is_not_kept_by_saying_it_again(home: Home) -> None:
    made = home.answer("remember", OLD)
    home.ok("undo", made["action"], "--yes")
    assert f"Kept again: {made['ref']}" in home.ok("remember", OLD)
    home.ok("remember", "--archive", made["ref"])
    again = home.run("remember", OLD)
    assert again.exit_code == 1
    assert f"Not kept: {made['ref']}" in again.stdout
    home.ok(*shlex.split(again.stderr.split("`muniment ")[1].partition("`")[0]))
    assert found(home) == [OLD]


def test_what_is_undone_already_is_said_to_be(home: Home) -> None:
    home.ok("govern", "retire", kept(home, OLD), "--how", "archive", "--why", "tidying", "--run", "tidy", "--yes")
    home.ok("undo", "--run", "tidy", "--yes")
    assert "undone" in refused(home, "undo", "--run", "tidy", "--yes", code=1)["do_next"]
    assert "where it was made" in refused(home, "undo", "--run", "other", "--yes", code=1)["do_next"]


def test_lists_that_are_empty_say_so_and_end_with_1(home: Home) -> None:
    home.ok("init")
    for words, said in (
        (("queue",), "Nothing waits."),
        (("conflicts",), "No conflict waits."),
        (("expired",), "Nothing was taken out of recall."),
        (("entities", "Nobody"), "No name is known."),
    ):
        result = home.run("review", *words)
        assert (result.exit_code, result.stdout.strip()) == (1, said), words
        assert home.run("review", *words, "--json").exit_code == 1
    # That nothing waits to be told is no failed search.
    assert home.ok("notices").strip() == home.ok("review", "notices").strip() == "There is no notice."
    assert home.ok("proposals", "list").strip() == "No proposal waits."


def test_what_was_taken_out_of_recall_is_listed_and_paged(home: Home) -> None:
    refs = [kept(home, f"Berth {number} is taken by boat {number}.") for number in range(3)]
    for ref in refs:
        home.ok("remember", "--archive", ref)
    first = home.answer("review", "expired", "--limit", "2")
    rest = home.answer("review", "expired", "--limit", "2", "--cursor", first["cursor"])
    assert {one["ref"] for one in (*first["records"], *rest["records"])} == set(refs)
    assert "--cursor" in home.run("review", "expired", "--limit", "2").stderr


# --- conflicts ----------------------------------------------------------------------------------------------------


def test_a_conflict_is_judged_applied_and_resolved(home: Home) -> None:
    old, new = kept(home, OLD), kept(home, NEW)
    home.run("govern", "scan")
    conflict = home.answer("review", "conflicts")["conflicts"][0]["ref"]
    shown = home.ok("review", "conflict", conflict)
    assert "8080" in shown
    assert new in shown
    plan = ("--step", f"{old}=append_superseded_context")
    judged = home.run("judge", conflict, "--choose", "8471", "--keep", new, *plan, "--why", "the runbook is newer")
    assert judged.exit_code == 0, judged.output
    told = judged.stderr
    for verb in ("apply-step", "apply-step", "resolve"):
        words = shlex.split(told.split("Next: `muniment ")[1].partition("`")[0])
        assert words[:2] == ["govern", verb]
        told = home.run(*words, "--yes").stderr
    assert home.answer("review", "conflict", conflict)["conflict"]["status"] == "resolved"
    assert found(home)[0] == NEW


def test_two_that_may_both_hold_are_no_conflict(home: Home) -> None:
    kept(home, OLD), kept(home, NEW)
    home.run("govern", "scan")
    conflict = home.answer("review", "conflicts")["conflicts"][0]["ref"]
    home.ok("judge", conflict, "--not-a-conflict", "--why", "two machines")
    home.run("govern", "scan")
    assert home.run("review", "conflicts").exit_code == 1
    stale = ("judge", conflict, "--not-a-conflict", "--why", "x", "--expected-revision", "1")
    assert refused(home, *stale, code=1)["code"] == "stale_conflict"


@pytest.mark.parametrize("words", [(), ("--choose", "1", "--defer"), ("--not-a-conflict", "--defer")])
def test_a_verdict_is_one_of_three(home: Home, words: tuple[str, ...]) -> None:
    assert home.run("judge", "c_1", *words, "--why", "x").exit_code == 2
    assert home.run("judge", "c_1", "--choose", "1", "--step", "m_1", "--why", "x").exit_code == 2


# --- runs, protection ---------------------------------------------------------------------------------------------


def test_a_run_is_undone_as_a_whole(home: Home) -> None:
    refs = [kept(home, OLD), kept(home, NEW)]
    for ref in refs:
        home.ok("govern", "retire", ref, "--how", "archive", "--why", "tidying", "--run", "tidy", "--yes")
    assert home.run("recall", ASKED).exit_code == 1
    home.ok("undo", "--run", "tidy", "--yes")
    assert set(found(home)) == {OLD, NEW}


def test_protection_is_set_shown_and_lifted(home: Home) -> None:
    ref = kept(home, OLD)
    assert home.answer("read", ref)["records"][0]["protection"] == "locked"
    home.ok("govern", "protect", ref, "normal", "--why", "agents may change it", "--yes")
    assert home.answer("read", ref)["records"][0]["protection"] == "normal"
    home.ok("govern", "confirm", ref, "--why", "checked", "--yes")
    assert "locked" in home.ok("read", ref)


def test_undo_needs_one_thing_to_undo(home: Home) -> None:
    assert home.run("undo").exit_code == 2
    assert home.run("undo", "a_1", "--run", "x").exit_code == 2
