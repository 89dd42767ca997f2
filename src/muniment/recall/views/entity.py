"""Named things: passages that mention what the question names, the rarer the thing the more.

Names are found by shape, as they were when the texts came in; lower-case words of the question count too when they are
the name of something that few passages mention.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import numpy as np

from muniment.graph import resolve
from muniment.graph.resolve import Thing
from muniment.index.corpus import Floats
from muniment.index.write import ENTITY_SORTS
from muniment.recall import tuning
from muniment.recall.look import Hits, Look, best
from muniment.store.connections import Connection
from muniment.text import spans

NAMES_MOST = 60
WORDS_IN_NAME_MOST = 3
# A plain word is taken for a name only while at most this share of the passages mentions it.
COMMON_SHARE = 0.4


def find(look: Look) -> Hits:
    return best("entity", scores(look), look.may, tuning.VIEW_MOST)


def scores(look: Look) -> Floats:
    """By rank: the sum of the rarities of the asked things that a passage mentions."""
    out = np.zeros(len(look.corpus), np.float32)
    text = look.question.bare
    shaped = {spans.norm(span.surface) for span in spans.find(text) if span.sort in ENTITY_SORTS}
    names = list(dict.fromkeys((*sorted(shaped), *_runs(text))))[:NAMES_MOST]
    for workspace in look.corpus.workspaces:
        for thing, norms in _things(look.connection, workspace, names).items():
            rows = look.connection.all("mentions_of", {"workspace": workspace, "entities": json.dumps(thing.members)})
            ranks = np.unique(look.corpus.ranks(workspace, np.array([row[0] for row in rows], np.int32)))
            ranks = ranks[ranks >= 0]
            if norms & shaped or len(ranks) <= max(1, COMMON_SHARE * len(look.corpus)):
                out[ranks] += math.log(1 + len(look.corpus) / max(1, len(ranks)))
    return out


def _things(connection: Connection, workspace: int, names: list[str]) -> dict[Thing, set[str]]:
    """The things that are named, each once however often and by whichever of its names, and those names."""
    things: dict[Thing, set[str]] = {}
    for norm, meant in sorted(resolve.many(connection, workspace, names).items()):
        if meant.thing:
            things.setdefault(meant.thing, set()).add(norm)
    return things


def _runs(text: str) -> Iterator[str]:
    """Every run of up to three words of a question, the longest first: each may be the name of something."""
    words = text.split()
    for size in range(WORDS_IN_NAME_MOST, 0, -1):
        for start in range(len(words) - size + 1):
            norm = spans.norm(" ".join(words[start : start + size]).strip(".,;:!?¿¡()[]\"'«»„“”"))
            if norm:
                yield norm
