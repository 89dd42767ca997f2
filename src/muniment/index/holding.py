"""Records that hold every word of a name, newest first: a thing without a capital letter is no named thing of the index.

Reads postings alone, so that whoever asks needs no corpus in memory.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice

from muniment.index import postings
from muniment.store.connections import Connection
from muniment.text import terms

WORDS_MOST = 6  # of a longer name the longest words are asked for
# Of the passages that hold the rarest word, so many are looked at, the newest first.
LOOKED_AT_MOST = 2000


def find(connection: Connection, workspace: int, name: str, most: int) -> list[int]:
    """At most `most` records of which a passage holds every word of content of a name; none for a name without such words."""
    words = sorted({term for term in terms.terms(name) if not terms.is_stop(term)}, key=lambda term: (-len(term), term))
    wanted = words[:WORDS_MOST]
    held = postings.ordinals(connection, workspace, wanted)
    if not wanted or len(held) < len(wanted):
        return []
    rarest, *others = sorted(held.values(), key=len)
    newest = rarest[-LOOKED_AT_MOST:].tolist()[::-1]
    found = list(islice((ordinal for ordinal in newest if all(_holds(other, ordinal) for other in others)), most))
    at = {row[0]: row[1] for row in connection.all("passages_at", {"workspace": workspace, "ordinals": json.dumps(found)})}
    return list(dict.fromkeys(at[ordinal] for ordinal in found if ordinal in at))


def _holds(ordinals: Sequence[int], wanted: int) -> bool:
    at = bisect_left(ordinals, wanted)
    return at < len(ordinals) and ordinals[at] == wanted
