"""MiniLM through onnxruntime: the same row in any company, and a clear word when the extra is missing."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

from muniment.engines import choose, minilm
from muniment.errors import EngineUnavailable, InvalidInput

INSTALLED = {offer.name: offer.installed for offer in choose.available()}["minilm"]
needs_extra = pytest.mark.skipif(not INSTALLED, reason="the extra `onnx` is not installed")

WITHOUT = """
import sys
sys.modules["onnxruntime"] = None
from muniment.engines import choose
from muniment.errors import EngineUnavailable
try:
    choose.build(choose.spec_named("minilm"))
except EngineUnavailable as fault:
    print(fault)
"""


@pytest.fixture(scope="module")
def embedder():
    return minilm.build(minilm.spec_for())


def test_without_the_extra_it_says_what_to_install():
    ran = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert "pip install 'muniment[onnx]'" in ran.stdout


def test_it_has_no_options():
    with pytest.raises(InvalidInput, match="no options"):
        minilm.spec_for("large")


def test_batches_cover_every_text_once_and_stay_bounded():
    lengths = [3, 256, 20, 256, 7, 90, 256, 1]
    batches = list(minilm._batches(lengths))
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    assert all(len(batch) * max(lengths[place] for place in batch) <= minilm.TOKENS_A_BATCH for batch in batches)


@needs_extra
def test_like_sentences_are_near_and_others_far(embedder):
    rows = embedder.encode(["The cat sat on the mat.", "A kitten rested on a rug.", "Interest rates rose in March."])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert rows[0] @ rows[1] > 0.5
    assert rows[0] @ rows[2] < 0.2


@needs_extra
def test_a_row_does_not_depend_on_the_texts_beside_it(embedder):
    texts = ["boats", "The harbour was closed on Thursday because of ice.", "long " * 300, "", "keys in the blue jar"] * 3
    together = embedder.encode(texts)
    alone = np.concatenate([embedder.encode([text]) for text in texts])
    assert np.abs(together - alone).max() < 1e-4
    assert together[3].tolist() == [1.0] + [0.0] * 383


@needs_extra
def test_weights_other_than_the_spec_s_are_refused():
    with pytest.raises(EngineUnavailable, match="not the ones these vectors need"):
        minilm.build(dataclasses.replace(minilm.spec_for(), file_hash="0" * 64))
