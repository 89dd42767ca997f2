"""Which ranks may answer: a filter becomes one flag a rank, and every view obeys it before its cut."""

from __future__ import annotations

import json

import numpy as np

from muniment.context import Context
from muniment.graph import resolve
from muniment.index.corpus import Corpus, Flags
from muniment.index.rosters import NO_TIME
from muniment.model import ids
from muniment.model.recalling import Filter, RecallRequest
from muniment.model.records import KINDS, TIERS
from muniment.store import sessions
from muniment.store.connections import Connection
from muniment.text import dates
from muniment.text.labels import norm


def allowed(context: Context, connection: Connection, corpus: Corpus, request: RecallRequest) -> Flags:
    """The ranks that the filter, `as_of` and the running conversation leave."""
    may = np.ones(len(corpus), bool)
    wanted = request.filter or Filter()
    if wanted.kind:
        may &= np.isin(corpus.kind, [KINDS.index(kind) for kind in wanted.kind])
    if wanted.tier:
        may &= np.isin(corpus.tier, [TIERS.index(tier) for tier in wanted.tier])
    _times(corpus, may, wanted.after, wanted.before, request.as_of)
    _sessions(context, connection, corpus, may, wanted)
    for sort, values in (("topic", wanted.topics), ("tag", wanted.tags)):
        if values:
            may &= _labelled(connection, corpus, sort, values)
    if wanted.people:
        may &= _labelled(connection, corpus, "person", wanted.people) | _spoken(corpus, wanted.people)
    if wanted.entity:
        may &= _mentioning(connection, corpus, wanted.entity)
    if wanted.origin or wanted.source_type:
        may &= _sourced(connection, corpus, wanted)
    return may


def moments(corpus: Corpus) -> np.ndarray:
    """When each rank was said, or when it was stored if nobody knows (ms UTC)."""
    return np.where(corpus.event == NO_TIME, corpus.recorded, corpus.event)


def _times(corpus: Corpus, may: Flags, after: str | None, before: str | None, as_of: str | None) -> None:
    if not (after or before or as_of):
        return
    at = moments(corpus)
    if after:
        may &= at >= dates.parse(after).ms
    if before:
        may &= at < dates.parse(before).ms
    if as_of:
        may &= at <= dates.parse(as_of).ms


def _sessions(context: Context, connection: Connection, corpus: Corpus, may: Flags, wanted: Filter) -> None:
    if wanted.session:
        may &= _of_session(connection, corpus, wanted.session)
    running = context.session if not wanted.session else None
    for name in (wanted.exclude_session, running):
        if name:
            may &= ~_of_session(connection, corpus, name)


def _of_session(connection: Connection, corpus: Corpus, name: str) -> Flags:
    parsed = ids.parse(name)
    out = np.zeros(len(corpus), bool)
    for index, workspace in enumerate(corpus.workspaces):
        if parsed and parsed[0] == "s":
            found = sessions.by_uid(connection, parsed[1])
            found = found if found and found.workspace == workspace else None
        else:
            found = sessions.by_external(connection, workspace, name)
        if found:
            out |= corpus.session == (index << 40 | found.id)
    return out


def _labelled(connection: Connection, corpus: Corpus, sort: str, values: tuple[str, ...]) -> Flags:
    out = np.zeros(len(corpus), bool)
    for index, workspace in enumerate(corpus.workspaces):
        named = {"workspace": workspace, "sort": sort, "norms": json.dumps([norm(value) for value in values])}
        records = [row[0] for row in connection.all("labels_named", named)]
        if records:
            out |= (corpus.place == index) & np.isin(corpus.record, records)
    return out


def _spoken(corpus: Corpus, people: tuple[str, ...]) -> Flags:
    wanted = {norm(person) for person in people}
    table = np.array([bool(name) and norm(name) in wanted for name in corpus.names])
    return table[corpus.speaker]


def resolved(connection: Connection, corpus: Corpus, request: RecallRequest) -> bool | None:
    """Whether the entity that is asked for is known in a workspace; None when none is asked for."""
    if request.filter is None or not request.filter.entity:
        return None
    entity = request.filter.entity
    return any(_entities(connection, workspace, entity) for workspace in corpus.workspaces)


def count(corpus: Corpus, flags: Flags) -> int:
    """How many records have a flagged passage."""
    groups = corpus.group[flags]
    return 1 + int(np.count_nonzero(np.diff(groups))) if len(groups) else 0


def _entities(connection: Connection, workspace: int, name: str) -> list[int]:
    """The entities of the thing that a name means; of every one that it may mean, where that is open."""
    meant = resolve.one(connection, workspace, name)
    things = [meant.thing] if meant.thing else resolve.of_roots(connection, workspace, meant.candidates).values()
    return [number for thing in things for number in thing.members]


def _mentioning(connection: Connection, corpus: Corpus, entity: str) -> Flags:
    """Every passage of the records that mention it. An unknown entity leaves nothing, never everything."""
    records = np.zeros(int(corpus.group[-1]) + 1 if len(corpus) else 0, bool)
    for workspace in corpus.workspaces:
        found = _entities(connection, workspace, entity)
        if found:
            values = {"workspace": workspace, "entities": json.dumps(found)}
            ranks = corpus.ranks(workspace, np.array([row[0] for row in connection.all("mentions_of", values)], np.int32))
            records[corpus.group[ranks[ranks >= 0]]] = True
    flags: Flags = records[corpus.group]
    return flags


def _sourced(connection: Connection, corpus: Corpus, wanted: Filter) -> Flags:
    out = np.zeros(len(corpus), bool)
    for index, workspace in enumerate(corpus.workspaces):
        values = {"workspace": workspace, "origin": wanted.origin, "source_type": wanted.source_type}
        records = [row[0] for row in connection.all("records_sourced", values)]
        out |= (corpus.place == index) & np.isin(corpus.record, records)
    return out
