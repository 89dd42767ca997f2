"""Writes docs/reference/ from the code: settings, tools, commands, errors. Those pages are never edited by hand.

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

import click

from muniment import errors
from muniment.model.fields import REQUIRED, wire_name
from muniment.settings import PREFIX, SETTINGS
from muniment.surfaces.catalogue import OPERATIONS, Operation
from muniment.surfaces.cli.call import shared
from muniment.surfaces.cli.program import SECTIONS, program
from muniment.surfaces.errors import exit_code, status

REFERENCE = Path(__file__).resolve().parent / "reference"
NOTICE = "<!-- Made from the code by `python3 dev.py golden`. Do not edit. -->\n\n"
NOTHING = type(None)
LIMITS = {"ge": "at least {}", "le": "at most {}", "min_length": "length at least {}", "max_length": "length at most {}"}


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
        (
            f"`{kind.code}`",
            str(status(kind.code)),
            str(exit_code(kind.code)),
            f"`{kind.__name__}`",
            meanings.get(kind.__name__, ""),
            kind.do_next_default,
        )
        for kind in sorted(kinds(errors.MunimentError), key=lambda kind: (kind.code, kind.__name__))
    ]
    return (
        "# Errors\n\n"
        "Every error is an object with `code`, `message` (what happened) and `do_next` (what to do about it).\n"
        "`confirmation_required` also holds `impact`, what the call would do, and `confirm`, the value to repeat it with.\n"
        "The codes are stable; the words are for people. The last column is what stands in `do_next` when the place\n"
        "that raised the error had nothing more exact to say.\n\n"
        "*HTTP* is the status of a REST answer, *exit* what a command ends with. Over MCP an error is the result of the tool,\n"
        "with `isError` and the same object; only a request without a valid token gets 401 there too. What the server\n"
        "refuses before it looks at an operation has the same shape and statuses of its own: 403 for an Origin and 421 for a\n"
        "Host that it does not know, 404 for an address and 405 for a method that is not there, 408 for a body that comes too\n"
        "slowly, 413 for one that is too large, 415 for one that is not declared as JSON, 414 for an address and 431 for\n"
        "headers that are too long, 429 with `Retry-After` for too many requests.\n\n"
    ) + table(("code", "HTTP", "exit", "class", "when", "do next"), rows)


def kinds(root: type[errors.MunimentError]) -> Iterator[type[errors.MunimentError]]:
    """The classes that are raised: every one but the root and the groups that only gather others."""
    for kind in root.__subclasses__():
        if kind.__module__ == errors.__name__:
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
        limits = {name: limit for name, limit in field.metadata.items() if name in LIMITS}
        meaning = field.metadata.get("description", "") + limits_text(limits)
        yield (
            f"`{wire_name(field)}`",
            type_text(hints[field.name], shapes, tag=field.metadata.get("discriminator")),
            "required" if needed else default_text(field),
            meaning,
        )


def field_rows(answer: type, shapes: dict[str, type]) -> Iterator[tuple[str, ...]]:
    hints = get_type_hints(answer)
    for field in dataclasses.fields(answer):
        yield f"`{wire_name(field)}`", type_text(hints[field.name], shapes)


def default_text(field: dataclasses.Field[Any]) -> str:
    if field.default is None:
        return ""
    return f"`{field.default!r}`".replace("'", '"').replace("False", "false").replace("True", "true").replace("()", "[]")


def limits_text(limits: dict[str, Any]) -> str:
    said = [LIMITS[name].format(f"{limit:,}") for name, limit in limits.items()]
    return f" ({', '.join(said)})" if said else ""


def type_text(hint: Any, shapes: dict[str, type], tag: str | None = None) -> str:
    """A type in words for a reader who does not know Python. Named shapes are links, and are put down in `shapes`.

    The members of a union that a field `tag` tells apart go by what stands in that field.
    """
    origin, parts = get_origin(hint), get_args(hint)
    if tag is not None:
        shapes.update({part.__name__: part for part in parts})
        verbs = [f"[`{get_args(get_type_hints(part)[tag])[0]}`](#{part.__name__.lower()})" for part in parts]
        return f"an object whose `{tag}` is {', '.join(verbs)}"
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
    return {str: "text", int: "whole number", float: "number", bool: "true or false", Any: "anything"}[hint]


def scopes(operation: Operation) -> str:
    needed = " and ".join((" or ".join(f"`{scope}`" for scope in operation.scopes), *(f"`{one}`" for one in operation.also)))
    hidden = " or ".join(f"`{scope}`" for scope in operation.hidden_by)
    return f"{needed}, without {hidden}" if hidden else needed


def cli_page() -> str:
    everywhere = [option_row(option, click.Context(program)) for option in shared()]
    overview = [
        (section, f"[`muniment {name}`](#muniment-{name})", entry.line)
        for section, entries in SECTIONS.items()
        for name, entry in entries.items()
    ]
    sections = [part for name in program.list_commands(click.Context(program)) for part in command_sections(name)]
    return (
        "# Commands\n\n"
        "`muniment COMMAND -h` says the same in a terminal. What was asked for goes to stdout, everything else to stderr.\n"
        "A command ends with 0 when it is done, with 1 when nothing was found or something wants attention, and with 2 when\n"
        "the call or its surroundings have to change; the [errors](errors.md) say which.\n\n"
        + table(("", "command", "what it does"), overview)
        + "\n## Everywhere\n\n"
        "These options may stand before the command, after it, and after each word of it. `muniment install` refuses a store\n"
        "and a workspace.\n\n" + table(("option", "meaning"), everywhere) + "\n" + "\n".join(sections)
    )


def command_sections(name: str) -> Iterator[str]:
    """A command, and after it the ones of its family."""
    command = program.get_command(click.Context(program), name)
    assert command is not None, "the overview names commands that exist"
    yield command_section(command, f"muniment {name}", 2)
    if isinstance(command, click.Group):
        yield from (command_section(one, f"muniment {name} {word}", 3) for word, one in sorted(command.commands.items()))


def command_section(command: click.Command, path: str, depth: int) -> str:
    # Inside the program's own context: click keeps the first help option that it makes, and a lone command would get another.
    ctx = click.Context(command, parent=click.Context(program, **program.context_settings), info_name=path)
    everywhere = {option.name for option in shared()}
    own = [one for one in command.params if isinstance(one, click.Option) and not one.hidden and one.name not in everywhere]
    rows = [option_row(option, ctx) for option in own]
    usage = " ".join([path, *command.collect_usage_pieces(ctx)])
    words = "\n\n".join(" ".join(part.split()) for part in (command.help or "").split("\n\n"))
    return f"{'#' * depth} {path}\n\n```\n{usage}\n```\n\n{words}\n" + (
        "\n" + table(("option", "meaning"), rows) if rows else ""
    )


def option_row(option: click.Option, ctx: click.Context) -> tuple[str, str]:
    """The option as it is typed, and its help with what click would add to it."""
    kind = "" if option.is_flag else f" {option.make_metavar(ctx)}"
    default = f" Default: {option.default}." if option.show_default and option.default is not None else ""
    again = " May be repeated." if option.multiple and "repeat" not in (option.help or "") else ""
    return f"`{', '.join(option.opts)}{kind}`", f"{option.help or ''}{default}{again}"


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


PAGES: dict[str, Callable[[], str]] = {
    "settings.md": settings_page,
    "tools.md": tools_page,
    "cli.md": cli_page,
    "errors.md": errors_page,
}


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
