"""Moments as sources write them; a time without a zone stays one."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.errors import InvalidInput
from muniment.model.times import moment
from muniment.text.dates import parse, until


@pytest.mark.parametrize(
    ("written", "iso", "zone"),
    [
        ("2023-05-08T13:56:00Z", "2023-05-08T13:56:00+00:00", 0),
        ("2023-05-08T13:56:00.123456789+02:00", "2023-05-08T13:56:00.123+02:00", 120),
        ("2023-05-08T13:56:00-0330", "2023-05-08T13:56:00-03:30", -210),
        ("2023-05-08 13:56", "2023-05-08T13:56:00", None),
        ("2023-05-08", "2023-05-08T00:00:00", None),
        ("2023-05", "2023-05-01T00:00:00", None),
        ("20230508T135600Z", "2023-05-08T13:56:00+00:00", 0),
        ("20230508", "2023-05-08T00:00:00", None),
        ("2023/05/08 (Mon) 02:21", "2023-05-08T02:21:00", None),
        (1683554160, "2023-05-08T13:56:00+00:00", 0),
        (1683554160000, "2023-05-08T13:56:00+00:00", 0),
        (1683554160.5, "2023-05-08T13:56:00.500+00:00", 0),
        ("1683554160", "2023-05-08T13:56:00+00:00", 0),
        ("1683554160000", "2023-05-08T13:56:00+00:00", 0),
        ("Mon, 08 May 2023 13:56:00 +0200", "2023-05-08T13:56:00+02:00", 120),
        ("Mon May 08 2023 13:56:00 GMT+0200 (CEST)", "2023-05-08T13:56:00+02:00", 120),
        ("March-15-2024", "2024-03-15T00:00:00", None),
        ("May 8, 2023", "2023-05-08T00:00:00", None),
        ("8 May 2023", "2023-05-08T00:00:00", None),
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00", None),
        ("12:05 am on 8 May, 2023", "2023-05-08T00:05:00", None),
        ("Monday, May 8th, 2023 at 3pm", "2023-05-08T15:00:00", None),
        ("8. Mai 2023 um 13:56", "2023-05-08T13:56:00", None),
        ("8 de mayo de 2023", "2023-05-08T00:00:00", None),
        ("8 мая 2023 г.", "2023-05-08T00:00:00", None),
        ("2023年5月8日 13:56", "2023-05-08T13:56:00", None),
    ],
)
def test_a_time_is_read_as_it_was_written(written: str | float, iso: str, zone: int | None) -> None:
    found = parse(written)
    assert (found.iso(), found.zone) == (iso, zone)


@pytest.mark.parametrize(
    "written",
    [
        "",
        " ",
        "tomorrow",
        "2023",
        "2023-13-01",
        "2023-02-30",
        "24:00",
        "8 Foo 2023",
        "x" * 500,
        "9" * 30,
        "1e400",
        "0000-01-01",
        "2023-05-08T25:00",
    ],
)
def test_what_is_no_time_is_refused_with_what_is_accepted(written: str) -> None:
    with pytest.raises(InvalidInput, match="ISO 8601"):
        parse(written)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**30, True])
def test_numbers_beyond_the_calendar_are_refused(value: float) -> None:
    with pytest.raises(InvalidInput):
        parse(value)


@settings(max_examples=80, deadline=None)
@given(st.datetimes(min_value=datetime(1900, 1, 1), max_value=datetime(2200, 1, 1)), st.booleans())  # noqa: DTZ001
def test_what_we_write_we_read(at: datetime, zoned: bool) -> None:
    at = at.replace(microsecond=0, tzinfo=UTC if zoned else None)
    assert parse(moment(at).iso()) == moment(at)


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(InvalidInput):
        parse(text).iso()


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("2026-09-01", "2026-09-01T23:59:59.999"),
        ("20260901", "2026-09-01T23:59:59.999"),
        ("2026-09-01+02:00", "2026-09-01T23:59:59.999+02:00"),
        ("8. Mai 2026", "2026-05-08T23:59:59.999"),
        ("May 8, 2026", "2026-05-08T23:59:59.999"),
        ("2026年5月8日", "2026-05-08T23:59:59.999"),
        ("2026-02", "2026-02-28T23:59:59.999"),
        ("2026-09-01T10:00:00Z", "2026-09-01T10:00:00+00:00"),
        ("8. Mai 2026 um 13:56", "2026-05-08T13:56:00"),
        ("1772000000", "2026-02-25T06:13:20+00:00"),
    ],
)
def test_looking_back_from_a_date_takes_all_of_it_in(text: str, end: str) -> None:
    assert until(text).iso() == end
