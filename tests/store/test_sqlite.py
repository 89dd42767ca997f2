"""What only a file can do wrong: other people's files, permissions, full disks, many processes, and sudden death."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from muniment.errors import StoreError, StoreForeign, StoreFull, StoreMissing
from muniment.store import migrate, workspaces
from muniment.store.sqlite import SqliteStore
from tests.store.rows import add_principal, add_workspace, memory
from tests.stores import NOW

WRITERS, ROWS = 8, 200
SECONDS_MAX = 60
KILLS = 20
# One row a transaction, each acknowledged on a line of its own once it is committed.
WRITER = """
import sys
from pathlib import Path
from muniment.store import workspaces
from muniment.store.sqlite import SqliteStore
from tests.store.rows import memory
store = SqliteStore(Path(sys.argv[1]))
name, rows = sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for row in range(rows):
    with store.write() as connection:
        number = workspaces.take(connection, 1, records=1).records
        connection.run("record_add", memory(1, number, 1, fingerprint=f"{name}-{row}", text=f"{name} {row} " + "x" * 2000))
    print(f"{name}-{row}", flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "muniment.db"


@pytest.fixture
def made(path: Path) -> Iterator[SqliteStore]:
    """A store with a principal and a workspace, both number 1."""
    store = SqliteStore(path, create=True)
    migrate.apply(store, NOW)
    with store.write() as connection:
        add_principal(connection)
        add_workspace(connection, "harbour")
    yield store
    store.close()


# --- whose file is it ---------------------------------------------------------------------------------------------


def _other_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE record (what TEXT)")
    connection.commit()
    connection.close()


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize("sort", ["text", "database", "cut short"])
def test_a_file_of_another_program_is_refused_and_left_as_it_was(path: Path, sort: str, create: bool) -> None:
    if sort == "database":
        _other_database(path)
    else:
        path.write_bytes(b"Dear diary" if sort == "text" else b"SQLite format 3\x00")
    before, stat = path.read_bytes(), path.stat()
    with pytest.raises(StoreForeign, match=r"another program.*Nothing was changed"):
        SqliteStore(path, create=create)
    assert path.read_bytes() == before
    assert (path.stat().st_mtime_ns, path.stat().st_mode) == (stat.st_mtime_ns, stat.st_mode)
    assert os.listdir(path.parent) == [path.name]


def test_a_store_that_was_named_and_is_missing_is_not_made(path: Path) -> None:
    with pytest.raises(StoreMissing, match="init"):
        SqliteStore(path)
    assert not path.exists()


def test_an_empty_file_becomes_a_store_only_when_asked(path: Path) -> None:
    path.touch()
    with pytest.raises(StoreMissing, match="empty"):
        SqliteStore(path)
    assert path.read_bytes() == b""
    store = SqliteStore(path, create=True)
    migrate.apply(store, NOW)
    store.close()
    SqliteStore(path).close()


@pytest.mark.parametrize("create", [False, True])
def test_a_folder_is_no_store(tmp_path: Path, create: bool) -> None:
    with pytest.raises(StoreForeign, match="folder"):
        SqliteStore(tmp_path, create=create)


@pytest.mark.skipif(os.name != "posix", reason="named pipes are POSIX")
@pytest.mark.parametrize("create", [True, False])
def test_a_pipe_or_a_device_is_no_store(tmp_path: Path, create: bool) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", Path(os.devnull)):
        with pytest.raises(StoreForeign, match="is no file"):
            SqliteStore(place, create=create)


@pytest.mark.parametrize("name", [":memory:", "file:memory.db", "a b#c?mode=ro%20.db", "-ö.db"])
def test_a_file_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    store = SqliteStore(Path(name), create=True)
    migrate.apply(store, NOW)
    store.backup(Path(f"{name}.copy"))
    store.close()
    for kept in (name, f"{name}.copy"):
        again = SqliteStore(tmp_path / kept)
        migrate.verify(again)
        again.close()


def test_a_place_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError):
        SqliteStore(tmp_path / "file" / "muniment.db", create=True)


def test_a_file_that_cannot_be_written_is_refused(made: SqliteStore, path: Path) -> None:
    made.close()
    # Root may write to everything, so the file is opened as somebody else, in a folder that is open to all.
    program = (
        "import os, sys\nfrom pathlib import Path\n"
        "from muniment.errors import StoreError\nfrom muniment.store.sqlite import SqliteStore\n"
        "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)\n"
        "try: SqliteStore(Path(sys.argv[1]))\nexcept StoreError as fault: print(fault)\nelse: print('opened')"
    )
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        there = Path(shutil.copy(path, folder))
        there.chmod(0o444)
        done = subprocess.run([sys.executable, "-c", program, str(there)], capture_output=True, text=True, check=True)
    assert "permissions" in done.stdout


def test_opening_changes_nothing(made: SqliteStore, path: Path) -> None:
    made.close()
    before = path.read_bytes()
    store = SqliteStore(path)
    with store.read() as connection:
        connection.all("workspaces")
    store.close()
    assert path.read_bytes() == before


def test_damage_is_found_and_named(made: SqliteStore, path: Path) -> None:
    with made.write() as connection:
        connection.many("record_add", [memory(1, number, 1, text="x" * 4000) for number in range(1, 200)])
    assert ("quick_check", "ok") in made.audit(deep=False)
    made.close()
    with path.open("r+b") as file:
        file.seek(4096 * 200)
        file.write(os.urandom(4096 * 60))
    store = SqliteStore(path)
    try:
        found = dict(store.audit(deep=True))["integrity_check"]
    except StoreForeign as fault:
        found = str(fault)
    assert found != "ok"
    store.close()


def test_a_copy_is_a_whole_store(made: SqliteStore, tmp_path: Path) -> None:
    made.backup(tmp_path / "copy.db")
    copy = SqliteStore(tmp_path / "copy.db")
    migrate.verify(copy)
    with copy.read() as connection:
        assert [found.slug for found in workspaces.all_of(connection)] == ["harbour"]
    copy.close()


# --- a full disk --------------------------------------------------------------------------------------------------


def test_a_full_disk_stores_nothing_of_the_batch_and_leaves_the_store_usable(made: SqliteStore) -> None:
    _size(made, pages=150)
    rows = [memory(1, number, 1, text="x" * 4000) for number in range(1, 301)]
    with pytest.raises(StoreFull, match="Nothing of this call was stored"), made.write() as connection:
        connection.many("record_add", rows)
    with made.read() as connection:
        assert connection.all("workspace_counts", {"workspace": 1}) == []
    with made.write() as connection:
        connection.many("record_add", rows[:5])
    _size(made, pages=1 << 30)
    with made.write() as connection:
        connection.many("record_add", rows[5:])
    with made.read() as connection:
        assert connection.all("workspace_counts", {"workspace": 1}) == [("fact", 300)]
    assert ("integrity_check", "ok") in made.audit(deep=True)


def _size(store: SqliteStore, pages: int) -> None:
    """SQLite reports this limit exactly as it reports a disk without room."""
    store._writer.pragma("max_page_count", pages)


# --- many processes -----------------------------------------------------------------------------------------------


def test_many_processes_write_at_once_and_every_row_is_kept(made: SqliteStore, path: Path, record_property: Any) -> None:
    writers = [_writer(path, f"w{number}", ROWS) for number in range(WRITERS)]
    for writer in writers:
        assert _line(writer) == "ready"
    started = time.monotonic()
    for writer in writers:
        _go(writer)
    ended = [writer.communicate(timeout=SECONDS_MAX) for writer in writers]
    seconds = time.monotonic() - started
    record_property("seconds", round(seconds, 2))
    sys.stdout.write(f"\n{WRITERS} processes, {WRITERS * ROWS} writes of one row: {seconds:.2f} s\n")
    assert [errors for _, errors in ended] == [""] * WRITERS
    assert [len(out.splitlines()) for out, _ in ended] == [ROWS] * WRITERS
    with made.read() as connection:
        assert connection.all("workspace_counts", {"workspace": 1}) == [("fact", WRITERS * ROWS)]
    assert ("quick_check", "ok") in made.audit(deep=False)
    assert seconds < SECONDS_MAX


@pytest.mark.slow
def test_what_was_acknowledged_survives_a_writer_that_is_killed(made: SqliteStore, path: Path) -> None:
    rng, acknowledged = random.Random(7), set()
    for number in range(KILLS):
        writer = _writer(path, f"k{number}", 100_000)
        assert _line(writer) == "ready"
        _go(writer)
        # The first acknowledgement, so that each round kills a writer in the middle of its work.
        acknowledged.add(_line(writer))
        time.sleep(rng.uniform(0, 0.1))
        writer.send_signal(signal.SIGKILL)
        assert writer.stdout
        acknowledged.update(line.strip() for line in writer.stdout)
        writer.communicate()
    assert len(acknowledged) > KILLS
    made.close()
    store = SqliteStore(path)
    connection = apsw.Connection(str(path))
    stored = {row[0] for row in connection.execute("SELECT fingerprint FROM record")}
    connection.close()
    assert acknowledged - stored == set()
    assert ("quick_check", "ok") in store.audit(deep=False)
    store.close()


def _writer(path: Path, name: str, rows: int) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    root = Path(__file__).resolve().parents[2]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(root / "src"), str(root)))}
    command = [sys.executable, "-c", WRITER, str(path), name, str(rows)]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment)


def _line(writer: subprocess.Popen[str]) -> str:
    assert writer.stdout
    return writer.stdout.readline().strip()


def _go(writer: subprocess.Popen[str]) -> None:
    assert writer.stdin
    writer.stdin.write("go\n")
    writer.stdin.flush()


def test_what_is_deleted_is_overwritten(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "muniment.db", create=True)
    assert store._writer.pragma("secure_delete") == 1
    store.close()
