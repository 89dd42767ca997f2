"""Tokens against a real store: found only while they hold, and never readable again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from muniment import settings
from muniment.access import tokens
from muniment.app import App, create_app
from muniment.errors import InvalidInput, NotFound, UnknownWorkspace
from muniment.governance import workspaces as governed

NOW = 1_700_000_000_000


def add(app: App, **more: Any) -> str:
    new = tokens.NewToken(**({"label": "laptop", "level": "agent"} | more))
    with app.store.write() as connection:
        return tokens.add(connection, new, uid=app.context().uid(), now=NOW)


@pytest.fixture(autouse=True)
def places(app: App) -> None:
    for slug in ("alpha", "beta", "gamma"):
        governed.add(app.context(), slug)


def find(app: App, secret: str, now: int = NOW) -> Any:
    with app.store.read() as connection:
        return tokens.find(connection, secret, now)


def listed(app: App) -> list[tokens.Token]:
    with app.store.read() as connection:
        return tokens.listing(connection)


def test_a_token_grants_the_scopes_of_its_level(app: App) -> None:
    grant = find(app, add(app, level="agent"))
    assert grant.scopes == {"read", "propose", "append"}
    assert (grant.read, grant.write, grant.default_workspace, grant.client) == (None, None, None, "laptop")


def test_a_token_has_256_random_bits_and_a_shape_that_scanners_know() -> None:
    first, second = tokens.mint()[0], tokens.mint()[0]
    assert first != second
    assert len(first) == len("mun_") + 43
    assert first.startswith("mun_")


def test_the_store_keeps_no_secret(tmp_path: Path) -> None:
    app = create_app(settings.load({"store": str(tmp_path / "muniment.db"), "embedder": "none"}, {}))
    secret = add(app)
    app.close()
    held = b"".join(path.read_bytes() for path in tmp_path.glob("muniment.db*"))
    assert secret.encode() not in held
    assert secret.removeprefix("mun_").encode() not in held


@pytest.mark.parametrize("other", ["", "mun_", "x" * 47, "mun_" + "A" * 43, "mun_" + "é" * 43, "mun_" + "A" * 100_000])
def test_an_unknown_token_grants_nothing(app: App, other: str) -> None:
    add(app)
    assert find(app, other) is None


def test_a_token_with_something_added_is_another_one(app: App) -> None:
    secret = add(app)
    assert find(app, secret + " ") is None
    assert find(app, secret + "\n") is None


def test_a_revoked_token_grants_nothing_at_once(app: App) -> None:
    secret = add(app)
    with app.store.write() as connection:
        tokens.revoke(connection, tokens.listing(connection)[0].ref, NOW)
    assert find(app, secret) is None
    assert not listed(app)[0].valid(NOW)
    with app.store.write() as connection, pytest.raises(NotFound):
        tokens.revoke(connection, tokens.listing(connection)[0].ref, NOW)


@pytest.mark.parametrize("ref", ["k_nothing", "", "k_" + "0" * 26])
def test_revoking_what_is_not_there_says_so(app: App, ref: str) -> None:
    with app.store.write() as connection, pytest.raises(NotFound):
        tokens.revoke(connection, ref, NOW)


def test_a_token_ends_when_it_expires(app: App) -> None:
    secret = add(app, expires_at=NOW + 10)
    assert find(app, secret, NOW + 9) is not None
    assert find(app, secret, NOW + 10) is None
    assert not listed(app)[0].valid(NOW + 10)


def test_a_token_for_one_workspace_writes_and_works_there(app: App) -> None:
    grant = find(app, add(app, read=["alpha"]))
    assert (grant.read, grant.write, grant.default_workspace) == ({"alpha"}, {"alpha"}, "alpha")


def test_what_a_token_may_write_it_may_read(app: App) -> None:
    grant = find(app, add(app, read=["alpha", "beta"], write=["gamma"]))
    assert grant.read == {"alpha", "beta", "gamma"}
    assert grant.write == {"gamma"}
    assert grant.default_workspace == "gamma"


def test_a_token_may_read_all_and_write_nowhere(app: App) -> None:
    grant = find(app, add(app, write=[]))
    assert (grant.read, grant.write) == (None, frozenset())


def test_a_token_names_only_workspaces_that_are_there(app: App) -> None:
    with pytest.raises(UnknownWorkspace):
        add(app, read=["delta"])


def test_a_level_that_is_none_is_refused(app: App) -> None:
    with pytest.raises(InvalidInput, match="no level"):
        add(app, level="root")


def test_a_label_has_an_end(app: App) -> None:
    add(app, label="x" * tokens.LABEL_LENGTH_MAX)
    with pytest.raises(InvalidInput, match="label"):
        add(app, label="x" * (tokens.LABEL_LENGTH_MAX + 1))


def test_a_token_has_the_zone_it_was_made_with(app: App) -> None:
    assert find(app, add(app)).zone == "trusted"
    assert find(app, add(app, zone="untrusted")).zone == "untrusted"
    assert [one.zone for one in listed(app)] == ["trusted", "untrusted"]
    with pytest.raises(InvalidInput):
        add(app, zone="friendly")


def test_what_is_not_trusted_ends_by_itself(app: App) -> None:
    day = 86_400_000
    for zone in ("trusted", "shared", "untrusted"):
        add(app, zone=zone)
    assert [one.expires_at for one in listed(app)] == [None, NOW + 90 * day, NOW + 30 * day]
    add(app, zone="shared", expires_at=NOW + 7 * day)
    assert listed(app)[-1].expires_at == NOW + 7 * day
    with pytest.raises(InvalidInput, match="90 days"):
        add(app, zone="shared", expires_at=NOW + 91 * day)


def test_a_token_acts_as_a_principal_that_is_called_like_it(app: App) -> None:
    one, two = find(app, add(app, label="scout")), find(app, add(app, label="visitor"))
    assert (one.principal_name, two.principal_name) == ("scout", "visitor")
    assert len({one.principal, two.principal, app.principal}) == 3
    assert [token.principal for token in listed(app)] == ["scout", "visitor"]


def test_two_tokens_of_one_principal_are_one(app: App) -> None:
    one = find(app, add(app, label="maren", level="owner"))
    two = find(app, add(app, label="phone", level="viewer", principal="maren"))
    assert (one.principal, one.client, two.client) == (two.principal, "maren", "phone")


@pytest.mark.parametrize(
    ("level", "kind"),
    [(level, "agent") for level in ("viewer", "agent", "operator", "curator")] + [("owner", "person"), ("admin", "person")],
)
def test_who_may_govern_is_taken_for_a_person(app: App, level: str, kind: str) -> None:
    add(app, label="somebody", level=level)
    with app.store.read() as connection:
        row = connection.one("principal_by_name", {"name": "somebody"})
    assert row
    assert row[3:] == (kind, level)


def test_no_token_acts_as_the_owner_by_accident(app: App) -> None:
    for label in ("local", "Local", " local "):
        with pytest.raises(InvalidInput, match="principal of this machine"):
            add(app, label=label)
    assert find(app, add(app, label="local", principal="local")).principal == app.principal


@pytest.mark.parametrize("name", ["", " ", "x" * 201, "LOCAL", "rule:auto_accept_clean", "Model:x", "forgotten-0"])
def test_nobody_takes_a_name_that_means_something_else(app: App, name: str) -> None:
    with pytest.raises(InvalidInput):
        add(app, principal=name)
    assert listed(app) == []
