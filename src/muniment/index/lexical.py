"""BM25 over a passage's own words and, damped, its neighbours' in the session.

Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with term frequencies summed
over a window of neighbours. Neighbours are added when a question is asked, so an append never rewrites an index row.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import itemgetter

import numpy as np

from muniment.index.corpus import AFTER, BEFORE, REACH, Corpus, Flags, Floats, Ints
from muniment.index.postings import ENTRY_BYTES, join
from muniment.store.connections import Connection
from muniment.text import families

K1 = 1.2
B = 0.75
# The idf of a word that no passage holds: it cannot be covered, and should count as a rare one.
UNSEEN_IDF = 8.0
# From this share of all ranks on (one in so many), counting into all of them costs less than sorting those that are held.
DENSE_FROM = 64
# What a relative of a word ("owner" for "owns") counts of the word itself.
RELATIVE = 0.6


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """One asked word: the ranks that hold it themselves, how often, and how rare it is with neighbours counted."""

    term: str
    asked: int
    ranks: Ints
    counts: Floats
    idf: float


@dataclass(frozen=True, slots=True, eq=False)
class Lexical:
    """`scores[rank]` is BM25 with neighbours, 0 where no word matches."""

    scores: Floats
    words: tuple[Word, ...]


def score(connection: Connection, corpus: Corpus, asked: Mapping[str, int], *, neighbours: bool = True) -> Lexical:
    """Score every rank of the corpus for the asked words (word -> how often it was asked)."""
    relatives = {term: families.of(term) for term in asked}
    held = _postings(connection, corpus, sorted({one for found in relatives.values() for one in found}))
    scores = np.zeros(len(corpus), np.float32)
    length = corpus.heard if neighbours else corpus.words
    mean = (float(length.mean()) if len(length) else 0.0) or 1.0
    words = []
    for term, times in asked.items():
        ranks, counts = _family(held, relatives[term])
        where, tf = _spread(corpus, ranks, counts) if neighbours else (ranks, counts)
        idf = math.log(1 + (len(corpus) - len(where) + 0.5) / (len(where) + 0.5)) if len(where) else UNSEEN_IDF
        scores[where] += (times * idf * (K1 + 1)) * tf / (tf + K1 * (1 - B + B / mean * length[where]))
        words.append(Word(term, times, ranks, counts, idf))
    return Lexical(scores, tuple(words))


def _family(held: Mapping[str, tuple[Ints, Floats]], members: Sequence[str]) -> tuple[Ints, Floats]:
    """Where a word or a relative of it stands. A relative counts less than the word itself."""
    found = [
        (held[one][0], held[one][1] * np.float32(1 if place == 0 else RELATIVE))
        for place, one in enumerate(members)
        if one in held
    ]
    if not found:
        return np.empty(0, np.int32), np.empty(0, np.float32)
    if len(found) == 1:
        return found[0]
    ranks, places = np.unique(np.concatenate([one for one, _ in found]), return_inverse=True)
    counts = np.bincount(places, np.concatenate([count for _, count in found])).astype(np.float32)
    return ranks.astype(np.int32), counts


def cover(corpus: Corpus, lexical: Lexical, pool: Ints, before: int = 3, after: int = 2) -> Floats:
    """For each rank of the pool the share of the asked idf that is found on it or near it, 0 to 1."""
    total = sum(word.idf for word in lexical.words) or 1.0
    out = np.zeros(len(pool), np.float32)
    mark = np.zeros(len(corpus), bool)
    beside = _beside(corpus, pool, before, after)
    for word in lexical.words:
        if not len(word.ranks):
            continue
        mark[word.ranks] = True
        seen = mark[pool]
        for places, near in beside:
            seen |= mark[places] & near
        out += seen * np.float32(word.idf / total)
        mark[word.ranks] = False
    return out


def _beside(corpus: Corpus, pool: Ints, before: int, after: int) -> list[tuple[Ints, Flags]]:
    """What stands so far before and after each rank of a pool, and whether that is near it at all."""
    found: list[tuple[Ints, Flags]] = []
    for step in range(1, before + 1):
        earlier = np.maximum(pool - step, 0)
        found.append((earlier, (pool >= step) & (corpus.near[step][earlier] > 0)))
    for step in range(1, after + 1):
        found.append((np.minimum(pool + step, len(corpus) - 1), corpus.near[step][pool] > 0))
    return found


def holding(connection: Connection, corpus: Corpus, terms: Sequence[str], scored: Sequence[Word] = ()) -> dict[str, Ints]:
    """The ranks whose own words hold each term; those of a word that was `scored` are known, unless it has relatives."""
    wanted = set(terms)
    held = {one.term: one.ranks for one in scored if one.term in wanted and families.of(one.term) == (one.term,)}
    missing = sorted(wanted.difference(held))
    return held | ({term: ranks for term, (ranks, _) in _postings(connection, corpus, missing).items()} if missing else {})


def _postings(connection: Connection, corpus: Corpus, terms: Sequence[str]) -> dict[str, tuple[Ints, Floats]]:
    found: dict[str, list[tuple[Ints, Floats]]] = {}
    wanted = json.dumps(list(terms))
    for workspace in corpus.workspaces:
        rows = connection.all("postings", {"workspace": workspace, "terms": wanted})
        for term, blocks in groupby(rows, key=itemgetter(0)):
            found.setdefault(term, []).append(_decoded(corpus, workspace, join(data for _, data in blocks)))
    return {term: parts[0] if len(parts) == 1 else _together(parts) for term, parts in found.items()}


def _decoded(corpus: Corpus, workspace: int, block: bytes) -> tuple[Ints, Floats]:
    size = len(block) // ENTRY_BYTES
    ranks = corpus.ranks(workspace, np.frombuffer(block, "<u4", size).astype(np.int32))
    counts = np.frombuffer(block, np.uint8, size, offset=4 * size).astype(np.float32)
    live = ranks >= 0
    return (ranks, counts) if live.all() else (ranks[live], counts[live])


def _together(parts: Sequence[tuple[Ints, Floats]]) -> tuple[Ints, Floats]:
    return np.concatenate([ranks for ranks, _ in parts]), np.concatenate([counts for _, counts in parts])


@cache
def _steps() -> tuple[tuple[int, int, np.float32], ...]:
    """Where the neighbours of a rank are, the nearest first: how far on, how far away, and what a word is worth there."""
    return tuple(
        one
        for reach in range(1, REACH + 1)
        for one in ((-reach, reach, np.float32(AFTER[reach])), (reach, reach, np.float32(BEFORE[reach])))
    )


def _spread(corpus: Corpus, ranks: Ints, counts: Floats) -> tuple[Ints, Floats]:
    """Where a word counts once neighbours lend theirs: distinct ranks and weighted frequencies."""
    size = len(corpus)
    steps = _steps()[: 2 * min(REACH, size - 1)]
    beside = ranks + np.array([[step] for step, _, _ in steps], np.int32).reshape(-1, 1)
    gains = np.empty(beside.shape, np.float32)
    for row, (step, reach, worth) in enumerate(steps):
        near = corpus.near[reach]
        # The last ranks have nobody so far ahead: there `near` is 0, and so it is where a rank before the first one falls.
        gains[row] = near[beside[row] if step < 0 else ranks] * (worth * counts)
    gained = gains > 0
    where, weight = np.concatenate([ranks, beside[gained]]), np.concatenate([counts, gains[gained]])
    if len(where) * DENSE_FROM > size:
        dense = np.bincount(where, weight, size).astype(np.float32)
        held = np.flatnonzero(dense > 0).astype(np.int32)  # of flags, which takes a third of the time
        return held, dense[held]
    distinct, places = np.unique(where, return_inverse=True)
    return distinct, np.bincount(places, weight).astype(np.float32)
