"""Session files of clients: only what is new is taken in, into the workspace of its folder, whatever happens between."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import app
from muniment.context import Context
from muniment.errors import InvalidInput, UnknownWorkspace
from muniment.governance import workspaces as governed
from muniment.ingest import history
from muniment.model.workspaces import ArchiveWorkspace, MoveRecords
from muniment.store import sessions, sources, workspaces
from tests.governance.placing import confirmed, manages
from tests.places import ROOT


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    opened = app.create_app(app.environment({"store": str(tmp_path / "store.db"), "embedder": "none"}))
    yield opened.context()
    opened.close()


def line(number: int, text: str, cwd: str = "/nowhere") -> str:
    body = {"type": "user", "uuid": f"u{number}", "sessionId": "talk", "cwd": cwd, "message": {"role": "user", "content": text}}
    return json.dumps(body) + "\n"


def title(text: str) -> str:
    return json.dumps({"type": "ai-title", "aiTitle": text, "sessionId": "talk"}) + "\n"


def take(context: Context, path: Path, **more: object) -> history.Imported:
    return history.import_file(context, path, "claude-code", **more)  # type: ignore[arg-type]


def texts(context: Context, slug: str = "inbox") -> list[str]:
    with context.store.read() as connection:
        place = workspaces.by_slug(connection, slug)
        assert place is not None
        rows = connection.all("records_all", {"workspace": place.id, "after": 0, "limit": 10_000})
    return [row[5] for row in rows]


def test_a_grown_file_adds_only_its_new_part(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(line(1, "one"))
    assert take(context, path).added == 1
    with path.open("a") as file:
        file.write(line(2, "two"))
    second = take(context, path)
    assert (second.added, second.duplicates, second.bytes) == (1, 0, len(line(2, "two")))
    assert take(context, path).bytes == 0


def test_a_replaced_file_is_read_from_its_start(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(line(1, "one") + line(2, "two"))
    take(context, path)
    fresh = tmp_path / "fresh"
    fresh.write_text(line(3, "three") + line(1, "one") + line(2, "two") + line(4, "four"))
    fresh.replace(path)
    again = take(context, path)
    assert (again.added, again.duplicates) == (2, 2)


def test_a_file_that_shrank_is_read_from_its_start(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(line(1, "one") + line(2, "two"))
    take(context, path)
    path.write_text(line(5, "five"))
    assert take(context, path).added == 1
    assert texts(context) == ["one", "two", "five"]


def test_a_file_changed_in_place_is_read_from_its_start(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(line(1, "one"))
    take(context, path)
    path.write_text(line(7, "new") + line(8, "two"))
    assert take(context, path).added == 2


def test_a_half_written_line_is_read_once_it_is_whole(context: Context, tmp_path: Path) -> None:
    path, second = tmp_path / "talk.jsonl", line(2, "two")
    path.write_text(line(1, "one") + second[:30])
    first = take(context, path)
    assert (first.added, first.unfinished, first.rejected_total) == (1, True, 0)
    path.write_text(line(1, "one") + second)
    assert take(context, path).added == 1


def test_a_broken_line_is_counted_and_the_rest_is_kept(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(line(1, "one") + "{broken\n" + line(2, "two"))
    done = take(context, path)
    assert (done.added, done.rejected_total, done.rejected[0].line) == (2, 1, 2)


def test_a_bounded_reading_says_that_more_is_left(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(line(number, f"turn {number}") for number in range(100)))
    first = take(context, path, bytes_max=1000)
    assert first.more
    assert 0 < first.added < 100
    assert sum(one.added for one in history.catch_up(context)) == 100 - first.added
    assert texts(context) == [f"turn {number}" for number in range(100)]
    assert sum(one.bytes for one in history.catch_up(context)) == 0


def test_catching_up_forgets_a_file_that_is_gone(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(line(number, f"turn {number}") for number in range(100)))
    take(context, path, bytes_max=1000)
    path.unlink()
    assert history.catch_up(context) == []
    with context.store.read() as connection:
        mark = sources.get(connection, str(path))
    assert mark is not None
    assert mark.position == mark.size


def test_each_session_goes_to_the_workspace_of_its_project(context: Context, tmp_path: Path) -> None:
    project = tmp_path / "Quill Box"
    (project / ".git").mkdir(parents=True)
    path = tmp_path / "talk.jsonl"
    path.write_text(line(1, "one", str(project / "deep")))
    assert take(context, path).sessions == {("quill-box", "talk")}
    path.write_text(line(1, "one", str(project)) + line(2, "two", str(project)))
    take(context, path, bytes_max=1)
    history.catch_up(context)
    assert texts(context, "quill-box") == ["one", "two"]


def test_a_named_workspace_takes_everything(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(line(1, "one"))
    take(context, path)
    assert take(context, path, route=history.Route(workspace="global")).added == 1
    with pytest.raises(UnknownWorkspace):
        take(context, path, route=history.Route(workspace="nowhere"))


def test_turns_of_a_paused_folder_are_passed_over_for_good(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(line(1, "one", "/private"))
    paused = history.Route(paused=lambda folder: folder == Path("/private"))
    assert take(context, path, route=paused).left_out == 1
    assert take(context, path).bytes == 0
    assert texts(context) == []


def test_a_dry_run_changes_nothing(context: Context, tmp_path: Path) -> None:
    project = tmp_path / "quillbox"
    (project / ".git").mkdir(parents=True)
    path = tmp_path / "talk.jsonl"
    path.write_text(line(1, "one", str(project)))
    assert take(context, path, dry_run=True).added == 1
    with context.store.read() as connection:
        assert workspaces.by_slug(connection, "quillbox") is None
        assert sources.get(connection, str(path)) is None


def test_a_title_that_comes_later_is_learnt(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(line(1, "one"))
    take(context, path)
    with path.open("a") as file:
        file.write(title("Quay talk"))
    take(context, path)
    with context.store.read() as connection:
        inbox = workspaces.by_slug(connection, "inbox")
        assert inbox is not None
        talk = sessions.by_external(connection, inbox.id, "talk")
    assert talk is not None
    assert talk.title == "Quay talk"


def test_a_late_title_reaches_the_workspace_of_its_project_with_its_secrets_masked(context: Context, tmp_path: Path) -> None:
    project = tmp_path / "quillbox"
    (project / ".git").mkdir(parents=True)
    path = tmp_path / "talk.jsonl"
    path.write_text(line(1, "one", str(project)))
    take(context, path)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with path.open("a") as file:
        file.write(title(f"Quay talk {secret}"))
    assert take(context, path).masked == 1
    with context.store.read() as connection:
        place = workspaces.by_slug(connection, "quillbox")
        assert place is not None
        talk = sessions.by_external(connection, place.id, "talk")
    assert talk is not None
    assert talk.title == "Quay talk [secret:github]"


def test_progress_hears_of_every_byte(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(line(number, f"turn {number}") for number in range(2500)))
    heard: list[int] = []
    take(context, path, progress=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == path.stat().st_size
    assert len(heard) >= 3


def test_a_file_that_is_not_there_is_refused(context: Context, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        take(context, tmp_path / "missing.jsonl")


def test_taking_in_a_history_loads_no_numpy() -> None:
    code = "import sys; import muniment.ingest.history, muniment.app, muniment.insight.brief; print('numpy' in sys.modules)"
    environ = {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ)
    assert done.stdout.strip() == "False"


SESSION = "6f1c2f2e-0b1a-4c57-9f0e-2a44a1f0c7d3"


def said(number: int, text: str, cwd: str) -> str:
    return line(number, text, cwd).replace('"talk"', f'"{SESSION}"')


def test_a_conversation_that_was_moved_goes_on_where_it_is(context: Context, tmp_path: Path) -> None:
    (tmp_path / "harbour" / ".git").mkdir(parents=True)
    cwd = str(tmp_path / "harbour")
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_text(said(1, "one", cwd))
    take(context, path)
    governed.add(context, "quay")
    with context.store.read() as connection:
        place = workspaces.by_slug(connection, "harbour")
        assert place is not None
        talk = sessions.by_external(connection, place.id, SESSION)
        assert talk is not None
    confirmed(context, MoveRecords("move", "quay", session=f"s_{talk.uid}"))
    with path.open("a") as file:
        file.write(said(2, "two", cwd))
    assert take(context, path).added == 1
    assert (texts(context, "quay"), texts(context, "harbour")) == (["one", "two"], [])
    history.catch_up(context)
    assert texts(context, "quay") == ["one", "two"]


def test_nothing_is_read_on_for_a_workspace_that_was_archived(context: Context, tmp_path: Path) -> None:
    (tmp_path / "harbour" / ".git").mkdir(parents=True)
    path = tmp_path / "talk.jsonl"
    path.write_text(line(1, "one", str(tmp_path / "harbour")))
    take(context, path)
    manages(context, ArchiveWorkspace("archive", "harbour"))
    with path.open("a") as file:
        file.write(line(2, "two", str(tmp_path / "harbour")))
    assert history.catch_up(context) == []
    assert texts(context, "harbour") == ["one"]
