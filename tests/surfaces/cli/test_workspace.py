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


def test_the_setting_names_the_current_workspace(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_WORKSPACE", "yard")
    home.ok("remember", "The quay is wet.")
    assert home.answer("workspace", "here")["workspace"] == "yard"
    monkeypatch.delenv("MUNIMENT_WORKSPACE")
    assert home.answer("workspace", "here")["workspace"] == "inbox"
