"""Making vectors for passages, after they were stored and before anybody must wait: a job of the outbox.

A vector belongs to one generation. Equal passages are embedded once a batch; what is buried is skipped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from muniment.context import Context
from muniment.engines import codes
from muniment.engines.embed import Embedder
from muniment.index.corpus import Floats
from muniment.index.nearest import EXACT_MAX
from muniment.model.embedders import EmbedderSpec
from muniment.store import generations, records, standings, workspaces
from muniment.store.connections import Connection

BATCH = 256
# Pairs of vectors that are drawn to learn how alike two unrelated passages are.
PAIRS = 2000
# A similarity that only one unrelated pair in twenty reaches says something.
FLOOR_QUANTILE = 0.95
SPACE_SAMPLE = 8192


@dataclass(frozen=True, slots=True)
class Waiting:
    """A passage that has no vector in a generation yet."""

    ordinal: int
    text: str
    hash: str


def spec_of(generation: generations.Generation) -> EmbedderSpec:
    """The embedder that a generation's vectors come from."""
    return EmbedderSpec(**generation.spec)  # type: ignore[arg-type]


def waiting(connection: Connection, workspace: int, generation: int, first: int, last: int) -> list[Waiting]:
    """The passages of a run of ordinals that lack a vector: the live ones and those of earlier versions."""
    run = {"workspace": workspace, "first": first, "last": last}
    held = {row[0] for row in connection.all("vectors_held", run | {"generation": generation})}
    rows = [row for row in connection.all("passages_between", run) if row[0] not in held]
    found = records.by_id(connection, workspace, {row[4] for row in rows})
    earlier = standings.texts(connection, workspace, {row[4] for row in rows if not row[6]})
    return [
        Waiting(o, earlier.get((record, version), found[record].text)[starts:ends], digest)
        for o, starts, ends, digest, record, version, _ in rows
    ]


def embed(context: Context, embedder: Embedder, workspace: int, generation: int, first: int, last: int) -> int:
    """Embed the passages of a run of ordinals, and store their vectors in one transaction. Answers how many."""
    with context.store.read() as connection:
        texts = waiting(connection, workspace, generation, first, last)
    if not texts:
        return 0
    unique = {one.hash: one.text for one in texts}
    rows = embedder.encode(list(unique.values()))
    data = dict(zip(unique, codes.quantise(rows), strict=True))
    with context.store.write() as connection:
        numbers = workspaces.take(connection, workspace, blocks=1)
        if all(one.id != generation for one in generations.wanted(connection)):
            return 0  # the embedder was changed while this one worked
        still = {row[0] for row in connection.all("passages_between", {"workspace": workspace, "first": first, "last": last})}
        run = {"workspace": workspace, "generation": generation, "first": first, "last": last}
        held = {row[0] for row in connection.all("vectors_held", run)}
        # Some may have been forgotten meanwhile, and some embedded by another process.
        texts = [one for one in texts if one.ordinal in still - held]
        if not texts:
            return 0
        connection.many(
            "vector_add",
            (
                {"workspace": workspace, "generation": generation, "ordinal": one.ordinal, "data": data[one.hash]}
                for one in texts
            ),
        )
        space = generations.space(connection, workspace, generation)
        if space is None:
            settle(connection, workspace, generation, embedder.spec.dimension)
        else:
            mean = np.frombuffer(space.mean, np.float32)
            matrix = codes.int8_rows(b"".join(data[one.hash] for one in texts), embedder.spec.dimension)
            _code(connection, workspace, generation, numbers.blocks, np.array([one.ordinal for one in texts]), matrix, mean)
    return len(texts)


def settle(connection: Connection, workspace: int, generation: int, dimension: int) -> None:
    """Give a workspace that has outgrown the exact scan its mean, its floor and its codes."""
    values = {"workspace": workspace, "generation": generation, "after": 0, "limit": SPACE_SAMPLE}
    rows = connection.all("vectors_all", values)
    if len(rows) <= EXACT_MAX:
        return
    matrix = codes.int8_rows(b"".join(row[1] for row in rows), dimension)
    unit = codes.dequantise(matrix, dimension)
    mean = unit.mean(axis=0).astype(np.float32)
    space = {"mean": mean.tobytes(), "floor": floor(unit), "measured": len(rows)}
    connection.run("space_put", {"workspace": workspace, "generation": generation} | space)
    while rows:
        block = workspaces.take(connection, workspace, blocks=1).blocks
        matrix = codes.int8_rows(b"".join(row[1] for row in rows), dimension)
        _code(connection, workspace, generation, block, np.array([row[0] for row in rows]), matrix, mean)
        rows = connection.all("vectors_all", values | {"after": rows[-1][0]})


def floor(unit: Floats) -> float:
    """The similarity that unrelated passages seldom reach, from a fixed draw of pairs."""
    if len(unit) < 2:
        return 0.0
    draw = np.random.default_rng(0).integers(0, len(unit), (2, PAIRS))
    pairs = draw[:, draw[0] != draw[1]]
    similar = np.einsum("ij,ij->i", unit[pairs[0]], unit[pairs[1]])
    return float(np.quantile(similar, FLOOR_QUANTILE))


def merge(connection: Connection, workspace: int, generation: int, block: int) -> None:
    """Join a workspace's code blocks under a new number; a merge never changes an answer."""
    rows = connection.all("codes_from", {"workspace": workspace, "generation": generation, "have": 0})
    if len(rows) < 2:
        return
    width = codes.code_bytes(_dimension(connection, generation))
    sizes = [len(data) // (4 + width) for _, data in rows]
    heads = b"".join(data[: 4 * size] for (_, data), size in zip(rows, sizes, strict=True))
    tails = b"".join(data[4 * size :] for (_, data), size in zip(rows, sizes, strict=True))
    connection.run("codes_drop", {"workspace": workspace, "generation": generation})
    values = {"workspace": workspace, "generation": generation, "block": block, "data": heads + tails}
    connection.run("code_add", values)


def _dimension(connection: Connection, generation: int) -> int:
    return next(one.dimension for one in generations.all_of(connection) if one.id == generation)


def _code(
    connection: Connection, workspace: int, generation: int, block: int, ordinals: object, matrix: object, mean: Floats
) -> None:
    data = np.asarray(ordinals).astype("<u4").tobytes() + codes.sign_codes(np.asarray(matrix), mean).tobytes()
    connection.run("code_add", {"workspace": workspace, "generation": generation, "block": block, "data": data})
