"""Secrets are masked before anything is stored; what only speaks of secrets stays."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.text.redact import mask

BODY = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4f"
# Put together here, so that no scanner takes this file for a leak.
KEYS = {
    "anthropic": "sk-" + "ant-api03-" + BODY,
    "openai": "sk-" + "proj-" + BODY,
    "github": "ghp" + "_" + BODY + "wxyz",
    "aws": "AKI" + "A" + "IOSFODNN7EXAMPLE",
    "google": "AIz" + "a" + BODY + "abc",
    "slack": "xox" + "b-123456789012-" + BODY,
    "stripe": "sk" + "_live_" + BODY,
    "npm": "npm" + "_" + BODY + "abcd",
    "pypi": "pypi" + "-" + BODY * 2,
    "huggingface": "hf" + "_" + BODY,
    "gitlab": "glpat" + "-" + BODY[:20],
    "muniment": "mun" + "_" + (BODY * 2)[:43],
    "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9" + "." + "eyJ" + "zdWIiOiIxMjM0In0" + "." + BODY,
}


@pytest.mark.parametrize("kind", KEYS)
def test_a_key_is_masked_by_its_shape(kind: str) -> None:
    assert mask(f"use {KEYS[kind]} now") == (f"use [secret:{kind}] now", 1)
    assert mask(f'k("{KEYS[kind]}")') == (f'k("[secret:{kind}]")', 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DB_PASSWORD=swordfish", "DB_PASSWORD=[secret:password]"),
        ("password: hunter2!", "password: [secret:password]"),
        ('{"password":"s3cr3t"}', '{"password":"[secret:password]"}'),
        ('{\\"api_key\\": \\"abcd1234efgh\\"}', '{\\"api_key\\": \\"[secret:api_key]\\"}'),
        ('api_key = "abcd1234efgh"', 'api_key = "[secret:api_key]"'),
        ('password = "swordfish"', 'password = "[secret:password]"'),
        ("client_secret: abc123def456", "client_secret: [secret:secret]"),
        ("postgres://user:pa55@host/db", "postgres://user:[secret:password]@host/db"),
        ("Authorization: Bearer " + BODY, "Authorization: Bearer [secret:bearer]"),
        ("my password is hunter22", "my password is [secret:password]"),
        ("密码：abc12345", "密码：[secret:password]"),
        ("mysql --password hunter22 -u me", "mysql --password [secret:password] -u me"),
        ("access_token=" + BODY, "access_token=[secret:token]"),
    ],
)
def test_an_assigned_secret_is_masked_and_its_name_stays(text: str, expected: str) -> None:
    assert mask(text) == (expected, 1)


@pytest.mark.parametrize("prefix", ["mun_", "mr_", "ms_"])
def test_our_own_secrets_are_masked_and_what_only_looks_like_them_is_not(prefix: str) -> None:
    secret = prefix + "a-_Z" + "9" * 39
    assert mask(f"/{secret} {secret}.") == ("/[secret:muniment] [secret:muniment].", 2)
    for other in (secret[:-1], secret + "x", "x" + secret, prefix + "max"):
        assert mask(other) == (other, 0)


def test_a_private_key_is_masked_whole() -> None:
    block = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabc+/=\n-----END RSA " + "PRIVATE KEY-----"
    assert mask(f"key:\n{block}\nbye") == ("key:\n[secret:private_key]\nbye", 1)


@pytest.mark.parametrize(
    "text",
    [
        "I need a password reset, and the password is required to be long.",
        "The token count: 4096 tokens; max_tokens=1024",
        "commit 3f2a1b4c5d6e7f8a9b0c1d2e3f4a5b6c7d8e9f0a",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "def login(password: str, token: str | None = None) -> None:",
        "password = form.password.data",
        "api_key = os.environ['API_KEY']",
        "token = get_token(abc123def456)",
        "password=password, secret=config.secret",
        "see https://example.org/a:b and user@host.com",
        "PASSWORD=${DB_PASSWORD} and password: <your-password>",
        "The secret: practice. Key: value. Keyboard = QWERTY",
        "the key is under the mat; a basic question about bearer bonds",
        "sk-learn and task-based work, risk-averse",
        '{"password": "Enter your password"}',
        "primary key: id, sort key = created_at",
    ],
)
def test_what_only_speaks_of_secrets_stays(text: str) -> None:
    assert mask(text) == (text, 0)


def test_a_secret_glued_to_another_is_masked_too() -> None:
    assert mask(KEYS["stripe"] + "A" * (255 - len(BODY)) + KEYS["github"]) == ("[secret:stripe][secret:github]", 2)


def test_several_secrets_are_counted() -> None:
    text, count = mask(f"{KEYS['openai']} and {KEYS['github']} and password=hunter22")
    assert count == 3
    assert text == "[secret:openai] and [secret:github] and password=[secret:password]"


PIECES = st.sampled_from(
    [
        *KEYS.values(),
        "password",
        "api_key",
        "token",
        "secret",
        "=",
        ": ",
        '"',
        "'",
        " ",
        "hunter22",
        "://",
        "u:p4ss@h",
        "bearer ",
        BODY,
        "is",
        "\n",
        "[",
        "]",
        ".",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_masking_twice_changes_nothing_more(text: str) -> None:
    once, _ = mask(text)
    assert mask(once) == (once, 0)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(KEYS)), st.text(max_size=20), st.text(max_size=20))
def test_a_key_never_survives_between_spaces(kind: str, before: str, after: str) -> None:
    assert KEYS[kind] not in mask(f"{before} {KEYS[kind]} {after}")[0]


@pytest.mark.parametrize(
    "unit",
    [
        "password=",
        "a://",
        "sk-",
        "eyJ",
        "eyJaaaaaaaa.",
        "-----BEGIN " + "PRIVATE KEY-----",
        "bearer ",
        "token",
        "_",
        "AKIA",
        "a:a@",
        "xoxb-",
        "key: ",
    ],
)
def test_endless_input_takes_linear_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    start = time.process_time()
    mask(text)
    assert time.process_time() - start < 15


def test_an_ordinary_sentence_is_fast() -> None:
    sentence = (
        "Yesterday I finally bought the new running shoes that Melanie recommended, and they feel great on the old trail."
    )
    start = time.process_time()
    for _ in range(2000):
        mask(sentence)
    assert (time.process_time() - start) / 2000 < 25e-6  # measured: 4 µs
