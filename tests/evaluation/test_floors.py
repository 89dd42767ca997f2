"""What the project's own corpora must never fall below. Raise a floor when recall got better; never lower one quietly."""

from __future__ import annotations

import pytest

from muniment.evaluation import collections, metrics, runs
from muniment.evaluation.bm25 import Bm25
from muniment.evaluation.runs import Result
from muniment.evaluation.subject import Muniment
from tests.places import ROOT

EVALS = ROOT / "evals"


def measured(name: str, embedder: str) -> Result:
    held = list(collections.walk([EVALS / f"{name}.json"]))
    muniment = Muniment(embedder)
    try:
        return runs.measure(muniment, held)
    finally:
        muniment.close()


@pytest.mark.parametrize(
    ("name", "embedder", "recall", "precision", "refused", "fresh"),
    [
        ("harbour", "none", 0.85, 0.65, 0.70, 3),
        ("harbour", "default", 0.90, 0.90, 0.65, 3),
        ("kitchen", "default", 0.85, 0.55, 0.50, 3),
    ],
)
def test_the_floors_hold(name: str, embedder: str, recall: float, precision: float, refused: float, fresh: int) -> None:
    found = measured(name, embedder)
    means = metrics.mean([row.turn for row in found.of()])
    said = runs.abstention(found)
    assert means["R@5"] >= recall
    assert (said.precision or 0) >= precision
    assert (said.recall or 0) >= refused
    assert sum(row.fresh or False for row in found.rows) >= fresh


def test_recall_without_a_model_is_not_below_plain_bm25() -> None:
    held = list(collections.walk([EVALS / "harbour.json"]))
    ours, theirs = measured("harbour", "none"), runs.measure(Bm25(), held)
    assert not any(runs.gap(ours, theirs, f"R@{k}").worse for k in metrics.CUTS)
