"""Claude Code's hooks: ours once per event, those of others untouched."""

from __future__ import annotations

import json
from typing import Any

import pytest

from muniment.errors import InvalidInput
from muniment.surfaces.install import hooks, jsonc

THEIRS = """\
{
  "model": "opus", // mine
  "hooks": {
    "Stop": [
      { "matcher": "", "hooks": [{ "type": "command", "command": "say done" }] } // bell
    ],
    "PreToolUse": []
  }
}
"""


def ours(text: str) -> list[str]:
    found: dict[str, Any] = jsonc.value(text)["hooks"]
    return [
        hook["command"]
        for groups in found.values()
        for group in groups
        for hook in group["hooks"]
        if "muniment" in hook["command"]
    ]


def test_every_event_runs_us_once_with_a_limit_on_its_time() -> None:
    values = json.loads(hooks.add("", "/opt/m/muniment hook"))
    assert list(values["hooks"]) == ["SessionStart", "Stop", "SessionEnd", "PreCompact"]
    for groups in values["hooks"].values():
        assert groups == [
            {"matcher": "*", "hooks": [{"type": "command", "command": "/opt/m/muniment hook", "timeout": hooks.TIMEOUT_S}]}
        ]


def test_hooks_of_others_keep_their_place_and_their_text() -> None:
    after = hooks.add(THEIRS, "/opt/m/muniment hook")
    assert '{ "matcher": "", "hooks": [{ "type": "command", "command": "say done" }] }, // bell' in after
    assert jsonc.value(after)["hooks"]["Stop"][0]["hooks"][0]["command"] == "say done"
    assert len(ours(after)) == 4
    assert hooks.drop(after, jsonc.value(THEIRS)) == THEIRS


def test_adding_again_changes_nothing() -> None:
    after = hooks.add(THEIRS, "/opt/m/muniment hook")
    assert hooks.add(after, "/opt/m/muniment hook") == after


@pytest.mark.parametrize(
    "old",
    [
        "/old/muniment hook",
        "'/my old/muniment' hook",
        '"C:\\Program Files\\Muniment\\muniment.exe" hook',
        "/old/python -m muniment hook",
    ],
)
def test_a_moved_program_is_updated_in_place_not_added_beside(old: str) -> None:
    before = hooks.add(THEIRS, old)
    after = hooks.add(before, "/new/muniment hook")
    assert ours(after) == ["/new/muniment hook"] * 4
    assert after == before.replace(json.dumps(old), '"/new/muniment hook"')


def test_options_that_a_person_wrote_behind_stay() -> None:
    before = hooks.add("", "/old/muniment hook").replace("muniment hook", "muniment hook --map /a=/b", 1)
    assert ours(hooks.add(before, "/new/muniment hook"))[0] == "/new/muniment hook --map /a=/b"
    assert hooks.commands(before) == ("/old/muniment hook",) * 4


def test_doubles_of_ours_are_reduced_to_one() -> None:
    text = hooks.add("", "/a/muniment hook")
    group = {"hooks": [{"type": "command", "command": "echo"}, {"type": "command", "command": "/b/muniment hook"}]}
    doubled = jsonc.put(text, ("hooks", "Stop", 1), group)
    after = jsonc.value(hooks.add(doubled, "/a/muniment hook"))["hooks"]["Stop"]
    assert [[hook["command"] for hook in one["hooks"]] for one in after] == [["/a/muniment hook"], ["echo"]]


@pytest.mark.parametrize("command", ["muniment-lint hook", "muniment stdio", "echo hook muniment", "muniment hooks"])
def test_commands_that_only_look_like_ours_are_left_alone(command: str) -> None:
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})
    assert hooks.commands(text) == ()
    assert hooks.drop(text) == text


def test_what_became_empty_goes_and_what_was_empty_stays() -> None:
    assert hooks.drop(hooks.add('{"a": 1}', "muniment hook")) == '{"a": 1}'
    kept = {"hooks": {"Stop": []}}
    assert jsonc.value(hooks.drop(hooks.add(json.dumps(kept), "muniment hook"), kept)) == kept


@pytest.mark.parametrize("text", ['{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": {"Stop": "x"}}'])
def test_a_shape_that_is_none_of_hooks_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        hooks.add(text, "muniment hook")


@pytest.mark.parametrize("text", ['{"hooks": {"Stop": [null, {"hooks": 7}, {"hooks": ["x", {"command": 1}]}]}}', "{}", ""])
def test_strange_entries_are_no_hooks_of_ours(text: str) -> None:
    assert hooks.commands(text) == ()
