"""Running Python in a process of its own, as a client's hook or a second server would."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.places import ROOT


def python(code: str, *arguments: str, **environ: str) -> str:
    """What the code printed. Fails with its error output when it did not end well."""
    path = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path} | environ,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def modules_after(code: str) -> set[str]:
    """The modules that are loaded once the code has run."""
    loaded: set[str] = set(json.loads(python(f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))")))
    return loaded
