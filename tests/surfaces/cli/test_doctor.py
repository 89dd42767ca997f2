"""`muniment doctor`: the store, the clients and the hooks in one look."""

from __future__ import annotations

import pytest

from tests.surfaces.cli.calling import Home


def test_a_fresh_machine_is_well(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUNIMENT_EMBEDDER")
    report = home.answer("doctor")
    assert report["level"] == "ok"
    assert home.ok("doctor", "--quiet") == ""
    assert home.ok("doctor").endswith("All is well.\n")


def test_meaning_that_is_switched_off_is_said(home: Home) -> None:
    report = home.answer("doctor", code=1)
    assert [one["what"] for one in report["findings"] if one["level"] == "warn"] == ["Meaning is switched off in this process."]


def test_a_store_that_cannot_be_opened_is_a_finding(home: Home) -> None:
    report = home.answer("doctor", "--store", "missing.db", code=2)
    assert report["level"] == "fail"
    assert "There is no store at" in report["findings"][0]["what"]
    assert report["findings"][0]["do_next"]


def test_clients_that_start_another_muniment_are_named(home: Home) -> None:
    (home.path / ".claude").mkdir()
    home.ok("install", "claude-code")
    assert any("Connected: Claude Code" in one["what"] for one in home.answer("doctor", code=1)["findings"])
    file = home.path / ".claude.json"
    file.write_text(file.read_text().replace('"command": "', '"command": "/old'))
    found = [one for one in home.answer("doctor", code=1)["findings"] if "starts another Muniment" in one["what"]]
    assert found[0]["do_next"].startswith("Run `muniment install claude-code`")


def test_what_is_fetched_for_who_logs_in_is_told_with_what_is_not_opened(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No connection is opened to anywhere." in home.run("doctor").stdout
    home.run("profile", "add", "maren", "--level", "owner", "--passphrase-stdin", feed="four plain wooden words")
    shown = home.run("doctor").stdout
    assert "No connection is opened to anywhere, but for what `serve` fetches." in shown
    assert "`serve` fetches the metadata of clients" in shown
    monkeypatch.setenv("MUNIMENT_READ_ONLY", "1")
    assert "fetches" not in home.run("doctor").stdout, "nobody logs in to a server that only reads"


def test_the_connection_to_a_configured_issuer_is_told(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.run("profile", "add", "maren", "--level", "owner", "--passphrase-stdin", feed="four plain wooden words")
    monkeypatch.setenv("MUNIMENT_AUTH", "external")
    monkeypatch.setenv("MUNIMENT_EXTERNAL_ISSUER", "https://login.example.org/")
    shown = home.run("doctor").stdout
    assert "No connection is opened to anywhere, but for what `serve` fetches." in shown
    assert "`serve` fetches the keys of https://login.example.org/" in shown
    assert "metadata of clients" not in shown


def test_a_variable_with_a_slip_in_its_name_is_told(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_TOKEN", "mun_x")
    home.run("doctor")
    assert "no setting is called so" not in home.run("doctor").stdout
    monkeypatch.setenv("MUNIMENT_TRUSTED_PROXY", "10.0.0.1")
    told = home.run("doctor")
    assert told.exit_code == 1
    assert "MUNIMENT_TRUSTED_PROXY is set, and no setting is called so." in told.stdout
    assert "Perhaps MUNIMENT_TRUSTED_PROXIES was meant." in told.stdout
    assert "10.0.0.1" not in told.stdout


def test_paused_folders_are_shown(home: Home) -> None:
    home.ok("pause")
    assert f"Paused: {home.path}." in home.run("doctor").stdout
    home.ok("resume")
    assert home.run("resume").exit_code == 1
    assert "No folder is paused." in home.ok("pause", "--list")


def test_what_is_well_but_says_to_do_something_has_no_tick(home: Home) -> None:
    home.answer("remember", "The crane is red.")
    hints = [row for row in home.run("doctor").stdout.splitlines() if "scan_required" in row]
    assert [row[0] for row in hints] == ["→"]
