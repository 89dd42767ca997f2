"""Who might contradict a record: the same claim slot, shared labels, words in common, nearness in meaning.

One generator for every detector that looks at pairs. It names candidates only and judges nothing.
"""

from __future__ import annotations

import json

import numpy as np

from muniment.context import Context
from muniment.engines import codes
from muniment.index import corpus as corpora
from muniment.index import nearest, similar, write
from muniment.model.records import KINDS, Record
from muniment.store import generations, records, scans
from muniment.store.connections import Connection

SLOT_MOST = 200
LABELS_MOST = 50
WORDS_LEAST = 0.25
WORDS_MOST = 20
NEAR_MOST = 10
NEAR_LEAST = 0.5
# Of a longer record only its first passages are compared by meaning and words: it says what it is about there.
PASSAGES_COMPARED = 4
TEXT_COMPARED_MAX = 4000


def of(context: Context, connection: Connection, record: Record) -> list[Record]:
    """Active records to compare with one, in the order of their numbers. Turns are among them only by their claims."""
    found = scans.claimed_alike(connection, record.workspace, record.id, SLOT_MOST)
    if record.kind != "turn":
        found |= set(scans.labelled_alike(connection, record.workspace, record.id, LABELS_MOST))
        found |= set(_near(context, connection, record))
    held = records.by_id(connection, record.workspace, found - {record.id})
    if record.kind != "turn":
        held |= _worded_alike(connection, record)
    held.pop(record.id, None)
    return [held[number] for number in sorted(held) if held[number].state == "active"]


def _worded_alike(connection: Connection, record: Record) -> dict[int, Record]:
    analysed = write.analyse(record.text[:TEXT_COMPARED_MAX], record.kind, record.subject)
    alike = similar.find(connection, record.workspace, analysed, least=WORDS_LEAST, most=WORDS_MOST)
    return {one.record.id: one.record for one in alike}


def _near(context: Context, connection: Connection, record: Record) -> list[int]:
    """Kept records whose passages lie nearest in meaning, where vectors are there."""
    live = generations.live(connection)
    rows = connection.all("passages_of", {"workspace": record.workspace, "record": record.id}) if live else []
    if live is None or not rows:
        return []
    ordinals = json.dumps([row[0] for row in rows[:PASSAGES_COMPARED]])
    held = connection.all("vectors_at", {"workspace": record.workspace, "generation": live.id, "ordinals": ordinals})
    if not held:
        return []
    corpus = corpora.load(context, connection, [record.workspace])
    may = (corpus.kind != KINDS.index("turn")) & (corpus.record != record.id)
    found: set[int] = set()
    for _, data in held:
        asked = codes.dequantise(data, live.dimension)[0].astype(np.float32)
        near = nearest.find(context, connection, corpus, live.id, asked, may, NEAR_MOST)
        alike = near.cosines[near.ranks] >= max(near.floor, NEAR_LEAST)
        found |= {int(number) for number in corpus.record[near.ranks[alike]]}
    return sorted(found)
