from __future__ import annotations

import os
from pathlib import Path

import pytest
import zstandard

from muniment.errors import InvalidInput
from muniment.ingest.importers.discover import discover, sniff
from muniment.ingest.importers.lines import BOM
from tests.ingest.importers import histories
from tests.ingest.importers.histories import item, meta, user, write


def place(path: Path, age: int, data: bytes = b"{}\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
    return path


def names(client: str, home: Path, **environ: str) -> list[str]:
    return [found.path.name for found in discover(client, home, environ)]


def test_sessions_of_claude_code_are_found_with_their_subagents_newest_first(tmp_path: Path) -> None:
    project = tmp_path / ".claude" / "projects" / "-home-ines"
    place(project / "old.jsonl", 20)
    place(project / "new.jsonl", 5)
    place(project / "new" / "subagents" / "agent-1.jsonl", 10)
    place(project / "new" / "subagents" / "agent-1.meta.json", 1)
    place(tmp_path / ".claude" / "history.jsonl", 1)
    found = list(discover("claude-code", tmp_path, {}))
    assert [one.path.name for one in found] == ["new.jsonl", "agent-1.jsonl", "old.jsonl"]
    assert {(one.client, one.size) for one in found} == {("claude-code", 3)}


def test_of_a_codex_session_that_lies_there_twice_the_plain_file_is_meant(tmp_path: Path) -> None:
    place(tmp_path / ".codex" / "sessions" / "2026" / "03" / "a.jsonl.zst", 1)
    place(tmp_path / ".codex" / "sessions" / "2026" / "03" / "a.jsonl", 2)
    place(tmp_path / ".codex" / "archived_sessions" / "b.jsonl.zst", 3)
    place(tmp_path / ".codex" / "sessions" / "2025" / "c.jsonl.zst", 1)
    place(tmp_path / ".codex" / "archived_sessions" / "c.jsonl", 4)
    place(tmp_path / ".codex" / "history.jsonl", 1)
    assert names("codex", tmp_path) == ["a.jsonl", "b.jsonl.zst", "c.jsonl"]


def test_a_clients_own_variable_moves_its_folder(tmp_path: Path) -> None:
    place(tmp_path / "there" / "projects" / "p" / "c.jsonl", 1)
    place(tmp_path / "there" / "sessions" / "d.jsonl", 1)
    assert names("claude-code", tmp_path / "home", CLAUDE_CONFIG_DIR=str(tmp_path / "there")) == ["c.jsonl"]
    assert names("codex", tmp_path / "home", CODEX_HOME=str(tmp_path / "there")) == ["d.jsonl"]


def test_a_home_without_histories_has_none_and_a_link_to_nothing_is_passed_over(tmp_path: Path) -> None:
    assert names("claude-code", tmp_path) == names("codex", tmp_path) == []
    place(tmp_path / ".codex" / "sessions" / "a.jsonl", 1)
    (tmp_path / ".codex" / "sessions" / "b.jsonl").symlink_to(tmp_path / "gone")
    assert names("codex", tmp_path) == ["a.jsonl"]


def test_a_client_without_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="No folder"):
        list(discover("jsonl", tmp_path))


@pytest.mark.parametrize(
    ("records", "client"),
    [
        (histories.transcript(), "claude-code"),
        ([{"type": "summary", "summary": "x", "leafUuid": "y"}], "claude-code"),
        ([{"type": "file-history-snapshot", "snapshot": {}}, user("u", None, "x")], "claude-code"),
        (histories.rollout(), "codex"),
        ([meta()], "codex"),
        ([{"id": "x", "timestamp": "t", "instructions": None, "git": {}}, item("user", "x")["payload"]], "codex"),
        ([{"session": "s", "speaker": "p", "text": "t"}], "jsonl"),
        ([{"session": "s", "speeker": "p", "text": "t"}], "jsonl"),
        ([{"role": "user", "content": "t"}], None),
        ([{"text": "t"}], None),
        ([], None),
    ],
)
def test_a_file_shows_its_client_in_its_first_lines(
    tmp_path: Path, records: list[dict[str, object]], client: str | None
) -> None:
    path = write(tmp_path / "a.jsonl", records)
    assert sniff(path) == client
    path.write_bytes(BOM + b"\r\n{broken\r\n" + path.read_bytes())
    assert sniff(path) == client
    (tmp_path / "a.jsonl.zst").write_bytes(zstandard.compress(path.read_bytes()))
    assert sniff(tmp_path / "a.jsonl.zst") == client


def test_a_file_that_is_nobodys_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"words\n" * 30 + histories.packed([meta()]))
    assert sniff(path) is None
    path.write_bytes(os.urandom(10_000))
    assert sniff(path) is None
