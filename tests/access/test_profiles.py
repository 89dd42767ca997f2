"""Profiles against a real store: who may log in, and that what a profile allows is the most that anything of it may do."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from muniment.access import passphrases, profiles, tokens
from muniment.access.profiles import NewProfile
from muniment.app import App, create_app
from muniment.errors import InvalidInput, MunimentError, NotFound, UnknownWorkspace
from muniment.governance import workspaces as governed
from muniment.model.access import LEVEL_CLASSES, LEVEL_SCOPES
from tests.access.oauth.test_exchange import together
from tests.stores import at

NOW = 1_700_000_000_000
WORDS = "four plain wooden words"


@pytest.fixture(autouse=True)
def places(app: App) -> None:
    for slug in ("alpha", "beta"):
        governed.add(app.context(), slug)


@pytest.fixture(scope="module")
def held() -> str:
    return passphrases.hashed(WORDS)


def keep(app: App, held: str, name: str = "maren", level: str = "owner", **more: Any) -> profiles.Profile:
    with app.store.write() as connection:
        return profiles.keep(connection, NewProfile(name, level, held, **more), NOW)


def end(app: App, name: str) -> None:
    with app.store.write() as connection:
        profiles.end(connection, name, NOW)


def token(app: App, name: str = "maren", level: str = "owner", **more: Any) -> str:
    with app.store.write() as connection:
        new = tokens.NewToken("laptop", level, name, **more)
        return tokens.add(connection, new, uid=app.context().uid(), now=NOW)


def find(app: App, secret: str) -> Any:
    with app.store.read() as connection:
        return tokens.find(connection, secret, NOW)


def test_a_profile_logs_in_with_its_passphrase_and_no_other(app: App, held: str) -> None:
    made = keep(app, held)
    assert profiles.login(app.store, "maren", WORDS, NOW) == made
    for name, passphrase in (("maren", WORDS + "."), ("maren", ""), ("Maren", WORDS), ("local", WORDS), ("nobody", WORDS)):
        assert profiles.login(app.store, name, passphrase, NOW) is None


def test_a_name_is_one_however_its_letters_are_composed(app: App, held: str) -> None:
    made = keep(app, held, "José")
    for name in ("José", "Jose\u0301"):
        assert profiles.login(app.store, name, WORDS, NOW) == made
    assert keep(app, held, "Jose\u0301").name == "José"


def test_a_principal_without_a_passphrase_does_not_log_in(app: App) -> None:
    token(app, "scout")
    for passphrase in ("", "None", WORDS):
        assert profiles.login(app.store, "scout", passphrase, NOW) is None


def test_an_ended_profile_does_not_log_in_and_can_be_kept_again(app: App, held: str) -> None:
    keep(app, held)
    end(app, "maren")
    assert profiles.login(app.store, "maren", WORDS, NOW) is None
    with pytest.raises(NotFound, match="ended"):
        end(app, "maren")
    keep(app, held)
    assert profiles.login(app.store, "maren", WORDS, NOW) is not None


def test_an_unknown_name_costs_as_much_as_a_wrong_passphrase(app: App, held: str) -> None:
    keep(app, held)
    keep(app, held, "ended")
    end(app, "ended")

    def cost(name: str) -> float:
        began = time.thread_time()
        profiles.login(app.store, name, "not the passphrase", NOW)
        return time.thread_time() - began

    costs = {name: min(cost(name) for _ in range(3)) for name in ("maren", "nobody", "ended", "local")}
    assert max(costs.values()) < 2 * min(costs.values())


def test_passphrases_written_in_two_ways_are_one(app: App) -> None:
    keep(app, passphrases.hashed("Gr\u00fc\u00dfe aus dem Hafen"))
    assert profiles.login(app.store, "maren", "Gru\u0308\u00dfe aus dem Hafen", NOW) is not None


@pytest.mark.parametrize("passphrase", ["eleven char", "x" * (passphrases.BYTES_MAX + 1)])
def test_a_passphrase_has_a_shortest_and_a_longest_length(passphrase: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        passphrases.hashed(passphrase)
    assert passphrase not in str(caught.value)


@pytest.mark.parametrize("passphrase", ["twelve chars", "x" * 1000, "x" * passphrases.BYTES_MAX])
def test_a_passphrase_between_them_logs_in(app: App, passphrase: str) -> None:
    keep(app, passphrases.hashed(passphrase))
    assert profiles.login(app.store, "maren", passphrase, NOW) is not None
    assert profiles.login(app.store, "maren", passphrase + "x", NOW) is None


@pytest.mark.parametrize(
    "given",
    [
        WORDS,
        "",
        "$argon2i$v=19$m=65536,t=3,p=4$QZoO3xj0fZ2NDXL/IFouVQ$A5ssZKDiA8dthNXnuaNiDCCdCR7jxPMM2YchoFf9t/4",
        "$argon2id$v=19$m=1024,t=3,p=4$QZoO3xj0fZ2NDXL/IFouVQ$A5ssZKDiA8dthNXnuaNiDCCdCR7jxPMM2YchoFf9t/4",
        "$argon2id$v=19$m=99999999,t=3,p=4$QZoO3xj0fZ2NDXL/IFouVQ$A5ssZKDiA8dthNXnuaNiDCCdCR7jxPMM2YchoFf9t/4",
    ],
)
def test_only_a_sound_hash_is_kept_and_nothing_else_is_repeated(app: App, given: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        keep(app, given)
    assert "muniment profile add" in str(caught.value)
    assert not given or given not in str(caught.value)


def test_a_hash_with_other_parameters_is_made_again_at_the_next_login(app: App) -> None:
    from argon2 import PasswordHasher

    older = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1).hash(WORDS)
    keep(app, older)
    assert profiles.login(app.store, "maren", WORDS, NOW) is not None
    with app.store.read() as connection:
        fresh = profiles.secret_of(connection, "maren")
    assert fresh is not None
    assert not passphrases.outdated(fresh)
    assert profiles.login(app.store, "maren", WORDS, NOW) is not None


def test_a_profile_sees_what_its_level_sees_unless_it_says_so(app: App, held: str) -> None:
    for level in LEVEL_SCOPES:
        made = keep(app, held, level, level)
        assert (made.scopes, made.classes) == (LEVEL_SCOPES[level], LEVEL_CLASSES[level])
    assert keep(app, held, classes=["public"]).classes == {"public"}
    assert [one.name for one in listed(app)] == [*LEVEL_SCOPES, "maren"]


def listed(app: App) -> list[profiles.Profile]:
    with app.store.read() as connection:
        return profiles.listing(connection)


@pytest.mark.parametrize("other", ["MAREN MÜLLER", "Ｍaren Müller", "maren müller"])
def test_a_name_that_is_only_spelled_otherwise_is_taken(app: App, held: str, other: str) -> None:
    keep(app, held, "Maren Müller")
    with pytest.raises(InvalidInput, match="'Maren Müller', which is taken"):
        keep(app, held, other)
    keep(app, held, "Maren Müller", level="viewer")


def test_walls_of_a_profile_name_workspaces_that_are_there(app: App, held: str) -> None:
    made = keep(app, held, read=["alpha"], write=["beta"])
    assert (made.read, made.write) == ({"alpha", "beta"}, {"beta"})
    with pytest.raises(UnknownWorkspace):
        keep(app, held, read=["delta"])


@pytest.mark.parametrize("name", ["local", "LOCAL", " local ", "", "rule:x", "forgotten-1", "x" * 201])
def test_nobody_logs_in_under_a_name_that_means_something_else(app: App, held: str, name: str) -> None:
    with pytest.raises(InvalidInput):
        keep(app, held, name)
    assert listed(app) == []


@pytest.mark.parametrize("wrong", [{"level": "root"}, {"zone": "mine"}, {"write_mode": "now"}, {"classes": ["secret"]}])
def test_what_is_no_level_zone_mode_or_class_is_refused(app: App, held: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="There is no"):
        keep(app, held, **wrong)


def test_a_token_does_no_more_than_its_profile_allows_now(app: App, held: str) -> None:
    secret = token(app, level="admin")
    assert find(app, secret).scopes == LEVEL_SCOPES["admin"]
    keep(app, held, level="agent", read=["alpha"], zone="shared", write_mode="add_only")
    grant = find(app, secret)
    assert grant.scopes == LEVEL_SCOPES["agent"]
    assert (grant.read, grant.write) == ({"alpha"}, {"alpha"})
    assert (grant.classes, grant.zone, grant.write_mode) == ({"public", "internal"}, "shared", "add_only")


def test_a_token_narrower_than_its_profile_stays_as_narrow(app: App, held: str) -> None:
    keep(app, held, level="admin", read=["alpha", "beta"])
    secret = token(app, level="viewer", read=["beta"], zone="untrusted", classes=["public"], write_mode="propose")
    grant = find(app, secret)
    assert (grant.scopes, grant.read, grant.classes) == ({"read"}, {"beta"}, {"public"})
    assert (grant.zone, grant.write_mode, grant.default_workspace) == ("untrusted", "propose", "beta")


def test_a_token_works_in_the_one_workspace_that_its_profile_leaves_it(app: App, held: str) -> None:
    keep(app, held, read=["alpha"])
    assert find(app, token(app)).default_workspace == "alpha"
    assert find(app, token(app, default_workspace="beta")).default_workspace == "alpha"


def test_the_end_of_a_profile_is_the_end_of_its_tokens_grants_and_browsers(app: App, held: str) -> None:
    made = keep(app, held)
    keep(app, held, "other")
    secret, other = token(app), token(app, "other")
    end(app, "maren")
    assert find(app, secret) is None
    assert find(app, other) is not None
    keep(app, held)
    assert find(app, secret) is None
    with app.store.read() as connection:
        assert profiles.profile(connection, made.principal) is not None
        assert profiles.profile(connection, app.principal) is None


def test_of_two_who_take_one_subject_at_once_one_is_told_whose_it_is(app: App, address: str, tmp_path: Path) -> None:
    other = create_app(at(address, tmp_path))

    def take(by: App, name: str, subject: str) -> profiles.Profile | MunimentError:
        try:
            with by.store.write() as connection:
                return profiles.keep(connection, NewProfile(name, "viewer", subject=subject), NOW)
        except MunimentError as fault:
            return fault

    for turn in range(12):
        found = together(
            lambda turn=turn: take(app, f"a{turn}", f"s{turn}"),  # type: ignore[misc]
            lambda turn=turn: take(other, f"b{turn}", f"s{turn}"),  # type: ignore[misc]
        )
        assert sorted(type(one).__name__ for one in found) == ["InvalidInput", "Profile"]
    other.close()
