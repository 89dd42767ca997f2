"""Synthetic vectors look like the real ones they are made from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from muniment.evaluation import synthetic
from muniment.evaluation.vectors import SAMPLE, Vectors
from muniment.model.embedders import EmbedderSpec

SPEC = EmbedderSpec("use", "test", 64)


class Drawn:
    """An embedder that draws a point for each text around a few centres, and counts what it was asked."""

    spec = SPEC

    def __init__(self) -> None:
        self.asked = 0

    def encode(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """Unit rows that depend on the text alone."""
        self.asked += len(texts)
        centres = np.random.default_rng(1).normal(size=(8, 64))
        draws = [np.random.default_rng(sum(text.encode())) for text in texts]
        rows = np.array(
            [centres[sum(text.encode()) % 8] + 0.5 * dice.normal(size=64) for text, dice in zip(texts, draws, strict=True)]
        )
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def test_the_first_texts_are_real_and_paid_for_once() -> None:
    drawn = Drawn()
    vectors = Vectors(drawn, 3)
    first = vectors.encode(["a", "b", "c"])
    vectors.begin(3)
    again = vectors.encode(["a", "b", "c"])
    assert drawn.asked == 3
    assert np.allclose(first, again)
    assert (vectors.real_made, vectors.synthetic_made) == (3, 0)
    assert vectors.rate is not None


def test_what_comes_after_them_is_synthetic_of_length_one_and_the_same_each_time() -> None:
    vectors = Vectors(Drawn(), 2)
    made = vectors.encode([f"text {n}" for n in range(40)])
    assert (vectors.real_made, vectors.synthetic_made) == (2, 38)
    assert np.allclose(np.linalg.norm(made, axis=1), 1, atol=1e-3)
    vectors.begin(2)
    assert np.allclose(made, vectors.encode([f"text {n}" for n in range(40)]))
    assert len(np.unique(made.round(4), axis=0)) > 30


def test_a_synthetic_vector_lies_near_real_ones_and_is_none_of_them() -> None:
    drawn = Drawn()
    said = [turn.text for _, held in synthetic.turns(SAMPLE) for turn in held]
    alike = (Vectors(drawn, 0).encode([f"text {n}" for n in range(40)]) @ drawn.encode(said).T).max(axis=1)
    assert np.median(alike) > 0.5
    assert (alike < 0.999).mean() > 0.9


def test_questions_are_always_real() -> None:
    drawn = Drawn()
    Vectors(drawn, 0).encode(["a question"], query=True)
    assert drawn.asked == 1
