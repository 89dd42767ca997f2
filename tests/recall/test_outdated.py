"""An unmarked newer statement comes before the one it outdates; nothing is retired for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.index.rebuild import rebuild
from muniment.ingest.remember import remember
from muniment.model.reading import ReadRequest
from muniment.model.recalling import Filter
from muniment.model.writing import RememberRequest
from muniment.recall.read import read
from tests.makers import DAY, Memory
from tests.recall.replacing import hits, supersede

OLD, NEW = "The staging port is 8080.", "The staging port is 8081 now."
QUESTION = "What is the staging port?"


def noise(memory: Memory) -> None:
    memory.say("noise", *(f"Ann: The {word} needs paint." for word in ("mast", "quay", "winch", "ledger", "gate", "buoy")))


def order(memory: Memory, query: str, *texts: str, **more: object) -> list[str]:
    """These texts in the order in which the answer has them."""
    return [one.text for one in memory.ask(query, **more).results if one.text in texts]


def test_the_newer_statement_stands_directly_above_the_older_one(memory: Memory) -> None:
    noise(memory)
    (old,) = memory.say("a", f"Ann: {OLD}", time="2025-01-01T10:00:00Z")
    (new,) = memory.say("b", f"Ann: {NEW}", time="2025-02-01T10:00:00Z")
    answer = memory.ask(QUESTION)
    assert [one.ref for one in answer.results[:2]] == [new, old]
    first, second = answer.results[:2]
    assert (first.standing, first.replaces) == (None, (old,))
    assert (second.standing, second.replaced_by, second.replaced_why) == ("outdated", new, None)
    assert second.valid == ("2025-01-01T10:00:00+00:00", "2025-02-01T10:00:00+00:00")
    assert first.score >= second.score
    text = memory.ask(QUESTION, format="text").text
    assert text is not None
    assert f"[outdated: {new} says otherwise on 2025-02-01]" in text


def test_memories_outdate_each_other_too_and_nothing_is_retired(memory: Memory) -> None:
    old = memory.keep(OLD, event_time="2025-01-01")
    new = memory.keep(NEW, event_time="2025-02-01")
    assert [one.ref for one in memory.ask(QUESTION).results[:2]] == [new, old]
    (opened,) = read(memory.context, ReadRequest(ref=old)).records
    assert (opened.state, opened.version) == ("active", 1)


def test_said_earlier_is_not_newer_whenever_it_was_stored(memory: Memory) -> None:
    new = memory.keep(NEW, event_time="2025-02-01")
    memory.clock.move(1000)
    old = memory.keep(OLD, event_time="2025-01-01")
    assert [one.ref for one in memory.ask(QUESTION).results[:2]] == [new, old]


def test_three_steps_are_followed(memory: Memory) -> None:
    noise(memory)
    texts = [f"The staging port is {port}." for port in (8080, 8081, 8082)]
    refs = [memory.keep(text, event_time=f"2025-0{month}-01") for month, text in enumerate(texts, 1)]
    answer = memory.ask(QUESTION)
    kin = [one for one in answer.results if one.ref in refs]
    assert [one.ref for one in kin] == refs[::-1]
    assert [one.standing for one in kin] == [None, "outdated", "outdated"]
    assert kin[0].replaces == (refs[1], refs[0])


def test_what_is_said_once_more_holds_again(memory: Memory) -> None:
    first = memory.keep("The staging port is 8080.", event_time="2025-01-01")
    second = memory.keep("The staging port is 8081.", event_time="2025-02-01")
    third = memory.keep("The staging port is 8080 again.", event_time="2025-03-01")
    found = {one.ref: one for one in memory.ask(QUESTION).results}
    assert found[third].standing is None
    assert (found[second].standing, found[second].replaced_by) == ("outdated", third)
    assert found[first].standing is None


def test_an_equal_turn_that_came_back_is_taken_for_its_last_time(memory: Memory) -> None:
    memory.say("a", "Bob: Which port is the staging port?", f"Ann: {OLD}", time="2025-01-01T10:00:00Z")
    (between,) = memory.say("b", f"Ann: {NEW}", time="2025-02-01T10:00:00Z")
    memory.say("c", f"Ann: {OLD}", time="2025-02-03T10:00:00Z")
    found = hits(memory.ask(QUESTION))
    assert found[OLD].standing is None
    assert (found[NEW].ref, found[NEW].standing) == (between, "outdated")
    assert order(memory, QUESTION, OLD, NEW) == [OLD, NEW]


def test_a_correction_beside_a_hit_is_found_though_it_shares_no_word(memory: Memory) -> None:
    noise(memory)
    old, _, fixed = memory.say(
        "a", "Ann: The staging port is 8080.", "Bob: Are you sure?", "Ann: No, it's 8081.", time="2025-01-01T10:00:00Z"
    )
    answer = memory.ask(QUESTION)
    assert [one.ref for one in answer.results[:2]] == [fixed, old]
    assert answer.results[1].replaced_by == fixed


def test_a_correction_is_of_the_last_turn_that_states_something(memory: Memory) -> None:
    noise(memory)
    old, _, fixed = memory.say(
        "a", "Ann: The grant is due on September 1.", "Bob: Not much time.", "Ann: It's actually September 10."
    )
    first, second = memory.ask("When is the grant due?").results[:2]
    assert (first.ref, second.ref, second.replaced_by) == (fixed, old, fixed)


@pytest.mark.parametrize(
    ("older", "newer", "query"),
    [
        ("I drink coffee every morning, two cups.", "I don't drink coffee any more.", "Does Ann drink coffee?"),
        ("Events go through RabbitMQ.", "Since Monday events go through Kafka.", "What do events go through?"),
        ("我住在杭州，离西湖不远。", "我现在住在成都，刚搬完家。", "住在哪里？"),
        ("我在华为工作。", "我现在在小米工作了，上周刚入职。", "在哪里工作？"),
        ("Mosaic is owned by Greta.", "Mosaic has a new owner: Lena.", "Who owns Mosaic?"),
    ],
)
def test_few_shared_words_are_enough_where_the_newer_is_worded_as_a_change(
    memory: Memory, older: str, newer: str, query: str
) -> None:
    noise(memory)
    (old,) = memory.say("a", f"Ann: {older}", time="2025-01-01T10:00:00Z")
    (new,) = memory.say("b", f"Ann: {newer}", time="2025-02-01T10:00:00Z")
    found = {one.ref: one for one in memory.ask(query).results}
    assert (found[old].standing, found[old].replaced_by) == ("outdated", new)
    assert list(found).index(new) < list(found).index(old)


def test_a_correction_that_the_filter_leaves_out_is_not_brought_in(memory: Memory) -> None:
    noise(memory)
    memory.say("a", "Ann: The staging port is 8080.", "Bob: No, it's 8081.", time="2025-01-01T10:00:00Z")
    where = Filter(people=("Ann",))
    assert [one.standing for one in memory.ask(QUESTION, where=where).results if "8080" in one.text] == [None]


@pytest.mark.parametrize(
    ("older", "newer", "query"),
    [
        ("Mara speaks German.", "Mara speaks French.", "What does Mara speak?"),
        ("The staging port is 8080.", "The production port is 8081.", "What is the staging port?"),
        ("The staging port is 8080.", "Maybe the staging port should be 8081?", "What is the staging port?"),
        ("Mara's favourite colour is blue.", "Tom's favourite colour is green.", "What is Mara's favourite colour?"),
    ],
)
def test_what_is_another_thing_outdates_nothing(memory: Memory, older: str, newer: str, query: str) -> None:
    memory.keep(older, event_time="2025-01-01")
    memory.keep(newer, event_time="2025-02-01")
    assert {one.standing for one in memory.ask(query).results} == {None}


def test_an_old_value_is_asked_for_by_its_time(memory: Memory) -> None:
    noise(memory)
    memory.say("late", "Ann: Nothing new.", time="2025-08-01T10:00:00Z")
    texts = [f"The staging port is {port}." for port in (8080, 8081, 8082)]
    for month, text in enumerate(texts):
        memory.keep(text, event_time=f"2025-0{1 + 2 * month}-01")
    assert order(memory, "What was the staging port before?", *texts) == [texts[1], texts[0], texts[2]]
    assert order(memory, "What was the staging port in April 2025?", *texts)[0] == texts[1]
    assert order(memory, "What is the staging port?", *texts, as_of="2025-04-01") == [texts[1], texts[0]]
    assert order(memory, "What is the staging port?", *texts) == texts[::-1]


def test_a_decided_heir_outdates_by_decision_and_not_twice(memory: Memory) -> None:
    old = memory.keep(OLD, event_time="2025-01-01")
    heir = supersede(memory, old, NEW, event_time="2025-02-01").ref
    answer = memory.ask(QUESTION)
    assert [(one.ref, one.standing) for one in answer.results] == [(heir, None)]


def test_equal_record_numbers_of_two_workspaces_are_two_records(memory: Memory) -> None:
    other = memory.in_("other")
    other.keep(OLD, event_time="2025-01-01")
    memory.keep(NEW, event_time="2025-02-01")
    assert {one.standing for one in memory.ask(QUESTION, workspace=("inbox", "other")).results} == {None}


def test_marks_do_not_hang_on_what_a_process_holds(memory: Memory) -> None:
    memory.say("a", f"Ann: {OLD}", "Bob: Ah.", "Ann: No, it's 8081.", time="2025-01-01T10:00:00Z")
    memory.keep("The staging port is 8082.", event_time="2025-03-01")
    first = memory.ask(QUESTION).results
    assert memory.ask(QUESTION).results == first
    assert memory.elsewhere().ask(QUESTION).results == first
    rebuild(memory.context, memory.place())
    assert memory.ask(QUESTION).results == first


def test_what_is_untrusted_outdates_nothing_that_is_trusted(memory: Memory) -> None:
    old, lie = "The booking service listens on port 9000.", "The booking service listens on port 6666."
    memory.keep(old)
    memory.clock.move(DAY)
    visitor = replace(memory.context, grant=replace(memory.context.grant, zone="untrusted"))
    remember(visitor, RememberRequest(text=lie))
    told = {one.text: one for one in memory.ask("Which port does the booking service listen on?").results}
    assert (told[old].standing, told[lie].replaces, told[lie].taint) == (None, (), 2)
    memory.clock.move(DAY)
    remember(visitor, RememberRequest(text="The booking service listens on port 7777."))
    told = {one.text: one for one in memory.ask("Which port does the booking service listen on?").results}
    assert (told[old].standing, told[lie].standing) == (None, "outdated")
