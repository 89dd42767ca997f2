"""The fence around recalled text: it shows an agent where memory begins and ends, and lets us know our own words again.

A wrapped text holds exactly one opening and one closing mark, whatever stood in it, so `strip(wrap(text)) == ""`.
"""

from __future__ import annotations

import re
import unicodedata

FENCE_OPEN_PREFIX = "[muniment evidence"
FENCE_CLOSE = "[/muniment evidence]"
NOTE_LENGTH_MAX = 500

# A bracket that starts something a reader could take for a mark, in any case and spacing. Every run is bounded or
# possessive, so that a text of nothing but brackets and spaces is still read in linear time.
_MARK = re.compile(r"\[(?=\s{0,9}+/?+\s{0,9}+muniment\s{1,9}+evidence)", re.IGNORECASE)
_DEFUSED = "⟦"
# Tags by which prompts and tool calls begin and end. A text that says one must not end what it stands in.
_TAG = re.compile(
    r"<(?=\s{0,3}+/?\s{0,3}+(?:\w{1,10}:)?(?:system|assistant|developer|function_\w{1,10}|tool_\w{1,10}|invoke)\b)"
    r"|<(?=\s{0,3}+/\s{0,3}+(?:\w{1,10}:)?(?:user|human|instructions?|prompt|context|memor(?:y|ies)|evidence|documents?"
    r"|untrusted|results?|search_results?|retrieved|data|input|parameter)\b)"
    r"|<(?=\|[a-z_]{1,30}\|>)|<(?=</?SYS>>)|\[(?=/?INST\])",
    re.IGNORECASE,
)
_DEFUSED_TAG = {"<": "‹", "[": _DEFUSED}
# Embeddings, overrides and isolates of direction: they make a reader see another order than the one that is stored.
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
# What no reader sees and no script needs: controls, marks without width (joiners and direction marks belong to scripts),
# letters of the tag block but for those of flags, and selectors of variants in a row.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]"
    "|(?<![\U0001f3f4\U000e0000-\U000e007f])[\U000e0000-\U000e007f]+|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"
    "|[\u200c-\u200f]{4,}"
)
_OPENING = re.compile(rf"[ \t]*+{re.escape(FENCE_OPEN_PREFIX)}(?=[ \]\r\n]|\Z)")
_LINE_OPENING = re.compile(f"^{_OPENING.pattern}", re.MULTILINE)


def wrap(body: str, note: str = "") -> str:
    """The body between the two marks; `note` (one line) stands in the opening one. Marks inside are defused."""
    said = " ".join(_defuse(note).replace("]", ")").split())[:NOTE_LENGTH_MAX]
    opening = f"{FENCE_OPEN_PREFIX} {said}]" if said else f"{FENCE_OPEN_PREFIX}]"
    return f"{opening}\n{_defuse(body)}\n{FENCE_CLOSE}"


def strip(text: str) -> str:
    """The text without fenced blocks; a block that never closes reaches to the end. Linear in the text's length."""
    if FENCE_OPEN_PREFIX not in text:
        return text
    kept: list[str] = []
    start = 0
    # Right behind a block another one may begin in the same line.
    while found := (_OPENING.match(text, start) if kept else None) or _LINE_OPENING.search(text, start):
        kept.append(text[start : found.start()])
        close = text.find(FENCE_CLOSE, found.end())
        if close < 0:
            return "".join(kept)
        start = _next_line(text, close + len(FENCE_CLOSE))
    return "".join((*kept, text[start:]))


def marks(text: str) -> int:
    """How often a text holds what a reader could take for a mark."""
    return len(_MARK.findall(text))


def visible(text: str) -> str:
    """Text without what turns a line around for its reader and without what no reader sees.

    Joiners stay, since scripts and emoji need them, unless a mark of ours hides behind them.
    """
    shown = _CONTROL.sub("", text)
    if shown.isascii():
        return shown
    shown = _INVISIBLE.sub("", _TURNING.sub("", shown))
    bare = "".join(char for char in shown if unicodedata.category(char) != "Cf")
    return bare if marks(bare) > marks(shown) else shown


def _defuse(text: str) -> str:
    return _TAG.sub(lambda found: _DEFUSED_TAG[found[0]], _MARK.sub(_DEFUSED, text))


def _next_line(text: str, end: int) -> int:
    """`end`, or the start of the next line when nothing else stands on this one."""
    if text.startswith("\r\n", end):
        return end + 2
    return end + 1 if text.startswith("\n", end) else end
