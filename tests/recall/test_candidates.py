"""Folding: one candidate a record, its best passage first, ties in reading order."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from muniment.recall import tuning
from muniment.recall.candidates import Candidate, fold
from muniment.recall.fusion import Pool


def folded(groups: list[int], raw: list[float]) -> list[Candidate]:
    """Ranks 0, 1, … of records by group; only these columns are looked at."""
    size = len(groups)
    corpus: Any = SimpleNamespace(group=np.array(groups), place=np.zeros(size, np.uint16), record=np.array(groups) + 100)
    scores = np.array(raw, np.float32)
    return fold(corpus, Pool(np.arange(size, dtype=np.int32), {}, None, scores))


def test_the_best_passage_stands_for_its_record_and_others_add_a_little() -> None:
    (one,) = folded([0, 0, 0], [1.0, 4.0, 2.0])
    assert (one.record, one.rank, one.pool) == (100, 1, 1)
    assert one.raw == pytest.approx(4.0 + tuning.FOLD_BONUS * 3.0)


def test_a_passage_that_speaks_against_it_takes_nothing_away() -> None:
    (one,) = folded([0, 0], [4.0, -3.0])
    assert one.raw == 4.0


def test_ties_stand_in_reading_order() -> None:
    assert [one.rank for one in folded([0, 1, 2], [2.0, 2.0, 2.0])] == [0, 1, 2]
    assert [one.rank for one in folded([0, 1], [2.0, 2.0 + 1e-8])] == [0, 1]  # the stores may differ by as much
    assert [one.rank for one in folded([0, 1], [2.0, 2.1])] == [1, 0]


def test_nothing_found_is_no_candidate() -> None:
    assert folded([], []) == []
