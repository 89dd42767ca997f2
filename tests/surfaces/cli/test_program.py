"""The command itself: help, exit codes, errors in words, pipes, and what is not loaded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable

import click
import pytest

from muniment import __version__
from muniment.surfaces.cli.program import COMMANDS, SECTIONS, program
from tests.places import ROOT
from tests.surfaces.cli.calling import COMMAND, Home


def helps() -> list[tuple[str, ...]]:
    """Every command and every command of a family."""
    found: list[tuple[str, ...]] = [()]
    for name in COMMANDS:
        command = program.get_command(click.Context(program), name)
        found.append((name,))
        if isinstance(command, click.Group):
            found += [(name, inner) for inner in command.commands]
    return found


@pytest.mark.parametrize("words", helps(), ids=lambda words: "-".join(words) or "muniment")
def test_the_help_is_what_the_golden_file_says(words: tuple[str, ...], home: Home, golden: Callable[[str, str], None]) -> None:
    from click.testing import CliRunner

    result = CliRunner().invoke(program, [*words, "--help"], prog_name="muniment", terminal_width=100)
    assert result.exit_code == 0
    golden(f"tests/golden/cli/{'-'.join(words) or 'muniment'}.txt", result.stdout)


def test_every_command_can_be_loaded_and_has_help() -> None:
    for name in COMMANDS:
        command = program.get_command(click.Context(program), name)
        assert command is not None, name
        assert command.help, name


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_options_of_every_command_may_stand_before_and_after_each_of_its_words(home: Home, place: int) -> None:
    words = ["workspace", "list"]
    words[place:place] = ["--store", str(home.path / "other.db"), "--json"]
    home.ok("--store", str(home.path / "other.db"), "init")
    home.ok("--store", str(home.path / "other.db"), "workspace", "add", "quay")
    assert "quay" in [one["slug"] for one in json.loads(home.ok(*words))["workspaces"]]


def test_what_stands_last_of_one_option_holds(home: Home) -> None:
    home.ok("workspace", "add", "quay")
    assert home.run("workspace", "--workspace", "nowhere", "list", "--workspace", "quay").exit_code == 0
    assert home.run("workspace", "--workspace", "quay", "list", "--workspace", "nowhere").exit_code == 2


def test_the_sections_name_every_command_once() -> None:
    assert sum(len(entries) for entries in SECTIONS.values()) == len(COMMANDS)


def test_the_overview_loads_no_command() -> None:
    code = (
        "import sys; from muniment.surfaces.cli.program import program\n"
        "try: program.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('numpy', 'pydantic', 'rich', 'apsw') if name in sys.modules])"
    )
    environ = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ)
    assert done.stdout.splitlines()[-1] == "[]"


def test_commands_are_completed_with_tab(home: Home) -> None:
    environ = {"_MUNIMENT_COMPLETE": "bash_complete", "COMP_WORDS": "muniment rec", "COMP_CWORD": "1"}
    code = "from muniment.surfaces.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=home.environ() | environ, check=True
    )
    assert done.stdout == "plain,recall\n"


def test_the_version_is_told(home: Home) -> None:
    assert home.ok("--version") == f"muniment {__version__}\n"


def test_options_of_every_command_may_stand_before_or_after_it(home: Home) -> None:
    home.ok("init", "--store", "one.db")
    assert json.loads(home.ok("--store", "one.db", "--json", "stats")) == json.loads(
        home.ok("stats", "--store", "one.db", "--json")
    )


def test_a_mistyped_command_is_guessed(home: Home) -> None:
    result = home.run("recal", "x")
    assert result.exit_code == 2
    assert "Did you mean 'recall'?" in result.stderr


@pytest.mark.parametrize(
    ("words", "code", "exit_code"),
    [
        (("stats", "--store", "missing.db"), "unavailable", 2),
        (("recall", "x", "--limit", "1000"), "invalid_input", 2),
        (("recall", "x", "--workspace", "nobody"), "unknown_project", 2),
        (("recall", "x", "--as-of", "yesterweek"), "invalid_input", 2),
        (("read", "t_00000000000000000000000000"), "not_found", 1),
        (("remember", "x", "--kind", "wish"), "invalid_input", 2),
        (("token", "add", "x", "--expires", "soon"), "invalid_input", 2),
        (("nonsense",), "invalid_input", 2),
        (("embedder", "set", "nobody"), "invalid_input", 2),
    ],
)
def test_every_error_says_what_happened_and_what_to_do(home: Home, words: tuple[str, ...], code: str, exit_code: int) -> None:
    result = home.run(*words, "--json")
    assert result.exit_code == exit_code
    assert result.stdout == ""
    error = json.loads(result.stderr)["error"]
    assert error["code"] == code
    assert error["message"]
    assert error["do_next"]
    plain = home.run(*words)
    assert error["message"] in plain.stderr
    assert error["do_next"] in plain.stderr


def test_a_foreign_file_is_never_touched(home: Home) -> None:
    file = home.write("notes.db", "just notes")
    for command in ("init", "stats", "upgrade", "doctor"):
        assert home.run(command, "--store", str(file)).exit_code == 2
    assert home.run("uninstall", "--purge", "--yes", "--store", str(file)).exit_code == 2
    assert file.read_text() == "just notes"


def test_settings_that_cannot_be_used_are_reported_together(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_PORT", "many")
    monkeypatch.setenv("MUNIMENT_DURABILITY", "maybe")
    result = home.run("stats")
    assert result.exit_code == 2
    assert "port" in result.stderr
    assert "durability" in result.stderr


def test_a_closed_pipe_is_quiet(home: Home) -> None:
    home.ok("ingest", "--sample")
    process = subprocess.Popen(
        [*COMMAND, "sessions"],
        env=home.environ(),
        cwd=home.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert err == b""
    assert process.returncode == 0


def test_every_script_is_printed_whatever_the_locale_says(home: Home) -> None:
    ref = home.answer("remember", "Grüße aus Kyōto 京都 🎉")["ref"]
    done = home.program("read", ref, environ={"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert "Grüße aus Kyōto 京都 🎉" in done.stdout.decode("utf-8")


def test_stored_text_cannot_steer_a_terminal(home: Home) -> None:
    hostile = "The red \x1b[31m alert \x1b[0m and \u202egnihton"
    ref = home.answer("remember", hostile, "--subject", "title \x1b]0;owned\x07", "--kind", "decision")["ref"]
    home.answer("remember", "The other \x1b[31m alert \x1b[0m", "--kind", "decision")
    # What turns a line around is suspected, so nobody is told of it unasked; controls are only left out.
    for words in (("recall", "What about the red alert?"), ("recall",), ("read", ref), ("context",), ("brief",)):
        shown = home.run(*words).stdout
        assert "alert" in shown
        assert "\x1b" not in shown
        assert "\u202e" not in shown


def test_colour_is_for_terminals_alone(home: Home) -> None:
    home.ok("ingest", "--sample")
    assert "\x1b[" not in home.program("recall").stdout.decode()


def test_quiet_prints_the_answer_alone(home: Home) -> None:
    result = home.run("remember", "Mira likes tea.", "--quiet")
    assert result.stderr == ""
    assert result.stdout.startswith("Kept: m_")
