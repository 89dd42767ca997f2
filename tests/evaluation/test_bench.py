"""Everything that is measured runs, is written down once, and says how costs grow."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from muniment.errors import InvalidInput
from muniment.evaluation import bench, speed, stores
from muniment.evaluation.bench import Wish
from muniment.evaluation.speed import Asked, Effort, Measured
from muniment.evaluation.stores import Plan
from tests.places import ROOT
from tests.stores import established

QUIET = Effort(repeats=1, questions=3, writers=0)


def silent(what: str, done: int, total: int) -> None:
    """Nobody watches."""


def made(layout: str = "all", turns: int = 1000, p50: float = 10.0) -> Measured:
    asked = Asked(p50, p50 * 2, p50, p50 * 2, 50, 60, 40)
    return Measured("abc", layout, turns, turns, "none", 5000, 4000, None, turns * 100, 0.3, None, asked, None, None, None)


def test_sizes_are_written_as_people_write_them() -> None:
    assert bench.sizes("1k, 50K,200,1m") == (200, 1_000, 50_000, 1_000_000)
    for text in ("", "x", "0", "9m", "-1k"):
        with pytest.raises(InvalidInput):
            bench.sizes(text)


def test_growth_is_the_exponent_between_two_sizes() -> None:
    grown = dict(dict(bench.growth([made(turns=1000), made(turns=100_000, p50=100.0)]))["all 1,000 to 100,000"])
    assert grown["recall p50"] == pytest.approx(0.5)
    assert grown["cold open, words"] == 0
    assert grown["bytes"] == pytest.approx(1)
    assert "cold open" not in grown


def test_percentiles_are_values_that_were_measured() -> None:
    assert speed.percentile([3, 1, 2], 50) == 2
    assert speed.percentile(list(range(100)), 95) == 95
    assert speed.percentile([7.0], 95) == 7


def test_tables_are_complete_rows() -> None:
    held = [made(), replace(made("share"), asked=10)]
    for table in bench.tables(held):
        assert {len(row) for row in table.rows} == {len(table.columns)}, table.title


def test_a_store_that_was_named_holds_one_size_and_one_layout(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="one size"):
        list(bench.run(Wish(address=str(tmp_path / "x.db"), vectors="none"), silent))


def test_a_stopped_filling_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "TURNS_A_CALL", 100)
    plan = Plan("share", 400, 3, str(tmp_path / "b.db"))

    class Stopped(Exception):
        """The power went."""

    def stop(what: str, done: int, total: int) -> None:
        if done >= 200:
            raise Stopped

    with pytest.raises(Stopped):
        stores.fill(plan, stop)
    filled = stores.fill(plan, silent)
    assert len(filled.cpu_rates) in (3, 4)
    once = stores.fill(Plan("share", 400, 3, str(tmp_path / "once.db")), silent)
    assert filled.asked == once.asked
    assert 80 < filled.asked < 200


@pytest.mark.slow
def test_a_smoke_run_measures_everything(tmp_path: Path) -> None:
    wish = replace(bench.smoke(ROOT / "bench" / "peers"), resume=tmp_path, layouts=("all",))
    (found,) = bench.run(wish, silent)
    assert found.vectors == "real"
    assert found.full is not None
    assert found.full.p50_cpu_ms > 0
    assert found.cold_full_s is not None
    assert found.cold_words_s < found.cold_full_s
    assert found.busy is not None
    assert (found.busy.errors, found.busy.writers) == (0, 2)
    assert found.busy.writes > 0
    assert found.peer is not None
    assert list(bench.run(wish, silent)) == [found], "a finished store is not measured again"
    assert json.dumps(bench.plain([found]))
    assert not math.isnan(found.words.own_mib)


def test_a_named_store_of_either_kind_is_measured(address: str) -> None:
    if address.startswith("postgres"):
        established(address)
    wish = Wish(
        (150,), ("share",), 2, "none", Effort(repeats=1, questions=3, writers=1, writing_s=0.5, start_s=0.5), address=address
    )
    (found,) = bench.run(wish, silent)
    assert found.bytes is None or found.bytes > 0
    assert found.busy is not None
    assert found.busy.errors == 0


def test_words_alone_are_measured_without_a_model(tmp_path: Path) -> None:
    (found,) = bench.run(Wish((200,), ("share",), 2, "none", QUIET, resume=tmp_path), silent)
    assert (found.vectors, found.full, found.busy) == ("none", None, None)
    assert found.words.rss_mib > 0
    assert 0 < found.asked < 200
