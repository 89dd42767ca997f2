"""Opening changes nothing: a store that was named is found or missed, and only the default one is made unasked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from muniment import settings
from muniment.app import App, create_app, open_app, upgrade_app, where
from muniment.errors import InvalidInput, MunimentError, SchemaNewer, SchemaOlder, StoreError, StoreForeign, StoreMissing
from muniment.model.access import LEVEL_SCOPES
from muniment.store import generations, migrate, workspaces
from tests.ingest.writing import found, keep, say
from tests.stores import NOW, at, making, owner


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folders with nothing in them."""
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    return tmp_path / "home"


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def migrations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dialect: str, more: str = "") -> None:
    """This program's migrations, and one more."""
    folder = tmp_path / "migrations" / dialect
    folder.mkdir(parents=True)
    for path in (migrate.FOLDER / dialect).glob("*.sql"):
        (folder / path.name).write_bytes(path.read_bytes())
    if more:
        (folder / "9999_more.sql").write_text(more)
    monkeypatch.setattr(migrate, "FOLDER", folder.parent)


# --- making ---------------------------------------------------------------------------------------------------------


def test_a_new_store_has_its_owner_two_workspaces_and_an_embedder(app: App) -> None:
    with app.store.read() as connection:
        assert [one.slug for one in workspaces.all_of(connection)] == ["global", "inbox"]
        assert generations.live(connection) is not None
        assert connection.one("principal_by_name", {"name": "local"}) is not None
    context = app.context()
    assert (context.workspace, context.grant.scopes, context.redact) == ("inbox", LEVEL_SCOPES["admin"], True)


def test_a_named_store_that_is_not_there_is_never_made(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "absent.db"
    for act in (open_app, upgrade_app):
        with pytest.raises(StoreMissing, match="muniment init --store"):
            act(at(str(path), tmp_path))
    assert not path.parent.exists()


def test_the_default_store_is_made_when_it_is_missing(home: Path, tmp_path: Path) -> None:
    got = at("", tmp_path)
    assert Path(where(got)).is_relative_to(home)
    app = open_app(got)
    say(app, "s", "The gate opens at six.")
    app.close()
    app = open_app(got)
    assert found(app, "When does the gate open?")
    app.close()


def test_making_a_store_again_keeps_what_is_in_it(app: App, address: str, tmp_path: Path) -> None:
    ref = keep(app, "The gate opens at six.").ref
    with app.store.read() as connection:
        key = connection.one("meta_get", {"key": "cursor_key"})
        held = generations.all_of(connection)
    again = create_app(at(address, tmp_path))
    assert found(again, "gate six") == [ref]
    with again.store.read() as connection:
        assert connection.one("meta_get", {"key": "cursor_key"}) == key
        assert generations.all_of(connection) == held
    again.close()


MAKER = """
import sys
from muniment.app import create_app, open_app
from muniment.settings import load
sys.stdin.readline()
environ = {"MUNIMENT_CONFIG": sys.argv[2], "MUNIMENT_STORE_ADMIN": sys.argv[3]}
app = (create_app if sys.argv[1] else open_app)(load({"store": sys.argv[1]}, environ))
print(app.principal, app.context().workspace)
"""


@pytest.mark.parametrize("default", [False, True])
def test_several_programs_may_make_one_store_at_once(
    dialect: str, address: str, tmp_path: Path, home: Path, default: bool
) -> None:
    got = at("" if default else address, tmp_path)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", MAKER, got.store, str(tmp_path / "config.toml"), owner(got.store)]
    pipe = subprocess.PIPE
    makers = [subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment) for _ in range(4)]
    for maker in makers:
        assert maker.stdin is not None
        maker.stdin.write("\n")
        maker.stdin.flush()
    ended = [maker.communicate(timeout=120) for maker in makers]
    assert ended == [("1 inbox\n", "")] * 4
    app = open_app(got)
    with app.store.read() as connection:
        assert len(workspaces.all_of(connection)) == 2
        assert len(generations.all_of(connection)) == 1
    app.close()


def test_a_half_made_store_is_said_to_be_one_and_init_ends_it(address: str, tmp_path: Path) -> None:
    store = making(address)
    migrate.apply(store, NOW)
    store.close()
    with pytest.raises(StoreMissing, match="only half made"):
        open_app(at(address, tmp_path))
    create_app(at(address, tmp_path)).close()
    open_app(at(address, tmp_path)).close()


# --- files that are no store ----------------------------------------------------------------------------------------


@pytest.fixture(params=["text", "empty sqlite", "sqlite of another program", "random"])
def foreign(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "theirs" / "file.db"
    path.parent.mkdir()
    match request.param:
        case "text":
            path.write_text("Dear diary")
        case "random":
            path.write_bytes(bytes(range(256)) * 64)
        case _:
            import apsw

            theirs = apsw.Connection(str(path))
            theirs.execute(
                "CREATE TABLE record (id INTEGER); PRAGMA application_id = 7" if "another" in request.param else "VACUUM"
            )
            theirs.close()
    return path


def test_a_foreign_file_stays_as_it_is_byte_for_byte(foreign: Path, tmp_path: Path) -> None:
    before = files(foreign.parent)
    assert before["file.db"]
    for act in (open_app, create_app, upgrade_app):
        with pytest.raises(StoreForeign, match="Nothing was changed"):
            act(at(str(foreign), tmp_path))
    assert files(foreign.parent) == before


def test_an_empty_file_and_a_folder_are_no_stores(tmp_path: Path) -> None:
    empty = tmp_path / "empty.db"
    empty.touch()
    with pytest.raises(StoreMissing):
        open_app(at(str(empty), tmp_path))
    for act in (open_app, create_app, upgrade_app):
        with pytest.raises(StoreForeign, match="is a folder"):
            act(at(str(tmp_path), tmp_path))
    assert empty.read_bytes() == b""


def test_an_address_that_leads_nowhere_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="Check the path"):
        create_app(at(str(tmp_path / "file" / "below.db"), tmp_path))


# --- schemas --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["mysql://db/x", "~nobody-of-that-name/x.db", "bad\udcff.db"])
@pytest.mark.parametrize("door", [open_app, create_app])
def test_an_address_that_can_name_no_file_makes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, door: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match="Name a file"):
        door(settings.load({"store": address}, {}))
    assert list(tmp_path.iterdir()) == []


def test_an_older_store_is_opened_only_after_an_upgrade_and_a_copy_is_kept(
    app: App, dialect: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = keep(app, "The gate opens at six.").ref
    app.close()
    got = at(address, tmp_path)
    assert upgrade_app(got) == []
    migrations(tmp_path, monkeypatch, dialect, "CREATE TABLE more (id INTEGER);")
    with pytest.raises(SchemaOlder, match="muniment upgrade"):
        open_app(got)
    assert upgrade_app(got) == ["more"]
    opened = open_app(got)
    assert found(opened, "gate six") == [ref]
    opened.close()
    if dialect == "sqlite":
        (copy,) = Path(address).parent.glob("*.before-upgrade-*")
        monkeypatch.undo()
        with pytest.raises(SchemaNewer):
            open_app(got)
        old = open_app(at(str(copy), tmp_path))
        assert found(old, "gate six") == [ref]
        old.close()


def test_making_an_older_store_again_brings_it_up_to_date_and_keeps_a_copy_too(
    app: App, dialect: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = keep(app, "The gate opens at six.").ref
    app.close()
    got = at(address, tmp_path)
    create_app(got).close()
    assert list(tmp_path.rglob("*.before-upgrade-*")) == []
    migrations(tmp_path, monkeypatch, dialect, "CREATE TABLE more (id INTEGER);")
    made = create_app(got)
    assert found(made, "gate six") == [ref]
    made.close()
    if dialect == "sqlite":
        (copy,) = tmp_path.rglob("*.before-upgrade-*")
        monkeypatch.undo()
        old = open_app(at(str(copy), tmp_path))
        assert found(old, "gate six") == [ref]
        old.close()


def test_an_upgrade_that_fails_leaves_the_store_as_it_was(
    app: App, dialect: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.close()
    got = at(address, tmp_path)
    with monkeypatch.context() as patched:
        migrations(tmp_path, patched, dialect, "CREATE TABLE more (id INTEGER); INSERT INTO absent VALUES (1);")
        with pytest.raises(MunimentError):
            upgrade_app(got)
    opened = open_app(got)
    assert found(opened, "anything") == []
    opened.close()


def test_a_newer_store_is_refused_and_left_alone(
    app: App, dialect: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.close()
    got = at(address, tmp_path)
    with monkeypatch.context() as patched:
        migrations(tmp_path, patched, dialect, "CREATE TABLE more (id INTEGER);")
        upgrade_app(got)
    for act in (open_app, create_app, upgrade_app):
        with pytest.raises(SchemaNewer, match="nothing was changed"):
            act(got)


# --- contexts -------------------------------------------------------------------------------------------------------


def test_a_context_is_of_the_workspace_that_was_named_nearest(app: App, address: str, tmp_path: Path) -> None:
    app.close()
    named = open_app(at(address, tmp_path, workspace="setting", session="talk", redact=False, read_only=True))
    assert named.context(workspace="argument").workspace == "argument"
    context = named.context(cwd=tmp_path)
    assert (context.workspace, context.session, context.redact, context.read_only) == ("setting", "talk", False, True)
    named.close()


def test_links_lead_to_the_public_address_or_the_port(app: App, address: str, tmp_path: Path) -> None:
    assert app.context().base_url == "http://127.0.0.1:8750"
    app.close()
    public = open_app(at(address, tmp_path, base_url="https://memory.example.org"))
    assert public.context().base_url == "https://memory.example.org"
    public.close()


def test_no_secret_of_the_settings_is_shown_by_an_app(tmp_path: Path) -> None:
    app = create_app(at(str(tmp_path / "x.db"), tmp_path, embedding_api_key="sk-" + "0123456789abcdef"))
    assert "0123456789abcdef" not in repr(app)
    assert "0123456789abcdef" not in repr(app.context())
    app.close()


def test_the_settings_of_the_process_come_from_its_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from muniment.app import environment

    (tmp_path / "config.toml").write_text('host = "file"')
    monkeypatch.setenv("MUNIMENT_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("MUNIMENT_PORT", "9000")
    got = environment({"log_level": "error"})
    assert isinstance(got, settings.Settings)
    assert (got.host, got.port, got.log_level) == ("file", 9000, "error")


@pytest.mark.parametrize("admin", ["", "postgresql://postgres@127.0.0.1/muniment"])
def test_a_store_on_postgresql_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch, admin: str) -> None:
    for name in ("muniment.store.postgres", "muniment.store.postgres_admin"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    named = settings.load({"store": "postgresql://muniment@127.0.0.1/muniment", "store_admin": admin}, {})
    for work in (create_app, open_app, upgrade_app):
        with pytest.raises(StoreError, match="PostgreSQL support is not installed") as caught:
            work(named)
        assert "`pip install 'muniment[postgres]'`" in str(caught.value.do_next)
        assert "`pipx inject muniment 'psycopg[binary,pool]'`" in str(caught.value.do_next)
