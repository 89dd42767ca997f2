"""Which clients are here, and whether Muniment is in them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from muniment.surfaces.install import changes, clients, detect
from muniment.surfaces.install.clients import CLIENTS, Machine
from muniment.surfaces.install.plan import plan

COMMAND = ["/opt/m/muniment"]


def install(name: str, home: Path, **options: Any) -> None:
    machine = Machine(home, home, "linux", {})
    planned = plan(clients.find(name), machine, **{"command": COMMAND, "scope": "user", **options})
    changes.apply(planned, datetime(2026, 1, 1, tzinfo=UTC))


def state(name: str, home: Path, command: list[str] = COMMAND) -> str:
    return detect.state(clients.find(name), Machine(home, home, "linux", {}), command, "user")


def test_a_client_is_here_when_its_folder_is(tmp_path: Path) -> None:
    def found(environ: dict[str, str]) -> list[str]:
        return detect.installed(Machine(tmp_path, tmp_path, "linux", environ))

    assert found({}) == []
    for folder in (".claude", ".cursor", ".config/zed"):
        (tmp_path / folder).mkdir(parents=True)
    assert found({}) == ["claude-code", "cursor", "zed"]
    assert found({"CLAUDE_CONFIG_DIR": str(tmp_path / "none")}) == ["cursor", "zed"]


@pytest.mark.parametrize("name", [client.name for client in CLIENTS])
def test_the_state_follows_installing_moving_and_uninstalling(name: str, tmp_path: Path) -> None:
    assert state(name, tmp_path) == "not installed"
    install(name, tmp_path)
    assert state(name, tmp_path) == "installed"
    assert state(name, tmp_path, ["/new/muniment"]) == "outdated path"
    install(name, tmp_path, uninstall=True)
    assert state(name, tmp_path) == "not installed"


def test_hooks_with_another_path_are_outdated(tmp_path: Path) -> None:
    install("claude-code", tmp_path)
    path = tmp_path / ".claude" / "settings.json"
    path.write_text(path.read_text().replace("/opt/m/", "/old/"))
    assert state("claude-code", tmp_path) == "outdated path"


def test_a_server_elsewhere_has_no_path_to_be_outdated(tmp_path: Path) -> None:
    install("cursor", tmp_path, url="https://m.example/mcp")
    assert state("cursor", tmp_path, ["/new/muniment"]) == "installed"


def test_a_broken_file_counts_as_one_without_us(tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text("{ muniment")
    assert state("cursor", tmp_path) == "not installed"
