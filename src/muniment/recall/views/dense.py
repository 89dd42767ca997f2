"""Meaning: passages whose vectors lie near the question's, the text alone against the question without names."""

from __future__ import annotations

from muniment.recall import tuning
from muniment.recall.look import Hits, Look, near


def find(look: Look) -> Hits:
    found = near(look, tuning.VIEW_MOST)
    return Hits("dense", found.ranks, found.cosines, len(look.corpus) - found.known)
