"""REST against the whole server in process: the same answers as everywhere, and one shape of error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from muniment.app import App, create_app
from muniment.governance.registry import manage
from muniment.model.workspaces import ArchiveWorkspace, WorkspacesRequest
from muniment.settings import Settings
from muniment.surfaces.catalogue import OPERATIONS, named
from muniment.surfaces.http import build
from muniment.surfaces.rest import from_query
from tests.surfaces.conftest import BASE, bearer, token, workspace

SAID = "The winter berth costs a deposit of 400 euros."


def remember(web: TestClient, text: str = SAID, **more: Any) -> str:
    answer = web.post("/api/remember", json={"text": text, **more})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["ref"])


def test_what_is_remembered_is_recalled_by_post_and_get_alike(web: TestClient) -> None:
    ref = remember(web)
    posted = web.post("/api/recall", json={"query": "winter berth deposit", "filter": {"kind": ["fact"]}}).json()
    asked = {"query": "winter berth deposit", "filter.kind": "fact"}
    got = web.get("/api/recall", params=asked).json()
    assert posted["results"][0]["ref"] == ref
    posted["meta"].pop("took_ms", None)
    got["meta"].pop("took_ms", None)
    assert posted == got


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_operation_has_a_post_and_a_get_only_to_read(app: App, web: TestClient, operation: Any) -> None:
    path = f"/api/{operation.name}"
    level = "curator" if operation.hidden_by else "admin" if operation.toolset == "admin" else "owner"
    web.headers.update(bearer(token(app, level)))
    assert web.post(path, json={"no": 1}).status_code == 400
    assert web.get(path, params={"no": 1}).status_code == (400 if operation.read_only else 405)
    for method in ("PUT", "PATCH", "DELETE"):
        assert web.request(method, path).status_code == 405


def test_an_error_has_one_shape(web: TestClient) -> None:
    for answer in (
        web.post("/api/recall", json={"limt": 1}),
        web.get("/api/recall?limt=1"),
        web.get("/api/nothing"),
        web.get("/nothing"),
        web.put("/api/recall"),
        web.get("/api/fetch?id=m_none"),
        web.post("/api/recall", json={"workspace": "elsewhere"}),
    ):
        error = answer.json()["error"]
        assert set(error) == {"code", "message", "do_next"}
        assert 400 <= answer.status_code < 500


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"]
)
def test_a_body_that_is_not_declared_as_json_is_refused(web: TestClient, kind: str) -> None:
    answer = web.post("/api/remember", content=json.dumps({"text": SAID}), headers={"content-type": kind})
    assert answer.status_code == 415


@pytest.mark.parametrize(
    "content", [b"[" * 100_000, b'{"query":' * 5000, b"{", b"\xff", b'{"limit": NaN}', b"[]", b"1", b"null"]
)
def test_a_hostile_body_is_a_client_error(web: TestClient, content: bytes) -> None:
    for path in ("/api/recall", "/api/ingest"):
        answer = web.post(path, content=content, headers={"content-type": "application/json; charset=utf-8"})
        assert answer.status_code in (400, 413)


def test_a_post_takes_nothing_from_the_address(web: TestClient) -> None:
    assert web.post("/api/recall?query=x", json={}).status_code == 400


def test_paging_goes_on_where_the_last_page_ended(web: TestClient) -> None:
    for number in range(5):
        remember(web, f"Berth {number} lies on pier {number * 7}.")
    seen, cursor = [], None
    for _ in range(3):
        page = web.get("/api/recall", params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        seen += [hit["ref"] for hit in page["results"]]
        cursor = page.get("cursor")
    assert len(seen) == len(set(seen)) == 5
    assert cursor is None
    assert web.get("/api/recall?cursor=nonsense").json()["error"]["code"] == "invalid_cursor"


def test_a_record_is_tagged_by_its_version(web: TestClient) -> None:
    ref = remember(web)
    first = web.get("/api/read", params={"ref": ref})
    tag = first.headers["etag"]
    assert tag.startswith('"1-')
    same = web.get("/api/read", params={"ref": ref}, headers={"if-none-match": f'"x", W/{tag}'})
    assert (same.status_code, same.content) == (304, b"")
    web.post("/api/remember", json={"op": "update", "target": ref, "expected_version": 1, "text": "It costs 500 euros."})
    later = web.get("/api/read", params={"ref": ref}, headers={"if-none-match": tag})
    assert later.status_code == 200
    assert later.headers["etag"].startswith('"2-')
    web.post("/api/remember", json={"op": "archive", "target": ref, "expected_version": 2})
    assert web.get("/api/read", params={"ref": ref}).headers["etag"] != later.headers["etag"]


def test_an_if_match_stands_for_the_expected_version(web: TestClient) -> None:
    ref = remember(web)
    tag = web.get("/api/read", params={"ref": ref}).headers["etag"]
    change = {"op": "update", "target": ref, "text": "It costs 500 euros."}
    assert web.post("/api/remember", json=change, headers={"if-match": tag}).json()["version"] == 2
    late = web.post("/api/remember", json=change | {"text": "600"}, headers={"if-match": tag})
    assert (late.status_code, late.json()["error"]["code"]) == (409, "stale_version")
    assert web.post("/api/remember", json=change | {"text": "700"}, headers={"if-match": '"2"'}).json()["version"] == 3


@pytest.mark.parametrize(
    ("path", "values", "header"),
    [
        ("remember", {"op": "update", "target": "m_x", "text": "x", "expected_version": 2}, '"1-ab"'),
        ("remember", {"text": "x"}, '"1-ab"'),
        ("remember", {"op": "update", "target": "m_x", "text": "x"}, "1"),
        ("remember", {"op": "update", "target": "m_x", "text": "x"}, '"1-ab", "2-ab"'),
        ("recall", {"query": "x"}, '"1-ab"'),
    ],
)
def test_an_if_match_that_fits_nothing_is_refused(web: TestClient, path: str, values: Any, header: str) -> None:
    answer = web.post(f"/api/{path}", json=values, headers={"if-match": header})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_input")


def test_a_verb_is_asked_for_in_the_query_string(web: TestClient) -> None:
    ref = remember(web)
    posted = web.post("/api/review", json={"do": {"verb": "history", "ref": ref}})
    assert web.get("/api/review", params={"do.verb": "history", "do.ref": ref}).json() == posted.json()
    wrong = web.get("/api/review", params={"do.verb": "histry", "do.ref": ref}).json()["error"]
    assert "did you mean history" in wrong["message"]


def test_an_edit_of_an_old_version_is_a_conflict(web: TestClient) -> None:
    ref = remember(web)
    stale = {"op": "update", "target": ref, "expected_version": 7, "text": "x"}
    answer = web.post("/api/remember", json=stale)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "stale_version")


# --- what a token may do ------------------------------------------------------------------------------------------


@pytest.fixture
def walled(app: App) -> Iterator[TestClient]:
    """A token that may only read and write `alpha`."""
    workspace(app, "alpha")
    workspace(app, "beta")
    with TestClient(build(app), base_url=BASE, headers=bearer(token(app, "agent", read=["alpha"]))) as client:
        yield client


def test_a_token_for_one_workspace_sees_no_other(walled: TestClient, app: App) -> None:
    open_ = bearer(token(app))
    ref = walled.post("/api/remember", json={"text": "Beta ships on Friday.", "workspace": "beta"}, headers=open_).json()["ref"]
    assert [one["project_id"] for one in walled.get("/api/list_projects").json()["projects"]] == ["alpha"]
    for body in ({"workspace": "beta"}, {"workspace": ["alpha", "beta"]}, {"workspace": "nowhere"}):
        refused = walled.post("/api/recall", json={"query": "Friday", **body})
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden_scope")
    assert walled.post("/api/recall", json={"query": "ships Friday", "workspace": "*"}).json()["results"] == []
    assert walled.get("/api/search?query=Friday").json() == {"results": []}
    assert walled.get("/api/read", params={"ref": ref}).status_code == 404
    assert walled.get("/api/fetch", params={"id": ref}).status_code == 404
    assert walled.get(f"/r/{ref}").status_code == 404
    assert walled.post("/api/remember", json={"text": "x", "workspace": "beta"}).status_code == 403


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("recall", {"query": "x", "workspace": "NAME"}),
        ("recall", {"query": "x", "workspace": ["alpha", "NAME"]}),
        ("get_context", {"project_id": "NAME"}),
        ("near", {"entity": "Friday", "workspace": "NAME"}),
        ("why", {"from": "Friday", "to": "Monday", "workspace": "NAME"}),
        ("stats", {"workspace": "NAME"}),
        ("review", {"do": {"verb": "overview"}, "workspace": "NAME"}),
        ("remember", {"text": "x", "workspace": "NAME"}),
        ("ingest", {"document": {"text": "x"}, "workspace": "NAME"}),
        (
            "propose_memory",
            {"project_id": "NAME", "request_id": "a", "change": {"op": "add_fact", "text": "x"}},
        ),
        ("search_memory", {"project_id": "NAME", "query": "x"}),
    ],
)
def test_a_foreign_an_archived_and_an_absent_workspace_get_one_answer(
    walled: TestClient, app: App, name: str, body: dict[str, Any]
) -> None:
    workspace(app, "retired")
    manage(app.context(), WorkspacesRequest(ArchiveWorkspace("archive", "retired")))
    said = set()
    for slug in ("beta", "retired", "nowhere"):
        answer = walled.post(f"/api/{name}", json=json.loads(json.dumps(body).replace("NAME", slug)))
        headers = {key: value for key, value in answer.headers.items() if key not in ("content-length", "date", "x-request-id")}
        said.add((answer.status_code, answer.text.replace(slug, "X"), str(headers)))
    assert len(said) == 1, said
    assert "forbidden_scope" in said.pop()[1]


def test_what_is_there_and_what_is_not_look_alike_behind_a_wall(walled: TestClient, app: App) -> None:
    there = walled.post("/api/recall", json={"workspace": "beta"}).json()["error"]
    missing = walled.post("/api/recall", json={"workspace": "zeta"}).json()["error"]
    assert there["message"].replace("beta", "") == missing["message"].replace("zeta", "")


def test_a_narrow_token_writes_to_its_own_workspace(walled: TestClient) -> None:
    assert walled.post("/api/remember", json={"text": SAID}).json()["workspace"] == "alpha"


def test_a_tokens_own_workspace_comes_before_the_servers(configured: Callable[..., Settings], app: App) -> None:
    workspace(app, "alpha")
    workspace(app, "beta")
    other = create_app(configured(workspace="beta"))
    for limits, place in (({"default_workspace": "alpha"}, "alpha"), ({}, "beta")):
        with TestClient(build(other), base_url=BASE, headers=bearer(token(other, **limits))) as client:
            assert client.post("/api/remember", json={"text": SAID}).json()["workspace"] == place


def test_a_reading_token_is_told_every_scope_that_writing_needs(app: App) -> None:
    with TestClient(build(app), base_url=BASE, headers=bearer(token(app, "viewer"))) as client:
        answer = client.post("/api/remember", json={"text": SAID})
        assert answer.status_code == 403
        assert answer.headers["www-authenticate"] == 'Bearer error="insufficient_scope", scope="append write"'
        assert client.post("/api/recall", json={"query": "berth"}).status_code == 200


@pytest.mark.parametrize("flags", [{"toolsets": "connect"}, {"read_only": True}])
def test_a_narrowed_server_refuses_what_it_does_not_offer(configured: Callable[..., Settings], app: App, flags: Any) -> None:
    narrow = create_app(configured(**flags))
    with TestClient(build(narrow), base_url=BASE, headers=bearer(token(narrow, "admin"))) as client:
        assert client.get("/api/search?query=x").status_code == 200
        assert client.post("/api/remember", json={"text": SAID}).json()["error"]["code"] == "insufficient_scope"
        assert client.get("/readyz").status_code == 200


def test_the_client_of_a_record_is_the_tokens_label(web: TestClient) -> None:
    ref = remember(web)
    assert web.get("/api/read", params={"ref": ref}).json()["records"][0]["provenance"]["client"] == "test"


def test_twenty_calls_at_once_are_all_answered(web: TestClient) -> None:
    def call(number: int) -> int:
        if number % 2:
            return web.post("/api/remember", json={"text": f"Buoy {number} is painted in colour {number}."}).status_code
        return web.get("/api/recall", params={"query": f"buoy {number}"}).status_code

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(call, range(20))) == [200] * 20
    assert web.get("/api/stats").json()["memories"] == 10


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ("query=x&limit=3", {"query": "x", "limit": "3"}),
        ("workspace=a", {"workspace": "a"}),
        ("workspace=a&workspace=b", {"workspace": ["a", "b"]}),
        ("filter.kind=fact", {"filter": {"kind": ["fact"]}}),
        ("filter.kind=fact&filter.kind=goal&filter.origin=own", {"filter": {"kind": ["fact", "goal"], "origin": "own"}}),
        ("a.b.c=1", {"a": {"b": {"c": "1"}}}),
    ],
)
def test_a_query_string_becomes_values(query: str, values: dict[str, Any]) -> None:
    from starlette.datastructures import QueryParams

    recall = named("recall")
    assert recall is not None
    assert from_query(recall, QueryParams(query)) == values


@pytest.mark.parametrize(
    "query",
    ["filter=x&filter.kind=fact", "filter.kind=fact&filter=x", "&".join(["a=1"] * 201), "a.b.c.d.e=1", ".".join("a" * 5000)],
)
def test_a_query_string_that_contradicts_itself_is_refused(web: TestClient, query: str) -> None:
    assert web.get(f"/api/recall?{query}").status_code == 400
