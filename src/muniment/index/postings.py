"""Postings: which passages hold a word, and how often. One row is a run of passages that came in together.

A block is `n` ordinals (uint32, little-endian, rising) followed by `n` counts (uint8). Writing needs no numpy.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Collection, Iterable, Mapping

from muniment.store.connections import Connection

ENTRY_BYTES = 5
# A word whose postings lie in this many rows is worth joining; measured reading 64 rows costs as much as one row of 50,000.
MERGE_AT = 24
MERGED_AT_ONCE = 2000


class Blocks:
    """Collects the words of a batch of passages and writes them as one block a word."""

    def __init__(self) -> None:
        # Of each word its ordinals and counts, taken apart when they are written: one look-up a word and passage.
        self._held: dict[str, list[int]] = {}

    def add(self, ordinal: int, counts: Mapping[str, int]) -> None:
        """Ordinals must rise from call to call."""
        held = self._held
        for term, count in counts.items():
            pair = (ordinal, count if count < 255 else 255)
            if term in held:
                held[term] += pair
            else:
                held[term] = list(pair)

    def write(self, connection: Connection, workspace: int) -> None:
        rows = [
            {"workspace": workspace, "term": term, "first": held[0], "data": _bytes(array("I", held[::2])) + bytes(held[1::2])}
            for term, held in sorted(self._held.items())
        ]
        connection.many("posting_add", rows)
        connection.many("vocabulary_add", ({"workspace": workspace, "term": row["term"]} for row in rows))


def ordinals(connection: Connection, workspace: int, terms: Collection[str]) -> dict[str, memoryview]:
    """By term, where any passage holds it: the ordinals of those that do, rising. Needs no numpy."""
    held: dict[str, bytearray] = {}
    rows = connection.all("postings", {"workspace": workspace, "terms": json.dumps(list(terms))}) if terms else []
    for term, data in rows:
        held.setdefault(term, bytearray()).extend(data[: 4 * (len(data) // ENTRY_BYTES)])
    return {term: memoryview(data).cast("I") for term, data in held.items()}


def merge(connection: Connection, workspace: int) -> int:
    """Join the words that lie in the most rows; answers how many words were joined."""
    terms = connection.all("blocks_small", {"workspace": workspace, "least": MERGE_AT, "limit": MERGED_AT_ONCE})
    for (term,) in terms:
        rows = connection.all("postings_of", {"workspace": workspace, "term": term})
        connection.run("posting_drop", {"workspace": workspace, "term": term})
        connection.run(
            "posting_add", {"workspace": workspace, "term": term, "first": rows[0][0], "data": join(data for _, data in rows)}
        )
    return len(terms)


def join(blocks: Iterable[bytes]) -> bytes:
    """Several blocks of one word, in order, as one block."""
    blocks = list(blocks)
    if len(blocks) == 1:
        return blocks[0]
    ordinals, counts = bytearray(), bytearray()
    for block in blocks:
        size = len(block) // ENTRY_BYTES
        ordinals += block[: 4 * size]
        counts += block[4 * size :]
    return bytes(ordinals + counts)


def _bytes(ordinals: array[int]) -> bytes:
    if sys.byteorder == "big":
        ordinals.byteswap()
    return ordinals.tobytes()
