"""Taking passages out of the index for good: their words, their vectors, their places.

A roster row cannot be taken out, for a passage's place in the roster is its number; it stays as zeros that are marked
gone. Everything else that was made of a passage is no longer there, as if it had never been entered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from muniment.index import embedding, episodes, postings, rosters, write
from muniment.index.corpus import DTYPE
from muniment.store import generations
from muniment.store.connections import Connection, Row

# Rows of postings that are looked through at once.
PAGE = 20_000
Ints = NDArray[np.int64]


def words(connection: Connection, workspace: int, ordinals: Collection[int]) -> list[str]:
    """The words that these passages hold, found by looking through all postings of the workspace.

    Splitting the texts again would be quicker, but words that an older splitter had found would be left behind. The words of
    a passage never change, so this needs no lock. Measured at 50,000 turns: 0.1 s.
    """
    gone = np.array(sorted(ordinals), np.int64)
    found: dict[str, None] = {}
    term, first = "", 0
    while len(gone):
        values = {"workspace": workspace, "last": int(gone[-1]), "term": term, "first": first, "limit": PAGE}
        rows = connection.all("postings_page", values)
        if not rows:
            break
        found |= dict.fromkeys(_holding(rows, gone))
        term, first = rows[-1][0], rows[-1][1]
    return list(found)


def erase(
    connection: Connection, workspace: int, ordinals: Sequence[int], terms: Iterable[str], moved: Mapping[int, int]
) -> None:
    """Take passages out: `terms` are all their words, `moved` gives places in their sessions to records that stay.

    The caller holds the workspace, has dropped the rows of the passages and their mentions, and lets every process read
    the index anew (`workspace_forgot`).
    """
    gone = np.array(sorted(ordinals), np.int64)
    _unpost(connection, workspace, gone, terms)
    _blank(connection, workspace, gone, moved)
    _unembed(connection, workspace, [int(one) for one in gone])


def retell(connection: Connection, workspace: int, session: int) -> None:
    """Make the windows and episodes of a session again from the turns that it has now."""
    connection.run("episodes_of_drop", {"workspace": workspace, "session": session})
    rows = connection.all("session_texts", {"workspace": workspace, "session": session})
    said = [episodes.Said(seq, at, write.analyse(text, "turn").names) for seq, at, text in rows]
    episodes.append(connection, workspace, session, said)


def _holding(rows: Sequence[Row], gone: Ints) -> list[str]:
    """The terms of those rows that hold one of the ordinals."""
    sizes = np.array([len(data) // postings.ENTRY_BYTES for _, _, data in rows])
    held = np.frombuffer(b"".join(data[: 4 * size] for (_, _, data), size in zip(rows, sizes, strict=True)), "<u4")
    hit = np.isin(held, gone)
    return [rows[place][0] for place in np.unique(np.repeat(np.arange(len(rows)), sizes)[hit])]


def _unpost(connection: Connection, workspace: int, gone: Ints, terms: Iterable[str]) -> None:
    cut, kept, unheld = [], [], []
    for term in terms:
        rows = connection.all("postings_of", {"workspace": workspace, "term": term})
        left = 0
        for first, data in rows:
            rest = _without(data, gone)
            left += bool(rest)
            if rest == data:
                continue
            cut.append({"workspace": workspace, "term": term, "first": first})
            if rest:
                kept.append({"workspace": workspace, "term": term, "first": int.from_bytes(rest[:4], "little"), "data": rest})
        if not left:
            unheld.append({"workspace": workspace, "term": term})
    connection.many("posting_cut", cut)
    connection.many("posting_add", kept)
    connection.many("vocabulary_cut", unheld)


def _without(data: bytes, gone: Ints) -> bytes:
    size = len(data) // postings.ENTRY_BYTES
    ordinals = np.frombuffer(data, "<u4", size)
    stays = ~np.isin(ordinals, gone)
    if stays.all():
        return data
    return ordinals[stays].tobytes() + np.frombuffer(data, np.uint8, size, offset=4 * size)[stays].tobytes()


def _blank(connection: Connection, workspace: int, gone: Ints, moved: Mapping[int, int]) -> None:
    """Zero the roster rows of what is gone, and give the rows of moved turns their new places."""
    for first, _, data in connection.all("rosters_from", {"workspace": workspace, "have": 0}):
        rows = np.frombuffer(data, DTYPE).copy()
        here = gone[(gone >= first) & (gone < first + len(rows))] - first
        shifted = np.flatnonzero(np.isin(rows["record"], list(moved))) if moved else np.empty(0, np.int64)
        if not len(here) and not len(shifted):
            continue
        rows["seq"][shifted] = [moved[int(record)] for record in rows["record"][shifted]]
        rows[here] = np.zeros(1, DTYPE)[0]
        rows["flags"][here] = rosters.GONE
        connection.run("roster_put", {"workspace": workspace, "first": first, "data": rows.tobytes()})


def _unembed(connection: Connection, workspace: int, gone: Sequence[int]) -> None:
    """Drop vectors, and make mean and sign codes again where there are any: the mean was taken over what is gone, too."""
    for generation in generations.wanted(connection):
        where = {"workspace": workspace, "generation": generation.id}
        connection.many("vector_cut", (where | {"ordinal": ordinal} for ordinal in gone))
        if generations.space(connection, workspace, generation.id) is not None:
            connection.run("codes_drop", where)
            connection.run("space_drop", where)
            embedding.settle(connection, workspace, generation.id, generation.dimension)
