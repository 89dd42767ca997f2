"""Embeddings from any OpenAI-compatible `/embeddings` endpoint: Ollama, llama.cpp, a hosted service.

The key goes to the configured host and nowhere else: redirects are not followed, and no message or repr shows it.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from muniment.engines.breaker import Breaker
from muniment.engines.rows import filled
from muniment.errors import EngineUnavailable, InvalidInput
from muniment.model.embedders import EmbedderSpec

if TYPE_CHECKING:
    from numpy import ndarray

PROVIDER = "openai"
TEXTS_A_REQUEST_MAX = 64
TIMEOUT_S = 5.0
RETRY_AFTER_S_MAX = 5.0
BACK_OFF_S = 0.25
ANSWER_BYTES_MAX = 64 * 1024 * 1024
COMPLAINT_CHARS_MAX = 200
CHARS_MAX_DEFAULT = 8000
OPTIONS = ("query_prefix", "document_prefix", "chars_max")
# Statuses that say "not this request": the endpoint itself is well.
_REQUEST_AT_FAULT = (400, 413, 422)


def spec_for(rest: str = "", **options: Any) -> EmbedderSpec:
    """`rest` is MODEL@URL, the URL up to but without `/embeddings`. The dimension is 0 until `probe` has learnt it."""
    model, _, url = rest.rpartition("@")
    if not model or not url:
        raise InvalidInput("An endpoint needs a model and an address.", "Write openai:MODEL@URL.")
    if unknown := sorted(options.keys() - set(OPTIONS)):
        raise InvalidInput(f"An endpoint has no option {unknown[0]!r}.", f"It has {', '.join(OPTIONS)}.")
    chars_max = str(options.pop("chars_max", CHARS_MAX_DEFAULT))
    if not re.fullmatch(r"[1-9]\d{0,6}", chars_max):
        raise InvalidInput(f"chars_max cannot be {chars_max!r}.", "Give a whole number from 1 to 9999999.")
    url = url.rstrip("/").removesuffix("/embeddings")
    _parts(url)
    return EmbedderSpec(PROVIDER, model, 0, url=url, chars_max=int(chars_max), **options)


def build(spec: EmbedderSpec, *, api_key: str = "") -> Endpoint:
    """Connects to nothing. Raises InvalidInput for a spec without a dimension: `probe` it first."""
    if spec.dimension < 1:
        raise InvalidInput(f"The dimension of {spec.model} is not known.", "Run `muniment embedder test` to learn it.")
    return Endpoint(spec, api_key)


def probe(spec: EmbedderSpec, key: str = "", *, timeout_s: float = TIMEOUT_S) -> EmbedderSpec:
    """The spec with its dimension, learnt from one short text. Raises EngineUnavailable."""
    vectors = Endpoint(spec, key, timeout_s=timeout_s).ask(["dimension"])
    return replace(spec, dimension=vectors.shape[1])


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    retry_after: str
    date: str
    body: bytes


class Endpoint:
    """`timeout_s` bounds connecting and each answer. Safe in several threads: every request has its own connection."""

    def __init__(
        self,
        spec: EmbedderSpec,
        api_key: str = "",
        *,
        timeout_s: float = TIMEOUT_S,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        if not re.fullmatch(r"[\x21-\x7e]*", api_key):
            raise InvalidInput("The key of the embedding endpoint holds blanks or characters outside ASCII.")
        self.spec = spec
        self._parts = _parts(spec.url)
        self._key = api_key
        self._timeout_s = timeout_s
        self._clock = clock
        self._sleep = sleep
        self._jitter = jitter
        self._breaker = Breaker(clock)

    def __repr__(self) -> str:
        return f"Endpoint({self.spec.model!r} at {self._place})"

    def encode(self, texts: Sequence[str], *, query: bool = False) -> ndarray:
        """float32 rows of length 1, shape (len(texts), spec.dimension); a blank text gets the first axis."""
        return filled(self.spec, texts, self.ask, query=query, at_once=TEXTS_A_REQUEST_MAX)

    def ask(self, texts: list[str]) -> ndarray:
        """One request, repeated once when that may help: raw float32 rows, shape (len(texts), some dimension)."""
        if wait_s := self._breaker.wait_s():
            raise EngineUnavailable(
                f"The embedding endpoint {self._place} failed repeatedly; it is tried again in {wait_s:.0f} s.",
                "Check that it runs with `muniment embedder test`.",
            )
        try:
            rows = _rows(self._accepted(self._posted(texts)), len(texts), self._place)
        except _Refused:
            self._breaker.succeeded()
            raise
        except EngineUnavailable:
            self._breaker.failed()
            raise
        self._breaker.succeeded()
        return rows

    @property
    def _place(self) -> str:
        """The address as messages may show it: a query string could hold a key."""
        return f"{self._parts.scheme}://{self._parts.netloc}{self._parts.path}"

    def _posted(self, texts: list[str]) -> _Answer:
        body = json.dumps({"model": self.spec.model, "input": texts, "encoding_format": "float"}).encode()
        try:
            answer = self._exchange(body)
            pause_s = self._pause_s(answer)
        except (OSError, http.client.HTTPException):
            answer, pause_s = None, self._back_off_s()
        if answer is not None and pause_s is None:
            return answer
        self._sleep(pause_s or 0.0)
        try:
            return self._exchange(body)
        except (OSError, http.client.HTTPException) as fault:
            raise EngineUnavailable(
                f"The embedding endpoint {self._place} cannot be reached: {fault or type(fault).__name__}.",
                "Start it or correct its address, then run `muniment embedder test`.",
            ) from fault

    def _pause_s(self, answer: _Answer) -> float | None:
        """How long to wait before asking again, or None when asking again is of no use."""
        if answer.status != 429 and answer.status < 500:
            return None
        asked_s = _retry_after_s(answer)
        if asked_s is None:
            return self._back_off_s()
        return max(asked_s, self._back_off_s()) if asked_s <= RETRY_AFTER_S_MAX else None

    def _back_off_s(self) -> float:
        return BACK_OFF_S * (1 + self._jitter())

    def _exchange(self, body: bytes) -> _Answer:
        secure = self._parts.scheme == "https"
        connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = connect(self._parts.hostname or "", self._parts.port, timeout=self._timeout_s)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        query = f"?{self._parts.query}" if self._parts.query else ""
        until = self._clock() + self._timeout_s
        try:
            connection.request("POST", f"{self._parts.path}/embeddings{query}", body, headers)
            response = connection.getresponse()
            retry_after, date = response.getheader("Retry-After", ""), response.getheader("Date", "")
            return _Answer(response.status, retry_after, date, self._read(response, until))
        finally:
            connection.close()

    def _read(self, response: http.client.HTTPResponse, until: float) -> bytes:
        # The socket's own timeout starts anew with every byte, so a trickle has to be stopped here.
        read = bytearray()
        while piece := response.read1(1 << 16):
            read += piece
            if len(read) > ANSWER_BYTES_MAX:
                raise http.client.HTTPException(f"its answer is over {ANSWER_BYTES_MAX} bytes")
            if self._clock() > until:
                raise TimeoutError("its answer took too long")
        return bytes(read)

    def _accepted(self, answer: _Answer) -> Any:
        if answer.status != 200:
            raise self._complaint(answer)
        try:
            return json.loads(answer.body)
        except ValueError as fault:
            raise EngineUnavailable(f"The embedding endpoint {self._place} did not answer with JSON.") from fault

    def _complaint(self, answer: _Answer) -> EngineUnavailable:
        said = " ".join(answer.body[: 4 * COMPLAINT_CHARS_MAX].decode("utf-8", "replace").split())
        if self._key:
            said = said.replace(self._key, "[key]")
        message = f"The embedding endpoint {self._place} answered {answer.status}: {said[:COMPLAINT_CHARS_MAX]}"
        if 300 <= answer.status < 400:
            return EngineUnavailable(message, "Redirects are not followed; set the final address.")
        if answer.status in (401, 403):
            return EngineUnavailable(message, "Set its key with `muniment embedder set` or MUNIMENT_EMBEDDING_API_KEY.")
        if answer.status in _REQUEST_AT_FAULT:
            return _Refused(message, "Lower chars_max or correct the model's name with `muniment embedder set`.")
        return EngineUnavailable(message)


class _Refused(EngineUnavailable):
    """The endpoint is well but does not take this request."""


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or re.search(r"[^\x21-\x7e]", url):
        raise InvalidInput("The address of the endpoint is no http(s) URL.", "Write it like http://127.0.0.1:11434/v1.")
    if "@" in parts.netloc:
        raise InvalidInput("The address of the endpoint holds a name or password.", "Give the key on its own.")
    return parts


def _retry_after_s(answer: _Answer) -> float | None:
    """Seconds from either form of Retry-After, a date by the endpoint's own clock; None when it says nothing readable."""
    if re.fullmatch(r"\d{1,9}", answer.retry_after.strip()):
        return float(answer.retry_after)
    try:
        until, now = (email.utils.parsedate_to_datetime(text) for text in (answer.retry_after, answer.date))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return None


def _rows(answer: Any, count: int, place: str) -> ndarray:
    """The vectors in the order of the texts. Raises EngineUnavailable for gaps, ragged rows and what is no number."""
    import numpy as np

    try:
        data = answer["data"]
        indexes = [item.get("index", order) for order, item in enumerate(data)]
        vectors = [item["embedding"] for item in data]
        if sorted(indexes) != list(range(count)):
            raise ValueError(f"it holds {len(data)} vectors, not one for each of {count} texts")
        with np.errstate(over="ignore"):
            rows = np.array(vectors, np.float64).astype(np.float32)
        if rows.ndim != 2 or rows.shape[1] == 0 or not np.isfinite(rows).all():
            raise ValueError("its vectors are not lists of finite numbers")
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as fault:
        raise EngineUnavailable(
            f"The answer of the embedding endpoint {place} cannot be used: {type(fault).__name__}: {fault}.",
            "Check that the address ends before /embeddings and the model makes embeddings.",
        ) from fault
    ordered: ndarray = rows[np.argsort(indexes)]
    return ordered
