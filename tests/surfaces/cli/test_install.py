"""`muniment install` as a person calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from muniment.surfaces.cli.program import program
from tests.surfaces.cli.calling import Home


def run(home: Path, *words: str) -> Result:
    return CliRunner().invoke(program, ["install", *words, "--home", str(home)])


def test_it_says_what_changed_and_what_to_do_next(tmp_path: Path) -> None:
    result = run(tmp_path, "claude")
    assert result.exit_code == 0
    assert f"added the server muniment in Claude Code: {tmp_path / '.claude.json'}" in result.output
    assert f"hooks of Claude Code that run `muniment hook`: {tmp_path / '.claude' / 'settings.json'}" in result.output
    assert "Next: Start Claude Code anew" in result.output
    entry = json.loads((tmp_path / ".claude.json").read_text())["mcpServers"]["muniment"]
    assert Path(entry["command"]).is_absolute()
    assert entry["args"][-1] == "stdio"


def test_a_second_call_changes_nothing_and_says_so(tmp_path: Path) -> None:
    run(tmp_path, "codex")
    result = run(tmp_path, "codex")
    assert (result.exit_code, result.output) == (0, "Codex: already as wanted; nothing was changed.\n")


def test_print_shows_a_difference_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text('{\n  "mcpServers": {} // none\n}')
    result = run(tmp_path, "cursor", "--print")
    assert result.exit_code == 0
    assert result.output.startswith(f"--- {path}\n+++ {path}\n")
    assert '+    "muniment": {' in result.output
    assert path.read_text() == '{\n  "mcpServers": {} // none\n}'
    assert [one.name for one in path.parent.iterdir()] == ["mcp.json"]


def test_uninstall_names_the_backup(tmp_path: Path) -> None:
    run(tmp_path, "cursor")
    result = run(tmp_path, "cursor", "--uninstall")
    assert "removed the server muniment in Cursor" in result.output
    assert "backup: mcp.json.muniment-backup-" in result.output
    assert "Next:" not in result.output
    assert run(tmp_path, "cursor", "--uninstall").output == "Cursor: Muniment is not in it; nothing was changed.\n"


@pytest.mark.parametrize("option", ["--store", "--workspace"])
def test_a_store_that_only_the_client_would_see_is_refused(home: Home, option: str) -> None:
    result = home.run(option, "elsewhere", "install", "cursor")
    assert result.exit_code == 2
    assert "settings file" in result.output
    assert not (home.path / ".cursor").exists()


def test_a_variable_that_hooks_do_not_see_is_refused_unless_there_are_none(tmp_path: Path) -> None:
    words = ("claude-code", "--env", "MUNIMENT_STORE=/s.db")
    result = run(tmp_path, *words)
    assert result.exit_code == 2
    assert "add --no-hooks" in result.output
    assert not (tmp_path / ".claude.json").exists()
    assert run(tmp_path, *words, "--no-hooks").exit_code == 0
    assert run(tmp_path, *words, "--uninstall").exit_code == 0


def test_json_may_stand_before_the_command(home: Home) -> None:
    result = home.run("--json", "install", "--list")
    assert json.loads(result.stdout)["clients"]


def test_all_goes_on_past_a_broken_file_and_ends_with_two(tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text("{")
    (tmp_path / ".kiro").mkdir()
    result = run(tmp_path, "--all")
    assert result.exit_code == 2
    assert "line 1, column 2" in result.stderr
    assert "added the server muniment in Kiro" in result.stdout
    assert (tmp_path / ".cursor" / "mcp.json").read_text() == "{"


def test_all_without_any_client_says_what_to_do(tmp_path: Path) -> None:
    result = run(tmp_path, "--all")
    assert result.exit_code == 2
    assert "No client was found" in result.output


def test_list_shows_every_client_with_its_state(tmp_path: Path) -> None:
    run(tmp_path, "zed")
    rows = {row["client"]: row for row in json.loads(run(tmp_path, "--list", "--json").output)["clients"]}
    assert len(rows) == 13
    assert (rows["zed"]["found"], rows["zed"]["state"]) == (True, "installed")
    assert (rows["kiro"]["found"], rows["kiro"]["state"]) == (False, "not installed")
    assert "Claude Desktop" in run(tmp_path, "--list").output
    assert run(tmp_path, "--list", "--scope", "project").exit_code == 0


def test_json_holds_the_text_backups_and_the_next_step(tmp_path: Path) -> None:
    (answer,) = json.loads(run(tmp_path, "gemini", "--json").output)["clients"]
    assert answer["written"] is True
    assert answer["changes"][0]["after"] == (tmp_path / ".gemini" / "settings.json").read_text()
    assert answer["changes"][0]["backup"] is None
    refused = run(tmp_path, "zed", "--url", "https://m.example/mcp", "--token-env", "T", "--json")
    assert refused.exit_code == 2
    assert json.loads(refused.output)["clients"][0]["error"]["code"] == "invalid_input"


def test_the_project_scope_writes_into_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    result = run(tmp_path / "home", "claude-code", "--scope", "project", "--no-hooks", "--env", "MUNIMENT_STORE=/s.db")
    assert result.exit_code == 0
    entry = json.loads((tmp_path / "work" / ".mcp.json").read_text())["mcpServers"]["muniment"]
    assert entry["env"] == {"MUNIMENT_STORE": "/s.db"}
    assert not (tmp_path / "work" / ".claude").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Name one client, or use --all or --list"),
        (("cursor", "--all"), "Name one client, or use --all or --list"),
        (("geminy",), "Did you mean gemini"),
        (("cursor", "--env", "A"), "A variable needs a value"),
    ],
)
def test_a_wrong_call_ends_with_two_and_a_hint(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    result = run(tmp_path, *words)
    assert result.exit_code == 2
    assert message in result.output
