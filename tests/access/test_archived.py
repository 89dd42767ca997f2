"""Walls around what is archived, merged or hidden: they stay what they are, for who manages and for who is held by them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from muniment.access import passphrases, tokens
from muniment.access.managing import manage
from muniment.context import Context
from muniment.errors import ConfirmationRequired, ForbiddenScope, InsufficientScope, MunimentError, NotFound, UnknownWorkspace
from muniment.governance import undoing
from muniment.model.governing import GovernRequest, Undo
from muniment.model.managing import (
    CreateToken,
    EndProfile,
    ListProfiles,
    ListTokens,
    Managed,
    RevokeToken,
    RotateToken,
    SetProfile,
    TokensAnswer,
    TokensRequest,
)
from muniment.model.workspaces import ArchiveWorkspace, MergeWorkspace, RenameWorkspace, RestoreWorkspace, SetWorkspace
from muniment.surfaces import wire
from muniment.surfaces.catalogue import named
from tests.governance.placing import confirmed, manages
from tests.makers import Memory


@pytest.fixture
def two(memory: Memory) -> Memory:
    memory.in_("beta")
    return memory.in_("alpha")


def made(memory: Memory, name: str, level: str = "owner", **more: Any) -> str:
    context = memory.context
    with context.system.write() as connection:
        return tokens.add(connection, tokens.NewToken(name, level, **more), uid=context.uid(), now=context.now())


def bearer(memory: Memory, secret: str) -> Context:
    """The context of a request with that token now, as a server makes it."""
    with memory.context.system.read() as connection:
        grant = tokens.find(connection, secret, memory.context.now())
    assert grant is not None
    context = memory.app.context(grant, workspace=grant.default_workspace)
    return replace(context, clock=memory.clock, entropy=memory.entropy, wait=False)


def do(context: Context, verb: Managed) -> TokensAnswer:
    return manage(context, TokensRequest(verb))


def seen(context: Context) -> list[str]:
    return [one.name for one in do(context, ListTokens("list")).tokens]


@pytest.mark.parametrize("end", [ArchiveWorkspace("archive", "alpha"), MergeWorkspace("merge", "alpha", "beta")])
def test_what_is_walled_to_an_archived_workspace_stays_foreign(two: Memory, end: Any) -> None:
    victim = made(two, "victim", "agent", read=["alpha"])
    (ref,) = [one.ref for one in do(two.context, ListTokens("list")).tokens]
    held = passphrases.hashed("four plain wooden words")
    do(two.context, SetProfile("set_profile", "maren", level="agent", read=("alpha",), secret_hash=held))
    boss = made(two, "boss", read=["beta"])
    (confirmed if isinstance(end, MergeWorkspace) else manages)(two, end)
    context = bearer(two, boss)
    assert seen(context) == ["boss"]
    assert do(context, ListProfiles("profiles")).profiles == ()
    for verb in (RotateToken("rotate", ref), RevokeToken("revoke", ref), EndProfile("end_profile", "maren")):
        with pytest.raises(NotFound):
            do(context, verb)
    with pytest.raises(InsufficientScope):
        do(context, CreateToken("create", "imp", principal="victim"))
    assert bearer(two, victim).grant.read == {"alpha"}


def test_an_admin_behind_walls_takes_back_its_own_archive_and_merge(two: Memory) -> None:
    two.keep("The pelican is grey.")
    admin = made(two, "admin", "admin", read=["alpha", "beta"])
    manages(bearer(two, admin), ArchiveWorkspace("archive", "alpha"))
    assert manages(bearer(two, admin), RestoreWorkspace("restore", "alpha")).workspaces[0].state == "active"
    merged = confirmed(bearer(two, admin), MergeWorkspace("merge", "alpha", "beta")).action
    assert two.place("alpha").state == "archived"
    undone(bearer(two, admin), merged)
    assert two.place("alpha").state == "active"


def undone(context: Context, action: str | None) -> None:
    request = GovernRequest(Undo("undo", action), "It was a slip.")
    try:
        undoing.undo(context, request, request.do)
    except ConfirmationRequired as asked:
        request = replace(request, confirm=asked.confirm)
        undoing.undo(context, request, request.do)


def test_a_profile_keeps_the_walls_that_a_change_leaves_out(two: Memory) -> None:
    held = passphrases.hashed("four plain wooden words")
    do(two.context, SetProfile("set_profile", "maren", level="agent", read=("alpha", "beta"), secret_hash=held))
    manages(two, ArchiveWorkspace("archive", "alpha"))
    do(two.context, SetProfile("set_profile", "maren", zone="shared"))
    manages(two, RestoreWorkspace("restore", "alpha"))
    (one,) = do(two.context, ListProfiles("profiles")).profiles
    assert (one.read, one.write, one.zone) == (("alpha", "beta"), ("alpha", "beta"), "shared")


@pytest.mark.parametrize("limits", [{"read": ["beta"]}, {"classes": ["internal"]}])
def test_a_foreign_workspace_of_a_new_token_is_told_like_one_that_is_not_there(two: Memory, limits: dict[str, Any]) -> None:
    manages(two, SetWorkspace("set", "alpha", data_class="restricted"))
    boss = made(two, "boss", **limits)
    fields: list[dict[str, Any]] = [{"default_workspace": "{}"}, {"default_workspace": "{}", "read": ("beta",)}]
    if "classes" in limits:
        fields += [{"read": ("{}",)}, {"read": ("beta", "{}"), "write": ("beta",)}]
    for given in fields:
        told = []
        for name in ("alpha", "gamma"):
            asked = {key: _filled(value, name) for key, value in given.items()}
            with pytest.raises(UnknownWorkspace) as caught:
                do(bearer(two, boss), CreateToken("create", "x", **asked))
            told.append(str(caught.value).replace(name, "it"))
        assert told[0] == told[1]
    assert seen(two.context) == ["boss"]
    assert do(bearer(two, boss), CreateToken("create", "x", default_workspace="beta")).tokens[0].default_workspace == "beta"


def _filled(value: Any, name: str) -> Any:
    return value.format(name) if isinstance(value, str) else tuple(one.format(name) for one in value)


def test_the_current_workspace_of_a_token_says_nothing_once_it_is_hidden(two: Memory) -> None:
    agent = made(two, "scout", "agent", read=["alpha"])
    open_ = made(two, "rover", "agent", default_workspace="alpha")
    manages(two, SetWorkspace("set", "alpha", data_class="restricted"))
    manages(two, RenameWorkspace("rename", "alpha", "merger"))
    turns = [{"speaker": "Ada", "text": "The kettle is on."}]
    for secret in (agent, open_):
        context = bearer(two, secret)
        for name, fields in (("remember", {"text": "A rope."}), ("ingest", {"session": "talk", "turns": turns})):
            with pytest.raises(ForbiddenScope) as caught:
                wire.call(context, named(name), fields)
            assert "merger" not in str(caught.value)
        for name, fields in (("recall", {"query": "rope"}), ("get_context", {}), ("stats", {}), ("list_projects", {})):
            try:
                answer = str(wire.call(context, named(name), fields))
            except MunimentError as fault:
                answer = str(fault)
            assert "merger" not in answer
    told = []
    for name in ("merger", "elsewhere"):
        with pytest.raises(MunimentError) as missed:
            wire.call(bearer(two, agent), named("remember"), {"text": "A rope.", "workspace": name})
        told.append((missed.value.code, str(missed.value).replace(name, "it")))
    assert told[0] == told[1]
