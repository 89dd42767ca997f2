"""Write modes on every way in: what is only proposed changes nothing, what is only added leaves all that is there as it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from muniment.access import tokens
from muniment.context import Context
from muniment.errors import InsufficientScope
from muniment.governance.conflicts import judge
from muniment.governance.forget import forget
from muniment.governance.govern import govern
from muniment.ingest.ingest import ingest
from muniment.ingest.remember import remember
from muniment.model.access import LEVEL_SCOPES, WriteMode
from muniment.model.governing import ForgetRequest, GovernRequest, JudgeRequest, Retire
from muniment.model.writing import DocumentIn, IngestRequest, RememberAnswer, RememberRequest, TurnIn
from tests.makers import Memory

FEE = "The harbour fee is 40 crowns."
MODES: tuple[WriteMode, ...] = ("propose", "add_only")


def bearer(memory: Memory, level: str, mode: WriteMode, **more: Any) -> Context:
    """The context of a caller with a real token of that level and mode."""
    context = memory.context
    with memory.app.store.write() as connection:
        new = tokens.NewToken(f"{level}-{mode}", level, write_mode=mode, **more)
        secret = tokens.add(connection, new, uid=context.uid(), now=context.now())
        grant = tokens.find(connection, secret, context.now())
    assert grant is not None
    return replace(context, grant=grant)


def tell(context: Context, text: str | None = None, **more: Any) -> RememberAnswer:
    return remember(context, RememberRequest(text=text, **more))


@pytest.mark.parametrize("level", ["agent", "operator", "owner", "admin"])
@pytest.mark.parametrize(
    "change",
    [
        {"op": "update", "text": "The harbour fee is 60 crowns."},
        {"op": "supersede", "text": "The harbour fee is 60 crowns."},
        {"op": "reject"},
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_a_change_becomes_a_proposal(memory: Memory, mode: WriteMode, change: dict[str, Any], level: str) -> None:
    ref = memory.keep(FEE)
    answer = tell(bearer(memory, level, mode), target=ref, expected_version=1, **change)
    assert answer.outcome == "queued"
    assert answer.proposal_id
    assert memory.version(ref) == 1
    assert memory.found("harbour fee") == [FEE]


def test_what_is_new_is_a_proposal_too_where_one_only_proposes(memory: Memory) -> None:
    context = bearer(memory, "operator", "propose")
    for more in ({"op": "add"}, {"op": "open_thread"}):
        answer = tell(context, f"Somebody painted the crane ({more['op']}).", **more)
        assert (answer.outcome, bool(answer.proposal_id)) == ("queued", True)
    assert memory.found("Who painted the crane?") == []
    outside = bearer(memory, "agent", "propose", zone="untrusted")
    assert tell(outside, "Somebody moved the crane.").outcome == "quarantined"


def test_what_is_new_is_kept_where_one_only_adds(memory: Memory) -> None:
    context = bearer(memory, "operator", "add_only")
    assert tell(context, FEE).outcome == "applied"
    assert tell(context, FEE).outcome == "duplicate"
    said = IngestRequest(session="s", turns=(TurnIn("Ann", "The jetty is closed today."),))
    assert ingest(context, said).added == 1
    assert len(memory.found("jetty")) == 1


@pytest.mark.parametrize("mode", MODES)
def test_a_change_that_no_proposal_can_hold_is_refused(memory: Memory, mode: WriteMode) -> None:
    ref, gone = memory.keep(FEE), memory.keep("The old pier is open.")
    memory.archive(gone)
    context = bearer(memory, "owner", mode)
    for change in (
        {"op": "archive", "target": ref, "expected_version": 1},
        {"op": "restore", "target": gone, "expected_version": memory.version(gone)},
        {"op": "update", "target": ref, "expected_version": 1, "subject": "fees"},
    ):
        with pytest.raises(InsufficientScope):
            tell(context, **change)
    assert memory.found("harbour fee") == [FEE]


def test_who_may_not_even_propose_is_refused(memory: Memory) -> None:
    ref = memory.keep(FEE)
    for mode in MODES:
        context = bearer(memory, "operator", mode)
        mute = replace(context, grant=replace(context.grant, scopes=frozenset({"read", "append"})))
        with pytest.raises(InsufficientScope):
            tell(mute, "Free.", op="update", target=ref, expected_version=1)
        if mode == "propose":
            with pytest.raises(InsufficientScope, match="propose"):
                tell(mute, "A new crane came.")


def test_conversations_and_documents_are_nothing_to_propose(memory: Memory) -> None:
    context = bearer(memory, "operator", "propose")
    said = IngestRequest(session="s", turns=(TurnIn("Ann", "The jetty is closed today."),))
    for request in (said, IngestRequest(jsonl="{}"), IngestRequest(document=DocumentIn("The jetty is long."))):
        with pytest.raises(InsufficientScope, match="only proposes"):
            ingest(context, request)
    assert memory.found("jetty") == []


def test_a_document_is_added_and_none_replaced_where_one_only_adds(memory: Memory) -> None:
    context = bearer(memory, "operator", "add_only")
    first = DocumentIn("The jetty is long.", url="https://harbour.example/jetty")
    assert ingest(context, IngestRequest(document=first)).added == 1
    with pytest.raises(InsufficientScope):
        ingest(context, IngestRequest(document=replace(first, text="The jetty is short.")))
    assert memory.found("jetty") == ["The jetty is long."]
    ingest(memory.context, IngestRequest(document=replace(first, text="The jetty is short.")))
    with pytest.raises(InsufficientScope):
        ingest(context, IngestRequest(document=first))
    assert memory.found("jetty") == ["The jetty is short."]


@pytest.mark.parametrize("mode", MODES)
def test_who_changes_nothing_directly_decides_nothing(memory: Memory, mode: WriteMode) -> None:
    ref = memory.keep(FEE)
    for level in LEVEL_SCOPES:
        context = bearer(memory, level, mode)
        assert context.grant.scopes <= {"read", "propose", "append"}
        assert context.grant.scopes >= LEVEL_SCOPES[level] & {"read", "propose", "append"}
        with pytest.raises(InsufficientScope):
            govern(context, GovernRequest(do=Retire("retire", ref, 1, how="wrong"), reason="no"))
        with pytest.raises(InsufficientScope):
            forget(context, ForgetRequest(ref=ref))
        with pytest.raises(InsufficientScope):
            judge(context, JudgeRequest("c_" + "0" * 26, "defer", "later"))
    assert memory.found("harbour fee") == [FEE]


def test_a_grant_gets_nothing_back_that_its_mode_took_away(memory: Memory) -> None:
    grant = bearer(memory, "admin", "add_only").grant
    widened = replace(grant, scopes=LEVEL_SCOPES["admin"])
    assert widened.scopes == {"read", "propose", "append"}
