"""Moments keep the offset they were given in, and one without a zone stays one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.model.times import Moment, moment

ZONES = st.integers(-14 * 60, 14 * 60)
MS = st.integers(-30_000_000_000_000, 250_000_000_000_000)


@given(MS, ZONES)
def test_iso_reads_back_to_the_same_moment(ms: int, zone: int) -> None:
    assert moment(datetime.fromisoformat(Moment(ms, zone).iso())) == Moment(ms, zone)


@given(MS)
def test_a_moment_without_a_zone_is_shown_without_one(ms: int) -> None:
    shown = Moment(ms).iso()
    assert datetime.fromisoformat(shown).tzinfo is None
    assert moment(datetime.fromisoformat(shown)) == Moment(ms, None)


@pytest.mark.parametrize(
    ("ms", "zone", "iso"),
    [
        (0, 0, "1970-01-01T00:00:00+00:00"),
        (0, None, "1970-01-01T00:00:00"),
        (0, 330, "1970-01-01T05:30:00+05:30"),
        (1, -60, "1969-12-31T23:00:00.001-01:00"),
        (1_683_554_160_000, 120, "2023-05-08T15:56:00+02:00"),
    ],
)
def test_a_moment_in_words(ms: int, zone: int | None, iso: str) -> None:
    assert Moment(ms, zone).iso() == iso


def test_a_naive_time_is_read_as_utc_and_says_so() -> None:
    assert moment(datetime(2023, 5, 8, 12)) == Moment(1_683_547_200_000, None)  # noqa: DTZ001
    assert moment(datetime(2023, 5, 8, 12, tzinfo=UTC)) == Moment(1_683_547_200_000, 0)
    assert moment(datetime(2023, 5, 8, 14, tzinfo=timezone(timedelta(hours=2)))) == Moment(1_683_547_200_000, 120)
