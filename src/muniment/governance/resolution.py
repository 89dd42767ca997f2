"""Carrying a judged conflict out: one confirmed step after another, then a last look at every member.

A step and the change of its record are one transaction. A conflict is resolved only when no member says otherwise any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from muniment.access import policy
from muniment.context import Context
from muniment.errors import InvalidInput, ProtectedTarget
from muniment.governance import asking, changes, confirmations, conflicts, difference, edits, opening
from muniment.governance import statement as statements
from muniment.governance.assertions import NEGATION
from muniment.governance.assertions import of as assertions_of
from muniment.governance.changes import Act, Effect
from muniment.governance.statement import Statement
from muniment.index import write
from muniment.model.governing import ApplyStep, GovernAnswer, GovernRequest, Replan, Resolve
from muniment.model.recalling import Meta
from muniment.model.records import Record
from muniment.store import conflicts as stored
from muniment.store import notices, records
from muniment.store.conflicts import Conflict, Member, Step
from muniment.store.connections import Connection

NOT_GROUNDED = "chosen_value_not_grounded"
STALE = "stale_version"
# What a failed step may be tried again after; after anything else a new plan is needed.
TRIED_AGAIN = frozenset({NOT_GROUNDED})
# What becomes of a member: another text, an heir, an end of its time, or nothing.
How = Literal["edit", "replace", "close", "keep"]
WHAT_NEXT = {
    NOT_GROUNDED: "The new text does not state the chosen value; repeat the step with a text that does.",
    STALE: "A record was changed meanwhile; read the conflict again and replan.",
}


@dataclass(frozen=True, slots=True)
class Intended:
    """What a step would do, all of it read: `how` is what becomes of the member, `statement` its new text."""

    conflict: Conflict
    step: Step
    member: Record
    resolution: Record
    chosen: Member
    how: How
    statement: Statement | None = None


def apply_step(context: Context, request: GovernRequest, do: ApplyStep) -> GovernAnswer:
    """Do the next step of a plan, once it is confirmed. A step that cannot be done fails, and says in `conflict` why.

    Raises ConfirmationRequired with the impact and the difference of texts, StaleConflict, ProtectedTarget, InvalidInput.
    """
    asking.why(context, request)
    with context.store.read() as connection:
        conflict, place = conflicts.find(context, connection, do.conflict)
        policy.changes(context, place)
        conflicts.at_revision(conflict, do.expected_revision)
        intended = _intended(context, connection, conflict, do, request)
        fault = _fault(connection, intended)
        if fault is None:
            edits.guard(context, intended.member, text=intended.how == "edit", confirmed=True)
    if fault is not None:
        return _failed(context, request, do, fault)
    analysed = _analysed(intended)
    versions = [conflict.revision, intended.member.version, intended.resolution.version]
    ticket = confirmations.require(context, request, versions, _impact(intended))
    with context.store.write() as connection:
        conflict, _ = conflicts.held(context, connection, do.conflict, do.expected_revision)
        intended = _intended(context, connection, conflict, do, request)
        fault = _fault(connection, intended)
        if fault is None:
            confirmations.spend(context, connection, ticket)
            return _done(context, connection, request, do, intended, analysed)
    return _failed(context, request, do, fault)


def replan(context: Context, request: GovernRequest, do: Replan) -> GovernAnswer:
    """Plan again what is to be done with each member, at the versions of now. Earlier plans are kept."""
    with context.store.write() as connection:
        conflict, _ = conflicts.held(context, connection, do.conflict, do.expected_revision)
        _applying(conflict)
        members = stored.members(connection, conflict)
        chosen = _chosen(conflict, members)
        resolution = _resolution(connection, conflict)
        stands = resolution is not None and resolution.state == "active"
        if resolution is None or not (stands and conflicts.states(connection, conflict, resolution, chosen)):
            reopened = replace(conflict, status="open", chosen=None, resolution=None, resolution_version=None)
            return _answer(context, connection, request, do.verb, reopened, "replan_reopen", warning=(
                "The resolution no longer stands, so the conflict is open again: judge it anew."
            ))  # fmt: skip
        steps = conflicts.planned(connection, conflict, conflict.plan + 1, do.plan, members, chosen, resolution)
        stored.add_steps(connection, conflict, steps)
        again = replace(conflict, plan=conflict.plan + 1, resolution_version=resolution.version)
        return _answer(context, connection, request, do.verb, again, "replan")


def resolve(context: Context, request: GovernRequest, do: Resolve) -> GovernAnswer:
    """Close a conflict. Every member is looked at again: all steps done, none states a losing value any more, and the
    resolution stands at its version. Raises InvalidInput that names what is left to do."""
    with context.store.write() as connection:
        conflict, _ = conflicts.held(context, connection, do.conflict, do.expected_revision)
        _applying(conflict)
        left = _left(context, connection, conflict)
        if left:
            raise InvalidInput(f"{conflict.ref} cannot be resolved yet: {'; '.join(left)}.", "Do what is left, or replan.")
        notices.settle(connection, conflict.workspace, conflict.ref, "resolved")
        return _answer(context, connection, request, do.verb, replace(conflict, status="resolved"), "resolve")


# ---- one step -------------------------------------------------------------------------------------------------------------


def _intended(context: Context, connection: Connection, conflict: Conflict, do: ApplyStep, request: GovernRequest) -> Intended:
    """What the next step would do. Raises InvalidInput for a step whose turn it is not, or that lacks its text."""
    _applying(conflict)
    members = stored.members(connection, conflict)
    chosen = _chosen(conflict, members)
    step = _next(connection, conflict, do.step)
    member = records.by_id(connection, conflict.workspace, [step.record])[step.record]
    resolution = _resolution(connection, conflict)
    if resolution is None:
        raise InvalidInput("The resolution was forgotten.", "Replan; that opens the conflict again.")
    agrees = conflicts.states(connection, conflict, member, chosen)
    how = _how(context, step, agrees=agrees, text=do.text)
    if how != "edit" and do.text is not None:
        raise InvalidInput(f"Step {step.number} takes no text.", "Leave text out.")
    statement = statements.prepare(context, member.kind, do.text, why=request.reason) if how == "edit" else None
    return Intended(conflict, step, member, resolution, chosen, how, statement)


def _how(context: Context, step: Step, *, agrees: bool, text: str | None) -> How:
    match step.op:
        case "use_as_resolution":
            return "keep"
        case "append_superseded_context":
            return "replace"
        case "preserve_historical_record":
            return "close"
        case "update_current_claim":
            if text is None and not agrees:
                raise InvalidInput(f"Step {step.number} edits a text.", "Pass the new text; it has to state the chosen value.")
            return "keep" if text is None else "edit"
    if not context.personal:
        raise ProtectedTarget(
            f"Step {step.number} waits for a person.", "Let an owner apply it at the command line or on the web."
        )
    return "edit" if text is not None else "keep" if agrees else "replace"


def _next(connection: Connection, conflict: Conflict, number: int) -> Step:
    plan = [step for step in stored.steps(connection, conflict) if step.plan == conflict.plan]
    left = [step for step in plan if step.state != "done"]
    if not left:
        raise InvalidInput(f"Every step of {conflict.ref} is done.", "Resolve it.")
    if left[0].number != number:
        raise InvalidInput(f"Step {left[0].number} comes next.", "Steps are done in their order.")
    if left[0].state == "failed" and left[0].error not in TRIED_AGAIN:
        raise InvalidInput(f"Step {number} failed: {left[0].error}.", "Read the conflict again and replan.")
    return left[0]


def _fault(connection: Connection, intended: Intended) -> str | None:
    """Why a step cannot be done as it was planned."""
    member, resolution, conflict = intended.member, intended.resolution, intended.conflict
    if member.version != intended.step.expected_version or member.state != "active":
        return STALE
    if resolution.version != conflict.resolution_version or resolution.state != "active":
        return STALE
    text = intended.statement.text if intended.statement else None
    if text is not None and not conflicts.states(connection, conflict, member, intended.chosen, text):
        return NOT_GROUNDED
    return None


def _analysed(intended: Intended) -> write.Analysed | None:
    if intended.statement is None:
        return None
    return write.analyse(intended.statement.text, intended.member.kind, intended.member.subject)


def _done(
    context: Context,
    connection: Connection,
    request: GovernRequest,
    do: ApplyStep,
    intended: Intended,
    analysed: write.Analysed | None,
) -> GovernAnswer:
    """Change the member and write the step down, as one action."""
    conflict, step, member, resolution = intended.conflict, intended.step, intended.member, intended.resolution
    edits.guard(context, member, text=intended.how == "edit", confirmed=True)
    effects: list[Effect] = []
    version, before, after = member.version, None, None
    if intended.statement is not None and analysed is not None:
        version, effects = edits.edit(
            context, connection, member, intended.statement, edits.belief(context, resolution.taint), analysed
        )
        before, after = [member.text], [intended.statement.text]
    elif intended.how == "replace":
        how = _replaced(resolution, member)
        effects = edits.superseded(context, connection, member, resolution, how=how, rationale=conflict.reason)
    elif intended.how == "close":
        effects = [Effect("record", member.id, "valid_to", _until(context, resolution, member))]
    stored.set_step(connection, conflict, replace(step, state="done", result_version=version, error=None))
    changed = stored.put(connection, conflict, context.now())
    why = statements.reason(context, request.reason)
    targets: dict[str, object] = {"conflict": conflict.uid, "revision": changed.revision, "step": step.number}
    targets |= {"record": member.uid, "op": step.op}
    act = Act("apply_step", targets, why, request.run, before=before, after=after)
    entered = changes.make(context, connection, conflict.workspace, act, effects)
    refs = (member.ref,) if effects else ()
    return GovernAnswer(do.verb, action=f"a_{entered.uid}", changed=refs, conflict=conflicts.seen(connection, changed))


def _failed(context: Context, request: GovernRequest, do: ApplyStep, fault: str) -> GovernAnswer:
    """Write down that a step could not be done. No record is changed."""
    with context.store.write() as connection:
        conflict, _ = conflicts.held(context, connection, do.conflict, do.expected_revision)
        _applying(conflict)
        step = _next(connection, conflict, do.step)
        stored.set_step(connection, conflict, replace(step, state="failed", error=fault))
        return _answer(context, connection, request, do.verb, conflict, "step_failed", warning=WHAT_NEXT[fault])


def _replaced(resolution: Record, member: Record) -> str:
    """change where the resolution is the later of the two, by their own dates or else by when they were kept."""
    later, earlier = _held_from(resolution), _held_from(member)
    if later is None or earlier is None:
        later, earlier = resolution.recorded_at, member.recorded_at
    return "change" if later > earlier else "correction"


def _held_from(record: Record) -> int | None:
    if record.valid_from is not None:
        return record.valid_from
    return record.event.ms if record.event else None


def _until(context: Context, resolution: Record, member: Record) -> int:
    """Until when a member held: until the resolution began to, else until now. Raises InvalidInput for an empty interval."""
    since, until = _held_from(member), _held_from(resolution)
    if until is None or (since is not None and until <= since):
        until = context.now()
    if since is not None and until <= since:
        raise InvalidInput("The member begins in the future.", "Replan it as append_superseded_context.")
    return min(until, member.valid_to) if member.valid_to is not None else until


# ---- what is left ---------------------------------------------------------------------------------------------------------


def _left(context: Context, connection: Connection, conflict: Conflict) -> list[str]:
    """What keeps a conflict from being resolved, in plain words."""
    members = stored.members(connection, conflict)
    chosen = _chosen(conflict, members)
    plan = [step for step in stored.steps(connection, conflict) if step.plan == conflict.plan]
    held = records.by_id(connection, conflict.workspace, {one.record for one in members})
    left = [f"step {step.number} is {step.state}" for step in plan if step.state != "done"]
    for record in held.values():
        ref = record.ref
        if record.id not in {step.record for step in plan}:
            left.append(f"{ref} joined after the plan was made")
        elif said := _losing(context, connection, conflict, record, members, chosen):
            left.append(f"{ref} still says {said!r}")
    resolution = _resolution(connection, conflict)
    if resolution is None or resolution.state != "active" or resolution.version != conflict.resolution_version:
        left.append("the resolution was changed")
    elif not conflicts.states(connection, conflict, resolution, chosen):
        left.append("the resolution does not state the chosen value")
    return left


def _losing(
    context: Context, connection: Connection, conflict: Conflict, record: Record, members: Sequence[Member], chosen: Member
) -> str | None:
    """A value other than the chosen one that a record states and goes on stating."""
    ended = record.valid_to is not None and record.valid_to <= context.now()
    if record.state != "active" or ended:
        return None
    for one in assertions_of(connection, record):
        if one.slot.key == conflict.slot and _loses(one.side, chosen.value_norm) and not one.past:
            return one.value
    for member in members:
        lost = member.record == record.id and _loses(member.value_norm, chosen.value_norm)
        if lost and opening.still(connection, conflict.slot, member, {record.id: record}) is not None:
            return member.value
    return None


def _loses(side: str, chosen: str) -> bool:
    """Whether who says this contradicts the chosen value. That something is not another value contradicts nothing."""
    if side.startswith(NEGATION):
        return side == f"{NEGATION}{chosen}"
    return side != chosen


# ---- the rest -------------------------------------------------------------------------------------------------------------


def _applying(conflict: Conflict) -> None:
    if conflict.status != "applying":
        raise InvalidInput(
            f"{conflict.ref} is {conflict.status}.", "Judge it first." if conflict.status == "open" else "It is decided."
        )


def _chosen(conflict: Conflict, members: Sequence[Member]) -> Member:
    return conflicts.chosen_among(members, conflict.chosen)


def _resolution(connection: Connection, conflict: Conflict) -> Record | None:
    """The record that states the chosen value; None once it was forgotten."""
    wanted = conflict.resolution or 0
    return records.by_id(connection, conflict.workspace, [wanted]).get(wanted)


def _answer(
    context: Context,
    connection: Connection,
    request: GovernRequest,
    verb: str,
    conflict: Conflict,
    kind: str,
    *,
    warning: str = "",
) -> GovernAnswer:
    """Set a conflict, write the ledger's row, and show it as it is now."""
    changed = stored.put(connection, conflict, context.now())
    why = statements.reason(context, request.reason)
    targets: dict[str, object] = {"conflict": changed.uid, "revision": changed.revision, "status": changed.status}
    entered = changes.make(context, connection, conflict.workspace, Act(kind, targets, why, request.run), [])
    meta = Meta(warnings=(warning,)) if warning else Meta()
    return GovernAnswer(verb, action=f"a_{entered.uid}", conflict=conflicts.seen(connection, changed), meta=meta)


def _impact(intended: Intended) -> str:
    """What a step would do, in plain words, with the difference of texts where there is one."""
    member, resolution = intended.member, intended.resolution
    told = _told(intended)
    if resolution.taint > member.taint:
        told += f"\nMind that {resolution.ref} is less to be trusted (taint {resolution.taint})."
    return told


def _told(intended: Intended) -> str:
    member, resolution = intended.member, intended.resolution
    ref, heir = member.ref, resolution.ref
    match intended.how:
        case "edit":
            assert intended.statement is not None, "an edit has a text"
            return (
                f"{ref} (version {member.version}) gets a new text:\n{difference.brief(member.text, intended.statement.text)}"
            )
        case "replace":
            why = "was replaced by" if _replaced(resolution, member) == "change" else "was never right and gives way to"
            return f"{ref} leaves recall: what it says {why} {heir}.\n{difference.brief(member.text, resolution.text)}"
        case "close":
            return f"{ref} stays as a record of the past: it is said to have held only until {heir} began to hold."
    return f"{ref} stays as it is; it states the chosen value {intended.chosen.value!r}."
