"""Pieces of words: what an identifier or an unknown word of the question is a part of.

The vocabulary of the workspace is searched, not its texts, so this costs the same however much was said.
"""

from __future__ import annotations

import numpy as np

from muniment.index import lexical
from muniment.index.corpus import Floats
from muniment.recall import tuning
from muniment.recall.look import Hits, Look, best
from muniment.store import workspaces

PIECE_LEAST = 3
PIECES_MOST = 8
TERMS_MOST = 20


def find(look: Look) -> Hits:
    return best("substring", scores(look), look.may, tuning.VIEW_MOST)


def _holding(look: Look, workspace: int, piece: str) -> tuple[str, ...]:
    """Words of a workspace that hold a piece, kept while nothing changes: questions ask in few words, such as "mention"."""
    kept, key, stamp = look.kept(), ("piece", workspace, piece), workspaces.stamp(look.connection, workspace)
    held: tuple[tuple[int, int], tuple[str, ...]] | None = kept.get(key)
    if held is None or held[0] != stamp:
        rows = look.connection.all("terms_holding", {"workspace": workspace, "piece": piece, "limit": TERMS_MOST})
        held = stamp, tuple(row[0] for row in rows)
        kept.put(key, held)
    return held[1]


def scores(look: Look) -> Floats:
    """BM25 of the words that hold a piece of the question which is no word of the workspace by itself."""
    pieces = [word.term for word in look.lexical.words if not len(word.ranks) and len(word.term) >= PIECE_LEAST][:PIECES_MOST]
    held: dict[str, int] = {}
    for piece in pieces:
        for workspace in look.corpus.workspaces:
            held |= dict.fromkeys(_holding(look, workspace, piece), 1)
    if not held:
        return np.zeros(len(look.corpus), np.float32)
    return lexical.score(look.connection, look.corpus, held, neighbours=False).scores
