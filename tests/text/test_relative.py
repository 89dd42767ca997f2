"""Relative dates count from the moment of the turn, in its own zone."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.model.times import Moment
from muniment.text import relative as shapes
from muniment.text.dates import parse, relative, resolve

WEDNESDAY = parse("2023-05-10T23:30:00+09:00")  # in UTC still 14:30 of the same day


@pytest.mark.parametrize(
    ("query", "first", "after"),
    [
        ("what did I do yesterday?", "2023-05-09", "2023-05-10"),
        ("today", "2023-05-10", "2023-05-11"),
        ("the day before yesterday", "2023-05-08", "2023-05-09"),
        ("tomorrow morning", "2023-05-11", "2023-05-12"),
        ("last night", "2023-05-09", "2023-05-10"),
        ("What happened last week?", "2023-05-01", "2023-05-08"),
        ("this week", "2023-05-08", "2023-05-15"),
        ("3 days ago", "2023-05-07", "2023-05-08"),
        ("a week ago", "2023-05-01", "2023-05-08"),
        ("two weeks ago", "2023-04-24", "2023-05-01"),
        ("a couple of days ago", "2023-05-08", "2023-05-09"),
        ("a few weeks ago", "2023-04-03", "2023-05-01"),
        ("last month", "2023-04-01", "2023-05-01"),
        ("next month", "2023-06-01", "2023-07-01"),
        ("this year", "2023-01-01", "2024-01-01"),
        ("two years ago", "2021-01-01", "2022-01-01"),
        ("last Friday", "2023-05-05", "2023-05-06"),
        ("last Wednesday", "2023-05-03", "2023-05-04"),
        ("next Friday", "2023-05-12", "2023-05-13"),
        ("last weekend", "2023-05-06", "2023-05-08"),
        ("last March", "2023-03-01", "2023-04-01"),
        ("last June", "2022-06-01", "2022-07-01"),
        ("last summer", "2022-06-01", "2022-09-01"),
        ("last quarter", "2023-01-01", "2023-04-01"),
        ("the last 3 days", "2023-05-07", "2023-05-11"),
        ("past week", "2023-05-03", "2023-05-11"),
        ("in 3 days", "2023-05-13", "2023-05-14"),
        ("an hour ago", "2023-05-10", "2023-05-11"),
        ("gestern", "2023-05-09", "2023-05-10"),
        ("vor drei Tagen", "2023-05-07", "2023-05-08"),
        ("letzte Woche", "2023-05-01", "2023-05-08"),
        ("letzten Freitag", "2023-05-05", "2023-05-06"),
        ("nächsten Monat", "2023-06-01", "2023-07-01"),
        ("hier? non, avant-hier", "2023-05-08", "2023-05-09"),
        ("il y a trois jours", "2023-05-07", "2023-05-08"),
        ("vendredi dernier", "2023-05-05", "2023-05-06"),
        ("la semana pasada", "2023-05-01", "2023-05-08"),
        ("hace dos meses", "2023-03-01", "2023-04-01"),
        ("на прошлой неделе", "2023-05-01", "2023-05-08"),
        ("две недели назад", "2023-04-24", "2023-05-01"),
        ("昨天我说了什么", "2023-05-09", "2023-05-10"),
        ("上周五", "2023-05-05", "2023-05-06"),
        ("三天前", "2023-05-07", "2023-05-08"),
        ("两个月前", "2023-03-01", "2023-04-01"),
        ("去年", "2022-01-01", "2023-01-01"),
        ("先週の金曜日", "2023-05-05", "2023-05-06"),
        ("3日前", "2023-05-07", "2023-05-08"),
        ("先月", "2023-04-01", "2023-05-01"),
        ("지난주", "2023-05-01", "2023-05-08"),
        ("지난 주", "2023-05-01", "2023-05-08"),
        ("어제", "2023-05-09", "2023-05-10"),
    ],
)
def test_a_relative_date_is_whole_days_in_the_zone_of_its_moment(query: str, first: str, after: str) -> None:
    expected = tuple(parse(f"{day}T00:00:00+09:00").ms for day in (first, after))
    assert relative(query, WEDNESDAY) == expected


@pytest.mark.parametrize(
    "query", ["at the last minute", "this may be", "his last name", "lasting weeks", "10000 years ago", "9999 years ago", ""]
)
def test_what_is_no_date_gives_none(query: str) -> None:
    assert relative(query, WEDNESDAY) is None


def test_the_zone_decides_what_yesterday_is() -> None:
    instant = WEDNESDAY.ms
    tokyo, utc, naive = (relative("yesterday", Moment(instant, zone)) for zone in (540, 0, None))
    assert tokyo is not None
    assert utc == naive
    assert utc is not None
    assert utc[0] - tokyo[0] == 9 * 3_600_000


def test_every_relative_date_of_a_turn_is_resolved_where_it_stands() -> None:
    text = "İ went there yesterday and last week, 昨天也去了"
    found = resolve(text, WEDNESDAY)
    assert [one.surface for one in found] == ["yesterday", "last week", "昨天"]
    assert all(text[one.start : one.end] == one.surface for one in found)
    assert all(one.from_ms < one.to_ms for one in found)
    assert found[0].from_ms == found[2].from_ms


WORDS = st.sampled_from(
    [
        "last",
        "next",
        "this",
        "week",
        "Friday",
        "3",
        "9999",
        "days",
        "ago",
        "in",
        "a",
        "few",
        "vor",
        "Tagen",
        "上周",
        "五",
        "前",
        "十",
        "年",
        "yesterday",
        "İ",
    ]
)


@settings(max_examples=100, deadline=None)
@given(st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=60), st.integers(-62_000_000_000_000, 250_000_000_000_000))
def test_any_text_from_any_moment_gives_ordered_spans_or_nothing(text: str, ms: int) -> None:
    last = 0
    for found in resolve(text, Moment(ms, 60)):
        assert last <= found.start < found.end
        assert found.from_ms < found.to_ms
        last = found.end


@pytest.mark.parametrize("unit", ["last ", "in 1 ", "a ", "ago ", "十", "vor ein ", "9"])
def test_endless_input_takes_linear_time(unit: str) -> None:
    start = time.process_time()
    resolve(unit * (200_000 // len(unit)), WEDNESDAY)
    assert time.process_time() - start < 6


PIECES = (
    "the day before yesterday|after tomorrow|last night|this morning|a couple of weeks ago|in a few days|in two weeks time"
    "|3 years|from now|vor zwei wochen|hace dos meses|il y a|past month|next friday|week-end dernier"
    "|semana que viene|today's|heute|x_today"
)


@given(st.lists(st.tuples(st.sampled_from(PIECES.split("|")), st.sampled_from((" ", ", ", "  ", "\n", "-"))), max_size=8))
def test_dates_are_found_wherever_a_word_of_one_stands(parts: list[tuple[str, str]]) -> None:
    low = "".join(piece + joint for piece, joint in parts)
    everywhere = [] if shapes._hints().isdisjoint(re.findall("[a-z]+", low)) else shapes._spaced().finditer(low)
    assert [one.span() for one in shapes._in_plain_letters(low)] == [one.span() for one in everywhere]
