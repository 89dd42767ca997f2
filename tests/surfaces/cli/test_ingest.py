"""`muniment ingest`: what is taken from where, what is refused and why, and that nothing is lost on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from muniment import app
from muniment.store import workspaces
from tests.places import shared
from tests.surfaces.cli.calling import COMMAND, Home, turn, turns


def test_a_bad_line_is_reported_with_its_number_and_the_rest_is_kept(home: Home) -> None:
    file = home.write("talk.jsonl", turns(turn("one"), {"session": "talk", "text": "who?"}, turn("two")) + "not json\n")
    result = home.run("ingest", str(file))
    assert result.exit_code == 1
    assert "Kept 2 turns of 1 session in inbox." in result.stdout
    assert "2 rejected" in result.stdout
    assert "line 2: `speaker` is missing" in result.stderr
    assert "line 4: it is not JSON" in result.stderr


def test_only_the_first_reasons_are_printed_but_json_lists_all(home: Home) -> None:
    file = home.write("talk.jsonl", turns(turn("one")) + "{}\n" * 50)
    shown = home.run("ingest", str(file), "--dry-run")
    assert "… and 30 more" in shown.stderr
    report = home.answer("ingest", str(file), code=1)
    assert (report["rejected_total"], len(report["rejected"]), report["added"]) == (50, 50, 1)


def test_the_reasons_kept_have_a_limit_and_the_count_has_none(home: Home) -> None:
    from muniment.surfaces.cli.report import REJECTED_LISTED_MAX

    file = home.write("talk.jsonl", turns(turn("one")) + "{}\n" * (REJECTED_LISTED_MAX + 5))
    report = home.answer("ingest", str(file), code=1)
    assert (report["rejected_total"], len(report["rejected"])) == (REJECTED_LISTED_MAX + 5, REJECTED_LISTED_MAX)


def test_the_same_file_again_adds_nothing(home: Home) -> None:
    file = home.write("talk.jsonl", turns(turn("yes"), turn("yes"), turn("no")))
    assert home.answer("ingest", str(file))["added"] == 3
    again = home.answer("ingest", str(file))
    assert (again["added"], again["duplicates"]) == (0, 3)


def test_a_dry_run_keeps_nothing(home: Home) -> None:
    file = home.write("talk.jsonl", turns(turn("one", workspace="elsewhere")))
    report = home.answer("ingest", str(file), "--dry-run")
    assert (report["added"], report["dry_run"]) == (1, True)
    assert home.answer("stats", "--workspace", "*")["records"] == 0
    assert [one["slug"] for one in home.answer("workspace", "list")["workspaces"]] == ["global", "inbox"]


def test_a_line_may_name_its_workspace_which_is_made(home: Home) -> None:
    file = home.write("talk.jsonl", turns(turn("one", workspace="harbour"), turn("two"), turn("three", workspace="No Slug!")))
    report = home.answer("ingest", str(file), "--workspace", "yard", code=1)
    assert report["workspaces"] == ["harbour", "yard"]
    assert report["rejected"][0]["line"] == 3


def test_a_slip_in_a_workspace_name_does_not_split_a_memory(home: Home) -> None:
    home.ok("workspace", "add", "harbour")
    result = home.run("ingest", "--sample", "--workspace", "harbuor")
    assert result.exit_code == 2
    assert "'harbour'" in result.stderr
    assert home.answer("stats", "--workspace", "*")["records"] == 0


def test_a_slip_in_one_lines_workspace_rejects_that_line_alone(home: Home) -> None:
    home.ok("workspace", "add", "harbour")
    file = home.write("talk.jsonl", turns(turn("one", workspace="harbuor"), turn("two", workspace="harbour")))
    report = home.answer("ingest", str(file), code=1)
    assert (report["added"], report["workspaces"]) == (1, ["harbour"])
    assert [(one["line"], "'harbour'" in one["why"]) for one in report["rejected"]] == [(1, True)]


def test_turns_come_through_a_pipe(home: Home) -> None:
    report = home.answer("ingest", "-", feed=turns(turn("one"), turn("Grüße, 日本語 🎉")) + "\n[1]\n", code=1)
    assert (report["added"], report["rejected"][0]["line"]) == (2, 4)
    assert "日本語 🎉" in home.ok("read", "--session", "talk")


def test_documents_are_kept_whole(home: Home) -> None:
    home.write("notes/plan.md", "# The plan\n\nThe crane moves on Friday.\n")
    home.write("notes/page.html", "<html><title>Page</title><body><p>The quay is wet.</p><script>x()</script></body></html>")
    home.write("notes/talk.jsonl", turns(turn("one")))
    home.write("notes/.hidden/secret.md", "never")
    home.write("notes/picture.png", b"\x89PNG\x00\x01")
    report = home.answer("ingest", "notes")
    assert (report["added"], report["documents"]) == (3, 2)
    assert "crane moves" in home.ok("recall", "When does the crane move?")
    assert "x()" not in home.ok("recall", "quay wet")
    assert home.answer("ingest", "notes")["duplicates"] == 3
    assert home.answer("ingest", "notes", "--glob", "*.html")["duplicates"] == 1


def test_a_document_takes_a_title_and_an_address(home: Home) -> None:
    file = home.write("plan.txt", "The crane moves on Friday.")
    home.ok("ingest", str(file), "--title", "Crane plan", "--url", "https://example.org/plan")
    found = home.answer("recall", "crane friday")["results"][0]
    assert (found["subject"], found["provenance"]["url"]) == ("Crane plan", "https://example.org/plan")
    assert home.run("ingest", str(file), str(file), "--title", "x").exit_code == 2


@pytest.mark.parametrize("data", [b"\x00\x01\x02binary", b"\xff\xfe\xfd", b"caf\xe9 alone", b""])
def test_what_is_no_text_is_refused_and_does_not_stop_the_others(home: Home, data: bytes) -> None:
    bad, good = home.write("bad.txt", data), home.write("good.txt", "The quay is wet.")
    report = home.answer("ingest", str(bad), str(good), code=1)
    assert (report["added"], report["rejected_total"]) == (1, 1)


def test_a_text_in_another_encoding_with_its_mark_is_read(home: Home) -> None:
    file = home.write("plan.txt", "Die Brücke öffnet.".encode("utf-16"))
    home.ok("ingest", str(file))
    assert "Brücke öffnet" in home.ok("recall", "Brücke")


@pytest.mark.parametrize(
    "words",
    [("ingest",), ("ingest", "--all"), ("ingest", "x.md", "--client", "codex", "--all"), ("ingest", "--client", "nobody")],
)
def test_options_that_do_not_go_together_are_usage_errors(home: Home, words: tuple[str, ...]) -> None:
    result = home.run(*words)
    assert result.exit_code == 2
    assert "Error:" in result.stderr


@pytest.mark.parametrize("path", ["missing.jsonl", "empty"])
def test_a_path_with_nothing_in_it_is_said(home: Home, path: str) -> None:
    (home.path / "empty").mkdir()
    result = home.run("ingest", path)
    assert result.exit_code == 2
    assert path in result.stderr


def test_everything_a_client_keeps_is_imported_once(home: Home) -> None:
    import shutil

    shutil.copytree(shared("samples", "claude-code", "home", ".claude"), home.path / ".claude")
    first = home.answer("ingest", "--client", "claude-code", "--all", code=1)
    wanted = json.loads(shared("samples", "claude-code", "expected.json").read_text(encoding="utf-8"))[0]
    shown = home.answer("read", "--session", wanted["session_id"])
    assert [[one["provenance"]["speaker"], one["text"]] for one in shown["records"]] == wanted["turns"]
    assert shown["session"]["title"] == wanted["title"]
    assert first["added"] > len(wanted["turns"])
    again = home.answer("ingest", "--from", "claude-code")
    assert (again["added"], again["rejected_total"], again["unfinished"]) == (0, 0, 1)


def test_a_named_session_file_is_sniffed(home: Home) -> None:
    file = next(shared("samples", "codex", "home", ".codex", "sessions").rglob("*.jsonl"))
    copy = home.write("some.jsonl", file.read_bytes())
    report = home.answer("ingest", str(copy), "--workspace", "codex-work")
    assert report["workspaces"] == ["codex-work"]
    assert home.answer("sessions", "--workspace", "codex-work")["sessions"][0]["client"] == "codex"


@pytest.mark.slow
def test_stopping_keeps_what_was_acknowledged_and_the_same_command_goes_on(home: Home) -> None:
    count = 30_000
    rows = "".join(
        f'{{"session": "s{number % 50}", "speaker": "Mira", "id": "{number}", "text": "Turn {number} about the quay."}}\n'
        for number in range(count)
    )
    file = home.write("long.jsonl", rows)
    process = subprocess.Popen(
        [*COMMAND, "ingest", str(file)], env=home.environ(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=home.path
    )
    _until_some_are_stored()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"the same command goes on" in err
    assert b"Traceback" not in err
    told = int(out.split()[1].replace(b",", b""))
    assert 0 < told < count
    assert home.answer("stats")["turns"] >= told
    rest = home.answer("ingest", str(file))
    assert rest["added"] + rest["duplicates"] == count
    assert home.answer("stats")["turns"] == count


def _until_some_are_stored() -> None:
    """Looks at the rows themselves: a whole command would take as long as the rest of the file does."""
    opened = app.open_app(app.environment())
    until = time.monotonic() + 30
    try:
        while time.monotonic() < until:
            with opened.store.read() as connection:
                places = workspaces.all_of(connection)
                if any(connection.all("workspace_counts", {"workspace": place.id}) for place in places):
                    return
            time.sleep(0.01)
    finally:
        opened.close()
    raise AssertionError("nothing was stored")


@pytest.mark.skipif(os.name != "posix", reason="resource limits are POSIX")
@pytest.mark.slow
def test_a_long_file_streams_in_bounded_memory(home: Home) -> None:
    home.ok("init")
    small, large = (_memory_of_reading(home, lines) for lines in (1_000, 300_000))
    assert large < small + 30_000, f"{small:,} and {large:,} kB"


def _memory_of_reading(home: Home, lines: int) -> int:
    """The most memory, in kB, that reading so many lines takes."""
    file = home.write("long.jsonl", '{"session": "s", "speaker": "Mira", "text": " "}\n' * lines)
    code = (
        "import resource, sys; from muniment.surfaces.cli.program import program\n"
        f"try: program.main(['ingest', {str(file)!r}, '--quiet'])\n"
        "except SystemExit: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=home.environ(), capture_output=True, text=True, check=True)
    assert f"{lines:,} rejected" in done.stdout
    return int(done.stdout.splitlines()[-1])


def test_a_folder_in_a_git_project_gets_the_workspace_of_the_project(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    project = home.path / "src" / "Harbour App"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    assert home.answer("ingest", "--sample")["workspaces"] == ["harbour-app"]
    assert home.answer("workspace", "here")["workspace"] == "harbour-app"
    assert home.answer("recall", "winter berth deposit")["results"]
    monkeypatch.chdir(Path(home.path))
    assert home.run("recall", "winter berth deposit").exit_code == 1
    assert home.answer("recall", "winter berth deposit", "--workspace", "*")["results"]
