"""Files that somebody else wrote, named or linked: what importing, exporting and installing must not open or overwrite."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import resource
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp

import muniment
from muniment import settings
from muniment.app import App
from muniment.errors import InvalidInput
from muniment.surfaces.catalogue import OPERATIONS
from muniment.surfaces.cli.sources import DOCUMENT_BYTES_MAX
from muniment.surfaces.install import clients, launch
from muniment.surfaces.schemas import request_schema
from tests.surfaces.browser import Person
from tests.surfaces.cli.calling import COMMAND, Home, turn, turns
from tests.surfaces.conftest import bearer, token
from tests.surfaces.install.test_plan import planned
from tests.surfaces.oauth.test_flow import call
from tests.surfaces.test_gate import HOST, raw

SECRET = "The safe opens with nine four seven."
DATA_BYTES_MAX = 400_000_000


def kept(home: Home) -> int:
    return int(home.answer("stats", "--workspace", "*")["records"])


# --- taking in ----------------------------------------------------------------------------------------------------


def test_a_folder_gets_no_file_from_outside_of_it_into_memory(home: Home) -> None:
    outside = home.write("private/safe.md", SECRET)
    home.write("notes/own.md", "The crane is green.")
    inside = home.path / "notes" / "deep" / "er"
    inside.mkdir(parents=True)
    (inside / "absolute.md").symlink_to(outside)
    (inside / "relative.md").symlink_to("../../../private/safe.md")
    (inside / "twice.md").symlink_to("relative.md")
    (inside / "folder").symlink_to(outside.parent, target_is_directory=True)
    (inside / "nowhere.md").symlink_to("gone.md")
    (inside / "round.md").symlink_to("round.md")
    (inside / "known.md").symlink_to("../../own.md")
    report = home.answer("ingest", "notes")
    assert (report["added"], report["rejected_total"]) == (2, 0), "the file, and the link to it"
    assert home.answer("recall", "How does the safe open?", code=1)["results"] == []


def test_a_folder_that_is_itself_a_link_is_read(home: Home) -> None:
    home.write("notes/own.md", "The crane is green.")
    (home.path / "link").symlink_to("notes", target_is_directory=True)
    assert home.answer("ingest", "link")["added"] == 1


@pytest.mark.parametrize(
    "name", ["a..%2f..%2fsafe.md", "%2e%2e%2fsafe.md", "a\\..\\safe.md", "safe.md.md", "SAFE.MD", "a\nb.md"]
)
def test_an_encoded_name_is_the_name_of_that_file_and_of_no_other(home: Home, name: str) -> None:
    home.write("safe.md", SECRET)
    home.write(f"notes/{name}", "The crane is green.")
    home.ok("ingest", "notes")
    assert "crane" in home.answer("recall", "crane green")["results"][0]["text"]
    assert kept(home) == 1


def test_what_is_no_file_is_left_alone_in_a_folder(home: Home) -> None:
    home.write("notes/own.md", "The crane is green.")
    folder = home.path / "notes"
    os.mkfifo(folder / "pipe.md")
    (folder / "zero.md").symlink_to("/dev/zero")
    (folder / "self.jsonl").symlink_to("/proc/self/environ")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "s.md"))
        assert home.answer("ingest", "notes")["added"] == 1


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", "/dev/full"])
def test_a_device_that_is_named_is_refused_and_read_no_further_than_a_document_may_be(home: Home, name: str) -> None:
    report = home.answer("ingest", name, code=1)
    assert (report["added"], report["rejected_total"]) == (0, 1)


def test_a_pipe_is_read_to_its_end_and_no_longer_than_a_document(home: Home) -> None:
    os.mkfifo(home.path / "pipe")

    def feed() -> None:
        with (home.path / "pipe").open("w") as pipe:
            pipe.write("The crane is green.")

    feeding = threading.Thread(target=feed)
    feeding.start()
    assert home.answer("ingest", "pipe")["added"] == 1
    feeding.join()
    home.write("long.md", "a" * (DOCUMENT_BYTES_MAX + 1))
    assert "are the most" in home.run("ingest", "long.md").stderr


def test_an_archive_is_not_opened(home: Home) -> None:
    with zipfile.ZipFile(home.path / "slip.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("../../slipped.md", SECRET)
        packed.writestr("/slipped.md", SECRET)
        packed.writestr("bomb.md", "0" * 50_000_000)
    (home.path / "notes").mkdir()
    (home.path / "slip.zip").rename(home.path / "notes" / "slip.zip")
    assert home.answer("ingest", "notes/slip.zip", code=1)["added"] == 0
    assert home.run("ingest", "notes").exit_code == 2, "nothing to keep"
    assert [path for path in home.path.rglob("slipped*")] == []


def test_a_compressed_history_that_swells_stays_within_memory(home: Home) -> None:
    import zstandard

    packer = zstandard.ZstdCompressor().compressobj()
    with (home.path / "bomb.jsonl.zst").open("wb") as file:
        for _ in range(600):
            file.write(packer.compress(b" " * 1_000_000))
        file.write(packer.compress(b"\n" + turns(turn("The crane is green.")).encode()))
        file.write(packer.flush())
    assert (home.path / "bomb.jsonl.zst").stat().st_size < 1_000_000
    done = subprocess.run(
        [*COMMAND, "ingest", "bomb.jsonl.zst", "--json"],
        cwd=home.path,
        env=home.environ(),
        capture_output=True,
        timeout=120,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (DATA_BYTES_MAX, DATA_BYTES_MAX)),
    )
    report = json.loads(done.stdout)
    assert (report["added"], report["rejected_total"]) == (1, 1), done.stderr


# --- the network names no files ----------------------------------------------------------------------------------


WATCHED: list[set[str]] = []


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if WATCHED and event in ("open", "os.listdir", "os.scandir", "socket.connect", "subprocess.Popen", "os.system"):
        WATCHED[-1].add(f"{event} {arguments[:2]}")


@contextmanager
def watching() -> Iterator[set[str]]:
    """What Python opened meanwhile: files, folders, connections and programs."""
    if not getattr(_watch, "on", False):
        sys.addaudithook(_watch)
        _watch.on = True  # type: ignore[attr-defined]
    WATCHED.append(set())
    try:
        yield WATCHED[-1]
    finally:
        WATCHED.pop()


def test_no_field_of_a_request_is_opened_as_a_file_or_an_address(machine: TestClient, app: App, tmp_path: Path) -> None:
    canary = tmp_path / "canary.md"
    canary.write_text(SECRET)
    (tmp_path / "folder").mkdir()
    words = [str(canary), canary.as_uri(), "../canary.md", "http://127.0.0.1:9/canary", "muniment://record/../canary.md"]
    held = bearer(token(app, "admin"))
    with watching() as seen:
        canary.read_text()
        assert any("canary" in one for one in seen), "the watch works"
        seen.clear()
        for word in words:
            document = {"text": f"See {word} for the plan.", "url": word, "source_ref": word, "title": word}
            machine.post("/api/ingest", json={"document": document}, headers=held)
            machine.post("/api/ingest", json={"jsonl": word}, headers=held)
            machine.post("/api/remember", json={"text": f"See {word}.", "source_ref": word}, headers=held)
            for path, field in (
                ("read", "ref"),
                ("read", "session"),
                ("fetch", "id"),
                ("recall", "query"),
                ("recall", "cursor"),
            ):
                machine.post(f"/api/{path}", json={field: word}, headers=held)
            asked = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": word}}
            machine.post("/mcp", json=asked, headers=held)
        opened = [one for one in seen if "canary" in one or "127.0.0.1" in one or "Popen" in one]
    assert opened == []
    assert SECRET not in machine.post("/api/recall", json={"query": "safe opens"}, headers=held).text


def test_no_operation_takes_a_path() -> None:
    def names(schema: Any) -> Iterator[str]:
        if isinstance(schema, dict):
            yield from schema.get("properties", {})
            for part in schema.values():
                yield from names(part)
        elif isinstance(schema, list):
            for part in schema:
                yield from names(part)

    for operation in OPERATIONS:
        found = set(names(request_schema(operation.request)))
        assert not found & {"path", "file", "filename", "folder", "directory", "dir", "out", "output"}, operation.name


CLIMBING = [
    "/pages/../http.py",
    "/pages/..%2fhttp.py",
    "/pages/%2e%2e/http.py",
    "/pages/muniment.css/../frame.html",
    "/pages//etc/passwd",
    "/pages/muniment.css%00.html",
    "/pages/MUNIMENT.CSS",
    "/r/..%2f..%2fetc%2fpasswd",
    "/r/%2e%2e%2fstats",
    "/r/../api/stats",
    "/.well-known/oauth-authorization-server/../../../etc/passwd",
    "/api/../../etc/passwd",
    "/..%5c..%5cetc%5cpasswd",
]


@pytest.mark.parametrize("path", CLIMBING)
def test_a_path_that_climbs_finds_nothing(asgi: ASGIApp, machine: TestClient, person: Person, app: App, path: str) -> None:
    person.log_in()
    cookie = f"muniment={person.http.cookies['muniment']}".encode()
    bringing = ((), ((b"authorization", f"Bearer {token(app)}".encode()),), ((b"cookie", cookie), (b"accept", b"text/html")))
    for headers in bringing:
        status, body = asyncio.run(raw(asgi, HOST, *headers, path=unquote(path)))
        assert status in (400, 401, 404), (path, status)
        assert b"root:" not in body
        assert b"import" not in body


# --- writing out --------------------------------------------------------------------------------------------------


def test_a_backup_is_led_nowhere_by_a_link(home: Home) -> None:
    home.ok("remember", "The crane is green.")
    victim = home.write("victim.txt", "precious")
    (home.path / "copy.db.part").symlink_to(victim)
    home.ok("backup", "copy.db")
    assert home.run("backup", "victim.txt").exit_code == 2
    (home.path / "link.db").symlink_to(victim)
    assert home.run("backup", "link.db").exit_code == 2
    (home.path / "dangling.db").symlink_to(home.path / "elsewhere.db")
    home.ok("backup", "dangling.db")
    assert not (home.path / "elsewhere.db").exists()
    assert victim.read_text() == "precious"
    assert (home.path / "copy.db").stat().st_mode & 0o077 == 0
    assert [path.name for path in home.path.glob("copy.db*")] == ["copy.db", "copy.db.part"]


def test_a_backup_that_fails_leaves_nothing(home: Home) -> None:
    home.ok("remember", "The crane is green.")
    assert home.run("backup", "missing/copy.db").exit_code != 0
    assert list(home.path.rglob("*.part")) == []


def test_the_copy_that_an_upgrade_keeps_is_its_owners_alone(app: App, tmp_path: Path) -> None:
    os.umask(before := os.umask(0))
    assert before & 0o077 != 0o077, "else nothing could be readable by others anyhow"
    app.store.backup(tmp_path / "copy.db")
    assert (tmp_path / "copy.db").stat().st_mode & 0o077 == 0


def test_a_briefing_that_is_written_out_is_its_owners_alone(home: Home) -> None:
    home.ok("remember", "Letters are answered within a day.", "--kind", "policy")
    home.ok("context", "--out", "told.txt")
    assert (home.path / "told.txt").stat().st_mode & 0o077 == 0


# --- installing ---------------------------------------------------------------------------------------------------


HOSTILE = [
    'https://m.example/mcp"; touch pwned; "',
    "https://m.example/mcp$(touch pwned)",
    "https://m.example/mcp`touch pwned`",
    "https://m.example/mcp;touch pwned",
    "https://m.example/mcp|touch pwned",
    "https://m.example/mcp\ntouch pwned",
    "https://m.example/${env:HOME}",
    "https://m.example/%PATH%\\..",
    "https://m.example/mcp'",
    "https://m.example/<script>",
    "https://user:secret@m.example/mcp",
    "https://m.example@evil.example/mcp",
    "https://m.example#evil",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "-oProxyCommand=x",
    "https:///mcp",
    "//m.example/mcp",
    "",
]


@pytest.mark.parametrize("url", HOSTILE)
def test_an_address_that_could_be_taken_for_more_is_not_installed(url: str, tmp_path: Path) -> None:
    for client in clients.CLIENTS:
        with pytest.raises(InvalidInput):
            planned(client, tmp_path, url=url)
    assert list(tmp_path.iterdir()) == []


def test_plain_addresses_are(tmp_path: Path) -> None:
    for url in ("https://m.example/mcp", "http://127.0.0.1:8750/mcp", "http://[::1]:8750/a/mcp", "https://m.example/mcp?a=b"):
        assert planned(clients.find("cursor"), tmp_path, url=url)


@pytest.mark.parametrize("url", [url for url in HOSTILE if url])
def test_an_address_that_is_none_is_no_public_address_of_a_server(url: str) -> None:
    with pytest.raises(InvalidInput, match="base_url"):
        settings.load({"base_url": url}, {})


def test_every_address_in_our_metadata_is_ours_and_of_the_web(machine: TestClient) -> None:
    for path in ("/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp"):
        document = machine.get(path).json()
        found = [value for value in json.dumps(document).split('"') if "://" in value]
        assert len(found) >= 2
        assert {value for value in found if not value.startswith(str(machine.base_url).rstrip("/"))} == set()
    told = machine.post("/mcp", json=call("stats")).headers["www-authenticate"]
    assert told.split('resource_metadata="')[1].startswith("http://127.0.0.1:8750/")


def test_the_command_of_a_hook_runs_one_program_whatever_its_folder_is_called(tmp_path: Path) -> None:
    folder = tmp_path / "a b $(touch pwned) `touch pwned` ;touch pwned; 'q' \"d\" & | > x * ~"
    folder.mkdir()
    program = folder / "muniment"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$0" "$@"\n')
    program.chmod(0o700)
    done = subprocess.run(
        ["/bin/sh", "-c", launch.shell([str(program), "hook"], "linux")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [str(program), "hook"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [folder.name]


def test_a_server_is_started_by_words_and_never_by_a_line(tmp_path: Path) -> None:
    program = "/opt/a b;touch pwned/muniment"
    for client in clients.CLIENTS:
        entry = client.stdio(clients.Launch(program, ("stdio",), {}))
        words = json.dumps(entry)
        assert json.dumps(program) in words, client.name
        assert f"{program} stdio" not in words


def test_a_project_file_that_is_a_link_to_something_else_is_left_alone(home: Home) -> None:
    """A repository may bring any links; what they lead to is changed only where it holds what such a file holds."""
    victim = home.write("victim.sh", "#!/bin/sh\necho precious\n")
    project = home.path / "project"
    (project / ".cursor").mkdir(parents=True)
    (project / ".cursor" / "mcp.json").symlink_to(victim)
    done = subprocess.run(
        [*COMMAND, "install", "cursor", "--scope", "project"], cwd=project, env=home.environ(), capture_output=True, check=False
    )
    assert done.returncode != 0
    assert victim.read_text() == "#!/bin/sh\necho precious\n"


def test_no_program_is_ever_started_through_a_shell() -> None:
    found = []
    for path in sorted(Path(muniment.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            through = any(keyword.arg == "shell" and ast.unparse(keyword.value) != "False" for keyword in node.keywords)
            asks = called in ("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "eval", "exec")
            if asks or called.endswith("create_subprocess_shell") or (through and called.startswith("subprocess")):
                found.append(f"{path.name}:{node.lineno} {called}")
    assert found == []
