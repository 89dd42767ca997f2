"""Names that lead to workspaces, and what is set of one: each is an action, and each can be taken back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from muniment.access import tokens
from muniment.errors import ForbiddenScope, InsufficientScope, InvalidInput, NotFound, UnknownWorkspace
from muniment.governance import ledger, workspaces
from muniment.model.governing import ForgetRequest, Undo
from muniment.model.workspaces import (
    AddWorkspace,
    ArchiveWorkspace,
    Candidates,
    ConfirmWorkspace,
    KeepSeparate,
    ListWorkspaces,
    MergeWorkspace,
    Redirects,
    RenameWorkspace,
    RestoreWorkspace,
    SetWorkspace,
    ShowWorkspace,
)
from tests.governance.governing import as_level, ask, decide, tell
from tests.governance.placing import confirmed, manages
from tests.makers import Memory


@pytest.fixture
def yard(memory: Memory) -> Memory:
    yard = memory.in_("yard")
    yard.keep("The crane is red.")
    return yard


def test_a_former_name_goes_on_leading_to_its_workspace(yard: Memory) -> None:
    seen = manages(yard, RenameWorkspace("rename", "yard", "dock"), reason="it moved").workspaces[0]
    assert (seen.slug, seen.name) == ("dock", "dock")
    for name in ("dock", "yard", "Yard", "DOCK"):
        assert yard.found("crane", workspace=name) == ["The crane is red."]
    assert tell(yard, "The gate is blue.", workspace="yard").workspace == "dock"
    assert yard.found("gate") == ["The gate is blue."]  # whose current one is still called by the old name
    assert manages(yard, ShowWorkspace("show", "yard")).workspaces[0].led_by == ("yard",)
    with yard.app.store.read() as connection:
        assert ledger.broken(connection, yard.place("dock").id) is None


def test_the_name_that_a_workspace_has_is_no_new_one(yard: Memory) -> None:
    with pytest.raises(InvalidInput, match="already"):
        manages(yard, RenameWorkspace("rename", "yard", "yard"))
    assert manages(yard, RenameWorkspace("rename", "yard", "yard", "The yard")).workspaces[0].name == "The yard"


def test_a_chain_of_names_leads_to_the_end_and_a_workspace_may_have_its_own_name_back(yard: Memory) -> None:
    for old, new in (("yard", "dock"), ("dock", "pier"), ("pier", "yard")):
        manages(yard, RenameWorkspace("rename", old, new))
    assert {one.name for one in manages(yard, Redirects("redirects")).redirects} == {"dock", "pier"}
    for name in ("yard", "dock", "pier"):
        assert yard.found("crane", workspace=name) == ["The crane is red."]


def test_no_other_workspace_can_take_a_former_name_or_a_spelling_of_one(yard: Memory) -> None:
    manages(yard, RenameWorkspace("rename", "yard", "old-dock"))
    yard.in_("quay")
    for name in ("yard", "old-dock", "olddock", "o-l-d-dock"):
        with pytest.raises(InvalidInput):
            manages(yard, AddWorkspace("add", name))
        with pytest.raises(InvalidInput):
            manages(yard, RenameWorkspace("rename", "quay", name))
    for name in ("global", "inbox", "default", "Not A Slug", "-"):
        with pytest.raises(InvalidInput):
            manages(yard, RenameWorkspace("rename", "quay", name))
    assert not workspaces.ensure(yard.context, "yard")


def test_a_token_and_a_project_keep_their_workspace_when_it_is_renamed(yard: Memory, tmp_path: Path) -> None:
    (tmp_path / "boats" / ".git").mkdir(parents=True)
    assert workspaces.claim(yard.context, tmp_path / "boats") == "boats"
    with yard.app.store.write() as connection:
        secret = tokens.add(
            connection, tokens.NewToken("bot", "agent", read=["boats"]), uid=yard.context.uid(), now=yard.clock.now
        )
    manages(yard, RenameWorkspace("rename", "boats", "vessels"))
    assert workspaces.claim(yard.context, tmp_path / "boats") == "vessels"
    with yard.app.store.read() as connection:
        grant = tokens.find(connection, secret, yard.clock.now)
    assert grant is not None
    assert (grant.read, grant.default_workspace) == (frozenset({"vessels"}), "vessels")


def test_names_are_given_only_by_who_sees_them_all(yard: Memory) -> None:
    walled = yard.only("yard")
    lower = replace(yard.context, grant=replace(yard.context.grant, classes=frozenset({"internal"})))
    for context in (walled, lower):
        for do in (
            AddWorkspace("add", "quay"),
            RenameWorkspace("rename", "yard", "quay"),
            KeepSeparate("keep_separate", "quay", "yard"),
        ):
            with pytest.raises(InsufficientScope):
                manages(context, do)
        assert manages(context, SetWorkspace("set", "yard", isolation="strict")).workspaces
    with pytest.raises(InsufficientScope):
        manages(lower, SetWorkspace("set", "yard", data_class="restricted"))
    with pytest.raises(InsufficientScope):
        manages(as_level(yard, "owner"), ListWorkspaces("list"))


def test_names_that_are_kept_apart_are_never_taken_for_each_other_again(yard: Memory) -> None:
    yard.in_("harbour")
    assert manages(yard, Candidates("candidates", "harbuor")).candidates == ("harbour",)
    with pytest.raises(UnknownWorkspace, match="harbour"):
        workspaces.ensure(yard.context, "harbuor")
    manages(yard, KeepSeparate("keep_separate", "harbuor", "harbour"))
    assert manages(yard, Candidates("candidates", "harbuor")).candidates == ()
    assert workspaces.ensure(yard.context, "harbuor")
    assert manages(yard, ShowWorkspace("show", "harbour")).candidates == ()
    # A spelling, too, of a name that was kept apart.
    yard.in_("acme-web").keep("A web of its own.")
    assert yard.found("web", workspace="acmeweb") == ["A web of its own."]
    manages(yard, KeepSeparate("keep_separate", "acmeweb", "acme-web"))
    with pytest.raises(ForbiddenScope):
        yard.found("web", workspace="acmeweb")
    assert manages(yard, AddWorkspace("add", "acmeweb")).workspaces


def test_a_slip_of_a_former_name_is_told_as_one_of_the_name_that_it_leads_to(yard: Memory) -> None:
    yard.in_("harbour")
    manages(yard, RenameWorkspace("rename", "harbour", "boatyard"))
    assert manages(yard, Candidates("candidates", "harbuor")).candidates == ("boatyard",)
    assert manages(yard, Candidates("candidates", "harbour")).candidates == ()
    with pytest.raises(UnknownWorkspace, match="boatyard"):
        workspaces.ensure(yard.context, "harbuor")
    with pytest.raises(UnknownWorkspace, match="boatyard"):
        tell(yard, "The gate is blue.", workspace="harbuor")
    manages(yard, KeepSeparate("keep_separate", "harbuor", "boatyard"))
    assert manages(yard, Candidates("candidates", "harbuor")).candidates == ()
    assert workspaces.ensure(yard.context, "harbuor")


def test_what_was_kept_apart_can_be_one_again(yard: Memory) -> None:
    yard.in_("acme-web").keep("A web of its own.")
    manages(yard, KeepSeparate("keep_separate", "acmeweb", "acme-web"))
    back = KeepSeparate("keep_separate", "acmeweb", "acme-web", no_longer=True)
    manages(yard, back)
    assert yard.found("web", workspace="acmeweb") == ["A web of its own."]
    with pytest.raises(InvalidInput, match="not kept apart"):
        manages(yard, back)
    # Both ways, where both are there.
    yard.in_("harbour")
    yard.in_("harbuor")
    manages(yard, KeepSeparate("keep_separate", "harbuor", "harbour"))
    manages(yard, KeepSeparate("keep_separate", "harbour", "harbuor", no_longer=True))
    for one, other in (("harbour", "harbuor"), ("harbuor", "harbour")):
        assert manages(yard, ShowWorkspace("show", one)).candidates == (other,)


def test_a_name_that_two_workspaces_could_mean_means_neither(yard: Memory) -> None:
    yard.in_("acme-web")
    manages(yard, KeepSeparate("keep_separate", "acmeweb", "acme-web"))
    yard.in_("acmeweb")
    with pytest.raises(ForbiddenScope):
        yard.found("web", workspace="acme_w_e_b")


def test_a_slip_is_named_to_whoever_writes_and_taken_by_nobody(yard: Memory) -> None:
    yard.in_("harbour")
    with pytest.raises(UnknownWorkspace) as fault:
        tell(yard, "The gate is blue.", workspace="harbuor")
    assert "'harbour'" in fault.value.do_next
    with pytest.raises(ForbiddenScope) as walled:
        tell(yard.only("inbox", "yard"), "The gate is blue.", workspace="harbuor")
    assert "harbour" not in str(walled.value)


def test_what_is_set_is_undone_in_any_order_and_only_by_an_admin(yard: Memory) -> None:
    first = manages(yard, SetWorkspace("set", "yard", data_class="confidential")).action
    second = manages(yard, SetWorkspace("set", "yard", isolation="strict", data_class="restricted")).action
    assert first
    assert second
    with pytest.raises(InsufficientScope):
        ask(as_level(yard, "owner"), Undo("undo", first))
    decide(yard, Undo("undo", first))
    assert (yard.place().data_class, yard.place().isolation) == ("restricted", "strict")
    decide(yard, Undo("undo", second))
    assert (yard.place().data_class, yard.place().isolation) == ("internal", "none")


def test_an_archived_workspace_comes_back_and_a_merged_one_by_undoing(yard: Memory) -> None:
    manages(yard, ArchiveWorkspace("archive", "yard"), reason="over")
    assert yard.found("crane", workspace="*") == []
    assert "yard" not in [one.slug for one in manages(yard, ListWorkspaces("list")).workspaces]
    assert "yard" in [one.slug for one in manages(yard, ListWorkspaces("list", archived=True)).workspaces]
    with pytest.raises(UnknownWorkspace) as fault:
        tell(yard, "The gate is blue.")
    assert "restore yard" in fault.value.do_next
    manages(yard, RestoreWorkspace("restore", "yard"))
    assert yard.found("crane", workspace="*") == ["The crane is red."]
    with pytest.raises(InvalidInput):
        manages(yard, RestoreWorkspace("restore", "yard"))
    yard.in_("quay")
    confirmed(yard, MergeWorkspace("merge", "yard", "quay"))
    with pytest.raises(InvalidInput, match="Undo the merge"):
        manages(yard, RestoreWorkspace("restore", "yard"))


def test_global_is_never_strict_and_parts_of_every_store_keep_their_names(yard: Memory) -> None:
    for do in (
        SetWorkspace("set", "global", isolation="strict"),
        RenameWorkspace("rename", "inbox", "box"),
        ArchiveWorkspace("archive", "global"),
        SetWorkspace("set", "yard"),
    ):
        with pytest.raises(InvalidInput):
            manages(yard, do)


def test_forgetting_a_workspace_takes_its_former_names_along(yard: Memory) -> None:
    from muniment.errors import ConfirmationRequired
    from muniment.governance.forget import forget

    manages(yard, RenameWorkspace("rename", "yard", "zanzibar"))
    yard.in_("quay")
    manages(yard, KeepSeparate("keep_separate", "zanzibar", "quay"))
    with pytest.raises(ConfirmationRequired) as asked:
        forget(yard.context, ForgetRequest(workspace="zanzibar"))
    forget(yard.context, ForgetRequest(workspace="zanzibar", confirm=asked.value.confirm))
    assert manages(yard, Redirects("redirects")).redirects == ()
    assert workspaces.ensure(yard.context, "yard")  # the name is free again


def test_an_undone_merge_does_not_fill_what_was_forgotten(yard: Memory) -> None:
    from muniment.errors import ConfirmationRequired
    from muniment.governance.forget import forget

    yard.in_("quay")
    action = confirmed(yard, MergeWorkspace("merge", "yard", "quay")).action
    with pytest.raises(ConfirmationRequired) as asked:
        forget(yard.context, ForgetRequest(workspace="yard"))
    forget(yard.context, ForgetRequest(workspace="yard", confirm=asked.value.confirm))
    with pytest.raises((InvalidInput, NotFound)):
        decide(yard, Undo("undo", action))
    assert yard.found("crane", workspace="quay") == ["The crane is red."]


def test_a_new_name_is_confirmed_and_then_told_no_more(yard: Memory) -> None:
    from muniment.governance import notices

    workspaces.ensure(yard.context, "quay")
    manages(yard, ConfirmWorkspace("confirm", "quay"))
    assert notices.due(replace(yard, workspace="quay").context, None) is None
