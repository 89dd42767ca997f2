"""The documentation against the code: generated pages are fresh, links lead somewhere, words are the glossary's."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest

from muniment import errors
from muniment.settings import PREFIX, SETTINGS
from muniment.surfaces.catalogue import OPERATIONS
from tests.places import ROOT

DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
        assert [field.name for field in arguments if f"| `{field.name}` |" not in section[1]] == [], operation.name


def test_every_error_code_is_documented() -> None:
    text = (REFERENCE / "errors.md").read_text(encoding="utf-8")
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.MunimentError)]
    assert kinds
    assert [kind.__name__ for kind in kinds if f"| `{kind.code}` |" not in text] == []


def test_every_error_is_drawn_in_the_tree() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.MunimentError)]
    assert [kind.__name__ for kind in kinds if kind.__name__ not in (errors.__doc__ or "")] == []


# --- links and words ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = [target.partition("#")[0] for target in LINK.findall(page.read_text(encoding="utf-8"))]
    local = [target for target in targets if target and "://" not in target and not target.startswith("mailto:")]
    assert [target for target in local if not (page.parent / target).exists()] == []


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
