"""Names: what is said about them counts everywhere at once, and taking it back leaves no trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.errors import ConfirmationRequired, ForbiddenScope, InvalidInput, NotFound
from muniment.governance import changes, naming
from muniment.graph import resolve
from muniment.model.governing import GovernRequest, SetEntity
from muniment.model.recalling import Filter
from muniment.model.reviewing import Entities, EntitySeen
from tests.makers import Memory

NAMES = ("Alma Reed", "Bert Kay", "Cora Lind", "Dora Mills", "Emil North")


def say(memory: Memory, entity: str, *, confirm: str | None = None, **more: Any) -> str:
    """Set something about a name; answers the action."""
    do = SetEntity("set_entity", entity, **more)
    done = naming.set_entity(memory.context, GovernRequest(do=do, reason="they told me", confirm=confirm), do)
    assert done.action is not None
    return done.action


def undo(memory: Memory, *actions: str) -> None:
    with memory.app.store.write() as connection:
        found = [changes.by_uid(connection, action[2:]) for action in actions]
        changes.undo(memory.context, connection, [one for one in found if one])


def listed(memory: Memory, query: str = "") -> dict[str, EntitySeen]:
    with memory.app.store.read() as connection:
        do = Entities("entities", query)
        return {one.name: one for one in naming.listed(memory.context, connection, memory.place(), do).entities}


def mentioning(memory: Memory, name: str) -> set[str]:
    return set(memory.found(where=Filter(entity=name), limit=50))


@pytest.fixture
def people(memory: Memory) -> Memory:
    memory.say("a", *(f"Zoe: I met {name} by the canal." for name in NAMES))
    return memory


def test_an_alias_is_found_as_what_it_stands_for_and_the_other_way_round(people: Memory) -> None:
    both = {"I met Alma Reed by the canal.", "I met Bert Kay by the canal."}
    action = say(people, "bert kay", alias_of="Alma Reed")
    assert mentioning(people, "Alma Reed") == mentioning(people, "Bert Kay") == both
    assert people.ask("x", where=Filter(entity="BERT KAY")).entity_resolved
    assert listed(people)["Alma Reed"].aliases == ("bert kay",)
    assert listed(people)["Bert Kay"].merged_into == "Alma Reed"
    undo(people, action)
    assert mentioning(people, "Bert Kay") == {"I met Bert Kay by the canal."}
    assert listed(people)["Alma Reed"].aliases == ()


def test_a_spelling_that_no_text_holds_can_be_an_alias(people: Memory) -> None:
    say(people, "Almuschka", alias_of="Alma Reed")
    assert mentioning(people, "almuschka") == {"I met Alma Reed by the canal."}


def test_a_merge_brings_along_what_was_merged_before(people: Memory) -> None:
    say(people, "Bert Kay", merge_into="Alma Reed")
    action = say(people, "Alma Reed", merge_into="Cora Lind")
    assert len(mentioning(people, "Bert Kay")) == len(mentioning(people, "Cora Lind")) == 3
    undo(people, action)
    assert len(mentioning(people, "Bert Kay")) == 2
    assert mentioning(people, "Cora Lind") == {"I met Cora Lind by the canal."}


def test_a_blocked_name_names_nothing_until_the_block_is_lifted(people: Memory) -> None:
    action = say(people, "Bert Kay", block=True)
    assert mentioning(people, "Bert Kay") == set()
    assert people.ask("x", where=Filter(entity="Bert Kay")).entity_resolved is False
    assert listed(people)["Bert Kay"].blocked
    say(people, "Bert Kay", block=False)
    assert len(mentioning(people, "Bert Kay")) == 1
    undo(people, action)
    assert len(mentioning(people, "Bert Kay")) == 1


def test_a_blocked_name_counts_no_more_for_the_ranking(people: Memory) -> None:
    assert "entity" in people.ask("What about Bert Kay?").results[0].matched_by
    action = say(people, "Bert Kay", block=True)
    assert all("entity" not in one.matched_by for one in people.ask("What about Bert Kay?").results)
    undo(people, action)
    assert "entity" in people.ask("What about Bert Kay?").results[0].matched_by


def test_an_alias_counts_for_the_ranking(people: Memory) -> None:
    say(people, "Big Al", alias_of="Alma Reed")
    answer = people.ask("What about Big Al?")
    found = {one.text: one.matched_by for one in answer.results or answer.nearest}
    assert "entity" in found["I met Alma Reed by the canal."]


def test_what_cannot_be_is_refused_and_changes_nothing(people: Memory) -> None:
    say(people, "Bert Kay", alias_of="Alma Reed")
    say(people, "Cora Lind", merge_into="Dora Mills")
    before = listed(people)
    refused: list[tuple[str, dict[str, Any]]] = [
        ("alma reed", {"alias_of": "Alma Reed"}),  # itself
        ("Emil North", {"alias_of": "Bert Kay"}),  # an alias of an alias
        ("Alma Reed", {"alias_of": "Emil North"}),  # which has an alias
        ("Bert Kay", {"alias_of": "Alma Reed"}),  # known already
        ("Dora Mills", {"merge_into": "Cora Lind"}),  # a circle
        ("Dora Mills", {"alias_of": "Cora Lind"}),  # the same circle
        ("Alma Reed", {"merge_into": "Bert Kay"}),
        ("Emil North", {"block": False}),
        ("Emil North", {"type": "other"}),
        ("Emil North", {}),
        ("Emil North", {"block": True, "type": "tool"}),
        ("...", {"block": True}),
    ]
    for name, what in refused:
        with pytest.raises(InvalidInput):
            say(people, name, **what)
    for name, what in (("Nobody", {"type": "tool"}), ("Nobody", {"merge_into": "Alma Reed"}), ("x", {"alias_of": "Nobody"})):
        with pytest.raises(NotFound):
            say(people, name, **what)
    assert listed(people) == before


def test_two_of_different_types_become_one_only_when_it_is_confirmed(people: Memory) -> None:
    say(people, "Alma Reed", type="person")
    say(people, "Bert Kay", type="tool")
    for what in ({"merge_into": "Alma Reed"}, {"alias_of": "Alma Reed"}):
        with pytest.raises(ConfirmationRequired) as asked:
            say(people, "Bert Kay", **what)
    assert "tool" in asked.value.message
    assert len(mentioning(people, "Alma Reed")) == 1
    say(people, "Bert Kay", alias_of="Alma Reed", confirm=asked.value.confirm)
    assert len(mentioning(people, "Alma Reed")) == 2


def test_one_name_for_two_things_means_neither(people: Memory) -> None:
    say(people, "the captain", alias_of="Alma Reed")
    say(people, "the captain", alias_of="Cora Lind")
    with people.app.store.read() as connection:
        meant = resolve.one(connection, people.place().id, "the captain")
    assert meant.thing is None
    assert len(meant.candidates) == 2
    assert len(mentioning(people, "Alma Reed")) == 1


def test_names_of_one_workspace_mean_nothing_in_another(people: Memory) -> None:
    other = people.in_("other")
    other.say("b", "Zoe: I met Bert Kay in town.")
    say(people, "Bert Kay", alias_of="Alma Reed")
    assert mentioning(other, "Bert Kay") == {"I met Bert Kay in town."}
    with pytest.raises(NotFound):
        say(other, "Bert Kay", merge_into="Alma Reed")
    do = SetEntity("set_entity", "Bert Kay", block=True)
    with pytest.raises(ForbiddenScope):
        naming.set_entity(people.only("other"), GovernRequest(do=do, workspace="inbox"), do)


def test_the_list_is_paged_and_searched(people: Memory) -> None:
    with people.app.store.read() as connection:
        first = naming.listed(people.context, connection, people.place(), Entities("entities", limit=2))
        rest = naming.listed(people.context, connection, people.place(), Entities("entities", limit=2, cursor=first.cursor))
    assert len(first.entities) == len(rest.entities) == 2
    assert {one.name for one in first.entities}.isdisjoint(one.name for one in rest.entities)
    assert set(listed(people, "MILL")) == {"Dora Mills"}
    assert listed(people)["Dora Mills"].mentions == 1


DEEDS = st.tuples(st.sampled_from(("alias_of", "merge_into", "block", "unblock")), st.integers(0, 4), st.integers(0, 4))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=st.lists(DEEDS, min_size=1, max_size=8), order=st.randoms(use_true_random=False))
def test_undoing_everything_in_any_order_leaves_no_trace(fresh: Callable[[], Memory], deeds: Any, order: Any) -> None:
    memory = fresh()
    memory.say("a", *(f"Zoe: I met {name} by the canal." for name in NAMES))
    before = [mentioning(memory, name) for name in NAMES]
    actions = []
    for what, one, two in deeds:
        said = {"block": what == "block"} if "block" in what else {what: NAMES[two]}
        try:
            actions.append(say(memory, NAMES[one], **said))
        except InvalidInput:
            continue
        if order.random() < 0.3:
            undo(memory, actions.pop(order.randrange(len(actions))))
    # Whatever was said, each name means one thing at most, and no two things share an entity.
    with memory.app.store.read() as connection:
        norms = [resolve.norm(name) for name in NAMES]
        things = {one.thing for one in resolve.many(connection, memory.place().id, norms).values() if one.thing}
    members = [member for thing in things for member in thing.members]
    assert len(members) == len(set(members))
    order.shuffle(actions)
    for action in actions:
        undo(memory, action)
    assert [mentioning(memory, name) for name in NAMES] == before
