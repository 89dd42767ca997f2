"""Edits in TOML: a table is appended or cut as text; what that cannot do is left to tomlkit.

One thing is always true: the text that comes back parses to exactly the old values with the one change, or the call fails.
"""

from __future__ import annotations

import copy
import re
import tomllib
from typing import Any

import tomlkit
import tomlkit.exceptions

from muniment.errors import InvalidInput

Path = tuple[str | int, ...]

BYTE_ORDER_MARK = "\ufeff"
_HEADER = re.compile(r"[ \t]*\[\[?[ \t]*([^\]]*?)[ \t]*\]\]?[ \t]*(?:#.*)?$")


def value(text: str) -> Any:
    """What a file says. Raises InvalidInput with line and column."""
    try:
        return tomllib.loads(text.removeprefix(BYTE_ORDER_MARK))
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        raise InvalidInput(f"{fault}.", "Nothing was changed. Correct the file, then call again.") from None


def put(text: str, path: Path, new: Any) -> str:
    """Set the value at a path; a table that is new goes to the end of the file as `[path]`."""
    before = value(text)
    if _at(before, path) == new:
        return text
    wanted = _with(before, path, new)
    if isinstance(new, dict) and _at(before, path) is None:
        appended = _appended(text, path, new)
        if _parses_to(appended, wanted):
            return appended
    return _checked(_edited(text, path, new), wanted)


def remove(text: str, path: Path) -> str:
    """Take a key or a table, with its subtables, out; a path that is not there changes nothing."""
    before = value(text)
    if _at(before, path) is None:
        return text
    for wanted in (_without(before, path), _without(before, path, prune=True)):
        cut = _cut(text, path)
        if _parses_to(cut, wanted):
            return cut
    return _checked(_edited(text, path, None), _without(before, path))


def _appended(text: str, path: Path, new: dict[str, Any]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    table = tomlkit.document()
    inner: Any = table
    for key in path[:-1]:
        inner[key] = tomlkit.table(is_super_table=True)
        inner = inner[key]
    inner[path[-1]] = new
    gap = "" if not text.strip(BYTE_ORDER_MARK) else newline if text.endswith("\n") else newline * 2
    return text + gap + tomlkit.dumps(table).replace("\n", newline)


def _cut(text: str, path: Path) -> str:
    """Drop the lines of a table and of its subtables; comments that lead into the next table stay with it."""
    kept: list[str] = []
    pending: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        header = _HEADER.match(line.rstrip("\r\n"))
        if header:
            name = tuple(part.strip().strip("\"'") for part in header[1].split("."))
            entering = name[: len(path)] == path
            if entering and not inside and kept and not kept[-1].strip():
                kept.pop()
            if not entering:
                kept += pending
            inside, pending = entering, []
        if not inside:
            kept.append(line)
        elif not line.strip() or line.lstrip().startswith("#"):
            pending.append(line)
        else:
            pending = []
    return "".join(kept + pending)


def _edited(text: str, path: Path, new: Any) -> str:
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    try:
        document: Any = tomlkit.parse(text.removeprefix(mark))
        node = document
        for key in path[:-1]:
            if key not in node:
                node[key] = tomlkit.inline_table()
            node = node[key]
        if new is None:
            del node[path[-1]]
        elif isinstance(new, dict):
            node[path[-1]] = tomlkit.inline_table()
            node[path[-1]].update(new)
        else:
            node[path[-1]] = new
        return mark + tomlkit.dumps(document)
    except (tomlkit.exceptions.TOMLKitError, ValueError, TypeError, KeyError) as fault:
        name = ".".join(str(key) for key in path)
        raise InvalidInput(f"{name} cannot be edited in this file: {fault}.", "Nothing was changed. Edit it by hand.") from None


def _checked(text: str, wanted: dict[str, Any]) -> str:
    if not _parses_to(text, wanted):
        raise InvalidInput("An edit would have changed other values too.", "Nothing was changed. Edit the file by hand.")
    return text


def _parses_to(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return bool(value(text) == wanted)
    except InvalidInput:
        return False


def _at(values: Any, path: Path) -> Any:
    for key in path:
        if not isinstance(values, dict) or key not in values:
            return None
        values = values[key]
    return values


def _with(values: dict[str, Any], path: Path, new: Any) -> dict[str, Any]:
    whole = copy.deepcopy(values)
    node: Any = whole
    for key in path[:-1]:
        node = node.setdefault(key, {})
        if not isinstance(node, dict):
            raise InvalidInput(f"{key!r} is no table in this file.", "Nothing was changed. Correct the file, then call again.")
    node[path[-1]] = new
    return whole


def _without(values: dict[str, Any], path: Path, *, prune: bool = False) -> dict[str, Any]:
    whole = copy.deepcopy(values)
    chain: list[Any] = [whole]
    for key in path[:-1]:
        chain.append(chain[-1][key])
    del chain[-1][path[-1]]
    for node, key in zip(reversed(chain[:-1]), reversed(path[:-1]), strict=True):
        if prune and not node[key]:
            del node[key]
    return whole
