"""Meaning: passages whose vectors lie near the question's, the text alone against the question without names."""

from __future__ import annotations

from muniment.index.nearest import Near
from muniment.recall.look import Hits


def find(near: Near) -> Hits:
    return Hits("dense", near.ranks, near.cosines[near.ranks])
