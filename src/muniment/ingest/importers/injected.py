"""What a client put into a conversation that nobody said: reminders, environment, hook output, our own recall.

None of it may become memory, or an agent would learn from what it was told as if somebody had said it.
Everything here is linear in the text's length, whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from muniment.text import fence

# Blocks that Claude Code and its editor extensions put beside a person's words.
_BLOCK = re.compile(
    r"<(system-reminder|user-prompt-submit-hook|ide_opened_file|ide_selection|ide_diagnostics|new-diagnostics"
    r"|task-notification|teammate-message)(?:\s[^<>]*)?>"
)
# Texts that Claude Code writes in the user's name: commands, their output, interruptions.
_CLAUDE_CODE_STARTS = ("<command-", "<local-command-", "<bash-", "[Request interrupted")
_CODEX_STARTS = (
    "# AGENTS.md instructions",
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<skill>",
    "<subagent_notification>",
    "<user_shell_command>",
)
_CODEX_IMAGE = re.compile(r"<image(?:\s[^<>]*)?>|</image>")
# The editor extension sends its context first and the request under this heading.
_CODEX_EDITOR_START = "# Context from my IDE setup:"
_CODEX_REQUEST = "## My request for Codex:"


def claude_code_user(parts: Sequence[str]) -> str:
    """What a person said in the text parts of a user line of Claude Code; empty when nothing."""
    left = (_without_blocks(part).lstrip() for part in parts)
    return _said(part for part in left if not part.startswith(_CLAUDE_CODE_STARTS))


def codex_user(parts: Sequence[str]) -> str:
    """What a person said in the text parts of a user item of Codex; empty when the item begins with injected text."""
    shown = [part for part in parts if not _CODEX_IMAGE.fullmatch(part.strip())]
    if shown and shown[0].lstrip().startswith(_CODEX_STARTS):
        return ""
    return _said(_request(part) for part in shown if not part.lstrip().startswith(_CODEX_STARTS))


def assistant(parts: Sequence[str]) -> str:
    """What the model said, without memory that it repeated in our fence."""
    return _said(parts)


def _said(parts: Iterable[str]) -> str:
    trimmed = (fence.strip(part).strip() for part in parts)
    return "\n".join(part for part in trimmed if part)


def _request(part: str) -> str:
    if not part.lstrip().startswith(_CODEX_EDITOR_START):
        return part
    return part.partition(_CODEX_REQUEST)[2]


def _without_blocks(text: str) -> str:
    """The text without injected blocks. One that never closes counts only at the start of a line, and takes the rest:
    elsewhere a person is writing about the mark."""
    kept = []
    start = searched = 0
    never_closed = set()
    while opening := _BLOCK.search(text, searched):
        name, at, searched = opening[1], opening.start(), opening.end()
        close = -1 if name in never_closed else text.find(f"</{name}>", searched)
        if close >= 0:
            kept.append(text[start:at])
            start = searched = close + len(name) + 3
        elif at == 0 or text[at - 1] == "\n":
            return "".join((*kept, text[start:at]))
        else:
            never_closed.add(name)
    kept.append(text[start:])
    return "".join(kept)
