"""Embedders: text in, unit vectors out. An embedder never knows who asks or what is stored.

A spec says exactly which model made a vector; vectors of different specs are never compared.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from numpy import ndarray


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """What determines a vector. `url` and `model` are for endpoints, `file_hash` for local weights."""

    provider: str  # use | minilm | openai
    model: str
    dimension: int
    file_hash: str = ""
    url: str = ""
    query_prefix: str = ""
    document_prefix: str = ""
    chars_max: int = 8000

    def hash(self) -> str:
        """Equal for two specs whose vectors may be compared (where an endpoint lives does not matter)."""
        same = asdict(self) | {"url": ""}
        return hashlib.sha256(json.dumps(same, sort_keys=True).encode()).hexdigest()[:32]


class Embedder(Protocol):
    """Built by `engines/choose.py`. Raises EngineUnavailable, never returns a wrong number of rows."""

    spec: EmbedderSpec

    def encode(self, texts: Sequence[str], *, query: bool = False) -> ndarray:
        """float32 rows of length 1, shape (len(texts), spec.dimension)."""
        ...
