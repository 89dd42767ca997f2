"""Carrying records from one workspace to another with all that is theirs, in one transaction: no word of them stays behind.

What is carried gets new numbers; uids stay, so that every ref goes on opening what it opened. Numbers are never given twice:
what is carried back gets its old ones again, and what its first ledger says of it fits as before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from muniment.context import Context
from muniment.governance import destroying, opening
from muniment.governance.loads import Load
from muniment.graph import claims as reading
from muniment.index import erasure, rebuild, write
from muniment.model.records import FOUND_STATES
from muniment.store import candidates, conflicts, entities, numbers, records, sessions, workspaces
from muniment.store.connections import Connection

Map = dict[int, int]
Run = tuple[int, int, int]
# What an entity is as long as nobody says more of it.
UNTYPED = "other"
# Memories that are looked at for conflicts at once; of more than that the next scan tells.
LOOKED_AT_MAX = 200
# What the index holds of a workspace that is emptied, from what refers to what is referred to.
EMPTIED = (
    "mentions_drop", "aliases_all_drop", "blocks_all_drop", "entities_drop", "vectors_all_drop", "codes_all_drop",
    "spaces_all_drop", "postings_drop", "vocabulary_drop", "rosters_drop", "passages_drop", "episodes_drop", "jobs_all_drop",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Numbering:
    """Old numbers and new ones. `things` are links, claims, conflicts, candidates, notices, proposals, aliases and blocks."""

    records: Map = field(default_factory=dict)
    sessions: Map = field(default_factory=dict)
    things: Map = field(default_factory=dict)
    entities: Map = field(default_factory=dict)

    def told(self) -> dict[str, list[Run]]:
        """As the ledger holds it: runs of the first old number, the first new one, and how many there are."""
        return {name: runs(getattr(self, name)) for name in self.__slots__}


def back(told: Mapping[str, Sequence[Sequence[int]]]) -> Numbering:
    """The numbering that carries back what was carried by the one that the ledger tells."""
    maps: dict[str, Map] = {}
    for name in Numbering.__slots__:
        maps[name] = {new + step: old + step for old, new, count in told[name] for step in range(count)}
    return Numbering(**maps)


def runs(numbered: Mapping[int, int]) -> list[Run]:
    """A numbering as runs in which old and new numbers rise together."""
    out: list[Run] = []
    for old, new in sorted(numbered.items()):
        if out and (old, new) == (out[-1][0] + out[-1][2], out[-1][1] + out[-1][2]):
            out[-1] = (*out[-1][:2], out[-1][2] + 1)
        else:
            out.append((old, new, 1))
    return out


def carry(context: Context, connection: Connection, load: Load, former: Numbering | None = None) -> Numbering:
    """Carry a load over. The caller holds both workspaces, has checked every right, and writes the ledger.

    `former` gives numbers to what had some in the target before. Answers the numbers that everything has now.
    """
    known = _entities(connection, load, former or Numbering())
    given = _numbers(connection, load, former or Numbering(), known)
    _rows(connection, load, given)
    _knowledge(connection, load, given)
    _decisions(connection, load, given)
    _sources(connection, load)
    terms = [] if load.found is None else erasure.words(connection, load.source.id, load.found.ordinals)
    _leave(connection, load, given, terms)
    _enter(context, connection, load, given)
    return given


def _numbers(connection: Connection, load: Load, former: Numbering, known: Map) -> Numbering:
    target = load.target.id
    fresh = [one for one in load.records if one not in former.records]
    talks = [one for one in load.sessions if one not in former.sessions]
    taken = workspaces.take(connection, target, records=len(fresh), sessions=len(talks))
    things = sorted(load.things)
    new = [one for one in things if one not in former.things]
    first = numbers.take(connection, target, len(new)) if new else 1
    return Numbering(
        records=_given(load.records, former.records, fresh, taken.records - len(fresh) + 1),
        sessions=_given(load.sessions, former.sessions, talks, taken.sessions - len(talks) + 1),
        things=_given(things, former.things, new, first),
        entities=known,
    )


def _given(wanted: Iterable[int], former: Map, fresh: Sequence[int], first: int) -> Map:
    return {one: former[one] for one in wanted if one in former} | {one: first + at for at, one in enumerate(fresh)}


def _entities(connection: Connection, load: Load, former: Numbering) -> Map:
    """The names of what is carried, as the target numbers them. A name that is new there keeps its type and what it means."""
    target = load.target.id
    held = entities.by_id(connection, load.source.id, load.entities)
    norms = json.dumps([one.norm for one in held.values()], ensure_ascii=False)
    there: dict[str, int] = dict(connection.all("entities_by_norm", {"workspace": target, "norms": norms}))
    new = [one for one in held.values() if one.norm not in there]
    fresh = [one for one in new if one.id not in former.entities]
    last = workspaces.take(connection, target, entities=len(fresh)).entities if fresh else 0
    given = {one.id: former.entities[one.id] for one in new if one.id in former.entities}
    given |= {one.id: last - len(fresh) + 1 + at for at, one in enumerate(fresh)}
    connection.many(
        "entity_add",
        (
            {"workspace": target, "id": given[one.id], "canonical": one.canonical, "norm": one.norm, "sort": one.sort}
            for one in new
        ),
    )
    known = {one.id: there.get(one.norm) or given[one.id] for one in held.values()}
    into = {one.id: known.get(one.merged_into) if one.merged_into is not None else None for one in new}
    connection.many(
        "entity_govern",
        (
            {"workspace": target, "target": given[one.id], "type": one.type, "merged_into": into[one.id]}
            for one in new
            if one.type != UNTYPED or into[one.id] is not None
        ),
    )
    return known


def _rows(connection: Connection, load: Load, given: Numbering) -> None:
    """Sessions, speakers and records with their versions, labels and what confirms them."""
    talks, moved = _spans(load, given.sessions), _spans(load, given.records)
    names = {name for span in moved for (name,) in connection.all("moving_speakers", span)}
    there = {name for _, name in connection.all("speakers", {"workspace": load.target.id})}
    if new := sorted(names - there):
        last = workspaces.take(connection, load.target.id, speakers=len(new)).speakers
        rows = ({"workspace": load.target.id, "id": last - len(new) + 1 + at, "name": name} for at, name in enumerate(new))
        connection.many("speaker_add", rows)
    connection.many("moving_sessions_park", talks)
    connection.many("moving_sessions", talks)
    connection.many("moving_records_park", moved)
    # Turns come with their sessions, whose numbers all move by one step, or one by one.
    connection.many("moving_records", (span | {"sessions": step} for span, step in _seated(connection, load, given)))
    for name in ("moving_versions", "moving_labels", "moving_corroborations"):
        connection.many(name, moved)
    heirs = connection.all("moving_heirs", {"workspace": load.source.id})
    connection.many(
        "moving_heir",
        (
            {"workspace": load.target.id, "record": given.records[record], "heir": given.records[heir]}
            for record, heir in heirs
            if record in given.records and heir in given.records
        ),
    )


def _seated(connection: Connection, load: Load, given: Numbering) -> Iterable[tuple[dict[str, int], int]]:
    """Runs of records, each with the step by which the numbers of its sessions move."""
    steps = {session: new - session for session, new in given.sessions.items()}
    if len(set(steps.values())) <= 1:
        step = next(iter(steps.values()), 0)
        return [(span, step) for span in _spans(load, given.records)]
    by_step: dict[int, Map] = {}
    held = {record: new for record, new in given.records.items()}
    for session, record in sessions.turns(connection, load.source.id, steps):
        if record in held:
            by_step.setdefault(steps[session], {})[record] = held.pop(record)
    by_step.setdefault(0, {}).update(held)
    return [(span, step) for step, several in by_step.items() for span in _spans(load, several)]


def _knowledge(connection: Connection, load: Load, given: Numbering) -> None:
    """Links and claims. What a link was about at its other end stays behind, and the link with it."""
    here = {"source": load.source.id, "target": load.target.id}
    things, moved = given.things, given.records
    links = (
        here | {"id": one.id, "number": things[one.id], "src": moved[one.src], "dst": moved[one.dst]}
        for one in load.known.links
    )
    connection.many("moving_link", links)
    claims = _spans(load, {one: things[one] for one in load.known.claims})
    connection.many("moving_claims_park", claims)
    connection.many("moving_claims", claims)
    wanted = frozenset(load.known.claims)
    evidence = connection.all("moving_evidences", {"workspace": load.source.id})
    connection.many(
        "moving_evidence",
        (
            here | {"claim": claim, "record": record, "to_claim": things[claim], "to_record": moved[record]}
            for claim, record in evidence
            if claim in wanted
        ),
    )
    connection.many("moving_claims_gone", claims)
    connection.many("moving_aliases", _spans(load, {one: things[one] for one in load.known.aliases}))
    connection.many("moving_blocks", _spans(load, {one: things[one] for one in load.known.blocks}))
    if load.found is not None:  # of an emptied workspace all of them go with the rest of the index
        connection.many("alias_cut", ({"workspace": load.source.id, "alias": one} for one in load.known.aliases))
        connection.many("block_cut", ({"workspace": load.source.id, "block": one} for one in load.known.blocks))


def _decisions(connection: Connection, load: Load, given: Numbering) -> None:
    """Conflicts, candidates, notices and proposals."""
    here = {"source": load.source.id, "target": load.target.id}
    things, moved = given.things, given.records
    members = connection.all("moving_members", {"workspace": load.source.id})
    for one in load.matters.conflicts:
        row = here | {"id": one.id, "number": things[one.id]}
        connection.run("moving_conflict_park", row)
        connection.run("moving_conflict", row | {"resolution": moved.get(one.resolution or 0)})
        for conflict, record in members:
            if conflict == one.id:
                of = here | {"conflict": conflict, "record": record, "to_conflict": things[one.id], "to_record": moved[record]}
                connection.run("moving_member", of)
                connection.run("moving_step", of)
        connection.run("moving_conflict_gone", row)
        held = conflicts.by_uid(connection, one.uid)
        assert held is not None, "it was carried a moment ago"
        mark = opening.fingerprint(held.slot, conflicts.members(connection, held))
        connection.run("moving_conflict_mark", {"workspace": load.target.id, "id": held.id, "fingerprint": mark})
    for candidate in load.matters.candidates:
        pairs = sorted((moved[record], version) for record, version in candidate.members)
        told = {"id": candidate.id, "number": things[candidate.id], "key": candidates.key(pairs)}
        connection.run("moving_candidate", here | told | {"members": json.dumps([list(pair) for pair in pairs])})
    connection.many("moving_notice", (here | {"id": one, "number": things[one]} for one in load.matters.notices))
    for proposal in load.matters.proposals:
        aimed = {
            name: moved.get(getattr(proposal, field) or 0)
            for name, field in (("aim", "target"), ("supersedes", "supersedes"), ("record", "record"))
        }
        evidence = json.dumps([_evidence(one, load, moved) for one in json.loads(proposal.evidence)], ensure_ascii=False)
        connection.run(
            "moving_proposal", here | aimed | {"id": proposal.id, "number": things[proposal.id], "evidence": evidence}
        )


def _evidence(one: dict[str, Any], load: Load, moved: Map) -> dict[str, Any]:
    """What a proposal rests on is named by its number too."""
    if one.get("workspace") == load.source.id and one.get("record") in moved:
        return one | {"workspace": load.target.id, "record": moved[one["record"]]}
    return one


def _sources(connection: Connection, load: Load) -> None:
    """Files that are read on go on where their conversations are."""
    here = {"source": load.source.id, "target": load.target.id}
    if load.found is None:
        connection.run("moving_sources", here)
        connection.run("moving_marks", here)
        return
    files = {one.source_ref.partition("#")[0] for one in load.found.records if one.kind == "turn" and one.source_ref}
    for (path,) in connection.all("moving_sources_of", {"workspace": load.source.id}):
        if PurePath(path).name in files:
            connection.run("moving_source", here | {"path": path})


def _leave(connection: Connection, load: Load, given: Numbering, terms: Sequence[str]) -> None:
    """Take what was carried out of the source, so that nothing there tells of it."""
    source = load.source.id
    here: dict[str, object] = {"workspace": source}
    connection.many("link_cut", (here | {"link": cut.id} for cut in load.cut.links))
    connection.many("heir_cut", (here | {"record": record} for record in load.cut.left))
    moved, talks = _spans(load, given.records), _spans(load, given.sessions)
    if load.found is None:
        for name in EMPTIED:
            connection.run(name, here)
        connection.many("moving_records_gone", moved)
        connection.many("moving_sessions_gone", talks)
        connection.run("speakers_all_drop", here)
    else:
        left = _spans(load, {ordinal: ordinal for ordinal in load.found.ordinals})
        connection.many("moving_evidence_gone", moved)
        connection.many("moving_mentions_gone", left)
        destroying.names(connection, load.found)
        connection.many("moving_passages_gone", left)
        connection.many("moving_records_gone", moved)
        connection.many("episodes_of_drop", (here | {"session": session} for session in load.sessions))
        connection.many("moving_sessions_gone", talks)
        erasure.erase(connection, source, load.found.ordinals, terms, {})
        destroying.speakers(connection, source, load.found.records)
        for candidate in load.cut.stale:
            candidates.decide(connection, candidate, "stale")
    connection.run("workspace_forgot", here)


def _enter(context: Context, connection: Connection, load: Load, given: Numbering) -> None:
    """Index what came: it is found from this transaction on. Vectors are made anew, by the worker."""
    target, now = load.target.id, context.now()
    page: list[Any] = []
    ordinals: list[tuple[int, int]] = []
    for _, first, count in runs({new: new for new in given.records.values()}):
        after, last = first - 1, first + count - 1
        while rows := connection.all(
            "moving_rows", {"workspace": target, "after": after, "last": last, "limit": rebuild.PAGE - len(page)}
        ):
            page += rows
            after = rows[-1][0]
            if len(page) >= rebuild.PAGE:
                ordinals.append(rebuild.enter_page(connection, target, page))
                page = []
    if page:
        ordinals.append(rebuild.enter_page(connection, target, page))
    made = [(first, last) for first, last in ordinals if last >= first]
    if made:
        write.follow_up(connection, target, made[0][0], made[-1][1], now)
    if given.records:
        reading.follow_up(connection, target, min(given.records.values()), max(given.records.values()), now)
    if len(given.records) <= LOOKED_AT_MAX:
        for record in records.by_id(connection, target, given.records.values()).values():
            if record.kind not in ("turn", "document") and record.state in FOUND_STATES:
                write.look_for_conflicts(connection, target, record.id, now)


def _spans(load: Load, numbered: Mapping[int, int]) -> list[dict[str, int]]:
    """A numbering as the runs that one statement moves at once."""
    here = {"source": load.source.id, "target": load.target.id}
    return [here | {"first": old, "last": old + count - 1, "step": new - old} for old, new, count in runs(numbered)]
