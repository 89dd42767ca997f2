"""What an index holds, told by refs and words: numbers differ after records went away and came back, and nothing else may."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from muniment.index import postings
from muniment.model import ids
from muniment.store import generations, records
from muniment.store.connections import Connection
from tests.makers import Memory

EVERYTHING = {"after": 0, "limit": 1_000_000}


@dataclass(frozen=True)
class Index:
    """By word: where it stands, and how often. By name: where it is named. Of each passage its vector, if it has one."""

    words: dict[str, list[tuple[Any, int]]]
    vocabulary: list[str]
    names: dict[str, list[Any]]
    vectors: dict[Any, bytes]


def index(memory: Memory, slug: str) -> Index:
    """The index of a workspace, read from its rows. A passage is told by its record and where it starts in its text."""
    place = memory.place(slug).id
    with memory.app.store.read() as connection:
        at = _passages(connection, place)
        words = _words(connection, place, at)
        named: dict[str, list[Any]] = {}
        norms = _norms(connection, place)
        rows = connection.all("mentions_of", {"workspace": place, "entities": json.dumps(list(norms))})
        for ordinal, entity in rows:
            named.setdefault(norms[entity], []).append(at[ordinal])
        vectors = {
            at[ordinal]: bytes(data)
            for one in generations.wanted(connection)
            for ordinal, data in connection.all("vectors_all", {"workspace": place, "generation": one.id} | EVERYTHING)
        }
        vocabulary = [row[0] for row in connection.all("terms_holding", {"workspace": place, "piece": "", "limit": 1_000_000})]
    return Index(words, sorted(vocabulary), {norm: sorted(held) for norm, held in named.items()}, vectors)


def _passages(connection: Connection, place: int) -> dict[int, Any]:
    rows = connection.all("records_all", {"workspace": place} | EVERYTHING)
    held = records.by_id(connection, place, [row[0] for row in rows])
    found = connection.all("passages_by_record", {"workspace": place, "ids": json.dumps(list(held))})
    spans = connection.all("passages_at", {"workspace": place, "ordinals": json.dumps([row[0] for row in found])})
    starts = {row[0]: row[2] for row in spans}
    return {
        ordinal: (ids.ref(held[record].kind, held[record].uid), version, starts[ordinal], live)
        for ordinal, record, version, live in found
    }


def _words(connection: Connection, place: int, at: dict[int, Any]) -> dict[str, list[tuple[Any, int]]]:
    words: dict[str, list[tuple[Any, int]]] = {}
    asked = {"workspace": place, "last": 1 << 30, "term": "", "first": 0, "limit": 1_000_000}
    for term, _, data in connection.all("postings_page", asked):
        size = len(data) // postings.ENTRY_BYTES
        ordinals, counts = np.frombuffer(data, "<u4", size), data[4 * size :]
        words.setdefault(term, []).extend((at[int(one)], count) for one, count in zip(ordinals, counts, strict=True))
    return {term: sorted(held) for term, held in words.items()}


def _norms(connection: Connection, place: int) -> dict[int, str]:
    numbers = [number for sort, number in connection.all("moving_everything", {"workspace": place}) if sort == "entity"]
    return dict(connection.all("entities_at", {"workspace": place, "entities": json.dumps(numbers)}))
