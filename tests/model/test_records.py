"""What a record says of itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.model.records import Record
from muniment.model.times import Moment

KEPT = Record(
    1, 1, "0" * 26, "fact", "project-context", "active", 1, "The crane is safe.", None, None, None, None, None, 500,
    "unknown", None, None, "own", 0.5, 0, 1, None,
)  # fmt: skip


@pytest.mark.parametrize(
    ("since", "until", "holds"),
    [(None, None, True), (100, None, True), (101, None, False), (None, 100, False), (None, 101, True), (50, 60, False)],
)
def test_an_interval_is_half_open(since: int | None, until: int | None, holds: bool) -> None:
    assert replace(KEPT, valid_from=since, valid_to=until).holds_at(100) is holds


def test_what_was_never_said_was_said_when_it_was_stored() -> None:
    assert KEPT.said_at == 500
    assert replace(KEPT, event=Moment(300, 60)).said_at == 300


@pytest.mark.parametrize(("kind", "letter"), [("turn", "t"), ("document", "d"), ("fact", "m"), ("policy", "m")])
def test_a_ref_tells_what_sort_of_record_it_opens(kind: str, letter: str) -> None:
    assert replace(KEPT, kind=kind).ref == f"{letter}_{KEPT.uid}"
