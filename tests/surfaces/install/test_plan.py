"""What an installation changes, and that it can be taken back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.errors import InvalidInput
from muniment.surfaces.install import changes, clients
from muniment.surfaces.install.changes import Change
from muniment.surfaces.install.clients import CLIENTS, Client, Machine
from muniment.surfaces.install.plan import plan

NOW = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
COMMAND = ["/opt/m/muniment"]
NAMES = [client.name for client in CLIENTS]
BEFORE = {
    "json": '\ufeff// mine\r\n{\r\n\t"theme": "dark", // keep\r\n\t"KEY": { "other": {"command": "ö"} }\r\n}',
    "toml": "# mine\r\ntheme = 'dark'\r\n\r\n[KEY.other]\r\ncommand = 'ö' # theirs\r\n",
}


def planned(client: Client, folder: Path, **options: Any) -> tuple[Change, ...]:
    machine = Machine(folder, folder / "project", "linux", {})
    return plan(client, machine, **{"command": COMMAND, "scope": "user", **options})


def done(client: Client, folder: Path, **options: Any) -> tuple[changes.Applied, ...]:
    return changes.apply(planned(client, folder, **options), NOW)


def first_file(client: Client, folder: Path) -> Path:
    return Path(clients.files(client, Machine(folder, folder, "linux", {}), "user")[0])


def existing(client: Client, folder: Path, text: str) -> Path:
    path = first_file(client, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("name", NAMES)
def test_a_second_installation_changes_nothing(name: str, tmp_path: Path) -> None:
    client = clients.find(name)
    assert done(client, tmp_path)
    assert planned(client, tmp_path) == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_fresh_installation_is_taken_back_without_a_trace(name: str, tmp_path: Path) -> None:
    client = clients.find(name)
    done(client, tmp_path)
    done(client, tmp_path, uninstall=True)
    left = [path for path in tmp_path.rglob("*") if path.is_file() and ".muniment-backup-" not in path.name]
    assert left == []
    assert planned(client, tmp_path, uninstall=True) == ()


@pytest.mark.parametrize("name", NAMES)
def test_uninstalling_gives_the_old_bytes_back(name: str, tmp_path: Path) -> None:
    client = clients.find(name)
    text = BEFORE[client.format].replace("KEY", client.keys[0])
    path = existing(client, tmp_path, text)
    done(client, tmp_path)
    assert path.read_bytes() != text.encode()
    done(client, tmp_path, uninstall=True)
    assert path.read_bytes() == text.encode()


@pytest.mark.parametrize("name", NAMES)
def test_uninstalling_after_an_update_gives_the_bytes_from_before_us(name: str, tmp_path: Path) -> None:
    client = clients.find(name)
    path = existing(client, tmp_path, '{ "a": 1 }' if client.format == "json" else "a = 1")
    old = path.read_bytes()
    done(client, tmp_path)
    done(client, tmp_path, command=["/new/muniment"])
    done(client, tmp_path, uninstall=True)
    assert path.read_bytes() == old


@pytest.mark.parametrize("name", NAMES)
def test_what_others_changed_meanwhile_survives_uninstalling(name: str, tmp_path: Path) -> None:
    client = clients.find(name)
    path = existing(client, tmp_path, BEFORE[client.format].replace("KEY", client.keys[0]))
    done(client, tmp_path)
    path.write_bytes(path.read_bytes().replace(b"dark", b"light"))
    done(client, tmp_path, uninstall=True)
    assert path.read_bytes() == BEFORE[client.format].replace("KEY", client.keys[0]).replace("dark", "light").encode()


@pytest.mark.parametrize("name", NAMES)
def test_a_moved_program_is_brought_up_to_date_and_keeps_what_people_added(name: str, tmp_path: Path) -> None:
    client = clients.find(name)
    done(client, tmp_path, env={"MUNIMENT_STORE": "/a.db"})
    path = first_file(client, tmp_path)
    text = path.read_text("utf-8")
    if client.format == "toml":
        path.write_text(text.replace('"stdio"', '"stdio", "--verbose"'))
    else:
        path.write_text(json.dumps(_customised(json.loads(text), client)))
    changed = planned(client, tmp_path, command=["/new/muniment"])
    assert changed[0].what.startswith("updated")
    assert changed[0].after is not None
    assert "/opt/m/muniment" not in changed[0].after
    assert "--verbose" in changed[0].after
    assert "/a.db" in changed[0].after
    assert client.format == "toml" or '"disabled": true' in changed[0].after


def _customised(values: dict[str, Any], client: Client) -> dict[str, Any]:
    entry = values[client.keys[0]]["muniment"]
    entry["disabled"] = True
    (entry["args"] if "args" in entry else entry["command"]).append("--verbose")
    return values


def test_an_empty_list_of_servers_that_was_there_stays(tmp_path: Path) -> None:
    client = clients.find("cursor")
    path = existing(client, tmp_path, '{ "mcpServers": { } }\n')
    done(client, tmp_path)
    path.write_text(path.read_text().replace("\n", "\n\n", 1))
    done(client, tmp_path, uninstall=True)
    assert json.loads(path.read_text()) == {"mcpServers": {}}


@pytest.mark.parametrize("text", ["", "\n", "{}", "{ }", "{\n}\n", "// nothing yet\n", '{"mcpServers": {}}', '{"a": 1, }'])
def test_small_files_come_back_byte_for_byte(text: str, tmp_path: Path) -> None:
    client = clients.find("cursor")
    path = existing(client, tmp_path, text)
    done(client, tmp_path)
    done(client, tmp_path, uninstall=True)
    assert path.read_text() == text


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_file_is_refused_by_name_and_left_alone(name: str, tmp_path: Path) -> None:
    client = clients.find(name)
    path = existing(client, tmp_path, "{ broken = \n")
    for uninstall in (False, True):
        with pytest.raises(InvalidInput, match=r"line \d") as refused:
            planned(client, tmp_path, uninstall=uninstall)
        assert str(path) in refused.value.message
    assert path.read_text() == "{ broken = \n"


@pytest.mark.parametrize("text", ["[1]", "null", "7"])
def test_a_file_that_holds_no_object_is_refused(text: str, tmp_path: Path) -> None:
    client = clients.find("cursor")
    existing(client, tmp_path, text)
    with pytest.raises(InvalidInput):
        planned(client, tmp_path)


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    client = clients.find("cursor")
    path = existing(client, tmp_path, "")
    path.write_bytes('{"a": "ö"}'.encode("latin-1"))
    with pytest.raises(InvalidInput, match="no UTF-8 text"):
        planned(client, tmp_path)


def test_the_file_that_is_there_is_used_and_the_one_that_holds_us_first(tmp_path: Path) -> None:
    client = clients.find("opencode")
    folder = tmp_path / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.json").write_text("{}")
    assert planned(client, tmp_path)[0].path == folder / "opencode.json"
    done(client, tmp_path)
    (folder / "opencode.jsonc").write_text("{}")
    assert planned(client, tmp_path) == ()


def test_changing_from_this_machine_to_a_server_replaces_the_entry(tmp_path: Path) -> None:
    client = clients.find("gemini")
    done(client, tmp_path, env={"MUNIMENT_STORE": "/a.db"})
    done(client, tmp_path, url="https://m.example/mcp")
    entry = json.loads((tmp_path / ".gemini" / "settings.json").read_text())["mcpServers"]["muniment"]
    assert entry == {"type": "http", "url": "https://m.example/mcp"}


def test_vscode_asks_for_a_token_once_and_forgets_the_question_with_us(tmp_path: Path) -> None:
    client = clients.find("vscode")
    text = '{"servers": {}, "inputs": [{"id": "theirs"}]}'
    path = existing(client, tmp_path, text)
    options = {"url": "https://m.example/mcp", "token_env": "T"}
    done(client, tmp_path, **options)
    assert [one["id"] for one in json.loads(path.read_text())["inputs"]] == ["theirs", "muniment-token"]
    assert planned(client, tmp_path, **options) == ()
    done(client, tmp_path, uninstall=True)
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"url": "ftp://x/mcp"}, "no plain http or https address"),
        ({"url": "https://"}, "no plain http or https address"),
        ({"token_env": "T"}, "only needed for a server elsewhere"),
        ({"url": "https://x/mcp", "token_env": "sk-123 456"}, "no name of a variable"),
        ({"url": "https://x/mcp", "env": {"A": "b"}}, "takes no variables"),
        ({"env": {"MUNIMENT_EMBEDDING_API_KEY": "sk"}}, "looks like a secret"),
        ({"env": {"A B": "c"}}, "no name of a variable"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_read(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=message):
        planned(clients.find("cursor"), tmp_path, **options)


def test_no_hooks_are_written_for_a_server_elsewhere_or_when_unwanted(tmp_path: Path) -> None:
    client = clients.find("claude-code")
    assert [change.path.name for change in planned(client, tmp_path)] == [".claude.json", "settings.json"]
    assert len(planned(client, tmp_path, hooks=False)) == 1
    assert len(planned(client, tmp_path, url="https://m.example/mcp")) == 1


def test_the_project_scope_touches_only_the_folder(tmp_path: Path) -> None:
    found = [
        change.path.relative_to(tmp_path).as_posix() for change in planned(clients.find("claude"), tmp_path, scope="project")
    ]
    assert found == ["project/.mcp.json", "project/.claude/settings.json"]


NAMES_OF_SERVERS = st.text("abc.-_ é", min_size=1, max_size=6)


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(NAMES_OF_SERVERS, st.fixed_dictionaries({"command": NAMES_OF_SERVERS}), max_size=3),
    st.sampled_from([None, 1, 2, "\t"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_any_plain_file_comes_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, servers: dict[str, Any], indent: int | str | None, newline: str
) -> None:
    client, folder = clients.find("cursor"), tmp_path_factory.mktemp("home")
    text = json.dumps({"mcpServers": servers, "z": [servers]}, indent=indent).replace("\n", newline)
    path = existing(client, folder, text)
    done(client, folder)
    assert json.loads(path.read_bytes())["mcpServers"] == servers | {"muniment": {"command": COMMAND[0], "args": ["stdio"]}}
    done(client, folder, uninstall=True)
    assert path.read_bytes() == text.encode()
