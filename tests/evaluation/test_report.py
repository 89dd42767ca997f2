"""A figure never stands without its protocol, losses are shown, and the history keeps whole lines."""

from __future__ import annotations

import json
from pathlib import Path

from muniment.evaluation import report
from tests.evaluation.sets import Fixed, measured


def both() -> report.Run:
    ours = Fixed("muniment", {"plain": ["b"], "now": ["c", "a"]}, abstains=("none",))
    return measured(ours, Fixed("bm25", {"plain": ["a", "b"], "now": ["a"]}))


def test_the_protocol_names_everything_a_figure_depends_on() -> None:
    said = "\n".join(report.lines(both().protocol))
    for words in ("k = 20", "yard.json abab", "embedder none", "commit", "python", "every question", "cores"):
        assert words in said


def test_tables_are_complete_rows() -> None:
    for table in report.tables(both()):
        assert {len(row) for row in table.rows} == {len(table.columns)}, table.title


def test_a_category_below_the_baseline_is_marked() -> None:
    worse = measured(Fixed("muniment", {}), Fixed("bm25", {"plain": ["b"], "now": ["c"]}))
    (table,) = [table for table in report.tables(worse) if "minus BM25" in table.title]
    assert {row[0]: row[-1] for row in table.rows}["all that count"] == "below"
    (table,) = [table for table in report.tables(both()) if "minus BM25" in table.title]
    assert "below" not in {row[-1] for row in table.rows}


def test_the_history_gets_one_whole_line_a_system(tmp_path: Path) -> None:
    path = tmp_path / "evals" / "history.jsonl"
    report.append(path, report.history(both()))
    report.append(path, report.history(both()))
    held = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["system"] for line in held] == ["muniment", "bm25"] * 2
    first = held[0]
    assert first["turn"]["R@5"] == 1.0
    assert first["abstention"] == {"unanswerable": 1, "said_of_unanswerable": 1, "answerable": 2, "said_of_answerable": 0}
    assert first["fresh"] == [1, 1]
    assert first["against_bm25"]["R@5"][0] == 0.5
    assert {"commit", "sha256", "k", "filter", "embedder", "at", "tokens"} <= first.keys()
    assert "rows" not in first


def test_the_commit_says_when_the_source_was_changed_since() -> None:
    said = report.commit()
    assert said is None or len(said.removesuffix("+changes")) >= 12
