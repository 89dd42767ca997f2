"""Which project a folder belongs to, by the layouts that git makes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from muniment.access import folders
from muniment.governance.workspaces import claim
from tests.makers import Memory


def git(folder: Path, *arguments: str) -> None:
    who = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.org",
        "-c",
        "protocol.file.allow=always",
        "-c",
        "init.defaultBranch=main",
    ]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "code" / "harbour"
    root.mkdir(parents=True)
    git(root, "init")
    git(root, "commit", "--allow-empty", "-m", "first")
    return root.resolve()


def test_a_folder_deep_inside_belongs_to_its_repository(repository: Path) -> None:
    deep = repository / "src" / "deep"
    deep.mkdir(parents=True)
    assert folders.root_of(deep) == repository
    assert folders.root_of(repository) == repository


def test_a_worktree_belongs_to_its_repository(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", str(tmp_path / "elsewhere"), "-b", "other")
    assert folders.root_of(tmp_path / "elsewhere") == repository


def test_a_submodule_belongs_to_the_outer_repository(repository: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init")
    git(inner, "commit", "--allow-empty", "-m", "first")
    git(repository, "submodule", "add", str(inner), "libs/inner")
    assert (repository / "libs" / "inner" / ".git").is_file()
    assert folders.root_of(repository / "libs" / "inner") == repository


def test_a_symlink_leads_to_what_it_names(repository: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(repository, target_is_directory=True)
    assert folders.root_of(link) == repository


def test_outside_of_git_there_is_no_project(memory: Memory, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    if folders.root_of(tmp_path) is not None:
        pytest.skip("the folder for temporary files lies in a repository")
    assert folders.root_of(plain) is None
    assert folders.workspace_of(memory.app.store, plain) is None
    assert claim(memory.context, plain) is None
    assert folders.root_of(tmp_path / "not there") is None


@pytest.mark.parametrize(
    "text", ["", "nonsense", "gitdir:", "gitdir: /nowhere/repo.git/worktrees/x", "gitdir: \x00", "\xff\xfe"]
)
def test_a_git_file_that_leads_nowhere_makes_its_folder_the_root(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").write_text(text, encoding="latin-1")
    assert folders.root_of(tmp_path) == tmp_path.resolve()


def test_a_project_keeps_its_workspace(memory: Memory, repository: Path) -> None:
    store = memory.app.store
    assert folders.workspace_of(store, repository) is None
    assert claim(memory.context, repository / "src") == "harbour"
    assert claim(memory.context, repository) == "harbour"
    assert folders.workspace_of(store, repository) == "harbour"
    assert memory.place("harbour").root == str(repository)


def test_equal_folder_names_do_not_merge(memory: Memory, tmp_path: Path) -> None:
    roots = [tmp_path / owner / "Web Site!" for owner in "abc"]
    for root in roots:
        (root / ".git").mkdir(parents=True)
    made = [claim(memory.context, root) for root in roots]
    assert made == ["web-site", "web-site-2", "web-site-3"]
    assert [folders.workspace_of(memory.app.store, root) for root in roots] == made


def test_a_folder_named_like_a_standing_workspace_gets_a_name_of_its_own(memory: Memory, tmp_path: Path) -> None:
    for name in ("inbox", "global"):
        root = tmp_path / name
        (root / ".git").mkdir(parents=True)
        assert claim(memory.context, root) == f"{name}-2"


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("My Project_2", "my-project-2"),
        ("Hafenbüro", "hafenbüro"),
        ("港口", "港口"),
        ("...", "project"),
        ("ＦＵＬＬ", "full"),
        ("-a--b-", "a-b"),
        ("x" * 200, "x" * 60),
        ("default", "default-project"),
    ],
)
def test_names_become_slugs(name: str, slug: str) -> None:
    assert folders.slug(name) == slug
