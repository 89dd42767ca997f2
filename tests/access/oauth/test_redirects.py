"""Redirects: what a client may be answered at, and what only looks like it (RFC 8252, RFC 9700)."""

from __future__ import annotations

import pytest

from muniment.access.oauth import redirects

APPS = frozenset({"cursor", "vscode"})
GOOD = [
    "https://claude.ai/api/mcp/auth_callback",
    "https://chatgpt.com/connector/oauth/abc",
    "https://host.example:8443/a?b=c",
    "http://127.0.0.1/callback",
    "http://127.0.0.1:3118/callback",
    "http://localhost:1/",
    "http://[::1]:5000/x",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "vscode://ms.auth/redirect",
]
BAD = [
    "",
    "/callback",
    "//evil.example/x",
    "https://",
    "https:///path",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "vbscript:x",
    "ftp://host.example/",
    "http://evil.example/callback",
    "http://127.0.0.1.evil.example/callback",
    "http://localhost.evil.example/callback",
    "http://127.0.0.2/callback",
    "http://2130706433/callback",
    "http://127.0.0.1@evil.example/callback",
    "http://localhost:80@evil.example/callback",
    "https://user@host.example/callback",
    "https://user:secret@host.example/callback",
    "https://host.example/callback#fragment",
    "https://host.example/callback#",
    "https://host.example\\@evil.example/",
    "https://host.example/a b",
    "https://host.example/\n",
    "https://höst.example/",
    "https://host.example:99999/",
    "https://host.example:port/",
    "https://[::1/",
    "windsurf://callback",
    "cursor:callback",
    "cursor://",
    "cursor://user@host",
    "com.example.app:/oauth",
    "https://host.example/" + "a" * redirects.LENGTH_MAX,
]


@pytest.mark.parametrize("uri", GOOD)
def test_https_this_machine_and_listed_apps_are_allowed(uri: str) -> None:
    assert redirects.fault(uri, APPS) == ""


@pytest.mark.parametrize("uri", BAD)
def test_nothing_else_is_ever_a_redirect(uri: str) -> None:
    assert redirects.fault(uri, APPS) != ""


@pytest.mark.parametrize(
    ("registered", "asked"),
    [
        ("http://127.0.0.1/callback", "http://127.0.0.1:52011/callback"),
        ("http://127.0.0.1:3118/callback", "http://127.0.0.1:52011/callback"),
        ("http://localhost/callback", "http://localhost:3118/callback"),
        ("http://[::1]/callback", "http://[::1]:9/callback"),
        ("http://[::1]:8/callback?a=b", "http://[::1]:9/callback?a=b"),
        ("https://claude.ai/cb", "https://claude.ai/cb"),
        ("cursor://x/y", "cursor://x/y"),
    ],
)
def test_the_port_of_a_loopback_address_is_left_open(registered: str, asked: str) -> None:
    assert redirects.matches([registered], asked)


@pytest.mark.parametrize(
    ("registered", "asked"),
    [
        ("http://127.0.0.1/callback", "http://127.0.0.1:1/other"),
        ("http://127.0.0.1/callback", "http://127.0.0.1:1/callback/"),
        ("http://127.0.0.1/callback", "http://127.0.0.1:1/callback?x=1"),
        ("http://127.0.0.1/callback", "http://localhost:1/callback"),
        ("http://127.0.0.1/callback", "http://[::1]:1/callback"),
        ("http://127.0.0.1/callback", "https://127.0.0.1:1/callback"),
        ("https://127.0.0.1/callback", "https://127.0.0.1:1/callback"),
        ("https://localhost:1/callback", "https://localhost:2/callback"),
        ("https://claude.ai/cb", "https://claude.ai:444/cb"),
        ("https://claude.ai/cb", "https://claude.ai/cb/"),
        ("https://claude.ai/cb", "https://claude.ai/cb?x"),
        ("https://claude.ai/cb", "https://CLAUDE.ai/cb"),
        ("https://claude.ai/cb", "https://claude.ai.evil.example/cb"),
        ("cursor://x/y", "cursor://x:1/y"),
    ],
)
def test_everything_else_has_to_be_the_same_letter_by_letter(registered: str, asked: str) -> None:
    assert not redirects.matches([registered], asked)


def test_a_setting_cannot_list_what_a_browser_runs_itself() -> None:
    assert redirects.schemes("Cursor, javascript,data,http,https, vscode-insiders, a b, ,-x") == {"cursor", "vscode-insiders"}


@pytest.mark.parametrize(
    ("uri", "shown", "source"),
    [
        ("https://claude.ai/api/x", "claude.ai", "https://claude.ai"),
        ("http://127.0.0.1:81/x", "127.0.0.1:81", "http://127.0.0.1:81"),
        ("http://[::1]:81/x", "[::1]:81", "http:"),
        ("cursor://anysphere/x", "cursor://", "cursor:"),
    ],
)
def test_a_person_is_shown_the_host_and_the_page_may_lead_there(uri: str, shown: str, source: str) -> None:
    assert redirects.shown(uri) == shown
    assert redirects.source(uri) == source
