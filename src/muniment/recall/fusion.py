"""From many views to one order: every candidate is scored by every view, and the scores are added.

Scores are fused, not ranks: equal-weight reciprocal ranks lose a fifth of the evidence on real conversations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from muniment.index import lexical
from muniment.index.corpus import Floats, Ints
from muniment.index.nearest import Near, settle
from muniment.index.rosters import NO_TIME
from muniment.model.times import DAY_MS, Moment
from muniment.recall import phrases, tuning
from muniment.recall.look import Hits, Look
from muniment.recall.views import time
from muniment.text import dates

# Views whose own score counts as a share of the best in the pool.
SHARED = ("substring", "entity", "about")


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The candidates, with one column a feature. `raw` is the weighted sum."""

    ranks: Ints
    columns: dict[str, Floats]
    cosine: Floats | None
    raw: Floats


def fuse(look: Look, hits: Sequence[Hits], near: Near | None) -> Pool:
    """Score the union of all views' candidates. The order of the views makes no difference."""
    found = [one.ranks for one in hits if len(one.ranks)]
    ranks = np.unique(np.concatenate(found)) if found else np.empty(0, np.int32)
    columns = _columns(look, ranks, hits, near)
    cosine = columns.pop("cosine", None)
    raw = np.zeros(len(ranks), np.float64)
    weights = tuning.WEIGHTS if "dense" in columns else tuning.WEIGHTS_OF_WORDS
    for name in sorted(columns):  # one order, so that sums are equal to the last bit
        raw += weights[name] * columns[name].astype(np.float64)
    if look.home:
        raw += tuning.HOME_GAIN * np.isin(look.corpus.place[ranks], list(look.home))
    return Pool(ranks, columns, cosine, raw.astype(np.float32))


def calibrated(raw: NDArray[np.float64]) -> Floats:
    """A raw sum as a score between 0 and 1 that means the same for every question."""
    score: Floats = (1 / (1 + np.exp(-(raw - tuning.CENTRE) / tuning.SPREAD))).astype(np.float32)
    return score


def standard(values: Floats, usual: Sequence[float] = (0.0,)) -> Floats:
    """z-scores over the pool; 0 where there is no spread. NaN counts as the mean.

    A small pool is filled up with what a passage that has nothing to do with a question usually scores, so that the one
    right answer of a small memory stands out as it does in a large one.
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return np.zeros(len(values), np.float32)
    if len(known) < tuning.POOL_LEAST:
        known = np.concatenate([known, np.resize(np.array(usual, np.float32), tuning.POOL_LEAST - len(known))])
    spread = float(known.std())
    if spread < 1e-9:
        return np.zeros(len(values), np.float32)
    standing: Floats = np.nan_to_num((values - known.mean()) / spread, nan=0.0).astype(np.float32)
    return standing


def _columns(look: Look, pool: Ints, hits: Sequence[Hits], near: Near | None) -> dict[str, Floats]:
    corpus, question = look.corpus, look.question
    peer = corpus.peer[pool].astype(np.float32)
    columns = {
        "lexical": standard(look.lexical.scores[pool]),
        "cover": lexical.cover(corpus, look.lexical, pool),
        "own": (1 - peer) * lexical.cover(corpus, look.lexical, pool, before=0, after=0),
        "speaker": _speaker(look, pool),
        "date": _dated(look, pool),
        "when": corpus.timed[pool].astype(np.float32) * question.asks_when,
        "number": _lacking(corpus.numbered[pool] * np.float32(question.asks_number)),
        "name": _lacking(_named(look, pool, hits) * np.float32(question.asks_name)),
        "question": peer * (corpus.questions[pool] - tuning.USUAL_QUESTION),
        "length": peer * (np.log1p(np.minimum(corpus.length[pool], tuning.LENGTH_WORDS_MAX)) - tuning.USUAL_LENGTH),
        "timed": peer * (corpus.timed[pool] - tuning.USUAL_TIMED),
        "named": peer * (np.log1p(corpus.named[pool]) - tuning.USUAL_NAMED),
        "recent": _recent(look, pool),
    }
    columns |= {hit.view: _share(hit.every[pool]) for hit in hits if hit.view in SHARED and hit.every is not None}
    if "about" in columns:
        columns["about"] = _lacking(columns["about"])
    literal = phrases.held(look, pool)
    if literal is not None:
        columns["phrase"] = literal
    if near is not None and near.known and len(pool):
        columns |= _dense(look, pool, near)
    return columns


def _lacking(values: Floats) -> Floats:
    """How far values stay behind the highest: what every candidate lacks lowers none of them."""
    behind: Floats = (values - values.max()).astype(np.float32) if len(values) else values
    return behind


def _share(values: Floats) -> Floats:
    """Values as a share of the highest."""
    most = float(values.max()) if len(values) else 0.0
    return (values / np.float32(most)).astype(np.float32) if most > 0 else values


def _speaker(look: Look, pool: Ints) -> Floats:
    asked = np.array([name in look.question.speakers for name in look.corpus.names], np.float32)
    spoken: Floats = asked[look.corpus.speaker[pool]]
    return spoken


def _named(look: Look, pool: Ints, hits: Sequence[Hits]) -> Floats:
    """Whether a passage holds a proper name besides those that the question gives."""
    given = next((one.every[pool] for one in hits if one.view == "about" and one.every is not None), 0.0)
    asked = len({*look.question.speakers, *look.question.names})
    others: Floats = (look.corpus.people[pool] > np.round(given * np.float32(asked))).astype(np.float32)
    return others


def _dated(look: Look, pool: Ints) -> Floats:
    """How well a passage's time fits the asked one: what happened is often told a little later."""
    question, event = look.question, look.corpus.event[pool]
    out = np.zeros(len(pool), np.float32)
    if question.dates.months or question.dates.years or question.dates.days:
        known = {int(at): dates.date_match(Moment(int(at)), question.dates) for at in np.unique(event) if at != NO_TIME}
        out = np.array([known.get(int(at), 0.0) for at in event], np.float32)
    for after, before in time.intervals(question) if question.interval else []:
        out = np.maximum(out, ((event >= after) & (event < before)).astype(np.float32))
    return out


def _recent(look: Look, pool: Ints) -> Floats:
    """Age is counted from the newest turn: a statement about the future makes nothing older."""
    age = np.maximum(look.corpus.newest - look.corpus.at[pool], 0) / DAY_MS
    weight = tuning.RECENT_NOW if look.question.asks_now and not look.question.asks_past else tuning.RECENT_ALWAYS
    worth: Floats = (weight * np.exp2(-age / tuning.RECENT_HALF_DAYS)).astype(np.float32)
    return worth


def _dense(look: Look, pool: Ints, near: Near) -> dict[str, Floats]:
    """Cosines of the pool, exact, and of what stands beside it, as the codes tell them."""
    corpus, found = look.corpus, look.meaning
    assert found.vector is not None
    own = settle(look.connection, corpus, found.generation, found.vector, near, pool)
    if np.isnan(own).all():
        return {}
    beside = np.zeros(len(pool), np.float32)
    for step in range(1, len(tuning.SMOOTH_AFTER)):
        earlier, later = np.maximum(pool - step, 0), np.minimum(pool + step, len(corpus) - 1)
        before = np.nan_to_num(near.cosines[earlier]) * corpus.near[step][earlier] * (pool >= step)
        after = np.nan_to_num(near.cosines[later]) * corpus.near[step][pool]
        beside += np.float32(tuning.SMOOTH_BEFORE[step]) * before + np.float32(tuning.SMOOTH_AFTER[step]) * after
    return {
        "dense": standard(own, tuning.USUAL_COSINES),
        "dense_near": standard(beside, tuning.USUAL_COSINES),
        "cosine": np.nan_to_num(own, nan=-math.inf),
    }
