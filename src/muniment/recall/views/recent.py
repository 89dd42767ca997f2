"""The newest: only for questions about now."""

from __future__ import annotations

import numpy as np

from muniment.recall.filters import moments
from muniment.recall.look import Hits, Look

NEWEST = 50


def find(look: Look) -> Hits:
    allowed = np.flatnonzero(look.may).astype(np.int32)
    order = np.lexsort((allowed, -moments(look.corpus)[allowed]))[:NEWEST]
    return Hits("recent", allowed[order], np.ones(len(order), np.float32))
