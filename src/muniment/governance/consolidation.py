"""Turning accepted proposals into memory, in the order of their acceptance, each exactly once.

What a proposal does, what becomes of it, the watermark and the time of publication are one transaction. So a process that is
killed anywhere leaves either all of it or nothing, and whoever comes next goes on from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from muniment.access import zones
from muniment.context import Context
from muniment.errors import InvalidInput, NotFound, ProtectedTarget, StaleVersion
from muniment.governance import changes, edits, ledger, oppositions, proposals
from muniment.governance import statement as statements
from muniment.governance.changes import Act, Effect
from muniment.governance.statement import Statement
from muniment.graph import claims
from muniment.index import write
from muniment.model.access import Workspace
from muniment.model.records import Record
from muniment.store import numbers, records, workspaces
from muniment.store import proposals as stored
from muniment.store.connections import Connection
from muniment.store.proposals import Proposal

RULE = "rule:auto_accept_clean"
RULE_REASON = "clean, unopposed and unprotected"
AT_ONCE = 100
MOVED = {"close_thread": "archived", "reject": "rejected"}
# What makes a proposal stale or refused instead of stopping the run.
REFUSALS = (InvalidInput, NotFound, ProtectedTarget, StaleVersion)


@dataclass(frozen=True, slots=True)
class Consolidated:
    """How many proposals were applied, turned out stale or wrong, and expired."""

    applied: int = 0
    refused: int = 0
    expired: int = 0


def consolidate(context: Context, place: Workspace, *, runs: Mapping[int, str] | None = None) -> Consolidated:
    """Apply what is accepted and what the workspace's rule accepts, and close what waited too long.

    Safe to repeat and to race. `runs` names the run of proposals, by number. Changes that turn out impossible are refused
    with their reason; a fault of the store stops the run, and the next one goes on from there.
    """
    with context.store.write() as connection:
        workspaces.hold(connection, place.id)
        expired = proposals.expire(context, connection, place)
    _accept_by_rule(context, place)
    applied = refused = 0
    while waiting := _accepted(context, place):
        for one in waiting:
            if _settle(context, place, one, (runs or {}).get(one.id)):
                applied += 1
            else:
                refused += 1
    return Consolidated(applied, refused, expired)


def sweep(context: Context) -> int:
    """Consolidate every workspace in which a proposal waits for too long; answers how many there were."""
    with context.store.read() as connection:
        rows = connection.all("proposals_overdue", {"before": context.now() - proposals.EXPIRES_MS})
        overdue = {row[0] for row in rows}
        places = [place for place in workspaces.all_of(connection) if place.id in overdue]
    for place in places:
        consolidate(context, place)
    return len(places)


def accept(
    context: Context, connection: Connection, one: Proposal, decider: str, reason: str | None, *, run: str | None = None
) -> ledger.Entered | None:
    """Accept a proposal that waits, as an action; None when somebody decided meanwhile. The caller holds the workspace."""
    ordinal = numbers.take(connection, one.workspace)
    decision = {"state": "accepted", "reason": reason, "decider": decider, "at": context.now(), "ordinal": ordinal}
    if not stored.decide(connection, one, **decision):
        return None
    return ledger.enter(context, connection, one.workspace, "approve", targets=_decision(one, decider), reason=reason, run=run)


def _decision(one: Proposal, decider: str | None) -> dict[str, object]:
    """What the chain says of a decision: a rule by its name; people stand in it as the principal of the row alone."""
    said: dict[str, object] = {"proposal": one.uid}
    return said | {"decider": RULE} if decider == RULE else said


def check(connection: Connection, one: Proposal) -> tuple[Record | None, Record | None]:
    """The records that a proposal would change, as they are now. Raises StaleVersion, ProtectedTarget or NotFound."""
    named = [number for number in (one.target, one.supersedes) if number is not None]
    held = records.by_id(connection, one.workspace, named)
    for number, version in ((one.target, one.target_version), (one.supersedes, one.supersedes_version)):
        if number is None:
            continue
        record = held.get(number)
        if record is None:
            raise NotFound("What it would change is not there any more.")
        if proposals.protected(record):
            raise ProtectedTarget(f"{record.ref} is {record.protection} by now.")
        if record.version != version or record.state != "active":
            said = f"{record.ref} changed since: it is {record.state}, at version {record.version}."
            raise StaleVersion(said, "Propose it again on what stands now.")
    target = None if one.target is None else held[one.target]
    return target, None if one.supersedes is None else held[one.supersedes]


def _accept_by_rule(context: Context, place: Workspace) -> None:
    """Accept what is clean, unopposed and unprotected, where the workspace says so. Taint and doubt wait for a person."""
    with context.store.read() as connection:
        if not proposals.ruled(connection, place):
            return
    after = 0
    while True:
        with context.store.read() as connection:
            waiting = stored.queued(connection, place.id, after, AT_ONCE)
        if not waiting:
            return
        with context.store.write() as connection:
            workspaces.hold(connection, place.id)
            if not proposals.ruled(connection, place):
                return
            for one in waiting:
                if not _opposed(context, connection, place, one):
                    accept(context, connection, one, RULE, f"{RULE}: {RULE_REASON}")
        after = waiting[-1].id


def _opposed(context: Context, connection: Connection, place: Workspace, one: Proposal) -> bool:
    """Whether anything speaks against taking a clean proposal without a person: then it goes on waiting for one."""
    try:
        named = [record for record in check(connection, one) if record is not None]
        sources = _sources(connection, place, one)
    except REFUSALS:
        return True
    if any(record.taint for record in (*named, *sources)):
        return True
    about = {
        "workspace": place.id,
        "id": one.id,
        "idea": one.idea,
        "target": one.target or 0,
        "supersedes": one.supersedes or 0,
    }
    row = connection.one("proposals_against", about)
    if named and row and row[0]:
        return True
    for record in named:
        row = connection.one("conflicts_about", {"workspace": place.id, "record": record.id})
        if row and row[0]:
            return True
    known = _known(connection, place, one)
    if known is not None:
        return known.state != "active"
    if one.op not in proposals.STATING or one.text is None:
        return False
    own = frozenset(record.id for record in named)
    return bool(oppositions.outdated(context, connection, place, one.text, one.kind, but=own))


def _accepted(context: Context, place: Workspace) -> list[Proposal]:
    with context.store.read() as connection:
        return stored.accepted(connection, place.id, AT_ONCE)


def _settle(context: Context, place: Workspace, one: Proposal, run: str | None) -> bool:
    """Apply one accepted proposal, or say why not; whether it was applied by this call."""
    assert one.ordinal is not None, "whatever is accepted has its place"
    try:
        statement = _statement(context, one)
        analysed = write.analyse(statement.text, one.kind) if statement else None
        with context.store.write() as connection:
            workspaces.hold(connection, place.id)
            if stored.watermark(connection, place.id) >= one.ordinal:
                return False  # another process was quicker
            record, act, effects = _change(context, connection, place, one, statement, analysed)
            act = replace(act, targets=act.targets | _decision(one, one.decider), run=run)
            entered = changes.make(context, connection, place.id, act, effects)
            _follow_up(context, connection, place, record, told=statement is not None)
            stored.settle(connection, one, "applied", one.reason, action=entered.seq, record=record.id)
            stored.advance(connection, place.id, one.ordinal, context.now())
            connection.run("workspace_publish", {"workspace": place.id, "now": context.now()})
        return True
    except REFUSALS as fault:
        # What is gone is no verdict on the idea: only a rejected one is never proposed again.
        state = "stale" if isinstance(fault, StaleVersion | NotFound) else "rejected"
        _refuse(context, place, one, state, fault.message)
        return False


def _follow_up(context: Context, connection: Connection, place: Workspace, record: Record, *, told: bool) -> None:
    """What follows whatever way a memory was written: its claims are read, and somebody looks for conflicts."""
    if told:
        now = records.by_id(connection, place.id, [record.id])[record.id]
        claims.enter(context, connection, place.id, claims.source(now))
    write.look_for_conflicts(connection, place.id, record.id, context.now())


def _refuse(context: Context, place: Workspace, one: Proposal, state: str, reason: str) -> None:
    with context.store.write() as connection:
        workspaces.hold(connection, place.id)
        if stored.watermark(connection, place.id) >= (one.ordinal or 0):
            return
        stored.settle(connection, one, state, reason)
        stored.advance(connection, place.id, one.ordinal or 0, context.now())
        ledger.enter(context, connection, place.id, "decline", targets={"proposal": one.uid, "state": state}, reason=reason)


def _statement(context: Context, one: Proposal) -> Statement | None:
    if one.op in MOVED:
        return None
    return statements.prepare(context, one.kind, one.text, why=one.reason)


def _change(
    context: Context,
    connection: Connection,
    place: Workspace,
    one: Proposal,
    statement: Statement | None,
    analysed: write.Analysed | None,
) -> tuple[Record, Act, list[Effect]]:
    """What a proposal does: the record it is about, and the action with its effects."""
    target, old = check(connection, one)
    sources = _sources(connection, place, one)
    if statement is None or analysed is None:
        assert target is not None, "what closes or rejects names its target"
        return target, Act(one.op, {"record": target.uid}, one.text or one.reason), edits.moved(target, MOVED[one.op])
    replaced = [record for record in (target, old) if record is not None]
    belief = edits.resting(edits.Belief(proposals.SOURCE_TYPE, one.trust, one.taint), sources, replaced)
    if belief.taint > one.taint and belief.taint >= zones.QUARANTINED_FROM:
        raise StaleVersion("What it rests on was found to be untrusted since.", "Propose it again.")
    grant = replace(context.grant, principal=one.principal, principal_name=one.by, client=one.client)
    author = replace(context, grant=grant)
    if target is not None:
        edits.guard(context, target)
        statements.alone(connection, target, statement)
        version, effects = edits.edit(author, connection, target, statement, belief, analysed)
        targets: dict[str, object] = {"record": target.uid, "version": version, "from": target.version}
        act = Act("update", targets, one.reason, before=[target.text], after=[statement.text])
        return target, act, effects + _derived(author, connection, target, sources)
    return _added(author, connection, place, one, old, sources, statement, belief, analysed)


def _added(
    author: Context,
    connection: Connection,
    place: Workspace,
    one: Proposal,
    old: Record | None,
    sources: list[Record],
    statement: Statement,
    belief: edits.Belief,
    analysed: write.Analysed,
) -> tuple[Record, Act, list[Effect]]:
    """A statement that is new, or one that is kept already and is confirmed by it. What was retired stays retired."""
    known = records.known_as(connection, place.id, statement.fingerprint)
    targets: dict[str, object]
    if known is not None and known.state == "active":
        record = records.by_id(connection, place.id, [known.id])[known.id]
        act = Act("corroborate", {"record": known.uid}, one.reason)
        effects: list[Effect] = []
        # It stood before, so it is not derived from what is more tainted than itself.
        sources = [source for source in sources if source.taint <= record.taint]
        said = {"workspace": place.id, "record": known.id, "at": author.now(), "principal": one.principal}
        connection.one("corroborate", said | {"source_ref": one.ref})
    elif known is not None and old is None:
        raise InvalidInput(f"This was kept before and is {known.state}; it is not revived by being said again.")
    else:
        record, effects = edits.add(author, connection, place, one.kind, statement, belief, analysed)
        act = Act("remember", {"record": record.uid}, one.reason, after=[statement.text])
    if old is not None:
        effects += edits.superseded(author, connection, old, record, how="change", rationale=one.reason)
        targets = {"record": record.uid, "replaced": old.uid, "how": "change"}
        act = Act("supersede", targets, one.reason, before=[old.text], after=[statement.text])
    return record, act, effects + _derived(author, connection, record, sources)


def _derived(context: Context, connection: Connection, record: Record, sources: list[Record]) -> list[Effect]:
    effects: list[Effect] = []
    for one in sources:
        if one.workspace == record.workspace and one.id != record.id:
            effects += edits.linked(context, connection, record, one, "derived_from", method="agent")
    return effects


def _sources(connection: Connection, place: Workspace, one: Proposal) -> list[Record]:
    """The records that a proposal rests on. Raises where one is gone, or was found to be wrong since."""
    found = []
    for source in one.sources:
        if source.record is None or source.workspace is None:
            continue
        record = records.by_id(connection, source.workspace, [source.record]).get(source.record)
        if record is None:
            raise NotFound("What it rests on is not there any more.")
        if record.state == "rejected":
            raise StaleVersion(f"{source.ref}, on which it rests, was rejected since.", "Propose it again on other evidence.")
        found.append(record)
    return found


def _known(connection: Connection, place: Workspace, one: Proposal) -> records.Known | None:
    if one.op in MOVED or one.text is None or one.supersedes is not None:
        return None
    mark = statements.fingerprint(one.kind, one.text)
    return records.known_as(connection, place.id, mark)
