"""Reading and writing JSON at the edge."""

from __future__ import annotations

import json

import pytest

from muniment.errors import InvalidInput, LimitExceeded
from muniment.surfaces import frames

HOSTILE = [
    b"",
    b"{",
    b"\xff\xfe{}",
    b'{"a": NaN}',
    b"[Infinity]",
    b"1" * 5000,
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"[" * 900 + b"]" * 900,
    b'"\x00"',
]


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_what_cannot_be_read_is_invalid_input(data: bytes) -> None:
    with pytest.raises(InvalidInput):
        frames.read(data)


def test_nesting_ends_at_its_limit() -> None:
    most = frames.DEPTH_MAX
    assert frames.read(b"[" * most + b"]" * most)
    with pytest.raises(LimitExceeded, match="deeply"):
        frames.read(b"[" * (most + 1) + b"]" * (most + 1))


def test_a_fault_does_not_quote_the_text() -> None:
    with pytest.raises(InvalidInput) as raised:
        frames.read(b'{"password": "hunter2"')
    assert "hunter2" not in str(raised.value)


def test_text_of_every_script_is_written_as_it_is() -> None:
    assert frames.write({"a": "日本 ü 🚢"}) == '{"a":"日本 ü 🚢"}'.encode()
    assert frames.read(b'\xef\xbb\xbf{"a":1}') == {"a": 1}


def test_one_value_is_one_line() -> None:
    written = frames.write({"text": "a\nb\r\u2028c", "half": "\ud83d"})
    assert b"\n" not in written
    assert b"\r" not in written
    assert json.loads(written)["text"] == "a\nb\r\u2028c"
