"""The page of connections: a person sees and ends the own grants, and nobody else's."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient
from starlette.types import ASGIApp

from tests.surfaces.browser import Client, Page, Person, tokens
from tests.surfaces.conftest import bearer
from tests.surfaces.oauth.conftest import another


def test_a_person_ends_a_grant_at_once(machine: TestClient, person: Person, client: Client) -> None:
    held = tokens(person, client, scopes=["read", "append"], workspaces=["inbox"])
    page = Page(person.open("/connections").text)
    for said in ("A test client", "127.0.0.1:9999", "read append", "inbox"):
        assert said in page.text
    form = page.form("/connections/revoke")
    assert person.post(form.action, form.hidden()).status_code == 303
    assert machine.get("/api/stats", headers=bearer(held["access_token"])).status_code == 401
    assert client.refresh(held["refresh_token"]).json()["error"] == "invalid_grant"
    after = Page(person.open("/connections").text)
    assert "revoked by its owner" in after.text
    assert not any(form.action.endswith("revoke") for form in after.forms)
    assert person.post(form.action, form.hidden()).status_code == 404


def test_what_a_program_made_ends_with_its_grant(machine: TestClient, person: Person, client: Client) -> None:
    held = tokens(person, client, scope="read append share")
    asked = {"do": {"verb": "create", "name": "left behind", "level": "viewer", "read": ["inbox"]}}
    answer = machine.post("/api/tokens", json=asked, headers=bearer(held["access_token"]))
    made = answer.json()["token"]
    assert machine.get("/api/stats", headers=bearer(made)).status_code == 200
    form = Page(person.open("/connections").text).form("/connections/revoke")
    person.post(form.action, form.hidden())
    assert machine.get("/api/stats", headers=bearer(made)).status_code == 401


def test_a_person_is_told_that_sharing_manages_tokens(person: Person, client: Client) -> None:
    person.log_in()
    said = "manage tokens, grants and profiles within your own limits"
    assert said in person.open(client.url(scope="read share")).text


def test_nobody_ends_or_sees_the_grants_of_another(
    asgi: ASGIApp, machine: TestClient, person: Person, client: Client, enrol: Any
) -> None:
    held = tokens(person, client)
    ref = Page(person.open("/connections").text).form("/connections/revoke").hidden()["ref"]
    enrol("jonas", "admin")
    jonas = another(asgi, "jonas")
    page = Page(jonas.log_in("/connections").text)
    assert "No program has access" in page.text
    token = page.form("/logout").hidden()["form"]
    assert jonas.post("/connections/revoke", {"form": token, "ref": ref}).status_code == 404
    assert machine.get("/api/stats", headers=bearer(held["access_token"])).status_code == 200


def test_the_page_wants_a_login(person: Person) -> None:
    assert person.http.get("/connections").headers["location"] == "/login?next=%2Fconnections"
