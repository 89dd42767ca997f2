"""Passages near a question in meaning. Small workspaces are compared exactly; large ones by sign codes first.

Vectors are int8 rows; a code is one bit a dimension, of the row minus its workspace's mean. Codes choose whom to
compare, the int8 rows decide: equal rows give equal answers on every store.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from muniment.context import Context
from muniment.engines import codes
from muniment.index.corpus import Corpus, Flags, Floats, Ints
from muniment.store import generations, workspaces
from muniment.store.connections import Connection

# Up to this many vectors a workspace is scanned exactly; beyond, its sign codes choose.
EXACT_MAX = 2048
# How many of those the codes choose are compared exactly.
RESCORED = 600
PAGE = 4096
CODE_HEAD = 4


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """A workspace's vectors as this process keeps them: all rows while they are few, codes when they are many."""

    stamp: int
    block: int
    ordinals: Ints
    rows: NDArray[np.int8] | None
    planes: NDArray[np.uint64] | None
    mean: Floats | None
    floor: float


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """`ranks` are the nearest, best first, with their cosines. `floor`: below this a cosine says nothing.

    `known` counts the passages that have a vector at all."""

    ranks: Ints
    cosines: Floats
    floor: float
    known: int = 0


def find(
    context: Context, connection: Connection, corpus: Corpus, generation: int, asked: Floats, may: Flags, most: int
) -> Near:
    """The nearest ranks among those that `may` be returned."""
    ranks, cosines, floors, known = [], [], [], 0
    for workspace in corpus.workspaces:
        held = _load(context, connection, workspace, generation, len(asked))
        if not len(held.ordinals):
            continue
        floors.append(held.floor)
        at = corpus.ranks(workspace, held.ordinals)
        known += int((at >= 0).sum())
        found, scores = _scan(connection, corpus, workspace, generation, held, asked, (at >= 0) & may[at])
        ranks.append(found)
        cosines.append(scores)
    if not ranks:
        return Near(np.empty(0, np.int32), np.empty(0, np.float32), 0.0)
    rank, cosine = np.concatenate(ranks), np.concatenate(cosines)
    order = np.lexsort((rank, -np.round(cosine, 6)))[:most]
    return Near(rank[order], cosine[order], max(floors), known)


def cosines(context: Context, connection: Connection, corpus: Corpus, generation: int, asked: Floats, wanted: Ints) -> Floats:
    """The cosine of each wanted rank with the question; NaN where a passage has no vector yet."""
    out = np.full(len(wanted), np.nan, np.float32)
    for index, workspace in enumerate(corpus.workspaces):
        here = np.flatnonzero(corpus.place[wanted] == index)
        if not len(here):
            continue
        held = _load(context, connection, workspace, generation, len(asked))
        ordinals = corpus.ordinal[wanted[here]]
        if held.rows is not None:
            at = np.searchsorted(held.ordinals, ordinals)
            at[at == len(held.ordinals)] = 0
            hit = held.ordinals[at] == ordinals if len(held.ordinals) else np.zeros(len(here), bool)
            out[here[hit]] = codes.dequantise(held.rows[at[hit]], len(asked)) @ asked
        else:
            found, rows = _fetch(connection, workspace, generation, ordinals, len(asked))
            known = dict(zip(found.tolist(), (rows @ asked).tolist(), strict=True))
            out[here] = [known.get(ordinal, np.nan) for ordinal in ordinals.tolist()]
    return out


def _scan(
    connection: Connection,
    corpus: Corpus,
    workspace: int,
    generation: int,
    held: _Held,
    asked: Floats,
    allowed: Flags,
) -> tuple[Ints, Floats]:
    """The ranks of a workspace with their cosines: of all that `allowed` (by place in `held`) leaves, or of the most alike."""
    if held.rows is not None:
        kept = np.flatnonzero(allowed)
        return corpus.ranks(workspace, held.ordinals[kept]), codes.dequantise(held.rows[kept], len(asked)) @ asked
    assert held.planes is not None
    assert held.mean is not None
    distances = codes.hamming(codes.sign_codes(codes.SCALE * asked[None], held.mean)[0], held.planes)
    distances[~allowed] = np.iinfo(distances.dtype).max
    best = codes.top(distances, min(RESCORED, int(allowed.sum())))
    found, rows = _fetch(connection, workspace, generation, held.ordinals[best], len(asked))
    return corpus.ranks(workspace, found), rows @ asked


def _fetch(connection: Connection, workspace: int, generation: int, ordinals: Ints, dimension: int) -> tuple[Ints, Floats]:
    values = {"workspace": workspace, "generation": generation, "ordinals": json.dumps(ordinals.tolist())}
    rows = connection.all("vectors_at", values)
    if not rows:
        return np.empty(0, np.int32), np.empty((0, dimension), np.float32)
    matrix = np.frombuffer(b"".join(row[1] for row in rows), np.int8).reshape(len(rows), dimension)
    return np.array([row[0] for row in rows], np.int32), codes.dequantise(matrix, dimension)


def _load(context: Context, connection: Connection, workspace: int, generation: int, dimension: int) -> _Held:
    stamp, _ = workspaces.stamp(connection, workspace)
    key = ("vectors", workspace, generation)
    held: _Held | None = context.shelf.get(key)
    if held is not None and held.stamp == stamp:
        return held
    space = generations.space(connection, workspace, generation)
    if space is None:
        held = _exact(connection, workspace, generation, dimension, stamp)
    else:
        held = _coded(connection, workspace, generation, dimension, stamp, space, held)
    context.shelf.put(key, held)
    return held


def _exact(connection: Connection, workspace: int, generation: int, dimension: int, stamp: int) -> _Held:
    values = {"workspace": workspace, "generation": generation, "after": 0, "limit": EXACT_MAX + PAGE}
    rows = connection.all("vectors_all", values)
    matrix = np.frombuffer(b"".join(row[1] for row in rows), np.int8).reshape(len(rows), dimension)
    return _Held(stamp, 0, np.array([row[0] for row in rows], np.int32), matrix, None, None, 0.0)


def _coded(
    connection: Connection,
    workspace: int,
    generation: int,
    dimension: int,
    stamp: int,
    space: generations.Space,
    held: _Held | None,
) -> _Held:
    """Read the code blocks that are new. A block is `n` ordinals (uint32) and `n` codes of dimension / 8 bytes."""
    old = held if held is not None and held.planes is not None and held.stamp < stamp else None
    have = old.block if old else 0
    where = {"workspace": workspace, "generation": generation}
    if old and connection.one("code_held", where | {"block": have}) is None:
        old, have = None, 0  # the blocks were joined or made anew: what is held of them would count twice
    rows = connection.all("codes_from", where | {"have": have})
    width = codes.code_bytes(dimension)
    ordinals, planes = [], []
    if old and old.planes is not None:
        ordinals.append(old.ordinals)
        planes.append(old.planes)
    for _, data in rows:
        size = len(data) // (CODE_HEAD + width)
        ordinals.append(np.frombuffer(data, "<u4", size).astype(np.int32))
        bits = np.frombuffer(data, np.uint8, offset=CODE_HEAD * size).reshape(size, width)
        planes.append(codes.planes(bits))
    joined = np.concatenate(ordinals) if ordinals else np.empty(0, np.int32)
    stacked = np.concatenate(planes, axis=1) if planes else np.empty((width // 8, 0), np.uint64)
    return _Held(
        stamp, rows[-1][0] if rows else have, joined, None, stacked, np.frombuffer(space.mean, np.float32), space.floor
    )
