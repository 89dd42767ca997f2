"""Where things lie, and removing them: only with the typed word, and only what is ours."""

from __future__ import annotations

import pytest

from tests.stores import Databases
from tests.surfaces.cli.calling import Home


def test_where_names_the_places_and_hides_secrets(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_EMBEDDING_API_KEY", "sk-very-secret")
    shown = home.ok("where")
    assert str(home.path / ".local" / "share" / "muniment" / "muniment.db") in shown
    assert "not made yet" in shown
    assert "MUNIMENT_EMBEDDING_API_KEY" in shown
    assert "sk-very-secret" not in shown + home.run("where", "--json").stdout


def test_where_hides_the_password_of_a_server(home: Home) -> None:
    shown = home.ok("where", "--store", "postgresql://mira:hush@db.example.org/memory")
    assert "postgresql://mira:…@db.example.org/memory" in shown
    shown += home.ok("where", "--store", "postgresql://db.example.org/memory?user=mira&password=hush")
    assert "hush" not in shown


def test_init_makes_the_named_workspace(home: Home) -> None:
    assert "Made the workspace harbour." in home.ok("init", "--workspace", "harbour")
    assert home.answer("init", "--workspace", "harbour")["workspace_made"] is None


@pytest.mark.postgres
def test_init_says_whether_a_store_on_a_server_was_there(
    home: Home, monkeypatch: pytest.MonkeyPatch, postgres_databases: Databases
) -> None:
    name = postgres_databases.make()
    monkeypatch.setenv("MUNIMENT_STORE", postgres_databases.address(name))
    monkeypatch.setenv("MUNIMENT_STORE_ADMIN", postgres_databases.admin(name))
    try:
        made = home.run("init")
        assert "Made the store" in made.stdout
        assert "ingest --sample" in made.stderr
        again = home.run("init")
        assert "is ready" in again.stdout
        assert "It was there already, and nothing that it keeps was changed: its tables were up to date" in again.stdout
        assert "ingest --sample" not in again.stderr
        monkeypatch.delenv("MUNIMENT_STORE_ADMIN")
        assert home.answer("init")["made"] is False
    finally:
        postgres_databases.drop(name)


def test_a_new_store_is_private(home: Home) -> None:
    home.ok("init", "--store", "new.db")
    assert (home.path / "new.db").stat().st_mode & 0o777 == 0o600


def test_purging_needs_the_word_and_then_leaves_nothing(home: Home) -> None:
    home.ok("ingest", "--sample")
    folder = home.path / ".local" / "share" / "muniment"
    assert home.run("uninstall", "--purge").exit_code == 2
    assert (folder / "muniment.db").exists()
    home.write(".local/share/muniment/other.txt", "not ours")
    home.ok("uninstall", "--purge", "--yes")
    assert [path.name for path in folder.iterdir()] == ["other.txt"]


def test_uninstalling_takes_muniment_out_of_every_client_and_keeps_memory(home: Home) -> None:
    (home.path / ".claude").mkdir()
    home.ok("init")
    home.ok("install", "claude-code")
    assert "muniment" in (home.path / ".claude.json").read_text()
    assert "Claude Code" in home.ok("uninstall")
    assert not (home.path / ".claude.json").exists()
    assert home.run("uninstall").stdout.startswith("Muniment was in no client.")
    assert home.answer("stats")["records"] == 0


def test_upgrading_a_current_store_changes_nothing(home: Home) -> None:
    home.ok("init")
    assert home.answer("upgrade") == {"applied": []}
