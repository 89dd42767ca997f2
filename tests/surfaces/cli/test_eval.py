"""`muniment eval` on a terminal: protocol and tables, JSON, the written file, and two of them compared."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from muniment.errors import InvalidInput, MunimentError
from muniment.evaluation import report
from muniment.surfaces.cli import eval as evaluate
from tests.evaluation.sets import as_file, yard
from tests.evaluation.test_corrections import written

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    def call(*words: str | Path) -> Result:
        return CliRunner().invoke(evaluate.command, [str(word) for word in words], catch_exceptions=True)

    return call


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return as_file(tmp_path / "yard.json", yard())


def test_the_protocol_and_every_system_are_printed(run: Run, data: Path) -> None:
    found = run(data, "--embedder", "none", "--no-history")
    assert found.exit_code == 0, found.output
    for words in ("k = 20", "sha256", "Muniment", "BM25", "Sessions", "R@10 by category", "minus BM25", "Abstention"):
        assert words in found.output


def test_json_holds_the_figures_and_out_every_ranking(run: Run, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    found = run(data, "--embedder", "none", "--no-history", "--json", "--out", out)
    (one,) = json.loads(found.stdout)["runs"]
    assert [result["system"] for result in one["results"]] == ["muniment", "bm25"]
    assert "rows" not in one["results"][0]
    assert len(json.loads(out.read_text(encoding="utf-8"))["runs"][0]["results"][0]["rows"]) == 4


def test_two_written_runs_are_compared(run: Run, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    run(data, "--embedder", "none", "--no-history", "--out", out)
    found = run("compare", out, out)
    assert "0 / 0" in found.output
    (one,) = json.loads(run("compare", out, out, "--json").stdout)
    assert (one["overlap"], one["questions"]) == (1.0, 2)


def test_corrections_are_asked_of_every_system_and_kept_out_of_the_history_on_demand(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path)
    found = run("corrections", path, "--embedder", "none", "--no-history", "--json")
    lines = json.loads(found.stdout)["runs"]
    assert [(line["system"], line["corrections"]["changed"]) for line in lines] == [("muniment", 1), ("bm25", 1)]
    assert "Facts that change" in run("corrections", path, "--embedder", "none", "--no-history").output


def test_the_history_of_the_checkout_grows_unless_it_is_told_not_to(
    run: Run, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "checkout", lambda: tmp_path)
    run(data, "--system", "bm25", "--no-history")
    assert not (tmp_path / "evals").exists()
    run(data, "--system", "bm25")
    assert len((tmp_path / "evals" / "history.jsonl").read_text(encoding="utf-8").splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.json"], "no file"),
        (["{data}", "--system", "other"], "no system"),
        (["{data}", "--system", "peer:nobody"], "no peer"),
        (["compare", "one.json"], "two files"),
        (["{data}", "--categories", "nothing", "--system", "bm25"], "No question"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_words(run: Run, data: Path, words: list[str], said: str) -> None:
    found = run(*(word.format(data=data) for word in words))
    assert isinstance(found.exception, MunimentError)
    assert said in str(found.exception)
    assert isinstance(found.exception, InvalidInput)
