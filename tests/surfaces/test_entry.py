"""Which command was typed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from muniment.surfaces.entry import split
from tests.places import ROOT


@pytest.mark.parametrize(
    ("typed", "command", "rest"),
    [
        ("", "", ""),
        ("stdio", "stdio", ""),
        ("stdio --store x", "stdio", "--store x"),
        ("--store x stdio", "stdio", "--store x"),
        ("--store=x stdio --read-only", "stdio", "--store=x --read-only"),
        ("--read-only stdio", "stdio", "--read-only"),
        ("--store stdio recall x", "recall", "--store stdio x"),
        ("recall stdio", "recall", "stdio"),
        ("--help", "", "--help"),
        ("--help stdio", "stdio", "--help"),
        ("--store", "", "--store"),
        ("-h", "-h", ""),
    ],
)
def test_options_may_stand_before_the_command(typed: str, command: str, rest: str) -> None:
    assert split(typed.split()) == (command, rest.split())


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams")
@pytest.mark.parametrize(
    ("words", "closed", "code"),
    [
        ("init", ">&-", 0),
        ("--json init", ">&- 2>&-", 0),
        ("stdio", "<&-", 0),
        ("remember -", "<&-", 2),
        ("hook", "<&- >&- 2>&-", 0),
    ],
)
def test_a_stream_that_is_closed_is_no_crash(tmp_path: Path, words: str, closed: str, code: int) -> None:
    command = f'exec "{sys.executable}" -m muniment --store "{tmp_path / "memory.db"}" {words} {closed}'
    own = {"PYTHONPATH": str(ROOT / "src"), "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=os.environ | own, timeout=60, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
