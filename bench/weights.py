"""Fit the weights of recall over whole data sets, and say what each cue is worth.

    python -m bench.weights DATA… [--embedder none] [--rounds 300]

Every question runs through the real views and cues; the weights then minimise a listwise softmax loss (Cao et al.,
"Learning to Rank: From Pairwise Approach to Listwise Approach", 2007) over the pools, held near the weights in force.
A small set counts as much as a large one up to SET_WEIGHT_MOST. Printed: the fitted weights, figures with the weights in
force and with the fitted ones, figures with each collection left out of its own fit, and the loss when one cue is taken
out. Questions are never looked at one by one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from muniment.access import policy
from muniment.evaluation import collections, subject
from muniment.model.ids import ref
from muniment.model.recalling import RecallRequest
from muniment.recall import fusion, look, tuning
from muniment.recall.recall import find, see
from muniment.store import records

Array = NDArray[np.float64]
PULL = 0.03  # how strongly the fit is held near the weights in force
STEP = 0.05
SET_WEIGHT_MOST = 3.0
SET_USUAL = 180  # a set of this many questions counts once a question
ADVERSARIAL_WEIGHT = 0.3
FIXED = ("recent", "substring", "phrase")  # for questions these sets do not ask


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """One question's pool: a row a candidate, a column a cue; `gold[row]` says whether it is evidence."""

    collection: str
    apart: bool
    ids: tuple[str, ...]
    gold: frozenset[str]
    cues: Array
    weight: float

    @property
    def hits(self) -> NDArray[np.bool_]:
        return np.array([one in self.gold for one in self.ids])


def pools(paths: Sequence[Path], embedder: str, names: Sequence[str]) -> list[Pooled]:
    """Ingest every collection and keep the pools of its questions."""
    out = []
    memory = subject.Muniment(embedder)
    for collection in collections.walk(paths):
        memory.keep(collection)
        asked = [question for question in collection.questions if question.gold]
        share = min(SET_WEIGHT_MOST, max(0.15, SET_USUAL / max(1, len(asked))))
        out += [_pooled(memory, collection.name, question, names, share) for question in asked]
        sys.stderr.write(f"{collection.name}: {len(asked)} questions\n")
    memory.close()
    return out


def _pooled(memory: subject.Muniment, name: str, question: collections.Question, names: Sequence[str], share: float) -> Pooled:
    context = memory.context
    with context.store.read() as connection:
        places = policy.asked(context, connection, context.workspace)
        seen = see(context, connection, RecallRequest(question.text), places)
        close = look.near(seen)
        pool = fusion.fuse(seen, find(seen, close), close)
        numbers = seen.corpus.record[pool.ranks]
        held = records.by_id(connection, places[0].id, set(numbers.tolist()))
        ids = tuple(memory.item(ref(held[n].kind, held[n].uid)) or "" for n in numbers.tolist())
    blank = np.zeros(len(ids))
    cues = np.stack([np.asarray(pool.columns.get(cue, blank), float) for cue in names], 1) if ids else np.zeros((0, len(names)))
    apart = question.category in collections.APART
    return Pooled(name, apart, ids, frozenset(question.gold), cues, share * (ADVERSARIAL_WEIGHT if apart else 1.0))


def fit(data: Sequence[Pooled], start: Array, free: NDArray[np.bool_], rounds: int) -> Array:
    """Weights that rank evidence first (Adam on the listwise loss)."""
    asked = [(one.cues, one.hits, one.weight) for one in data]
    asked = [(cues, hits / hits.sum(), weight) for cues, hits, weight in asked if hits.any() and not hits.all()]
    total = sum(weight for *_, weight in asked)
    spread = np.std(np.concatenate([cues for cues, *_ in asked]), 0) + 1e-6
    weights, first, second = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for turn in range(1, rounds + 1):
        slope = PULL * (weights - start) * spread**2
        for cues, share, weight in asked:
            raw = cues @ weights
            chance = np.exp(raw - raw.max())
            slope += weight / total * (cues.T @ (chance / chance.sum() - share))
        slope *= free
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        weights = weights - STEP * (first / (1 - 0.9**turn)) / (np.sqrt(second / (1 - 0.999**turn)) + 1e-8)
    return weights


def figures(data: Sequence[Pooled], weights: Array) -> str:
    """R@10 and MRR over the ordinary questions, and over those that name the wrong person."""
    rows: dict[bool, list[tuple[float, float]]] = {}
    for one in data:
        order = np.argsort(-(one.cues @ weights), kind="stable")
        ranked = list(dict.fromkeys(one.ids[at] for at in order))
        found = len(one.gold & set(ranked[:10])) / len(one.gold)
        first = next((1 / place for place, name in enumerate(ranked, 1) if name in one.gold), 0.0)
        rows.setdefault(one.apart, []).append((found, first))
    parts = []
    for apart, values in sorted(rows.items()):
        found, first = np.mean(values, 0)
        parts.append(f"{'apart' if apart else 'all'} R@10 {100 * found:.1f} MRR {first:.3f} (n {len(values)})")
    return ", ".join(parts)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--embedder", choices=subject.EMBEDDERS, default="default")
    parser.add_argument("--rounds", type=int, default=300)
    wish = parser.parse_args(arguments)
    table = tuning.WEIGHTS if wish.embedder == "default" else tuning.WEIGHTS_OF_WORDS
    names = [name for name in table if wish.embedder == "default" or not name.startswith("dense")]
    start = np.array([table[name] for name in names])
    free = np.array([name not in FIXED for name in names])
    data = pools(wish.data, wish.embedder, names)
    say = sys.stdout.write
    say(f"in force:  {figures(data, start)}\n")
    fitted = fit(data, start, free, wish.rounds)
    say(f"fitted:    {figures(data, fitted)}\n")
    say("".join(f'    "{name}": {weight:.2f},\n' for name, weight in zip(names, fitted, strict=True)))
    say(f"left out:  {_left_out(data, start, free, wish.rounds)}\n")
    for place, name in enumerate(names):
        without = start.copy()
        without[place] = 0
        say(f"without {name}: {figures(data, without)}\n")
    return 0


def _left_out(data: Sequence[Pooled], start: Array, free: NDArray[np.bool_], rounds: int) -> str:
    """Each collection scored with weights that were fitted on the others."""
    scored = []
    for name in dict.fromkeys(one.collection for one in data):
        weights = fit([one for one in data if one.collection != name], start, free, rounds)
        scored += [
            Pooled(one.collection, one.apart, one.ids, one.gold, (one.cues @ weights)[:, None], one.weight)
            for one in data
            if one.collection == name
        ]
    return figures(scored, np.ones(1))


if __name__ == "__main__":
    raise SystemExit(main())
