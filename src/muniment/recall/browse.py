"""Browsing: everything that passes a filter, newest first, with exact counts and a cursor."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from muniment.access import cursors, policy
from muniment.context import Context
from muniment.index import corpus as corpora
from muniment.index.lexical import Lexical
from muniment.model.recalling import Meta, RecallAnswer, RecallRequest
from muniment.model.times import Moment
from muniment.recall import assemble, scope
from muniment.recall.candidates import Candidate
from muniment.recall.look import Look, Meaning
from muniment.recall.question import understand

LIMIT_DEFAULT = 20


def browse(context: Context, request: RecallRequest) -> RecallAnswer:
    """A page of records. `total` counts all that pass the filter; `cursor` is there while more follow."""
    names = tuple(request.workspace) if isinstance(request.workspace, (list, tuple)) else request.workspace
    with context.store.read() as connection:
        places = policy.asked(context, connection, names)
        corpus = corpora.load(context, connection, [place.id for place in places])
        may = scope.allowed(context, connection, corpus, request)
        ranks = _firsts(corpus, may)
        at = scope.moments(corpus)[ranks]
        order = np.lexsort((corpus.record[ranks], -at))
        bound = [[place.slug for place in places], asdict(request.filter) if request.filter else None, request.as_of]
        start = cursors.unseal(context, connection, request.cursor, bound)[0] if request.cursor else 0
        limit = request.limit or LIMIT_DEFAULT
        page = ranks[order][start : start + limit]
        candidates = [Candidate(int(corpus.place[r]), int(corpus.record[r]), int(r), 0, 0.0, 0.0) for r in page]
        empty = Lexical(np.zeros(len(corpus), np.float32), ())
        now = Moment(context.now(), 0)
        look = Look(context, connection, corpus, understand("", corpus, now), now, may, empty, Meaning())
        found = assemble.gather(look, candidates, collapse=False)
        kept, skipped, used = assemble.budget(found, limit, request.max_tokens)
        shown = assemble.evidence(look, kept, {place.id: place for place in places}, {}, request.around)
        more = start + limit < len(ranks)
        cursor = cursors.seal(context, connection, [start + limit], bound) if more else None
        return RecallAnswer(
            results=shown,
            strength="none",
            total=len(ranks),
            filtered_out=int((~may).sum()),
            skipped_for_budget=skipped,
            tokens_used=used,
            route=("browse",),
            cursor=cursor,
            meta=Meta(mode="browse"),
        )


def _firsts(corpus: corpora.Corpus, may: corpora.Flags) -> corpora.Ints:
    """The first passage of every record that may be shown."""
    ranks = np.flatnonzero(may).astype(np.int32)
    if not len(ranks):
        return ranks
    new = np.concatenate([[True], np.diff(corpus.group[ranks]) != 0])
    firsts: corpora.Ints = ranks[new]
    return firsts
