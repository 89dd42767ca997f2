from __future__ import annotations

import time

import pytest

from muniment.ingest.importers import injected
from muniment.text import fence


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (["Hello"], "Hello"),
        (["One", " ", "Two "], "One\nTwo"),
        (["Fix it.\n<system-reminder>no</system-reminder>\nPlease."], "Fix it.\n\nPlease."),
        (["<system-reminder>no</system-reminder>", "Yes"], "Yes"),
        (["<ide_selection>no</ide_selection>What is this?"], "What is this?"),
        (['<teammate-message teammate_id="x">no</teammate-message>'], ""),
        (["Yes <system-reminder>no</system-reminder><system-reminder>no</system-reminder>"], "Yes"),
        (["Yes\n<system-reminder>no, and it never ends"], "Yes"),
        (["What does <system-reminder> mean?"], "What does <system-reminder> mean?"),
        (["<command-name>/clear</command-name>"], ""),
        (["<local-command-stdout>no</local-command-stdout>"], ""),
        (["<bash-input>no</bash-input>"], ""),
        (["  [Request interrupted by user for tool use]"], ""),
        (["<system-reminder>no</system-reminder>\n<command-message>no</command-message>"], ""),
        ([f"Yes\n{fence.wrap('no', 'from 2026')}\nand yes"], "Yes\nand yes"),
        ([], ""),
    ],
)
def test_of_a_user_line_of_claude_code_only_a_persons_words_stay(parts: list[str], said: str) -> None:
    assert injected.claude_code_user(parts) == said


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (["Hello"], "Hello"),
        (["# AGENTS.md instructions for /x\nno", "no"], ""),
        (["  <environment_context>no</environment_context>"], ""),
        (["<user_instructions>no</user_instructions>"], ""),
        (["<turn_aborted>no</turn_aborted>"], ""),
        (["<skill>no</skill>"], ""),
        (['<image name=[Image #1] path="no.png">', "</image>", "Yes"], "Yes"),
        (["<image>", "</image>"], ""),
        (["Yes", "<environment_context>no</environment_context>"], "Yes"),
        (["Look at <image> tags"], "Look at <image> tags"),
        (["# Context from my IDE setup:\n\n## Open tabs:\n- no\n\n## My request for Codex:\nYes\n"], "Yes"),
        ([f"{fence.wrap('no')}\nYes"], "Yes"),
    ],
)
def test_of_a_user_item_of_codex_only_a_persons_words_stay(parts: list[str], said: str) -> None:
    assert injected.codex_user(parts) == said


def test_memory_that_the_model_repeats_is_not_said_again() -> None:
    assert injected.assistant([f"I recall:\n{fence.wrap('no')}\nSo cobalt."]) == "I recall:\nSo cobalt."
    assert (
        injected.assistant(["The <system-reminder>x</system-reminder> mark"]) == "The <system-reminder>x</system-reminder> mark"
    )


@pytest.mark.parametrize(
    "piece",
    [
        "<system-reminder>",
        "x<system-reminder>",
        "<ide_selection ",
        "</system-reminder>",
        "<system-reminder></system-reminder>",
        "<",
    ],
)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    started = time.process_time()
    injected.claude_code_user([piece * 200_000])
    assert time.process_time() - started < 2
