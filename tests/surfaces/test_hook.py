"""The hook of a client: it keeps what is new, never twice, never fails the client's turn, and loads nothing heavy."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from muniment import worker
from muniment.surfaces import detached, hook
from tests.places import shared
from tests.surfaces.cli.calling import COMMAND, Home, at_home

SESSION = "ae2ab026-0b53-4e7c-ba65-f0407a6e75f5"
HEAVY = ("numpy", "pydantic", "click", "rich", "mcp", "starlette")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    return at_home(tmp_path / "home", monkeypatch)


@pytest.fixture
def projects(home: Home) -> Path:
    """The sample sessions, where Claude Code keeps them."""
    shutil.copytree(shared("samples", "claude-code", "home", ".claude"), home.path / ".claude")
    for path in (home.path / ".claude").rglob("*"):
        path.chmod(path.stat().st_mode | 0o200)
    return home.path / ".claude" / "projects" / "-home-mira-src-quillbox"


def event(name: str, path: Path | str, **more: Any) -> bytes:
    body = {"session_id": SESSION, "transcript_path": str(path), "cwd": "/home/mira/src/quillbox", "hook_event_name": name}
    return json.dumps(body | more).encode()


def call(home: Home, data: bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    done = home.program("hook", *words, feed=data)
    assert done.returncode == 0
    return done


def log(home: Home) -> str:
    path = home.path / ".local" / "state" / "muniment" / "hook.log"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def turns(home: Home) -> int:
    return int(home.answer("stats", "--workspace", "*")["turns"])


def line(number: int, text: str) -> str:
    body = {
        "type": "user",
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}",
        "sessionId": "long",
        "cwd": "/nowhere",
        "timestamp": "2026-09-21T14:00:00Z",
        "message": {"role": "user", "content": text},
    }
    return json.dumps(body) + "\n"


def test_a_second_stop_adds_only_what_is_new(home: Home, projects: Path) -> None:
    file = projects / f"{SESSION}.jsonl"
    whole = file.read_bytes().splitlines(keepends=True)
    half = len(whole) // 2
    file.write_bytes(b"".join(whole[:half]))
    call(home, event("Stop", file))
    first = turns(home)
    assert 0 < first < 10
    file.write_bytes(b"".join(whole))
    call(home, event("Stop", file, stop_hook_active=True))
    wanted = json.loads(shared("samples", "claude-code", "expected.json").read_text(encoding="utf-8"))[0]["turns"]
    shown = home.answer("read", "--session", SESSION)["records"]
    assert [[one["provenance"]["speaker"], one["text"]] for one in shown] == wanted
    call(home, event("SessionEnd", file))
    assert turns(home) == len(wanted)


def test_nothing_is_printed_when_a_turn_ends(home: Home, projects: Path) -> None:
    done = call(home, event("Stop", projects / f"{SESSION}.jsonl"))
    assert (done.stdout, done.stderr) == (b"", b"")


def test_every_recorded_event_of_the_client_is_served(home: Home, projects: Path) -> None:
    recorded = shared("samples", "claude-code", "hooks.jsonl").read_text(encoding="utf-8").splitlines()
    for one in recorded:
        done = call(home, one.replace("/home/mira/", f"{home.path}/").encode())
        assert done.stderr == b""
    assert turns(home) == 12
    assert log(home) == ""


def test_events_of_other_clients_have_the_same_shape(home: Home) -> None:
    file = next(shared("samples", "codex", "home", ".codex", "sessions").rglob("*.jsonl"))
    copy = home.write(f".codex/sessions/{file.name}", file.read_bytes())
    call(home, json.dumps({"hook_event_name": "session_end", "transcript_path": str(copy), "cwd": str(home.path)}).encode())
    assert turns(home) > 0
    assert home.answer("sessions")["sessions"][0]["client"] == "codex"


def test_a_project_gets_its_workspace(home: Home) -> None:
    project = home.path / "src" / "quillbox"
    (project / ".git").mkdir(parents=True)
    text = line(1, "The gateway listens on 7443.").replace("/nowhere", str(project))
    file = home.write(".claude/projects/x/long.jsonl", text)
    call(home, event("Stop", file, cwd=str(project)))
    assert home.answer("stats", "--workspace", "quillbox")["turns"] == 1


def test_a_session_starts_with_a_fenced_brief(home: Home) -> None:
    home.ok("remember", "The gateway listens on 7443.", "--kind", "decision", "--event-time", "2026-03-12")
    home.ok("remember", "Answer in short sentences.", "--kind", "preference")
    home.ok("remember", "Who renews the certificate?", "--kind", "thread")
    done = call(home, event("SessionStart", "", source="startup"))
    told = json.loads(done.stdout)["hookSpecificOutput"]
    assert told["hookEventName"] == "SessionStart"
    text = told["additionalContext"]
    assert text.startswith("[muniment evidence workspace inbox, as of 20")
    assert text.endswith("[/muniment evidence]")
    assert "- decision (2026-03-12, m_" in text
    assert text.index("preference") < text.index("decision") < text.index("open thread")


def test_an_empty_memory_says_nothing(home: Home) -> None:
    assert call(home, event("SessionStart", "", source="startup")).stdout == b""


def test_what_was_briefed_does_not_come_back_as_a_turn(home: Home) -> None:
    home.ok("remember", "The gateway listens on 7443.", "--kind", "decision")
    told = json.loads(call(home, event("SessionStart", "")).stdout)["hookSpecificOutput"]["additionalContext"]
    file = home.write(".claude/projects/x/long.jsonl", line(1, told) + line(2, f"{told}\nWhich port?"))
    call(home, event("Stop", file))
    shown = [one["text"] for one in home.answer("read", "--session", "long")["records"]]
    assert shown == ["Which port?"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not json",
        b"[]",
        b"{}",
        b'{"hook_event_name": 7}',
        b"\xff\xfe\x00",
        b'{"hook_event_name": "Stop"}',
        b'{"hook_event_name": "Stop", "transcript_path": 5}',
        b'{"hook_event_name": "Stop", "transcript_path": "/dev/zero"}',
        b'{"hook_event_name": "Stop", "transcript_path": "a\\u0000b"}',
        b'{"hook_event_name": "SessionStart", "cwd": "\\ud800"}',
        b'{"hook_event_name": "' + b"x" * (hook.EVENT_BYTES_MAX + 1) + b'"}',
        b"[" * 100_000,
    ],
    ids=lambda data: repr(data[:40]),
)
def test_a_hostile_event_never_fails_the_client(home: Home, data: bytes) -> None:
    done = call(home, data)
    assert done.stdout == b""
    assert len(done.stderr.splitlines()) <= 1
    assert b"Traceback" not in done.stderr


def test_only_regular_files_below_the_home_folder_are_read(home: Home, tmp_path: Path) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_text(line(1, "A secret of somebody else."))
    link = home.path / "link.jsonl"
    link.symlink_to(outside)
    pipe = home.path / "pipe.jsonl"
    os.mkfifo(pipe)
    for path in (outside, link, pipe, home.path, home.path / "missing.jsonl"):
        call(home, event("Stop", path))
    home.ok("init")
    assert turns(home) == 0
    assert len(log(home).splitlines()) == 5
    assert "somebody" not in log(home)


def test_paths_of_another_machine_are_mapped(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "mounted"
    folder.mkdir()
    (folder / "long.jsonl").write_text(line(1, "The gateway listens on 7443."))
    call(home, event("Stop", "/host/claude/long.jsonl"), "--map", f"/host/claude={folder}")
    assert turns(home) == 1
    call(home, event("Stop", "/host/claude-other/long.jsonl"), f"--map=/host/claude={folder}")
    assert "claude-other" in log(home)


def test_a_paused_folder_is_left_out_also_after_it_is_resumed(home: Home) -> None:
    project = home.path / "private"
    project.mkdir()
    text = [line(number, f"Turn {number}.").replace("/nowhere", str(project)) for number in range(1, 4)]
    file = home.write(".claude/projects/x/long.jsonl", text[0])
    call(home, event("Stop", file, cwd=str(project)))
    home.ok("pause", str(project))
    file.write_text("".join(text[:2]))
    call(home, event("Stop", file, cwd=str(project)))
    assert call(home, event("SessionStart", file, cwd=str(project))).stdout == b""
    home.ok("resume", str(project))
    file.write_text("".join(text))
    call(home, event("Stop", file, cwd=str(project)))
    assert [one["text"] for one in home.answer("read", "--session", "long")["records"]] == ["Turn 1.", "Turn 3."]


def test_a_pause_list_that_cannot_be_read_keeps_nothing(home: Home) -> None:
    home.write(".config/muniment/paused.json", "{broken")
    file = home.write(".claude/projects/x/long.jsonl", line(1, "Hush."))
    done = call(home, event("Stop", file))
    assert b"paused" in done.stderr
    home.ok("init")
    assert turns(home) == 0


def test_a_store_that_cannot_be_used_is_logged_and_found_by_doctor(home: Home) -> None:
    home.write(".local/share/muniment/muniment.db", "no store")
    file = home.write(".claude/projects/x/long.jsonl", line(1, "Hush."))
    assert b"belongs to another program" in call(home, event("Stop", file)).stderr
    report = home.answer("doctor", code=2)
    assert any("Hooks reported 1 fault in" in one["what"] for one in report["findings"])


def test_a_long_transcript_is_left_to_the_worker(home: Home) -> None:
    padding = "x" * 1000
    rows = [line(number, f"Turn {number} {padding}") for number in range(1, 4001)]
    file = home.write(".claude/projects/x/long.jsonl", "".join(rows))
    call(home, event("Stop", file))
    first = turns(home)
    assert 0 < first < 4000
    done = home.program("worker", "--drain", "--json")
    assert json.loads(done.stdout)["turns"] == 4000 - first
    assert turns(home) == 4000
    call(home, event("Stop", file))
    assert turns(home) == 4000


def test_what_the_client_wrote_after_its_last_hook_is_caught_up(home: Home) -> None:
    file = home.write(".claude/projects/x/long.jsonl", line(1, "One."))
    call(home, event("SessionEnd", file))
    file.write_text(line(1, "One.") + line(2, "Two."))
    home.program("worker", "--drain")
    assert turns(home) == 2


def test_hooks_at_the_same_time_keep_every_turn_once(home: Home, projects: Path) -> None:
    data = event("Stop", projects / f"{SESSION}.jsonl")
    running = [
        subprocess.Popen([*COMMAND, "hook"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=home.environ())
        for _ in range(6)
    ]
    for process in running:
        assert process.stdin is not None
        process.stdin.write(data)
        process.stdin.close()
    for process in running:
        assert process.stderr is not None
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait(60) == 0
    assert turns(home) == 10


def test_a_killed_hook_loses_nothing_and_doubles_nothing(home: Home) -> None:
    rows = [line(number, f"Turn {number} about the quay.") for number in range(1, 3001)]
    file = home.write(".claude/projects/x/long.jsonl", "".join(rows))
    for delay in (0.15, 0.3, 0.5):
        process = subprocess.Popen([*COMMAND, "hook"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env=home.environ())
        assert process.stdin is not None
        process.stdin.write(event("Stop", file))
        process.stdin.close()
        time.sleep(delay)
        process.kill()
        process.wait(60)
    call(home, event("Stop", file))
    assert turns(home) == 3000
    assert home.run("doctor", "--deep").exit_code < 2


def test_an_event_is_served_at_once_though_the_pipe_stays_open(home: Home, projects: Path) -> None:
    # On a loaded machine one of three has to do.
    assert min(_seconds_with_an_open_pipe(home, event("Stop", projects / f"{SESSION}.jsonl")) for _ in range(3)) < hook.WAIT_S
    assert turns(home) == 10


def _seconds_with_an_open_pipe(home: Home, data: bytes) -> float:
    begun = time.monotonic()
    with subprocess.Popen([*COMMAND, "hook"], stdin=subprocess.PIPE, env=home.environ()) as process:
        assert process.stdin is not None
        process.stdin.write(data)
        process.stdin.flush()
        assert process.wait(20) == 0
        return time.monotonic() - begun


def test_a_hook_costs_little_and_loads_nothing_heavy(home: Home, projects: Path) -> None:
    home.ok("init")
    data = home.write("event.json", event("Stop", projects / f"{SESSION}.jsonl"))
    code = (
        "import sys, json; from muniment.surfaces import hook\n"
        "hook.main([])\n"
        f"print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with data.open("rb") as stdin:
        done = subprocess.run([sys.executable, "-c", code], stdin=stdin, capture_output=True, env=home.environ(), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert json.loads(done.stdout) == []
    assert turns(home) == 10
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spent < 0.6, "the budget is 0.3 s; a loaded machine is given twice that"


def test_after_an_import_one_worker_is_started_and_ends_by_itself(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUNIMENT_EMBEDDER")
    file = home.write(".claude/projects/x/long.jsonl", line(1, "The gateway listens on 7443."))
    call(home, event("Stop", file))
    until = time.monotonic() + 40
    while time.monotonic() < until and home.answer("stats")["embedder"]["backlog"]:
        time.sleep(0.2)
    assert home.answer("stats")["embedder"]["coverage"] == 1


def test_the_lease_is_the_workers(home: Home) -> None:
    assert detached.WORKER_LEASE == worker.LEASE


def test_the_log_is_cut_when_it_grows(home: Home) -> None:
    from muniment.surfaces import hooklog

    path = hooklog.log_path()
    hooklog.log("x" * 10_000)
    assert path.stat().st_size < 1000
    path.write_text("y" * (hooklog.BYTES_MAX + 1))
    hooklog.log("anew")
    assert "anew" in path.read_text()
    assert path.stat().st_size < 1000


@pytest.mark.parametrize(
    ("name", "path"), [("Stop", "main"), ("SubagentStop", "own"), ("subagent_stop", "own"), ("PreCompact", "main")]
)
def test_an_event_names_the_transcript_it_is_about(name: str, path: str) -> None:
    body = {"hook_event_name": name, "transcript_path": "main", "agent_transcript_path": "own"}
    assert hook.parse(json.dumps(body).encode()).transcript == path
