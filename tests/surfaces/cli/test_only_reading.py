"""A store that is only read: every command that would change it refuses, and not a row of it differs afterwards."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.surfaces.cli.calling import Home

WORDS = "four plain wooden words\n"


def rows(home: Home) -> dict[str, list[object]]:
    (file,) = home.path.rglob("muniment.db")
    with apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
        return {name: list(connection.execute(f'SELECT * FROM "{name}"')) for name in names if not name.startswith("sqlite")}


def test_no_command_changes_a_store_that_is_only_read(home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept = home.answer("remember", "The harbour fee is 40 crowns.")
    ref, action = kept["ref"], kept["action"]
    gone = home.answer("remember", "The old pier is open.")["ref"]
    home.ok("remember", "--archive", gone)
    token = home.answer("token", "add", "scout")["ref"]
    home.run("profile", "add", "maren", "--level", "owner", "--passphrase-stdin", feed=WORDS)
    (tmp_path / "said.jsonl").write_text('{"session": "s", "speaker": "Ann", "text": "The jetty is long."}\n', encoding="utf-8")
    before = rows(home)
    monkeypatch.setenv("MUNIMENT_READ_ONLY", "1")
    for words in (
        ("remember", "The crane is blue."),
        ("remember", "--archive", ref),
        ("remember", "--restore", gone),
        ("supersede", ref, "The harbour fee is 60 crowns."),
        ("propose", "The harbour fee is 70 crowns."),
        ("ingest", str(tmp_path / "said.jsonl")),
        ("forget", ref, "--yes"),
        ("undo", action, "--why", "it was wrong", "--yes"),
        ("govern", "protect", ref, "protected", "--why", "it matters"),
        ("govern", "contain", ref, "--why", "it lies", "--yes"),
        ("govern", "auto-accept-clean", "on"),
        ("workspace", "add", "harbour"),
        ("workspace", "archive", "inbox", "--yes"),
        ("embedder", "set", "none", "--yes"),
        ("embedder", "reembed", "--yes"),
        ("rebuild",),
        ("repair", "cleanup"),
        ("token", "add", "visitor"),
        ("token", "rotate", token),
        ("token", "revoke", token),
        ("profile", "add", "kai", "--level", "viewer", "--passphrase-stdin"),
        ("profile", "set", "maren", "--zone", "shared"),
        ("profile", "passwd", "maren", "--passphrase-stdin"),
        ("profile", "end", "maren", "--yes"),
    ):
        refused = home.run(*words, feed=WORDS)
        assert "only read" in refused.stderr, (words, refused.stdout, refused.stderr)
        assert refused.exit_code == 2
    home.run("worker", "--drain")
    for words in (
        ("token", "list"),
        ("token", "grants"),
        ("profile", "list"),
        ("workspace", "list"),
        ("workspace", "show", "inbox"),
    ):
        home.answer(*words)
    for words in (("recall", "harbour fee"), ("read", ref), ("context",), ("stats",), ("review", "queue"), ("token", "list")):
        assert home.run(*words).exit_code in (0, 1), words
    assert rows(home) == before
