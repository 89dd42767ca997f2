"""A token that is too small: what it is not shown it cannot call either, by any door."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from muniment.access import tokens
from muniment.app import App, create_app
from muniment.model.access import LEVEL_SCOPES
from muniment.surfaces import rpc
from muniment.surfaces.catalogue import OPERATIONS, Operation
from muniment.surfaces.http import build
from muniment.surfaces.offer import allowed
from muniment.surfaces.prompts import PROMPTS
from muniment.surfaces.rest import PATH
from tests.surfaces.browser import Client, Person
from tests.surfaces.browser import tokens as granted
from tests.surfaces.conftest import BASE, bearer, token
from tests.surfaces.oauth.test_flow import call
from tests.surfaces.test_authority import verbs

LEVELS = tuple(LEVEL_SCOPES)
MODES = ("direct", "propose", "add_only")


def ask(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def listed(machine: TestClient, held: dict[str, str]) -> set[str]:
    answer = machine.post("/mcp", json=ask("tools/list"), headers=held)
    return {tool["name"] for tool in answer.json()["result"]["tools"]}


def refused(answer: dict[str, Any]) -> bool:
    """Whether a call was refused for what the token is, and not for what the call says."""
    result = answer["result"]
    return bool(result.get("isError")) and result["structuredContent"]["error"]["code"] == "insufficient_scope"


def wanted(operation: Operation) -> set[str]:
    return {*operation.scopes, *operation.also}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("level", LEVELS)
def test_a_tool_that_is_hidden_cannot_be_called_and_its_twin_neither(
    machine: TestClient, app: App, level: str, mode: str
) -> None:
    secret = token(app, level, write_mode=mode)
    held = bearer(secret)
    with app.store.read() as connection:
        found = tokens.find(connection, secret, app.context().now())
    assert found is not None
    assert found.scopes <= LEVEL_SCOPES[level]
    shown = listed(machine, held)
    assert "recall" in shown
    for operation in OPERATIONS:
        sent = machine.post("/mcp", json=call(operation.name), headers=held)
        assert sent.status_code == 200
        if operation.name not in shown:
            assert refused(sent.json()), f"{operation.name} is hidden from {level}, {mode}"
        may = allowed(operation, found.scopes, None, read_only=False, mode=found.write_mode)
        assert may or operation.name not in shown, "the list shows nothing that REST refuses"
        methods = ["POST", "GET"] if operation.read_only else ["POST"]
        for method in methods:
            body = {"json": {}} if method == "POST" else {}
            twin = machine.request(method, PATH + operation.name, headers=held, **body)
            if may:
                assert twin.status_code not in (401, 403) or twin.json()["error"]["code"] != "insufficient_scope"
                continue
            assert twin.status_code == 403, (operation.name, method)
            error = twin.json()["error"]
            assert error["code"] == "insufficient_scope"
            if not found.scopes & set(operation.hidden_by) and mode == "direct":
                assert all(scope in error["message"] for scope in wanted(operation)), error["message"]


def test_a_server_that_only_reads_takes_nothing_from_the_largest_token(configured: Any, app: App) -> None:
    there = create_app(configured(read_only=True))
    held = bearer(token(app, "admin"))
    with TestClient(build(there), base_url=BASE) as machine:
        shown = listed(machine, held)
        for operation in OPERATIONS:
            for verb in verbs(operation) - set(operation.reading):
                if not operation.read_only:
                    asked = {"do": {"verb": verb}}
                    assert refused(machine.post("/mcp", json=call(operation.name, **asked), headers=held).json()), verb
                    assert machine.post(PATH + operation.name, json=asked, headers=held).status_code == 403
            if not operation.read_only and not operation.reading:
                assert operation.name not in shown
                assert refused(machine.post("/mcp", json=call(operation.name), headers=held).json())
                assert machine.post(PATH + operation.name, json={}, headers=held).status_code == 403
    there.close()


@pytest.mark.parametrize("level", LEVELS)
def test_prompts_and_resources_follow_the_same_rule(machine: TestClient, app: App, level: str) -> None:
    held = bearer(token(app, level))
    told = machine.post("/mcp", json=ask("prompts/list"), headers=held).json()["result"]["prompts"]
    names = {one["name"] for one in told}
    for prompt in PROMPTS:
        got = machine.post("/mcp", json=ask("prompts/get", name=prompt.name), headers=held).json()
        assert ("result" in got) is (prompt.name in names), prompt.name
        assert allowed(prompt, LEVEL_SCOPES[level], None, read_only=False) or prompt.name not in names


def test_where_reading_is_not_offered_nothing_is_opened_by_its_address(configured: Any, app: App) -> None:
    """The address of a record is no second way around a narrowed server."""
    there = create_app(configured(toolsets="write"))
    held = bearer(token(app, "admin"))
    with TestClient(build(there), base_url=BASE) as machine:
        ref = machine.post("/api/remember", json={"text": "The crane is green."}, headers=held).json()["ref"]
        assert machine.post("/mcp", json=ask("resources/list"), headers=held).json()["result"]["resources"] == []
        assert (
            machine.post("/mcp", json=ask("resources/templates/list"), headers=held).json()["result"]["resourceTemplates"] == []
        )
        for uri in (f"muniment://record/{ref}", "muniment://brief/default", "muniment://brief/inbox"):
            got = machine.post("/mcp", json=ask("resources/read", uri=uri), headers=held).json()
            assert got["error"]["message"].startswith(rpc.NO_RESOURCE[:20])
            assert "green" not in str(got)
        for path in ("/r/" + ref, f"/api/read?ref={ref}", "/api/recall?query=crane", f"/api/fetch?id={ref}"):
            got = machine.get(path, headers=held)
            assert got.status_code == 403, path
            assert "green" not in got.text
    there.close()


def test_what_the_protocol_has_and_we_do_not_offer_is_unknown_to_every_token(machine: TestClient, app: App) -> None:
    """Completion, subscription, logging and tasks would each be a door of its own."""
    for level in ("viewer", "admin"):
        for method in (
            "completion/complete",
            "resources/subscribe",
            "logging/setLevel",
            "sampling/createMessage",
            "roots/list",
            "tasks/list",
            "tools/Call",
            "admin/tokens",
        ):
            got = machine.post("/mcp", json=ask(method), headers=bearer(token(app, level))).json()
            assert "error" in got, method


def test_a_403_for_a_token_of_oauth_names_every_scope_that_the_next_one_has_to_have(
    machine: TestClient, person: Person, client: Client
) -> None:
    held = bearer(granted(person, client, scope="read")["access_token"])
    for ask_it in (
        lambda: machine.post("/api/remember", json={"text": "x"}, headers=held),
        lambda: machine.post("/mcp", json=call("remember", text="x"), headers=held),
    ):
        answer = ask_it()
        assert answer.status_code == 403
        told = answer.headers["www-authenticate"]
        assert 'error="insufficient_scope"' in told
        scopes = set(told.split('scope="')[1].split('"')[0].split())
        assert {"read", "append"} <= scopes, "what it has and what it needs"
        assert "resource_metadata=" in told


@pytest.mark.parametrize("level", ["viewer", "agent", "operator"])
def test_the_shared_token_is_as_small_as_its_level(configured: Any, app: App, level: str) -> None:
    """The one of the settings, which is no row of the store."""
    secret = "a shared token of more than enough characters"
    there = create_app(configured(static_token=secret, static_token_level=level))
    with TestClient(build(there), base_url=BASE) as machine:
        shown = listed(machine, bearer(secret))
        for operation in OPERATIONS:
            if operation.name not in shown:
                assert refused(machine.post("/mcp", json=call(operation.name), headers=bearer(secret)).json())
            if not allowed(operation, LEVEL_SCOPES[level], None, read_only=False):
                assert machine.post(PATH + operation.name, json={}, headers=bearer(secret)).status_code == 403
    there.close()
