"""Finding what cannot all be right: a wide scan over everything, and a strict look at what was just written.

A scan goes on where the last one stopped, and may be repeated without harm: its place and what it found are written in one
transaction. Only a scan that began at the first record and came to the last counts as full.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from muniment.access import policy
from muniment.context import Context, Shelf
from muniment.governance import changes, clashes, opening, partners, statement
from muniment.governance.changes import Act
from muniment.governance.clashes import Clash, Read
from muniment.governance.opening import DETECTOR, FROM_SCAN, FROM_WRITE, Entered
from muniment.model.access import Workspace
from muniment.model.governing import GovernAnswer, GovernRequest, ScanConflicts
from muniment.model.records import Record
from muniment.store import candidates, conflicts, records, scans, workspaces
from muniment.store.connections import Connection
from muniment.store.scans import Counters

CONSUMER = f"conflicts:{DETECTOR}"
# Records looked at between two writes: a stop loses no more than this, and nobody waits for longer.
BATCH = 25
READS_KEPT = 5000
MARKS = ("actions", "numbers", "records")
OPEN_AT_ONCE = 500


def scan_now(context: Context, request: GovernRequest, do: ScanConflicts) -> GovernAnswer:
    """Scan a workspace to the end, at once. `counts` says what was looked at and what came of it."""
    with context.store.read() as connection:
        place = policy.target(context, connection, request.workspace)
    counted = scan(context, place)
    with context.store.write() as connection:
        workspaces.hold(connection, place.id)
        targets: dict[str, object] = {"detector": DETECTOR, **counted}
        act = Act("scan", targets, statement.reason(context, request.reason), request.run)
        entered = changes.make(context, connection, place.id, act, [])
    return GovernAnswer(do.verb, action=f"a_{entered.uid}", counts=counted)


def scan(context: Context, place: Workspace, *, go_on: Callable[[], bool] = lambda: True) -> dict[str, int]:
    """Look through a workspace from where the last scan stopped. Counts records looked at, pairs compared, conflicts opened
    and joined, candidates put down, conflicts closed; `complete` is 1 when it came to the end."""
    seen = pairs = 0
    into = Entered()
    reads = Shelf(READS_KEPT)
    after, begun = _begin(context, place.id)
    while go_on():
        with context.store.read() as connection:
            batch = scans.following(connection, place.id, after, BATCH)
            found, compared = _look(context, connection, place.id, batch, reads, strict=False)
        with context.store.write() as connection:
            workspaces.hold(connection, place.id)
            if _cursor(connection, place.id) != after or _marked(connection, place.id, "begun") != begun:
                break  # another scan of this workspace goes on, or began anew
            opening.enter(context, connection, place.id, found, severity=FROM_SCAN, into=into)
            seen, pairs = seen + len(batch), pairs + compared
            if not batch:
                _finish(context, connection, place.id, begun, into)
                return into.counts() | {"records": seen, "pairs": pairs, "complete": 1}
            after = batch[-1]
            scans.set_mark(connection, place.id, CONSUMER, after, context.now())
    return into.counts() | {"records": seen, "pairs": pairs, "complete": 0}


def notice(context: Context, workspace: int, record: int) -> Entered:
    """The strict look at one record that was just written. What is not beyond doubt is left as a candidate."""
    into = Entered()
    with context.store.read() as connection:
        found, _ = _look(context, connection, workspace, [record], Shelf(READS_KEPT), strict=True)
        around = conflicts.around(connection, workspace, record)
    if found or around:
        with context.store.write() as connection:
            workspaces.hold(connection, workspace)
            for conflict in conflicts.around(connection, workspace, record):
                into.closed += opening.refresh(context, connection, conflict).status != conflict.status
            opening.enter(context, connection, workspace, found, severity=FROM_WRITE, into=into)
    return into


def required(connection: Connection, workspace: int) -> bool:
    """Whether records changed since the last full scan by this detector, where there is a memory at all."""
    full = _marked(connection, workspace, "full")
    changed = full is None or scans.changed_since(connection, workspace, full)
    return changed and scans.has_memories(connection, workspace)


def due(connection: Connection, workspace: int, now: int, every_ms: int) -> bool:
    """Whether it is time for another scan, or for going on with one that was stopped."""
    if _cursor(connection, workspace):
        return True
    # A mark from the future was made while the clock was wrong.
    return not 0 <= now - scanned_at(connection, workspace) < every_ms and required(connection, workspace)


def scanned_at(connection: Connection, workspace: int) -> int:
    """When the last full scan by this detector ended, in ms UTC; 0 for never."""
    last = scans.mark(connection, workspace, f"{CONSUMER}:full:actions")
    return last[1] if last else 0


def _look(
    context: Context, connection: Connection, workspace: int, batch: Sequence[int], reads: Shelf, *, strict: bool
) -> tuple[list[Clash], int]:
    """The clashes of some records with whoever might contradict them, and how many pairs were compared."""
    held = records.by_id(connection, workspace, batch)
    compared: set[tuple[int, int]] = set()
    found: list[Clash] = []
    for record in (held[number] for number in batch if number in held):
        if record.state != "active" or (strict and record.kind == "turn"):
            continue
        for other in partners.of(context, connection, record):
            pair = (min(record.id, other.id), max(record.id, other.id))
            if pair not in compared:
                compared.add(pair)
                one, two = (_read(connection, reads, each) for each in (record, other))
                found += clashes.between(one, two, strict=strict)
    return found, len(compared)


def _read(connection: Connection, reads: Shelf, record: Record) -> Read:
    """A record as it reads. What was read of exactly this record before is not read again: that is most of a scan's time."""
    held: Read | None = reads.get(record.id)
    if held is None or held.record != record:
        held = clashes.read(connection, record)
        reads.put(record.id, held)
    return held


def _cursor(connection: Connection, workspace: int) -> int:
    found = scans.mark(connection, workspace, CONSUMER)
    return found[0] if found else 0


def _begin(context: Context, workspace: int) -> tuple[int, Counters]:
    """Where to go on, and how far the workspace had counted when the pass began: what came later is not covered by it."""
    with context.store.write() as connection:
        workspaces.hold(connection, workspace)
        after, begun = _cursor(connection, workspace), _marked(connection, workspace, "begun")
        if not after or begun is None:
            after, begun = 0, scans.counters(connection, workspace)
            _mark(context, connection, workspace, "begun", begun)
    return after, begun


def _finish(context: Context, connection: Connection, workspace: int, begun: Counters, into: Entered) -> None:
    """Everything was looked at: look again at what waits, then say up to where this pass has seen."""
    for conflict in conflicts.listed(connection, workspace, ("open", "open"), OPEN_AT_ONCE):
        into.closed += opening.refresh(context, connection, conflict).status != conflict.status
    _forget_stale(connection, workspace)
    _mark(context, connection, workspace, "full", begun)
    scans.set_mark(connection, workspace, CONSUMER, 0, context.now())


def _forget_stale(connection: Connection, workspace: int) -> None:
    """Candidates of versions that are gone, or of an older detector, are not shown to anybody any more."""
    waiting = list(candidates.undecided(connection, workspace, opening.SORT))
    held = records.by_id(connection, workspace, {record for one in waiting for record, _ in one.members})
    for one in waiting:
        stands = all(
            record in held and held[record].state == "active" and held[record].version == version
            for record, version in one.members
        )
        if not stands or one.detector != DETECTOR:
            candidates.decide(connection, one, "stale", decider=opening.BY_RULE)


def _mark(context: Context, connection: Connection, workspace: int, name: str, counters: Counters) -> None:
    for counter in MARKS:
        scans.set_mark(connection, workspace, f"{CONSUMER}:{name}:{counter}", getattr(counters, counter), context.now())


def _marked(connection: Connection, workspace: int, name: str) -> Counters | None:
    found = [scans.mark(connection, workspace, f"{CONSUMER}:{name}:{counter}") for counter in MARKS]
    numbers = [mark[0] for mark in found if mark is not None]
    return Counters(*numbers) if len(numbers) == len(MARKS) else None
