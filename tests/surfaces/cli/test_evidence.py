"""Evidence for people: the words that back the answer are marked, long texts are shown around them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.model.recalling import Evidence, EvidenceSpan, Meta, Provenance, RecallAnswer, Signal
from muniment.surfaces.cli import evidence


def hit(text: str, *spans: tuple[int, int]) -> Evidence:
    found = tuple(EvidenceSpan(start, end, text[start:end]) for start, end in spans)
    said = Provenance("inbox", speaker="Mira", at="2026-03-12T14:30:00", zone="unknown", title="Talk")
    return Evidence("t_1", "turn", text, 0.9, "primary", ("lexical",), found, said, 0.5, 0)


def shown(capsys: pytest.CaptureFixture[str], *hits: Evidence, **more: object) -> str:
    evidence.show(RecallAnswer(hits, "strong", **more), quiet=False)  # type: ignore[arg-type]
    return capsys.readouterr().out


def test_the_evidence_is_marked_where_there_is_no_colour(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, hit("The quay is wet. It rained.", (0, 16)))
    assert "«The quay is wet.» It rained." in text
    assert "0.90 primary · 2026-03-12 14:30 zone unknown · Mira · Talk · t_1" in text


def test_a_text_that_is_all_evidence_needs_no_mark(capsys: pytest.CaptureFixture[str]) -> None:
    assert "«" not in shown(capsys, hit("The quay is wet.", (0, 16)))


def test_spans_that_touch_or_cross_are_each_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert "«abc»«def»g" in shown(capsys, hit("abcdefg", (3, 6), (0, 3), (1, 5)))


def test_what_is_newest_is_no_evidence_of_anything(capsys: pytest.CaptureFixture[str]) -> None:
    evidence.show(RecallAnswer((hit("The quay is wet."),), "none"), quiet=False)
    assert capsys.readouterr().out.startswith("1 hit, no evidence")


def test_a_long_text_is_shown_around_its_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    long = "x " * 5000 + "the needle" + " y" * 5000
    text = shown(capsys, hit(long, (10_000, 10_010)))
    assert "«the needle»" in text
    assert len(text) < 3 * evidence.TEXT_WHOLE_MAX
    assert "`muniment read t_1` opens all of it" in text


def test_a_hit_that_no_longer_holds_is_marked_and_names_what_does(capsys: pytest.CaptureFixture[str]) -> None:
    old = replace(
        hit("Port 8080."), standing="superseded", replaced_by="m_2", replaced_why="change", valid=("2026-03-12", "2026-06-11")
    )
    text = shown(capsys, old)
    assert "· t_1 · superseded\n" in text
    assert "superseded, replaced by m_2 (it has changed since)" in text
    assert "held from 2026-03-12 until 2026-06-11" in text
    text = shown(capsys, replace(old, standing="outdated", replaced_why="correction"))
    assert "outdated, replaced by m_2 (it was never so)" in text


def test_a_hit_shows_what_it_replaced_what_speaks_for_it_and_what_against(capsys: pytest.CaptureFixture[str]) -> None:
    signals = (Signal("supports", "out", "m_3", 1.0), Signal("derived_from", "in", "m_4", 1.0))
    text = shown(capsys, replace(hit("Port 8471."), replaces=("m_1",), signals=signals, conflicts=("c_1",)))
    for words in ("replaces m_1", "supports m_3", "m_4 derived from this", "in conflict: `muniment review conflict c_1`"):
        assert words in text


def test_a_notice_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Two ports are stated." in shown(capsys, hit("x"), meta=Meta(notices=("Two ports are stated.",)))


def test_what_did_not_take_part_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Not all of memory took part: dense: loading" in shown(capsys, hit("x"), meta=Meta(degraded=("dense: loading",)))


def test_abstention_names_what_is_missing_and_what_came_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    evidence.show(RecallAnswer((), "none", abstained=True, missing=("Torben",), nearest=(hit("The quay."),)), quiet=False)
    text = capsys.readouterr().out
    assert "Memory does not hold the answer." in text
    assert "Nothing is known about: Torben." in text
    assert "The quay." in text


def test_every_stage_of_a_trace_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    evidence.show_trace({"views": [{"view": "lexical", "found": 3}], "pool": 50, "question": {"bare": "why"}, "none": None})
    text = capsys.readouterr().out
    assert [word in text for word in ("lexical", "50", "bare: why", "none")] == [True, True, True, False]


def test_what_has_no_date_of_its_own_is_shown_with_the_day_it_was_stored() -> None:
    assert evidence.source(Provenance("inbox", recorded_at="2026-03-12T14:30:00Z")) == "stored 2026-03-12"
    assert evidence.source(Provenance("inbox", at="2026-01-02", recorded_at="2026-03-12T14:30:00Z")).startswith("2026-01-02")


def test_what_the_filter_left_out_is_counted_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    evidence.show(RecallAnswer((), "none", filtered_out=1), quiet=False)
    assert "The filter left out 1 record." in capsys.readouterr().out


def test_what_began_and_ended_on_one_day_shows_its_times() -> None:
    day = "2026-03-12T14:30:00+00:00", "2026-03-12T16:00:00+00:00"
    assert evidence.interval(day) == "held from 2026-03-12 14:30 UTC until 2026-03-12 16:00 UTC"
    assert evidence.interval((None, day[1])) == "held until 2026-03-12"
    assert evidence.interval((day[0], "2026-06-11T00:00:00+00:00")) == "held from 2026-03-12 until 2026-06-11"
