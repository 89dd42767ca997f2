from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from muniment.ingest.importers import jsonl
from muniment.ingest.importers.lines import BOM
from muniment.model.turns import IncomingTurn
from tests.ingest.importers.histories import read

GOOD = {"session": "kiln", "speaker": "Ines", "text": "Cone six."}
LINES_PER_SECOND_MIN = 20_000  # a fifth of what it does on an idle machine


def history(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "turns.jsonl"
    path.write_bytes(data)
    return path


def packed(record: object) -> bytes:
    return json.dumps(record).encode() + b"\n"


def test_a_line_becomes_the_turn_it_says(tmp_path: Path) -> None:
    full = GOOD | {"time": "2026-03-02T09:10:11+01:00", "id": "t1", "workspace": "pottery", "text": "  Größe 🎉\n"}
    (turn,) = read(history(tmp_path, packed(full)), "jsonl").turns
    assert turn.at is not None
    assert turn == IncomingTurn(
        session="kiln",
        speaker="Ines",
        text="  Größe 🎉\n",
        at=turn.at,
        id="t1",
        source_ref="turns.jsonl#1",
        line=1,
        workspace="pottery",
    )
    assert turn.at.iso() == "2026-03-02T09:10:11+01:00"


def test_optional_fields_may_be_missing_or_null(tmp_path: Path) -> None:
    data = packed(GOOD) + packed(GOOD | {"time": None, "id": None, "workspace": None})
    first, second = read(history(tmp_path, data), "jsonl").turns
    assert (first.at, first.id, first.workspace) == (second.at, second.id, second.workspace) == (None, None, None)


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (GOOD | {"speker": "Ines"}, "`speker` is no field of a turn (did you mean `speaker`?)"),
        (GOOD | {"colour": 1}, "`colour` is no field of a turn (a turn has session, speaker, text, time, id, workspace)"),
        ({"session": "s", "text": "x"}, "`speaker` is missing"),
        (GOOD | {"text": None}, "`text` is missing"),
        (GOOD | {"text": ""}, "`text` is empty"),
        (GOOD | {"text": " \n\t"}, "`text` is empty"),
        (GOOD | {"session": ""}, "`session` is empty"),
        (GOOD | {"text": 5}, "`text` is no text but a number"),
        (GOOD | {"text": ["a"]}, "`text` is no text but a list"),
        (GOOD | {"speaker": {"name": "x"}}, "`speaker` is no text but an object"),
        (GOOD | {"id": True}, "`id` is no text but true or false"),
        (GOOD | {"time": 1790000000}, "`time` is no text but a number"),
        (GOOD | {"session": "s" * 501}, "`session` is longer than 500 characters"),
        ([GOOD], "it is not a JSON object"),
        ("x", "it is not a JSON object"),
        (None, "it is not a JSON object"),
    ],
)
def test_a_faulty_line_is_rejected_with_its_reason_and_the_rest_is_kept(tmp_path: Path, record: object, why: str) -> None:
    found = read(history(tmp_path, packed(GOOD) + packed(record) + packed(GOOD)), "jsonl")
    assert len(found.turns) == 2
    assert found.reasons == [(2, why)]
    assert found.reading.bad_lines == 1


def test_a_time_that_cannot_be_understood_names_what_can(tmp_path: Path) -> None:
    ((number, why),) = read(history(tmp_path, packed(GOOD | {"time": "soon"})), "jsonl").reasons
    assert number == 1
    assert why.startswith("`time` cannot be understood")
    assert "ISO 8601" in why


def test_many_unknown_fields_do_not_make_a_long_reason(tmp_path: Path) -> None:
    record = GOOD | {f"{'x' * 10_000}{number}": 1 for number in range(50)}
    ((_, why),) = read(history(tmp_path, packed(record)), "jsonl").reasons
    assert why.endswith("and 47 more")
    assert len(why) < 300


def test_the_longest_allowed_session_is_taken(tmp_path: Path) -> None:
    assert len(read(history(tmp_path, packed(GOOD | {"session": "s" * 500})), "jsonl").turns) == 1


def test_marks_line_breaks_blank_lines_and_a_missing_last_break_do_no_harm(tmp_path: Path) -> None:
    line = packed(GOOD).strip()
    data = BOM + line + b"\r\n\r\n   \n\0\0" + line + b"\0\r\n{broken\r\n\0\0\0\n" + line
    found = read(history(tmp_path, data), "jsonl")
    assert [turn.line for turn in found.turns] == [1, 4, 7]
    assert [number for number, _ in found.reasons] == [5, 6]
    assert found.reading.offset == len(data)
    assert not found.reading.unfinished


def test_lines_are_read_fast_enough() -> None:
    record = GOOD | {"time": "2026-03-02T09:10:11Z", "id": "t"}
    started = time.process_time()
    for number in range(20_000):
        assert isinstance(jsonl.turn(number, record), IncomingTurn)
    assert 20_000 / (time.process_time() - started) > LINES_PER_SECOND_MIN


def test_a_whole_text_is_read_as_a_file_is(tmp_path: Path) -> None:
    lines = [packed(GOOD), b"\r\n", b"{broken\n", packed(GOOD | {"text": "Größe"}), packed(GOOD | {"speker": "x"})]
    data = b"".join(lines)
    found = read(history(tmp_path, data), "jsonl")
    values = list(jsonl.read_text(data.decode()))
    turns = [value for value in values if isinstance(value, IncomingTurn)]
    assert [(turn.line, turn.text) for turn in turns] == [(turn.line, turn.text) for turn in found.turns]
    assert [(value.line, value.why) for value in values if not isinstance(value, IncomingTurn)] == found.reasons
