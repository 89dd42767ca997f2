from __future__ import annotations

import json
from pathlib import Path

from tests.ingest.importers import histories
from tests.ingest.importers.histories import FOLDER, SESSION, model, read, text, tool_result, tool_use, user, write

CLIENT = "claude-code"
TITLES = (("ai-title", "aiTitle"), ("custom-title", "customTitle"))


def history(tmp_path: Path, records: list[dict[str, object]], name: str = f"{SESSION}.jsonl") -> Path:
    return write(tmp_path / name, records)


def test_only_what_was_said_on_the_living_branch_becomes_turns(tmp_path: Path) -> None:
    found = read(history(tmp_path, histories.transcript()), CLIENT)
    assert found.said == histories.TRANSCRIPT_SAID
    assert "NEVER" not in repr(found.values)


def test_tools_and_abandoned_turns_are_counted_and_not_kept(tmp_path: Path) -> None:
    reading = read(history(tmp_path, histories.transcript()), CLIENT).reading
    assert (reading.tool_calls, reading.abandoned, reading.bad_lines) == (2, 3, 0)


def test_a_turn_carries_the_uuid_time_and_file_name_of_its_line(tmp_path: Path) -> None:
    turn = read(history(tmp_path, histories.transcript()), CLIENT).turns[1]
    assert (turn.id, turn.id_is_global, turn.session, turn.line) == ("a2", True, SESSION, 5)
    assert turn.at is not None
    assert turn.at.iso() == "2026-03-02T09:10:11.120+00:00"
    assert turn.source_ref == f"{SESSION}.jsonl#a2"


def test_a_session_is_announced_before_its_first_turn_and_again_when_its_title_is_learnt(tmp_path: Path) -> None:
    found = read(history(tmp_path, histories.transcript()), CLIENT)
    assert found.values[0] == found.sessions[0]
    assert [(info.external_id, info.cwd, info.title) for info in found.sessions] == [
        (SESSION, FOLDER, None),
        (SESSION, FOLDER, "Glaze and heat"),
        (SESSION, FOLDER, "Blue bowls"),
    ]


def test_a_title_alone_in_the_new_part_is_told_unless_a_better_one_stood_at_the_top(tmp_path: Path) -> None:
    start = [user("u1", None, "Hello")]
    titles = [{"type": sort, field: "Bowls", "sessionId": SESSION} for sort, field in TITLES]
    for first, told in ((None, ["Bowls"]), (titles[1], [])):
        path = history(tmp_path, [*([first] if first else []), *start])
        offset = path.stat().st_size
        path.write_bytes(path.read_bytes() + histories.packed([titles[0]]))
        found = read(path, CLIENT, offset=offset)
        assert [info.title for info in found.sessions] == told
        assert len(found.values) == len(told)


def test_a_summary_at_the_top_is_a_title_until_a_better_one_comes(tmp_path: Path) -> None:
    records = [{"type": "summary", "summary": "Bowls", "leafUuid": "x"}, user("u1", None, "Hello")]
    assert [info.title for info in read(history(tmp_path, records), CLIENT).sessions] == ["Bowls"]


def test_a_file_in_which_nobody_speaks_announces_nothing(tmp_path: Path) -> None:
    records = [{"type": "ai-title", "aiTitle": "Nothing", "sessionId": SESSION}, tool_result("r", None)]
    assert read(history(tmp_path, records), CLIENT).values == []


def test_text_blocks_of_one_line_are_one_turn(tmp_path: Path) -> None:
    records = [model("a", None, "First.", tool_use(), "Second.")]
    assert read(history(tmp_path, records), CLIENT).said == [("assistant", "First.\nSecond.")]


def test_everything_after_an_abandoned_prompt_goes_with_it(tmp_path: Path) -> None:
    records = [
        user("u0", None, "Start"),
        user("u1", "u0", "Wrong"),
        model("a1", "u1", tool_use()),
        {"type": "system", "subtype": "compact_boundary", "uuid": "c", "parentUuid": None, "logicalParentUuid": "a1"},
        model("a2", "c", "Wrong too"),
        user("u2", "u0", "Wrong again"),
        user("u3", "u0", "Right"),
    ]
    found = read(history(tmp_path, records), CLIENT)
    assert found.said == [("user", "Start"), ("user", "Right")]
    assert (found.reading.abandoned, found.reading.tool_calls) == (3, 0)


def test_a_prompt_that_is_only_an_image_can_be_rewound(tmp_path: Path) -> None:
    records = [
        user("u0", None, "Start"),
        user("u1", "u0", [{"type": "image", "source": {}}]),
        model("a1", "u1", "Wrong"),
        user("u2", "u0", "Right"),
    ]
    assert read(history(tmp_path, records), CLIENT).said == [("user", "Start"), ("user", "Right")]


def test_parallel_results_with_one_parent_are_no_rewinding(tmp_path: Path) -> None:
    records = [
        user("u1", None, "Do two things"),
        model("a1", "u1", tool_use()),
        tool_result("r1", "a1"),
        tool_result("r2", "a1"),
        model("a2", "r1", "One."),
        model("a3", "r2", "Two."),
    ]
    assert len(read(history(tmp_path, records), CLIENT).turns) == 3


def test_prompts_without_a_parent_and_a_line_written_twice_do_not_rewind_each_other(tmp_path: Path) -> None:
    records = [user("u1", None, "One"), user("u2", None, "Two"), user("u3", "u2", "Three"), user("u3", "u2", "Three")]
    assert [said for _, said in read(history(tmp_path, records), CLIENT).said] == ["One", "Two", "Three", "Three"]


def test_a_history_appended_to_itself_loses_nothing(tmp_path: Path) -> None:
    found = read(history(tmp_path, histories.transcript() * 2), CLIENT)
    assert found.said == histories.TRANSCRIPT_SAID * 2


def test_a_prompt_that_rewinds_what_was_imported_before_leaves_it(tmp_path: Path) -> None:
    start = [user("u0", None, "Start"), user("u1", "u0", "Earlier"), model("a1", "u1", "Answer")]
    path = history(tmp_path, start)
    first = read(path, CLIENT)
    path.write_bytes(path.read_bytes() + histories.packed([user("u2", "u0", "Later")]))
    second = read(path, CLIENT, offset=first.reading.offset)
    assert len(first.turns) == 3
    assert second.said == [("user", "Later")]


def test_a_resumed_copy_carries_the_same_ids_under_its_own_session(tmp_path: Path) -> None:
    other = SESSION.replace("1", "2")
    copy = [record | {"sessionId": other} for record in histories.transcript()]
    first = read(history(tmp_path, histories.transcript()), CLIENT)
    second = read(history(tmp_path, copy, f"{other}.jsonl"), CLIENT)
    assert [turn.id for turn in first.turns] == [turn.id for turn in second.turns]
    assert {turn.session for turn in second.turns} == {other}


def test_a_subagent_has_a_session_of_its_own_that_names_its_parent(tmp_path: Path) -> None:
    records = [
        user("s1", None, "Count the tiles", isSidechain=True, agentId="7f"),
        model("s2", "s1", "Forty.", isSidechain=True, agentId="7f"),
    ]
    path = history(tmp_path, records, f"{SESSION}/subagents/agent-7f.jsonl")
    path.with_name("agent-7f.meta.json").write_text(json.dumps({"agentType": "general", "description": "count tiles"}))
    found = read(path, CLIENT)
    (info,) = found.sessions
    assert (info.external_id, info.parent, info.title) == (f"{SESSION}/7f", SESSION, "count tiles")
    assert {turn.session for turn in found.turns} == {info.external_id}
    assert len(found.turns) == 2


def test_a_subagent_inside_its_parents_file_is_left_out(tmp_path: Path) -> None:
    records = [
        user("u1", None, "Hello"),
        user("s1", None, "NEVER", isSidechain=True),
        model("s2", "s1", "NEVER", tool_use(), isSidechain=True),
    ]
    found = read(history(tmp_path, records), CLIENT)
    assert found.said == [("user", "Hello")]
    assert found.reading.tool_calls == 0


def test_fields_of_the_wrong_type_are_as_good_as_missing(tmp_path: Path) -> None:
    odd = user("u1", None, "Hello") | {"uuid": ["x"], "parentUuid": {}, "sessionId": 7, "timestamp": "yesterday-ish", "cwd": []}
    records = [
        odd,
        {"type": ["user"]},
        {"type": "user", "message": []},
        model("a", None, text("Yes")) | {"message": {"content": [1, {}]}},
    ]
    found = read(history(tmp_path, records), CLIENT)
    (turn,) = found.turns
    assert (turn.session, turn.id, turn.id_is_global, turn.at) == (SESSION, None, False, None)
    assert found.sessions[0].cwd is None
