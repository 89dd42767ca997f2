"""What every test session obeys: under CI a skip is a failure, and golden files are compared or written.

Only a skip for measuring data that is not on this machine is forgiven there (`tests/places.py`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from typing import TypeVar

import pytest

from tests.makers import fresh, meaning, memory, small  # noqa: F401 - fixtures for every room
from tests.places import DATA_MISSING, ROOT, SHARED
from tests.stores import address, app, dialect, postgres_databases, store  # noqa: F401 - fixtures for every room

FORGIVEN = (DATA_MISSING,)
IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false", "no")
GOLDEN = "--golden"
Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(GOLDEN, action="store_true", help="write the golden files again; runs only the tests that keep one")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption(GOLDEN):
        items[:] = [item for item in items if "golden" in getattr(item, "fixturenames", ())]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden("tests/golden/help.txt", text)`: the text must be what that file holds; `dev.py golden` writes it."""

    def check(name: str, text: str) -> None:
        path = ROOT / name
        if request.config.getoption(GOLDEN):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        held = path.read_text(encoding="utf-8") if path.exists() else ""
        assert text == held, f"{name} is out of date; `python3 dev.py golden` writes it again, then read the difference"

    return check


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    # An expected failure also reports as skipped; it has its own strictness.
    return report if hasattr(report, "wasxfail") else unforgiven(report)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    return unforgiven(report)


def unforgiven(report: Report) -> Report:
    """The report itself, or a failure where it is a skip that CI does not accept."""
    if IN_CI and report.skipped and not reason(report).startswith(FORGIVEN):
        report.outcome = "failed"
        report.longrepr = f"A skip is a failure under CI. The reason it gave: {reason(report)}"
    return report


def reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    words = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return words.removeprefix("Skipped: ")


def pytest_report_header() -> list[str]:
    return [f"measuring data: {'here' if SHARED.exists() else 'not here; the tests that measure on it skip'}"]
