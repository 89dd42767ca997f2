"""The official conformance suite against our server, in the two newest revisions.

Every scenario that a revision requires runs. What the server does not advertise stands in expected-*.yml with its reason, one
check a line; the suite fails the run for a line that is no longer true.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment.app import create_app
from tests.outside import programs
from tests.outside.conftest import Place
from tests.stores import at
from tests.surfaces.browser import Client
from tests.surfaces.test_http import free_port

pytestmark = pytest.mark.clients


@pytest.fixture
def door(tmp_path: Path) -> Iterator[str]:
    """The address of a server that has the suite's fixtures beside what is ours."""
    create_app(at(str(tmp_path / "muniment.db"), tmp_path, embedder="none")).close()
    port = free_port()
    command = [sys.executable, "-m", "tests.outside.bearing", str(tmp_path / "muniment.db"), str(port), "fixtures"]
    with programs.running(tmp_path, *command, PYTHONPATH=programs.SOURCES) as served:
        programs.wait_for(port, served)
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_every_required_scenario_passes_that_concerns_what_is_advertised(door: str, home: Path, revision: str) -> None:
    baseline = programs.HERE / f"expected-{revision}.yml"
    done = programs.run(
        home,
        "conformance",
        "server",
        "--url",
        door,
        "--requirements",
        revision,
        "-o",
        "out",
        "--expected-failures",
        str(baseline),
    )
    said = done.stdout[done.stdout.find("=== SUMMARY") :]
    assert done.returncode == 0, said + done.stderr[-2000:]
    assert "Baseline check passed" in said


def test_no_check_of_the_stateless_core_needs_a_baseline(door: str, home: Path) -> None:
    asked = ("--scenario", "server-stateless", "--spec-version", "2026-07-28")
    done = programs.run(home, "conformance", "server", "--url", door, *asked)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def test_every_scenario_of_the_authorization_server_passes(place: Place, home: Path) -> None:
    port = free_port()
    known = Client(place.person.http, redirect=f"http://127.0.0.1:{port}/callback")
    assert known.register(grant_types=["authorization_code", "refresh_token"]).status_code == 201
    asked = ("--url", place.base, "--client-id", known.uid, "-p", str(port), "--resource", place.mcp, "-o", "out")
    with programs.running(home, "conformance", "authorization", *asked) as one:
        one.until("Callback server started")
        place.send_back(one.until(r"(http://\S+/authorize\?\S+)")[1])
        assert one.end(100) == 0, one.said
    assert "Total: 3 passed, 0 failed" in one.said, one.said
