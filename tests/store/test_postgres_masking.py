"""The function of PostgreSQL that masks what services file: at least what Python masks, and not what only speaks of secrets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.store import postgres_masking
from muniment.text import redact
from muniment.text.redact import mask
from tests.stores import Databases
from tests.text import test_redact
from tests.text.test_redact import BODY, KEYS, PIECES

pytestmark = pytest.mark.postgres

Mask = Callable[[str], tuple[str, int]]


@pytest.fixture(scope="module")
def masked(postgres_databases: Databases) -> Iterator[Mask]:
    name = postgres_databases.lend()
    with psycopg.connect(postgres_databases.admin(name), autocommit=True) as server:

        def run(text: str) -> tuple[str, int]:
            row = server.execute("SELECT * FROM gateway_masked(%s)", (text,)).fetchone()
            assert row is not None
            return row[0], row[1]

        yield run
    postgres_databases.take_back(name)


def corpus(test: Callable[..., None], name: str) -> list[str]:
    """The texts that a test of Python's masking is parametrized with."""
    (mark,) = (one for one in test.pytestmark if name in one.args[0])  # type: ignore[attr-defined]
    return [one[0] if isinstance(one, tuple) else one for one in mark.args[1]]


ASSIGNED = corpus(test_redact.test_an_assigned_secret_is_masked_and_its_name_stays, "text")
HARMLESS = corpus(test_redact.test_what_only_speaks_of_secrets_stays, "text")


def holds(masked: Mask, text: str) -> None:
    """Nothing is left that Python would mask, and what Python took out of the text is not in it any more."""
    once, _ = masked(text)
    assert mask(once) == (once, 0), (text, once)
    assert masked(once) == (once, 0)


@pytest.mark.parametrize("kind", KEYS)
def test_a_key_is_masked_by_its_shape(masked: Mask, kind: str) -> None:
    for text in (f"use {KEYS[kind]} now", f'k("{KEYS[kind]}")', KEYS[kind]):
        assert masked(text) == mask(text)
        assert masked(text)[1] == 1


@pytest.mark.parametrize("text", ASSIGNED)
def test_an_assigned_secret_is_masked_as_python_does(masked: Mask, text: str) -> None:
    assert masked(text) == mask(text)
    assert masked(text)[1] == 1


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_speaks_of_secrets_stays(masked: Mask, text: str) -> None:
    assert masked(text) == (text, 0)


@pytest.mark.parametrize(
    "text",
    [
        "PASSWORT: Sommer2024!",
        "ПАРОЛЬ=Волга2024",
        "Contraseña: ola12345",
        "CONTRASEÑA = 'ola12345'",
        "비밀번호：abcd1234",
        "to\u212aen=" + BODY,
        "password=hunter22 password=hunter22xyz",
        "password=hunter22xyz password=hunter22",
        "my-token: abc token=" + BODY + ", password:\thunter22",
        "postgres://a:pa55@h, mysql://b:pa55word@h, redis://:x1x2@h/0",
        "authorization: Basic " + BODY,
        "x\u00a0--api-key abcd1234 --token " + BODY,
        "\u3000--password\u0020 hunter22",
        "token = '" + BODY + "'; secret=read(abc1234567890)",
        "password is １２３４５６a, password es hunter22 and password IS hunter22",
        "AWS_SECRET_ACCESS_KEY=abcd/efgh+ijkl",
        "hooks.slack.com/services/T00000000/B00000000/" + "X1" * 12,
        "-----BEGIN OPENSSH " + "PRIVATE KEY-----\\n" + "A1b2" * 20 + "\n" + "A1b2" * 20,
        "password=" + "a1" * 400 + "(x)",
        "password='" + "a1" * 256 + " and more'",
        "secret: 'ccc" + "a1b->" * 120 + "c'",
        KEYS["openai"] + "A" * 600 + " " + KEYS["github"],
        'The secret: "' + "Nobody speaks of it. " * 30 + 'DB_PASSWORD=hunter22"',
        "token: '" + "{x}" * 200 + "api_key=abcd1234'",
        test_redact.KEYS["stripe"] + "A" * (255 - len(BODY)) + KEYS["github"],
    ],
)
def test_at_least_what_python_masks_is_masked(masked: Mask, text: str) -> None:
    assert mask(text)[1] > 0
    assert masked(text)[1] > 0
    holds(masked, text)


@pytest.mark.parametrize(
    "text",
    [
        "password=hunter22 password=hunter22xyz",
        "password=hunter22xyz password=hunter22",
        "api_key: abcd1234 and api_key: abcd1234efgh",
        "postgres://a:pa55@h postgres://a:pa55@hx",
        f"bearer {BODY} bearer {BODY}xyz",
    ],
)
def test_of_two_secrets_that_begin_alike_no_end_is_left(masked: Mask, text: str) -> None:
    assert masked(text) == mask(text)


@pytest.mark.parametrize(
    "text", ["\u017fecret=:Passw", "\u017fecret=a1b2c3d4", "credent\u0131al=-passw", "to\u212aen=Passw0rd-1"]
)
def test_a_name_in_letters_of_another_script_is_the_same_name(masked: Mask, text: str) -> None:
    holds(masked, text)


def test_a_private_key_is_masked_whole(masked: Mask) -> None:
    block = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabc+/=\n-----END RSA " + "PRIVATE KEY-----"
    assert masked(f"key:\n{block}\nbye") == ("key:\n[secret:private_key]\nbye", 1)


MORE = st.one_of(
    PIECES, st.sampled_from(["passwort", "--", "--api-key", "es", "IS", "==", "：", "я", "(", "{", "x", "*", "٣", "  "])
)


@settings(max_examples=250, deadline=None)
@given(st.lists(MORE, max_size=12).map("".join))
def test_nothing_is_left_that_python_would_mask(masked: Mask, text: str) -> None:
    holds(masked, text)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(KEYS)), st.text(max_size=20), st.text(max_size=20))
def test_a_key_never_survives_between_spaces(masked: Mask, kind: str, before: str, after: str) -> None:
    before, after = (part.encode("utf-8", "replace").decode().replace("\x00", "") for part in (before, after))
    assert KEYS[kind] not in masked(f"{before} {KEYS[kind]} {after}")[0]


@pytest.mark.parametrize(
    "unit", ["password=", "a://", "sk-", "eyJ", "-----BEGIN " + "PRIVATE KEY-----", "bearer ", "_", "a:a@", "key: "]
)
def test_the_longest_text_of_a_proposal_takes_a_moment(masked: Mask, unit: str) -> None:
    begun = time.monotonic()
    masked((unit * 20_000)[:20_000])
    assert time.monotonic() - begun < 20


def test_every_shape_is_in_it() -> None:
    made = postgres_masking.function()
    for kind, prefix, _ in redact.KEYS:
        assert f"[secret:{kind}]" in made
        assert prefix in made or prefix in ("A", "_", "gh", "ya29.", "SG.", "hooks.slack.com")


def test_where_masking_is_off_a_text_stays(postgres_databases: Databases) -> None:
    name = postgres_databases.lend()
    with psycopg.connect(postgres_databases.admin(name), autocommit=False) as server:
        server.execute(postgres_masking.function(masks=False))
        assert server.execute("SELECT * FROM gateway_masked(%s)", ("password=hunter22",)).fetchone() == ("password=hunter22", 0)
        server.rollback()
    postgres_databases.take_back(name)
