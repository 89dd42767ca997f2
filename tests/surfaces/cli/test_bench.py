"""`muniment bench` on a terminal: its tables, its JSON, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from muniment.errors import InvalidInput
from muniment.surfaces.cli.bench import command
from tests.places import ROOT

SMALL = ("--sizes", "200", "--layout", "all", "--embedder", "none", "--writers", "0", "--peers", str(ROOT / "bench" / "peers"))


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words])


def test_the_table_and_the_same_as_json_from_one_measurement(tmp_path: Path) -> None:
    found = run(*SMALL, "--resume", tmp_path)
    assert found.exit_code == 0, found.output
    for words in ("commit", "cores", "all 200", "FTS5", "Asking"):
        assert words in found.output
    held = json.loads(run(*SMALL, "--resume", tmp_path, "--json").stdout)
    assert [one["turns"] for one in held["measured"]] == [200]


def test_a_named_store_is_filled_and_an_existing_one_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.db"
    assert run(*SMALL, "--store", path).exit_code == 0
    found = run(*SMALL, "--store", path)
    assert isinstance(found.exception, InvalidInput)


@pytest.mark.parametrize("words", [("--sizes", "many"), ("--store", "a.db", "--postgres", "postgresql://x/y")])
def test_what_cannot_be_measured_is_refused(words: tuple[str, ...]) -> None:
    assert isinstance(run(*words).exception, InvalidInput)
