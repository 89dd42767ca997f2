"""Writes docs/reference/ from the code: settings, tools, errors. Those pages are never edited by hand.

`python3 dev.py golden` calls this; `tests/test_docs.py` fails while a page differs from what it would write.
"""

from __future__ import annotations

import dataclasses
import re
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from muniment import errors
from muniment.model.fields import REQUIRED
from muniment.settings import PREFIX, SETTINGS
from muniment.surfaces.catalogue import OPERATIONS, Operation

REFERENCE = Path(__file__).resolve().parent / "reference"
NOTICE = "<!-- Made from the code by `python3 dev.py golden`. Do not edit. -->\n\n"
NOTHING = type(None)


def settings_page() -> str:
    rows = [
        (
            f"`{setting.name}`",
            f"`{PREFIX}{setting.name.upper()}`",
            "(empty)" if setting.default == "" else f"`{str(setting.default).lower()}`",
            setting.help + bounds(setting.choices, setting.at_least) + (" Never shown." if setting.secret else ""),
        )
        for setting in SETTINGS
    ]
    return (
        "# Settings\n\n"
        "A flag beats the environment, which beats the file, which beats the default. The file is the one that\n"
        f"`{PREFIX}CONFIG` names, else `config.toml` in your configuration folder; its keys are the names below.\n"
        "All settings that cannot be used are reported together, and nothing starts.\n\n"
    ) + table(("setting", "environment", "default", "meaning"), rows)


def bounds(choices: tuple[str, ...], at_least: int) -> str:
    if choices:
        return " One of " + ", ".join(f"`{choice}`" for choice in choices) + "."
    return f" At least {at_least}." if at_least else ""


def errors_page() -> str:
    meanings = dict(re.findall(r"[├└]── (\w+)\s+(.+)", errors.__doc__ or ""))
    rows = [
        (f"`{kind.code}`", f"`{kind.__name__}`", meanings.get(kind.__name__, ""), kind.do_next_default)
        for kind in sorted(kinds(errors.MunimentError), key=lambda kind: (kind.code, kind.__name__))
    ]
    return (
        "# Errors\n\n"
        "Every error is an object with `code`, `message` (what happened) and `do_next` (what to do about it).\n"
        "The codes are stable; the words are for people. The last column is what stands in `do_next` when the place\n"
        "that raised the error had nothing more exact to say.\n\n"
    ) + table(("code", "class", "when", "do next"), rows)


def kinds(root: type[errors.MunimentError]) -> Iterator[type[errors.MunimentError]]:
    """The classes that are raised: every one but the root and the groups that only gather others."""
    for kind in root.__subclasses__():
        yield kind
        yield from kinds(kind)


def tools_page() -> str:
    shapes: dict[str, type] = {}
    sections = [operation_section(operation, shapes) for operation in OPERATIONS]
    overview = table(
        ("tool", "toolset", "scope", "what it does"),
        [
            (f"[`{operation.name}`](#{operation.name})", operation.toolset, scopes(operation), operation.title)
            for operation in OPERATIONS
        ],
    )
    return (
        (
            "# Tools\n\n"
            "Each operation is the same on every surface: an MCP tool, `POST /api/<name>`, and a command. A token sees, and\n"
            "can call, what its scopes allow. Unknown arguments are errors. Every answer but those of `search` and `fetch`\n"
            "carries [`meta`](#meta).\n\n"
        )
        + "\n".join([overview, *sections, "## Shapes\n", *shape_sections(shapes)]).rstrip()
        + "\n"
    )


def operation_section(operation: Operation, shapes: dict[str, type]) -> str:
    marks = ["reads only" if operation.read_only else "writes"]
    marks += ["can destroy"] if operation.destructive else []
    marks += ["safe to repeat"] if operation.idempotent else []
    arguments = table(("argument", "type", "default", "meaning"), list(argument_rows(operation.request, shapes)))
    return (
        f"## {operation.name}\n\n{doc(operation.request)}\n\n"
        f"Toolset {operation.toolset}; scope {scopes(operation)}; {', '.join(marks)}.\n\n"
        + (arguments if dataclasses.fields(operation.request) else "No arguments.\n")
        + f"\nThe answer. {doc(operation.answer, otherwise='Its fields:')}\n\n"
        + table(("field", "type"), list(field_rows(operation.answer, shapes)))
    )


def shape_sections(shapes: dict[str, type]) -> Iterator[str]:
    """What arguments and answers are made of. Printing one may name further ones, so this goes on until none is left."""
    done: set[str] = set()
    while left := sorted(set(shapes) - done):
        name = left[0]
        done.add(name)
        shape = shapes[name]
        asked = any(field.metadata for field in dataclasses.fields(shape))
        rows = list(argument_rows(shape, shapes)) if asked else list(field_rows(shape, shapes))
        heads = ("field", "type", "default", "meaning") if asked else ("field", "type")
        text = doc(shape, otherwise="")
        yield f"### {name}\n\n" + (f"{text}\n\n" if text else "") + table(heads, rows)


def argument_rows(request: type, shapes: dict[str, type]) -> Iterator[tuple[str, ...]]:
    hints = get_type_hints(request)
    for field in dataclasses.fields(request):
        needed = field.default is dataclasses.MISSING or field.default is REQUIRED
        limits = {name: limit for name, limit in field.metadata.items() if name != "description"}
        meaning = field.metadata.get("description", "") + limits_text(limits)
        yield f"`{field.name}`", type_text(hints[field.name], shapes), "required" if needed else default_text(field), meaning


def field_rows(answer: type, shapes: dict[str, type]) -> Iterator[tuple[str, ...]]:
    hints = get_type_hints(answer)
    for field in dataclasses.fields(answer):
        yield f"`{field.name}`", type_text(hints[field.name], shapes)


def default_text(field: dataclasses.Field[Any]) -> str:
    if field.default is None:
        return ""
    return f"`{field.default!r}`".replace("'", '"').replace("False", "false").replace("True", "true").replace("()", "[]")


def limits_text(limits: dict[str, Any]) -> str:
    words = {"ge": "at least {}", "le": "at most {}", "min_length": "length at least {}", "max_length": "length at most {}"}
    said = [words[name].format(f"{limit:,}") for name, limit in limits.items()]
    return f" ({', '.join(said)})" if said else ""


def type_text(hint: Any, shapes: dict[str, type]) -> str:
    """A type in words for a reader who does not know Python. Named shapes are links, and are put down in `shapes`."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " or ".join(f"`{part}`" for part in parts)
    if origin in (Union, types.UnionType):
        said = [type_text(part, shapes) for part in parts if part is not NOTHING]
        return " or ".join(said) + (" or null" if NOTHING in parts else "")
    if origin is tuple:
        if parts[-1] is Ellipsis:
            return f"list of {type_text(parts[0], shapes)}"
        return "[" + ", ".join(type_text(part, shapes) for part in parts) + "]"
    if origin is dict:
        return "object"
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        shapes[hint.__name__] = hint
        return f"[{hint.__name__}](#{hint.__name__.lower()})"
    return {str: "text", int: "whole number", float: "number", bool: "true or false"}[hint]


def scopes(operation: Operation) -> str:
    return " or ".join(f"`{scope}`" for scope in operation.scopes)


def doc(shape: type, otherwise: str | None = None) -> str:
    """The docstring as one paragraph; dataclasses without one carry a generated signature, which is no docstring."""
    text = shape.__doc__ or ""
    if text.startswith(f"{shape.__name__}("):
        text = ""
    if not text and otherwise is None:
        raise SystemExit(f"{shape.__name__} has no docstring, and it is what the reader of the tools page gets to see")
    return " ".join(text.split()) or otherwise or ""


def table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


PAGES: dict[str, Callable[[], str]] = {"settings.md": settings_page, "tools.md": tools_page, "errors.md": errors_page}


def written() -> dict[Path, str]:
    """What each generated page has to hold."""
    return {REFERENCE / name: NOTICE + page() for name, page in PAGES.items()}


def main() -> int:
    REFERENCE.mkdir(exist_ok=True)
    for path, text in written().items():
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"docs/reference/{path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
