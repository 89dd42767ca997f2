"""Deciding on proposals: what waits, approving and rejecting it, and the rule that accepts what is clean.

What is contaminated is never approved in passing: its impact is shown first, and its taint stays with what it leads to.
"""

from __future__ import annotations

from muniment.access import cursors, policy, zones
from muniment.context import Context
from muniment.errors import InvalidInput, NotFound, ProtectedTarget, StaleVersion
from muniment.governance import asking, confirmations, consolidation, difference, histories, ledger, proposals
from muniment.governance import statement as statements
from muniment.model import governing, reviewing
from muniment.model.access import Workspace
from muniment.model.governing import GovernAnswer, GovernRequest
from muniment.model.recalling import Meta
from muniment.model.records import Record
from muniment.model.reviewing import ProposalSeen, ReviewAnswer
from muniment.model.times import Moment
from muniment.recall import proposed
from muniment.store import numbers, records, workspaces
from muniment.store import proposals as stored
from muniment.store.connections import Connection
from muniment.store.proposals import Proposal, Source
from muniment.text import excerpts, fence

OWN_MOST = 1000
EXCERPT_MAX = 300
WORDS_SHOWN_MAX = 500
# What puts another text in the place of one that is kept.
REWRITING = frozenset({"update_fact", "add_fact"})


def listed(context: Context, connection: Connection, place: Workspace, do: reviewing.Proposals) -> ReviewAnswer:
    """Those that wait, or are in a state, newest first. A caller who decides nothing sees the own ones."""
    mine = do.mine or proposed.principal_seen(context) is not None
    bound = ["proposals", place.uid, do.state, mine]
    before = cursors.unseal(context, connection, do.cursor, bound)[0] if do.cursor else numbers.NEWEST
    principal = context.grant.principal if mine else None
    found = stored.listed(connection, place.id, state=do.state, principal=principal, before=before, limit=do.limit + 1)
    page = found[: do.limit]
    cursor = cursors.seal(context, connection, [page[-1].id], bound) if len(found) > do.limit else None
    return ReviewAnswer(do.verb, place.slug, proposals=tuple(seen(context, connection, one) for one in page), cursor=cursor)


def opened(context: Context, connection: Connection, place: Workspace, do: reviewing.OneProposal) -> ReviewAnswer:
    """One proposal, with what it would change as that stands now and the records that it rests on.

    Where it can no longer be applied, a warning says why. Raises NotFound alike for absent, foreign and other people's ones.
    """
    one, home = proposed.find(context, connection, do.proposal)
    waits = one.state in stored.WAITING
    record = _about(connection, one)
    return ReviewAnswer(
        do.verb,
        home.slug,
        proposal=seen(context, connection, one),
        record=histories.seen(connection, record) if record else None,
        diff=_difference(record, one.text) if waits and record and one.text and one.op in REWRITING else None,
        sources=tuple(histories.seen(connection, source) for source in _sources(context, connection, one)),
        meta=Meta(warnings=_moved_on(connection, one) if waits else ()),
    )


def _about(connection: Connection, one: Proposal) -> Record | None:
    """The memory that a proposal changes or replaces."""
    number = one.target if one.target is not None else one.supersedes
    return records.by_id(connection, one.workspace, [number]).get(number) if number is not None else None


def _sources(context: Context, connection: Connection, one: Proposal) -> list[Record]:
    """The records that a proposal rests on, as far as its reader may open them, in the order they were named in."""
    held: list[Record] = []
    for source in one.sources:
        if source.workspace is None or source.record is None:
            continue
        if policy.may_read(context, connection, source.workspace) is not None:
            held += records.by_id(connection, source.workspace, [source.record]).values()
    return held


def _difference(record: Record, text: str) -> str | None:
    return fence.visible(difference.brief(record.text, text)) if difference.comparable(record.text, text) else None


def _moved_on(connection: Connection, one: Proposal) -> tuple[str, ...]:
    """Why what waits could not be applied any more."""
    try:
        consolidation.check(connection, one)
    except (StaleVersion, ProtectedTarget, NotFound) as fault:
        return (fault.message,)
    return ()


def approve(context: Context, request: GovernRequest, do: governing.Approve) -> GovernAnswer:
    """Accept a proposal and apply it. What it would change must be as it was proposed; what is tainted is confirmed first.

    An answer means that it was applied. Raises StaleVersion or InvalidInput where it turned out that it cannot be; the
    proposal is then stale or rejected, with the reason.
    """
    reason = asking.why(context, request)
    with context.store.read() as connection:
        one, place = _found(context, connection, do.proposal)
        _waits(one)
    fault = _stale(context, place, one)
    if fault is not None:
        raise fault
    ticket = None
    if one.taint >= zones.QUARANTINED_FROM or one.state == "quarantined":
        ticket = confirmations.require(context, request, _seal(one), _impact(context, one))
    with context.store.write() as connection:
        workspaces.hold(connection, place.id)
        now = stored.by_uid(connection, one.uid)
        if now is None or _seal(now) != _seal(one):
            raise StaleVersion(f"{one.ref} was decided at this moment.", "Read it again.")
        if ticket is not None:
            confirmations.spend(context, connection, ticket)
        consolidation.check(connection, now)
        entered = consolidation.accept(context, connection, now, context.grant.principal_name, reason, run=request.run)
        assert entered is not None, "it waited a moment ago, and nobody else can decide now"
        proposals.ask_for_work(context, connection, place, one.id)
    consolidation.consolidate(context, place, runs={one.id: request.run} if request.run else None)
    return _answer(context, do.verb, one, entered)


def reject(context: Context, request: GovernRequest, do: governing.Reject) -> GovernAnswer:
    """Refuse a proposal. It is kept with the reason, and the same idea is answered with it from now on."""
    reason = asking.why(context, request)
    with context.store.write() as connection:
        one, place = _found(context, connection, do.proposal)
        workspaces.hold(connection, place.id)
        one = stored.by_uid(connection, one.uid) or one
        _waits(one)
        decision = {"state": "rejected", "reason": reason, "decider": context.grant.principal_name, "ordinal": None}
        stored.decide(connection, one, at=context.now(), **decision)
        targets: dict[str, object] = {"proposal": one.uid, "state": "rejected"}
        entered = ledger.enter(context, connection, place.id, "decline", targets=targets, reason=reason, run=request.run)
    return _answer(context, do.verb, one, entered)


def set_rule(context: Context, request: GovernRequest, do: governing.SetRule) -> GovernAnswer:
    """Switch on or off whether clean, unopposed and unprotected proposals are accepted without a person.

    Switched on it applies at once what waits and is clean.
    """
    with context.store.write() as connection:
        place = policy.target(context, connection, request.workspace)
        workspaces.hold(connection, place.id)
        connection.run("rule_set", {"workspace": place.id, "auto_accept_clean": int(do.on)})
        targets: dict[str, object] = {"workspace": place.uid, "auto_accept_clean": do.on}
        reason = statements.reason(context, request.reason)
        entered = ledger.enter(context, connection, place.id, "rule", targets=targets, reason=reason, run=request.run)
    done = consolidation.consolidate(context, place) if do.on else consolidation.Consolidated()
    counts = {"applied": done.applied, "refused": done.refused} if do.on else None
    return GovernAnswer(do.verb, f"a_{entered.uid}", counts=counts, rule="on" if do.on else "off")


def seen(context: Context, connection: Connection, one: Proposal) -> ProposalSeen:
    """A proposal as a reader sees it. A record behind a wall that the reader cannot look over is not named."""
    wanted = [number for number in (one.target, one.supersedes, one.record) if number is not None]
    held = records.by_id(connection, one.workspace, wanted)
    named = {number: record.ref for number, record in held.items()}
    return ProposalSeen(
        ref=one.ref,
        state=one.state,
        op=one.op,
        text=fence.visible(one.text) if one.text else one.text,
        by=one.by,
        at=Moment(one.at, 0).iso(),
        taint=one.taint,
        target=named.get(one.target or 0),
        supersedes=named.get(one.supersedes or 0),
        kind=one.kind,
        evidence=tuple(_told(context, connection, source) for source in one.sources),
        reason=one.reason,
        decider=one.decider,
        result=named.get(one.record or 0),
        client=one.client,
    )


def _told(context: Context, connection: Connection, source: Source) -> str:
    doubt = "" if source.trust == "trusted" else " (declared untrusted)"
    if source.ref is None:
        # In quotes, so that no words pass for the ref of a record that was looked up.
        return f"“{excerpts.line(source.text or '', WORDS_SHOWN_MAX)}”{doubt}"
    if source.workspace is None or policy.may_read(context, connection, source.workspace) is None:
        return f"a record of another workspace{doubt}"
    return f"{source.ref}@{source.version}{doubt}"


def _found(context: Context, connection: Connection, ref: str) -> tuple[Proposal, Workspace]:
    """A proposal of a workspace that the caller may write to. Raises NotFound as `proposed.find` does."""
    one, place = proposed.find(context, connection, ref)
    policy.changes(context, place)
    return one, place


def _waits(one: Proposal) -> None:
    if one.state not in ("queued", "quarantined"):
        raise InvalidInput(f"{one.ref} is {one.state} already.", "Nothing was changed.")


def _stale(context: Context, place: Workspace, one: Proposal) -> StaleVersion | None:
    """Close a proposal whose target has moved on, or that waited too long, and say so."""
    try:
        with context.store.read() as connection:
            consolidation.check(connection, one)
    except StaleVersion as fault:
        found = fault
    else:
        if one.at >= context.now() - proposals.EXPIRES_MS:
            return None
        found = StaleVersion(f"{one.ref} waited too long and has expired.", "Ask for it to be proposed again.")
    with context.store.write() as connection:
        workspaces.hold(connection, place.id)
        proposals.expire(context, connection, place)
        decision = {"state": "stale", "reason": found.message, "decider": None, "at": context.now(), "ordinal": None}
        if stored.decide(connection, one, **decision):
            targets: dict[str, object] = {"proposal": one.uid, "state": "stale"}
            ledger.enter(context, connection, place.id, "decline", targets=targets, reason=found.message)
    return found


def _seal(one: Proposal) -> list[object]:
    """What an approval is bound to."""
    return [one.uid, one.state, one.target_version, one.supersedes_version, one.taint]


def _impact(context: Context, one: Proposal) -> str:
    said = excerpts.line(one.text or "", EXCERPT_MAX)
    words = f": “{said}”" if said else ""
    why = one.reason or "it rests on something untrusted"
    stays = (
        f" What it leads to keeps taint {one.taint} and is never told unasked." if one.taint >= zones.QUARANTINED_FROM else ""
    )
    return f"Approve {one.op} by {one.by}{words}. It was put aside since {why}.{stays}"


def _answer(context: Context, verb: str, one: Proposal, entered: ledger.Entered) -> GovernAnswer:
    with context.store.read() as connection:
        now = stored.by_uid(connection, one.uid) or one
        shown = seen(context, connection, now)
        row = connection.one("action_at", {"workspace": now.workspace, "seq": now.action}) if now.action else None
    if verb == "approve" and now.state == "stale":
        raise StaleVersion(f"{now.ref} could not be applied: {now.reason}", "Read what stands now.")
    if verb == "approve" and now.state == "rejected":
        said = f"{now.ref} was approved, but cannot be applied, and so is rejected: {now.reason}"
        raise InvalidInput(said, "No memory was changed. Read what stands now; the same is not proposed again.")
    changed = tuple(ref for ref in dict.fromkeys((shown.result, shown.supersedes)) if ref) if now.state == "applied" else ()
    return GovernAnswer(verb, f"a_{row[0] if row else entered.uid}", changed=changed, proposal=shown)
