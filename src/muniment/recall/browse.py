"""Browsing: everything that passes a filter, newest first, with exact counts and a cursor."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from muniment.access import cursors, policy
from muniment.context import Context
from muniment.index import corpus as corpora
from muniment.index.lexical import Lexical
from muniment.model.recalling import LIMIT_MAX, Meta, RecallAnswer, RecallRequest
from muniment.model.times import Moment
from muniment.recall import assemble, clocks, evidence, filters
from muniment.recall.candidates import Candidate
from muniment.recall.look import Look, Meaning
from muniment.recall.question import understand
from muniment.store.connections import Connection
from muniment.text import estimate

LIMIT_DEFAULT = 20


def browse(context: Context, request: RecallRequest) -> RecallAnswer:
    """A page of records. `total` counts all that pass the filter; `cursor` is there while more follow.

    A cursor names the record a page ended with, not a number of records, so what others store meanwhile repeats nothing.
    """
    names = tuple(request.workspace) if isinstance(request.workspace, (list, tuple)) else request.workspace
    with context.store.read() as connection:
        places = policy.asked(context, connection, names)
        clock = clocks.load(context, connection, [place.id for place in places], request)
        corpus = clock.corpus
        may = filters.allowed(context, connection, clock, request) & clock.stands(filters.shown(clock, request.filter))
        ranks, at = _newest_first(corpus, _firsts(corpus, may))
        wanted = asdict(request.filter) if request.filter else None
        bound = [[place.slug for place in places], wanted, request.as_of, request.known_at]
        start = _after(corpus, ranks, at, cursors.unseal(context, connection, request.cursor, bound)) if request.cursor else 0
        limit = request.limit or (LIMIT_MAX if request.max_tokens else LIMIT_DEFAULT)
        look = _look(context, connection, clock, may)
        page = _page(look, ranks[start : start + limit].tolist(), request.max_tokens)
        shown = evidence.show(look, page.kept, {place.id: place for place in places}, {}, request.around)
        end = start + page.passed
        mark = [int(at[end - 1]), int(corpus.place[ranks[end - 1]]), int(corpus.record[ranks[end - 1]])] if end else []
        return RecallAnswer(
            results=shown,
            strength="none",
            total=len(ranks),
            filtered_out=filters.count(corpus, ~may),
            skipped_for_budget=page.skipped,
            tokens_used=page.used,
            route=("browse",),
            entity_resolved=filters.resolved(connection, corpus, request),
            cursor=cursors.seal(context, connection, mark, bound) if end < len(ranks) else None,
            meta=Meta(mode="browse"),
        )


@dataclass(frozen=True, slots=True)
class _Page:
    """What one answer shows, and how many records it came past."""

    kept: list[assemble.Found]
    passed: int
    skipped: int
    used: int


def _page(look: Look, ranks: list[int], tokens_max: int | None) -> _Page:
    """As many records as the budget holds. One that no page could hold is skipped and counted; else the page ends there."""
    corpus = look.corpus
    candidates = [Candidate(int(corpus.place[r]), int(corpus.record[r]), r, 0, 0.0, 0.0) for r in ranks]
    found = {one.candidate.rank: one for one in assemble.gather(look, candidates, collapse=False)}
    kept: list[assemble.Found] = []
    skipped = used = 0
    for passed, rank in enumerate(ranks):
        cost = estimate.tokens(found[rank].record.text) if rank in found else 0
        if tokens_max is not None and cost > tokens_max:
            skipped += 1
        elif tokens_max is not None and used + cost > tokens_max:
            return _Page(kept, passed, skipped, used)
        elif rank in found:
            kept.append(found[rank])
            used += cost
    return _Page(kept, len(ranks), skipped, used)


def _look(context: Context, connection: Connection, clock: clocks.Clock, may: corpora.Flags) -> Look:
    corpus, now = clock.corpus, Moment(clock.now, 0)
    nothing = Lexical(np.zeros(len(corpus), np.float32), ())
    return Look(context, connection, corpus, understand("", corpus, now), now, may, nothing, Meaning(), clock)


def _newest_first(corpus: corpora.Corpus, ranks: corpora.Ints) -> tuple[corpora.Ints, corpora.Longs]:
    at = filters.moments(corpus)[ranks]
    order = np.lexsort((corpus.record[ranks], corpus.place[ranks], -at))
    return ranks[order], at[order]


def _after(corpus: corpora.Corpus, ranks: corpora.Ints, at: corpora.Longs, mark: list[int]) -> int:
    """Where the list goes on behind the record that a cursor names, which itself need not be there any more."""
    moment, place, record = mark
    places, records = corpus.place[ranks], corpus.record[ranks]
    same = (places < place) | ((places == place) & (records <= record))
    return int(((at > moment) | ((at == moment) & same)).sum())


def _firsts(corpus: corpora.Corpus, may: corpora.Flags) -> corpora.Ints:
    """The first passage of every record that may be shown."""
    ranks = np.flatnonzero(may).astype(np.int32)
    if not len(ranks):
        return ranks
    new = np.concatenate([[True], np.diff(corpus.group[ranks]) != 0])
    firsts: corpora.Ints = ranks[new]
    return firsts
