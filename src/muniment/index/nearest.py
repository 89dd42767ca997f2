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
RESCORED = 300
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
    """`ranks` are the nearest, best first. `floor`: below this a cosine says nothing.

    `cosines[rank]` is how alike every rank is: exact where `exact[rank]`, elsewhere told by its sign code, and NaN for a
    passage that has no vector yet; `known` counts the others.
    """

    ranks: Ints
    cosines: Floats
    exact: Flags
    floor: float
    known: int


def find(
    context: Context, connection: Connection, corpus: Corpus, generation: int, asked: Floats, may: Flags, most: int
) -> Near:
    """The nearest ranks among those that `may` be returned."""
    cosines = np.full(len(corpus), np.nan, np.float32)
    exact = np.zeros(len(corpus), bool)
    floors = [0.0]
    for workspace in corpus.workspaces:
        held = _load(context, connection, workspace, generation, len(asked))
        floors.append(held.floor)
        _scan(connection, corpus, workspace, generation, held, asked, may, cosines, exact)
    ranks = np.flatnonzero(exact & may).astype(np.int32)
    order = np.lexsort((ranks, -np.round(cosines[ranks], 6)))[:most]
    return Near(ranks[order], cosines, exact, max(floors), int((~np.isnan(cosines)).sum()))


def settle(connection: Connection, corpus: Corpus, generation: int, asked: Floats, near: Near, wanted: Ints) -> Floats:
    """The exact cosines of the wanted ranks; NaN where a passage has no vector yet."""
    out: Floats = near.cosines[wanted]
    left = np.flatnonzero(~near.exact[wanted] & ~np.isnan(out))
    for index, workspace in enumerate(corpus.workspaces):
        here = left[corpus.place[wanted[left]] == index]
        if len(here):
            found, rows = _fetch(connection, workspace, generation, corpus.ordinal[wanted[here]], len(asked))
            order = np.argsort(corpus.ordinal[wanted[here]])
            out[here[order]] = _dot(rows, asked)[np.argsort(found)]
    return out


def _scan(
    connection: Connection,
    corpus: Corpus,
    workspace: int,
    generation: int,
    held: _Held,
    asked: Floats,
    may: Flags,
    cosines: Floats,
    exact: Flags,
) -> None:
    """Fill in the cosines of a workspace: all of them from its rows, or from its codes and the best again from rows."""
    if not len(held.ordinals):
        return
    ranks = corpus.ranks(workspace, held.ordinals)
    live = ranks >= 0
    if held.rows is not None:
        cosines[ranks[live]] = _dot(codes.dequantise(held.rows[live], len(asked)), asked)
        exact[ranks[live]] = True
        return
    assert held.planes is not None
    assert held.mean is not None
    distances = codes.hamming(codes.sign_codes(codes.SCALE * asked[None], held.mean)[0], held.planes)
    cosines[ranks[live]] = np.cos(np.pi / len(asked) * np.arange(len(asked) + 1), dtype=np.float32)[distances[live]]
    allowed = live & may[ranks]
    distances[~allowed] = np.iinfo(distances.dtype).max
    best = codes.top(distances, min(RESCORED, int(allowed.sum())))
    found, rows = _fetch(connection, workspace, generation, held.ordinals[best], len(asked))
    at = corpus.ranks(workspace, found)
    cosines[at] = _dot(rows, asked)
    exact[at] = True


def _dot(rows: Floats, asked: Floats) -> Floats:
    """Cosines of unit rows with a unit vector, in this thread alone.

    A matrix product of this size starts a second thread, which then spins: 24 ms of CPU a question instead of 8 at 1,000
    turns on two cores. Summed in one order, it is also equal on every machine.
    """
    product: Floats = np.einsum("ij,j->i", rows, asked)
    return product


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
