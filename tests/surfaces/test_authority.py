"""Who may call what: every level, write mode and operation, on every surface, by one function. And what no request can say."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from typing import Any, get_args, get_type_hints

import pytest
from starlette.testclient import TestClient

from muniment.access import tokens
from muniment.app import App
from muniment.model.access import LEVEL_SCOPES
from muniment.surfaces.catalogue import OPERATIONS, Operation
from muniment.surfaces.http import build
from muniment.surfaces.served import labelled
from muniment.surfaces.stdio import Server
from tests.surfaces.conftest import BASE, bearer, token

INFO = {"name": "codex", "version": "1"}
MODES = ("direct", "propose", "add_only")
# Every operation, over MCP too, whatever an agent is shown by default.
ALL = "connect,recall,write,propose,govern,admin"
# A body that no operation takes: whoever may call is told so, whoever may not is told that first.
WRONG = {"no_such_field": 1}
# What a caller may not say of itself: authority, and provenance that follows from it.
IDENTITY = (
    "principal actor user user_id owner author client client_id agent token scope scopes level role zone trust_zone trust "
    "taint data_class on_behalf_of source_type door write_mode grant"
).split()


# The verbs that only read of operations that also write, written out once more.
READING = {
    "tokens": frozenset({"list", "grants", "profiles", "history"}),
    "workspaces": frozenset({"list", "show", "candidates", "redirects"}),
}


def verbs(operation: Operation) -> frozenset[str]:
    """What an operation can be asked to do, where its request says so by a verb."""
    do = get_type_hints(operation.request).get("do")
    return frozenset(get_args(get_type_hints(one)["verb"])[0] for one in get_args(do))


def expected(operation: Operation, level: str, mode: str) -> bool:
    """The table of the levels, written out once more and apart from the code that is tested."""
    scopes = {
        "viewer": "read",
        "agent": "read propose append",
        "operator": "read propose append write",
        "curator": "read propose curate",
        "owner": "read propose append write curate govern share",
        "admin": "read propose append write curate govern share admin",
    }[level].split()
    if mode != "direct":
        scopes = [one for one in scopes if one in ("read", "propose", "append")]
    match operation.name:
        case "search" | "fetch" | "recall" | "read" | "get_context" | "near" | "why" | "list_projects" | "stats" | "review":
            return "read" in scopes
        case "remember":
            return "append" in scopes
        case "ingest":
            return "append" in scopes and mode != "propose"
        case "propose_memory" | "search_memory":
            return "propose" in scopes and "write" not in scopes
        case "judge":
            return "write" in scopes
        case "govern" | "forget":
            return "govern" in scopes
        case "workspaces":
            return "admin" in scopes
        case _:
            return "share" in scopes


@contextmanager
def calling(app: App, secret: str, **flags: Any) -> Iterator[TestClient]:
    made = replace(app, settings=replace(app.settings, **({"http_toolsets": ALL} | flags)))
    with TestClient(build(made), base_url=BASE, headers=bearer(secret)) as client:
        yield client


def mcp(client: TestClient, method: str, **params: Any) -> dict[str, Any]:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return dict(client.post("/mcp", json=body, headers={"mcp-protocol-version": "2025-11-25"}).json())


def listed(client: TestClient) -> set[str]:
    return {one["name"] for one in mcp(client, "tools/list")["result"]["tools"]}


def code_of(client: TestClient, name: str) -> str:
    answer = mcp(client, "tools/call", name=name, arguments=WRONG)
    return str(answer["result"]["structuredContent"]["error"]["code"]) if "result" in answer else str(answer["error"])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("level", LEVEL_SCOPES)
def test_what_is_not_listed_is_refused_and_what_is_listed_is_not(app: App, level: str, mode: str) -> None:
    with calling(app, token(app, level, write_mode=mode)) as client:
        seen = listed(client)
        assert seen == {one.name for one in OPERATIONS if expected(one, level, mode)}
        for one in OPERATIONS:
            rest = client.post(f"/api/{one.name}", json=WRONG)
            refused = one.name not in seen
            assert (rest.status_code == 403) is refused, one.name
            if refused:
                assert rest.json()["error"]["code"] == "insufficient_scope"
                assert client.get(f"/api/{one.name}").status_code in ((403,) if one.read_only else (405,))
            # A client that may get a better token is told so by the status, before the protocol is looked at.
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": one.name, "arguments": WRONG}}
            call = client.post("/mcp", json=body, headers={"mcp-protocol-version": "2025-11-25"})
            told = call.text
            assert ("insufficient_scope" in told) is refused, one.name


@pytest.mark.parametrize("level", LEVEL_SCOPES)
def test_a_refusal_names_every_scope_that_is_needed(app: App, level: str) -> None:
    with calling(app, token(app, level)) as client:
        for one in OPERATIONS:
            if not expected(one, level, "direct"):
                challenge = client.post(f"/api/{one.name}", json=WRONG).headers["www-authenticate"]
                named = set(challenge.partition('scope="')[2].partition('"')[0].split())
                assert named == {*one.scopes, *one.also}, one.name


@pytest.mark.parametrize("level", LEVEL_SCOPES)
def test_a_server_that_only_reads_offers_and_does_nothing_else(app: App, level: str) -> None:
    secret = token(app, level)
    partly = set(READING)
    with calling(app, secret, read_only=True) as client:
        able = {one.name for one in OPERATIONS if expected(one, level, "direct")}
        assert listed(client) == {one.name for one in OPERATIONS if one.read_only or one.name in partly} & able
        for one in OPERATIONS:
            if not one.read_only and one.name not in partly & able:
                assert client.post(f"/api/{one.name}", json=WRONG).json()["error"]["code"] == "insufficient_scope"
                assert code_of(client, one.name) == "insufficient_scope"


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if verbs(one)], ids=lambda one: one.name)
def test_where_nothing_is_written_the_verbs_that_read_are_there_and_no_others(app: App, operation: Operation) -> None:
    reading = verbs(operation) if operation.read_only else READING.get(operation.name, frozenset())
    with calling(app, token(app, "admin"), read_only=True) as client:
        for verb in verbs(operation):
            asked = {"do": {"verb": verb}}
            rest = client.post(f"/api/{operation.name}", json=asked)
            over = mcp(client, "tools/call", name=operation.name, arguments=asked)["result"]["structuredContent"]
            for answer in (rest.json(), over):
                refused = answer.get("error", {}).get("code") == "insufficient_scope"
                assert refused is (verb not in reading), (verb, answer)
        shown = [one for one in mcp(client, "tools/list")["result"]["tools"] if one["name"] == operation.name]
        assert bool(shown) is bool(reading)
        for one in shown:
            named = {part["properties"]["verb"]["const"] for part in one["inputSchema"]["properties"]["do"]["oneOf"]}
            assert named == reading
            assert one["annotations"]["readOnlyHint"] is True
        for verb in reading & {"list", "grants", "profiles", "redirects"}:
            assert client.post(f"/api/{operation.name}", json={"do": {"verb": verb}}).status_code == 200


def test_where_nothing_is_written_the_local_agent_reads_alike(app: App) -> None:
    frames: list[Any] = []
    settings = replace(app.settings, stdio_toolsets="connect,govern,admin", read_only=True)
    server = Server(settings, frames.append)
    offered = {tool["name"] for tool in server.listing("tools/list")}
    assert offered == {"search", "fetch", "review"}, "an operator manages nothing, whatever is listed for it"
    for one in OPERATIONS:
        if not one.read_only:
            for verb in verbs(one):
                found = server.call(one.name, {"do": {"verb": verb}})
                assert found["structuredContent"]["error"]["code"] == "insufficient_scope", (one.name, verb)
    server.finish(10)


def test_a_server_that_only_reads_writes_not_even_when_a_token_was_used(app: App) -> None:
    secret = token(app, "admin")
    with calling(app, secret, read_only=True) as client:
        assert client.post("/api/stats", json={}).status_code == 200
    with app.store.read() as connection:
        assert [one.used_at for one in tokens.listing(connection)] == [None]


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one.name != "tokens"], ids=lambda one: one.name)
@pytest.mark.parametrize("surface", ["rest", "mcp"])
def test_no_argument_says_who_is_calling(app: App, operation: Operation, surface: str) -> None:
    with calling(app, token(app, "admin", write_mode="direct")) as client:
        known = named_in(operation.request)
        for name in IDENTITY:
            if name in known or operation.hidden_by:
                continue
            values = {name: "local"}
            if surface == "rest":
                answer = client.post(f"/api/{operation.name}", json=values).json()
            else:
                answer = mcp(client, "tools/call", name=operation.name, arguments=values)["result"]["structuredContent"]
            assert answer["error"]["code"] == "invalid_input", (operation.name, name)
            assert name in answer["error"]["message"], (operation.name, name)


def test_what_a_request_may_say_of_somebody_is_never_who_is_calling() -> None:
    said = {(one.name, name) for one in OPERATIONS for name in named_in(one.request) if name in IDENTITY}
    # Whom to forget, and whom a token is for, are what those calls are about.
    assert said == {("forget", "principal")}


def named_in(kind: Any) -> set[str]:
    """The fields of a request itself."""
    return {one.name for one in fields(kind)} if is_dataclass(kind) else set()


def test_a_verb_has_no_field_for_who_is_calling_either() -> None:
    for one in OPERATIONS:
        hints = get_type_hints(one.request)
        for kind in get_args(hints["do"]) if "do" in hints else ():
            extra = named_in(kind) & set(IDENTITY)
            # Who may change a memory from now on, how confidential a workspace is, and what a token is for.
            meant = {("govern", "level"), ("workspaces", "data_class")}
            assert one.name == "tokens" or {(one.name, name) for name in extra} <= meant, (kind, extra)


def author(client: TestClient, ref: str) -> str:
    """The client that the history of a memory names."""
    asked = client.post("/api/review", json={"do": {"verb": "history", "ref": ref}}).json()
    return str(asked["versions"][0].get("client"))


def test_the_client_is_the_label_of_the_token_else_what_the_client_says(app: App) -> None:
    static = "0123456789abcdef0123456789abcdef"
    header = {"x-muniment-client": "a script"}
    with calling(app, token(app, "owner")) as client:
        kept = client.post("/api/remember", json={"text": "The crane is blue."}, headers=header).json()
        assert author(client, kept["ref"]) == "test"
    with calling(app, static, static_token=static, static_token_level="owner") as client:
        kept = client.post("/api/remember", json={"text": "The crane is red."}, headers=header).json()
        assert author(client, kept["ref"]) == "a script"
        key = "io.modelcontextprotocol/"
        meta = {key + "protocolVersion": "2026-07-28", key + "clientCapabilities": {}, key + "clientInfo": INFO}
        params = {"name": "remember", "arguments": {"text": "The crane is green."}, "_meta": meta}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        said = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "remember"}
        found = client.post("/mcp", json=body, headers=header | said).json()["result"]["structuredContent"]
        assert author(client, found["ref"]) == "codex"


def test_what_a_client_says_is_provenance_and_changes_no_right(app: App) -> None:
    secret = token(app, "viewer")
    with app.store.read() as connection:
        grant = tokens.find(connection, secret, app.context().now())
    assert grant is not None
    bare = replace(grant, client=None)
    assert labelled(grant, "codex", "script") == grant
    assert labelled(bare, "codex", "script") == replace(bare, client="codex")
    assert labelled(bare, None, " script\x00 ").client == "script"
    assert labelled(bare, "", None) == bare
    assert len(labelled(bare, "x" * 5000).client or "") == 200


def test_a_use_is_noted_at_most_once_a_minute(app: App) -> None:
    secret = token(app, "viewer")
    with calling(app, secret) as client:
        for _ in range(3):
            assert client.post("/api/stats", json={}).status_code == 200
    with app.store.write() as connection:
        (one,) = tokens.listing(connection)
        assert one.used_at is not None
        grant = tokens.find(connection, secret, app.context().now())
        assert grant is not None
        assert grant.token is not None
        for later, seen in ((tokens.USE_MS, one.used_at), (tokens.USE_MS + 1, one.used_at + tokens.USE_MS + 1)):
            tokens.used(connection, grant.token, one.used_at + later)
            assert tokens.listing(connection)[0].used_at == seen


def test_no_request_waits_until_a_use_is_written(app: App) -> None:
    with calling(app, token(app, "viewer")) as client:
        done = threading.Event()

        def hold() -> None:
            with app.store.write():
                done.wait(10)

        writer = threading.Thread(target=hold)
        writer.start()
        began = time.monotonic()
        try:
            for _ in range(5):
                assert client.post("/api/list_projects", json={}).status_code == 200
            assert time.monotonic() - began < 5
        finally:
            done.set()
            writer.join()


def test_a_token_that_ends_ends_at_once(app: App) -> None:
    secret = token(app, "viewer")
    with calling(app, secret) as client:
        assert client.post("/api/stats", json={}).status_code == 200
        with app.store.write() as connection:
            tokens.revoke(connection, tokens.listing(connection)[0].ref, app.context().now())
        assert client.post("/api/stats", json={}).status_code == 401
