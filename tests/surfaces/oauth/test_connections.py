"""The page of connections: a person sees and ends the own grants, and nobody else's."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from muniment.app import App
from tests.surfaces.browser import Client, Page, Person, tokens, told
from tests.surfaces.conftest import bearer, token, workspace
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


def test_a_person_says_where_a_program_works(app: App, machine: TestClient, person: Person, client: Client) -> None:
    for slug in ("alpha", "beta"):
        workspace(app, slug)
    person.log_in()
    form = Page(person.open(client.url()).text).form("/consent")
    assert [value for name, value, _ in form.options if name == "current"] == ["", "alpha", "beta", "global", "inbox"]
    held = tokens(person, client, scopes=["read", "append"], workspaces=["alpha", "beta"], current="beta")
    kept = machine.post("/api/remember", json={"text": "The berth is free."}, headers=bearer(held["access_token"]))
    assert kept.json()["workspace"] == "beta"
    page = Page(person.open("/connections").text)
    assert "alpha, beta Works in beta" in page.text
    seen = machine.post("/api/tokens", json={"do": {"verb": "grants"}}, headers=bearer(token(app, "admin"))).json()
    assert [one["default_workspace"] for one in seen["grants"]] == ["beta"]


def test_a_program_cannot_work_where_it_may_not_see(app: App, machine: TestClient, person: Person, client: Client) -> None:
    for slug in ("alpha", "beta"):
        workspace(app, slug)
    shown = person.log_in(client.url())
    for wrong in ("beta", "nowhere"):
        shown = person.decide(shown.text, scopes=["read"], workspaces=["alpha"], current=wrong)
        assert shown.status_code == 200
        assert "Nothing was given yet." in Page(shown.text).text
        form = Page(shown.text).form("/consent")
        assert [(name, value) for name, value, ticked in form.boxes if ticked] == [
            ("scopes", "read"),
            ("reach", "some"),
            ("workspaces", "alpha"),
        ]
    answer = person.decide(shown.text, scopes=["read"], workspaces=["alpha"], current="alpha")
    issued = client.exchange(told(answer.headers["location"])["code"]).json()
    assert machine.get("/api/stats", headers=bearer(issued["access_token"])).status_code == 200
    assert "alpha Works in alpha" in Page(person.open("/connections").text).text


@pytest.mark.parametrize("current", ["", "alpha"])
def test_only_these_and_then_none_is_asked_again(
    app: App, machine: TestClient, person: Person, client: Client, current: str
) -> None:
    workspace(app, "alpha")
    shown = person.decide(person.log_in(client.url()).text, scopes=["read"], workspaces=[], current=current)
    assert shown.status_code == 200
    assert "Nothing was given yet. Choose the workspaces that it may see, or all of them." in Page(shown.text).text
    assert [value for name, value, ticked in Page(shown.text).form("/consent").boxes if ticked] == ["read", "some"]
    answer = person.decide(shown.text, scopes=["read"], workspaces=["alpha"], current=current)
    issued = client.exchange(told(answer.headers["location"])["code"]).json()
    assert machine.get("/api/stats", headers=bearer(issued["access_token"])).status_code == 200


def test_all_and_some_together_are_asked_again_and_nothing_is_given(
    app: App, machine: TestClient, person: Person, client: Client
) -> None:
    for slug in ("alpha", "beta"):
        workspace(app, slug)
    form = Page(person.log_in(client.url()).text).form("/consent")
    both = {"decision": "approve", "scopes": ["read"], "reach": "all", "workspaces": ["alpha"]}
    shown = person.post(form.action, form.hidden() | both)
    assert shown.status_code == 200
    assert "Nothing was given yet. All workspaces were chosen, and some were ticked besides." in Page(shown.text).text
    # Ticks that a browser hides would come back for ever, so the page starts anew.
    assert [value for name, value, ticked in Page(shown.text).form("/consent").boxes if ticked] == ["read", "all"]
    answer = person.decide(shown.text, scopes=["read"])
    issued = client.exchange(told(answer.headers["location"])["code"]).json()
    assert machine.get("/api/stats", headers=bearer(issued["access_token"])).status_code == 200


def test_a_name_that_the_profile_does_not_see_is_not_on_the_page(
    app: App, machine: TestClient, person: Person, client: Client, enrol: Any
) -> None:
    for slug in ("alpha", "beta"):
        workspace(app, slug)
    tokens(person, client, scopes=["read"], workspaces=["alpha", "beta"], current="beta")
    assert "beta" in person.open("/connections").text
    enrol(read=["alpha"])
    page = person.open("/connections").text
    assert "alpha" in page
    assert "beta" not in page


def test_what_a_program_made_ends_with_its_grant(machine: TestClient, person: Person, client: Client) -> None:
    held = tokens(person, client, scope="read append share")
    asked = {"do": {"verb": "create", "name": "left behind", "level": "viewer", "read": ["inbox"]}}
    answer = machine.post("/api/tokens", json=asked, headers=bearer(held["access_token"]))
    made = answer.json()["token"]
    assert machine.get("/api/stats", headers=bearer(made)).status_code == 200
    form = Page(person.open("/connections").text).form("/connections/revoke")
    person.post(form.action, form.hidden())
    assert machine.get("/api/stats", headers=bearer(made)).status_code == 401


def test_the_log_tells_over_the_network_what_a_program_did_with_its_grant(
    app: App, machine: TestClient, person: Person, client: Client
) -> None:
    held = tokens(person, client, scope="read append share")
    asked = {"do": {"verb": "create", "name": "scout", "level": "viewer"}}
    made = machine.post("/api/tokens", json=asked, headers=bearer(held["access_token"])).json()
    form = Page(person.open("/connections").text).form("/connections/revoke")
    ref = form.hidden()["ref"]
    person.post(form.action, form.hidden())
    answer = machine.post("/api/tokens", json={"do": {"verb": "history"}}, headers=bearer(token(app, "admin")))
    assert answer.status_code == 200, answer.text
    rows = reversed(answer.json()["events"])
    found = [tuple(one.get(name) for name in ("kind", "door", "by", "via", "target")) for one in rows]
    assert found[:2] == [
        ("profile_made", "system", None, None, None),
        ("client_registered", "client", None, None, client.uid),
    ]
    assert found[2:6] == [
        ("grant_given", "web", "maren", None, ref),
        ("token_made", "bearer", "maren", ref, made["tokens"][0]["ref"]),
        ("grant_ended", "web", "maren", None, ref),
        ("token_ended", "web", "maren", None, made["tokens"][0]["ref"]),
    ]
    for secret in (made["token"], held["access_token"], held["refresh_token"]):
        assert secret not in answer.text
    refused = machine.post("/api/tokens", json={"do": {"verb": "history"}}, headers=bearer(token(app, "operator")))
    assert refused.status_code == 403


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
