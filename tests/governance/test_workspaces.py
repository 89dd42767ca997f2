"""Making and archiving workspaces: each is an action, and a slip of the finger makes none."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

from muniment.access import policy
from muniment.app import App
from muniment.context import Context
from muniment.errors import InsufficientScope, InvalidInput, UnknownWorkspace
from muniment.governance import ledger, workspaces
from muniment.governance.registry import manage
from muniment.model.workspaces import AddWorkspace, ArchiveWorkspace, RenameWorkspace, RestoreWorkspace, WorkspacesRequest
from muniment.store import workspaces as stored


def archive(context: Context, slug: str, reason: str | None = None) -> None:
    manage(context, WorkspacesRequest(ArchiveWorkspace("archive", slug), reason))


@pytest.fixture
def context(app: App) -> Context:
    return app.context()


def test_making_and_archiving_are_in_the_ledger(context: Context) -> None:
    made = workspaces.add(context, "harbour", name="The harbour")
    archive(context, "harbour", reason="done")
    with context.store.read() as connection:
        rows = connection.all("actions", {"workspace": made.id, "after": 0, "limit": 10})
        assert [row[2] for row in rows] == ["workspace", "archive"]
        assert ledger.broken(connection, made.id) is None
    with pytest.raises(InvalidInput):
        archive(context, "harbour")


def test_the_first_write_in_a_project_is_in_the_ledger_as_what_made_its_workspace(context: Context, tmp_path: Path) -> None:
    (tmp_path / "harbour" / ".git").mkdir(parents=True)
    agent = replace(context, grant=replace(context.grant, scopes=frozenset({"append"})))
    assert workspaces.claim(replace(agent, read_only=True), tmp_path / "harbour") is None
    assert [workspaces.claim(agent, tmp_path / "harbour") for _ in range(2)] == ["harbour", "harbour"]
    with context.store.read() as connection:
        made = stored.by_slug(connection, "harbour")
        assert made is not None
        assert [row[2] for row in connection.all("actions", {"workspace": made.id, "after": 0, "limit": 10})] == ["workspace"]
    assert workspaces.claim(agent, tmp_path) is None


def test_a_new_name_is_made_once(context: Context) -> None:
    assert workspaces.ensure(context, "harbour")
    assert not workspaces.ensure(context, "harbour")


@pytest.mark.parametrize("slip", ["harbuor", "harbours", "hrbour"])
def test_a_slip_of_the_finger_is_refused(context: Context, slip: str) -> None:
    workspaces.add(context, "harbour")
    with pytest.raises(UnknownWorkspace, match="harbour"):
        workspaces.ensure(context, slip)


def test_names_that_differ_in_a_number_are_no_slips(context: Context) -> None:
    workspaces.add(context, "conversation-1")
    assert workspaces.ensure(context, "conversation-2")
    assert workspaces.ensure(context, "conversation-12")


def test_only_an_admin_of_a_store_that_may_be_written_makes_workspaces(context: Context) -> None:
    with pytest.raises(InsufficientScope):
        workspaces.add(replace(context, read_only=True), "harbour")
    with pytest.raises(InsufficientScope):
        workspaces.add(replace(context, grant=replace(context.grant, scopes=frozenset({"write"}))), "harbour")
    with context.store.read() as connection:
        assert stored.by_slug(connection, "harbour") is None


@pytest.mark.parametrize("name", ["हिन्दी", "काला21", "กำ", "שָׁלוֹם"])
def test_a_name_of_any_script_is_whole_and_means_no_other_word(context: Context, name: str) -> None:
    workspaces.add(context, "कल21")
    workspaces.add(context, name)
    with context.store.read() as connection:
        assert policy.target(context, connection, name).slug == unicodedata.normalize("NFKC", name)
        with pytest.raises(UnknownWorkspace):
            policy.target(context, connection, "कला21")


def test_no_workspace_gets_a_name_as_forgotten_ones_have_it(context: Context, tmp_path: Path) -> None:
    workspaces.add(context, "islands")
    for name in ("forgotten-islands", "forgotten-1"):
        with pytest.raises(InvalidInput, match="cannot name"):
            workspaces.add(context, name)
        with pytest.raises(InvalidInput, match="cannot name"):
            workspaces.ensure(context, name)
        with pytest.raises(InvalidInput, match="cannot name"):
            manage(context, WorkspacesRequest(RenameWorkspace("rename", "islands", name)))
    (tmp_path / "forgotten-islands" / ".git").mkdir(parents=True)
    assert workspaces.claim(context, tmp_path / "forgotten-islands") == "project-forgotten-islands"
    archive(context, "project-forgotten-islands")
    manage(context, WorkspacesRequest(RestoreWorkspace("restore", "project-forgotten-islands")))


@pytest.mark.parametrize("double", ["\u0430lpha", "\u0430l\u0440ha", "alph\u03b1"])
def test_a_name_that_only_looks_like_another_is_told_and_taken_for_none(context: Context, double: str) -> None:
    workspaces.add(context, "alpha")
    with pytest.raises(UnknownWorkspace, match="'alpha'"):
        target_of(context, double)
    with pytest.raises(UnknownWorkspace, match="'alpha'"):
        workspaces.ensure(context, double)
    made = manage(context, WorkspacesRequest(AddWorkspace("add", double)))
    assert (made.workspaces[0].slug, made.candidates) == (double, ("alpha",))
    assert target_of(context, double) == double


def target_of(context: Context, name: str) -> str:
    with context.store.read() as connection:
        return policy.target(context, connection, name).slug
