"""Two written measurements meet by data set and question."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muniment.errors import InvalidInput
from muniment.evaluation import compare, report
from tests.evaluation.sets import Fixed, measured


def written(path: Path, answers: dict[str, list[str]]) -> Path:
    run = measured(Fixed("muniment", answers))
    path.write_text(json.dumps({"runs": [report.plain(run)]}), encoding="utf-8")
    return path


def test_what_moved_is_counted_with_its_interval(tmp_path: Path) -> None:
    a = written(tmp_path / "a.json", {"plain": ["b", "a"], "now": ["a"]})
    b = written(tmp_path / "b.json", {"plain": ["b", "c"], "now": ["c"]})
    (found,) = compare.compare(a, b)
    assert (found.name, found.questions, found.better, found.worse) == ("yard", 2, 1, 0)
    assert dict(found.gaps)["R@5"].mean == 0.5
    assert found.overlap == pytest.approx(0.25)
    assert len(compare.table([found]).rows[0]) == len(compare.table([found]).columns)


def test_a_file_against_itself_moves_nothing(tmp_path: Path) -> None:
    a = written(tmp_path / "a.json", {"plain": ["b"], "now": ["c"]})
    (found,) = compare.compare(a, a)
    assert (found.better, found.worse, found.overlap, found.agreement) == (0, 0, 1.0, 1.0)


def test_files_that_share_nothing_are_refused(tmp_path: Path) -> None:
    a = written(tmp_path / "a.json", {})
    other = tmp_path / "b.json"
    other.write_text('{"runs": []}', encoding="utf-8")
    with pytest.raises(InvalidInput, match="in common"):
        compare.compare(a, other)
    other.write_text("[]", encoding="utf-8")
    with pytest.raises(InvalidInput, match="eval --out"):
        compare.compare(a, other)
