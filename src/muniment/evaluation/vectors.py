"""Vectors for a measured store: real ones while they are affordable, and beyond that ones with a real spectrum.

A synthetic vector is a real point moved by the difference of two neighbouring real points; measured, such a cloud has nearly
the variance and neighbourhood of the real one, so a scan over it costs and finds what a scan over real ones would.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from muniment.engines import codes
from muniment.engines.embed import Embedder
from muniment.model.embedders import EmbedderSpec

SAMPLE = 1500
REMEMBERED_MAX = 60_000

Floats = NDArray[np.float32]


class Vectors:
    """An embedder that is real for its first `real_most` texts. What it made it remembers, so no text is paid for twice."""

    def __init__(self, real: Embedder, real_most: int) -> None:
        self.spec: EmbedderSpec = real.spec
        self.real_most = real_most
        self.real_made = 0
        self.synthetic_made = 0
        self.real_cpu_s = 0.0
        self.real_fresh = 0
        self._real = real
        self._held: dict[bytes, bytes] = {}
        self._sample: Floats | None = None
        self._near: NDArray[np.int64] | None = None

    def begin(self, real_most: int) -> None:
        """Count anew for another store."""
        self.real_most, self.real_made, self.synthetic_made = real_most, 0, 0

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        """Rows of length 1; questions are always real."""
        if query:
            return np.asarray(self._real.encode(texts, query=True), np.float32)
        real = max(0, min(len(texts), self.real_most - self.real_made))
        self.real_made += real
        self.synthetic_made += len(texts) - real
        parts = [self._remembered(texts[:real])] if real else []
        if real < len(texts):
            parts.append(self._moved(texts[real:]))
        return np.concatenate(parts)

    @property
    def rate(self) -> float | None:
        """Texts a CPU second, of those that were really embedded."""
        return self.real_fresh / self.real_cpu_s if self.real_cpu_s else None

    def _remembered(self, texts: Sequence[str]) -> Floats:
        marks = [hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts]
        fresh = [place for place, mark in enumerate(marks) if mark not in self._held]
        if fresh:
            started = time.process_time()
            rows = np.asarray(self._real.encode([texts[place] for place in fresh]), np.float32)
            self.real_cpu_s += time.process_time() - started
            self.real_fresh += len(fresh)
            made = codes.quantise(rows)
            if len(self._held) + len(made) > REMEMBERED_MAX:
                self._held.clear()
                return self._all(texts) if len(fresh) < len(texts) else rows
            self._held |= {marks[place]: row for place, row in zip(fresh, made, strict=True)}
        return np.asarray(codes.dequantise(b"".join(self._held[mark] for mark in marks), self.spec.dimension), np.float32)

    def _all(self, texts: Sequence[str]) -> Floats:
        return np.asarray(self._real.encode(list(texts)), np.float32)

    def _moved(self, texts: Sequence[str]) -> Floats:
        sample, nearest = self._spectrum()
        seeds = [int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") for text in texts]
        draws = np.array([np.random.default_rng(seed).integers(0, len(sample), 2) for seed in seeds])
        point, other = draws[:, 0], draws[:, 1]
        rows = sample[point] + sample[other] - sample[nearest[other]]
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6), np.float32)

    def _spectrum(self) -> tuple[Floats, NDArray[np.int64]]:
        """Real points and each one's nearest neighbour."""
        if self._sample is None or self._near is None:
            if len(self._held) >= SAMPLE:
                held = b"".join(list(self._held.values())[:SAMPLE])
                self._sample = np.asarray(codes.dequantise(held, self.spec.dimension), np.float32)
            else:
                from muniment.evaluation import synthetic

                said = [turn.text for _, held in synthetic.turns(SAMPLE) for turn in held]
                self._sample = self._all(said)
            alike = self._sample @ self._sample.T
            np.fill_diagonal(alike, -2)
            self._near = alike.argmax(axis=1)
        return self._sample, self._near
