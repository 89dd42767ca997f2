"""A person with a browser, and a client beside them, played over plain HTTP: they read our pages and post their forms.

`Person` works with anything that has the `get` and `post` of an httpx client (Starlette's TestClient is one) and follows
no redirect by itself. Outside of pytest: `Person(httpx.Client(base_url=...), "ann", "her passphrase").authorize(url)`.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

HOPS_MAX = 10
REDIRECT = "http://127.0.0.1:9999/callback"
BROWSES = {"accept": "text/html,application/xhtml+xml"}


@dataclass
class Form:
    """A form of a page: where it goes, what its fields hold, and what may be chosen."""

    action: str
    method: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    boxes: list[tuple[str, str, bool]] = field(default_factory=list)
    buttons: list[tuple[str, str]] = field(default_factory=list)
    options: list[tuple[str, str, bool]] = field(default_factory=list)

    def hidden(self) -> dict[str, str]:
        return dict(self.fields)


class Page(HTMLParser):
    """What a person finds on a page: its forms and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.words: list[str] = []
        self.tags: list[str] = []
        self._select = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        if tag == "form":
            self.forms.append(Form(held.get("action", ""), held.get("method", "get")))
        elif tag == "select" and self.forms:
            self._select = held["name"]
        elif tag == "option" and self.forms:
            self.forms[-1].options.append((self._select, held.get("value", ""), "selected" in held))
        elif tag == "button" and self.forms and held.get("name"):
            self.forms[-1].buttons.append((held["name"], held.get("value", "")))
        elif tag == "input" and self.forms:
            kind = held.get("type", "text")
            if kind in ("checkbox", "radio"):
                self.forms[-1].boxes.append((held["name"], held.get("value", ""), "checked" in held))
            else:
                self.forms[-1].fields.append((held["name"], held.get("value", "")))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def form(self, action: str) -> Form:
        """The form that leads to a path."""
        return next(form for form in self.forms if urlsplit(form.action).path.endswith(action))


@dataclass
class Person:
    """Somebody with a profile. `http` keeps the cookies, as a browser does."""

    http: Any
    name: str
    passphrase: str

    def open(self, url: str) -> Any:
        """Ask for a page and follow redirects on the same server."""
        answer = self.http.get(url, headers=BROWSES, follow_redirects=False)
        return self._followed(answer)

    def log_in(self, page: str = "/login", passphrase: str | None = None) -> Any:
        """Fill in the login form that stands before a page, if it does; answers what comes after it."""
        shown = self.open(page)
        return self.fill_in_login(shown.text, passphrase) if self._shows(shown, "/login") else shown

    def fill_in_login(self, text: str, passphrase: str | None = None) -> Any:
        form = Page(text).form("/login")
        values = form.hidden() | {"name": self.name, "passphrase": self.passphrase if passphrase is None else passphrase}
        return self._followed(self.post(form.action, values))

    def log_out(self) -> Any:
        return self.post("/logout", Page(self.open("/connections").text).form("/logout").hidden())

    def authorize(
        self,
        url: str,
        *,
        scopes: Iterable[str] | None = None,
        workspaces: Iterable[str] | None = None,
        current: str = "",
        decision: str = "approve",
    ) -> str:
        """Open an authorization URL, log in if asked, decide; answers the address that the client is called back at.

        `scopes` None grants all that is offered, `workspaces` None all there are; `current` is where the client is to work.
        """
        answer = self.open(url)
        if self._shows(answer, "/login"):
            answer = self.fill_in_login(answer.text)
        if self._shows(answer, "/consent"):
            answer = self.decide(answer.text, scopes=scopes, workspaces=workspaces, current=current, decision=decision)
        assert answer.status_code in (302, 303), (answer.status_code, answer.text)
        return str(answer.headers["location"])

    def decide(
        self,
        text: str,
        *,
        scopes: Iterable[str] | None = None,
        workspaces: Iterable[str] | None = None,
        current: str = "",
        decision: str = "approve",
    ) -> Any:
        """Fill in the consent page."""
        form = Page(text).form("/consent")
        offered = [value for name, value, _ in form.boxes if name == "scopes"]
        values: dict[str, Any] = form.hidden() | {"decision": decision}
        values["scopes"] = offered if scopes is None else list(scopes)
        values["reach"] = "all" if workspaces is None else "some"
        values["workspaces"] = list(workspaces or ())
        values["current"] = current
        return self.post(form.action, values)

    def post(self, path: str, values: Mapping[str, Any], **headers: str) -> Any:
        sent = {"content-type": "application/x-www-form-urlencoded"} | BROWSES | headers
        return self.http.post(path, content=urlencode(values, doseq=True), headers=sent, follow_redirects=False)

    def _followed(self, answer: Any) -> Any:
        """Go where our own server sends the browser; stop before another one."""
        for _ in range(HOPS_MAX):
            where = answer.headers.get("location")
            if answer.status_code not in (302, 303) or not where or not self._own(where):
                return answer
            answer = self.http.get(where, headers=BROWSES, follow_redirects=False)
        raise AssertionError("The server sends the browser around in circles.")

    def _own(self, where: str) -> bool:
        base, asked = urlsplit(str(self.http.base_url)), urlsplit(where)
        return not asked.netloc or (asked.scheme, asked.netloc) == (base.scheme, base.netloc)

    @staticmethod
    def _shows(answer: Any, action: str) -> bool:
        page = Page(answer.text) if answer.status_code == 200 else None
        return page is not None and any(urlsplit(form.action).path.endswith(action) for form in page.forms)


@dataclass
class Client:
    """A program that wants a token. `http` is its own connection, without the person's cookies."""

    http: Any
    redirect: str = REDIRECT
    uid: str = ""
    secret: str = ""
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    state: str = field(default_factory=lambda: secrets.token_urlsafe(12))

    def register(self, **metadata: Any) -> Any:
        """Register dynamically, and keep the id."""
        described = {"client_name": "A test client", "redirect_uris": [self.redirect]} | metadata
        answer = self.http.post("/register", json=described)
        if answer.status_code == 201:
            self.uid, self.secret = answer.json()["client_id"], answer.json().get("client_secret", "")
        return answer

    @property
    def challenge(self) -> str:
        return base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")

    def url(self, path: str = "/authorize", **changed: str | None) -> str:
        """The authorization URL; None leaves a parameter out."""
        asked: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.uid,
            "redirect_uri": self.redirect,
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
            "state": self.state,
        }
        asked |= changed
        return f"{path}?{urlencode({name: value for name, value in asked.items() if value is not None})}"

    def exchange(self, code: str, **changed: str | None) -> Any:
        """Bring a code."""
        asked = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect,
            "code_verifier": self.verifier,
        }
        return self.ask("/token", asked | changed)

    def refresh(self, token: str, **changed: str | None) -> Any:
        return self.ask("/token", {"grant_type": "refresh_token", "refresh_token": token} | changed)

    def revoke(self, token: str, **changed: str | None) -> Any:
        return self.ask("/revoke", {"token": token} | changed)

    def ask(self, path: str, asked: Mapping[str, str | None], **headers: str) -> Any:
        """Post a form as this client; None leaves a parameter out."""
        known = {"client_id": self.uid} | ({"client_secret": self.secret} if self.secret else {})
        values = {name: value for name, value in (known | dict(asked)).items() if value is not None}
        sent = {"content-type": "application/x-www-form-urlencoded"} | headers
        return self.http.post(path, content=urlencode(values), headers=sent)


def told(location: str) -> dict[str, str]:
    """What a redirect tells a client."""
    return {name: held[0] for name, held in parse_qs(urlsplit(location).query).items()}


def tokens(person: Person, client: Client, **options: Any) -> dict[str, Any]:
    """The whole flow: register if need be, authorize, exchange; answers the token response."""
    if not client.uid:
        assert client.register().status_code == 201
    asked = {name: options.pop(name) for name in ("scope", "resource") if name in options}
    came = told(person.authorize(client.url(**asked), **options))
    answer = client.exchange(came["code"])
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found
