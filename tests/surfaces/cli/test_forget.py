"""Forgetting at the command line: it says what it would destroy, asks, and leaves nothing that could be opened."""

from __future__ import annotations

import json

from tests.surfaces.cli.calling import Home, turn, turns

TEXT = "The safe behind the compressor holds a xylophone."


def test_a_dry_run_destroys_nothing(home: Home) -> None:
    ref = home.answer("remember", TEXT)["ref"]
    shown = home.ok("forget", ref, "--dry-run")
    assert shown.startswith("Would be destroyed:\n1 record\n")
    assert TEXT in home.ok("read", ref)


def test_it_asks_first_and_destroys_with_yes(home: Home) -> None:
    ref = home.answer("remember", TEXT)["ref"]
    asked = home.run("forget", ref, "--why", "private", "--json")
    assert asked.exit_code == 2
    assert json.loads(asked.stderr)["error"]["code"] == "confirmation_required"
    assert TEXT in home.ok("read", ref)
    done = home.run("forget", ref, "--why", "private", "--yes")
    assert done.exit_code == 0
    assert "Destroyed:\n1 record\n" in done.stdout
    assert "Receipt: a_" in done.stdout
    assert home.run("read", ref).exit_code == 1
    for path in home.path.rglob("*"):
        assert not path.is_file() or b"xylophone" not in path.read_bytes(), path


def test_what_was_derived_is_named_and_stays(home: Home) -> None:
    ref = home.answer("remember", TEXT)["ref"]
    derived = home.answer("remember", "Ask Mira for the key.", "--evidence", ref)["ref"]
    shown = home.ok("forget", ref, "--yes")
    assert f"Made from it and still there: 1 record\n  {derived}" in shown


def test_a_session_and_a_workspace_are_forgotten_whole(home: Home) -> None:
    path = home.write("talk.jsonl", turns(turn("The quay is wet."), turn("It rained.")))
    home.ok("ingest", str(path))
    session = home.answer("sessions")["sessions"][0]["ref"]
    assert home.answer("forget", "--session", session, "--yes")["counts"]
    assert home.run("sessions").exit_code == 1
    home.ok("remember", TEXT, "--workspace", "old-client")
    home.ok("forget", "--workspace", "old-client", "--yes")
    assert "old-client" not in home.ok("workspace", "list")


def test_it_needs_one_thing_to_forget(home: Home) -> None:
    assert home.run("forget").exit_code == 2
    assert home.run("forget", "m_1", "--session", "s_1").exit_code == 2


def test_cleaning_the_files_may_be_repeated(home: Home) -> None:
    home.ok("init")
    for _ in range(2):
        assert home.answer("repair", "cleanup") == {"cleaned": True}
    assert "hold nothing" in home.ok("repair", "cleanup")
