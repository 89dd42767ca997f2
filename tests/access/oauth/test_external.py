"""Another issuer: found by what it says of itself, believed for who somebody is, and never for what they may do here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from muniment import settings
from muniment.access import passphrases, profiles, signed, tokens
from muniment.access.oauth import external
from muniment.access.oauth.external import Issuer, Unusable
from muniment.access.profiles import NewProfile
from muniment.access.signed import Claims, Keys
from muniment.errors import InsufficientScope, InvalidInput, MunimentError, Unauthorized
from muniment.model.access import LEVEL_SCOPES, Grant
from tests.governance.forgetting import done
from tests.issuing import OPENID, SERVER, Issuing, issuing
from tests.makers import Memory
from tests.stores import NOW

AUDIENCE = "https://memory.example.org/mcp"
SUBJECT = "auth0|7"


@pytest.fixture
def site() -> Iterator[Issuing]:
    with issuing() as made:
        yield made


# --- where its keys are --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("issuer", "places"),
    [
        ("https://id.example", ["https://id.example" + SERVER, "https://id.example" + OPENID]),
        ("https://id.example/", ["https://id.example" + SERVER, "https://id.example" + OPENID]),
        (
            "https://id.example:8443/realms/x",
            [
                f"https://id.example:8443{SERVER}/realms/x",
                f"https://id.example:8443/realms/x{OPENID}",
                f"https://id.example:8443{OPENID}/realms/x",
            ],
        ),
    ],
)
def test_an_issuer_is_looked_for_where_the_standards_put_it(issuer: str, places: list[str]) -> None:
    assert list(external.places(issuer)) == places


@pytest.mark.parametrize("place", [f"{SERVER}/realms/x", f"/realms/x{OPENID}", f"{OPENID}/realms/x"])
def test_an_issuer_is_found_at_each_of_its_places(place: str) -> None:
    with issuing("/realms/x") as made:
        made.documents = {place: {"issuer": made.issuer, "jwks_uri": f"{made.issuer}/jwks"}}
        found = external.discover(made.issuer)
        assert found == f"{made.issuer}/jwks"
        assert isinstance(external.published(str(found)), Keys)


def test_an_issuer_that_calls_itself_otherwise_disagrees_to_the_byte(site: Issuing) -> None:
    for other in (site.issuer + "/", site.issuer.upper(), "https://id.example", None, 7):
        site.documents = {OPENID: {"issuer": other, "jwks_uri": f"{site.issuer}/jwks"}}
        found = external.discover(site.issuer)
        assert isinstance(found, Unusable), other
        assert found.disagrees
    # Somebody else's description at a place that hosts share does not stand in the way of its own.
    site.documents = {
        SERVER: {"issuer": "https://other.example", "jwks_uri": "https://other.example/jwks"},
        OPENID: {"issuer": site.issuer, "jwks_uri": f"{site.issuer}/jwks"},
    }
    assert external.discover(site.issuer) == f"{site.issuer}/jwks"


def test_an_issuer_that_does_not_answer_may_come_back(site: Issuing) -> None:
    site.documents = {}
    found = external.discover(site.issuer)
    assert isinstance(found, Unusable)
    assert not found.disagrees
    with issuing() as gone:
        pass
    found = external.discover(gone.issuer)
    assert isinstance(found, Unusable)
    assert not found.disagrees


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b"[" * 100_000])
def test_what_is_no_description_disagrees(site: Issuing, body: bytes) -> None:
    site.documents = {OPENID: body}
    found = external.discover(site.issuer)
    assert isinstance(found, Unusable)
    assert found.disagrees


@pytest.mark.parametrize(
    ("issuer", "url", "sound"),
    [
        ("https://id.example", "https://keys.example/jwks?v=1", True),
        ("https://id.example", "https://10.0.0.7/jwks", True),
        ("https://id.example", "http://id.example/jwks", False),
        ("https://id.example", "http://127.0.0.1/jwks", False),
        ("http://localhost:8080", "http://127.0.0.1:8080/jwks", True),
        ("http://localhost:8080", "http://id.example/jwks", False),
        ("https://id.example", "file:///etc/passwd", False),
        ("https://id.example", "https://a@id.example/jwks", False),
        ("https://id.example", "https://id.example/jwks#x", False),
        ("https://id.example", "https://id.example/jw ks", False),
        ("https://id.example", "https://id.example/\r\nX: y", False),
        ("https://id.example", "https:///jwks", False),
        ("https://id.example", "https://id.example/" + "j" * external.URL_LENGTH_MAX, False),
        ("https://id.example", None, False),
        ("https://id.example", ["https://id.example/jwks"], False),
    ],
)
def test_keys_are_fetched_over_https_or_from_this_machine(issuer: str, url: Any, sound: bool) -> None:
    found = external._keys_of(issuer, json.dumps({"issuer": issuer, "jwks_uri": url}).encode())
    assert (found == url) is sound
    assert sound or (isinstance(found, Unusable) and found.disagrees)


def test_a_key_set_that_cannot_be_used_may_get_better(site: Issuing) -> None:
    for body in (b"{", b'{"keys": []}', b" " * (signed.SET_BYTES_MAX + 1)):
        site.documents["/jwks"] = body
        found = external.published(f"{site.issuer}/jwks")
        assert isinstance(found, Unusable)
        assert not found.disagrees


# --- who somebody is, and what they may do -------------------------------------------------------------------------


def issuer(**changed: Any) -> Issuer:
    return Issuer(**{"issuer": "https://id.example", "audience": AUDIENCE, "claim": "sub", "by_token": True} | changed)


def claims(**said: Any) -> Claims:
    told = {"sub": SUBJECT, "scope": "openid read append"} | said
    return Claims("https://id.example", told["sub"], (AUDIENCE,), NOW / 1000 + 60, None, None, told)


def enrol(memory: Memory, name: str = "maren", level: str = "owner", subject: str | None = SUBJECT, **limits: Any) -> None:
    with memory.app.store.write() as connection:
        profiles.keep(connection, NewProfile(name, level, subject=subject, **limits), NOW)


def grant(memory: Memory, said: Claims, by: Issuer | None = None) -> Grant | MunimentError:
    with memory.app.store.read() as connection:
        try:
            return external.grant(connection, by or issuer(), said)
        except MunimentError as refusal:
            return refusal


def test_a_token_acts_as_the_profile_of_its_subject_and_its_scopes_narrow_it(memory: Memory) -> None:
    enrol(memory, level="operator")
    found = grant(memory, claims(scope="read write admin openid", client_id="chat"))
    assert isinstance(found, Grant)
    assert (found.principal_name, found.client, found.token, found.oauth) == ("maren", "chat", None, None)
    assert found.scopes == {"read", "write"}
    assert found.foreign_until == NOW + 60_000
    assert found.classes == {"public", "internal"}


def test_every_limit_of_the_profile_holds(memory: Memory) -> None:
    enrol(memory, read=["inbox"], zone="untrusted", write_mode="propose", classes=["public"])
    found = grant(memory, claims(scope="read propose append write govern"))
    assert isinstance(found, Grant)
    assert (found.read, found.write, found.default_workspace) == ({"inbox"}, {"inbox"}, "inbox")
    assert (found.zone, found.write_mode, found.classes) == ("untrusted", "propose", {"public"})
    assert found.scopes == {"read", "propose", "append"}


@pytest.mark.parametrize(
    ("said", "scopes"),
    [
        ({"scope": "read append"}, {"read", "append"}),
        ({"scope": None, "scp": ["read", "openid"]}, {"read"}),
        ({"scope": None, "scp": "read write"}, {"read", "write"}),
        ({"scope": "openid", "scp": ["read"]}, {"read"}),
    ],
)
def test_scopes_are_read_where_issuers_write_them(memory: Memory, said: dict[str, Any], scopes: set[str]) -> None:
    enrol(memory)
    found = grant(memory, claims(**said))
    assert isinstance(found, Grant)
    assert found.scopes == scopes


@pytest.mark.parametrize("said", [{"scope": None}, {"scope": "openid profile"}, {"scope": ""}, {"scope": 7}, {"scope": "READ"}])
def test_a_token_without_a_scope_of_ours_gets_nothing_but_the_way_out(memory: Memory, said: dict[str, Any]) -> None:
    enrol(memory)
    found = grant(memory, claims(**said))
    assert isinstance(found, InsufficientScope)
    assert "external_scopes" in found.do_next
    whole = grant(memory, claims(**said), issuer(by_token=False))
    assert isinstance(whole, Grant)
    assert whole.scopes == LEVEL_SCOPES["owner"]


def test_who_has_no_profile_or_one_that_ended_gets_nothing(memory: Memory) -> None:
    enrol(memory, subject="somebody else")
    for subject in (SUBJECT, SUBJECT.upper(), f" {SUBJECT}", "x\x00", "\ud800", "s" * 256, ""):
        found = grant(memory, claims(sub=subject))
        assert isinstance(found, Unauthorized), subject
        assert not subject.strip() or subject.strip() not in str(found)
    enrol(memory, "kai")
    assert isinstance(grant(memory, claims()), Grant)
    with memory.app.store.write() as connection:
        profiles.end(connection, "kai", NOW)
    assert isinstance(grant(memory, claims()), Unauthorized)


def test_the_claim_that_says_who_it_is_can_be_another_one(memory: Memory) -> None:
    enrol(memory, subject="maren@example.org")
    mail = issuer(claim="https://example.org/mail")
    assert isinstance(grant(memory, claims(), mail), Unauthorized)
    assert isinstance(grant(memory, claims(**{"https://example.org/mail": 7}), mail), Unauthorized)
    assert isinstance(grant(memory, claims(**{"https://example.org/mail": "maren@example.org"}), mail), Grant)


def test_an_address_that_the_issuer_has_not_verified_is_nobody(memory: Memory) -> None:
    """Anybody may have written it into their account, and would be whoever it belongs to."""
    enrol(memory, subject="kai@example.org")
    by_mail = issuer(claim="email")
    for said in (False, "false", "False", 0):
        refused = grant(memory, claims(email="kai@example.org", email_verified=said), by_mail)
        assert isinstance(refused, Unauthorized)
        assert "verified" in refused.message
    for said in (True, "true"):
        assert isinstance(grant(memory, claims(email="kai@example.org", email_verified=said), by_mail), Grant)
    assert isinstance(grant(memory, claims(email="kai@example.org"), by_mail), Grant), "the issuer does not say"
    assert isinstance(grant(memory, claims(sub="kai@example.org", email_verified=False)), Grant), (
        "it is not asked for the address"
    )


def test_the_program_is_the_one_that_the_issuer_names(memory: Memory) -> None:
    enrol(memory)
    for said, client in (
        ({"client_id": "a", "azp": "b"}, "a"),
        ({"azp": "b"}, "b"),
        ({}, None),
        ({"client_id": 7, "azp": " "}, None),
        ({"client_id": "c" * 300}, "c" * external.CLIENT_LENGTH_MAX),
    ):
        found = grant(memory, claims(**said))
        assert isinstance(found, Grant)
        assert found.client == client


# --- profiles with a subject ---------------------------------------------------------------------------------------


def test_a_subject_is_one_profile_until_that_one_has_ended(memory: Memory) -> None:
    enrol(memory)
    with pytest.raises(InvalidInput, match="maren"):
        enrol(memory, "kai")
    enrol(memory, level="viewer")  # the same one anew
    with memory.app.store.write() as connection:
        profiles.end(connection, "maren", NOW)
    enrol(memory, "kai")
    with memory.app.store.read() as connection:
        assert profiles.named(connection, "kai").subject == SUBJECT
        assert [one.name for one in profiles.listing(connection)] == ["kai"]


@pytest.mark.parametrize("subject", ["", " x", "x ", "a\nb", "\x7f", "s" * 256])
def test_a_subject_is_one_line(memory: Memory, subject: str) -> None:
    with pytest.raises(InvalidInput):
        enrol(memory, subject=subject)


def test_a_profile_has_a_passphrase_or_a_subject(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="neither"):
        enrol(memory, subject=None)
    held = passphrases.hashed("four plain wooden words")
    enrol(memory, secret_hash=held)
    assert profiles.login(memory.app.store, "maren", "four plain wooden words", NOW) is not None
    enrol(memory)
    assert profiles.login(memory.app.store, "maren", "four plain wooden words", NOW) is None
    with memory.app.store.read() as connection:
        found = profiles.named(connection, "maren")
    assert (found.subject, found.passphrase) == (SUBJECT, False)


def test_a_profile_with_a_subject_alone_bounds_its_tokens_too(memory: Memory) -> None:
    enrol(memory, level="viewer")
    with memory.app.store.write() as connection:
        secret = tokens.add(connection, tokens.NewToken("t", "owner", principal="maren"), uid="0" * 26, now=NOW)
        found = tokens.find(connection, secret, NOW)
        assert found is not None
        assert found.scopes == {"read"}
        profiles.end(connection, "maren", NOW)
        assert tokens.find(connection, secret, NOW) is None


def test_who_is_forgotten_is_known_by_no_subject(memory: Memory) -> None:
    enrol(memory)
    done(memory, principal="maren")
    assert isinstance(grant(memory, claims()), Unauthorized)
    with memory.app.store.read() as connection:
        assert profiles.of_subject(connection, SUBJECT) is None
    enrol(memory, "kai")
    found = grant(memory, claims())
    assert isinstance(found, Grant)
    assert found.principal_name == "kai"


# --- the settings --------------------------------------------------------------------------------------------------


def test_the_settings_make_an_issuer() -> None:
    told = {"auth": "external", "external_issuer": "https://id.example/"}
    found = external.configured(settings.load(told, {}), AUDIENCE)
    assert found == Issuer("https://id.example/", AUDIENCE, "sub", True)
    more = {"external_audience": "api://memory", "external_claim": "oid", "external_scopes": "profile"}
    assert external.configured(settings.load(told | more, {}), AUDIENCE) == Issuer(
        "https://id.example/", "api://memory", "oid", False
    )
    assert external.configured(settings.load({}, {}), AUDIENCE) is None
