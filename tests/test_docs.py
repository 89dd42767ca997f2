"""The documentation against the code: generated pages are fresh, commands and links exist, words are the glossary's."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import click
import pytest

from muniment import errors
from muniment.model.fields import wire_name
from muniment.settings import PREFIX, SETTINGS
from muniment.surfaces.catalogue import OPERATIONS
from muniment.surfaces.cli.call import shared
from muniment.surfaces.cli.program import COMMANDS, program
from muniment.surfaces.errors import TABLE
from tests.places import ROOT, script

DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def generator() -> ModuleType:
    return script(DOCS / "generate.py")


def pages() -> list[Path]:
    return [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]


def prose(path: Path) -> str:
    """The text of a page without code, links' addresses and comments."""
    text = re.sub(r"<!--.*?-->", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"\]\([^)]*\)", "]", CODE.sub("", text))


# --- the reference ------------------------------------------------------------------------------------------------


def test_the_reference_is_what_the_code_says() -> None:
    stale = [
        path.name
        for path, text in generator().written().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    assert stale == [], "`python3 dev.py golden` writes them again"


def test_every_setting_is_documented() -> None:
    text = (REFERENCE / "settings.md").read_text(encoding="utf-8")
    assert [setting.name for setting in SETTINGS if f"`{PREFIX}{setting.name.upper()}`" not in text] == []


def test_every_operation_and_argument_is_documented() -> None:
    text = (REFERENCE / "tools.md").read_text(encoding="utf-8")
    for operation in OPERATIONS:
        section = re.search(rf"^## {operation.name}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        assert section is not None, operation.name
        arguments = fields(operation.request)
        assert [field.name for field in arguments if f"| `{wire_name(field)}` |" not in section[1]] == [], operation.name


def test_every_error_code_is_documented() -> None:
    text = (REFERENCE / "errors.md").read_text(encoding="utf-8")
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.MunimentError)]
    assert kinds
    assert [kind.__name__ for kind in kinds if f"| `{kind.code}` | {TABLE[kind.code][0]} |" not in text] == []


def test_every_command_and_option_is_documented() -> None:
    text = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    missing = []
    for path, command in commands():
        section = re.search(rf"^##+ {path}\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
        own = {one.opts[0] for one in command.params if isinstance(one, click.Option) and not one.hidden} - EVERYWHERE
        missing += [path] if section is None else [f"{path} {name}" for name in sorted(own) if f"`{name}" not in section[1]]
    assert missing == []


def test_every_error_is_drawn_in_the_tree() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.MunimentError)]
    assert [kind.__name__ for kind in kinds if kind.__name__ not in (errors.__doc__ or "")] == []


# --- commands -----------------------------------------------------------------------------------------------------


EVERYWHERE = {name for option in shared() for name in option.opts} | {"-h", "--help"}
CALL = re.compile(r"^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:uvx --from \S+ )?muniment\s+(?P<words>[^;&|)]+)")


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command by what is typed, those of families too."""
    ctx = click.Context(program)
    for name in COMMANDS:
        command = program.get_command(ctx, name)
        assert command is not None
        yield f"muniment {name}", command
        if isinstance(command, click.Group):
            yield from ((f"muniment {name} {word}", one) for word, one in command.commands.items())


def options(command: click.Command) -> set[str]:
    return {name for param in command.params if isinstance(param, click.Option) for name in param.opts}


def wrong(words: str) -> str:
    """What is wrong with a call, given what stands behind `muniment`; empty when nothing is."""
    command: click.Command = program
    left = shlex.split(words.replace("…", ""), comments=True)
    while left:
        word, _, _ = left.pop(0).partition("=")
        if word.startswith("-") and len(word) > 1:
            if word not in options(command) | EVERYWHERE | ({"--version"} if command is program else set()):
                return f"{words.strip()}: there is no option {word}"
            if command is program and word in ("--store", "--workspace"):
                left = left[1:]
        elif isinstance(command, click.Group):
            found = command.get_command(click.Context(command), word)
            if found is None:
                return f"{words.strip()}: there is no command {word}"
            command = found
    return ""


def code(path: Path) -> Iterator[str]:
    """Each line of the fenced blocks of a page, and each piece of code in its sentences."""
    text = path.read_text(encoding="utf-8")
    for block in re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield from block.splitlines()
    yield from re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_on_pages_exist_with_their_options(page: Path) -> None:
    if page.name == "cli.md":
        return
    called = [match["words"] for line in code(page) if (match := CALL.match(line.partition(" #")[0].replace("\\|", "|")))]
    assert [fault for words in called if (fault := wrong(words))] == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_options_on_pages_belong_to_some_command(page: Path) -> None:
    known = EVERYWHERE.union(*(options(command) for _, command in commands()))
    used = [line.split()[0].partition("=")[0] for line in code(page) if re.match(r"--\w", line)]
    assert [option for option in used if option.rstrip(",") not in known] == []


def test_commands_that_messages_advise_exist_with_their_options() -> None:
    sources = sorted((ROOT / "src").rglob("*.py"))
    called = [words for path in sources for words in re.findall(r"`muniment ([^`\n]+)`", path.read_text(encoding="utf-8"))]
    assert called
    assert [fault for words in called if "COMMAND" not in words and (fault := wrong(words))] == []


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("recal x", "there is no command recal"),
        ("token give", "there is no command give"),
        ("recall x --nearby 3", "there is no option --nearby"),
        ("--store FILE --json recall x --trace", ""),
    ],
)
def test_the_check_of_commands_tells_right_from_wrong(words: str, fault: str) -> None:
    assert fault in wrong(words)
    assert bool(fault) == bool(wrong(words))


# --- links and words ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = [target.partition("#")[0] for target in LINK.findall(page.read_text(encoding="utf-8"))]
    local = [target for target in targets if target and "://" not in target and not target.startswith("mailto:")]
    assert [target for target in local if not (page.parent / target).exists()] == []


def test_every_program_of_others_is_named_with_its_version() -> None:
    page = (DOCS / "decisions" / "outside-tests.md").read_text(encoding="utf-8")
    named = json.loads((ROOT / "tests" / "outside" / "package.json").read_text(encoding="utf-8"))["dependencies"]
    rows = [line for line in page.splitlines() if line.startswith("|")]
    missing = [name for name, version in named.items() if not any(f"`{name}`" in row and version in row for row in rows)]
    assert missing == []


def test_every_page_is_reachable_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page in reached or page.suffix != ".md" or not page.exists():
            continue
        reached.add(page)
        waiting += [page.parent / target.partition("#")[0] for target in LINK.findall(page.read_text(encoding="utf-8"))]
    assert [page.relative_to(ROOT).as_posix() for page in pages() if page.resolve() not in reached] == []


def never_said() -> Iterator[tuple[str, str]]:
    """(word, what to say instead) of the glossary's table. A word in brackets has honest uses and is not checked."""
    for line in (DOCS / "glossary.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3 and cells[0] not in ("word", "---"):
            for word in re.sub(r"\([^)]*\)", "", cells[2]).split(","):
                if word.strip():
                    yield word.strip(), cells[0]


def test_the_glossary_bans_words() -> None:
    assert ("vault", "store") in list(never_said())


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_use_the_words_of_the_glossary(page: Path) -> None:
    if page.name == "glossary.md":
        return
    text = prose(page)
    said = [f"{word} (say {better})" for word, better in never_said() if re.search(rf"\b{word}s?\b", text, re.IGNORECASE)]
    assert said == []
