from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.errors import InvalidInput
from muniment.ingest.importers import values
from muniment.text import dates


def same_as_the_long_way(written: str) -> bool:
    """Whether a time is read as `dates.parse` reads it, or refused like there."""
    try:
        expected = dates.parse(written)
    except InvalidInput:
        with pytest.raises(InvalidInput):
            values.time(written)
        return True
    return values.time(written) == expected


@given(st.datetimes().map(lambda at: at.isoformat(timespec="milliseconds") + "Z"))
def test_the_short_way_reads_a_time_as_the_long_way_does(written: str) -> None:
    assert same_as_the_long_way(written)


@pytest.mark.parametrize(
    "written", ["2026-02-30T10:00:00Z", "2016-12-31T23:59:60Z", "2026-03-02", "2026-03-02 10:00", "٢٠٢٦-03-02T10:00:00Z"]
)
def test_other_times_go_the_long_way(written: str) -> None:
    assert same_as_the_long_way(written)


def test_a_field_is_a_short_text_or_not_there() -> None:
    limit = values.FIELD_LENGTH_MAX
    record = {"a": "x" * limit, "b": "x" * (limit + 1), "c": "", "d": 5}
    assert [values.string(record, key) for key in "abcde"] == ["x" * limit, None, None, None, None]
