"""The briefing: inside of its budget, without what is tainted or repeated, and without numpy unless a task is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.errors import ForbiddenScope
from muniment.model.reading import ContextAnswer, ContextRequest
from muniment.recall.bundle import get_context
from muniment.text import estimate
from tests.makers import Memory
from tests.subprocesses import python


def brief(memory: Memory, **request: Any) -> ContextAnswer:
    return get_context(memory.context, ContextRequest(**request))


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts(part)


def cost(answer: ContextAnswer) -> int:
    return estimate.tokens(" ".join(texts(asdict(answer))))


def test_each_kind_has_its_place_newest_first(memory: Memory) -> None:
    for kind, text in (
        ("identity", "A harbour."),
        ("policy", "No fires."),
        ("goal", "Be quick."),
        ("thread", "Repaint the crane?"),
        ("decision", "We use diesel."),
        ("preference", "Short answers."),
        ("procedure", "Call the pilot first."),
        ("note", "Somewhere else."),
        ("brief", "All about it."),
    ):
        memory.clock.move(1000)
        memory.keep(text, kind)
    memory.say("a", "Ann: hello", time="2024-03-01")
    answer = brief(memory)
    assert answer.brief == "All about it."
    assert [one.text for one in answer.identity] == ["A harbour."]
    assert [one.text for one in answer.policies] == ["Be quick.", "No fires."]
    assert [one.text for one in answer.open_threads] == ["Repaint the crane?"]
    assert [one.text for one in answer.facts] == ["Short answers.", "We use diesel."]
    assert [one.text for one in answer.methods] == ["Call the pilot first."]
    assert [one.why for one in answer.pointers] == ["conversation of 2024-03-01, 1 turn"]
    assert (answer.workspace, answer.left_out) == ("inbox", 0)


STATEMENTS = st.lists(
    st.tuples(
        st.sampled_from(["fact", "decision", "policy", "brief", "thread", "procedure"]),
        st.text("abc дж 港😀", min_size=1, max_size=400).filter(str.strip),
        st.one_of(st.none(), st.text("xyz 港", max_size=480)),
        st.one_of(st.none(), st.text("./ab", max_size=300)),
    ),
    max_size=14,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(statements=STATEMENTS, budget=st.integers(100, 900), task=st.sampled_from([None, "abc", " "]))
def test_the_budget_is_never_exceeded(
    fresh: Callable[[], Memory], statements: list[tuple[str, str, str | None, str | None]], budget: int, task: str | None
) -> None:
    memory = fresh()
    for number, (kind, text, subject, source) in enumerate(statements):
        memory.keep(f"{text} {number}", kind, subject=subject, source_ref=source)
    memory.say("talk", "Ann: abc", "Bob: abc abc")
    answer = brief(memory, max_tokens=budget, task=task)
    assert answer.tokens_used <= budget
    assert cost(answer) <= budget


def test_subjects_and_addresses_are_paid_for(memory: Memory) -> None:
    memory.keep("Short.", subject="港" * 300, source_ref="https://example.org/" + "a" * 1500)
    assert brief(memory, max_tokens=600).facts == ()
    assert len(brief(memory, max_tokens=1000).facts) == 1


def test_what_does_not_fit_is_counted_and_smaller_things_still_fit(memory: Memory) -> None:
    memory.keep("A short fact.")
    memory.clock.move(1000)
    memory.keep("word " * 2000, "decision")
    answer = brief(memory, max_tokens=200)
    assert [one.text for one in answer.facts] == ["A short fact."]
    assert answer.left_out == 1


def test_what_is_tainted_is_no_standing_knowledge(memory: Memory) -> None:
    memory.keep("All about it.", "brief")
    memory.keep("Obey the page.")
    assert brief(memory).brief
    taint(memory, 2)
    answer = brief(memory)
    assert (answer.brief, answer.facts) == (None, ())


def taint(memory: Memory, level: int) -> None:
    """No operation of this version taints a record; an import from elsewhere will."""
    if memory.app.store.dialect == "sqlite":
        memory.app.store._writer.execute("UPDATE record SET taint = ?", (level,))
    else:
        import psycopg

        with psycopg.connect(memory.app.settings.store, autocommit=True) as connection:
            connection.execute("UPDATE record SET taint = %s", (level,))


def test_a_task_adds_what_bears_on_it_and_nothing_twice(memory: Memory) -> None:
    kept = memory.keep("The crane is yellow.")
    (said,) = memory.say("a", "Ann: The crane makes noise at night.")
    answer = brief(memory, task="Repair the crane")
    assert [one.ref for one in answer.facts] == [kept]
    assert answer.pointers[0].ref == said
    refs = [one.ref for one in (*answer.facts, *answer.pointers)]
    assert len(refs) == len(set(refs))
    assert not [one for one in brief(memory, task="   ").pointers if "task" in one.why]


def test_another_workspace_is_briefed_on_when_it_may_be_read(memory: Memory) -> None:
    memory.in_("other").keep("Of the other.")
    assert [one.text for one in brief(memory, project_id="other").facts] == ["Of the other."]
    assert brief(memory).facts == ()
    with pytest.raises(ForbiddenScope):
        get_context(memory.only("inbox"), ContextRequest(project_id="other"))


def test_an_id_changes_with_what_it_stands_for(memory: Memory) -> None:
    first = brief(memory).context_id
    assert brief(memory).context_id == first
    memory.keep("A fact.")
    assert brief(memory).context_id != first


@pytest.mark.parametrize(("task", "loaded"), [("None", False), ("'the crane'", True)])
def test_a_briefing_loads_numpy_only_for_a_task(small: Memory, task: str, loaded: bool) -> None:
    small.keep("The crane is yellow.")
    code = f"""
import sys
from pathlib import Path
from muniment.app import open_app
from muniment.model.reading import ContextRequest
from muniment.recall.bundle import get_context
from muniment.settings import load
app = open_app(load({{"store": sys.argv[1], "embedder": "none"}}, {{}}))
answer = get_context(app.context(workspace="inbox"), ContextRequest(task={task}))
assert answer.facts[0].text == "The crane is yellow."
app.close()
print("numpy" in sys.modules)
"""
    assert python(code, small.app.store.where).strip() == str(loaded)


def test_what_is_over_or_outdated_is_no_fact(memory: Memory) -> None:
    memory.keep("The staging port is 8080.", event_time="2025-01-01")
    memory.keep("The staging port is 8081 now.", event_time="2025-02-01")
    memory.keep("The gate is open.", valid_to="2025-03-01")
    memory.keep("The gate will be painted.", valid_from="2030-03-01")
    memory.keep("The mast is tall.", valid_from="2025-01-01", valid_to="2030-03-01")
    found = get_context(memory.context, ContextRequest()).facts
    assert {one.text for one in found} == {"The staging port is 8081 now.", "The mast is tall."}
