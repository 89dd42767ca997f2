"""Lines of a file that may still be written: streamed from a byte offset, compressed or not.

Memory stays constant: one block and one line of at most LINE_BYTES_MAX are held, whatever the file's size.
Offsets count bytes of the (decompressed) text, so they stay true when a client compresses an old file.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from muniment.errors import InvalidInput

LINE_BYTES_MAX = 16 * 1024 * 1024
# How much of the last line its hash covers: enough to know it again, little enough to read at every hook.
TAIL_BYTES = 4096
BLOCK_BYTES = 1024 * 1024
# Zstandard lets a file ask for gigabytes of history; no client does.
ZSTD_WINDOW_BYTES_MAX = 32 * 1024 * 1024
ZSTD_SUFFIX = ".zst"
BOM = b"\xef\xbb\xbf"
# Escapes for what no store can hold: NUL, and halves of surrogate pairs (whole pairs are read as one character).
_ESCAPES = re.compile(r"\\u(?:0000|d[89a-f])", re.IGNORECASE)
_decode = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class Line:
    """One line with its line break. `complete`: the line break was there; `fault`: why `data` cannot be used.

    `number` is 1-based; `offset` and `end` are bytes from the start of the text. Of a line that is too long,
    `data` holds only the last TAIL_BYTES.
    """

    number: int
    offset: int
    end: int
    data: bytes
    complete: bool
    fault: str | None = None


def read(path: Path, offset: int = 0, stop: int | None = None) -> Iterator[Line]:
    """The lines that start at or after `offset` (the start of a line) and before `stop`.

    Raises InvalidInput when the file cannot be read, or its compressed data is damaged.
    """
    with _opened(path) as stream:
        number = 1 + _skip(stream, offset)
        start = offset
        while stop is None or start < stop:
            line = _line(stream, number, start)
            if line is None:
                return
            yield line
            number, start = number + 1, line.end


def size(path: Path) -> int | None:
    """How many bytes of text the file holds now; None when it is compressed. Raises InvalidInput as `read` does."""
    with _opened(path) as stream:
        return None if path.suffix == ZSTD_SUFFIX else stream.seek(0, io.SEEK_END)


def parse(line: Line) -> dict[str, Any] | str | None:
    """The line's JSON object, why it is none (a plain reason), or None for a blank line.

    Every text in it can be stored: invalid UTF-8, half surrogate pairs and NUL characters are U+FFFD. A byte order
    mark and NUL bytes around the object (a crash leaves them) are dropped.
    """
    if line.fault:
        return line.fault
    data = line.data.strip()
    if data.startswith(BOM):
        data = data[len(BOM) :].strip()
    if not data:
        return None
    data = data.strip(b"\0 \t\r\n")
    if not data:
        return "it holds nothing but NUL bytes"
    text = data.decode("utf-8", "replace")
    try:
        value, end = _decode(text)
        if isinstance(value, dict) and _ESCAPES.search(text):
            value = _cleaned(value)
    except (ValueError, RecursionError) as fault:
        return f"it is not JSON: {_why(fault)}"
    if end < len(text):
        return f"it is not JSON: something follows the object at character {end + 1}"
    return value if isinstance(value, dict) else "it is not a JSON object"


def tail_hash(data: bytes) -> str:
    """A hash that knows a line again by its last TAIL_BYTES."""
    return hashlib.blake2b(data[-TAIL_BYTES:], digest_size=16).hexdigest()


def tail_hash_at(path: Path, offset: int) -> str | None:
    """The `tail_hash` of the line that ends at `offset`; None when the text is shorter, or nothing stands before it."""
    if offset <= 0:
        return None
    with _opened(path) as stream:
        _skip(stream, max(0, offset - TAIL_BYTES))
        window = stream.read(min(offset, TAIL_BYTES))
    if len(window) < min(offset, TAIL_BYTES):
        return None
    return tail_hash(window[window.rfind(b"\n", 0, len(window) - 1) + 1 :])


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb", buffering=BLOCK_BYTES) as raw:
            yield _unpacked(raw) if path.suffix == ZSTD_SUFFIX else raw
    except OSError as fault:
        raise InvalidInput(
            f"{path} cannot be read: {fault.strerror or fault}.", "Name a whole file that you may read."
        ) from fault


def _unpacked(raw: BinaryIO) -> BinaryIO:
    import zstandard  # only compressed histories pay for it

    class Unpacked(io.RawIOBase):
        """Zstandard's own stream, with its faults as the OSErrors that every other stream raises."""

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            try:
                return packed.readinto(buffer)
            except zstandard.ZstdError as fault:
                raise OSError(f"its compressed data is damaged ({fault})") from fault

    unpacker = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES_MAX)
    packed = unpacker.stream_reader(raw, read_across_frames=True)
    return io.BufferedReader(Unpacked(), BLOCK_BYTES)


def _skip(stream: BinaryIO, size: int) -> int:
    """Move on by `size` bytes; how many lines end in them."""
    lines = 0
    while size > 0:
        block = stream.read(min(size, BLOCK_BYTES))
        if not block:
            break
        lines += block.count(b"\n")
        size -= len(block)
    return lines


def _line(stream: BinaryIO, number: int, start: int) -> Line | None:
    data = stream.readline(LINE_BYTES_MAX + 1)
    if not data:
        return None
    if len(data) <= LINE_BYTES_MAX or data.endswith(b"\n"):
        return Line(number, start, start + len(data), data, data.endswith(b"\n"))
    end = start + len(data)
    tail = data[-TAIL_BYTES:]
    while not tail.endswith(b"\n") and (more := stream.readline(BLOCK_BYTES)):
        end += len(more)
        tail = (tail + more)[-TAIL_BYTES:]
    return Line(number, start, end, tail, tail.endswith(b"\n"), f"the line is longer than {LINE_BYTES_MAX:,} bytes")


def _cleaned(value: Any) -> Any:
    """The value with U+FFFD in its texts for NUL characters and half surrogate pairs."""
    match value:
        case str():
            return value.replace("\0", "\ufffd").encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case dict():
            return {_cleaned(key): _cleaned(each) for key, each in value.items()}
        case list():
            return [_cleaned(each) for each in value]
    return value


def _why(fault: ValueError | RecursionError) -> str:
    if isinstance(fault, json.JSONDecodeError):
        return f"{fault.msg.removesuffix(' at')} at character {fault.pos + 1}"
    return "it is nested too deeply" if isinstance(fault, RecursionError) else "a number in it is too long"
