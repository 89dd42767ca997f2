"""Each case has tests, each of them exists, and the threat model speaks of no test that does not."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.places import ROOT
from tests.security.cases import CASES, Case

TESTS = ROOT / "tests"
COUNT = 25
PAGE = ROOT / "docs" / "explain" / "threat-model.md"


@cache
def functions(file: str) -> frozenset[str]:
    """The test functions of a file."""
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    named = (node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(name for name in named if name.startswith("test_"))


def test_there_is_a_case_for_every_number() -> None:
    assert [one.number for one in CASES] == list(range(1, COUNT + 1))


@pytest.mark.parametrize("case", CASES, ids=lambda one: str(one.number))
def test_every_case_is_held_by_tests_that_exist(case: Case) -> None:
    assert case.weakness
    assert case.tests
    assert len(set(case.tests)) == len(case.tests)
    missing = []
    for named in case.tests:
        file, _, name = named.partition("::")
        if not (TESTS / file).is_file() or name not in functions(file):
            missing.append(named)
    assert missing == []


def test_every_test_of_this_folder_belongs_to_a_case() -> None:
    """But for those that try the registry, and those that show what is meant to work."""
    fine = {"test_a_folder_that_is_itself_a_link_is_read", "test_plain_addresses_are"}
    fine |= {"test_a_pipe_is_read_to_its_end_and_no_longer_than_a_document", "test_a_backup_that_fails_leaves_nothing"}
    named = {one.rpartition("::")[2] for case in CASES for one in case.tests}
    found = {
        name
        for path in (TESTS / "security").glob("test_*.py")
        if path.name != "test_cases.py"
        for name in functions(path.relative_to(TESTS).as_posix())
    }
    assert sorted(found - named - fine) == []


def test_the_threat_model_names_only_tests_that_exist() -> None:
    text = PAGE.read_text(encoding="utf-8")
    files = set(re.findall(r"`tests/([a-z0-9_/]+(?:\.py)?)`", text))
    assert len(files) > 5
    assert [file for file in sorted(files) if not (TESTS / file).exists()] == []
