"""Conflicts as people and agents see and judge them. Judging decides and plans; it changes no record.

Every decision names who made it, is checked against the revision that was read, and is one row of the ledger.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from muniment.access import cursors, policy
from muniment.context import Context
from muniment.errors import InsufficientScope, InvalidInput, NotFound, StaleConflict
from muniment.governance import changes, clashes, grounding, opening, statement
from muniment.governance.assertions import of as assertions_of
from muniment.governance.changes import Act
from muniment.model import ids, reviewing
from muniment.model.access import Workspace
from muniment.model.governing import JudgeAnswer, JudgeRequest, PlannedStep
from muniment.model.knowing import Quote
from muniment.model.records import Record
from muniment.model.reviewing import CandidateSeen, ConflictSeen, MemberSeen, StepSeen
from muniment.model.times import Moment
from muniment.store import candidates, conflicts, notices, numbers, records, workspaces
from muniment.store.candidates import Candidate
from muniment.store.conflicts import Conflict, Member, Step
from muniment.store.connections import Connection
from muniment.text import plain

UNEDITED = ("turn", "document")
USE, UPDATE, PERSON_FIRST = "use_as_resolution", "update_current_claim", "needs_authorization"


# ---- looking --------------------------------------------------------------------------------------------------------------


def listed(context: Context, connection: Connection, place: Workspace, do: reviewing.Conflicts) -> reviewing.ReviewAnswer:
    """The conflicts of a workspace, newest first; by default those that wait."""
    states = (do.status, do.status) if do.status else conflicts.WAITING
    bound = ["conflicts", place.uid, do.status]
    before = cursors.unseal(context, connection, do.cursor, bound)[0] if do.cursor else numbers.NEWEST
    found = conflicts.listed(connection, place.id, states, do.limit + 1, before)
    page = found[: do.limit]
    cursor = cursors.seal(context, connection, [page[-1].id], bound) if len(found) > do.limit else None
    shown = tuple(seen(connection, one) for one in page)
    return reviewing.ReviewAnswer(do.verb, place.slug, conflicts=shown, cursor=cursor)


def opened(context: Context, connection: Connection, place: Workspace, do: reviewing.OneConflict) -> reviewing.ReviewAnswer:
    """One conflict with its members, its plan and the plans before it. Raises NotFound alike for absent and foreign ones."""
    found, home = find(context, connection, do.conflict)
    return reviewing.ReviewAnswer(do.verb, home.slug, conflict=seen(connection, found))


def find(context: Context, connection: Connection, ref: str) -> tuple[Conflict, Workspace]:
    """The conflict that a ref names and its workspace, if the caller may read it."""
    parsed = ids.parse(ref)
    found = conflicts.by_uid(connection, parsed[1]) if parsed and parsed[0] == "c" else None
    place = policy.may_read(context, connection, found.workspace) if found else None
    if found is None or place is None:
        raise NotFound(f"There is no conflict {ref!r}.", "List them with review conflicts.")
    return found, place


def held(context: Context, connection: Connection, ref: str, revision: int) -> tuple[Conflict, Workspace]:
    """The conflict, held to the end of the transaction and at the revision the caller has read. Raises StaleConflict."""
    found, place = find(context, connection, ref)
    policy.changes(context, place)
    workspaces.hold(connection, place.id)
    found, _ = find(context, connection, ref)
    at_revision(found, revision)
    return found, place


def at_revision(conflict: Conflict, revision: int) -> None:
    if conflict.revision != revision:
        raise StaleConflict(f"{conflict.ref} is at revision {conflict.revision}, not {revision}.")


def seen(connection: Connection, conflict: Conflict) -> ConflictSeen:
    members, steps = conflicts.members(connection, conflict), conflicts.steps(connection, conflict)
    wanted = {member.record for member in members} | {step.record for step in steps}
    if conflict.resolution is not None:
        wanted.add(conflict.resolution)
    known = records.by_id(connection, conflict.workspace, wanted)
    plans = {step.plan: tuple(_step(one, known) for one in steps if one.plan == step.plan) for step in steps}
    resolution = known.get(conflict.resolution or 0)
    return ConflictSeen(
        ref=conflict.ref,
        status=conflict.status,
        revision=conflict.revision,
        subject=conflict.subject,
        attribute=conflict.attribute,
        qualifier=conflict.qualifier or None,
        values=tuple({member.value_norm: member.value for member in members}.values()),
        members=tuple(_member(one, known) for one in members if one.record in known),
        chosen=conflict.chosen,
        resolution=resolution.ref if resolution else None,
        decider=conflict.decider,
        reason=conflict.reason,
        plan=plans.get(conflict.plan, ()),
        earlier_plans=tuple(plan for number, plan in sorted(plans.items()) if number < conflict.plan),
        opened_at=Moment(conflict.opened_at, 0).iso(),
    )


def _member(member: Member, known: Mapping[int, Record]) -> MemberSeen:
    record = known[member.record]
    quote = Quote(record.ref, member.version, member.starts, member.ends, member.quote)
    return MemberSeen(record.ref, member.version, member.value, quote, record.state, record.protection)


def _step(step: Step, known: Mapping[int, Record]) -> StepSeen:
    ref = known[step.record].ref if step.record in known else ""
    return StepSeen(
        step.number, ref, step.op, step.state, step.expected_version, step.result_version, step.error  # type: ignore[arg-type]
    )  # fmt: skip


def candidate_seen(connection: Connection, candidate: Candidate) -> CandidateSeen:
    known = records.by_id(connection, candidate.workspace, [record for record, _ in candidate.members])
    refs = tuple(known[record].ref for record, _ in candidate.members if record in known)
    return CandidateSeen(candidate.ref, candidate.sort, refs, candidate.score, candidate.state, Moment(candidate.at, 0).iso())


# ---- judging --------------------------------------------------------------------------------------------------------------


def judge(context: Context, request: JudgeRequest) -> JudgeAnswer:
    """Decide a conflict or a candidate: say which value holds and plan what becomes of each member, or that all of them are
    right (not_a_conflict), or leave it for later (defer). Judging changes no record: `govern apply_step` carries the plan out.

    choose needs `chosen_value` (one of the values), `resolution` (an active record that states it) and a `plan` with one step
    for each other member. choose on a candidate opens it as a conflict.
    Errors: stale_conflict, not_found, invalid_input, insufficient_scope.
    """
    request = plain.clean_all(request)
    policy.writes(context)
    if "write" not in context.grant.scopes:
        raise InsufficientScope("This token may not judge.")
    parsed = ids.parse(request.conflict)
    if parsed and parsed[0] == "l":
        return _judge_candidate(context, request, parsed[1])
    if request.expected_revision is None:
        raise InvalidInput("expected_revision is missing.", "Open the conflict with review and pass its revision.")
    with context.store.write() as connection:
        conflict, place = held(context, connection, request.conflict, request.expected_revision)
        _belongs(request, place)
        if conflict.status != "open":
            raise InvalidInput(f"{conflict.ref} is {conflict.status}.", "Only an open conflict is judged.")
        now = opening.refresh(context, connection, conflict) if request.verdict == "choose" else conflict
        if now is conflict:
            return _decide(context, connection, conflict, request)
    # What the refresh wrote stays: the caller reads the conflict again as it is now.
    raise StaleConflict(f"A member of {conflict.ref} was changed since it was found.")


def _judge_candidate(context: Context, request: JudgeRequest, uid: str) -> JudgeAnswer:
    """not_a_conflict and defer settle a candidate; choose opens it as a conflict, which is then judged like any other."""
    why = statement.reason(context, request.reason)
    with context.store.write() as connection:
        candidate, place = _held_candidate(context, connection, request.conflict, uid)
        _belongs(request, place)
        opened = _promoted(context, connection, candidate) if request.verdict == "choose" else None
        state = "deferred" if request.verdict == "defer" else "decided"
        verdict = "conflict" if opened else request.verdict
        decider = context.grant.principal_name
        if not candidates.decide(connection, candidate, state, verdict=verdict, decider=decider, reason=why):
            raise InvalidInput(f"{candidate.ref} is {candidate.state} already.", "Nothing was changed.")
        targets: dict[str, object] = {"candidate": candidate.uid, "verdict": verdict}
        if opened:
            targets["conflict"] = opened.uid
        entered = changes.make(context, connection, place.id, Act("judge_candidate", targets, why), [])
        now = candidates.by_uid(connection, uid)
        assert now is not None, "it was decided a moment ago"
        shown = seen(connection, opened) if opened else None
        return JudgeAnswer(shown, candidate_seen(connection, now), action=f"a_{entered.uid}")


def _held_candidate(context: Context, connection: Connection, ref: str, uid: str) -> tuple[Candidate, Workspace]:
    found = candidates.by_uid(connection, uid)
    place = policy.may_read(context, connection, found.workspace) if found else None
    if found is None or place is None:
        raise NotFound(f"There is no candidate {ref!r}.", "List them with review queue.")
    policy.changes(context, place)
    workspaces.hold(connection, place.id)
    found = candidates.by_uid(connection, uid)
    assert found is not None, "candidates are only removed with their workspace held"
    return found, place


def _promoted(context: Context, connection: Connection, candidate: Candidate) -> Conflict:
    """A candidate as a conflict. Its members are read again: what they state is kept nowhere else."""
    if candidate.sort != opening.SORT or candidate.state not in ("open", "deferred"):
        raise InvalidInput(f"{candidate.ref} cannot become a conflict.", "Judge it not_a_conflict, or defer it.")
    known = records.by_id(connection, candidate.workspace, [record for record, _ in candidate.members])
    reads = [clashes.read(connection, known[record]) for record, _ in candidate.members if record in known]
    found = [clash for at, one in enumerate(reads) for other in reads[at + 1 :] for clash in clashes.between(one, other)]
    fresh = all(record in known and known[record].version == version for record, version in candidate.members)
    if not found or not fresh:
        raise StaleConflict(f"The members of {candidate.ref} were changed since it was found.", "Scan again.")
    clash = found[0]
    waiting = conflicts.of_slot(connection, candidate.workspace, clash.slot.key)
    if waiting is not None:
        raise InvalidInput(f"{waiting.ref} waits for the same thing.", "Judge that conflict; a scan adds the members to it.")
    members = [clash.one.member(), clash.other.member()]
    return opening.open_conflict(context, connection, candidate.workspace, clash.slot, members, known)


def _belongs(request: JudgeRequest, place: Workspace) -> None:
    if request.workspace and request.workspace.strip().lower() not in (place.slug, policy.CURRENT):
        raise NotFound(f"There is no {request.conflict!r} in {request.workspace!r}.", "Leave workspace out.")


def _decide(context: Context, connection: Connection, conflict: Conflict, request: JudgeRequest) -> JudgeAnswer:
    why = statement.reason(context, request.reason)
    decided = replace(conflict, decider=context.grant.principal_name, reason=why)
    members = conflicts.members(connection, conflict)
    if request.verdict == "defer":
        notices.settle(connection, conflict.workspace, conflict.ref, "dismissed")
        return _answer(context, connection, decided, "judge_defer", members, why)
    if request.verdict == "not_a_conflict":
        notices.settle(connection, conflict.workspace, conflict.ref, "resolved")
        return _answer(context, connection, replace(decided, status="not_a_conflict"), "judge_none", members, why)
    chosen = chosen_among(members, request.chosen_value)
    resolution = resolution_for(context, connection, conflict, request.resolution, chosen)
    steps = planned(connection, conflict, conflict.plan + 1, request.plan, members, chosen, resolution)
    conflicts.add_steps(connection, conflict, steps)
    decided = replace(
        decided,
        status="applying",
        chosen=chosen.value,
        resolution=resolution.id,
        resolution_version=resolution.version,
        plan=conflict.plan + 1,
    )
    return _answer(context, connection, decided, "judge", members, why)


def _answer(
    context: Context, connection: Connection, decided: Conflict, kind: str, members: Sequence[Member], why: str | None
) -> JudgeAnswer:
    known = records.by_id(connection, decided.workspace, {member.record for member in members})
    changed = conflicts.put(connection, decided, context.now())
    targets: dict[str, object] = {"conflict": changed.uid, "revision": changed.revision, "status": changed.status}
    targets["records"] = sorted(record.uid for record in known.values())
    entered = changes.make(context, connection, decided.workspace, Act(kind, targets, why), [])
    return JudgeAnswer(seen(connection, changed), action=f"a_{entered.uid}")


def chosen_among(members: Sequence[Member], value: str | None) -> Member:
    """A member that states the chosen value. Raises InvalidInput that names the values there are."""
    wanted = grounding.normal(value or "")
    for member in members:
        if wanted and wanted in (grounding.normal(member.value), grounding.normal(member.value_norm)):
            return member
    known = ", ".join(sorted({repr(member.value) for member in members}))
    raise InvalidInput(f"chosen_value is none of the values: {known}.", "Choose one of them, or judge not_a_conflict.")


def resolution_for(context: Context, connection: Connection, conflict: Conflict, ref: str | None, chosen: Member) -> Record:
    """The record that states the chosen value and stays. Raises InvalidInput for one that is not active, is elsewhere, or says
    something else."""
    parsed = ids.parse(ref or "")
    record = records.by_uid(connection, parsed[1]) if parsed else None
    if record is None or policy.may_read(context, connection, record.workspace) is None:
        raise InvalidInput("resolution names no record.", "Pass the ref of an active record that states the chosen value.")
    if record.workspace != conflict.workspace:
        raise InvalidInput("The resolution is in another workspace.", "Name a record of the conflict's own workspace.")
    if record.state != "active":
        raise InvalidInput(f"The resolution is {record.state}.", "Name an active record, or restore it first.")
    if not states(connection, conflict, record, chosen):
        raise InvalidInput(
            f"The resolution does not say {chosen.value!r}.", "Name a record whose text states the chosen value."
        )
    return record


def states(connection: Connection, conflict: Conflict, record: Record, chosen: Member, text: str | None = None) -> bool:
    """Whether a record, or the text that it shall have, states the chosen value: as its value of the slot, or word by word."""
    if text is None:
        said = [one.side for one in assertions_of(connection, record) if one.slot.key == conflict.slot]
        if chosen.value_norm in said:
            return True
    return grounding.says(record.text if text is None else text, chosen.value)


def planned(
    connection: Connection,
    conflict: Conflict,
    number: int,
    plan: Sequence[PlannedStep],
    members: Sequence[Member],
    chosen: Member,
    resolution: Record,
) -> list[Step]:
    """A plan as steps, with the versions as they are now. Raises InvalidInput unless it names each member exactly once.

    That the resolution stays needs no step of its own: it is planned first where the plan leaves it out.
    """
    known = records.by_id(connection, conflict.workspace, {member.record for member in members})
    by_ref = {record.ref: record for record in known.values()}
    named = [step.ref.strip().lower() for step in plan]
    kept = resolution.ref
    if kept in by_ref and kept not in named:
        plan, named = (PlannedStep(kept, "use_as_resolution"), *plan), [kept, *named]
    _whole(named, by_ref)
    steps = []
    for order, (ref, step) in enumerate(zip(named, plan, strict=True), 1):
        record = by_ref[ref]
        _fits(ref, step.op, record, resolution, agrees=states(connection, conflict, record, chosen))
        # What left recall since, by an earlier plan or by somebody's hand, needs nothing more.
        gone = record.state != "active"
        state = "done" if gone else "blocked" if step.op == PERSON_FIRST else "waiting"
        steps.append(Step(number, order, record.id, step.op, record.version, state, record.version if gone else None))
    return steps


def _whole(named: Sequence[str], members: Collection[str]) -> None:
    """Raise InvalidInput unless each member is named once and nothing else is; the advice says what to add or leave out."""
    missing = sorted(set(members) - set(named))
    if missing:
        raise InvalidInput(
            f"The plan has to name each member exactly once; missing: {', '.join(missing)}.",
            f"Add a step for each: {{ref: {missing[0]}, op: append_superseded_context}} takes it out of recall; "
            f"at the command line --step {missing[0]}=append_superseded_context.",
        )
    strange = sorted({ref for ref in named if ref not in members or named.count(ref) > 1})
    if strange:
        raise InvalidInput(
            f"The plan has to name each member exactly once; no member, or named twice: {', '.join(strange)}.",
            "Leave out what is no member, and name each member once.",
        )


def _fits(ref: str, op: str, record: Record, resolution: Record, *, agrees: bool) -> None:
    if record.id == resolution.id and op != USE:
        raise InvalidInput(f"{ref} is the resolution; it stays.", f"Plan {USE} for it.")
    if op == USE and not (record.id == resolution.id or agrees):
        raise InvalidInput(f"{ref} does not state the chosen value.", "Plan another step for it.")
    if op == UPDATE and record.kind in UNEDITED:
        raise InvalidInput(f"{ref} is a {record.kind}, and those are never edited.", "Plan append_superseded_context for it.")
