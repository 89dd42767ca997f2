"""One look at memory: the question, the corpus it may be answered from, and the transaction both are seen in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from muniment.context import Context, Shelf
from muniment.errors import EngineUnavailable
from muniment.index import lexical, nearest
from muniment.index.corpus import Corpus, Flags, Floats, Ints
from muniment.index.embedding import spec_of
from muniment.model.recalling import Filter
from muniment.model.times import Moment
from muniment.recall import tuning
from muniment.recall.clocks import Clock
from muniment.recall.question import Era, Question
from muniment.store import generations
from muniment.store.connections import Connection


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """The question's vector in the live generation, or why there is none."""

    generation: int = 0
    vector: Floats | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """Everything a view may use. `may[rank]` says whether a rank may be nominated; relative times count from `now`.

    `clock` is the moment that the answer speaks of, `era` what the question asks for, `wanted` the caller's filter. `home` are
    the workspaces of the corpus that are preferred, by their place in it; none where all count alike.
    """

    context: Context
    connection: Connection
    corpus: Corpus
    question: Question
    now: Moment
    may: Flags
    lexical: lexical.Lexical
    meaning: Meaning
    clock: Clock
    era: Era = Era()
    wanted: Filter | None = None
    home: frozenset[int] = frozenset()

    def kept(self) -> Shelf:
        """What was read out of texts, kept from one question to the next."""
        return self.context.readings()


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """What one view found: ranks, best first, with the view's own scores. `every`: its score for each rank, if it has one."""

    view: str
    ranks: Ints
    scores: Floats
    every: Floats | None = None


def meaning(context: Context, connection: Connection, text: str) -> Meaning:
    """Embed a question with the store's own embedder, or say why this process cannot."""
    generation = generations.live(connection)
    if generation is None:
        return Meaning(why="the store has no embedder")
    if context.engines.off:
        return Meaning(why=context.engines.off)
    spec = spec_of(generation)
    if not context.wait and not context.engines.warm(spec, generation.api_key):
        return Meaning(why="warming")
    try:
        return Meaning(generation.id, context.engines.question(spec, generation.api_key, text))
    except EngineUnavailable as fault:
        return Meaning(why=fault.message)


def best(view: str, scores: Floats, may: Flags, most: int) -> Hits:
    """The highest of a score per rank, ties by rank, zeros left out."""
    ranks = np.flatnonzero((scores > 0) & may).astype(np.int32)
    if len(ranks) > 4 * most:
        edge = np.partition(scores[ranks], len(ranks) - most)[len(ranks) - most]
        ranks = ranks[scores[ranks] >= edge]
    order = np.lexsort((ranks, -np.round(scores[ranks], 6)))[:most]
    return Hits(view, ranks[order], scores[ranks[order]], scores)


def near(look: Look) -> nearest.Near | None:
    """How near every rank is in meaning; None where the question has no vector."""
    found = look.meaning
    if found.vector is None:
        return None
    most = tuning.VIEW_MOST
    return nearest.find(look.context, look.connection, look.corpus, found.generation, found.vector, look.may, most)
