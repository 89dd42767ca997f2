"""Under CI a skip is a failure, but for measuring data that is not on the machine. Each case is a pytest session of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.places import DATA_MISSING, ROOT

# A skip in each of its three forms, beside a test that passes and one that is expected to fail.
SOURCES = {
    "test_call": "import pytest\ndef test_it():\n    pytest.skip({why!r})\n",
    "test_module": "import pytest\npytest.skip({why!r}, allow_module_level=True)\n",
    "test_mark": "import pytest\n@pytest.mark.skipif(True, reason={why!r})\ndef test_it():\n    pass\n",
    "test_fine": "import pytest\ndef test_it():\n    pass\n@pytest.mark.xfail\ndef test_not_yet():\n    assert False\n",
}


def session(folder: Path, why: str, *, ci: str) -> tuple[int, str]:
    """The exit code and the closing line of a session over SOURCES with our conftest."""
    text = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    folder.joinpath("conftest.py").write_text(text, encoding="utf-8")
    for name, source in SOURCES.items():
        folder.joinpath(f"{name}.py").write_text(source.format(why=why), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
    done = subprocess.run(
        [*command, "--rootdir", str(folder), str(folder)],
        cwd=folder,
        env={**os.environ, "CI": ci, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src")))},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout.rstrip().splitlines()[-1]


def test_every_form_of_skip_fails_under_ci(tmp_path: Path) -> None:
    code, line = session(tmp_path, "no browser here", ci="true")
    assert code == 1
    assert "1 failed, 1 passed, 1 xfailed, 2 errors" in line


def test_missing_measuring_data_does_not_fail_ci(tmp_path: Path) -> None:
    code, line = session(tmp_path, f"{DATA_MISSING} locomo", ci="true")
    assert code == 0
    assert "1 passed, 3 skipped, 1 xfailed" in line


def test_elsewhere_a_skip_is_a_skip(tmp_path: Path) -> None:
    code, line = session(tmp_path, "no browser here", ci="")
    assert code == 0
    assert "1 passed, 3 skipped, 1 xfailed" in line
