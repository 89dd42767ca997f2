"""Calls with an impact: over REST and at both doors of MCP the same error asks for a confirmation, which is good once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from muniment.app import App
from muniment.settings import Settings
from muniment.surfaces.http import build
from muniment.surfaces.stdio import Server
from tests.surfaces.conftest import BASE, bearer, token

TEXT = "The crane lifts eight tons."
Ask = Callable[[str, dict[str, Any]], dict[str, Any]]


@pytest.fixture(params=["rest", "mcp", "stdio"])
def ask(request: pytest.FixtureRequest, app: App, configured: Callable[..., Settings]) -> Iterator[Ask]:
    """A door that an owner goes through."""
    with TestClient(build(app), base_url=BASE, headers=bearer(token(app, "owner"))) as web:
        local = Server(configured(stdio_toolsets="recall,write,govern"), lambda frame: None)

        def called(name: str, values: dict[str, Any]) -> dict[str, Any]:
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": values}}
            if request.param == "rest":
                return dict(web.post(f"/api/{name}", json=values).json())
            answer = web.post("/mcp", json=message).json() if request.param == "mcp" else local._peer.respond(message)
            assert answer is not None
            shown = answer["result"]["structuredContent"]
            assert answer["result"]["isError"] is ("error" in shown)
            assert json.loads(answer["result"]["content"][0]["text"]) == shown
            return dict(shown)

        yield called
        local.finish(10)


def test_the_impact_comes_first_and_its_confirmation_is_good_once(ask: Ask) -> None:
    ref = ask("remember", {"text": TEXT})["ref"]
    contain = {"do": {"verb": "contain", "target": ref}, "reason": "made up"}
    error = ask("govern", contain)["error"]
    assert error["code"] == "confirmation_required"
    assert TEXT in error["impact"]
    assert ask("read", {"ref": ref})["records"][0]["state"] == "active"
    done = ask("govern", contain | {"confirm": error["confirm"]})
    assert done["changed"] == [ref]
    assert ask("read", {"ref": ref})["records"][0]["state"] == "archived"
    again = ask("govern", contain | {"confirm": error["confirm"]})["error"]
    assert again["code"] == "invalid_input"


def test_a_confirmation_is_bound_to_what_it_was_given_for(ask: Ask) -> None:
    one, two = ask("remember", {"text": TEXT})["ref"], ask("remember", {"text": "The quay is dry."})["ref"]
    error = ask("govern", {"do": {"verb": "contain", "target": one}, "reason": "made up"})["error"]
    other = {"do": {"verb": "contain", "target": two}, "reason": "made up", "confirm": error["confirm"]}
    assert ask("govern", other)["error"]["code"] == "invalid_input"
    ask("remember", {"op": "update", "target": one, "text": "The crane lifts nine tons.", "expected_version": 1})
    late = {"do": {"verb": "contain", "target": one}, "reason": "made up", "confirm": error["confirm"]}
    assert ask("govern", late)["error"]["code"] == "invalid_input"
    assert ask("read", {"ref": one})["records"][0]["state"] == "active"


def test_an_impact_has_a_status_of_its_own(app: App) -> None:
    with TestClient(build(app), base_url=BASE, headers=bearer(token(app, "owner"))) as web:
        ref = web.post("/api/remember", json={"text": TEXT}).json()["ref"]
        contain = {"do": {"verb": "contain", "target": ref}, "reason": "made up"}
        assert web.post("/api/govern", json=contain).status_code == 428


def test_no_token_confirms_in_the_name_of_a_person(ask: Ask) -> None:
    ref = ask("remember", {"text": TEXT})["ref"]
    confirm = {"do": {"verb": "confirm", "target": ref, "expected_version": 1}, "reason": "I am sure"}
    error = ask("govern", confirm)["error"]
    assert error["code"] == "protected_target"
    assert "`muniment govern confirm`" in error["do_next"]
    held = ask("read", {"ref": ref})["records"][0]
    assert (held["version"], held["provenance"]["source_type"]) == (1, "agent_generated")


def test_an_approval_that_cannot_be_applied_is_an_error(app: App) -> None:
    with TestClient(build(app), base_url=BASE, headers=bearer(token(app, "owner"))) as web:
        kept = web.post("/api/remember", json={"text": TEXT}).json()["ref"]
        away = {"op": "archive", "target": kept, "expected_version": 1}
        assert web.post("/api/remember", json=away).status_code == 200
        change = {"project_id": "inbox", "request_id": "r", "change": {"op": "add_fact", "text": TEXT}}
        ref = web.post("/api/propose_memory", json=change, headers=bearer(token(app, "agent"))).json()["proposal_id"]
        answer = web.post("/api/govern", json={"do": {"verb": "approve", "proposal": ref}, "reason": "seen"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_input")
        assert "so is rejected" in answer.json()["error"]["message"]
        assert web.get("/api/read", params={"ref": ref}).json()["records"][0]["state"] == "rejected"


def test_what_a_person_locked_is_refused_alike(ask: Ask, app: App) -> None:
    from dataclasses import replace

    from muniment.ingest.remember import remember
    from muniment.model.writing import RememberRequest

    person = replace(app.context(), door="cli")
    ref = remember(person, RememberRequest(text=TEXT)).ref
    change = {"op": "update", "target": ref, "text": "The crane lifts nine tons.", "expected_version": 1}
    assert ask("remember", change)["error"]["code"] == "protected_target"
