"""Generations as rows: which embedder made the vectors. Exactly one generation is live, at most one is building."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from muniment.store.connections import Connection, Row


@dataclass(frozen=True, slots=True)
class Generation:
    """`spec` is the embedder's spec as plain values; `api_key` is never shown to anyone."""

    id: int
    uid: str
    spec_hash: str
    spec: dict[str, str | int]
    api_key: str
    dimension: int
    state: str
    created_at: int
    live_at: int | None

    @property
    def name(self) -> str:
        """The embedder as people know it, such as `use:universal-sentence-encoder-multilingual-3`."""
        return f"{self.spec['provider']}:{self.spec['model']}"

    def __repr__(self) -> str:
        return f"Generation({self.uid}, {self.name}, {self.state})"


@dataclass(frozen=True, slots=True)
class Space:
    """What a workspace's vectors have in common: their mean, and how alike two unrelated ones are.

    `mean` is float32 bytes; `floor` the similarity below which a pair says nothing; `measured` the sample's size.
    """

    mean: bytes
    floor: float
    measured: int


def all_of(connection: Connection) -> list[Generation]:
    return [_noun(row) for row in connection.all("generations")]


def live(connection: Connection) -> Generation | None:
    return next((generation for generation in all_of(connection) if generation.state == "live"), None)


def wanted(connection: Connection) -> list[Generation]:
    """The generations that vectors are made for: the one that builds, then the live one."""
    return sorted((g for g in all_of(connection) if g.state in ("live", "building")), key=lambda g: g.state)


def space(connection: Connection, workspace: int, generation: int) -> Space | None:
    row = connection.one("space_get", {"workspace": workspace, "generation": generation})
    return Space(*row) if row else None


def _noun(row: Row) -> Generation:
    spec = json.loads(row[3])
    return Generation(row[0], row[1], row[2], spec, row[4], row[5], row[6], row[7], row[8])


def spec_text(spec: object) -> str:
    """A spec dataclass as the store keeps it."""
    return json.dumps(asdict(spec), sort_keys=True)  # type: ignore[call-overload]
