"""Vectors of questions asked lately. A vector depends on the spec and the text alone, so it never goes stale."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import ndarray

    from muniment.engines.embed import EmbedderSpec

QUESTIONS_MAX = 512


class QuestionCache:
    """At most `questions_max` vectors; the one not asked for longest goes first. Safe in several threads."""

    def __init__(self, questions_max: int = QUESTIONS_MAX) -> None:
        self._questions_max = questions_max
        self._vectors: OrderedDict[tuple[str, str], ndarray] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, spec: EmbedderSpec, text: str) -> ndarray | None:
        """The vector, which cannot be written to, or None."""
        key = (spec.hash(), text)
        with self._lock:
            vector = self._vectors.get(key)
            if vector is not None:
                self._vectors.move_to_end(key)
            return vector

    def put(self, spec: EmbedderSpec, text: str, vector: ndarray) -> None:
        """Keep a copy of `vector`, shape (dimension,)."""
        kept = vector.copy()
        kept.flags.writeable = False
        key = (spec.hash(), text)
        with self._lock:
            self._vectors[key] = kept
            self._vectors.move_to_end(key)
            while len(self._vectors) > self._questions_max:
                self._vectors.popitem(last=False)
