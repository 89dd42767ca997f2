"""The outside programs, installed once a session, and a home for each test that is nobody's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.outside import programs


@pytest.fixture(scope="session", autouse=True)
def outside() -> None:
    programs.install()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made
