"""What every operation is given first: who asks, which store answers, and the clock.

A context is frozen. Time, ids and randomness come from it and from nowhere else, so a test can set them.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from muniment.errors import EngineUnavailable, InvalidInput
from muniment.model.access import PERSONAL, Door, Grant
from muniment.model.ids import uid, uid_run

if TYPE_CHECKING:
    from numpy import ndarray

    from muniment.engines.embed import Embedder
    from muniment.model.embedders import EmbedderSpec
    from muniment.store.connections import Store

SHELF_MAX = 64
QUESTIONS_MAX = 512
READINGS_MAX = 60_000


class Shelf:
    """So many things that are dear to make again; the one not asked for longest falls off, and is then only slower."""

    def __init__(self, most: int = SHELF_MAX) -> None:
        self._most = most
        self._things: OrderedDict[Hashable, Any] = OrderedDict()
        self._guard = threading.Lock()

    def get(self, key: Hashable) -> Any:
        with self._guard:
            if key in self._things:
                self._things.move_to_end(key)
            return self._things.get(key)

    def put(self, key: Hashable, thing: Any) -> None:
        with self._guard:
            self._things[key] = thing
            self._things.move_to_end(key)
            while len(self._things) > self._most:
                self._things.popitem(last=False)

    def within(self, key: Hashable, most: int) -> Shelf:
        """A shelf of its own on this one, made when it is first asked for: for small things that come by the thousand."""
        held: Shelf | None = self.get(key)
        if held is None:
            held = Shelf(most)
            self.put(key, held)
        return held

    def clear(self) -> None:
        with self._guard:
            self._things.clear()


class Engines:
    """The models of this process, each built when it is first needed and then kept.

    `build` makes an embedder from a spec and a key; `off` says why meaning is switched off here, or is empty.
    """

    def __init__(self, build: Callable[[EmbedderSpec, str], Embedder], *, off: str = "") -> None:
        self._build = build
        self._built: dict[str, Embedder] = {}
        self._guard = threading.Lock()
        self._questions = Shelf(QUESTIONS_MAX)
        self.off = off

    def embedder(self, spec: EmbedderSpec, api_key: str) -> Embedder:
        """Raises EngineUnavailable when this process cannot run it."""
        name = _name(spec, api_key)
        with self._guard:
            if name not in self._built:
                try:
                    self._built[name] = self._build(spec, api_key)
                except InvalidInput as fault:  # the store's embedder comes from a package that is not installed here
                    raise EngineUnavailable(fault.message, fault.do_next) from fault
            return self._built[name]

    def question(self, spec: EmbedderSpec, api_key: str, text: str) -> ndarray:
        """The unit vector of a question, which cannot be written to; kept, since it depends on spec and text alone."""
        held: ndarray | None = self._questions.get((spec.hash(), text))
        if held is None:
            held = self.embedder(spec, api_key).encode([text], query=True)[0].copy()
            held.flags.writeable = False
            self._questions.put((spec.hash(), text), held)
        return held

    def warm(self, spec: EmbedderSpec, api_key: str) -> bool:
        """Whether an embedder stands ready, so that asking it costs no loading."""
        return _name(spec, api_key) in self._built


def _name(spec: EmbedderSpec, api_key: str) -> str:
    """Equal specs at two addresses, or with two keys, are two embedders."""
    return f"{spec.hash()}:{spec.url}:{api_key}"


@dataclass(frozen=True, slots=True)
class Context:
    """First argument of every operation. `workspace` is the slug of the current one; `session` the running conversation."""

    store: Store
    grant: Grant
    engines: Engines
    clock: Callable[[], int]
    entropy: Callable[[int], bytes]
    workspace: str
    session: str | None = None
    base_url: str = ""
    door: Door = "bearer"
    redact: bool = True
    read_only: bool = False
    isolation: str = "none"  # of workspaces that are made from now on
    ring: str = "alpha"
    scan_every_hours: int = 0  # how often the worker looks for conflicts; 0: never
    wait: bool = True  # whether an answer waits for a model that is still loading
    shelf: Shelf = field(default_factory=Shelf)
    whole: Store | None = None  # the store without the walls of the caller

    @property
    def system(self) -> Store:
        """The store without walls. Only for what proves who somebody is (tokens, grants, profiles), never for what is kept."""
        return self.whole or self.store

    @property
    def personal(self) -> bool:
        """Whether a person stands at the door. What only a person may say depends on this, and not on the grant alone."""
        return self.door in PERSONAL

    @property
    def source_type(self) -> str:
        """What a text that comes in here counts as: user_confirmed only at the command line and on the web."""
        return "user_confirmed" if self.personal else "agent_generated"

    def now(self) -> int:
        """Unix milliseconds UTC."""
        return self.clock()

    def readings(self) -> Shelf:
        """What was read out of texts, kept from one question to the next. A key begins with the name of what was read."""
        return self.shelf.within("readings", READINGS_MAX)

    def uid(self) -> str:
        """A fresh UUIDv7 in base 32."""
        return uid(self.clock(), self.entropy(10))

    def uids(self, count: int) -> list[str]:
        """Fresh UUIDv7s that sort in the order of the list."""
        return uid_run(self.clock(), self.entropy(10), count)
