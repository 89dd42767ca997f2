"""The order of two statements of one thing: the newer one first, or the one that held when the question asks about.

The places in an answer that statements of one thing have among other hits stay theirs; only a newer statement moves up, to
stand directly above what it outdates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from muniment.access.zones import QUARANTINED_FROM
from muniment.recall import lifecycle, tuning
from muniment.recall.assemble import Found, order
from muniment.recall.clocks import CORRECTED, REPLACED
from muniment.recall.look import Look


def arrange(look: Look, found: Sequence[Found]) -> list[Found]:
    """The final order of hits."""
    if look.era.mode == "now":
        return _lifted(found)
    out = list(found)
    for members in _kin(look, found):
        asked = sorted(members, key=lambda at: (*_asked(look, found[at]), at))
        for at, wanted in zip(members, asked, strict=True):
            out[at] = found[wanted]
    return out


def distrust(found: Sequence[Found]) -> list[Found]:
    """What nobody vouches for loses a little, and what is protected gains: being newer alone puts nothing above it."""
    costs = [_cost(one) for one in found]
    if not any(costs):
        return list(found)
    weighed = [_weighed(one, cost) if cost else one for one, cost in zip(found, costs, strict=True)]
    return sorted(weighed, key=lambda one: -one.candidate.score)


def _cost(one: Found) -> float:
    if one.record.taint >= QUARANTINED_FROM:
        return tuning.TAINT_COST
    return -tuning.PROTECTED_GAIN if one.record.protection != "normal" else 0.0


def _weighed(one: Found, cost: float) -> Found:
    score = round(min(1.0, max(0.0, one.candidate.score - cost)), 4)
    return replace(one, candidate=replace(one.candidate, score=score))


def _lifted(found: Sequence[Found]) -> list[Found]:
    """What outdates a hit stands directly above it, the newest first, with at least its score."""
    out = list(found)
    if not any(one.outdates for one in out):
        return out
    at = 0
    while at < len(out):
        low = out[at]
        above = [one for one in out[at + 1 :] if low.ref in one.outdates]
        if not above:
            at += 1
            continue
        out = [one for one in out if one not in above]
        above.sort(key=lambda one: order(one.said_last), reverse=True)
        out[at:at] = [_at_least(one, low.candidate.score) for one in above]
    return out


def _at_least(one: Found, score: float) -> Found:
    if one.candidate.score >= score:
        return one
    return replace(one, candidate=replace(one.candidate, score=score))


def _kin(look: Look, found: Sequence[Found]) -> list[list[int]]:
    """The places of hits that state one thing at different times, each list in order."""
    root = list(range(len(found)))

    def top(at: int) -> int:
        while root[at] != at:
            at = root[at]
        return at

    by_chain: dict[tuple[int, int], int] = {}
    by_ref = {one.ref: at for at, one in enumerate(found)}
    for at, one in enumerate(found):
        end = lifecycle.chain(look.clock, one.candidate.place, one.record.id)[0]
        first = by_chain.setdefault((one.candidate.place, end), at)
        for other in (first, *(by_ref[ref] for ref in one.outdates if ref in by_ref)):
            root[max(top(at), top(other))] = min(top(at), top(other))
    groups: dict[int, list[int]] = {}
    for at in range(len(found)):
        groups.setdefault(top(at), []).append(at)
    return [members for members in groups.values() if len(members) > 1]


def _asked(look: Look, one: Found) -> tuple[int, int]:
    """Past: what was replaced last first, then what holds. Period: what was in force, the latest first, then the rest."""
    place, record, rank = lifecycle.where(one.candidate)
    code, row = look.clock.code(place, record, rank), look.clock.row(place, record)
    ends = one.outdated_by[1] if one.outdated_by else row.valid_to if row else None
    begins = look.clock.tables[place].begins(record, order(one.record)[0])
    if look.era.mode == "period":
        return (0, -begins) if code != CORRECTED and look.era.covers(begins, ends) else (1, 0)
    if code == CORRECTED:
        return 2, 0
    return (0, -(ends or begins)) if one.outdated_by or code == REPLACED else (1, 0)
