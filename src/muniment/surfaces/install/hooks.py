"""Claude Code's hooks: which events run `muniment hook`, and how ours are told from those of others.

One thing is always true: hooks that are not ours keep their place, their order and their text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from muniment.surfaces.install import jsonc

EVENTS = ("SessionStart", "Stop", "SessionEnd", "PreCompact")

# Longest a hook may take before the client goes on without it.
TIMEOUT_S = 10

_OURS = re.compile(r"""^(?P<command>.*muniment(?:\.exe)?["']?\s+hook)(?P<rest>\s.*)?$""", re.IGNORECASE | re.DOTALL)

Place = tuple[str, int, int]


def add(text: str, command: str) -> str:
    """Give every event exactly one hook of ours; one that is there keeps its options and gets the new path."""
    for event in EVENTS:
        ours = [place for place in _ours(jsonc.value(text)) if place[0] == event]
        if not ours:
            text = _appended(text, event, command)
            continue
        for place in reversed(ours[1:]):
            text = _dropped(text, place)
        _, group, at = ours[0]
        old = jsonc.value(text)["hooks"][event][group]["hooks"][at]["command"]
        text = jsonc.put(text, ("hooks", event, group, "hooks", at, "command"), command + _rest(old))
    return text


def drop(text: str, kept: Any = None) -> str:
    """Take ours out of every event. `kept` is the file as it was before us: what was empty there stays."""
    found = list(_ours(jsonc.value(text)))
    for place in reversed(found):
        text = _dropped(text, place)
    for event in dict.fromkeys(place[0] for place in found):
        text = _pruned(text, ("hooks", event), kept)
    return _pruned(text, ("hooks",), kept) if found else text


def commands(text: str) -> tuple[str, ...]:
    """The command of each hook of ours, without options a person added behind it."""
    values = jsonc.value(text)
    found = (values["hooks"][event][group]["hooks"][at]["command"] for event, group, at in _ours(values))
    return tuple(command.removesuffix(_rest(command)) for command in found)


def _ours(values: Any) -> Iterator[Place]:
    events = values.get("hooks") if isinstance(values, dict) else None
    for event, groups in events.items() if isinstance(events, dict) else ():
        for at, group in enumerate(groups if isinstance(groups, list) else ()):
            inner = group.get("hooks") if isinstance(group, dict) else None
            for position, hook in enumerate(inner if isinstance(inner, list) else ()):
                command = hook.get("command") if isinstance(hook, dict) else None
                if isinstance(command, str) and _OURS.match(command):
                    yield event, at, position


def _rest(command: str) -> str:
    found = _OURS.match(command)
    return (found["rest"] or "") if found else ""


def _appended(text: str, event: str, command: str) -> str:
    hook = {"type": "command", "command": command, "timeout": TIMEOUT_S}
    values = jsonc.value(text)
    groups = ((values or {}).get("hooks") or {}).get(event) or []
    return jsonc.put(text, ("hooks", event, len(groups)), {"matcher": "*", "hooks": [hook]})


def _dropped(text: str, place: Place) -> str:
    event, group, at = place
    text = jsonc.remove(text, ("hooks", event, group, "hooks", at))
    if jsonc.value(text)["hooks"][event][group]["hooks"]:
        return text
    return jsonc.remove(text, ("hooks", event, group))


def _pruned(text: str, path: tuple[str, ...], kept: Any) -> str:
    left, before = jsonc.value(text), kept
    for key in path:
        left = left[key]
        before = before.get(key) if isinstance(before, dict) else None
    return text if left or before is not None else jsonc.remove(text, path)
