"""The house rules, held by reading the source. A rule that only warns is no rule, so each of these fails.

Every rule takes the list of what breaks it; an empty list is the only good answer.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import muniment
from muniment.store import queries
from tests.places import ROOT

PACKAGE = ROOT / "src" / "muniment"
FUNCTION_LINES_MAX = 60
MODULE_LINES_MAX = 500
CLASS_METHODS_MAX = 20
MODULE_NAMES_BANNED = {"utils", "helpers", "common", "base", "manager", "handler", "main", "misc", "types"}
# Where everything may be caught: a loop that must go on, and the edges that turn any fault into an answer.
BROAD_EXCEPT_ALLOWED = {
    "worker.py",
    "surfaces/errors.py",
    "surfaces/hook.py",
}
DIALECTS = ("sqlite", "postgres")
STATEMENT_CALLS = {"one", "all", "run", "many"}
SQL = re.compile(
    r"\s*(SELECT\s.+\sFROM\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|PRAGMA\s+\w"
    r"|(CREATE|DROP|ALTER)\s+(TEMP(ORARY)?\s+|UNIQUE\s+|VIRTUAL\s+)*(TABLE|INDEX|VIEW|TRIGGER|SCHEMA|ROLE)\s|BEGIN\s+IMMEDIATE)",
    re.DOTALL,
)
SQL_LOWER = re.compile(
    r"\s*(select\s.+\sfrom\s+\w+|insert\s+into\s+\w+\s*\(|delete\s+from\s+\w+\s+where|pragma\s+\w+)", re.DOTALL
)
# Words of the place where somebody worked; assembled here so that this file does not hold them itself.
PLACE_WORDS = re.compile(
    "|".join(
        (
            r"(?<![\w.~-])/" + "work/",
            "/" + r"root/\.",
            "pypi" + r"\.org",
            "python" + "hosted",
            "npm" + r"js\.",
            "sand" + "boxed machine",
        )
    )
)
TEXT_ENDINGS = {".py", ".md", ".toml", ".lock", ".sql", ".json", ".jsonl", ".txt", ".yml", ".yaml", ".cfg", ".sh", ""}


@cache
def modules() -> dict[str, ast.Module]:
    return {
        path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def nodes(*sorts: type[ast.AST]) -> Iterator[tuple[str, ast.AST]]:
    for name, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, sorts):
                yield name, node


@cache
def tracked() -> tuple[Path, ...]:
    """The files of the repository, or of the source archive where there is no git."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        rooms = ("src", "tests", "docs", "bench", "evals", ".ci")
        found = [path for room in rooms for path in (ROOT / room).rglob("*")] + list(ROOT.glob("*"))
    else:
        found = [ROOT / name for name in listed.splitlines()]
    return tuple(path for path in found if path.is_file() and path.suffix in TEXT_ENDINGS)


def pyproject() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


# --- how code reads -----------------------------------------------------------------------------------------------


def test_every_module_says_what_it_is_for() -> None:
    assert [name for name, tree in modules().items() if not ast.get_docstring(tree)] == []


def test_functions_fit_on_a_screen() -> None:
    long = [
        f"{name}:{node.lineno} {node.name} has {node.end_lineno - node.lineno + 1} lines"
        for name, node in nodes(ast.FunctionDef, ast.AsyncFunctionDef)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno
        and node.end_lineno - node.lineno + 1 > FUNCTION_LINES_MAX
    ]
    assert long == []


def test_modules_stay_small() -> None:
    counted = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in PACKAGE.rglob("*.py")}
    assert [f"{path.name}: {lines}" for path, lines in counted.items() if lines > MODULE_LINES_MAX] == []


def test_no_class_grows_into_an_engine() -> None:
    grown = []
    for name, node in nodes(ast.ClassDef):
        assert isinstance(node, ast.ClassDef)
        methods = sum(isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) for part in node.body)
        if methods > CLASS_METHODS_MAX:
            grown.append(f"{name} {node.name}: {methods} methods")
    assert grown == []


def test_only_named_places_catch_everything() -> None:
    broad = []
    for name, node in nodes(ast.ExceptHandler):
        assert isinstance(node, ast.ExceptHandler)
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        everything = any(kind is None or ast.unparse(kind) in ("Exception", "BaseException") for kind in caught)
        # A handler that ends in a bare raise only cleans up; it hides nothing.
        passes_on = isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None
        if everything and not passes_on and name not in BROAD_EXCEPT_ALLOWED:
            broad.append(f"{name}:{node.lineno}")
    assert broad == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    parts = {(name, part) for name in modules() for part in name.removesuffix(".py").split("/")}
    assert [name for name, part in parts if part in MODULE_NAMES_BANNED] == []


def test_only_the_command_line_prints() -> None:
    printing = [
        f"{name}:{node.lineno}"
        for name, node in nodes(ast.Call)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert [place for place in printing if not place.startswith("surfaces/cli/")] == []


# --- SQL ----------------------------------------------------------------------------------------------------------


def docstrings(tree: ast.Module) -> set[int]:
    """The ids of the nodes that are docstrings or other bare strings."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }


def looks_like_sql(text: str) -> bool:
    return bool(SQL.match(text) or SQL_LOWER.match(text))


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("SELECT id FROM record", True),
        ("\n  insert into record (id) values (1)", True),
        ("PRAGMA journal_mode = WAL", True),
        ("Select the records from which to answer", False),
        ("Update it.", False),
    ],
)
def test_sql_is_told_from_prose(text: str, sql: bool) -> None:
    assert looks_like_sql(text) is sql


def test_only_the_store_speaks_sql() -> None:
    found = []
    for name, tree in modules().items():
        prose = docstrings(tree)
        texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        if not name.startswith("store/"):
            found += [f"{name}:{node.lineno}" for node in texts if id(node) not in prose and looks_like_sql(str(node.value))]
    assert found == []


def literals(node: ast.AST) -> Iterator[str]:
    """The texts an argument may be: a literal, or either side of `a if x else b`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from literals(node.body)
        yield from literals(node.orelse)


def statements_called() -> set[str]:
    return {
        text
        for _, node in nodes(ast.Call)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in STATEMENT_CALLS
        and node.args
        for text in literals(node.args[0])
    }


def texts() -> set[str]:
    """Every literal text of the code: a statement's name may also wait in a table before it is called."""
    return {str(node.value) for _, node in nodes(ast.Constant) if isinstance(node, ast.Constant)}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_statement_that_is_called_exists(dialect: str) -> None:
    assert sorted(statements_called() - set(queries.load(dialect))) == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_statement_is_called(dialect: str) -> None:
    assert sorted(set(queries.load(dialect)) - texts()) == []


def test_both_stores_know_the_same_statements() -> None:
    sqlite, postgres = (set(queries.load(dialect)) for dialect in DIALECTS)
    assert sorted(sqlite ^ postgres) == []


# --- the repository -----------------------------------------------------------------------------------------------


def test_nothing_names_the_place_where_somebody_worked() -> None:
    found = []
    for path in tracked():
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if PLACE_WORDS.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}")
    assert found == []


def test_the_lock_holds_every_package_by_hash_and_names_no_address() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = re.findall(r"^[a-z0-9][a-z0-9._-]*==[^\n]*\\\n    --hash=sha256:", text, re.MULTILINE)
    assert len(pins) == len(re.findall(r"^[a-z0-9]", text, re.MULTILINE))
    assert "://" not in text


def test_the_version_stands_in_one_place() -> None:
    version = muniment.__version__
    assert "version" in pyproject()["project"]["dynamic"]  # type: ignore[index]
    written = [
        f"{name}:{node.lineno}"
        for name, node in nodes(ast.Constant)
        if isinstance(node, ast.Constant) and node.value == version and name != "__init__.py"
    ]
    assert written == []
    assert version not in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_changelog_has_a_place_for_what_is_new() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[(Unreleased|{re.escape(muniment.__version__)})\]", text, re.MULTILINE)


def declared() -> set[str]:
    project = pyproject()["project"]
    assert isinstance(project, dict)
    wanted = [*project["dependencies"], *(line for lines in project["optional-dependencies"].values() for line in lines)]
    return {normal(re.split(r"[\[<>=!~; ]", line, maxsplit=1)[0]) for line in wanted}


def normal(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def imported() -> dict[str, str]:
    """Top-level names of other people's modules, with one place that imports each."""
    found: dict[str, str] = {}
    for name, node in nodes(ast.Import, ast.ImportFrom):
        if isinstance(node, ast.ImportFrom):
            tops = [node.module.split(".")[0]] if node.module and not node.level else []
        else:
            assert isinstance(node, ast.Import)
            tops = [alias.name.split(".")[0] for alias in node.names]
        found.update({top: f"{name}:{node.lineno}" for top in tops})
    return {top: place for top, place in found.items() if top not in sys.stdlib_module_names | {"muniment"}}


def test_every_import_is_declared() -> None:
    distributions = packages_distributions()
    # psycopg's pool is its own distribution, asked for by name of an extra.
    asked_by_extra = {"psycopg-pool": "psycopg"}
    undeclared = [
        f"{place} imports {top}"
        for top, place in imported().items()
        if not declared() & {asked_by_extra.get(normal(d), normal(d)) for d in distributions.get(top, [top])}
    ]
    assert undeclared == []


def test_every_dependency_has_its_line_in_the_decisions() -> None:
    text = (ROOT / "docs" / "decisions" / "dependencies.md").read_text(encoding="utf-8").lower()
    assert sorted(name for name in declared() if f"`{name}`" not in text) == []
