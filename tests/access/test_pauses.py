"""Folders whose conversations are not kept for now."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment.access import pauses
from muniment.errors import InvalidInput


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "paused.json"


def test_a_pause_covers_everything_below(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    (folder / "deep").mkdir(parents=True)
    pauses.pause(folder, file)
    held = pauses.listed(file)
    assert pauses.covers(held, folder / "deep")
    assert not pauses.covers(held, tmp_path)
    assert not pauses.covers(held, tmp_path / "workshop")


def test_a_folder_in_a_repository_pauses_all_of_it(file: Path, tmp_path: Path) -> None:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    (tmp_path / "project" / "src").mkdir()
    assert pauses.pause(tmp_path / "project" / "src", file) == tmp_path / "project"
    assert pauses.covers(pauses.listed(file), tmp_path / "project")


def test_resuming_takes_it_back_and_says_whether_there_was_one(file: Path, tmp_path: Path) -> None:
    pauses.pause(tmp_path, file)
    pauses.pause(tmp_path, file)
    assert pauses.listed(file) == [str(tmp_path)]
    assert pauses.resume(tmp_path, file)
    assert not pauses.resume(tmp_path, file)
    assert pauses.listed(file) == []


@pytest.mark.parametrize("text", ["{", "{}", '"x"', "[1]"])
def test_a_list_that_cannot_be_understood_is_an_error(file: Path, text: str) -> None:
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(InvalidInput):
        pauses.listed(file)


def test_the_list_has_a_limit(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pauses, "FOLDERS_MAX", 1)
    pauses.pause(tmp_path, file)
    with pytest.raises(InvalidInput):
        pauses.pause(tmp_path / "other", file)
