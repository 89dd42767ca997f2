"""Tokens at the command line: shown once, listed without the secret, ended at once."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from muniment.access.tokens import lifetime
from muniment.errors import InvalidInput
from tests.surfaces.cli.calling import Home


def test_a_token_is_shown_once_and_never_listed(home: Home) -> None:
    made = home.answer("token", "add", "maren", "--level", "viewer", "--read", "inbox", "--expires", "30d")
    listed = home.answer("token", "list")["tokens"]
    assert [(one["ref"], one["name"], one["read"], one["valid"]) for one in listed] == [(made["ref"], "maren", ["inbox"], True)]
    assert made["token"] not in home.run("token", "list", "--json").stdout
    assert made["token"].encode() not in b"".join(path.read_bytes() for path in home.path.rglob("muniment.db*"))


def test_the_token_alone_goes_to_stdout(home: Home) -> None:
    result = home.run("token", "add", "laptop")
    assert result.stdout.strip().startswith("mun_")
    assert len(result.stdout.split()) == 1
    assert "shown once" in result.stderr


def test_a_token_ends_by_name_or_by_ref(home: Home) -> None:
    home.ok("token", "add", "one")
    ref = home.answer("token", "add", "two")["ref"]
    home.ok("token", "revoke", "one")
    home.ok("token", "revoke", ref)
    assert home.answer("token", "list")["tokens"] == []
    assert len(home.answer("token", "list", "--all")["tokens"]) == 2
    assert home.run("token", "revoke", ref).exit_code == 1
    assert home.run("token", "revoke", "nobody").exit_code == 1


def test_two_tokens_of_one_name_are_not_confused(home: Home) -> None:
    assert "ring prod" not in home.run("token", "add", "twin").stderr
    assert "A server of the ring prod starts only when" in home.run("token", "add", "twin").stderr
    assert home.run("token", "revoke", "twin").exit_code == 2
    assert len(home.answer("token", "list")["tokens"]) == 2


def test_where_the_ring_is_prod_no_second_token_gets_a_name(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_RING", "prod")
    home.ok("token", "add", "twin")
    again = home.run("token", "add", "twin")
    assert again.exit_code == 2
    assert "'twin' is taken" in again.stderr


def test_a_token_for_a_workspace_that_is_not_there_is_refused(home: Home) -> None:
    assert home.run("token", "add", "x", "--read", "nowhere").exit_code == 2


@pytest.mark.parametrize(("text", "ms"), [("30d", 2_592_000_000), ("5m", 300_000), (" 2H ", 7_200_000), ("1w", 604_800_000)])
def test_a_lifetime_is_a_number_and_a_unit(text: str, ms: int) -> None:
    assert lifetime(text) == ms


@pytest.mark.parametrize("text", ["", "0d", "d", "30", "1y", "-3d", "999999w", "3 d d"])
def test_what_is_no_lifetime_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        lifetime(text)


def test_the_list_says_whom_a_token_acts_as(home: Home) -> None:
    assert home.answer("token", "add", "maren", "--level", "owner")["principal"] == "maren"
    home.ok("token", "add", "phone", "--principal", "maren")
    assert [(one["name"], one["principal"]) for one in home.answer("token", "list")["tokens"]] == [
        ("maren", "maren"),
        ("phone", "maren"),
    ]
    assert "phone  as maren" in home.ok("token", "list")
    assert home.run("token", "add", "local").exit_code == 2
    assert "of local (agent)" in home.run("token", "add", "mine", "--principal", "local").stderr


def test_the_list_says_the_level_of_a_token_and_what_narrows_it(home: Home) -> None:
    home.ok("workspace", "add", "harbour")
    home.ok("token", "add", "everything", "--level", "owner")
    home.ok("token", "add", "narrow", "--read", "harbour", "--zone", "shared", "--write-mode", "add_only", "--expires", "2h")
    wide, narrow = home.answer("token", "list")["tokens"]
    shown = home.ok("token", "list")
    assert shown.startswith(f"{wide['ref']}  everything  as everything  owner  reads all\n")
    until = f"{narrow['expires_at'][:10]} {narrow['expires_at'][11:16]} UTC"
    assert f"{narrow['ref']}  narrow  as narrow  agent  reads harbour" in shown
    assert f"  zone shared  add_only  until {until}\n" in shown
    assert "sees" not in shown, "both see what their level sees"


def test_a_token_with_the_scopes_of_no_level_is_listed_with_its_scopes(home: Home) -> None:
    home.ok("token", "add", "old", "--level", "owner")
    with closing(sqlite3.connect(next(home.path.rglob("muniment.db")))) as store, store:
        store.execute("UPDATE token SET scopes = 'read append'")
    shown = home.ok("token", "list")
    assert "as old  append read  reads all" in shown
    assert "sees confidential,internal,public,restricted" in shown


def test_no_line_of_the_list_is_wider_than_a_terminal(home: Home) -> None:
    places = [f"a-workspace-with-quite-a-long-name-{number}" for number in range(5)]
    for place in places:
        home.ok("workspace", "add", place)
    walls = [word for place in places for word in ("--read", place)]
    home.ok("token", "add", "the laptop in the harbour office", "--data-class", "restricted", "--expires", "30d", *walls)
    shown = home.ok("token", "list")
    assert max(map(len, shown.splitlines())) <= 80
    assert all(place in shown for place in places)


def test_what_a_token_names_can_be_forgotten(home: Home) -> None:
    home.ok("token", "add", "visitor")
    home.ok("token", "add", "old", "--principal", "local")
    home.ok("token", "add", "phone", "--principal", "visitor")
    for name, advice in (("nobody", "token list --all"), ("old", "acts as the owner"), ("phone", "acts as 'visitor'")):
        refused = home.run("forget", "--principal", name, "--yes")
        assert refused.exit_code != 0
        assert advice in refused.stderr
    refused = home.run("forget", "--principal", "local", "--yes")
    assert "never forgotten as a whole" in refused.stderr
    assert "muniment forget m_" in refused.stderr
    assert "2 token" in home.ok("forget", "--principal", "visitor", "--yes")
    assert [one["name"] for one in home.answer("token", "list")["tokens"]] == ["old"]
    assert home.answer("token", "add", "visitor")["principal"] == "visitor"


def test_a_token_has_classes_and_a_write_mode(home: Home) -> None:
    plain = home.answer("token", "add", "plain")
    assert (plain["data_classes"], plain["write_mode"]) == (["internal", "public"], "direct")
    made = home.answer(
        "token", "add", "careful", "--data-class", "public", "--data-class", "restricted", "--write-mode", "propose"
    )
    assert (made["data_classes"], made["write_mode"]) == (["public", "restricted"], "propose")
    assert "sees public,restricted  propose" in home.ok("token", "list")
    assert home.run("token", "add", "x", "--data-class", "secret").exit_code == 2


def test_a_token_is_rotated_by_name_or_by_ref(home: Home) -> None:
    first = home.answer("token", "add", "scout")
    second = home.answer("token", "rotate", "scout")
    third = home.run("token", "rotate", first["ref"])
    assert first["ref"] == second["ref"]
    assert third.stdout.startswith("mun_")
    assert len({first["token"], second["token"], third.stdout.strip()}) == 3
    assert len(home.answer("token", "list", "--all")["tokens"]) == 1
    assert home.run("token", "rotate", "nobody").exit_code == 1


def test_grants_are_listed_and_one_that_is_not_there_is_not_revoked(home: Home) -> None:
    assert home.answer("token", "grants") == {"grants": []}
    assert "Nobody has granted" in home.ok("token", "grants")
    assert home.run("token", "revoke-grant", "o_" + "0" * 26).exit_code == 1


def test_nothing_is_given_or_ended_where_the_store_is_only_read(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = home.answer("token", "add", "scout")["ref"]
    monkeypatch.setenv("MUNIMENT_READ_ONLY", "1")
    for words in (("add", "x"), ("revoke", ref), ("rotate", ref), ("revoke-grant", ref)):
        assert "only reads" in home.run("token", *words).stderr
    assert [one["valid"] for one in home.answer("token", "list")["tokens"]] == [True]


def test_a_new_token_says_its_end_as_the_list_does(home: Home) -> None:
    told = home.run("token", "add", "scout", "--expires", "30d").stderr
    ends = home.answer("token", "list")["tokens"][0]["expires_at"]
    assert f"(agent, until {ends[:10]} {ends[11:16]} UTC)" in told


def test_the_next_page_of_a_history_is_narrowed_as_the_first_was(home: Home) -> None:
    assert home.ok("token", "history").strip() == "The access log is empty."
    for name in ("desk", "laptop", "phone"):
        home.ok("token", "add", name, "--principal", "maren lind")
    more = home.run("token", "history", "--principal", "maren lind", "--since", "2020-01-01", "--limit", "1").stderr
    assert "`muniment token history --principal 'maren lind' --since 2020-01-01 --limit 1 --before 3`" in more


def test_history_says_who_made_and_ended_what_at_which_door(home: Home) -> None:
    made = home.answer("token", "add", "scout", "--level", "viewer", "--read", "inbox", "--expires", "30d")
    home.ok("token", "revoke", "scout")
    home.run("profile", "add", "maren", "--level", "owner", "--passphrase-stdin", feed="four plain wooden words\n")
    told = home.answer("token", "history")
    assert [(one["kind"], one["by"], one["door"]) for one in told["events"]] == [
        ("profile_made", "local", "cli"),
        ("token_ended", "local", "cli"),
        ("token_made", "local", "cli"),
    ]
    assert told["events"][2]["given"]["read"] == ["inbox"]
    newest, _, oldest = (" ".join(part.split()) for part in home.ok("token", "history").split("#")[1:])
    assert "profile made" in newest
    assert "of maren" in newest
    assert f"token made {made['ref']} scout of scout by local (cli) viewer reads inbox" in oldest
    assert "until " in oldest
    assert made["token"] not in home.ok("token", "history")
    assert [one["kind"] for one in home.answer("token", "history", "--principal", "maren")["events"]] == ["profile_made"]
    first = home.run("token", "history", "--limit", "2")
    assert "`muniment token history --limit 2 --before 2`" in first.stderr
    assert home.ok("token", "history", "--before", "2").count("#") == 1
    assert home.ok("token", "history", "--since", "2999-01-01").strip() == "The access log holds nothing of that."


def test_history_says_why_what_nobody_revoked_has_ended(home: Home) -> None:
    home.run("profile", "add", "maren", "--level", "owner", "--passphrase-stdin", feed="four plain wooden words\n")
    home.answer("token", "add", "phone", "--principal", "maren")
    home.ok("profile", "end", "maren", "--yes")
    newest = " ".join(home.ok("token", "history", "--limit", "1").split())
    assert "token ended" in newest
    assert newest.endswith("why: the profile ended")
