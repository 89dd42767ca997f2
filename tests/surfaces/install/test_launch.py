"""The command a client starts."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from muniment.surfaces.install.launch import executable, shell


@pytest.mark.parametrize("name", ["muniment", "muniment.exe"])
def test_the_script_beside_python_is_taken(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    assert executable(str(tmp_path / "python"), str(tmp_path / "none")) == [str(tmp_path / name)]


def test_the_folder_of_scripts_is_second(tmp_path: Path) -> None:
    (tmp_path / "Scripts").mkdir()
    (tmp_path / "Scripts" / "muniment.exe").touch()
    assert executable(str(tmp_path / "python.exe"), str(tmp_path / "Scripts")) == [str(tmp_path / "Scripts" / "muniment.exe")]


def test_without_a_script_the_module_is_run(tmp_path: Path) -> None:
    assert executable(str(tmp_path / "python"), str(tmp_path)) == [str(tmp_path / "python"), "-m", "muniment"]


def test_the_running_one_is_absolute() -> None:
    assert Path(executable()[0]).is_absolute()


@pytest.mark.parametrize("word", ["/opt/m/muniment", "/my tools/it's/muniment", "/ö/$HOME/`x`"])
def test_a_posix_shell_splits_the_line_back(word: str) -> None:
    assert shlex.split(shell([word, "-m", "hook"], "linux")) == [word, "-m", "hook"]


@pytest.mark.parametrize(
    ("word", "line"),
    [
        (r"C:\Users\me\muniment.exe", r'"C:\Users\me\muniment.exe" hook'),
        (r"C:\Program Files\m\muniment.exe", r'"C:\Program Files\m\muniment.exe" hook'),
        ("C:/m/muniment.exe", "C:/m/muniment.exe hook"),
    ],
)
def test_windows_paths_go_into_double_quotes(word: str, line: str) -> None:
    assert shell([word, "hook"], "win32") == line
