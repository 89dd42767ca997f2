"""Calling the command line in a home folder of its own: in this process, or as the program that people start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from muniment.surfaces.cli.program import program
from tests.places import ROOT

COMMAND = [sys.executable, "-m", "muniment"]


@dataclass(frozen=True, slots=True)
class Home:
    """A person's home folder on a machine that never had Muniment."""

    path: Path

    def run(self, *words: str, feed: str | bytes | None = None) -> Result:
        """One call in this process."""
        return CliRunner().invoke(program, words, input=feed, prog_name="muniment")

    def ok(self, *words: str, feed: str | bytes | None = None) -> str:
        """What a call printed that must end with 0."""
        result = self.run(*words, feed=feed)
        assert result.exit_code == 0, f"{words}: {result.exit_code}\n{result.stdout}\n{result.stderr}"
        return result.stdout

    def answer(self, *words: str, code: int = 0, feed: str | bytes | None = None) -> Any:
        """The JSON answer of a call."""
        result = self.run(*words, "--json", feed=feed)
        assert result.exit_code == code, f"{words}: {result.exit_code}\n{result.stdout}\n{result.stderr}"
        return json.loads(result.stdout)

    def program(
        self, *words: str, feed: bytes = b"", cwd: Path | None = None, environ: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """One call as a process."""
        return subprocess.run(
            [*COMMAND, *words],
            input=feed,
            capture_output=True,
            cwd=cwd or self.path,
            env=self.environ() | dict(environ or {}),
            timeout=60,
            check=False,
        )

    def environ(self) -> dict[str, str]:
        return os.environ | {"PYTHONPATH": str(ROOT / "src")}

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path


def at_home(path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home folder of its own: nothing of the real user is seen. Meaning is off, so that no call waits for a model."""
    for name in [name for name in os.environ if name.startswith(("MUNIMENT_", "XDG_", "CLAUDE_", "CODEX_"))]:
        monkeypatch.delenv(name)
    path.mkdir()
    monkeypatch.setenv("HOME", str(path))
    monkeypatch.setenv("USERPROFILE", str(path))
    monkeypatch.setenv("MUNIMENT_EMBEDDER", "none")
    monkeypatch.chdir(path)
    return Home(path)


def turns(*rows: Mapping[str, Any]) -> str:
    """JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def turn(text: str, **more: Any) -> dict[str, Any]:
    return {"session": "talk", "speaker": "Mira", "text": text} | more
