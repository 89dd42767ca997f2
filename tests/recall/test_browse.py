"""Browsing: everything once, newest first, with counts that are right and cursors that belong to one caller."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.errors import InvalidCursor, InvalidInput
from muniment.ingest import documents
from muniment.model.recalling import Filter, RecallAnswer, RecallRequest
from muniment.model.writing import DocumentIn
from muniment.recall.recall import recall
from tests.makers import Deed, Doer, Memory, histories


def page(memory: Memory, cursor: str | None = None, **more: object) -> RecallAnswer:
    return memory.ask(cursor=cursor, **more)


def pages(memory: Memory, between: Callable[[], object] = lambda: None, **more: object) -> list[list[str]]:
    answer = page(memory, **more)
    found = [[one.ref for one in answer.results]]
    while answer.cursor:
        between()
        answer = page(memory, answer.cursor, **more)
        found.append([one.ref for one in answer.results])
    return found


def test_the_newest_come_first(memory: Memory) -> None:
    memory.say("a", "Ann: old", "Ann: older", time="2020-01-01", step=-60_000)
    memory.keep("stored now")
    memory.keep("of last year", event_time="2024-01-01")
    answer = page(memory)
    assert [one.text for one in answer.results] == ["stored now", "of last year", "old", "older"]
    assert (answer.total, answer.cursor, answer.route, answer.meta.mode) == (4, None, ("browse",), "browse")


def test_pages_hold_everything_once(memory: Memory) -> None:
    memory.say("a", *(f"Ann: turn {n}" for n in range(7)))
    for number in range(4):
        memory.keep(f"fact {number}")
    found = pages(memory, limit=3)
    assert [len(one) for one in found] == [3, 3, 3, 2]
    refs = [ref for one in found for ref in one]
    assert len(set(refs)) == 11
    assert refs == [one.ref for one in page(memory, limit=100).results]


def test_a_record_of_many_passages_is_one(memory: Memory) -> None:
    text = " ".join(f"Sentence {n} tells of the weather." for n in range(100))
    documents.keep(memory.context, DocumentIn(text=text))
    memory.keep("one more")
    answer = page(memory)
    assert (answer.total, len(answer.results)) == (2, 2)


def test_equal_texts_are_all_shown(memory: Memory) -> None:
    memory.say("a", "Ann: yes", "Bob: really?", "Ann: yes")
    assert [one.text for one in page(memory).results].count("yes") == 2


def test_what_is_stored_between_two_pages_repeats_nothing(memory: Memory) -> None:
    kept = [memory.keep(f"fact {number}") for number in range(10)]
    numbers = iter(range(100))

    def others() -> None:
        memory.clock.move(1000)
        memory.keep(f"newer {next(numbers)}")
        memory.keep(f"of old times {next(numbers)}", event_time="2001-01-01")

    found = [ref for one in pages(memory, others, limit=3) for ref in one]
    assert len(found) == len(set(found))
    assert set(kept) <= set(found)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=histories(8), between=st.lists(histories(2), min_size=1, max_size=6), limit=st.integers(1, 4))
def test_pages_never_repeat_or_lose_what_others_leave_alone(
    fresh: Callable[[], Memory], before: list[Deed], between: list[list[Deed]], limit: int
) -> None:
    memory = fresh()
    doer = Doer(memory)
    doer.do([deed for deed in before])
    there = {one.ref for one in page(memory, limit=100).results}
    touched: set[str] = set()
    waiting = iter(between)

    def others() -> None:
        away, versions = set(doer.away), dict(doer.versions)
        doer.do(next(waiting, []))
        touched.update(away ^ set(doer.away))
        touched.update(ref for ref, version in doer.versions.items() if versions.get(ref) != version)

    found = [ref for one in pages(memory, others, limit=limit) for ref in one]
    assert len(found) == len(set(found))
    assert there - touched <= set(found)


def test_a_page_ends_where_its_budget_ends_and_the_next_goes_on(memory: Memory) -> None:
    for number in range(6):
        memory.keep(f"{number} " + "word " * 39)  # about 50 tokens
    memory.keep("long " * 1000)
    first = page(memory, max_tokens=120)
    assert [one.text[0] for one in first.results] == ["5", "4"] or len(first.results) == 2
    assert first.tokens_used <= 120
    found = pages(memory, max_tokens=120)
    assert len([ref for one in found for ref in one]) == 6
    assert sum(len(one) > 2 for one in found) == 0


def test_what_no_page_could_hold_is_counted(memory: Memory) -> None:
    memory.keep("long " * 1000)
    memory.keep("short")
    answer = page(memory, max_tokens=50)
    assert ([one.text for one in answer.results], answer.skipped_for_budget, answer.total) == (["short"], 1, 2)


def many(memory: Memory) -> str:
    for number in range(5):
        memory.keep(f"fact {number}")
    cursor = page(memory, limit=2).cursor
    assert cursor is not None
    return cursor


@pytest.mark.parametrize(
    "spoil",
    [
        lambda cursor: cursor[:-2],
        lambda cursor: "A" + cursor[1:] if cursor[0] != "A" else "B" + cursor[1:],
        lambda cursor: cursor + "AAAA",
        lambda cursor: "",
        lambda cursor: "x",
        lambda cursor: "%%%%",
        lambda cursor: "дыра",
        lambda cursor: base64.urlsafe_b64encode(b"0" * 12 + b"[" * 1400).decode(),
        lambda cursor: base64.urlsafe_b64encode(base64.urlsafe_b64decode(cursor + "==")[:12] + b"[0, 0, 0]").decode(),
    ],
)
def test_a_cursor_that_was_tampered_with_is_refused(memory: Memory, spoil: Callable[[str], str]) -> None:
    cursor = many(memory)
    spoilt = spoil(cursor)
    if not spoilt:
        assert page(memory, spoilt).total == 5  # none at all
        return
    with pytest.raises(InvalidCursor):
        page(memory, spoilt)


def test_a_cursor_is_good_for_one_caller_and_one_request(memory: Memory) -> None:
    cursor = many(memory)
    assert page(memory, cursor, limit=2).results
    memory.in_("other")
    for changed in ({"where": Filter(kind=("fact",))}, {"workspace": "*"}, {"as_of": "2050-01-01"}):
        with pytest.raises(InvalidCursor):
            page(memory, cursor, **changed)
    token = replace(memory.context, grant=replace(memory.context.grant, token=9))
    with pytest.raises(InvalidCursor):
        recall(token, RecallRequest(cursor=cursor))


def test_a_question_has_no_pages(memory: Memory) -> None:
    cursor = many(memory)
    with pytest.raises(InvalidInput):
        memory.ask("fact", cursor=cursor)


def test_an_empty_workspace_has_nothing_to_browse(memory: Memory) -> None:
    answer = page(memory)
    assert (answer.results, answer.total, answer.cursor, answer.abstained) == ((), 0, None, False)
