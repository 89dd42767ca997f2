"""What is said of somebody or something: passages that speak of the names in the question.

Who takes part in a conversation is called by name there, and seldom spoken of: such a mention counts nothing.
"""

from __future__ import annotations

import numpy as np

from muniment.index import lexical
from muniment.index.corpus import Flags, Floats, Longs
from muniment.recall import tuning
from muniment.recall.look import Hits, Look, best
from muniment.text import terms


def find(look: Look) -> Hits:
    """Of passages that speak of equally many of the names, those with more of the other words come first."""
    said = scores(look)
    most = float(look.lexical.scores.max()) if len(said) else 0.0
    ranked = said * (1 + look.lexical.scores / np.float32(most or 1.0))
    found = best("about", ranked, look.may, tuning.VIEW_MOST)
    return Hits("about", found.ranks, found.scores, said)


def scores(look: Look) -> Floats:
    """By rank: the share of the names in the question that a passage speaks of."""
    corpus = look.corpus
    parts = named(look)
    out = np.zeros(len(corpus), np.float32)
    if not parts:
        return out
    held = lexical.holding(look.connection, corpus, [found[-1] for found in parts.values()], look.lexical.words)
    for name, found in parts.items():
        ranks = held.get(found[-1], np.empty(0, np.int32))
        if name in corpus.names:
            present = corpus.session[corpus.speaker == corpus.names.index(name)]
            ranks = ranks[~_among(present, corpus.session[ranks])]
        out[ranks] += 1
    return out / np.float32(len(parts))


def _among(present: Longs, sessions: Longs) -> Flags:
    """Which sessions are among those that are present; a corpus holds its sessions in order."""
    if not len(present):
        return np.zeros(len(sessions), bool)
    found: Flags = present[np.minimum(np.searchsorted(present, sessions), len(present) - 1)] == sessions
    return found


def named(look: Look) -> dict[str, list[str]]:
    """The names in the question with their terms; the last one of a name tells it apart."""
    names = dict.fromkeys((*look.question.speakers, *look.question.names))
    parts = {name: [term for term in terms.terms(name) if not terms.is_stop(term)] for name in names}
    return {name: held for name, held in parts.items() if held}
