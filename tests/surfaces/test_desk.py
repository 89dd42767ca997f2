"""The local agent's current workspace: fixed when it is first known, whatever others do meanwhile."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muniment import settings
from muniment.app import create_app
from muniment.governance.registry import manage
from muniment.model.workspaces import AddWorkspace, MergeWorkspace, RenameWorkspace, WorkspacesRequest
from muniment.surfaces.desk import Desk
from tests.governance.placing import confirmed


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "harbour"
    root.mkdir()
    for words in (
        ["init", "-q"],
        ["-c", "user.name=t", "-c", "user.email=t@x", "commit", "-q", "--allow-empty", "-m", "first"],
    ):
        subprocess.run(["git", *words], cwd=root, check=True)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def held(tmp_path: Path) -> settings.Settings:
    found = settings.load({"store": str(tmp_path / "muniment.db"), "embedder": "none"}, {})
    create_app(found).close()
    return found


@pytest.fixture
def desk(project: Path, held: settings.Settings) -> Iterator[Desk]:
    made = Desk(held)
    yield made
    made.close()


def remember(desk: Desk, text: str) -> str:
    answer: dict[str, Any] = desk.call("remember", {"text": text}, "test")
    return str(answer["workspace"])


def test_the_first_thing_kept_fixes_the_workspace_and_reading_alone_makes_none(desk: Desk) -> None:
    assert [one["project_id"] for one in desk.call("list_projects", {}, None)["projects"] if one["current"]] == ["inbox"]
    assert remember(desk, "The crane is red.") == "harbour"
    assert desk.call("recall", {"query": "crane"}, None)["results"]


def test_a_rename_a_moved_folder_and_another_project_in_its_place_change_nothing(desk: Desk, project: Path) -> None:
    assert remember(desk, "The crane is red.") == "harbour"
    owner = desk.open().context()
    manage(owner, WorkspacesRequest(RenameWorkspace("rename", "harbour", "boatyard")))
    assert remember(desk, "The gate is blue.") == "boatyard"
    project.rename(project.parent / "elsewhere")
    assert remember(desk, "The mast is tall.") == "boatyard"
    project.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    assert remember(desk, "The buoy is green.") == "boatyard"
    assert len(desk.call("recall", {}, None)["results"]) == 4


def test_a_merge_takes_a_running_session_along(desk: Desk) -> None:
    assert remember(desk, "The crane is red.") == "harbour"
    owner = desk.open().context()
    manage(owner, WorkspacesRequest(AddWorkspace("add", "quay")))
    confirmed(owner, MergeWorkspace("merge", "harbour", "quay"))
    assert remember(desk, "The gate is blue.") == "quay"


def test_a_server_whose_folder_is_gone_still_answers(
    held: settings.Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    desk = Desk(held)
    try:
        assert remember(desk, "The crane is red.") == "inbox"
    finally:
        desk.close()
        monkeypatch.chdir(tmp_path)
