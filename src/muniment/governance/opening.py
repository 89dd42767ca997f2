"""What a detector found becomes conflicts and candidates, and conflicts whose members no longer disagree are closed.

Every function here is called inside of a write that holds the workspace, and writes its own row in the ledger. A slot has at
most one conflict that waits; what was decided stays decided until the versions or the detector change.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from muniment.context import Context
from muniment.governance import assertions, changes, clashes
from muniment.governance.assertions import Assertion
from muniment.governance.changes import Act
from muniment.governance.clashes import Clash
from muniment.model.records import PROTECTED_KINDS, Record
from muniment.store import candidates, conflicts, notices, records
from muniment.store.conflicts import Conflict, Member, Slot
from muniment.store.connections import Connection

# Counts up when what the detector finds changes; then everything is looked at again.
DETECTOR = 1
SORT = "conflict"
MEMBERS_MAX = 256
BY_RULE = "rule:settled"
# How grave a notice is: more where somebody has just written, or where a person's word is at stake.
FROM_SCAN, FROM_WRITE, OF_PROTECTED = 1, 2, 2


@dataclass
class Entered:
    """What became of findings."""

    opened: int = 0
    joined: int = 0
    candidates: int = 0
    closed: int = 0
    conflicts: tuple[str, ...] = ()

    def counts(self) -> dict[str, int]:
        return {"opened": self.opened, "joined": self.joined, "candidates": self.candidates, "closed": self.closed}


def enter(
    context: Context, connection: Connection, workspace: int, found: Sequence[Clash], *, severity: int, into: Entered
) -> None:
    """Put findings down: sure ones as conflicts, others as candidates. What changed since it was read is left out."""
    held = records.by_id(connection, workspace, {side.record for clash in found for side in (clash.one, clash.other)})
    fresh = [clash for clash in found if all(_stands(held, side) for side in (clash.one, clash.other))]
    by_slot: dict[str, list[Clash]] = {}
    for clash in fresh:
        if clash.sure:
            by_slot.setdefault(clash.slot.key, []).append(clash)
        else:
            members = [(clash.one.record, clash.one.version), (clash.other.record, clash.other.version)]
            uid, now = context.uid(), context.now()
            into.candidates += candidates.put(connection, workspace, uid, SORT, members, clash.score, DETECTOR, now)
    for several in by_slot.values():
        _enter_slot(context, connection, workspace, several, held, severity, into)


def _stands(held: Mapping[int, Record], side: Assertion) -> bool:
    record = held.get(side.record)
    return record is not None and record.state == "active" and record.version == side.version


def _enter_slot(
    context: Context,
    connection: Connection,
    workspace: int,
    found: Sequence[Clash],
    held: Mapping[int, Record],
    severity: int,
    into: Entered,
) -> None:
    slot = found[0].slot
    settled = conflicts.settled(connection, workspace, slot.key, DETECTOR)
    new = [clash for clash in found if not any({clash.one.key, clash.other.key} <= group for group in settled)]
    sides = {side.key: side for clash in new for side in (clash.one, clash.other)}
    if not sides:
        return
    members = [side.member() for side in sides.values()][:MEMBERS_MAX]
    waiting = conflicts.of_slot(connection, workspace, slot.key)
    waiting = waiting and refresh(context, connection, waiting)
    if waiting is None or waiting.status == "resolved":
        conflict = open_conflict(context, connection, workspace, slot, members, held)
        into.opened += 1
    else:
        joined = _join(context, connection, waiting, members, held)
        if joined is None:
            into.conflicts = (*into.conflicts, waiting.ref)
            return
        conflict = joined
        into.joined += 1
    into.conflicts = (*into.conflicts, conflict.ref)
    notify(context, connection, conflict, severity, [held[member.record] for member in members])


def open_conflict(
    context: Context,
    connection: Connection,
    workspace: int,
    slot: Slot,
    members: Sequence[Member],
    held: Mapping[int, Record],
) -> Conflict:
    """A new conflict in the ledger. The caller has looked that none waits for the slot."""
    mark = fingerprint(slot.key, members)
    if conflicts.fingerprint_taken(connection, workspace, slot.key, mark):
        # It was resolved, and what resolved it was taken back: the same versions disagree once more.
        mark = hashlib.sha256(f"{mark}:{context.uid()}".encode()).hexdigest()
    conflict = conflicts.add(connection, workspace, context.uid(), slot, mark, DETECTOR, context.now())
    conflicts.put_members(connection, conflict, members)
    targets = _targets(conflict, {held[member.record].uid for member in members})
    changes.make(context, connection, workspace, Act("conflict_open", targets), [])
    return conflict


def _join(
    context: Context, connection: Connection, conflict: Conflict, found: Sequence[Member], held: Mapping[int, Record]
) -> Conflict | None:
    """Members that are new to a conflict join it, unless it is full. None: all of them stood in it before."""
    had = {(member.record, member.version, member.value_norm) for member in conflicts.members(connection, conflict)}
    new = [one for one in found if (one.record, one.version, one.value_norm) not in had][: max(0, MEMBERS_MAX - len(had))]
    if not new:
        return None
    conflicts.put_members(connection, conflict, new)
    return change(context, connection, conflict, "conflict_join", {held[member.record].uid for member in new})


def change(
    context: Context, connection: Connection, conflict: Conflict, kind: str, uids: Iterable[str], *, reason: str | None = None
) -> Conflict:
    """Set a conflict as it should be from now on, with its fingerprint, and write the ledger's row. Raises StaleConflict."""
    mark = fingerprint(conflict.slot, conflicts.members(connection, conflict))
    if mark != conflict.fingerprint:
        taken = conflicts.fingerprint_taken(connection, conflict.workspace, conflict.slot, mark)
        mark = hashlib.sha256(f"{mark}:{conflict.uid}".encode()).hexdigest() if taken else mark
    changed = conflicts.put(connection, replace(conflict, fingerprint=mark), context.now())
    changes.make(context, connection, conflict.workspace, Act(kind, _targets(changed, uids), reason), [])
    return changed


def refresh(context: Context, connection: Connection, conflict: Conflict) -> Conflict:
    """An open conflict as its members are now: who was changed or left it is read again, and it closes when nobody in it
    disagrees any more. The same one is answered when nothing changed."""
    if conflict.status != "open":
        return conflict
    members = conflicts.members(connection, conflict)
    held = records.by_id(connection, conflict.workspace, {member.record for member in members})
    now = {(member.record, member.value_norm): still(connection, conflict.slot, member, held) for member in members}
    stay = [one for one in now.values() if one is not None]
    settled = conflicts.settled(connection, conflict.workspace, conflict.slot, conflict.detector)
    disagree = _opposed(stay, settled)
    if {one.member() for one in stay} == set(members) and disagree:
        return conflict
    notices.settle(connection, conflict.workspace, conflict.ref, "stale", notices.PENDING)
    uids = {record.uid for record in held.values()}
    if not disagree:
        values = {one.value for one in stay}
        notices.settle(connection, conflict.workspace, conflict.ref, "resolved")
        closed = replace(
            conflict, status="resolved", decider=BY_RULE, chosen=values.pop() if len(values) == 1 else None,
            reason="Its members no longer disagree.",
        )  # fmt: skip
        return change(context, connection, closed, "conflict_settle", uids)
    conflicts.drop_members(connection, conflict, [one for one in members if now[one.record, one.value_norm] is None])
    conflicts.put_members(connection, conflict, [one.member() for one in stay])
    return change(context, connection, conflict, "conflict_refresh", uids)


def still(connection: Connection, slot: str, member: Member, held: Mapping[int, Record]) -> Assertion | None:
    """What a member states now, if it is active and still says the same; else None."""
    record = held.get(member.record)
    if record is None or record.state != "active":
        return None
    for one in assertions.of(connection, record):
        if one.slot.key == slot and one.side == member.value_norm:
            return one
    stands = record.text[member.starts : member.ends] == member.quote
    start = member.starts if stands else record.text.find(member.quote)
    if start < 0 or not member.quote:
        return None
    return Assertion(
        record=record.id,
        version=record.version,
        slot=Slot(slot, "", "", ""),
        value=member.value,
        side=member.value_norm,
        starts=start,
        ends=start + len(member.quote),
        quote=member.quote,
        since=record.valid_from,
        until=record.valid_to,
    )


def _opposed(sides: Sequence[Assertion], settled: Sequence[frozenset[tuple[int, int, str]]]) -> bool:
    """Whether any two disagree of whom nobody has said that both are right."""
    return any(
        clashes.opposed(one, other)
        and assertions.overlap(one, other)
        and not any({one.key, other.key} <= group for group in settled)
        for place, one in enumerate(sides)
        for other in sides[place + 1 :]
        if one.record != other.record
    )


def notify(context: Context, connection: Connection, conflict: Conflict, severity: int, members: Iterable[Record]) -> None:
    """Tell somebody, once, of a conflict as it stands now. What was not told yet of an earlier state is not told any more."""
    notices.settle(connection, conflict.workspace, conflict.ref, "stale", notices.PENDING)
    if any(record.protection != "normal" or record.kind in PROTECTED_KINDS for record in members):
        severity += OF_PROTECTED
    dedupe = f"{conflict.ref}:{conflict.revision}"
    notices.add(connection, conflict.workspace, context.uid(), SORT, severity, conflict.ref, dedupe, context.now())


def fingerprint(slot: str, members: Iterable[Member]) -> str:
    """Of a slot and who states what in it, at which version, as this detector sees it."""
    stated = sorted([member.record, member.version, member.value_norm] for member in members)
    return hashlib.sha256(json.dumps([DETECTOR, slot, stated]).encode()).hexdigest()


def _targets(conflict: Conflict, uids: Iterable[str]) -> dict[str, object]:
    return {"conflict": conflict.uid, "revision": conflict.revision, "status": conflict.status, "records": sorted(uids)}
