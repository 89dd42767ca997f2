"""Words: BM25 over a passage and what stands around it."""

from __future__ import annotations

from muniment.recall import tuning
from muniment.recall.look import Hits, Look, best


def find(look: Look) -> Hits:
    return best("lexical", look.lexical.scores, look.may, tuning.VIEW_MOST)
