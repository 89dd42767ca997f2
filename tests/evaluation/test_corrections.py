from __future__ import annotations

import json
from pathlib import Path

import pytest

from muniment.errors import InvalidInput
from muniment.evaluation import corrections
from muniment.evaluation.bm25 import Bm25
from muniment.evaluation.corrections import Case, Hit
from muniment.evaluation.subject import Muniment
from tests.places import ROOT

CASES_LEAST, HELD_LEAST = 80, 40


def written(folder: Path, **more: object) -> Path:
    case = {
        "id": "port", "language": "en", "kind": "keyed", "form": "memories",
        "items": [
            {"id": "a", "text": "The API port of staging is 8080.", "time": "2026-03-01T10:00:00"},
            {"id": "b", "text": "Logs are kept for 14 days.", "time": "2026-03-02T10:00:00"},
            {"id": "c", "text": "The API port of staging is 8081.", "time": "2026-03-03T10:00:00"},
        ],
        "questions": ["Which port does the staging API use?"], "new": "8081", "newer": "c", "older": ["a"],
    }  # fmt: skip
    path = folder / "battery.json"
    path.write_text(json.dumps({"format": corrections.FORMAT, "name": "small", "cases": [case | more]}), encoding="utf-8")
    return path


def row(case: Case, *hits: Hit) -> corrections.Row:
    return corrections._row(case, hits)


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return corrections.load(written(tmp_path)).cases[0]


def test_the_newer_text_has_to_stand_above_everything_that_it_outdates(case: Case) -> None:
    assert row(case, Hit("b"), Hit("c"), Hit("a", "outdated")).first
    assert row(case, Hit("c")).first
    assert row(case, Hit("a", "outdated"), Hit("c")).first is False
    assert row(case, Hit("b")).first is False


def test_an_old_value_without_a_mark_is_counted(case: Case) -> None:
    assert row(case, Hit("c"), Hit("a")).unmarked == 1
    assert row(case, Hit("c"), Hit("a", "outdated")).unmarked == 0


def test_a_mark_on_anything_else_is_wrong(case: Case) -> None:
    assert row(case, Hit("c"), Hit("b", "outdated")).wrong == 1
    assert row(case, Hit("c", "outdated")).wrong == 1


def test_a_case_in_which_nothing_changes_has_no_newer_text(tmp_path: Path) -> None:
    still = corrections.load(written(tmp_path, newer=None, older=[])).cases[0]
    assert row(still, Hit("a")).first is None


def test_a_case_that_names_an_item_it_lacks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        corrections.load(written(tmp_path, older=["z"]))


def test_a_system_without_marks_is_measured_beside_ours(tmp_path: Path) -> None:
    battery = corrections.load(written(tmp_path))
    ours = Muniment("none")
    try:
        measured = [corrections.measure(system, battery.cases) for system in (ours, Bm25())]
    finally:
        ours.close()
    assert [one.system for one in measured] == ["muniment", "bm25"]
    assert {hit.item for hit in measured[0].rows[0].hits} >= {"a", "c"}
    assert measured[1].rows[0].unmarked == 1
    assert measured[1].rows[0].wrong == 0
    lines = corrections.history(battery, measured, embedder="none", limit=corrections.LIMIT)
    assert [line["corrections"]["changed"] for line in lines] == [1, 1]
    assert len(corrections.tables(measured)[0].rows) == 2


@pytest.mark.parametrize(("name", "least"), [("corrections", CASES_LEAST), ("corrections-held", HELD_LEAST)])
def test_the_battery_is_whole(name: str, least: int) -> None:
    cases = corrections.load(ROOT / "evals" / f"{name}.json").cases
    assert len(cases) >= least
    assert {case.language for case in cases} >= {"en", "de", "zh"}
    forms = [case.form for case in cases]
    assert min(forms.count("turns"), forms.count("memories")) >= len(cases) * 0.4
    assert len({case.id for case in cases}) == len(cases)
