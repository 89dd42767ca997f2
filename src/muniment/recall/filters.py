"""Which ranks may answer: a filter becomes one flag a rank, and every view obeys it before its cut."""

from __future__ import annotations

import json

import numpy as np

from muniment.context import Context
from muniment.errors import InvalidInput
from muniment.graph import resolve
from muniment.index.corpus import Corpus, Flags
from muniment.model import ids
from muniment.model.recalling import Filter, RecallRequest
from muniment.model.records import KINDS, TIERS
from muniment.recall.clocks import CORRECTED, EXPIRED, FUTURE, HELD, REPLACED, Clock
from muniment.store import sessions
from muniment.store.connections import Connection
from muniment.text import dates
from muniment.text.labels import norm


def allowed(context: Context, connection: Connection, clock: Clock, request: RecallRequest) -> Flags:
    """The ranks that the filter and the running conversation leave, of what was there at the asked moment.

    What was replaced stays in, so that it may hand over to its heir: `standing` says what may be shown.
    """
    corpus = clock.corpus
    wanted = request.filter or Filter()
    may = clock.stands(_nominating(clock, wanted))
    if wanted.kind:
        may &= np.isin(corpus.kind, [KINDS.index(kind) for kind in wanted.kind])
    if wanted.tier:
        may &= np.isin(corpus.tier, [TIERS.index(tier) for tier in wanted.tier])
    _times(corpus, may, wanted.after, wanted.before)
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


def shown(clock: Clock, wanted: Filter | None) -> frozenset[int]:
    """In which ways a record may stand to be shown, unless the question itself asks for the past."""
    states = wanted.state if wanted else None
    current = {HELD} if clock.as_of is not None else {HELD, EXPIRED, FUTURE}
    if states is None:
        return frozenset(current)
    return frozenset((current if "active" in states else set()) | ({REPLACED, CORRECTED} if "superseded" in states else set()))


def _nominating(clock: Clock, wanted: Filter) -> frozenset[int]:
    replaced = {REPLACED, CORRECTED} if wanted.state is None or "active" in wanted.state else set()
    return shown(clock, wanted) | replaced


def moments(corpus: Corpus) -> np.ndarray:
    """When each rank was said, or when it was stored if nobody knows (ms UTC)."""
    return corpus.at


def _times(corpus: Corpus, may: Flags, after: str | None, before: str | None) -> None:
    since, until = dates.parse(after).ms if after else None, dates.parse(before).ms if before else None
    if since is not None and until is not None and since >= until:
        raise InvalidInput("filter.after is not before filter.before.", "Give the interval as [after, before).")
    if since is None and until is None:
        return
    at = moments(corpus)
    if since is not None:
        may &= at >= since
    if until is not None:
        may &= at < until


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
