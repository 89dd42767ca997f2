"""Which project a folder belongs to, by the layouts that git makes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from muniment.access import folders
from muniment.governance.workspaces import claim
from muniment.store import workspaces as stored
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
        ("Cafe\u0301 Olé", "café-olé"),
        ("हिन्दी", "हिन्दी"),
        ("काला कल", "काला-कल"),
        ("ร้านกาแฟ", "ร้านกาแฟ"),
        ("שָׁלוֹם", "שָׁלוֹם"),
        ("مُحَمَّد", "مُحَمَّد"),
        ("İstanbul", "i̇stanbul"),
        ("\u0301a ❤\ufe0f b", "a-b"),
        ("ク\u3099ラス", "グラス"),
        ("ＦＵＬＬ", "full"),
        ("-a--b-", "a-b"),
        ("x" * 200, "x" * 60),
        ("default", "default-project"),
        ("Forgotten Islands", "project-forgotten-islands"),
        ("forgotten", "forgotten"),
    ],
)
def test_names_become_slugs(name: str, slug: str) -> None:
    assert folders.slug(name) == slug


def test_a_moved_repository_keeps_its_workspace(repository: Path, memory: Memory, tmp_path: Path) -> None:
    assert claim(memory.context, repository) == "harbour"
    moved = tmp_path / "archive" / "port"
    moved.parent.mkdir()
    repository.rename(moved)
    assert folders.workspace_of(memory.app.store, moved) == "harbour"  # for reading, too, before anything was written
    assert claim(memory.context, moved) == "harbour"
    assert memory.place("harbour").root == str(moved.resolve())
    with memory.app.store.read() as connection:
        rows = connection.all("actions", {"workspace": memory.place("harbour").id, "after": 0, "limit": 9})
    assert [row[2] for row in rows] == ["workspace", "workspace_moved"]


def test_another_project_in_the_old_place_has_a_workspace_of_its_own(repository: Path, memory: Memory, tmp_path: Path) -> None:
    claim(memory.context, repository)
    repository.rename(tmp_path / "port")
    repository.mkdir()
    git(repository, "init")
    git(repository, "commit", "--allow-empty", "-m", "another beginning")
    # The folder is the one that is known: whoever was here first keeps it until the moved one is used.
    assert claim(memory.context, tmp_path / "port") == "harbour"
    assert claim(memory.context, repository) == "harbour-2"


def test_a_copy_and_a_clone_beside_the_project_are_their_own(repository: Path, memory: Memory, tmp_path: Path) -> None:
    assert claim(memory.context, repository) == "harbour"
    copy = tmp_path / "copy" / "harbour"
    shutil.copytree(repository, copy)
    clone = tmp_path / "clone" / "harbour"
    git(tmp_path, "clone", str(repository), str(clone))
    assert claim(memory.context, copy) == "harbour-2"
    assert claim(memory.context, clone) == "harbour-3"
    assert [claim(memory.context, place) for place in (repository, copy, clone)] == ["harbour", "harbour-2", "harbour-3"]


def test_a_repository_is_known_from_its_first_commit_on(memory: Memory, tmp_path: Path) -> None:
    root = tmp_path / "young"
    root.mkdir()
    git(root, "init")
    assert folders.identity(root) is None
    assert claim(memory.context, root) == "young"
    git(root, "commit", "--allow-empty", "-m", "first")
    assert claim(memory.context, root) == "young"
    root.rename(tmp_path / "old")
    assert claim(memory.context, tmp_path / "old") == "young"


def test_worktrees_of_a_bare_repository_share_its_workspace(repository: Path, memory: Memory, tmp_path: Path) -> None:
    bare = tmp_path / "boats.git"
    git(tmp_path, "clone", "--bare", str(repository), str(bare))
    git(bare, "worktree", "add", str(tmp_path / "one"), "main")
    git(bare, "worktree", "add", str(tmp_path / "two"), "-b", "other")
    assert folders.root_of(bare) == bare.resolve()
    assert [claim(memory.context, tmp_path / name) for name in ("one", "two", "boats.git")] == ["boats"] * 3


def test_a_folder_whose_name_differs_in_case_alone_is_another_one_unless_it_is_the_same(
    repository: Path, memory: Memory, tmp_path: Path
) -> None:
    claim(memory.context, repository)
    twin = repository.parent / "HARBOUR"
    if twin.exists():
        pytest.skip("this file system knows no case")
    twin.mkdir()
    git(twin, "init")
    assert claim(memory.context, twin) == "harbour-2"
    other = tmp_path / "code2" / "boats"
    other.mkdir(parents=True)
    git(other, "init")
    assert claim(memory.context, other) == "boats"
    # As a file system without case has it: another spelling of a path that leads to the same folder.
    with memory.app.store.write() as connection:
        stored.settle(connection, memory.place("boats").id, str(other.parent / "BOATS"), None)
    (other.parent / "BOATS").symlink_to(other, target_is_directory=True)
    assert claim(memory.context, other) == "boats"


def test_what_cannot_be_read_is_no_repository(tmp_path: Path, memory: Memory) -> None:
    root = tmp_path / "shut"
    (root / ".git").mkdir(parents=True)
    (root / ".git").chmod(0)
    try:
        assert folders.identity(root) is None
        assert folders.root_of(root / "deep" / "down") == root.resolve()
    finally:
        (root / ".git").chmod(0o700)
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert folders.root_of(loop) in (None, folders.root_of(tmp_path))


def test_a_merged_project_goes_on_in_what_took_it_in(repository: Path, memory: Memory) -> None:
    from muniment.model.workspaces import MergeWorkspace
    from tests.governance.placing import confirmed

    claim(memory.context, repository)
    memory.in_("quay")
    confirmed(memory, MergeWorkspace("merge", "harbour", "quay"))
    assert claim(memory.context, repository) == "quay"
    assert folders.workspace_of(memory.app.store, repository) == "quay"
