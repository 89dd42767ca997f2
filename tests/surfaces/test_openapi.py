"""The description of the REST surface."""

from __future__ import annotations

import json
from collections.abc import Callable

from starlette.testclient import TestClient

from muniment.surfaces import openapi
from muniment.surfaces.catalogue import OPERATIONS


def test_making_the_description_again_changes_nothing(golden: Callable[[str, str], None]) -> None:
    golden("docs/reference/openapi.json", openapi.text())


def test_what_is_served_is_what_is_shipped(web: TestClient) -> None:
    assert web.get("/openapi.json", headers={"authorization": ""}).json() == json.loads(openapi.text())


def test_every_operation_is_described() -> None:
    paths = openapi.document()["paths"]
    for operation in OPERATIONS:
        assert ("get" in paths[f"/api/{operation.name}"]) is operation.read_only
        assert "post" in paths[f"/api/{operation.name}"]


def test_every_reference_leads_somewhere() -> None:
    document = openapi.document()
    text = json.dumps(document)
    for part in text.split('"$ref": "#/')[1:]:
        place = document
        for step in part.partition('"')[0].split("/"):
            place = place[step]
    assert "$defs" not in text


def test_operation_ids_are_unique() -> None:
    ids = [method["operationId"] for path in openapi.document()["paths"].values() for method in path.values()]
    assert len(ids) == len(set(ids))


def test_the_verbs_of_a_union_are_parameters_beside_each_other() -> None:
    document = openapi.document()
    asked = {one["name"]: one for one in document["paths"]["/api/review"]["get"]["parameters"]}
    assert {"history", "diff", "lineage"} <= set(asked["do.verb"]["schema"]["enum"])
    assert {"do.ref", "do.conflict", "do.limit", "workspace"} <= set(asked)
    assert "do" not in asked
    body = document["components"]["schemas"]["GovernRequest"]["properties"]["do"]
    assert body["discriminator"]["mapping"]["undo"] == "#/components/schemas/Undo"


def test_parameters_have_the_limits_of_the_fields_and_no_null() -> None:
    parameters = {one["name"]: one["schema"] for one in openapi.document()["paths"]["/api/stats"]["get"]["parameters"]}
    assert parameters["workspace"] == {"type": "string", "maxLength": 200}
    assert parameters["sessions"] == {"type": "integer", "minimum": 0, "maximum": 500, "default": 0}


def test_what_the_gate_refuses_is_described_on_every_route(web: TestClient) -> None:
    paths = openapi.document()["paths"]
    for path in ("/healthz", "/readyz", "/metrics", "/r/{ref}", "/api/stats"):
        answers = paths[path]["get"]["responses"]
        assert str(web.get(path, headers={"host": "elsewhere.example"}).status_code) in answers
        assert str(web.get(path, headers={"origin": "https://elsewhere.example"}).status_code) in answers
        assert str(web.get(f"{path}?token=1").status_code) in answers
        assert str(web.get(path, headers={"x-long": "x" * 20_000}).status_code) in answers


def test_every_status_of_a_record_that_is_read_again_is_described(web: TestClient) -> None:
    ref = web.post("/api/remember", json={"text": "The gate opens at six."}).json()["ref"]
    first = web.get("/api/read", params={"ref": ref})
    again = web.get("/api/read", params={"ref": ref}, headers={"if-none-match": first.headers["etag"]})
    described = openapi.document()["paths"]["/api/read"]["get"]["responses"]
    assert [str(answer.status_code) for answer in (first, again)] == ["200", "304"]
    assert {"200", "304"} <= described.keys()


def test_the_error_says_what_confirms_a_call() -> None:
    document = openapi.document()
    assert {"impact", "confirm"} <= set(document["components"]["schemas"]["Error"]["properties"]["error"]["properties"])
    assert "428" in document["paths"]["/api/govern"]["post"]["responses"]
