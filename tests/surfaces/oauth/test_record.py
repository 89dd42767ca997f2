"""The page of a record: behind the login, for those who may read it, and never more than text."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from muniment.app import App
from muniment.surfaces.pages.facts import moment
from tests.surfaces.browser import BROWSES, Client, Page, Person, tokens
from tests.surfaces.conftest import BASE, bearer, token, workspace
from tests.surfaces.oauth.conftest import another

PAYLOADS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "[a link](javascript:alert(1))",
    "</pre></article><h1>Log in again</h1><form action='https://evil.example'>",
    "{{ 7 * 191 }} {% raw %} ${7*191}",
    '" onmouseover="alert(1)',
]


def keep(machine: TestClient, app: App, text: str, **more: Any) -> str:
    answer = machine.post("/api/remember", json={"text": text} | more, headers=bearer(token(app)))
    assert answer.status_code == 200, answer.text
    return str(answer.json()["ref"])


def test_the_address_that_search_returns_opens_behind_the_login(machine: TestClient, app: App, person: Person) -> None:
    keep(machine, app, "The berth at the north quay is free from May on.")
    found = machine.get("/api/search?query=berth", headers=bearer(token(app))).json()["results"][0]
    assert found["url"] == f"{BASE}/r/{found['id']}"
    first = person.http.get(found["url"], headers=BROWSES)
    assert first.status_code == 303
    assert first.headers["location"] == f"/login?next=%2Fr%2F{found['id']}"
    page = person.log_in(found["url"])
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    shown = Page(page.text).text
    assert "The berth at the north quay is free from May on." in shown
    for said in (found["id"], "fact", "inbox", "version 1", "recorded at", "written by local", "taint 0"):
        assert said in shown


def test_the_bare_address_leads_a_browser_to_its_connections(machine: TestClient, app: App, person: Person) -> None:
    first = person.http.get("/", headers=BROWSES)
    assert (first.status_code, first.headers["location"]) == (303, "/connections")
    assert "/login" in Page(person.open("/").text).forms[0].action
    person.log_in("/")
    assert person.open("/").status_code == 200
    assert person.http.get("/", headers={"accept": "*/*"}).status_code == 303, "its cookie says that it is a browser"
    for program in ({"accept": "*/*"}, {"accept": "application/json"}):
        answer = machine.get("/", headers=program)
        assert answer.status_code == 401
        assert "resource_metadata" in answer.headers["www-authenticate"]
    assert machine.get("/", headers=bearer(token(app))).status_code == 404
    assert machine.post("/", headers=BROWSES).status_code == 401


def test_a_program_with_a_token_gets_plain_text_and_one_without_a_challenge(
    machine: TestClient, app: App, person: Person, client: Client
) -> None:
    ref = keep(machine, app, "The berth is free.")
    held = bearer(tokens(person, client)["access_token"])
    assert machine.get(f"/r/{ref}", headers=held).headers["content-type"] == "text/plain; charset=utf-8"
    assert machine.get(f"/r/{ref}", headers=held | BROWSES).headers["content-type"] == "text/plain; charset=utf-8"
    assert machine.get(f"/r/{ref}", headers={"accept": "*/*"}).status_code == 401
    assert "resource_metadata" in machine.get(f"/r/{ref}").headers["www-authenticate"]
    assert machine.get(f"/r/{ref}", headers=BROWSES | bearer("x")).status_code == 401
    assert machine.post(f"/r/{ref}").status_code == 401


@pytest.mark.parametrize("payload", PAYLOADS)
def test_stored_markup_in_a_page(machine: TestClient, app: App, person: Person, payload: str) -> None:
    said = {"labels": {"people": [payload[:40]], "topics": [payload[:40]]}, "subject": payload[:60], "why": payload}
    ref = keep(machine, app, f"{payload} The berth is free.", **{name: said[name] for name in ("subject", "why")})
    page = person.log_in(f"/r/{ref}")
    assert page.status_code == 200
    found = Page(page.text)
    assert not {"script", "img", "svg", "iframe"} & set(found.tags)
    assert found.tags.count("form") == 1, "the one to log out"
    assert found.tags.count("h1") == 1
    assert "javascript:" not in " ".join(part for part in page.text.split('"') if part.startswith("javascript"))
    assert payload.split()[0] in found.text or payload in found.text
    assert "1337" not in found.text


def test_a_foreign_record_and_none_at_all_are_the_same(asgi: ASGIApp, machine: TestClient, app: App, enrol: Any) -> None:
    workspace(app, "alpha")
    workspace(app, "beta")
    foreign = keep(machine, app, "The beta berth is free.", workspace="beta")
    own = keep(machine, app, "The alpha berth is free.", workspace="alpha")
    enrol("jonas", "operator", read=["alpha"])
    jonas = another(asgi, "jonas")
    assert "alpha berth" in jonas.log_in(f"/r/{own}").text
    gone = foreign[:-4] + ("0000" if not foreign.endswith("0000") else "0001")
    pages = [jonas.open(f"/r/{ref}") for ref in (foreign, gone, "m_1", "nonsense", "o_" + foreign[2:])]
    assert [page.status_code for page in pages] == [404] * 5
    assert len({page.text for page in pages}) == 1
    assert "beta" not in pages[0].text


def test_versions_and_what_no_longer_holds_are_shown(machine: TestClient, app: App, person: Person) -> None:
    ref = keep(machine, app, "The harbour master is Anke Petersen.")
    change = {"op": "update", "target": ref, "expected_version": 1, "text": "The harbour master is Anke Petersen-Holt."}
    assert machine.post("/api/remember", json=change, headers=bearer(token(app))).status_code == 200
    page = Page(person.log_in(f"/r/{ref}").text)
    assert "Versions" in page.text
    assert "Version 1" in page.text
    assert "The harbour master is Anke Petersen-Holt." in page.text
    gone = {"op": "archive", "target": ref, "expected_version": 2}
    assert machine.post("/api/remember", json=gone, headers=bearer(token(app))).status_code == 200
    assert "It no longer holds: it is archived." in Page(person.open(f"/r/{ref}").text).text


def test_what_is_tainted_says_so(machine: TestClient, app: App, person: Person) -> None:
    held = bearer(token(app, zone="untrusted", principal="stranger"))
    session = {"session": "s1", "turns": [{"speaker": "Ann", "text": "The crane is broken, said the stranger at the gate."}]}
    assert machine.post("/api/ingest", json=session, headers=held).status_code == 200
    found = machine.post("/api/recall", json={"query": "crane broken stranger"}, headers=held).json()["results"][0]
    assert "Untrusted:" in Page(person.log_in(f"/r/{found['ref']}").text).text


def test_a_conversation_opens_as_its_turns(machine: TestClient, app: App, person: Person) -> None:
    turns = [{"speaker": "Ann", "text": f"This is line {number} of the talk."} for number in range(70)]
    held = bearer(token(app))
    assert (
        machine.post("/api/ingest", json={"session": "s1", "title": "A <b>talk</b>", "turns": turns}, headers=held).status_code
        == 200
    )
    ref = machine.post("/api/recall", json={"query": "line 3 of the talk"}, headers=held).json()["results"][0]
    page = person.log_in(f"/r/{ref['provenance']['session_ref']}")
    shown = Page(page.text).text
    assert "A <b>talk</b>" in shown
    assert "line 0 of" in shown
    more = page.text.split('<p class="more"><a href="')[1].split('"')[0].replace("&amp;", "&")
    assert "line 60 of" in Page(person.open(more).text).text


def test_a_profile_that_ended_sees_nothing(asgi: ASGIApp, machine: TestClient, app: App, person: Person) -> None:
    from muniment.access import profiles

    ref = keep(machine, app, "The berth is free.")
    assert person.log_in(f"/r/{ref}").status_code == 200
    with app.store.write() as connection:
        profiles.end(connection, person.name, app.context().now())
    # Nobody is left who could log in, so there is no login either.
    assert person.http.get(f"/r/{ref}", headers=BROWSES).status_code == 401


def test_page_plain_text_and_resource_say_the_same_of_a_record(machine: TestClient, app: App, person: Person) -> None:
    ref = keep(machine, app, "The berth is free.", subject="berths", source_ref="tide tables, page 3")
    held = bearer(token(app))
    plain = machine.get(f"/r/{ref}", headers=held).text.split("\n\n")[0].splitlines()
    facts = [tuple(line.split(": ", 1)) for line in plain]
    assert [name for name, _ in facts][:6] == ["ref", "kind", "state", "version", "trust", "taint"]
    assert ("from", "tide tables, page 3") in facts
    shown = Page(person.log_in(f"/r/{ref}").text).text
    asked = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": f"muniment://record/{ref}"}}
    fenced = machine.post("/mcp", json=asked, headers=held).json()["result"]["contents"][0]["text"]
    assert all(f"{name} {moment(value)}" in shown for name, value in facts), "a page writes times in words"
    assert fenced.startswith(f"[muniment evidence {ref}; ")
    assert all(f"{name} {value}" in fenced.splitlines()[0] for name, value in facts[1:])
