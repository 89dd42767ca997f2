"""Every test of the command line may ask for a home folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.surfaces.cli.calling import Home, at_home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    return at_home(tmp_path / "home", monkeypatch)
