from __future__ import annotations

import json
from pathlib import Path

import zstandard

from tests.ingest.importers import histories
from tests.ingest.importers.histories import (
    FOLDER,
    SESSION,
    answered,
    asked,
    event,
    item,
    meta,
    packed,
    read,
    wrapped,
    write,
)

CLIENT = "codex"
NAME = f"rollout-2026-03-02T09-10-11-{SESSION}.jsonl"


def history(tmp_path: Path, records: list[dict[str, object]], name: str = NAME) -> Path:
    return write(tmp_path / name, records)


def test_only_what_was_said_and_not_rolled_back_becomes_turns_once(tmp_path: Path) -> None:
    found = read(history(tmp_path, histories.rollout()), CLIENT)
    assert found.said == histories.ROLLOUT_SAID
    assert "NEVER" not in repr(found.values)
    reading = found.reading
    assert (reading.tool_calls, reading.abandoned, reading.bad_lines) == (2, 3, 0)


def test_a_session_is_described_by_its_first_header(tmp_path: Path) -> None:
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "mother", "depth": 1}}}
    found = read(history(tmp_path, [meta(source=spawned), *asked("Hello")]), CLIENT)
    (info,) = found.sessions
    assert (info.external_id, info.client, info.cwd, info.parent) == (SESSION, CLIENT, FOLDER, "mother")
    assert found.values[0] == info


def test_a_session_is_nobodys_child_when_it_names_itself(tmp_path: Path) -> None:
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": SESSION}}}
    assert read(history(tmp_path, [meta(source=spawned), *asked("Hello")]), CLIENT).sessions[0].parent is None


def test_the_file_name_is_the_session_when_the_header_is_lost(tmp_path: Path) -> None:
    path = history(tmp_path, asked("Hello"))
    path.write_bytes(b"{broken\n" + path.read_bytes())
    assert [info.external_id for info in read(path, CLIENT).sessions] == [SESSION]


def test_a_late_header_still_counts_on_resuming(tmp_path: Path) -> None:
    records = [event("task_started"), meta("named"), *asked("Hello")]
    path = history(tmp_path, records)
    offset = len(packed(records[:-2]))
    assert {turn.session for turn in read(path, CLIENT).turns} == {"named"}
    assert {turn.session for turn in read(path, CLIENT, offset=offset).turns} == {"named"}


def test_the_first_layout_has_no_wrapper(tmp_path: Path) -> None:
    records = [
        {"id": "old", "timestamp": "2025-04-02T09:10:11.120Z", "instructions": "NEVER", "git": {}},
        {"record_type": "state"},
        item("user", "<user_instructions>NEVER</user_instructions>")["payload"],
        item("user", "Old question")["payload"],
        {"type": "local_shell_call", "action": {}},
        item("assistant", "Old answer")["payload"],
    ]
    found = read(history(tmp_path, records), CLIENT)
    assert found.said == [("user", "Old question"), ("assistant", "Old answer")]
    assert found.reading.tool_calls == 1
    assert {turn.session for turn in found.turns} == {"old"}


def test_the_same_words_twice_have_two_ids_that_stay(tmp_path: Path) -> None:
    path = history(tmp_path, histories.rollout())
    ids = [turn.id for turn in read(path, CLIENT).turns]
    assert len(set(ids)) == len(ids)
    assert [turn.id for turn in read(path, CLIENT).turns] == ids


def test_a_fork_carries_the_ids_of_its_origin_up_to_where_they_part(tmp_path: Path) -> None:
    shared = [*asked("Hello"), *answered("Hi."), *asked("ok")]
    origin = read(history(tmp_path, [meta(), *shared, *answered("Left."), *asked("ok")]), CLIENT)
    for head in ([meta("fork", forked_from_id=SESSION)], [meta("fork"), meta()]):
        fork = read(history(tmp_path, [*head, *shared, *answered("Right."), *asked("ok")], "fork.jsonl"), CLIENT)
        assert fork.sessions[0].external_id == "fork"
        same = [first.id == second.id for first, second in zip(origin.turns, fork.turns, strict=True)]
        assert same == [True, True, True, False, False]


def test_ids_of_items_are_not_mistaken_for_those_of_another_session(tmp_path: Path) -> None:
    one = read(history(tmp_path, [meta("one"), *answered("Same.", id="msg_1")], "one.jsonl"), CLIENT)
    two = read(history(tmp_path, [meta("two"), *answered("Same.", id="msg_1")], "two.jsonl"), CLIENT)
    assert one.turns[0].id != two.turns[0].id


def test_a_compressed_file_gives_the_same_turns_and_resumes(tmp_path: Path) -> None:
    records = histories.rollout()
    plain = read(history(tmp_path, records), CLIENT)
    path = tmp_path / f"{NAME}.zst"
    first, second = packed(records[:9]), packed(records[9:])
    path.write_bytes(zstandard.compress(first) + zstandard.compress(second))
    whole = read(path, CLIENT)
    assert [(turn.id, turn.text, turn.line) for turn in whole.turns] == [
        (turn.id, turn.text, turn.line) for turn in plain.turns
    ]
    assert (whole.reading.offset, whole.reading.tail_hash) == (plain.reading.offset, plain.reading.tail_hash)
    later = read(path, CLIENT, offset=len(first))
    assert [turn.id for turn in later.turns] == [turn.id for turn in whole.turns if turn.line > 9]


def test_the_title_comes_from_the_clients_index_and_from_a_renaming(tmp_path: Path) -> None:
    path = history(
        tmp_path, [meta(), *asked("Hello"), event("thread_name_updated", thread_name="Tiles")], f"sessions/2026/{NAME}"
    )
    index = [{"id": SESSION, "thread_name": "Clay"}, {"id": "other", "thread_name": "NEVER"}]
    (tmp_path / "session_index.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in index))
    assert [info.title for info in read(path, CLIENT).sessions] == ["Clay", "Tiles"]


def test_rollbacks_over_rollbacks_remove_what_they_say(tmp_path: Path) -> None:
    back = event("thread_rolled_back", num_turns=1)
    records = [meta(), *asked("1"), *asked("2"), back, *asked("3"), *asked("4"), back, back, *asked("5")]
    assert [said for _, said in read(history(tmp_path, records), CLIENT).said] == ["1", "5"]


def test_a_rollback_of_more_than_there_is_or_of_nonsense_is_survived(tmp_path: Path) -> None:
    nonsense = [event("thread_rolled_back", num_turns=count) for count in (0, -3, "2", None, [1])]
    records = [meta(), *asked("1"), *nonsense, *asked("2")]
    assert len(read(history(tmp_path, records), CLIENT).turns) == 2
    records = [meta(), *asked("1"), event("thread_rolled_back", num_turns=99), *asked("2")]
    assert [said for _, said in read(history(tmp_path, records), CLIENT).said] == ["2"]


def test_fields_of_the_wrong_type_are_as_good_as_missing(tmp_path: Path) -> None:
    records = [
        wrapped("session_meta", {"id": 5, "cwd": [], "source": ["x"]}),
        wrapped("response_item", {"type": "message", "role": ["user"], "content": "x"}),
        wrapped("response_item", {"type": "message", "role": "user", "content": 5}),
        {"type": ["response_item"], "payload": {}},
        {"type": "response_item", "payload": "x"},
        *asked("Hello"),
    ]
    found = read(history(tmp_path, records), CLIENT)
    assert found.said == [("user", "Hello")]
    assert found.sessions[0].external_id == SESSION
