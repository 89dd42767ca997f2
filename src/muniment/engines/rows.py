"""What every embedder does with its texts and rows. Whatever comes in, each text gets one finite row of length 1.

A blank text means nothing, so it gets the first axis: a unit vector that is near no real text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from muniment.errors import EngineUnavailable

TEXTS_AT_ONCE = 256

if TYPE_CHECKING:
    from numpy import ndarray

    from muniment.model.embedders import EmbedderSpec


def cut(text: str, chars_max: int) -> str:
    """At most `chars_max` code points. Lone surrogates, which no tokenizer and no JSON takes, become `?`."""
    return text[:chars_max].encode("utf-8", "replace").decode("utf-8")


def filled(
    spec: EmbedderSpec,
    texts: Sequence[str],
    encode: Callable[[list[str]], ndarray],
    *,
    query: bool,
    at_once: int = TEXTS_AT_ONCE,
) -> ndarray:
    """Unit rows, shape (len(texts), spec.dimension). `encode` gets only texts that say something, cut and then prefixed,
    and no more than `at_once` of them, so that copies of the texts do not add up."""
    import numpy as np

    prefix = spec.query_prefix if query else spec.document_prefix
    rows = np.zeros((len(texts), spec.dimension), np.float32)
    rows[:, 0] = 1.0
    spoken = [place for place, text in enumerate(texts) if text[: spec.chars_max].strip()]
    for start in range(0, len(spoken), at_once):
        places = spoken[start : start + at_once]
        rows[places] = unit(spec, encode([prefix + cut(texts[place], spec.chars_max) for place in places]), len(places))
    return rows


def unit(spec: EmbedderSpec, rows: ndarray, count: int) -> ndarray:
    """The rows at length 1. Raises EngineUnavailable when they are not `count` finite rows of the spec's dimension."""
    import numpy as np

    if rows.shape != (count, spec.dimension):
        raise EngineUnavailable(
            f"The embedder {spec.model} returned vectors of shape {rows.shape} instead of {(count, spec.dimension)}.",
            "Run `muniment embedder test`; if the model behind the name has changed, set the embedder again.",
        )
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise EngineUnavailable(f"The embedder {spec.model} returned a vector that is not finite or is all zeros.")
    rows = (rows / lengths).astype(np.float32)
    return rows
