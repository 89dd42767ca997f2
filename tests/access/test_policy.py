"""Who may read and write where: a request narrows a grant and never widens it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from muniment.access import policy
from muniment.context import Context
from muniment.errors import ForbiddenScope, InsufficientScope, MunimentError, UnknownWorkspace
from muniment.model.access import LEVEL_SCOPES
from tests.makers import Memory


@pytest.fixture
def three(memory: Memory) -> Memory:
    memory.in_("alpha")
    memory.in_("beta")
    return memory


def asked(context: Context, names: str | tuple[str, ...] | None) -> list[str]:
    with context.store.read() as connection:
        return [place.slug for place in policy.asked(context, connection, names)]


def target(context: Context, name: str | None) -> str:
    with context.store.read() as connection:
        return policy.target(context, connection, name).slug


def archive(memory: Memory, slug: str) -> None:
    with memory.app.store.write() as connection:
        held = dict(
            zip(
                ("state", "data_class", "isolation", "admits_similar", "merged_into"),
                ("archived", "internal", "none", 0, None),
                strict=True,
            )
        )
        connection.run("workspace_govern", {"workspace": memory.place(slug).id, "target": memory.place(slug).id} | held)


@pytest.mark.parametrize(
    ("names", "slugs"),
    [
        (None, ["inbox", "global"]),
        ((), ["inbox", "global"]),
        ("alpha", ["alpha"]),
        ("  ALPHA ", ["alpha"]),
        ("default", ["inbox"]),
        (("beta", "alpha", "beta"), ["beta", "alpha"]),
        ("*", ["alpha", "beta", "global", "inbox"]),
        (("*",), ["alpha", "beta", "global", "inbox"]),
    ],
)
def test_names_mean_workspaces(three: Memory, names: str | tuple[str, ...] | None, slugs: list[str]) -> None:
    assert asked(three.context, names) == slugs


def test_a_grant_is_the_most_that_any_name_reaches(three: Memory) -> None:
    guest = three.only("alpha")
    assert asked(guest, "*") == ["alpha"]
    assert asked(guest, None) == []
    for name in ("beta", "inbox", "nowhere", "default", ("alpha", "beta")):
        with pytest.raises(ForbiddenScope):
            asked(guest, name)


def test_foreign_and_absent_are_told_apart_by_nothing(three: Memory) -> None:
    guest = three.only("alpha")
    bodies = []
    for name in ("beta", "nope"):
        for act in (lambda name=name: asked(guest, name), lambda name=name: target(guest, name)):
            with pytest.raises(MunimentError) as fault:
                act()
            bodies.append((type(fault.value), str(fault.value).replace(name, "X")))
    assert bodies[0] == bodies[2]
    assert bodies[1] == bodies[3]


def test_what_is_archived_is_neither_read_nor_written(three: Memory) -> None:
    archive(three, "beta")
    assert asked(three.context, "*") == ["alpha", "global", "inbox"]
    with pytest.raises(UnknownWorkspace, match="archived or renamed"):
        asked(three.context, "beta")
    with pytest.raises(UnknownWorkspace):
        target(three.context, "beta")
    with three.app.store.read() as connection:
        assert policy.may_read(three.context, connection, three.place("beta").id) is None


def test_who_may_not_see_a_workspace_is_told_nothing_of_it_and_who_may_that_it_is_gone(three: Memory) -> None:
    three.in_("gamma")
    archive(three, "beta")
    archive(three, "gamma")
    guest = three.only("alpha", "gamma")
    said = set()
    for name in ("beta", "inbox", "nowhere"):  # archived, standing, never made: none of them the guest's
        with pytest.raises(ForbiddenScope) as fault:
            asked(guest, name)
        said.add((fault.value.code, str(fault.value).replace(name, "X")))
    assert len(said) == 1
    with pytest.raises(UnknownWorkspace, match="'gamma' was archived or renamed"):
        asked(guest, "gamma")
    with pytest.raises(ForbiddenScope):
        asked(three.context, "nowhere")
    with three.app.store.read() as connection, pytest.raises(UnknownWorkspace):
        policy.current(guest, connection, "gamma")
    below = replace(three.context, grant=replace(three.context.grant, classes=frozenset({"public"})))
    for name in ("alpha", "beta", "nowhere"):  # of a class that it may not see, so it is not told that one was archived
        with pytest.raises(ForbiddenScope):
            asked(below, name)


def test_writing_goes_to_the_current_one_unless_another_is_named(three: Memory) -> None:
    assert target(three.context, None) == "inbox"
    assert target(three.context, "default") == "inbox"
    assert target(three.context, "Alpha") == "alpha"
    with pytest.raises(UnknownWorkspace):
        target(three.context, "nowhere")


def test_reading_does_not_mean_writing(three: Memory) -> None:
    guest = replace(three.only("alpha", "inbox", write=["inbox"]), workspace="inbox")
    assert asked(guest, "alpha") == ["alpha"]
    assert target(guest, None) == "inbox"
    with pytest.raises(ForbiddenScope):
        target(guest, "alpha")


@pytest.mark.parametrize(
    ("level", "writes"), [("viewer", False), ("agent", True), ("operator", True), ("curator", False), ("owner", True)]
)
def test_who_may_write_is_said_by_scopes(three: Memory, level: str, writes: bool) -> None:
    context = three.context
    context = replace(context, grant=replace(context.grant, scopes=LEVEL_SCOPES[level]))
    if writes:
        assert target(context, None) == "inbox"
    else:
        with pytest.raises(InsufficientScope):
            target(context, None)


def test_a_store_that_is_only_read_takes_no_write(three: Memory) -> None:
    with pytest.raises(InsufficientScope):
        target(replace(three.context, read_only=True), None)


def test_the_current_workspace_of_a_briefing_has_to_be_there(three: Memory) -> None:
    with three.app.store.read() as connection:
        assert policy.current(three.context, connection, None).slug == "inbox"
        with pytest.raises(ForbiddenScope):
            policy.current(replace(three.context, workspace="unmade"), connection, None)


@pytest.mark.parametrize("name", ["--json", "../../etc", "a; rm -rf b", "$(x)", "two\nlines"])
def test_advice_never_repeats_a_name_as_part_of_a_command(three: Memory, name: str) -> None:
    with pytest.raises(UnknownWorkspace) as fault:
        target(three.context, name)
    command = fault.value.do_next.split("`")[1]
    assert re.fullmatch(r"muniment workspace add [a-z-]+", command)
