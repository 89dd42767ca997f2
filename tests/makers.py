"""Small builders for tests: a memory on a store, with a clock and an entropy that a test can know beforehand.

Everything is the real thing. `HashedWords` is a second real embedder: texts that share words lie near each other, and it
loads in no time. `memory` runs on both stores; `meaning` is the default embedder, loaded once a session.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from muniment.app import App, _furnish
from muniment.context import Context, Engines, Shelf
from muniment.engines import choose
from muniment.engines.embed import Embedder
from muniment.index import generations
from muniment.ingest.remember import remember
from muniment.ingest.turns import keep
from muniment.model.access import Grant, Workspace
from muniment.model.embedders import EmbedderSpec
from muniment.model.recalling import Filter, RecallAnswer, RecallRequest
from muniment.model.times import Moment
from muniment.model.turns import Incoming, IncomingTurn
from muniment.model.writing import Labels, RememberRequest
from muniment.recall.recall import recall
from muniment.store import generations as stored
from muniment.store import records, workspaces
from muniment.text import dates, terms
from muniment.worker import Drained, drain
from tests.stores import NOW, at

MINUTE = 60_000
DAY = 86_400_000
OFF = "switched off by the test"


class HashedWords:
    """Every term of a text adds a fixed direction; equal texts have equal vectors, texts without words all the same one."""

    def __init__(self, model: str = "words", dimension: int = 64) -> None:
        self.spec = EmbedderSpec(provider="hashed", model=model, dimension=dimension)
        self.encoded = 0

    def encode(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        self.encoded += len(texts)
        return np.stack([self._row(text) for text in texts])

    def _row(self, text: str) -> NDArray[np.float32]:
        row = np.zeros(self.spec.dimension, np.float32)
        for term in terms.terms(text):
            if not terms.is_stop(term):
                seed = hashlib.blake2b(f"{self.spec.model}\x1f{term}".encode(), digest_size=8).digest()
                row += np.random.default_rng(int.from_bytes(seed, "big")).standard_normal(self.spec.dimension)
        length = float(np.linalg.norm(row))
        if not length:
            row[0] = length = 1.0
        return (row / np.float32(length)).astype(np.float32)


class Clock:
    """Stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now

    def move(self, ms: int) -> None:
        self.now += ms


class Entropy:
    """Bytes that never repeat and are the same in every run."""

    def __init__(self) -> None:
        self._numbers = itertools.count()

    def __call__(self, count: int) -> bytes:
        return hashlib.shake_128(str(next(self._numbers)).encode()).digest(count)


@dataclass
class Memory:
    """One caller's memory. Words only, until `embed_with` gives it an embedder."""

    app: App
    clock: Clock = field(default_factory=Clock)
    entropy: Entropy = field(default_factory=Entropy)
    engines: Engines = field(default_factory=lambda: Engines(choose.build, off=OFF))
    workspace: str = "inbox"
    numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def context(self) -> Context:
        made = self.app.context(workspace=self.workspace)
        return replace(made, engines=self.engines, clock=self.clock, entropy=self.entropy, shelf=self.app.shelf)

    def in_(self, slug: str) -> Memory:
        """The same memory with another current workspace, which is made when it is not there."""
        with self.app.store.write() as connection:
            uid = self.context.uid()
            workspaces.add(connection, uid=uid, slug=slug, name=slug, kind="project", root=None, now=self.clock.now)
        return replace(self, workspace=slug)

    def elsewhere(self) -> Memory:
        """The same store as another process sees it: nothing held in memory."""
        return replace(self, app=replace(self.app, shelf=Shelf()))

    def only(self, *slugs: str, write: Sequence[str] | None = None) -> Context:
        """The context of a caller who may see no other workspaces than these."""
        held = self.app.grant("admin")
        allowed = frozenset(slugs)
        grant = Grant(held.principal, "guest", held.scopes, allowed, allowed if write is None else frozenset(write), token=7)
        return replace(self.context, grant=grant, store=self.app._walled(grant))

    def say(self, session: str, *lines: str, time: str | None = None, step: int = MINUTE) -> list[str]:
        """Ingest turns written "Speaker: text", a minute apart from `time` on; answers their refs. No turn is a repeat."""
        first = dates.parse(time) if time else None
        turns = []
        for number, line in enumerate(lines):
            speaker, _, text = line.partition(": ")
            moment = Moment(first.ms + number * step, first.zone) if first else None
            turns.append(IncomingTurn(session, speaker, text, moment, f"turn-{next(self.numbers)}"))
        return self.take(turns)

    def take(self, turns: Sequence[Incoming]) -> list[str]:
        *_, kept = keep(self.context, turns)
        assert kept.rejected == []
        return kept.refs

    def keep(self, text: str, kind: Any = "fact", *, labels: Labels | None = None, **more: Any) -> str:
        """Remember a statement; answers its ref."""
        return remember(self.context, RememberRequest(text=text, kind=kind, labels=labels, **more)).ref

    def change(self, ref: str, text: str, version: int = 1) -> None:
        remember(self.context, RememberRequest(op="update", target=ref, text=text, expected_version=version))

    def archive(self, ref: str) -> None:
        remember(self.context, RememberRequest(op="archive", target=ref, expected_version=self.version(ref)))

    def restore(self, ref: str) -> None:
        remember(self.context, RememberRequest(op="restore", target=ref, expected_version=self.version(ref)))

    def version(self, ref: str) -> int:
        """The version of a memory that is in force."""
        with self.app.store.read() as connection:
            record = records.by_uid(connection, ref[2:])
        assert record is not None
        return record.version

    def ask(self, query: str = "", *, where: Filter | None = None, **more: Any) -> RecallAnswer:
        return recall(self.context, RecallRequest(query=query, filter=where, **more))

    def found(self, query: str = "", *, where: Filter | None = None, **more: Any) -> list[str]:
        """The texts of what a question or, without one, browsing returns; also what came nearest."""
        answer = self.ask(query, where=where, **more)
        return [one.text for one in (answer.results or answer.nearest)]

    def embed_with(self, embedder: Embedder) -> Memory:
        """Make an embedder the store's own; `work` then makes the vectors."""
        memory = replace(self, engines=Engines(lambda spec, key: embedder))
        with memory.app.store.read() as connection:
            live = stored.live(connection)
        if live is None or live.spec_hash != embedder.spec.hash():
            generations.start(memory.context, embedder.spec)
        return memory

    def work(self) -> Drained:
        return drain(self.context)

    def place(self, slug: str | None = None) -> Workspace:
        with self.app.store.read() as connection:
            found = workspaces.by_slug(connection, slug or self.workspace)
        assert found is not None
        return found


def furnished(store: Any, folder: Path) -> App:
    """An application on a store that has its schema and nothing else."""
    with store.write() as connection:
        _furnish(connection)
        row = connection.one("principal_by_name", {"name": "local"})
    return App(at(store.where, folder), store, Engines(choose.build, off=OFF), Shelf(), row[0])


@pytest.fixture
def memory(store: Any, tmp_path: Path) -> Memory:
    """A memory on each store, answering from words alone."""
    return Memory(furnished(store, tmp_path))


@pytest.fixture(scope="session")
def meaning() -> Embedder:
    """The default embedder."""
    return choose.build(choose.default_spec())


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Memory]:
    """A memory on SQLite alone, for what no store can change."""
    made = new_memory(tmp_path)
    yield made
    made.app.store.close()


def new_memory(folder: Path) -> Memory:
    """A memory on a new SQLite file in a folder of its own."""
    from muniment.store import migrate
    from muniment.store.sqlite import SqliteStore

    folder.mkdir(parents=True, exist_ok=True)
    store = SqliteStore(folder / "muniment.db", create=True)
    migrate.apply(store, NOW)
    return Memory(furnished(store, folder))


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Callable[[], Memory]]:
    """Makes a new memory at every call: for properties, whose examples must not see each other."""
    made: list[Memory] = []

    def make() -> Memory:
        memory = new_memory(tmp_path / f"memory-{len(made)}")
        made.append(memory)
        return memory

    yield make
    for memory in made:
        memory.app.store.close()


WORDS = (
    "anchor berth crane diesel engine fog gate harbour island jetty keel ledger mast net oar pilot quay rope sail tide".split()
)
ACTS = ("say", "say", "say", "keep", "keep", "archive", "restore", "change")
Deed = tuple[str, int, int]


class Doer:
    """Does things to a memory from numbers, so that a property can draw a history: deed, session or target, words."""

    def __init__(self, memory: Memory, own: str = "") -> None:
        self.memory = memory
        self.own = own  # a word that no other doer says
        self.kept: list[str] = []
        self.away: list[str] = []
        self.versions: dict[str, int] = {}

    def do(self, deeds: Sequence[Deed]) -> None:
        for deed in deeds:
            self.memory.clock.move(1000)
            self._do(*deed)

    def _do(self, act: str, one: int, two: int) -> None:
        target = self.kept[one % len(self.kept)] if self.kept else None
        match act:
            case "say":
                lines = [f"{('Ann', 'Bob', 'assistant')[(one + n) % 3]}: {self._text(two + n)}" for n in range(1 + two % 4)]
                self.memory.say(f"{self.own}s{one % 4}", *lines, time=f"2024-0{1 + one % 8}-1{two % 9}T10:00:00Z")
            case "keep":
                ref = self.memory.keep(f"{self._text(one)} {self._text(two)}", ("fact", "decision")[one % 2])
                if ref not in self.kept and ref not in self.away:
                    self.kept.append(ref)
                    self.versions[ref] = 1
            case "archive" if target:
                self.memory.archive(target)
                self.kept.remove(target)
                self.away.append(target)
            case "restore" if self.away:
                ref = self.away.pop(one % len(self.away))
                self.memory.restore(ref)
                self.kept.append(ref)
            case "change" if target:
                self.memory.change(target, f"{self._text(two)} changed to {sum(self.versions.values())}", self.versions[target])
                self.versions[target] += 1

    def _text(self, seed: int) -> str:
        said = " ".join(WORDS[(seed * step + step) % len(WORDS)] for step in range(1, 3 + seed % 5))
        return f"{self.own} {said}".strip() + ("?" if seed % 7 == 3 else ".")


def histories(most: int = 12) -> Any:
    """A hypothesis strategy for what a Doer does."""
    from hypothesis import strategies as st

    number = st.integers(0, 40)
    return st.lists(st.tuples(st.sampled_from(ACTS), number, number), min_size=1, max_size=most)
