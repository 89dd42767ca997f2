"""Trust zones: how far a caller's words are believed at most, and how contaminated they are at least.

A zone comes from the token. It lowers trust and raises taint, and never the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass

from muniment.model.access import Zone
from muniment.model.times import DAY_MS


@dataclass(frozen=True, slots=True)
class Bounds:
    """`ceiling` of trust (0 to 1) and `floor` of taint (0 clean, 1 derived, 2 untrusted, 3 suspected injection)."""

    ceiling: float
    floor: int


BOUNDS: dict[Zone, Bounds] = {"trusted": Bounds(1.0, 0), "shared": Bounds(0.7, 1), "untrusted": Bounds(0.4, 2)}
# Tokens of agents that are not fully trusted end, so that nobody forgets them.
LIFETIME_MS_MAX: dict[Zone, int] = {"shared": 90 * DAY_MS, "untrusted": 30 * DAY_MS}
QUARANTINED_FROM = 2
SUSPECT = 3


def bounds(zone: Zone) -> Bounds:
    return BOUNDS[zone]


def lowered(zone: Zone, trust: float) -> float:
    """Trust as far as the zone lets it count."""
    return min(trust, BOUNDS[zone].ceiling)
