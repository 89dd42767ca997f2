"""Profiles of the settings: all faults told at once, no secret repeated, and the store made to follow them."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from muniment.access import configured, passphrases, profiles, tokens
from muniment.access.profiles import NewProfile
from muniment.app import App, create_app
from muniment.errors import InvalidInput, MunimentError, NotFound
from tests.access.oauth.test_exchange import together
from tests.stores import at

NOW = 1_700_000_000_000
WORDS = "four plain wooden words"


@pytest.fixture(scope="module")
def held() -> str:
    return passphrases.hashed(WORDS)


def settle(app: App, text: str, *, read_only: bool = False) -> tuple[list[str], list[str]]:
    return configured.settle(app.store, configured.read(text, ""), NOW, read_only=read_only)


def entries(**named: Any) -> str:
    return json.dumps(named)


def names(app: App) -> list[tuple[str, bool, bool]]:
    with app.store.read() as connection:
        return [(one.name, one.configured, one.ended_at is None) for one in profiles.listing(connection)]


def test_json_and_a_file_say_the_same(tmp_path: Path, held: str) -> None:
    file = tmp_path / "profiles.toml"
    file.write_text(f'[maren]\nlevel = "owner"\nsecret_hash = "{held}"\nread = ["inbox"]\n', encoding="utf-8")
    text = entries(maren={"level": "owner", "secret_hash": held, "read": ["inbox"]})
    assert configured.read("", str(file)) == configured.read(text, "") == [NewProfile("maren", "owner", held, ("inbox",))]
    assert configured.read("", "") == []
    with pytest.raises(InvalidInput, match="stands in profiles and in profiles_file"):
        configured.read(text, str(file))


def test_every_fault_is_told_at_once_and_no_secret_with_it(tmp_path: Path, held: str) -> None:
    text = entries(
        plain={"level": "owner", "passphrase": WORDS},
        unhashed={"level": "owner", "secret_hash": WORDS},
        empty={},
        typo={"level": "owner", "secret_hash": held, "levle": "x"},
        lists={"level": "owner", "secret_hash": held, "read": "inbox"},
        level={"level": "root", "secret_hash": held},
        local={"level": "owner", "secret_hash": held},
        text=WORDS,
    )
    with pytest.raises(InvalidInput) as caught:
        configured.read(text, str(tmp_path / "missing.toml"))
    told = caught.value.message
    for name in ("plain", "unhashed", "empty", "typo", "lists", "level", "local", "text", "missing.toml"):
        assert name in told
    assert "muniment profile add NAME --print" in told
    assert WORDS not in told
    assert held not in told


@pytest.mark.parametrize("text", ["{", "[]", "1", WORDS])
def test_what_is_no_json_object_is_not_repeated(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        configured.read(text, "")
    assert WORDS not in str(caught.value)


def test_the_store_follows_the_settings(app: App, held: str) -> None:
    both = entries(maren={"level": "owner", "secret_hash": held}, kai={"level": "agent", "secret_hash": held})
    assert settle(app, both) == (["maren", "kai"], [])
    assert settle(app, both) == ([], [])
    assert profiles.login(app.store, "kai", WORDS, NOW) is not None
    with app.store.write() as connection:
        new = tokens.NewToken("laptop", "agent", "kai")
        secret = tokens.add(connection, new, uid=app.context().uid(), now=NOW)
    assert settle(app, entries(maren={"level": "viewer", "secret_hash": held})) == (["maren"], ["kai"])
    assert names(app) == [("maren", True, True), ("kai", True, False)]
    with app.store.read() as connection:
        assert tokens.find(connection, secret, NOW) is None
        assert profiles.named(connection, "maren").level == "viewer"
    assert settle(app, "") == ([], ["maren"])


def test_profiles_made_by_hand_are_left_alone(app: App, held: str) -> None:
    with app.store.write() as connection:
        profiles.keep(connection, NewProfile("ines", "owner", held), NOW)
    assert settle(app, "") == ([], [])
    assert settle(app, entries(maren={"level": "owner", "secret_hash": held})) == (["maren"], [])
    assert names(app) == [("ines", False, True), ("maren", True, True)]


def test_nothing_is_changed_where_one_cannot_be_kept(app: App, held: str) -> None:
    settle(app, entries(maren={"level": "owner", "secret_hash": held}))
    wrong = {"level": "owner", "secret_hash": held, "read": ["nowhere"]}
    with pytest.raises(InvalidInput, match=r"kai: There is no workspace 'nowhere'.*ines: There is no workspace"):
        settle(app, entries(kai=wrong, ines=wrong))
    assert names(app) == [("maren", True, True)]


def test_a_server_that_only_reads_starts_when_nothing_differs(app: App, held: str) -> None:
    text = entries(maren={"level": "owner", "secret_hash": held})
    with pytest.raises(InvalidInput, match="only read"):
        settle(app, text, read_only=True)
    settle(app, text)
    assert settle(app, text, read_only=True) == ([], [])
    with pytest.raises(InvalidInput, match="maren"):
        settle(app, "", read_only=True)


def subjects(app: App) -> dict[str, str | None]:
    with app.store.read() as connection:
        return {one.name: one.subject for one in profiles.listing(connection) if one.ended_at is None}


def test_a_subject_takes_the_place_of_a_hash_and_may_change_hands(app: App, held: str) -> None:
    kai = {"level": "viewer", "subject": "two"}
    assert settle(app, entries(maren={"level": "owner", "subject": "one", "secret_hash": held}, kai=kai)) == (
        ["maren", "kai"],
        [],
    )
    assert subjects(app) == {"maren": "one", "kai": "two"}
    swapped = entries(maren={"level": "owner", "subject": "two"}, kai={"level": "viewer", "subject": "one"})
    assert settle(app, swapped) == (["maren", "kai"], [])
    assert settle(app, swapped) == ([], [])
    assert subjects(app) == {"maren": "two", "kai": "one"}
    assert settle(app, entries(ines={"level": "viewer", "subject": "one"}, maren=kai)) == (["ines", "maren"], ["kai"])
    assert subjects(app) == {"ines": "one", "maren": "two"}
    twice = {"level": "viewer", "subject": "one"}
    with pytest.raises(InvalidInput, match="is the profile"):
        settle(app, entries(ines=twice, maren=twice))
    assert subjects(app) == {"ines": "one", "maren": "two"}
    with pytest.raises(InvalidInput, match="maren: secret_hash is missing"):
        configured.read(entries(maren={"level": "viewer"}), "")


def test_servers_that_start_at_once_over_one_store_all_start(app: App, address: str, tmp_path: Path) -> None:
    servers = (app, create_app(at(address, tmp_path)))
    for turn in range(8):
        names = range(turn % 2, turn % 2 + 4)
        wanted = [NewProfile(f"p{number}", "viewer", subject=f"s{(number + turn) % 5}") for number in names]
        found = together(*(partial(settled, one, wanted) for one in servers))
        assert all(isinstance(one, tuple) for one in found), found
        assert sum(bool(changed) for changed, _ in found) == 1
    servers[1].close()


def settled(app: App, wanted: list[NewProfile]) -> tuple[list[str], list[str]] | MunimentError:
    try:
        return configured.settle(app.store, wanted, NOW, read_only=False)
    except MunimentError as fault:
        return fault


def test_a_token_can_be_ended_while_the_settings_end_many_profiles(app: App, address: str, tmp_path: Path) -> None:
    other = create_app(at(address, tmp_path))
    wanted = [NewProfile(f"p{number}", "viewer", subject=f"s{number}") for number in range(6)]

    def end(uids: list[str]) -> None:
        for uid in uids:
            with suppress(NotFound), other.store.write() as connection:  # it may have ended with its profile
                tokens.revoke(connection, f"k_{uid}", NOW)

    for turn in range(4):
        assert settled(app, wanted) == ([one.name for one in wanted], [])
        made = [f"{number:03}{turn:03}" + "0" * 20 for number in range(48)]
        with app.store.write() as connection:
            for number, uid in enumerate(made):
                new = tokens.NewToken(uid, "viewer", f"p{number % 6}")
                tokens.add(connection, new, uid=uid, now=NOW)
        found, _ = together(partial(settled, app, []), partial(end, made[::-1]))
        assert found == ([], [one.name for one in wanted])
    other.close()
