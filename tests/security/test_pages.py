"""What somebody managed to store or to register, on every page that a browser shows: words, and never markup."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from muniment.access import profiles
from muniment.access.profiles import NewProfile
from muniment.app import App
from muniment.errors import InvalidInput
from muniment.model.ids import uid
from muniment.store import workspaces
from tests.surfaces.browser import BROWSES, Client, Page, Person, tokens
from tests.surfaces.conftest import bearer, token

PAYLOADS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    '"><iframe src=https://evil.example>',
    "' autofocus onfocus=alert(1) x='",
    "</title></pre></dd></bdi><form action=https://evil.example><input name=passphrase>",
    "<base href=https://evil.example/><meta http-equiv=refresh content=0;url=https://evil.example>",
    "[a link](javascript:alert(1)) ![](https://evil.example/x.svg)",
    "{{ 7 * 191 }} {% include 'login.html' %} ${7*191} #{7*191}",
    "<!-- --!><style>body{background:url(https://evil.example)}</style>",
    "\u202e<script>\u2066alert(1)\u200b</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
]
# All that our own templates hold. Whatever else turns up came from what was stored.
TAGS = set(
    "html head meta title link body header p form input span strong button main h1 h2 h3 dl dt dd bdi article pre small "
    "fieldset legend label ul li a div time details summary select option".split()
)
ATTRIBUTES = set(
    "lang charset name content rel href class method action type value id for checked autocomplete autocapitalize spellcheck "
    "required maxlength role scope aria-label aria-labelledby aria-describedby dir datetime selected".split()
)


class Markup(HTMLParser):
    """Every tag and attribute of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.declared = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_comment(self, data: str) -> None:
        self.tags.append(f"comment {data[:20]}")

    def handle_decl(self, decl: str) -> None:
        self.declared += 1


def assert_plain(answer: Any) -> Page:
    """Hold that a page is ours alone: its tags, its addresses, and a policy that runs and loads nothing else."""
    assert answer.headers["content-type"] == "text/html; charset=utf-8", answer.text
    policy = answer.headers["content-security-policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["style-src"] == "'self'"
    assert rules["frame-ancestors"] == rules["base-uri"] == "'none'"
    assert set(rules) == {"default-src", "style-src", "form-action", "base-uri", "frame-ancestors"}
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    found = Markup(answer.text)
    assert set(found.tags) <= TAGS, set(found.tags) - TAGS
    assert {name for name, _ in found.attributes} <= ATTRIBUTES, found.attributes
    assert found.declared == 1
    for name, value in found.attributes:
        if name in ("href", "action", "src"):
            assert value.startswith("/"), (name, value)
            assert not value.startswith(("//", "/\\")), (name, value)
    assert "1337" not in answer.text, "a template was run"
    assert not {"\u202e", "\u2066", "\u200b"} & set(Page(answer.text).text), "what turns a line around"
    return Page(answer.text)


def store(machine: TestClient, app: App, payload: str) -> dict[str, str]:
    """Put a payload into every field that takes words; answers refs of what came of it."""
    held = bearer(token(app, "admin", principal="anna"))
    said = {"text": f"{payload} The berth is free.", "subject": payload, "why": payload, "source_ref": payload}
    said["labels"] = {"topics": [payload[:60]], "people": [payload[:60]]}
    answer = machine.post("/api/remember", json={name: said[name] for name in ("text", "subject", "why")}, headers=held)
    assert answer.status_code == 200, answer.text
    ref = answer.json()["ref"]
    change = {"op": "update", "target": ref, "expected_version": 1, "text": f"{payload} The berth is taken.", "why": payload}
    assert machine.post("/api/remember", json=change, headers=held).status_code == 200
    document = {"text": f"{payload}\n\nThe crane is green.", "title": payload[:200], "url": f"javascript:alert(1)//{payload}"}
    kept = machine.post("/api/ingest", json={"document": document}, headers=held)
    assert kept.status_code == 200, kept.text
    turns = [{"speaker": payload[:100], "text": f"{payload} The quay number {number} is wet."} for number in range(3)]
    session = {"session": payload[:100], "title": payload[:200], "turns": turns}
    assert machine.post("/api/ingest", json=session, headers=held).status_code == 200
    found = machine.post("/api/recall", json={"query": "quay wet"}, headers=held).json()["results"]
    return {
        "memory": ref,
        "document": kept.json()["refs"][0],
        "turn": next(one["ref"] for one in found if "quay" in one["text"]),
        "session": next(one["provenance"]["session_ref"] for one in found if "quay" in one["text"]),
    }


@pytest.mark.parametrize("payload", PAYLOADS)
def test_what_is_stored_stays_words_on_the_page_of_a_record(
    machine: TestClient, app: App, person: Person, payload: str
) -> None:
    refs = store(machine, app, payload)
    person.log_in()
    for ref in refs.values():
        page = person.open(f"/r/{ref}")
        assert page.status_code == 200
        shown = assert_plain(page)
        assert len(shown.forms) == 1, "the one to log out"
    # A program gets text, which no browser takes for a page.
    for ref in refs.values():
        plain = machine.get(f"/r/{ref}", headers=bearer(token(app)) | BROWSES)
        assert plain.headers["content-type"] == "text/plain; charset=utf-8"
        assert plain.headers["x-content-type-options"] == "nosniff"
        answer = machine.get(f"/api/read?{'session' if ref.startswith('s_') else 'ref'}={ref}", headers=bearer(token(app)))
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("payload", PAYLOADS)
def test_the_name_of_a_client_stays_words(machine: TestClient, person: Person, payload: str) -> None:
    client = Client(machine)
    answer = client.register(client_name=payload, client_uri="javascript:alert(1)", logo_uri="https://evil.example/x.svg")
    assert answer.status_code == 201
    consent = person.log_in(client.url())
    shown = assert_plain(consent)
    assert "evil.example/x.svg" not in consent.text.replace(payload, "").replace("&#", "")
    assert [form.action for form in shown.forms] == ["/logout", "/consent"]
    tokens(person, client)
    listed = person.open("/connections")
    assert [form.action for form in assert_plain(listed).forms] == ["/logout", "/connections/revoke"]
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("payload", PAYLOADS)
def test_the_name_of_a_workspace_stays_words(
    machine: TestClient, person: Person, app: App, client: Client, payload: str
) -> None:
    """No surface makes a workspace of such a name; a page does not rely on it."""
    with app.store.write() as connection:
        made = uid(app.context().now(), app.context().entropy(10))
        workspaces.add(connection, uid=made, slug=payload, name=payload, kind="project", root=None, now=app.context().now())
    held = bearer(token(app, "admin"))
    kept = machine.post("/api/remember", json={"text": "The crane is green.", "workspace": payload}, headers=held)
    assert_plain(person.log_in(client.url()))
    tokens(person, client, workspaces=[payload, "inbox"])
    listed = assert_plain(person.open("/connections"))
    assert len(listed.forms) == 2
    if kept.status_code == 200:
        assert_plain(person.open(f"/r/{kept.json()['ref']}"))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_what_stands_in_an_address_or_a_form_is_never_shown_as_markup(
    machine: TestClient, person: Person, client: Client, payload: str
) -> None:
    asked = [
        client.url(state=payload),
        client.url(scope=payload),
        client.url(client_id=payload),
        client.url(redirect_uri=payload),
    ]
    for url in (*asked, client.url(path="/login", next=payload)):
        answer = person.http.get(url, headers=BROWSES)
        if answer.status_code in (200, 400):
            assert_plain(answer)
        else:
            assert "\n" not in answer.headers["location"]
            assert answer.headers["location"].startswith(("/login?", client.redirect))
    form = Page(person.open("/login").text).form("/login")
    values = {"name": payload, "passphrase": payload, "next": payload}
    assert_plain(person.post("/login", form.hidden() | values))
    person.log_in()
    for page in (
        person.http.get(person.http.base_url.join(f"/r/{payload[:40]}"), headers=BROWSES),
        person.open("/connections"),
    ):
        if page.headers["content-type"].startswith("text/html"):
            assert_plain(page)
    consent = Page(person.open(client.url()).text).form("/consent")
    values = consent.hidden() | {"decision": payload, "scopes": [payload], "reach": payload, "workspaces": [payload]}
    decided = person.post("/consent", values)
    assert decided.status_code == 303
    assert decided.headers["location"].startswith(client.redirect)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_profile_is_not_called_like_markup_or_shows_as_words(
    asgi: ASGIApp, machine: TestClient, app: App, secret_hash: str, payload: str
) -> None:
    from tests.surfaces.oauth.conftest import PASSPHRASE, another

    try:
        with app.store.write() as connection:
            profiles.keep(connection, NewProfile(payload, "owner", secret_hash), app.context().now())
    except InvalidInput:
        return
    assert_plain(another(asgi, payload, PASSPHRASE).log_in("/connections"))


def test_nothing_that_a_browser_could_run_is_served(asgi: ASGIApp, machine: TestClient, person: Person, app: App) -> None:
    """No script at all: whatever content comes as anything but pages, style, text and JSON would be a way to run some."""
    person.log_in()
    held = bearer(token(app, "admin"))
    kinds = set()
    for path in (
        "/",
        "/login",
        "/connections",
        "/pages/muniment.css",
        "/healthz",
        "/openapi.json",
        "/metrics",
        "/readyz",
        "/mcp",
    ):
        for answer in (machine.get(path), machine.get(path, headers=held), person.http.get(path, headers=BROWSES)):
            if answer.content:
                kinds.add(answer.headers["content-type"].partition(";")[0])
            assert answer.headers["x-content-type-options"] == "nosniff", path
            assert "default-src 'none'" in answer.headers["content-security-policy"], path
    assert kinds <= {"text/html", "text/css", "text/plain", "application/json"}
