from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from muniment.errors import InvalidInput
from muniment.ingest.importers import lines
from muniment.ingest.importers.lines import BOM, LINE_BYTES_MAX, TAIL_BYTES, Line


def parsed(data: bytes) -> object:
    return lines.parse(Line(1, 0, len(data), data, True))


def test_lines_join_back_to_the_file_from_every_start(tmp_path: Path) -> None:
    data = b"one\r\n\ntwo\nthree"
    path = tmp_path / "a"
    path.write_bytes(data)
    for number, start in enumerate((0, 5, 6, 10), start=1):
        found = list(lines.read(path, start))
        assert b"".join(line.data for line in found) == data[start:]
        assert (found[0].number, found[0].offset) == (number, start)
        assert [line.complete for line in found] == [True] * (len(found) - 1) + [False]
        assert found[-1].end == len(data)


def test_reading_stops_before_the_line_that_starts_at_stop(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\nthree\n")
    assert [line.data for line in lines.read(path, 0, 4)] == [b"one\n"]
    assert [line.data for line in lines.read(path, 0, 5)] == [b"one\n", b"two\n"]


@pytest.mark.parametrize("size", [LINE_BYTES_MAX - 1, LINE_BYTES_MAX])
def test_a_line_up_to_the_limit_is_read(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * size + b"\n")
    assert [(line.fault, line.end) for line in lines.read(path)] == [(None, size + 1)]


def test_a_line_over_the_limit_is_rejected_and_the_next_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * (LINE_BYTES_MAX * 2) + b"\n{}\n")
    long, short = lines.read(path)
    assert long.fault == "the line is longer than 16,777,216 bytes"
    assert len(long.data) == TAIL_BYTES
    assert (short.number, short.data) == (2, b"{}\n")
    assert lines.tail_hash_at(path, long.end) == lines.tail_hash(long.data)


def test_bytes_that_no_store_can_hold_are_replaced_where_they_stand() -> None:
    assert parsed(b'{"a": "bad \xff\xfe byte"}') == {"a": "bad �� byte"}
    assert parsed(rb'{"a": "nul \u0000, half \ud83d, whole \ud83c\udf89"}') == {"a": "nul �, half �, whole 🎉"}
    assert parsed(rb'{"\udc00": [{"b": "\udc00"}]}') == {"�": [{"b": "�"}]}
    assert parsed(rb'{"a": "not an escape: \\ud800 \\u0000"}') == {"a": r"not an escape: \ud800 \u0000"}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"{not json", "it is not JSON: Expecting property name enclosed in double quotes at character 2"),
        (b'{"a": 1} {"b": 2}', "it is not JSON: something follows the object at character 9"),
        (b"\0\0\0\n", "it holds nothing but NUL bytes"),
        (b"[1]", "it is not a JSON object"),
        (b"7", "it is not a JSON object"),
        (b'{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "it is not JSON: it is nested too deeply"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "it is not JSON: a number in it is too long"),
    ],
)
def test_what_is_no_object_says_why(data: bytes, why: str) -> None:
    assert parsed(data) == why


@pytest.mark.parametrize("data", [b"", b"\n", b" \t\r\n", BOM + b"\r\n"])
def test_a_blank_line_is_nothing(data: bytes) -> None:
    assert parsed(data) is None


@given(st.binary(max_size=300))
def test_any_bytes_give_an_object_a_reason_or_nothing(data: bytes) -> None:
    assert isinstance(parsed(data), dict | str | None)


@given(st.lists(st.binary(max_size=12).filter(lambda data: b"\n" not in data), min_size=1), st.booleans())
def test_the_hash_of_a_line_is_found_again_at_its_end(
    tmp_path_factory: pytest.TempPathFactory, data: list[bytes], more: bool
) -> None:
    path = tmp_path_factory.mktemp("tail") / "a"
    path.write_bytes(b"\n".join(data) + b"\n" * more)
    for line in lines.read(path):
        assert lines.tail_hash_at(path, line.end) == lines.tail_hash(line.data)


def test_nothing_stands_before_the_start_or_behind_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\n")
    assert lines.tail_hash_at(path, 0) is None
    assert lines.tail_hash_at(path, 5) is None


def test_a_missing_or_damaged_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        list(lines.read(tmp_path / "none"))
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(b"no zstandard at all")
    with pytest.raises(InvalidInput, match="compressed data is damaged"):
        list(lines.read(path))


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.zst"
    path.write_bytes(zstandard.compress(b'{"a": "some words to be read"}\n' * 100_000))
    tracemalloc.start()
    try:
        assert sum(1 for _ in lines.read(path)) == 100_000
        assert tracemalloc.get_traced_memory()[1] < 6 * 1024 * 1024
    finally:
        tracemalloc.stop()
