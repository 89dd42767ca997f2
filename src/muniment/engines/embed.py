"""Embedders: text in, unit vectors out. An embedder never knows who asks or what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from muniment.model.embedders import EmbedderSpec

if TYPE_CHECKING:
    from numpy import ndarray


class Embedder(Protocol):
    """Built by `engines/choose.py`. Raises EngineUnavailable, never returns a wrong number of rows."""

    spec: EmbedderSpec

    def encode(self, texts: Sequence[str], *, query: bool = False) -> ndarray:
        """float32 rows of length 1, shape (len(texts), spec.dimension)."""
        ...
