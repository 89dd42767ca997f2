from __future__ import annotations

import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.errors import InvalidInput
from muniment.ingest.importers import CLIENTS, Reading, open_file, resume_at
from muniment.ingest.importers.lines import TAIL_BYTES
from muniment.model.turns import IncomingTurn, SessionInfo
from tests.ingest.importers import histories
from tests.ingest.importers.histories import SESSION, boundaries, model, packed, read, user, write

OWN = [{"session": f"s{number % 2}", "speaker": "Ines", "text": f"Turn {number}.", "id": str(number)} for number in range(9)]
HISTORIES: dict[str, tuple[list[dict[str, Any]], set[str]]] = {
    "claude-code": (histories.transcript(), histories.TRANSCRIPT_ABANDONED),
    "codex": (histories.rollout(), histories.ROLLOUT_ABANDONED),
    "jsonl": (OWN, set()),
}


def key(turn: IncomingTurn) -> tuple[object, ...]:
    return (turn.session, turn.id, turn.speaker, turn.text, turn.line, turn.at)


@pytest.mark.parametrize("client", CLIENTS)
def test_resuming_at_any_line_gives_each_turn_once_and_the_session_first(tmp_path: Path, client: str) -> None:
    records, abandoned = HISTORIES[client]
    whole, part = write(tmp_path / "a" / f"{SESSION}.jsonl", records), tmp_path / "b" / f"{SESSION}.jsonl"
    expected = read(whole, client)
    data = whole.read_bytes()
    part.parent.mkdir()
    for cut in boundaries(data):
        part.write_bytes(data[:cut])
        first = read(part, client)
        assert first.reading.offset == cut
        part.write_bytes(data)
        second = read(part, client, offset=resume_at(part, first.reading.offset, first.reading.tail_hash))
        assert second.reading.offset == len(data)
        turns = Counter(key(turn) for turn in first.turns + second.turns)
        # What was abandoned only later was said when the first part was read; nothing else may differ.
        kept = Counter({each: count for each, count in turns.items() if each[3] not in abandoned})
        assert kept == Counter(key(turn) for turn in expected.turns)
        if client != "jsonl" and second.turns:
            assert isinstance(second.values[0], SessionInfo)
            assert second.sessions[0].cwd == histories.FOLDER


@pytest.mark.parametrize("client", CLIENTS)
def test_a_half_written_last_line_waits_until_it_is_complete(tmp_path: Path, client: str) -> None:
    records, _ = HISTORIES[client]
    records = [*records, records[-1] if client == "jsonl" else HALF[client]]
    path = write(tmp_path / f"{SESSION}.jsonl", records)
    expected = read(path, client)
    data = path.read_bytes()
    start = boundaries(data)[-2]
    for cut in (start + 1, start + 20, len(data) - 2):
        path.write_bytes(data[:cut])
        first = read(path, client)
        assert first.reading.unfinished
        assert first.reading.offset == start
        assert first.reasons == [(len(records), "the last line is half-written; it is read again once it is complete")]
        path.write_bytes(data)
        second = read(path, client, offset=first.reading.offset)
        assert not second.reading.unfinished
        assert [key(turn) for turn in first.turns + second.turns] == [key(turn) for turn in expected.turns]


HALF: dict[str, dict[str, Any]] = {
    "claude-code": user("u99", "a9", "One more thing."),
    "codex": histories.item("user", "One more thing."),
}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_whole_last_line_without_its_break_is_taken_at_once_and_only_once(tmp_path: Path, client: str) -> None:
    records = [*HISTORIES[client][0], HALF.get(client, OWN[0] | {"id": "99"})]
    path = write(tmp_path / f"{SESSION}.jsonl", records)
    expected, data = read(path, client), path.read_bytes()
    path.write_bytes(data[:-1])
    first = read(path, client)
    assert len(first.turns) == len(expected.turns)
    path.write_bytes(data)
    assert resume_at(path, first.reading.offset, first.reading.tail_hash) == len(data) - 1
    assert read(path, client, offset=first.reading.offset).values == []


@pytest.mark.parametrize("client", CLIENTS)
def test_a_pass_over_few_bytes_ends_at_a_line_and_says_that_there_is_more(tmp_path: Path, client: str) -> None:
    records, abandoned = HISTORIES[client]
    path = write(tmp_path / f"{SESSION}.jsonl", records)
    turns: list[IncomingTurn] = []
    offset, passes = 0, 0
    while True:
        found = read(path, client, offset=offset, bytes_max=200)
        turns, offset, passes = turns + found.turns, found.reading.offset, passes + 1
        if not found.reading.more:
            break
    assert passes > 1
    assert offset == path.stat().st_size
    assert [turn.text for turn in turns if turn.text not in abandoned] == [turn.text for turn in read(path, client).turns]


def test_the_offset_is_behind_the_last_turn_that_was_handed_over_at_any_moment(tmp_path: Path) -> None:
    path = write(tmp_path / f"{SESSION}.jsonl", histories.transcript())
    expected = [key(turn) for turn in read(path, "claude-code").turns if turn.text not in histories.TRANSCRIPT_ABANDONED]
    for stop in range(1, len(expected)):
        reading = open_file(path, "claude-code")
        first: list[IncomingTurn] = []
        for value in reading:
            if isinstance(value, IncomingTurn):
                first.append(value)
                if len(first) == stop:
                    break
        rest = read(path, "claude-code", offset=reading.offset).turns
        said = [key(turn) for turn in first + rest if turn.text not in histories.TRANSCRIPT_ABANDONED]
        assert said == expected


def test_an_announced_session_is_not_lost_when_reading_ends_before_its_turn(tmp_path: Path) -> None:
    path = write(tmp_path / f"{SESSION}.jsonl", [user("u1", None, "Hello")])
    reading = open_file(path, "claude-code")
    assert isinstance(next(iter(reading)), SessionInfo)
    assert reading.offset == 0


def test_a_replaced_or_cut_file_is_read_from_its_start(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", OWN)
    reading = read(path, "jsonl").reading
    assert resume_at(path, reading.offset, reading.tail_hash) == reading.offset
    assert Reading(path, "jsonl", reading.offset).tail_hash == reading.tail_hash
    write(path, [record | {"text": "Turn X."} for record in OWN])
    assert resume_at(path, reading.offset, reading.tail_hash) == 0
    write(path, OWN[:3])
    assert resume_at(path, reading.offset, reading.tail_hash) == 0
    assert resume_at(path, 0, None) == 0


def test_a_line_longer_than_its_hash_covers_is_known_again(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [OWN[0] | {"text": "x" * 300_000}])
    reading = read(path, "jsonl").reading
    assert reading.offset > TAIL_BYTES
    assert resume_at(path, reading.offset, reading.tail_hash) == reading.offset


@pytest.mark.parametrize("client", CLIENTS)
def test_an_empty_file_holds_nothing(tmp_path: Path, client: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"")
    found = read(path, client)
    assert (found.values, found.reading.offset, found.reading.tail_hash) == ([], 0, None)


def test_an_unknown_client_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="claude-code, codex, jsonl"):
        open_file(tmp_path / "a", "emacs")
    for client in CLIENTS:
        with pytest.raises(InvalidInput, match="cannot be read"):
            list(open_file(tmp_path / "none", client))


def test_a_line_of_many_thousand_characters_is_one_turn(tmp_path: Path) -> None:
    path = write(tmp_path / f"{SESSION}.jsonl", [user("u1", None, "log " * 80_000), model("a1", "u1", "Long.")])
    assert [len(turn.text) for turn in read(path, "claude-code").turns] == [319_999, 5]


@pytest.mark.parametrize("client", CLIENTS)
def test_memory_does_not_grow_with_the_history(tmp_path: Path, client: str) -> None:
    records, _ = HISTORIES[client]
    path = tmp_path / f"{SESSION}.jsonl"
    block = packed(records)
    with path.open("wb") as stream:
        for _ in range(40_000 // len(records)):
            stream.write(block)
    tracemalloc.start()
    try:
        assert sum(1 for _ in open_file(path, client)) > 8_000
        assert tracemalloc.get_traced_memory()[1] < 4 * 1024 * 1024
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("client", CLIENTS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_no_bytes_make_a_reading_fail(tmp_path: Path, client: str, data: st.DataObject) -> None:
    records, _ = HISTORIES[client]
    json = st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=9), lambda inner: st.lists(inner, max_size=3)
    )
    mangled = st.builds(lambda record, field, value: packed([record | {field: value}]), st.sampled_from(records), FIELDS, json)
    nested = st.builds(lambda payload: packed([{"type": "response_item", "payload": payload}]), st.dictionaries(FIELDS, json))
    written = b"\n".join(data.draw(st.lists(st.binary(max_size=40) | mangled | nested, max_size=8)))
    path = tmp_path / "a.jsonl"
    path.write_bytes(written)
    reading = open_file(path, client)
    for value in reading:
        if isinstance(value, IncomingTurn):
            assert value.text.strip()
            value.text.encode()
    assert reading.offset <= len(written)
    middle = data.draw(st.integers(0, len(written)))
    list(open_file(path, client, offset=middle))


FIELDS = st.sampled_from(
    [
        "type",
        "message",
        "payload",
        "uuid",
        "parentUuid",
        "sessionId",
        "timestamp",
        "role",
        "content",
        "id",
        "text",
        "session",
        "time",
    ]
)
