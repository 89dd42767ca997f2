"""Plain BM25, the baseline of every table: `speaker: text`, stemmed, stop words out of the question. No neighbours, no model.

Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, with the usual k1 and b.
"""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict

import numpy as np
from numpy.typing import NDArray

from muniment.evaluation.collections import Collection, Item, Question
from muniment.evaluation.systems import Answer
from muniment.text import terms

K1 = 1.2
B = 0.75


class Bm25:
    """The whole collection in memory."""

    name = "bm25"
    title = "BM25 over `speaker: text`, stemmed"

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._worth: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}

    def keep(self, collection: Collection) -> None:
        """Index a collection in place of the one before."""
        counted = [Counter(terms.terms(_written(item))) for item in collection.items]
        self._ids = [item.id for item in collection.items]
        length = np.array([sum(counts.values()) for counts in counted], float)
        usual = length.mean() if len(length) else 1.0
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, counts in enumerate(counted):
            for term, times in counts.items():
                postings[term].append((place, times))
        self._worth = {}
        for term, rows in postings.items():
            places = np.array([row[0] for row in rows])
            often = np.array([row[1] for row in rows], float)
            idf = math.log(1 + (len(counted) - len(rows) + 0.5) / (len(rows) + 0.5))
            self._worth[term] = places, idf * often * (K1 + 1) / (often + K1 * (1 - B + B * length[places] / usual))

    def ask(self, question: Question, k: int) -> Answer:
        """The k best; items without a word of the question are left out."""
        started = time.process_time()
        scores = np.zeros(len(self._ids))
        for term, times in terms.asked(question.text).items():
            if term in self._worth:
                places, worth = self._worth[term]
                scores[places] += times * worth
        order = [place for place in np.argsort(-scores, kind="stable")[:k].tolist() if scores[place] > 0]
        return Answer(tuple(self._ids[place] for place in order), cpu_ms=1000 * (time.process_time() - started))

    def close(self) -> None:
        """Nothing is held open."""


def _written(item: Item) -> str:
    return f"{item.speaker}: {item.full}" if item.speaker else item.full
