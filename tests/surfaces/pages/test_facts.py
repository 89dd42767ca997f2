"""Times on pages are written as people write them, with the zone they were given in."""

from __future__ import annotations

import pytest

from muniment.surfaces.pages import facts
from muniment.surfaces.pages.facts import Fact


@pytest.mark.parametrize(
    ("iso", "words"),
    [
        ("2026-11-30T17:21:20.944+00:00", "30 November 2026, 17:21 UTC"),
        ("2026-11-30T17:21:20Z", "30 November 2026, 17:21 UTC"),
        ("2026-03-01T07:05:00+02:00", "1 March 2026, 07:05 UTC+2"),
        ("2026-03-01T07:05:00+05:45", "1 March 2026, 07:05 UTC+5:45"),
        ("2026-03-01T07:05:00-03:30", "1 March 2026, 07:05 UTC−3:30"),
        ("2026-03-01T07:05:00", "1 March 2026, 07:05"),
        ("0999-01-02T00:00:00", "2 January 999, 00:00"),
        ("2026-03-01", "2026-03-01"),
        ("20260301", "20260301"),
        ("", ""),
        ("last summer", "last summer"),
    ],
)
def test_a_time_is_written_as_people_write_it(iso: str, words: str) -> None:
    assert facts.moment(iso) == words


def test_a_fact_keeps_the_time_for_programs_beside_the_words() -> None:
    told = [
        ("ref", "m_1"),
        ("said at", "2026-03-01T07:05:00Z"),
        ("from", "tide tables, page 3"),
        ("by", "2026-03-01T07:05:00Z"),
    ]
    assert facts.listed(told) == [
        Fact("ref", "m_1", code=True),
        Fact("said at", "1 March 2026, 07:05 UTC", "2026-03-01T07:05:00Z"),
        Fact("from", "tide tables, page 3"),
        Fact("by", "2026-03-01T07:05:00Z"),
    ]
