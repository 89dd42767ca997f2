"""Limits: all that bounds what somebody may do, compared and narrowed as one value.

Two limits together are never wider than either of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from muniment.access import walls
from muniment.access.walls import Wall
from muniment.errors import InvalidInput
from muniment.model.access import (
    CLASSES,
    DATA_CLASSES,
    LEVEL_CLASSES,
    LEVEL_SCOPES,
    LEVELS,
    MODES,
    ZONES,
    DataClass,
    Grant,
    WriteMode,
    Zone,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """Scopes, walls (slugs; None: every workspace), data classes, trust zone and write mode."""

    scopes: frozenset[str]
    read: Wall = None
    write: Wall = None
    classes: frozenset[DataClass] = DATA_CLASSES
    zone: Zone = "trusted"
    write_mode: WriteMode = "direct"


def known(level: str, zone: str, write_mode: str, classes: Iterable[str] | None) -> None:
    """Raise InvalidInput for a level, zone, write mode or data class that is none."""
    for given, names, what in (
        ((level,), LEVELS, "level"),
        ((zone,), ZONES, "trust zone"),
        ((write_mode,), MODES, "write mode"),
        (tuple(classes or ()), CLASSES, "data class"),
    ):
        if unknown := [one for one in given if one not in names]:
            raise InvalidInput(f"There is no {what} {unknown[0]!r}.", f"Choose from {', '.join(names)}.")


def of_level(
    level: str,
    read: Iterable[str] | None,
    write: Iterable[str] | None,
    classes: Iterable[DataClass] | None,
    zone: Zone,
    write_mode: WriteMode,
) -> Limits:
    """What a new token or profile may. Without `classes` it sees those of its level; without `write` it writes where it reads.

    Raises InvalidInput for a level or anything else that is none.
    """
    known(level, zone, write_mode, classes)
    readable, writable = walls.pair(read, write)
    seen = LEVEL_CLASSES[level] if classes is None else frozenset(classes)
    return Limits(LEVEL_SCOPES[level], readable, writable, seen, zone, write_mode)


def of(grant: Grant) -> Limits:
    return Limits(grant.scopes, grant.read, grant.write, grant.classes, grant.zone, grant.write_mode)


def narrowed(grant: Grant, most: Limits) -> Grant:
    """A grant as far as some limits let it reach. Left with one workspace, or one to write to, it works there."""
    left = meet(of(grant), most)
    current = grant.default_workspace
    if current is None or (left.read is not None and current not in left.read):
        current = walls.only(left.read, left.write)
    return replace(
        grant,
        scopes=left.scopes,
        read=left.read,
        write=left.write,
        classes=left.classes,
        zone=left.zone,
        write_mode=left.write_mode,
        default_workspace=current,
    )


def meet(one: Limits, other: Limits) -> Limits:
    """What both allow."""
    read = walls.both(one.read, other.read)
    return Limits(
        one.scopes & other.scopes,
        read,
        walls.both(read, walls.both(one.write, other.write)),
        one.classes & other.classes,
        max(one.zone, other.zone, key=ZONES.index),
        max(one.write_mode, other.write_mode, key=MODES.index),
    )


def beyond(asked: Limits, most: Limits) -> list[str]:
    """What of some limits goes beyond others, in words; nothing when they lie within."""
    found = []
    if over := asked.scopes - most.scopes:
        found.append(f"the scopes {' '.join(sorted(over))}")
    for name, wanted, held in (("read", asked.read, most.read), ("write", asked.write, most.write)):
        if held is not None and wanted is None:
            found.append(f"to {name} every workspace")
        elif held is not None and wanted is not None and wanted - held:
            # Which ones is not said: they may come from a profile that reaches further than who asks.
            found.append(f"to {name} other workspaces than yours")
    if classes := asked.classes - most.classes:
        found.append(f"the data classes {' '.join(sorted(classes))}")
    if ZONES.index(asked.zone) < ZONES.index(most.zone):
        found.append(f"the zone {asked.zone}")
    if MODES.index(asked.write_mode) < MODES.index(most.write_mode):
        found.append(f"the write mode {asked.write_mode}")
    return found
