"""Edits in JSON with comments and trailing commas, made in the text itself.

One thing is always true: every byte outside the edited place stays as it was: comments, order, indentation, line ends
and a byte order mark. What cannot be parsed is refused with its line and column, and never rewritten.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from muniment.errors import InvalidInput

_NAMES = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
Path = tuple[str | int, ...]

# Levels of nesting; deeper files are refused rather than met with a recursion error.
DEPTH_MAX = 200

INDENT_DEFAULT = "  "
BYTE_ORDER_MARK = "\ufeff"

_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
_SCALAR = re.compile(r"true|false|null|-?\d[\d.eE+-]*")
_REST_OF_LINE = re.compile(r"(?:[ \t]*(?:/\*[^\r\n]*?\*/|//[^\r\n]*))*")
_BLANK = re.compile(r"[ \t]*")


@dataclass(frozen=True, slots=True)
class Node:
    """A value and the span of its text, half-open; `items` is None for everything but objects and lists."""

    start: int
    end: int
    value: Any
    items: tuple[Item, ...] | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of an object or a list; `start` is where its key or element begins, `comma` where its comma stands."""

    key: str | None
    start: int
    node: Node
    comma: int | None


def value(text: str) -> Any:
    """What a file says; None when it holds nothing but blanks and comments. Raises InvalidInput with line and column."""
    root = _root(text)
    return None if root is None else root.value


def put(text: str, path: Path, value: Any) -> str:
    """Set the value at a path and make what is missing on the way; in a list, its length appends.

    Raises InvalidInput when the path leads through something that is neither an object nor a list.
    """
    root = _root(text)
    if root is None:
        return _begun(text, _wrapped(path, value))
    node = root
    for depth, key in enumerate(path):
        item = _find(text, node, key)
        if item is None:
            return _inserted(text, root, node, key, _wrapped(path[depth + 1 :], value))
        node = item.node
    if node.value == value and type(node.value) is type(value):
        return text
    style = _style(text, root)
    rendered = _rendered(text, value, style, _lead(text, node.start), flat=_flat(text, root))
    return text[: node.start] + rendered + text[node.end :]


def remove(text: str, path: Path) -> str:
    """Take the entry at a path out, with its comma and its line; a path that is not there changes nothing."""
    while True:
        root = _root(text)
        if root is None or not path:
            return text
        node = root
        for key in path[:-1]:
            item = _find(text, node, key)
            if item is None:
                return text
            node = item.node
        item = _find(text, node, path[-1])
        if item is None:
            return text
        text = _without(text, node, item)
        if isinstance(path[-1], int):
            return text


# Reading


def _root(text: str) -> Node | None:
    at = _skip(text, 1 if text.startswith(BYTE_ORDER_MARK) else 0)
    if at == len(text):
        return None
    node = _node(text, at, 0)
    end = _skip(text, node.end)
    if end != len(text):
        raise _fault(text, end, "nothing may follow the value")
    return node


def _skip(text: str, at: int) -> int:
    found = _TRIVIA.match(text, at)
    return found.end() if found else at


def _node(text: str, at: int, depth: int) -> Node:
    if depth > DEPTH_MAX:
        raise _fault(text, at, f"more than {DEPTH_MAX} levels of nesting")
    if text.startswith(("{", "["), at):
        return _container(text, at, depth)
    return _scalar(text, at)


def _scalar(text: str, at: int) -> Node:
    found = _STRING.match(text, at) or _SCALAR.match(text, at)
    if not found:
        raise _fault(text, at, "a value is expected")
    try:
        return Node(at, found.end(), json.loads(found[0]))
    except ValueError:
        raise _fault(text, at, "this is no JSON value") from None


def _container(text: str, start: int, depth: int) -> Node:
    keyed, closing = (True, "}") if text[start] == "{" else (False, "]")
    items: list[Item] = []
    at = _skip(text, start + 1)
    while not text.startswith(closing, at):
        if items and items[-1].comma is None:
            raise _fault(text, at, f"a comma or {closing} is expected")
        key, begin = None, at
        if keyed:
            key, at = _key(text, at)
        node = _node(text, at, depth + 1)
        at = _skip(text, node.end)
        comma = at if text.startswith(",", at) else None
        items.append(Item(key, begin, node, comma))
        if comma is not None:
            at = _skip(text, at + 1)
    values = [item.node.value for item in items]
    whole = dict(zip([item.key for item in items], values, strict=True)) if keyed else values
    return Node(start, at + 1, whole, tuple(items))


def _key(text: str, at: int) -> tuple[str, int]:
    if not text.startswith('"', at):
        raise _fault(text, at, "a key in double quotes or } is expected")
    name = _scalar(text, at)
    at = _skip(text, name.end)
    if not text.startswith(":", at):
        raise _fault(text, at, "a colon is expected")
    return name.value, _skip(text, at + 1)


def _fault(text: str, at: int, what: str) -> InvalidInput:
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    what = "the file ends too early" if at >= len(text) else what
    return InvalidInput(f"line {line}, column {column}: {what}.", "Nothing was changed. Correct the file, then call again.")


def _find(text: str, node: Node, key: str | int) -> Item | None:
    """The entry a reader would see: of keys that come twice, the last."""
    if isinstance(key, int) != isinstance(node.value, list) or node.items is None:
        found = _NAMES.get(type(node.value), "a number")
        raise _fault(text, node.start, f"{key!r} is looked for in {found}, which cannot hold it")
    if isinstance(key, int):
        return node.items[key] if key < len(node.items) else None
    return next((item for item in reversed(node.items) if item.key == key), None)


# Writing


def _wrapped(path: Path, value: Any) -> Any:
    for key in reversed(path):
        value = [value] if isinstance(key, int) else {key: value}
    return value


def _begun(text: str, value: Any) -> str:
    """A file that held nothing yet, or only comments, which stay above."""
    newline = _newline(text)
    gap = newline if text.strip(BYTE_ORDER_MARK) and not text.endswith("\n") else ""
    return text + gap + _rendered(text, value, INDENT_DEFAULT, "", flat=False) + newline


def _inserted(text: str, root: Node, node: Node, key: str | int, value: Any) -> str:
    style, newline, items = _style(text, root), _newline(text), node.items or ()
    flat = _flat(text, root)

    def member(indent: str, flat: bool) -> str:
        name = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
        return name + _rendered(text, value, style, indent, flat=flat)

    if not items:
        outer = _lead(text, node.start)
        inner = text[node.start + 1 : node.end - 1].rstrip()
        body = member(outer, True) if flat else newline + outer + style + member(outer + style, False) + newline + outer
        return text[: node.start + 1] + inner + body + text[node.end - 1 :]

    last = items[-1]
    after = last.node.end if last.comma is None else last.comma + 1
    rest = _REST_OF_LINE.match(text, after)
    place = rest.end() if rest else after
    if _own_line(text, last.start):
        indent = _lead(text, last.start)
        added = newline + indent + member(indent, False)
    elif "\n" in text[after : node.end]:
        indent = _lead(text, node.start) + style
        added = newline + indent + member(indent, False)
    else:
        added = " " + member("", True)
    before, comma = ("", ",") if last.comma is not None else (",", "")
    return text[: last.node.end] + before + text[last.node.end : place] + added + comma + text[place:]


def _without(text: str, node: Node, item: Item) -> str:
    items = node.items or ()
    at = items.index(item)
    cuts = [_line_cut(text, items[at - 1] if at else None, node, item)]
    if item.comma is not None:
        cuts.append((item.comma, item.comma + 1))
    elif at and (comma := items[at - 1].comma) is not None:
        cuts.append((comma, comma + 1))
    closing = node.end - 1
    for start, end in sorted(cuts, reverse=True):
        text = text[:start] + text[end:]
        closing -= end - start
    if len(items) == 1 and not text[node.start + 1 : closing].strip():
        text = text[: node.start + 1] + text[closing:]
    return text


def _line_cut(text: str, before: Item | None, node: Node, item: Item) -> tuple[int, int]:
    """The entry and the blanks in front of it, with the line break when that leaves nothing behind on the line.

    A comment of the line above must not swallow what follows, so the break stays when text follows on the same line.
    """
    start, end = item.start, item.node.end
    floor = node.start + 1 if before is None else before.node.end
    while start > floor and text[start - 1] in " \t":
        start -= 1
    if text[start - 1] != "\n":
        return start, end
    rest = end if item.comma is None else item.comma + 1
    blank = _BLANK.match(text, rest)
    follows = text[blank.end() if blank else rest : (blank.end() if blank else rest) + 1]
    above = max(floor, text.rfind("\n", floor, start - 1) + 1)
    if follows not in ("\r", "\n", "") and "//" in text[above:start]:
        return item.start, end
    start -= 1
    return (start - 1 if text[start - 1] == "\r" else start), end


def _rendered(text: str, value: Any, style: str, indent: str, *, flat: bool) -> str:
    if flat:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=style).replace("\n", _newline(text) + indent)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _style(text: str, root: Node) -> str:
    """One step of indentation, as the first entry of the file shows it."""
    if root.items and _own_line(text, root.items[0].start):
        return _lead(text, root.items[0].start) or INDENT_DEFAULT
    return INDENT_DEFAULT


def _flat(text: str, root: Node) -> bool:
    """A file with everything on one line stays that way."""
    return bool(root.items) and "\n" not in text[root.start : root.end]


def _lead(text: str, at: int) -> str:
    found = _BLANK.match(text, text.rfind("\n", 0, at) + 1)
    return found[0] if found else ""


def _own_line(text: str, at: int) -> bool:
    begin = text.rfind("\n", 0, at)
    return begin >= 0 and not text[begin:at].strip()
