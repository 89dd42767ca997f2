"""The difference between two texts, for people: by lines, and between versions by words inside of a changed line.

Reading the new marks and dropping the old ones gives the new text; the other way round the old one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher, unified_diff

from muniment.errors import LimitExceeded
from muniment.store.histories import Kept

# Comparing costs the square of the length in the worst case, so both sides have a limit.
CHARS_MAX = 200_000
LINES_MAX = 5_000
WORDS_MAX = 2_000
# Lines less alike than this are shown as one that went and another that came, without marks inside.
ALIKE_LEAST = 0.3
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


def brief(old: str, new: str) -> str:
    """The lines that differ, with one around them: `-` what goes, `+` what comes. For the impact of a change."""
    lines = unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=1)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


def comparable(old: str, new: str) -> bool:
    """Whether two texts are short enough to be compared while somebody waits."""
    return max(len(old), len(new)) <= CHARS_MAX and max(old.count("\n"), new.count("\n")) < LINES_MAX


def tell(ref: str, old: Kept, new: Kept) -> str:
    """What changed from one version to another. Raises LimitExceeded for texts that are too long to compare."""
    before, after = old.text.split("\n"), new.text.split("\n")
    if not comparable(old.text, new.text):
        raise LimitExceeded(
            f"The versions are too long to compare ({CHARS_MAX:,} characters, {LINES_MAX:,} lines).",
            "Read both with include=[history].",
        )
    lines = [f"{ref} version {old.version} → {new.version}", *_beside(old, new)]
    if old.text == new.text:
        return "\n".join([*lines, "The text is the same."])
    for op, begin, end, start, stop in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if op == "equal":
            lines += [f"  {line}" for line in before[begin:end]]
        else:
            lines += _changed(before[begin:end], after[start:stop])
    return "\n".join(lines)


def _beside(old: Kept, new: Kept) -> Iterator[str]:
    """What changed beside the text."""
    if old.subject != new.subject:
        yield f"subject: {old.subject or '(none)'} → {new.subject or '(none)'}"
    if old.tier != new.tier:
        yield f"tier: {old.tier} → {new.tier}"
    gone, come = sorted(set(old.labels) - set(new.labels)), sorted(set(new.labels) - set(old.labels))
    if gone or come:
        yield "labels: " + " ".join([*(f"[-{one}-]" for one in gone), *(f"{{+{one}+}}" for one in come)])
    if old.source_type != new.source_type:
        yield f"source: {old.source_type} → {new.source_type}"


def _changed(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Changed lines, each beside the one that took its place."""
    for place in range(max(len(before), len(after))):
        went = before[place] if place < len(before) else None
        came = after[place] if place < len(after) else None
        if went is not None and came is not None:
            went, came = _marked(went, came)
        if went is not None:
            yield f"- {went}"
        if came is not None:
            yield f"+ {came}"


def _marked(before: str, after: str) -> tuple[str, str]:
    """Both lines with the words that differ in marks."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if max(len(old), len(new)) > WORDS_MAX:
        return before, after
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < ALIKE_LEAST:
        return before, after
    went, came = [], []
    for op, begin, end, start, stop in matcher.get_opcodes():
        gone, added = "".join(old[begin:end]), "".join(new[start:stop])
        went.append(gone if op == "equal" or not gone else f"[-{gone}-]")
        came.append(added if op == "equal" or not added else f"{{+{added}+}}")
    return "".join(went), "".join(came)
