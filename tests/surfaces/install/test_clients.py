"""The table of clients: where files are on each system, and what an entry looks like."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import pytest

from muniment.errors import InvalidInput
from muniment.surfaces.install import clients, jsonc
from muniment.surfaces.install.clients import CLIENTS, Client, Machine, Platform
from muniment.surfaces.install.plan import plan

NAMES = [client.name for client in CLIENTS]
COMMENTED = {
    "json": '// mine\n{\n  "theme": "dark", // keep\n  "KEY": {\n    "other": {"command": "x"}, // theirs\n  },\n}\n',
    "toml": "# mine\ntheme = 'dark' # keep\n\n[KEY.other] # theirs\ncommand = 'x'\n",
}


def machine(platform: Platform, environ: dict[str, str] | None = None) -> Machine:
    if platform == "win32":
        return Machine(PureWindowsPath(r"C:\Users\Åsa"), PureWindowsPath(r"D:\my work"), platform, environ or {})
    return Machine(PurePosixPath("/home/åsa"), PurePosixPath("/my work"), platform, environ or {})


def written(client: Client, folder: Path, **options: Any) -> str:
    changes = plan(
        client,
        Machine(folder, folder / "project", "linux", {}),
        command=["/opt/my tools/muniment"],
        **{"scope": "user", **options},
    )
    shown = []
    for change in changes:
        shown.append(f"=== {change.path.relative_to(folder).as_posix()}\n{change.after}")
    return "".join(shown)


def page(client: Client, folder: Path) -> str:
    """Fresh files, a file with comments and another server, a project, and a server elsewhere."""
    parts = ["##### fresh\n", written(client, folder)]
    path = Path(clients.files(client, Machine(folder, folder, "linux", {}), "user")[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(COMMENTED[client.format].replace("KEY", client.keys[0]), encoding="utf-8")
    parts += ["##### beside others\n", written(client, folder, env={"MUNIMENT_STORE": "/data/åsa.db"}, hooks=False)]
    path.unlink()
    if client.project:
        parts += ["##### project\n", written(client, folder, scope="project")]
    for label, token in (("elsewhere", None), ("elsewhere with a token", "MUNIMENT_TOKEN")):
        parts.append(f"##### {label}\n")
        try:
            parts.append(written(client, folder, url="https://memory.example/mcp", token_env=token))
        except InvalidInput as refused:
            parts.append(f"{refused}\n")
    return "".join(parts)


@pytest.mark.parametrize("name", NAMES)
def test_every_client_gets_the_files_of_its_golden_page(name: str, tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    golden(f"tests/golden/install/{name}.txt", page(clients.find(name), tmp_path))


@pytest.mark.parametrize(
    ("name", "linux", "darwin", "windows"),
    [
        ("claude-code", ".claude.json", ".claude.json", ".claude.json"),
        (
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
            "Library/Application Support/Claude/claude_desktop_config.json",
            r"AppData\Roaming\Claude\claude_desktop_config.json",
        ),
        ("cursor", ".cursor/mcp.json", ".cursor/mcp.json", r".cursor\mcp.json"),
        (
            "vscode",
            ".config/Code/User/mcp.json",
            "Library/Application Support/Code/User/mcp.json",
            r"AppData\Roaming\Code\User\mcp.json",
        ),
        ("codex", ".codex/config.toml", ".codex/config.toml", r".codex\config.toml"),
        ("gemini", ".gemini/settings.json", ".gemini/settings.json", r".gemini\settings.json"),
        (
            "windsurf",
            ".codeium/windsurf/mcp_config.json",
            ".codeium/windsurf/mcp_config.json",
            r".codeium\windsurf\mcp_config.json",
        ),
        (
            "antigravity",
            ".gemini/config/mcp_config.json",
            ".gemini/config/mcp_config.json",
            r".gemini\config\mcp_config.json",
        ),
        ("zed", ".config/zed/settings.json", ".config/zed/settings.json", r"AppData\Roaming\Zed\settings.json"),
        (
            "opencode",
            ".config/opencode/opencode.jsonc",
            ".config/opencode/opencode.jsonc",
            r".config\opencode\opencode.jsonc",
        ),
        ("copilot", ".copilot/mcp-config.json", ".copilot/mcp-config.json", r".copilot\mcp-config.json"),
        (
            "cline",
            ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            "Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            r"AppData\Roaming\Code\User\globalStorage\saoudrizwan.claude-dev\settings\cline_mcp_settings.json",
        ),
        ("kiro", ".kiro/settings/mcp.json", ".kiro/settings/mcp.json", r".kiro\settings\mcp.json"),
    ],
)
def test_user_files_are_where_each_system_keeps_them(name: str, linux: str, darwin: str, windows: str) -> None:
    client = clients.find(name)
    found = [str(clients.files(client, machine(system), "user")[0]) for system in ("linux", "darwin", "win32")]
    assert found == [f"/home/åsa/{linux}", f"/home/åsa/{darwin}", rf"C:\Users\Åsa\{windows}"]


@pytest.mark.parametrize(
    ("name", "system", "environ", "path"),
    [
        ("claude-code", "linux", {"CLAUDE_CONFIG_DIR": "/c"}, "/c/.claude.json"),
        ("codex", "linux", {"CODEX_HOME": "/c"}, "/c/config.toml"),
        ("copilot", "linux", {"COPILOT_HOME": "/c"}, "/c/mcp-config.json"),
        ("claude-desktop", "linux", {"XDG_CONFIG_HOME": "/x"}, "/x/Claude/claude_desktop_config.json"),
        ("zed", "linux", {"XDG_CONFIG_HOME": "/x"}, "/x/zed/settings.json"),
        ("zed", "darwin", {"XDG_CONFIG_HOME": "/x"}, "/home/åsa/.config/zed/settings.json"),
        ("opencode", "darwin", {"XDG_CONFIG_HOME": "/x"}, "/x/opencode/opencode.jsonc"),
        ("vscode", "win32", {"APPDATA": r"E:\Roam"}, r"E:\Roam\Code\User\mcp.json"),
        ("codex", "win32", {"CODEX_HOME": r"E:\c"}, r"E:\c\config.toml"),
    ],
)
def test_variables_of_the_clients_move_their_files(name: str, system: Platform, environ: dict[str, str], path: str) -> None:
    assert str(clients.files(clients.find(name), machine(system, environ), "user")[0]) == path


def test_claude_hooks_follow_its_folder() -> None:
    client = clients.find("claude")
    assert str(clients.hook_file(client, machine("linux", {"CLAUDE_CONFIG_DIR": "/c"}), "user")) == "/c/settings.json"
    assert str(clients.hook_file(client, machine("win32"), "user")) == r"C:\Users\Åsa\.claude\settings.json"
    assert str(clients.hook_file(client, machine("linux"), "project")) == "/my work/.claude/settings.json"


@pytest.mark.parametrize("name", ["claude-desktop", "windsurf", "antigravity", "cline"])
def test_a_client_without_project_files_says_so(name: str) -> None:
    with pytest.raises(InvalidInput, match="no file per project"):
        clients.files(clients.find(name), machine("linux"), "project")


def test_an_unknown_client_is_answered_with_the_nearest_name() -> None:
    with pytest.raises(InvalidInput, match="Did you mean windsurf"):
        clients.find("windsurfer")
    with pytest.raises(InvalidInput, match="claude-code, claude-desktop"):
        clients.find("emacs")


def test_no_name_or_alias_is_used_twice() -> None:
    names = [name for client in CLIENTS for name in (client.name, *client.aliases)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_read_by_a_strict_parser(name: str, tmp_path: Path) -> None:
    client = clients.find(name)
    text = written(client, tmp_path, hooks=False).partition("\n")[2]
    values = tomllib.loads(text) if client.format == "toml" else json.loads(text)
    for key in client.path:
        values = values[key]
    assert "/opt/my tools/muniment" in json.dumps(values)
    if client.format == "json":
        assert jsonc.value(text)[client.keys[0]]["muniment"] == values
