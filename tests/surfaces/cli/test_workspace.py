"""Workspaces at the command line."""

from __future__ import annotations

import pytest

from tests.surfaces.cli.calling import Home


def test_a_workspace_is_made_listed_and_archived(home: Home) -> None:
    home.ok("workspace", "add", "harbour", "--name", "The harbour")
    home.ok("remember", "The quay is wet.", "--workspace", "harbour")
    assert "harbour  The harbour  project  1 record in 0 sessions" in home.ok("workspace", "list")
    assert home.run("workspace", "add", "harbour").exit_code == 2
    home.ok("workspace", "archive", "harbour", "--yes")
    assert "harbour" not in home.ok("workspace", "list")
    assert home.run("recall", "quay", "--workspace", "*").exit_code == 1
    assert home.run("remember", "x", "--workspace", "harbour").exit_code == 2


def test_archiving_asks_first(home: Home) -> None:
    home.ok("workspace", "add", "harbour")
    assert home.run("workspace", "archive", "harbour").exit_code == 2
    assert home.run("workspace", "archive", "inbox", "--yes").exit_code == 2


@pytest.mark.parametrize("slug", ["Two Words", "UPPER", "default", "", "a/b", "é!"])
def test_what_cannot_name_a_workspace_is_refused(home: Home, slug: str) -> None:
    assert home.run("workspace", "add", slug).exit_code == 2


def test_reading_commands_take_several_workspaces(home: Home) -> None:
    home.ok("remember", "The quay is wet.", "--workspace", "one")
    home.ok("remember", "The quay is dry.", "--workspace", "two-more")
    assert len(home.answer("recall", "quay", "--workspace", "one,two-more")["results"]) == 2
    assert home.run("remember", "x", "--workspace", "one,two-more").exit_code == 2


def test_a_new_workspace_is_told_at_once_and_in_the_notices_with_what_to_do(home: Home) -> None:
    made = home.run("remember", "The quay is wet.", "--workspace", "harbuor")
    assert "Made the workspace harbuor." in made.stderr
    assert "`muniment workspace merge harbuor INTO`" in made.stderr
    shown = home.ok("notices", "--workspace", "harbuor")
    assert "The workspace 'harbuor' is new." in shown
    assert "`muniment workspace confirm harbuor`" in shown
    home.ok("workspace", "confirm", "harbuor")
    assert "There is no notice." in home.ok("notices", "--workspace", "harbuor")


def test_the_setting_names_the_current_workspace(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_WORKSPACE", "yard")
    home.ok("remember", "The quay is wet.")
    assert home.answer("workspace", "here")["workspace"] == "yard"
    monkeypatch.delenv("MUNIMENT_WORKSPACE")
    assert home.answer("workspace", "here")["workspace"] == "inbox"


def test_a_workspace_is_renamed_merged_and_taken_apart_again(home: Home) -> None:
    home.ok("workspace", "add", "harbour")
    home.ok("workspace", "add", "quay", "--data-class", "confidential")
    home.ok("remember", "The crane is red.", "--workspace", "harbour")
    shown = home.run("workspace", "rename", "harbour", "boatyard", "--why", "it grew")
    assert "`muniment workspace rename boatyard harbour` takes it back." in shown.stderr
    assert "The crane is red." in home.ok("recall", "crane", "--workspace", "harbour")
    assert "quay  project  0 records in 0 sessions  confidential" in home.ok("workspace", "list")
    asked = home.run("workspace", "merge", "boatyard", "quay")
    assert asked.exit_code == 2
    assert "1 record" in asked.stderr
    done = home.answer("workspace", "merge", "boatyard", "quay", "--yes", "--why", "one place")
    assert done["counts"]["records"] == 1
    assert home.answer("workspace", "show", "boatyard")["workspaces"][0]["merged_into"] == "quay"
    assert "boatyard  leads to  quay" in home.ok("workspace", "redirects")
    home.ok("undo", done["action"], "--why", "not yet", "--yes")
    assert home.answer("stats", "--workspace", "boatyard")["records"] == 1
    ref = home.answer("recall", "crane", "--workspace", "boatyard")["results"][0]["ref"]
    assert "Moved 1 record" in home.ok("workspace", "move", ref, "--into", "quay", "--yes")


def test_walls_are_set_and_opening_one_is_asked(home: Home) -> None:
    home.ok("workspace", "add", "harbour")
    home.ok("workspace", "set", "harbour", "--data-class", "restricted", "--isolation", "strict")
    assert "restricted, strict" in home.ok("workspace", "list")
    assert home.run("workspace", "set", "harbour", "--isolation", "none").exit_code == 2
    home.ok("workspace", "set", "harbour", "--isolation", "none", "--yes")
    assert home.ok("workspace", "candidates", "harbuor").strip() == "harbour"
    back = "workspace keep-separate harbuor harbour --no-longer"
    assert f"`muniment {back}` takes it back." in home.run("workspace", "keep-separate", "harbuor", "harbour").stderr
    home.ok(*back.split())
    assert home.ok("workspace", "candidates", "harbuor").strip() == "harbour"
    home.ok("workspace", "keep-separate", "harbuor", "harbour")
    assert "No other one is like it." in home.ok("workspace", "candidates", "harbuor")
    assert "is not: harbuor" in home.ok("workspace", "show", "harbour")
    home.ok("workspace", "archive", "harbour", "--yes")
    home.ok("workspace", "restore", "harbour")
    home.ok("workspace", "confirm", "harbour")


def test_a_new_name_waits_where_new_ones_are_strict(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_ISOLATION", "strict")
    home.ok("remember", "The lantern is lit.", "--workspace", "lighthouse")
    assert "pending, strict" in home.ok("workspace", "list")
    assert home.run("recall", "lantern", "--workspace", "*").exit_code == 1
    home.ok("workspace", "confirm", "lighthouse")
    assert "pending" not in home.ok("workspace", "list")
