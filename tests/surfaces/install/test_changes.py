"""Writing files: in one step, with a backup, or not at all."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from muniment.errors import InvalidInput, LimitExceeded, StaleVersion
from muniment.surfaces.install import changes
from muniment.surfaces.install.changes import Change, apply, backups, read

NOW = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
BACKUP = ".muniment-backup-20260504030201"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_change_keeps_the_old_bytes_beside_it_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "ö.json"
    path.write_bytes("\ufeffold\r\n".encode())
    (done,) = apply([Change(path, "\ufeffold\r\n", "new\r\n", "changed")], NOW)
    assert path.read_bytes() == b"new\r\n"
    assert done.backup == tmp_path / f"ö.json{BACKUP}"
    assert done.backup.read_bytes() == "\ufeffold\r\n".encode()
    assert sorted(tmp_path.iterdir()) == sorted([path, done.backup])


def test_a_new_file_is_private_and_its_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c.json"
    (done,) = apply([Change(path, None, "{}", "made")], NOW)
    assert done.backup is None
    assert mode(path) == 0o600


@pytest.mark.parametrize(("private", "wanted"), [(False, 0o644), (True, 0o600)])
def test_the_mode_stays_unless_something_private_is_written(private: bool, wanted: int, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")
    path.chmod(0o644)
    (done,) = apply([Change(path, "old", "new", "changed", private)], NOW)
    assert mode(path) == wanted
    assert done.backup is not None
    assert mode(done.backup) == 0o600


def test_a_link_stays_a_link_and_its_target_changes(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    real, link = tmp_path / "dotfiles" / "settings.json", tmp_path / "settings.json"
    real.write_text("old")
    link.symlink_to(real)
    apply([Change(link, "old", "new", "changed")], NOW)
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert (tmp_path / f"settings.json{BACKUP}").read_text() == "old"


def test_a_file_that_goes_is_kept_as_a_backup(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")
    (done,) = apply([Change(path, "old", None, "removed")], NOW)
    assert not path.exists()
    assert done.backup is not None
    assert done.backup.read_text() == "old"


def test_a_file_changed_meanwhile_stops_the_whole_set(tmp_path: Path) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    first.write_text("old")
    second.write_text("newer")
    with pytest.raises(StaleVersion, match=r"b\.json was changed by another program"):
        apply([Change(first, "old", "new", "x"), Change(second, "old", "new", "x")], NOW)
    assert (first.read_text(), second.read_text()) == ("old", "newer")
    assert len(list(tmp_path.iterdir())) == 2


def test_a_file_that_appeared_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("theirs")
    with pytest.raises(StaleVersion):
        apply([Change(path, None, "ours", "x")], NOW)
    assert path.read_text() == "theirs"


def test_a_place_that_cannot_be_written_stops_the_whole_set(tmp_path: Path) -> None:
    first = tmp_path / "a.json"
    first.write_text("old")
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match=r"cannot be (read|written)"):
        apply([Change(first, "old", "new", "x"), Change(tmp_path / "file" / "b.json", None, "new", "x")], NOW)
    assert first.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "file"]


def test_a_failure_at_the_last_step_takes_the_earlier_files_back(tmp_path: Path) -> None:
    first, fresh, last = tmp_path / "a.json", tmp_path / "b.json", tmp_path / ("c" * 250)
    first.write_text("old")
    last.write_text("old")
    # The name of its backup is longer than a file system takes.
    with pytest.raises(InvalidInput, match="cannot be written"):
        apply([Change(first, "old", "new", "x"), Change(fresh, None, "new", "x"), Change(last, "old", "new", "x")], NOW)
    assert (first.read_text(), fresh.exists(), last.read_text()) == ("old", False, "old")


def test_a_folder_without_write_access_is_an_error_that_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    (folder / "a.json").write_text("old")
    folder.chmod(0o500)
    try:
        if os.access(folder, os.W_OK):
            # The superuser may write anywhere, so only the kernel's own read-only tree refuses it.
            folder = Path("/proc/self/fdinfo")
            change = Change(folder / "muniment.json", None, "new", "x")
        else:
            change = Change(folder / "a.json", "old", "new", "x")
        with pytest.raises(InvalidInput, match=r"cannot be written: .*Nothing was changed"):
            apply([change], NOW)
    finally:
        (tmp_path / "locked").chmod(0o700)
    assert [path.name for path in (tmp_path / "locked").iterdir()] == ["a.json"]


def test_a_second_backup_in_the_same_second_replaces_none(tmp_path: Path) -> None:
    path = tmp_path / "a[1].json"
    path.write_text("one")
    apply([Change(path, "one", "two", "x")], NOW)
    apply([Change(path, "two", "three", "x")], NOW)
    assert list(backups(path)) == ["two", "one"]


def test_a_file_over_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    path.write_text("12345")
    monkeypatch.setattr(changes, "BYTES_MAX", 5)
    assert read(path) == "12345"
    monkeypatch.setattr(changes, "BYTES_MAX", 4)
    with pytest.raises(LimitExceeded):
        read(path)


def test_a_folder_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        read(tmp_path)
