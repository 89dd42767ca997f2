"""Muniment as it is measured: a fresh store, filled and asked through its public operations alone.

An item is known by the ref that `ingest` gave it, so a ranking can be scored without ever looking into the store.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from muniment import __version__, app, settings, worker
from muniment.access import folders
from muniment.context import Context
from muniment.errors import EngineUnavailable, InvalidInput
from muniment.evaluation.collections import Collection, Item, Question
from muniment.evaluation.foreign import moment
from muniment.evaluation.systems import Answer
from muniment.governance import workspaces
from muniment.ingest.ingest import ingest
from muniment.model.recalling import LIMIT_MAX, Evidence, RecallRequest
from muniment.model.writing import DocumentIn, IngestRequest, TurnIn
from muniment.recall.recall import recall

# `ingest` names at most this many of the records it added; more turns a call would leave some without a ref.
TURNS_A_CALL = 100
EMBEDDERS = ("default", "none")


class Muniment:
    """One store for a run, one workspace a collection. `progress` hears of every passage that was embedded."""

    name = "muniment"

    def __init__(self, embedder: str = "default", *, progress: Callable[[int], None] | None = None) -> None:
        if embedder not in EMBEDDERS:
            raise InvalidInput(f"There is no embedder {embedder!r} to measure with.", f"Choose {' or '.join(EMBEDDERS)}.")
        self.title = f"Muniment {__version__}, {'words and meaning' if embedder == 'default' else 'words alone'}"
        self._embedder = embedder
        self._progress = progress
        self._folder = tempfile.TemporaryDirectory(prefix="muniment-eval-")
        flags = {"store": str(Path(self._folder.name) / "eval.db"), "embedder": "none" if embedder == "none" else "auto"}
        try:
            self._app = app.create_app(settings.load(flags, {}))
        except BaseException:
            self._folder.cleanup()
            raise
        self._context = self._app.context()
        self._items: dict[str, str] = {}
        self._runs = 0

    @property
    def embedder(self) -> str:
        """The model that finds texts by meaning, or none."""
        if self._embedder == "none":
            return "none"
        from muniment.engines import choose

        spec = choose.default_spec()
        return f"{spec.provider}:{spec.model}"

    def keep(self, collection: Collection) -> None:
        """Ingest a collection into a workspace of its own and wait until its vectors are made."""
        self.begin(collection.name)
        self.add(collection.items)

    def begin(self, name: str) -> None:
        """Make a new workspace, which everything kept and asked from now on belongs to."""
        self._runs += 1
        slug = folders.slug(f"{self._runs}-{name}")
        workspaces.add(self._context, slug)
        self._context = replace(self._context, workspace=slug)
        self._items = {}

    def add(self, items: tuple[Item, ...]) -> None:
        """Ingest items and wait until their vectors are made. Raises InvalidInput when one could not be followed."""
        for request, asked in requests(items, self._context.workspace):
            answer = ingest(self._context, request)
            lost = {one.line for one in answer.rejected}
            kept = [item for line, item in enumerate(asked, 1) if line not in lost]
            if answer.added == len(answer.refs) == len(kept):
                self._items |= {ref: item.id for ref, item in zip(answer.refs, kept, strict=True)}
            elif answer.added:
                raise InvalidInput(f"Some items of {request.session or 'a document'} could not be kept apart.")
        self._wait()

    def _wait(self) -> None:
        done = worker.drain(self._context, progress=self._progress)
        if self._embedder != "none" and done.left:
            raise EngineUnavailable(f"Vectors are missing: {done.why or f'{done.left} jobs are left'}.")

    def ask(self, question: Question, k: int) -> Answer:
        """Recall, in the collection's workspace alone. After an abstention `nearest` is the ranking, and it says so."""
        started = time.process_time()
        limit = min(k, LIMIT_MAX)
        answer = recall(
            self._context,
            RecallRequest(question.text, workspace=self._context.workspace, limit=limit, as_of=question.now),
        )
        spent = 1000 * (time.process_time() - started)
        found = answer.nearest if answer.abstained else answer.results
        return Answer(tuple(self._ranked(found)), answer.abstained, spent)

    def _ranked(self, found: tuple[Evidence, ...]) -> Iterator[str]:
        """Item ids in rank order; records that say the same follow the one they are folded into."""
        for evidence in found:
            for ref in (evidence.ref, *evidence.also):
                if ref in self._items:
                    yield self._items[ref]

    def know(self, refs: Mapping[str, str]) -> None:
        """Follow records that were kept in another way, by their refs, and wait until their vectors are made."""
        self._items |= refs
        self._wait()

    def item(self, ref: str) -> str | None:
        """The item of the running collection that a ref stands for."""
        return self._items.get(ref)

    @property
    def context(self) -> Context:
        """The context of the running collection, for those who measure the store itself."""
        return self._context

    def close(self) -> None:
        """Remove the store."""
        self._app.close()
        self._folder.cleanup()


def requests(items: tuple[Item, ...], slug: str) -> Iterator[tuple[IngestRequest, list[Item]]]:
    """What a client would call to keep the items: turns session by session, and a text of its own as a document."""
    for session, run in groupby(items, lambda item: item.session or (f"alone-{item.id}" if item.speaker else None)):
        if session is None:
            for item in run:
                document = DocumentIn(text=item.full, time=moment(item.time), source_ref=item.id)
                yield IngestRequest(document=document, workspace=slug), [item]
            continue
        turns = list(run)
        for start in range(0, len(turns), TURNS_A_CALL):
            part = turns[start : start + TURNS_A_CALL]
            said = tuple(TurnIn(item.speaker or "unknown", item.full, moment(item.time), item.id) for item in part)
            yield IngestRequest(session=session, turns=said, workspace=slug), part
