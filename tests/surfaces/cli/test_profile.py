"""Profiles at the command line: made with a passphrase that is never shown, changed, listed, ended."""

from __future__ import annotations

import json
import tomllib

import pytest

from muniment.access import passphrases
from tests.surfaces.cli.calling import Home

WORDS = "four plain wooden words"


def add(home: Home, name: str, *more: str, words: str = WORDS) -> None:
    made = home.run("profile", "add", name, "--passphrase-stdin", *more, feed=f"{words}\n")
    assert made.exit_code == 0, made.stderr


def test_a_profile_is_made_with_a_passphrase_that_is_never_shown(home: Home) -> None:
    add(home, "maren", "--level", "owner", "--read", "inbox", "--write-mode", "add_only")
    (one,) = home.answer("profile", "list")["profiles"]
    assert (one["name"], one["level"], one["read"], one["write_mode"]) == ("maren", "owner", ["inbox"], "add_only")
    shown = home.ok("profile", "list")
    assert "maren  owner  reads inbox" in shown
    assert "argon2" not in shown + json.dumps(one)
    assert WORDS.encode() not in b"".join(path.read_bytes() for path in home.path.rglob("muniment.db*"))


def test_a_profile_is_not_made_twice(home: Home) -> None:
    add(home, "maren", "--level", "owner")
    again = home.run("profile", "add", "maren", "--level", "viewer", "--passphrase-stdin", feed=f"{WORDS}\n")
    assert again.exit_code == 2
    assert "profile set" in again.stderr
    other = home.run("profile", "add", "MAREN", "--level", "viewer", "--passphrase-stdin", feed=f"{WORDS}\n")
    assert other.exit_code == 2
    assert "'maren'" in other.stderr


@pytest.mark.parametrize("words", ["", "short", "eleven char"])
def test_a_short_passphrase_is_refused(home: Home, words: str) -> None:
    made = home.run("profile", "add", "maren", "--level", "owner", "--passphrase-stdin", feed=f"{words}\n")
    assert made.exit_code == 2
    assert "at least 12" in made.stderr
    assert not words or words not in made.stderr.replace("at least 12 characters", "")


def test_nobody_is_asked_where_there_is_no_terminal(home: Home) -> None:
    made = home.run("profile", "add", "maren", "--level", "owner")
    assert made.exit_code == 2
    assert "--passphrase-stdin" in made.stderr


def test_a_printed_entry_is_what_the_settings_take_and_stores_nothing(home: Home) -> None:
    words = ("profile", "add", "maren", "--level", "agent", "--read", "inbox", "--passphrase-stdin", "--print")
    entry = tomllib.loads(home.run(*words, feed=f"{WORDS}\n").stdout)["maren"]
    assert (entry["level"], entry["read"]) == ("agent", ["inbox"])
    assert passphrases.matches(entry["secret_hash"], WORDS)
    asked = json.loads(home.run(*words, "--json", feed=f"{WORDS}\n").stdout)
    assert set(asked["maren"]) == set(entry)
    assert home.answer("profile", "list")["profiles"] == []


def test_a_profile_is_changed_and_what_was_not_said_stays(home: Home) -> None:
    add(home, "maren", "--level", "owner", "--read", "inbox")
    home.ok("profile", "set", "maren", "--zone", "shared")
    (one,) = home.answer("profile", "list")["profiles"]
    assert (one["level"], one["read"], one["zone"]) == ("owner", ["inbox"], "shared")
    home.ok("profile", "set", "maren", "--read", "*")
    assert home.answer("profile", "list")["profiles"][0]["read"] == "*"
    assert home.run("profile", "set", "nobody", "--zone", "shared").exit_code == 1


def test_a_change_of_a_profile_is_answered_with_all_that_it_has_now(home: Home) -> None:
    add(home, "maren", "--level", "operator")
    wish = ("--zone", "shared", "--write-mode", "propose", "--data-class", "public", "--subject", "auth0|7")
    assert home.ok("profile", "set", "maren", *wish).strip() == (
        "maren is changed (operator, reads all, writes all, sees public, zone shared, propose, subject auth0|7)."
    )
    nothing = home.run("profile", "set", "maren")
    assert nothing.exit_code == 2
    assert "Say what is to change" in nothing.stderr


def test_what_a_profile_writes_follows_what_it_reads_until_they_are_set_apart(home: Home) -> None:
    home.ok("workspace", "add", "quay")
    add(home, "maren", "--level", "owner", "--read", "inbox")
    assert "reads quay, writes quay" in home.ok("profile", "set", "maren", "--read", "quay")
    assert "reads all, writes all" in home.ok("profile", "set", "maren", "--read", "*")
    home.ok("profile", "set", "maren", "--write", "inbox")
    assert "reads inbox,quay, writes inbox" in home.ok("profile", "set", "maren", "--read", "inbox", "--read", "quay")
    assert "reads quay, writes nowhere" in home.ok("profile", "set", "maren", "--read", "quay")
    assert "writes nowhere" in home.ok("profile", "list")
    assert "reads quay, writes quay" in home.ok("profile", "set", "maren", "--write", "quay")


def test_a_passphrase_is_changed(home: Home) -> None:
    add(home, "maren", "--level", "owner")
    changed = home.run("profile", "passwd", "maren", "--passphrase-stdin", feed="another four plain words\r\n")
    assert changed.exit_code == 0
    assert home.run("profile", "passwd", "nobody", "--passphrase-stdin", feed=f"{WORDS}\n").exit_code == 1


def test_a_profile_ends_when_that_is_confirmed(home: Home) -> None:
    add(home, "maren", "--level", "owner")
    assert home.run("profile", "end", "maren").exit_code == 2
    home.ok("profile", "end", "maren", "--yes")
    assert home.answer("profile", "list")["profiles"] == []
    assert "ended" in home.ok("profile", "list", "--all")
    add(home, "maren", "--level", "viewer")


def test_nothing_is_changed_where_the_store_is_only_read(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    add(home, "maren", "--level", "owner")
    monkeypatch.setenv("MUNIMENT_READ_ONLY", "1")
    for words in (("set", "maren", "--zone", "shared"), ("end", "maren", "--yes"), ("passwd", "maren", "--passphrase-stdin")):
        assert "only reads" in home.run("profile", *words, feed=f"{WORDS}\n").stderr


def test_who_logs_in_elsewhere_needs_no_passphrase(home: Home) -> None:
    assert "may log in now" in home.ok("profile", "add", "maren", "--level", "viewer", "--subject", "auth0|7")
    (one,) = home.answer("profile", "list")["profiles"]
    assert (one["subject"], one["passphrase"]) == ("auth0|7", False)
    assert "subject auth0|7" in home.ok("profile", "list")
    taken = home.run("profile", "add", "kai", "--level", "viewer", "--subject", "auth0|7")
    assert taken.exit_code == 2
    assert "'maren'" in taken.stderr
    bare = home.run("profile", "set", "maren", "--subject", "")
    assert bare.exit_code == 2
    assert "neither a passphrase nor a subject" in bare.stderr
    assert home.run("profile", "passwd", "maren", "--passphrase-stdin", feed=f"{WORDS}\n").exit_code == 0
    home.ok("profile", "set", "maren", "--subject", "")
    (one,) = home.answer("profile", "list")["profiles"]
    assert (one.get("subject"), one["passphrase"]) == (None, True)
    home.ok("profile", "set", "maren", "--subject", "auth0|8")
    home.ok("profile", "set", "maren", "--level", "owner")
    assert home.answer("profile", "list")["profiles"][0]["subject"] == "auth0|8"


def test_a_subject_is_printed_for_the_settings(home: Home) -> None:
    words = ("profile", "add", "maren", "--level", "agent", "--subject", "auth0|7", "--print")
    entry = tomllib.loads(home.ok(*words))["maren"]
    assert entry == {"level": "agent", "subject": "auth0|7"}
    both = tomllib.loads(home.run(*words, "--passphrase-stdin", feed=f"{WORDS}\n").stdout)["maren"]
    assert passphrases.matches(both["secret_hash"], WORDS)
