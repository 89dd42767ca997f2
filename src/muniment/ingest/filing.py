"""Filing what a caller may not change itself as a proposal. Nothing that is recalled changes until somebody decides."""

from __future__ import annotations

from dataclasses import replace

from muniment.access import policy
from muniment.access.zones import SUSPECT
from muniment.context import Context
from muniment.errors import InsufficientScope, LimitExceeded
from muniment.governance import asking, edits, replays
from muniment.governance import statement as statements
from muniment.model.governing import Change, EvidenceIn, ProposeAnswer, ProposeRequest
from muniment.model.recalling import Meta
from muniment.model.records import PROTECTED_KINDS, Record
from muniment.model.writing import RememberAnswer, RememberRequest
from muniment.store import proposals as stored

# What adds a text of its own and so has no target.
ADDING = ("add", "open_thread")
# What a change is as a proposal, for a caller who may not make it.
PROPOSED = {
    "add": "add_fact",
    "open_thread": "open_thread",
    "update": "update_fact",
    "supersede": "add_fact",
    "reject": "reject",
    "close_thread": "close_thread",
}
WAITS = "It waits for a decision; until then nothing changes."
# What a request may say and a proposal does not hold.
UNPROPOSED = (
    "correction", "why", "subject", "labels", "tier", "claims", "links", "event_time", "valid_from", "valid_to", "source_ref",
)  # fmt: skip


def wanted(context: Context, request: RememberRequest) -> bool:
    """Whether this is something that the caller may not do but may propose. In the write mode propose everything is.

    A text that speaks to an agent becomes active only with the authority to govern, whoever wrote it down.
    """
    scopes = context.grant.scopes
    if request.text is not None and "govern" not in scopes and statements.suspicion(request.text, request.subject) >= SUSPECT:
        if "propose" in scopes:
            return True
        raise InsufficientScope("This text looks like instructions to an agent; keeping it needs the scope govern.")
    if context.grant.write_mode == "propose" and request.op in ADDING:
        if "propose" in scopes:
            return True
        raise InsufficientScope("This token only proposes, and has not the scope propose.")
    return not scopes & {"write", "govern"} and request.op not in ADDING and _proposable(context, request)


def _proposable(context: Context, request: RememberRequest) -> bool:
    may = "propose" in context.grant.scopes and request.op in PROPOSED
    return may and (request.op != "update" or request.text is not None)


def walled(context: Context, request: RememberRequest) -> bool:
    """Whether the target stands where the caller may read and propose, and not change what stands."""
    if (context.grant.write is None and context.grant.write_mode == "direct") or not _proposable(context, request):
        return False
    with context.store.read() as connection:
        _, place = asking.memory(context, connection, request.target)
    return not policy.may_change(context, place)


def waits(context: Context, request: RememberRequest) -> bool:
    """Whether a caller who is not trusted writes more at once than is taken unseen. Raises LimitExceeded for what cannot wait.

    What was answered before is answered as before, on whichever way it went.
    """
    if context.grant.zone == "trusted":
        return False
    from muniment.governance import proposals

    with context.store.read() as connection:
        if stored.asked(connection, context.grant.principal, request.request_id or ""):
            return True
        if replays.find(context, connection, request.request_id, request):
            return False
        target: Record | None = None
        if request.target:
            target, place = asking.memory(context, connection, request.target)
        else:
            place = policy.target(context, connection, request.workspace)
        kind = target.kind if target else request.kind
        named = [] if target is None else [target]
        causes = proposals.too_much(context, connection, place, named, request.text, kind)
    if not causes:
        return False
    if not _proposable(context, request) or (target is None and kind in PROTECTED_KINDS):
        raise LimitExceeded(f"This waits for nobody's decision and is too much at once: {causes[0]}.", "Go on more slowly.")
    return True


def file(context: Context, request: RememberRequest) -> RememberAnswer:
    """File a request as a proposal and answer as `remember` does. Raises what `proposals.propose` raises."""
    from muniment.governance import proposals  # loads the rules that read statements; most callers file nothing

    record: Record | None = None
    with context.store.read() as connection:
        if request.target:
            record, place = asking.memory(context, connection, request.target)
            # A repeated request gets its first answer again, whatever became of the target.
            if not stored.asked(connection, context.grant.principal, request.request_id or ""):
                edits.fresh(record, request.expected_version)
        else:
            place = policy.target(context, connection, request.workspace)
    evidence = tuple(EvidenceIn(ref=one) for one in request.evidence or ())
    asked = ProposeRequest(place.slug, request.request_id or context.uid(), _change(request, record), evidence)
    return _answer(request, place.slug, proposals.propose(context, asked))


def _change(request: RememberRequest, record: Record | None) -> Change:
    """What is asked for in the words of a proposal. A memory that is replaced keeps its kind, unless another is named."""
    kept = record is not None and request.kind == "fact" and record.kind not in ("turn", "document")
    ref = record.ref if record else None
    replaces = request.op == "supersede"
    return Change(
        op=PROPOSED[request.op],  # type: ignore[arg-type]
        text=request.text,
        kind=record.kind if kept and record else request.kind,  # type: ignore[arg-type]
        target=None if replaces else ref,
        supersedes=ref if replaces else None,
    )


def _answer(request: RememberRequest, workspace: str, filed: ProposeAnswer) -> RememberAnswer:
    """What became of the proposal; it has no version, and the memory that it is about stands as it stood."""
    answer = RememberAnswer(
        "queued",
        filed.proposal_id,
        0,
        workspace,
        proposal_id=filed.proposal_id,
        taint=filed.taint,
        replayed=filed.replayed,
        meta=Meta(warnings=_unsaid(request), next=filed.meta.next),
    )
    match filed.status:
        case "queued" | "quarantined" as outcome:
            return _saying(replace(answer, outcome=outcome), WAITS)
        case "accepted" | "applied":
            return replace(answer, outcome="applied")
        case _:
            said = f"This was proposed before and is {filed.status}; propose something else, or ask an owner."
            return _saying(replace(answer, outcome="duplicate"), said, *filed.meta.warnings)


def _saying(answer: RememberAnswer, *said: str) -> RememberAnswer:
    return replace(answer, meta=replace(answer.meta, warnings=(*said, *answer.meta.warnings)))


def _unsaid(request: RememberRequest) -> tuple[str, ...]:
    """What was asked for and no proposal has room for: whoever asked must not take it for filed."""
    left = [name for name in UNPROPOSED if getattr(request, name)]
    if not left:
        return ()
    return (f"A proposal has no room for {', '.join(left)}: say in its text what matters of it, or ask the owner.",)
