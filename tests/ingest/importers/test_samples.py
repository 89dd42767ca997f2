"""Histories in the layouts that the real clients wrote, and what a good import makes of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from muniment.ingest.importers.discover import discover, sniff
from tests.ingest.importers.histories import read
from tests.places import shared


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_every_expected_case_is_met(client: str) -> None:
    folder = shared("samples", client)
    cases: list[dict[str, Any]] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    seen: dict[str | None, set[str | None]] = {}
    for case in cases:
        found = read(folder / case["file"], client)
        own = [turn for turn in found.turns if turn.id not in seen.get(case.get("duplicates_of"), set())]
        seen[case["session_id"]] = {turn.id for turn in found.turns}
        assert len(found.turns) == case.get("turn_count", len(found.turns))
        assert [[turn.speaker, turn.text] for turn in own] == case.get("turns", [[turn.speaker, turn.text] for turn in own])
        assert {turn.session for turn in own} == {case["session_id"]}
        last = found.sessions[-1]
        assert last.cwd == case.get("cwd", last.cwd)
        assert last.title == case.get("title", last.title)
        for count in ("tool_calls", "abandoned", "bad_lines"):
            assert getattr(found.reading, count) == case.get(count, getattr(found.reading, count)), (case["file"], count)
        for never in case.get("never", ()):
            assert never not in repr(found.values), (case["file"], never)


def test_a_helpers_turns_belong_to_a_child_of_the_main_session() -> None:
    home = shared("samples", "claude-code", "home")
    (path,) = [found.path for found in discover("claude-code", home, {}) if found.path.name.startswith("agent-")]
    found = read(path, "claude-code")
    (info,) = found.sessions
    assert info.external_id == f"{info.parent}/609b63f18c7194418"
    assert info.title == "count"
    assert found.said[-1] == ("assistant", "There are 42 tests.")


@pytest.mark.parametrize(("client", "files"), [("claude-code", 7), ("codex", 4)])
def test_every_session_file_is_found_and_recognised(client: str, files: int) -> None:
    found = list(discover(client, shared("samples", client, "home"), {}))
    assert len(found) == files
    assert {sniff(one.path) for one in found if one.size} == {client}
