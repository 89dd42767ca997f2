"""What is carried from one workspace to another, found before anything is touched: what goes along, and what a wall would cut.

Looking changes nothing. What was decided about several records together is never torn apart: then the load is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from muniment.errors import InvalidInput
from muniment.governance import asking, traces
from muniment.governance.traces import Traces
from muniment.model import ids
from muniment.model.access import Workspace
from muniment.store import candidates, conflicts, proposals, records
from muniment.store.candidates import Candidate
from muniment.store.connections import Connection


@dataclass(frozen=True, slots=True)
class Tie:
    """A link by its number, its ends and what it says, without words."""

    id: int
    src: int
    src_version: int
    dst: int
    dst_version: int
    relation: str
    confidence: float
    method: str
    recorded_at: int
    live: int


@dataclass(frozen=True, slots=True)
class Dispute:
    id: int
    uid: str
    slot: str
    status: str
    resolution: int | None


@dataclass(frozen=True, slots=True)
class Wish:
    """A proposal by its number, and the records that it is about."""

    id: int
    uid: str
    state: str
    target: int | None
    supersedes: int | None
    record: int | None
    evidence: str

    @property
    def about(self) -> set[int]:
        return {number for number in (self.target, self.supersedes, self.record) if number is not None}


@dataclass(frozen=True, slots=True)
class Known:
    """What is known by the records that go: their links to each other, claims, and spellings of names."""

    links: tuple[Tie, ...] = ()
    claims: tuple[int, ...] = ()
    aliases: tuple[int, ...] = ()
    blocks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Matters:
    """What was decided about them, or waits for it."""

    conflicts: tuple[Dispute, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    notices: tuple[int, ...] = ()
    proposals: tuple[Wish, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """What the wall cuts: `links` to what stays; `heirs`, pairs of a record and what replaced it, of which one stays; `left`,
    those that stay without their heir; `stale`, candidates of which a member goes."""

    links: tuple[Tie, ...] = ()
    heirs: tuple[tuple[str, str], ...] = ()
    left: tuple[int, ...] = ()
    stale: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Load:
    """`found` is what there is of the records, or None where everything goes; `versions` is how many they have; `uids` are
    those of what goes and of what is cut, where not everything goes."""

    source: Workspace
    target: Workspace
    found: Traces | None
    records: tuple[int, ...]
    sessions: tuple[int, ...]
    entities: tuple[int, ...]
    versions: int
    known: Known
    matters: Matters
    cut: Cut = field(default_factory=Cut)
    uids: dict[int, str] = field(default_factory=dict)

    @property
    def things(self) -> set[int]:
        """Everything that the one counter of a workspace numbers."""
        rows = (self.known.links, self.matters.conflicts, self.matters.candidates, self.matters.proposals)
        numbered = {one.id for part in rows for one in part}
        return numbered.union(self.known.claims, self.matters.notices, self.known.aliases, self.known.blocks)

    @property
    def counts(self) -> dict[str, int]:
        told = {
            "records": len(self.records),
            "sessions": len(self.sessions),
            "versions": self.versions,
            "links": len(self.known.links),
            "links_cut": len(self.cut.links),
            "claims": len(self.known.claims),
            "conflicts": len(self.matters.conflicts),
            "proposals": len(self.matters.proposals),
        }
        return {name: count for name, count in told.items() if count}


def everything(connection: Connection, source: Workspace, target: Workspace) -> Load:
    """All that a workspace holds."""
    here = {"workspace": source.id}
    sorts: dict[str, list[int]] = {}
    for sort, number in connection.all("moving_everything", here):
        sorts.setdefault(sort, []).append(number)
    held = connection.one("workspace_held", here)
    load = Load(
        source=source,
        target=target,
        found=None,
        records=tuple(sorted(sorts.get("record", ()))),
        sessions=tuple(sorted(sorts.get("session", ()))),
        entities=tuple(sorts.get("entity", ())),
        versions=held[1] if held else 0,
        known=Known(
            links=tuple(_ties(connection, source)),
            claims=tuple(sorts.get("claim", ())),
            aliases=tuple(sorts.get("alias", ())),
            blocks=tuple(sorts.get("entity_block", ())),
        ),
        matters=Matters(
            conflicts=tuple(Dispute(*row) for row in connection.all("moving_conflicts", here)),
            candidates=_candidates(connection, source, sorts.get("candidate", ())),
            notices=tuple(sorts.get("notice", ())),
            proposals=tuple(Wish(*row) for row in connection.all("moving_proposals", here)),
        ),
    )
    _sound(connection, load)
    return load


def some(
    connection: Connection, source: Workspace, target: Workspace, wanted: Iterable[int], talks: Iterable[int] = ()
) -> Load:
    """Some records; of a session all turns or none, and the session with them. Raises InvalidInput for what may only move with
    others."""
    moved, talks = frozenset(wanted), frozenset(talks)
    found = traces.of(connection, source.id, sorted(moved), sessions=talks)
    ties = [one for one in _ties(connection, source) if not moved.isdisjoint((one.src, one.dst))]
    near = _candidates(connection, source, [one.id for one in found.candidates])
    whole = tuple(one for one in near if {record for record, _ in one.members} <= moved)
    load = Load(
        source=source,
        target=target,
        found=found,
        records=tuple(sorted(moved)),
        sessions=tuple(sorted(talks)),
        entities=tuple({*found.entities, *found.renamed, *_named(connection, source, [one.id for one in found.claims])}),
        versions=found.counts.get("record_version", 0),
        known=Known(
            links=tuple(one for one in ties if {one.src, one.dst} <= moved),
            claims=tuple(one.id for one in found.claims),
            aliases=found.aliases,
            blocks=found.blocks,
        ),
        matters=_matters(connection, source, moved, whole),
    )
    _sound(connection, load)
    return _cut(connection, load, found, ties, tuple(one for one in near if one not in whole))


def _matters(connection: Connection, source: Workspace, moved: frozenset[int], whole: tuple[Candidate, ...]) -> Matters:
    disputes = _disputes(connection, source, moved)
    told = {f"c_{one.uid}" for one in disputes}
    notices = [number for number, ref, _ in connection.all("notices_held", {"workspace": source.id}) if ref in told]
    return Matters(tuple(disputes), whole, tuple(notices), tuple(_wishes(connection, source, moved)))


def _cut(connection: Connection, load: Load, found: Traces, ties: Sequence[Tie], stale: tuple[Candidate, ...]) -> Load:
    """The load with what the wall cuts; `ties` are all links of what goes."""
    moved = frozenset(load.records)
    links = tuple(one for one in ties if not {one.src, one.dst} <= moved)
    heirs = [pair for pair in connection.all("moving_heirs", {"workspace": load.source.id}) if len(moved & set(pair)) == 1]
    torn = {*(end for one in links for end in (one.src, one.dst)), *(end for pair in heirs for end in pair)}
    uids = {one.id: one.uid for one in found.records} | _uids(connection, load.source, torn - moved)
    pairs = tuple((uids[record], uids[heir]) for record, heir in heirs)
    left = tuple(record for record, heir in heirs if heir in moved)
    return replace(load, cut=Cut(links, pairs, left, stale), uids=uids)


def _ties(connection: Connection, source: Workspace) -> Iterable[Tie]:
    return (Tie(*row) for row in connection.all("moving_links", {"workspace": source.id}))


def _candidates(connection: Connection, source: Workspace, wanted: Iterable[int]) -> tuple[Candidate, ...]:
    asked = set(wanted)
    rows = connection.all("candidates_held", {"workspace": source.id}) if asked else ()
    found = (candidates.by_uid(connection, uid) for number, uid, _ in rows if number in asked)
    return tuple(one for one in found if one is not None)


def _uids(connection: Connection, source: Workspace, wanted: Iterable[int]) -> dict[int, str]:
    return {number: one.uid for number, one in records.by_id(connection, source.id, wanted).items()}


def _named(connection: Connection, source: Workspace, claims: Sequence[int]) -> set[int]:
    """The entities that some claims are about."""
    rows = connection.all("doomed_claims", {"workspace": source.id, "claims": json.dumps(list(claims))})
    return {entity for row in rows for entity in row[2:4] if entity is not None}


def _disputes(connection: Connection, source: Workspace, moved: frozenset[int]) -> list[Dispute]:
    members: dict[int, set[int]] = {}
    for conflict, record in connection.all("moving_members", {"workspace": source.id}):
        members.setdefault(conflict, set()).add(record)
    found = []
    for row in connection.all("moving_conflicts", {"workspace": source.id}):
        one = Dispute(*row)
        of = members.get(one.id, set()) | ({one.resolution} if one.resolution is not None else set())
        if moved.isdisjoint(of):
            continue
        if not of <= moved:
            raise _torn(connection, source, f"c_{one.uid}", of - moved)
        found.append(one)
    return found


def _wishes(connection: Connection, source: Workspace, moved: frozenset[int]) -> list[Wish]:
    found = []
    for row in connection.all("moving_proposals", {"workspace": source.id}):
        one = Wish(*row)
        if moved.isdisjoint(one.about):
            continue
        if one.about <= moved:
            found.append(one)
        elif one.state in proposals.WAITING:
            raise _torn(connection, source, f"p_{one.uid}", one.about - moved)
    return found


def _torn(connection: Connection, source: Workspace, what: str, others: Iterable[int]) -> InvalidInput:
    held = records.by_id(connection, source.id, others)
    refs = asking.listed([ids.ref(one.kind, one.uid) for one in held.values()])
    return InvalidInput(f"{what} is about these records and others together.", f"Move {refs} along, or decide it first.")


def _sound(connection: Connection, load: Load) -> None:
    """Raise InvalidInput for what would be lost on the way."""
    if any(one.state == "accepted" for one in load.matters.proposals):
        raise InvalidInput(
            "An accepted proposal waits to be carried out.", "`muniment worker` does that; then repeat the call."
        )
    for one in load.matters.conflicts:
        if one.status in conflicts.WAITING and conflicts.of_slot(connection, load.target.id, one.slot) is not None:
            advice = f"Judge c_{one.uid} first, or the one in {load.target.slug}."
            raise InvalidInput(f"{load.target.slug} has an open conflict about the same thing as c_{one.uid}.", advice)
