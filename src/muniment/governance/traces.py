"""What there is of some records, everywhere in a workspace: all that has to go when they are forgotten.

Looking changes nothing, and what is found is what `destroying` takes away: a dry run counts exactly what a real one destroys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from muniment.model import ids
from muniment.store import generations, records
from muniment.store.connections import Connection

UID = re.compile(rf"[{ids.ALPHABET}]{{{ids.UID_LENGTH}}}")
PAGE = 1000
# A text this short is found in many places by accident; only a longer one tells that something quotes it.
QUOTED_MIN = 12


@dataclass(frozen=True, slots=True)
class Doomed:
    """A record that is to be forgotten, with every text that a version of it has."""

    id: int
    uid: str
    kind: str
    version: int
    versions: int
    session: int | None
    seq: int | None
    speaker: int | None
    fingerprint: str
    external_id: str | None
    source_ref: str | None
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A row that goes along: its number, and the uid that others name it by."""

    id: int
    uid: str


@dataclass(frozen=True, slots=True)
class _Claim:
    """A claim that rests on nothing that stays, with the entities that it names."""

    id: int
    uid: str
    subject: int
    object: int | None


@dataclass(frozen=True, slots=True)
class Traces:
    """What goes with some records of a workspace.

    `entities` are those that nothing else names; `renamed` those that stay, but were named by what goes. `sessions` have no
    turn left. `actions` are the numbers of ledger rows that name what goes. `turned` are records that stay though their heir
    goes. `derived` are the refs of what was made from the records, and stays.
    """

    workspace: int
    records: tuple[Doomed, ...]
    ordinals: tuple[int, ...]
    sessions: tuple[Named, ...]
    entities: tuple[int, ...]
    renamed: tuple[int, ...]
    aliases: tuple[int, ...]
    blocks: tuple[int, ...]
    links: tuple[int, ...]
    claims: tuple[Named, ...]
    conflicts: tuple[Named, ...]
    candidates: tuple[Named, ...]
    notices: tuple[int, ...]
    proposals: tuple[Named, ...]
    requests: tuple[tuple[int, str], ...]
    actions: tuple[int, ...]
    turned: tuple[int, ...]
    derived: tuple[str, ...]
    counts: dict[str, int]

    @property
    def versions(self) -> list[object]:
        """What a confirmation is bound to."""
        return [[one.uid, one.version, one.versions] for one in self.records]

    @property
    def targets(self) -> dict[str, Sequence[int]]:
        """By sort, as effects name it: the numbers of all that goes and that an action may have set something of."""
        return {
            "record": [one.id for one in self.records],
            "link": self.links,
            "claim": [one.id for one in self.claims],
            "entity": self.entities,
            "alias": self.aliases,
            "block": self.blocks,
        }


def of(
    connection: Connection, workspace: int, wanted: Sequence[int], *, sessions: Set[int] = frozenset(), by: int | None = None
) -> Traces:
    """Everything there is of the wanted records. `sessions` go even without turns; `by` is a principal whose own proposals
    go as well."""
    asked = {"workspace": workspace, "ids": json.dumps(list(wanted))}
    doomed = _doomed(connection, asked)
    uids = {one.uid for one in doomed}
    ordinals = _column(connection, "doomed_ordinals", asked)
    emptied = _emptied(connection, workspace, doomed, sessions)
    claims, companions = _claims(connection, workspace, wanted)
    links = _column(connection, "doomed_links", asked)
    entities, renamed, mentions = _entities(connection, workspace, ordinals, claims)
    aliases, blocks = _names(connection, workspace, ordinals, entities, renamed)
    conflicts = tuple(Named(*row) for row in connection.all("doomed_conflicts", asked))
    proposals = _proposals(connection, workspace, doomed, by)
    claimed = tuple(Named(one.id, one.uid) for one in claims)
    uids |= {one.uid for rows in (emptied, conflicts, proposals, claimed) for one in rows}
    candidates = _candidates(connection, workspace, set(wanted))
    uids |= {one.uid for one in candidates}
    notices = tuple(
        number
        for number, ref, dedupe in connection.all("notices_held", {"workspace": workspace})
        if _names_one(ref + " " + dedupe, uids)
    )
    found = Traces(
        workspace=workspace,
        records=doomed,
        ordinals=ordinals,
        sessions=emptied,
        entities=entities,
        renamed=renamed,
        aliases=aliases,
        blocks=blocks,
        links=links,
        claims=claimed,
        conflicts=conflicts,
        candidates=candidates,
        notices=notices,
        proposals=proposals,
        requests=requests_naming(connection, uids),
        actions=(),
        turned=_column(connection, "heirs_lost", asked),
        derived=_derived(connection, workspace, wanted, companions),
        counts={},
    )
    found = replace(found, actions=_actions(connection, found, uids))
    return _counted(connection, asked, found, mentions)


def requests_naming(connection: Connection, uids: Set[str], slug: str | None = None) -> tuple[tuple[int, str], ...]:
    """Kept answers that name one of these things, or a workspace by its slug."""
    found = []
    at: dict[str, Any] = {"principal": 0, "request_id": "", "limit": PAGE}
    while rows := connection.all("requests_held", at):
        for principal, request_id, answer in rows:
            if _names_one(answer, uids) or (slug is not None and json.dumps(slug, ensure_ascii=False) in answer):
                found.append((principal, request_id))
        at |= {"principal": rows[-1][0], "request_id": rows[-1][1]}
    return tuple(found)


def _doomed(connection: Connection, asked: dict[str, Any]) -> tuple[Doomed, ...]:
    rows = connection.all("doomed_records", asked)
    texts: dict[int, list[str]] = {row[0]: [part for part in row[11:] if part] for row in rows}
    for record, text in connection.all("doomed_texts", asked):
        texts[record].append(text)
    return tuple(Doomed(*(*row[:11], tuple(dict.fromkeys(texts[row[0]])))) for row in rows)


def _emptied(connection: Connection, workspace: int, doomed: Sequence[Doomed], asked: Set[int]) -> tuple[Named, ...]:
    """The sessions of which no turn is left."""
    going: dict[int, int] = dict.fromkeys(asked, 0)
    for one in doomed:
        if one.session is not None:
            going[one.session] = going.get(one.session, 0) + 1
    found = []
    for session, turns in sorted(going.items()):
        row = connection.one("sessions_whole", {"workspace": workspace, "session": session})
        if row and row[4] == turns:
            found.append(Named(row[0], row[1]))
    return tuple(found)


def _claims(connection: Connection, workspace: int, wanted: Sequence[int]) -> tuple[list[_Claim], set[int]]:
    """Claims that rest on nothing else, and the records that are evidence of the same claims as what goes."""
    gone = set(wanted)
    rests: dict[int, set[int]] = {}
    for claim, record in connection.all("doomed_evidence", {"workspace": workspace, "ids": json.dumps(list(wanted))}):
        rests.setdefault(claim, set()).add(record)
    bare = [claim for claim, on in rests.items() if on <= gone]
    rows = connection.all("doomed_claims", {"workspace": workspace, "claims": json.dumps(bare)})
    companions: set[int] = set().union(*rests.values()) - gone if rests else set()
    return [_Claim(*row) for row in rows], companions


def _entities(
    connection: Connection, workspace: int, ordinals: Sequence[int], claims: Sequence[_Claim]
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Entities that nothing else names, those that others name too, and how many mentions go."""
    here: dict[str, Any] = {"workspace": workspace, "ordinals": json.dumps(list(ordinals))}
    mentions = connection.all("doomed_mentions", here)
    named = {row[0] for row in mentions}
    touched = named | {entity for one in claims for entity in (one.subject, one.object) if entity is not None}
    here |= {"entities": json.dumps(sorted(touched)), "claims": json.dumps([one.id for one in claims])}
    stay = {
        row[0]
        for name in ("mentioned_elsewhere", "claimed_elsewhere", "merged_elsewhere")
        for row in connection.all(name, here)
    }
    return tuple(sorted(touched - stay)), tuple(sorted(named & stay)), len(mentions)


def _names(
    connection: Connection, workspace: int, ordinals: Sequence[int], entities: Sequence[int], renamed: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Aliases and blocks of names that nobody uses any more."""
    here: dict[str, Any] = {"workspace": workspace, "entities": json.dumps(list(entities))}
    norms = json.dumps([norm for _, norm in connection.all("entities_at", here)], ensure_ascii=False)
    blocks = _column(connection, "blocks_called", {"workspace": workspace, "norms": norms})
    here |= {"gone": here["entities"], "entities": json.dumps([*entities, *renamed]), "norms": norms}
    return _column(connection, "aliases_called", here | {"ordinals": json.dumps(list(ordinals))}), blocks


def _proposals(connection: Connection, workspace: int, doomed: Sequence[Doomed], by: int | None) -> tuple[Named, ...]:
    """Proposals about, from or for a record, those that quote it, and those of a principal who is forgotten."""
    numbers, uids = {one.id for one in doomed}, {one.uid for one in doomed}
    quoted = [text for one in doomed for text in one.texts if len(text) >= QUOTED_MIN]
    found = []
    for number, uid, principal, target, supersedes, record, text, evidence in connection.all(
        "proposals_held", {"workspace": workspace}
    ):
        said = [text or "", *_strings(json.loads(evidence))]
        if (
            principal == by
            or not numbers.isdisjoint((target, supersedes, record))
            or any(_names_one(part, uids) for part in said)
            or any(quote in part for part in said for quote in quoted)
        ):
            found.append(Named(number, uid))
    return tuple(found)


def _candidates(connection: Connection, workspace: int, numbers: Set[int]) -> tuple[Named, ...]:
    """Candidates with a member that goes: members are kept as pairs of a record's number and its version."""
    rows = connection.all("candidates_held", {"workspace": workspace})
    return tuple(
        Named(number, uid) for number, uid, members in rows if not numbers.isdisjoint(one for one, _ in json.loads(members))
    )


def _actions(connection: Connection, going: Traces, uids: Set[str]) -> tuple[int, ...]:
    """Ledger rows that name what goes, or that set something about it."""
    workspace, targets = going.workspace, going.targets
    found = set(actions_naming(connection, workspace, uids))
    for sort, gone in targets.items():
        if gone:
            here = {"workspace": workspace, "sort": sort, "targets": json.dumps(list(gone))}
            found.update(_column(connection, "effects_on", here))
    for sort, field in (("record", "superseded_by"), ("entity", "merged_into")):
        values = json.dumps([str(number) for number in targets[sort]])
        here = {"workspace": workspace, "sort": sort, "field": field, "values": values}
        found.update(_column(connection, "effects_towards", here))
    return tuple(sorted(found))


def actions_naming(connection: Connection, workspace: int, uids: Set[str]) -> Iterator[int]:
    """Ledger rows whose targets name one of these, as themselves or as one of a run that came in together."""
    tails: dict[str, list[int]] = {}
    for head, tail in map(ids.place, uids):
        tails.setdefault(head, []).append(tail)
    after = 0
    while rows := connection.all("actions_named", {"workspace": workspace, "after": after, "limit": PAGE}):
        for seq, targets, _ in rows:
            if _names_one(targets, uids) or _covers(json.loads(targets), tails):
                yield seq
        after = rows[-1][0]


def _covers(targets: dict[str, Any], tails: dict[str, list[int]]) -> bool:
    """Whether a run of refs, told by its first and its length, holds one that goes."""
    first, count = targets.get("first"), targets.get("count")
    if not isinstance(first, str) or not isinstance(count, int):
        return False
    head, start = ids.place(first)
    return any(start <= tail < start + count for tail in tails.get(head, ()))


def _derived(connection: Connection, workspace: int, wanted: Sequence[int], companions: Set[int]) -> tuple[str, ...]:
    """What was made from the records, step by step, and what states the same claims; by ref."""
    gone, found, edge = set(wanted), set(companions), list(wanted)
    while edge:
        new = set(_column(connection, "derived_from", {"workspace": workspace, "ids": json.dumps(edge)})) - found - gone
        found |= new
        edge = sorted(new)
    known = records.by_id(connection, workspace, sorted(found))
    return tuple(known[number].ref for number in sorted(found) if number in known)


def _counted(connection: Connection, asked: dict[str, Any], found: Traces, mentions: int) -> Traces:
    row = connection.one("doomed_counts", asked)
    versions, labels, corroborations = row or (0, 0, 0)
    vectors = 0
    for generation in generations.wanted(connection):
        here = {"workspace": found.workspace, "generation": generation.id, "ordinals": json.dumps(list(found.ordinals))}
        counted = connection.one("doomed_vectors", here)
        vectors += counted[0] if counted else 0
    counts = {
        "record": len(found.records),
        "record_version": versions,
        "label": labels,
        "corroboration": corroborations,
        "passage": len(found.ordinals),
        "vector": vectors,
        "mention": mentions,
        "entity": len(found.entities),
        "alias": len(found.aliases),
        "entity_block": len(found.blocks),
        "claim": len(found.claims),
        "link": len(found.links),
        "conflict": len(found.conflicts),
        "candidate": len(found.candidates),
        "notice": len(found.notices),
        "proposal": len(found.proposals),
        "request": len(found.requests),
        "session": len(found.sessions),
    }
    return replace(found, counts={name: count for name, count in counts.items() if count})


def _column(connection: Connection, name: str, values: dict[str, Any]) -> tuple[int, ...]:
    return tuple(row[0] for row in connection.all(name, values))


def _names_one(text: str, uids: Set[str]) -> bool:
    return any(found in uids for found in UID.findall(text))


def _strings(value: Any) -> Iterable[str]:
    match value:
        case str():
            yield value
        case list():
            for one in value:
                yield from _strings(one)
        case dict():
            for one in value.values():
                yield from _strings(one)
